#!/bin/sh
# Puts up the local cluster with Seatrial and the test image in it. Everything is cached; a second run takes seconds.
#   REQUEUE=1s   DEFAULT_REQUEUE_TIME of Argo's workflow controller (10s as Argo ships it)
#   NODES=3
#   TORCH=          not empty: the test image with PyTorch as well
#   PROVIDER=       prefix of the nodes' providerIDs, such as aws:///
set -eu
export CGO_ENABLED=0
cd "$(dirname "$0")/.."
bin=$PWD/bin
state=${SEATRIAL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seatrial}/stand
mkdir -p "$bin" "$state"
say() { printf '\n== %s\n' "$*" >&2; }

# import ARCHIVE: into every node, unless this cluster has it already
import() {
  mark=$state/$(sha256sum "$1" | cut -c1-16)-$(kubectl get namespace kube-system -o jsonpath='{.metadata.uid}')
  [ -e "$mark" ] || { "$bin/cluster" load "$1" && : >"$mark"; }
}
kubectl() { "$bin/cluster" exec -- kubectl "$@"; }

say 'the cluster (built once, 25 to 35 minutes on two cores)'
go build -o "$bin/cluster" ./test/cluster
"$bin/cluster" up --nodes "${NODES:-3}" --requeue "${REQUEUE:-10s}" --provider "${PROVIDER:-}"

say 'the test image'
image=$(go run ./test/image)
import "$image"
if [ -n "${TORCH:-}" ]; then
  image=$(go run ./test/image torch)
  import "$image"
fi

say 'Seatrial and its image'
go build -o "$bin/" ./cmd/...
version=$("$bin/seatrial" version -o json | sed -n 's/.*"version": *"\([^"]*\)".*/\1/p')
(cd tools && go run ./image binary --name "seatrial.dev/seatrial:$version" --out "$bin/seatrial-local.tar" --user 8737 \
  --entrypoint /seatrial-plugin "amd64=$bin/seatrial-plugin")
import "$bin/seatrial-local.tar"

say 'its manifests'
kubectl apply -k manifests/cluster >&2
kubectl apply -k manifests/namespace >&2
