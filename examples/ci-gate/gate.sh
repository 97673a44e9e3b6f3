#!/bin/sh
# Runs a WorkloadRun, keeps its reports for the CI server, and ends with the verdict's exit code.
set -u
name=$(sed -n 's/^  name: //p' "$1" | head -n 1)-${CI_JOB_ID:-$$}
seatrial workloadrun run "$1" --name "$name" --wait --timeout 1h
verdict=$?
seatrial workloadrun report "$name" -o junit >junit.xml || :
seatrial workloadrun report "$name" -o html >report.html || :
exit "$verdict"
