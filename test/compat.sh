#!/bin/sh
# Holds what is committed against other versions of Argo and Trainer, each in a module of its own, since a module has one version of
# each: docs/compatibility.md. The first time it fetches and compiles some of Argo, 10 minutes on two cores.
set -eu
cd "$(dirname "$0")/.."
mkdir -p bin
go build -o bin/ ./cmd/seatrial # renders the objects for Trainer
for module in test/compat/*/go.mod; do
  folder=$(dirname "$module")
  printf '\n== %s\n' "$folder"
  (cd "$folder" && go test -count=1 -v ./...) >bin/compat.log 2>&1 || { cat bin/compat.log; exit 1; }
  grep -E '^(---|    ---|ok)|objects$' bin/compat.log
done
