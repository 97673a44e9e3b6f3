#!/bin/sh
# govulncheck over both programs and the tools, with the vulnerability database as it is in its own Go module, so that it needs the
# module proxy only and not the database's server.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
vulncheck=golang.org/x/vuln/cmd/govulncheck@v1.9.0
database=golang.org/x/vulndb
version=$(go list -m "$database@latest" | cut -d' ' -f2)
echo "database of $version"
cp -r "$(cd "$dir" && go mod download -json "$database@$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/data/osv" "$dir/osv"
go run "$database/cmd/indexdb@$version" -vulns "$dir/osv" -out "$dir/db"
status=0
go run "$vulncheck" -db "file://$dir/db" ./cmd/... || status=$?
exit $status
