#!/bin/sh
# Runs every fuzz target of the product for a while: fuzz.sh 10s
# Not that of internal/cli: its build with instrumentation takes in all of Argo, for minutes; its seeds are unit tests.
set -eu
cd "$(dirname "$0")/.."
grep -rl --include='*_test.go' '^func Fuzz' api internal/cluster internal/resolve plugin | while read -r file; do
  for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
    printf '%s %s\n' "$(dirname "$file")" "$target"
    go test -run "^$" -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 5x "./$(dirname "$file")"
  done
done
