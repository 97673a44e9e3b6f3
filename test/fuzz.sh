#!/bin/sh
# Runs fuzz targets for a while each: fuzz.sh 10s [./package…]; without a package every target of the product.
# Not that of internal/cli: its build with instrumentation takes in all of Argo, for minutes; its seeds are unit tests.
set -eu
cd "$(dirname "$0")/.."
time=$1
shift
[ $# -gt 0 ] || set -- api internal/cluster internal/resolve plugin
grep -rl --include='*_test.go' '^func Fuzz' "$@" | sed 's|^\./||' | sort | while read -r file; do
  for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
    printf '%s %s\n' "$(dirname "$file")" "$target"
    go test -run "^$" -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 5x "./$(dirname "$file")"
  done
done
