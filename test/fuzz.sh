#!/bin/sh
# Runs fuzz targets for a while each: fuzz.sh 10s [./package…]; without a package every target of the product.
# Not that of internal/cli: its build with instrumentation takes in all of Argo, for minutes; its seeds are unit tests.
set -eu
cd "$(dirname "$0")/.."
time=$1
shift
[ $# -gt 0 ] || set -- api internal/cluster internal/resolve plugin
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# fuzz FOLDER TARGET
fuzz() {
  status=0
  go test -run "^$" -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 5x "./$1" >"$said" 2>&1 || status=$?
  cat "$said"
  return "$status"
}

grep -rl --include='*_test.go' '^func Fuzz' "$@" | sed 's|^\./||' | sort | while read -r file; do
  for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
    folder=$(dirname "$file")
    printf '%s %s\n' "$folder" "$target"
    fuzz "$folder" "$target" && continue
    # On a busy machine `go test` may fail by its own deadline at the very end of the time, and then names no input. A fault names one.
    if grep -q '^    context deadline exceeded$' "$said" && ! grep -q 'Failing input written' "$said"; then
      echo 'no input failed, the time ran out: once more'
      fuzz "$folder" "$target" && continue
    fi
    exit 1
  done
done
