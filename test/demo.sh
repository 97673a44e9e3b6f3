#!/bin/sh
# The main job: the published example in groups of two on three nodes, and its exec example, through real Argo, Trainer, JobSet,
# kubelets, sshd and mpirun. test/stand.sh has put the cluster up. Ends with the worst exit code of the two runs.
set -u
cd "$(dirname "$0")/.."
seatrial() { bin/cluster exec -- "$PWD/bin/seatrial" "$@"; }
status=0
for example in examples/demo/nccl-pairs.yaml examples/demo/exec-script.yaml; do
  name=$(sed -n 's/^  name: //p' "$example" | head -n 1)
  printf '\n== %s\n' "$example" >&2
  bin/cluster exec -- kubectl -n seatrial delete workflow "$name" --ignore-not-found >&2
  seatrial workloadrun run "$example" -n seatrial --wait --timeout 15m || status=$?
done
exit "$status"
