# Seatrial: see README.md. `make` lists what there is.
GO       ?= go
BIN      := bin
VERSION  := $(shell sed -n 's/^const Number = "\(.*\)"/\1/p' internal/version/version.go)
IMAGE    ?= seatrial.dev/seatrial:$(VERSION)
CLUSTER  := $(BIN)/cluster
LINT     := $(GO) tool -modfile=tools/go.mod golangci-lint
FUZZTIME ?= 10s
# The tests of an area are named TestAreaTorch…
AREAS    := torch platforms isolation examples certification faults
# One setting for builds and tests, so that they share Go's build cache; nothing here needs cgo.
export CGO_ENABLED := 0

.DEFAULT_GOAL := help
.PHONY: help build generate test test-unit lint fuzz test-cluster test-probe test-image test-compat vulncheck bench bench-probe speed scale demo image cluster-up cluster-down cluster-status stand clean

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build seatrial and seatrial-plugin into bin/
	@mkdir -p $(BIN)
	$(GO) build -o $(BIN)/ ./cmd/...

generate: ## Write the WorkflowTemplates, the manifests and docs/reference anew
	$(GO) test ./generator -run TestCommittedFiles -update
	$(GO) test ./internal/docs -update
	$(GO) test ./internal/cli -run Reference -update
	$(GO) run ./cmd/seatrial generate -o templates --check

demo: ## The main job on a real cluster on this machine: 6 minutes, about 45 the first time
	@test/stand.sh
	@test/demo.sh

test: test-unit lint ## Everything that CI runs
	@test/beside.sh $(BIN)/fuzz.log "$(MAKE) --no-print-directory fuzz" "$(MAKE) --no-print-directory test-cluster"

test-unit: ## Unit tests
	$(GO) test ./...

lint: ## golangci-lint over everything, tests included
	$(LINT) run --build-tags cluster,sshd ./...
	cd tools && $(GO) tool golangci-lint run ./image/...
	cd test/s3 && $(GO) vet ./...

fuzz: ## Every fuzz target for FUZZTIME (10s), or those of some packages: FUZZTIME=6m FUZZPKG=./plugin/parse
	@test/fuzz.sh $(FUZZTIME) $(FUZZPKG)

test-cluster: ## The smoke test on a real cluster (test/cluster/BUDGET.md), or a longer area of it: AREA=torch
	$(if $(filter-out $(AREAS),$(AREA)),$(error AREA is $(AREA); one of $(AREAS) would do))
	@REQUEUE=1s TORCH=$(filter torch examples,$(AREA)) PROVIDER=$(if $(filter platforms,$(AREA)),aws:///) NODES=$(if $(filter isolation,$(AREA)),4,3) test/stand.sh
	$(GO) test -tags cluster -count=1 -timeout $(if $(AREA),2h,40m) -parallel 3 -v $(if $(AREA),-run '(?i)^TestArea$(AREA)',-skip '^TestArea') ./test/e2e

test-probe: ## The probe and the launcher's wait against real OpenSSH 10, in 90 s; needs root, the first time debootstrap (docs/probing.md)
	root=$$(test/sshd.sh) && SEATRIAL_SSHD_ROOT=$$root $(GO) test -tags sshd -count=1 -run RealSSHD -v ./plugin/probe ./internal/resolve

bench-probe: ## The probe beside ssh-keyscan on the same targets
	root=$$(test/sshd.sh) && SEATRIAL_SSHD_ROOT=$$root $(GO) test -tags sshd -run '^$$' -bench 'All|Keyscan' -benchtime 3x -benchmem ./plugin/probe

bench: ## Measures everything and writes docs/performance.md, in 10 minutes; COUNT=1 BENCHTIME=0.2s for a quick look
	@mkdir -p $(BIN)
	cd test/bench && $(GO) build -o $(CURDIR)/$(BIN)/bench . && $(CURDIR)/$(BIN)/bench -count $(or $(COUNT),5) -benchtime $(or $(BENCHTIME),1s)

speed: ## How fast a whole `seatrial score` reads, beside grep and mawk
	@test/speed.sh

scale: ## 1,000 and 2,000 simulated nodes on the local cluster: the tables of docs/scale.md
	@test/stand.sh
	@$(GO) build -o $(BIN)/ ./test/scale && $(CLUSTER) exec -- $(CURDIR)/$(BIN)/scale

image: ## OCI archive of the plugin's image for amd64 and arm64, without docker, and what it is made of: bin/seatrial-image.{tar,cdx.json}
	@mkdir -p $(BIN)
	@for arch in amd64 arm64; do GOOS=linux GOARCH=$$arch $(GO) build -trimpath -buildvcs=false -ldflags '-s -w' -o $(BIN)/linux-$$arch/ ./cmd/seatrial-plugin || exit 1; done
	cd tools && $(GO) run ./image binary --name $(IMAGE) --out $(CURDIR)/$(BIN)/seatrial-image.tar --user 8737 --entrypoint /seatrial-plugin \
	  amd64=$(CURDIR)/$(BIN)/linux-amd64/seatrial-plugin arm64=$(CURDIR)/$(BIN)/linux-arm64/seatrial-plugin
	cd tools && $(GO) run ./image sbom --version $(VERSION) --out $(CURDIR)/$(BIN)/seatrial-image.cdx.json \
	  $(CURDIR)/$(BIN)/linux-amd64/seatrial-plugin $(CURDIR)/$(BIN)/linux-arm64/seatrial-plugin

test-image: ## The image is built twice with caches of its own and is the same; what is in it
	@test/image.sh

test-compat: ## The templates, the wire and the objects against other versions of Argo and Trainer (docs/compatibility.md)
	@test/compat.sh

vulncheck: ## Known faults of what the programs are made of, by govulncheck (docs/security.md)
	@test/vulncheck.sh

cluster-up: ## Start the local cluster (3 nodes); builds it the first time
	@mkdir -p $(BIN) && $(GO) build -o $(CLUSTER) ./test/cluster && $(CLUSTER) up

cluster-down: ## Remove the local cluster
	@mkdir -p $(BIN) && $(GO) build -o $(CLUSTER) ./test/cluster && $(CLUSTER) down

cluster-status: ## Show the local cluster
	@mkdir -p $(BIN) && $(GO) build -o $(CLUSTER) ./test/cluster && $(CLUSTER) status

stand: ## The local cluster with Seatrial and the test image in it
	@test/stand.sh

clean: ## Remove bin/
	rm -rf $(BIN)
