// The source is built from a writable copy (see internal/build/argo.go), so only its checksum is pinned here;
// its own go.mod and go.sum, inside that checksum, pin everything it needs.
module github.com/seed-95c1acfe/seatrial/test/cluster/modules/argo

go 1.26.0

require github.com/argoproj/argo-workflows/v3 v3.7.18
