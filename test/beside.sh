#!/bin/sh
# Runs a command on what another one leaves of the processors: beside.sh LOG QUIET LOUD
# LOUD, mostly waiting, shows what it does; what QUIET printed follows, and stays in LOG. Fails when either fails.
set -u
log=$1 quiet=$2 loud=$3
mkdir -p "$(dirname "$log")"
nice -n 19 sh -c "$quiet" >"$log" 2>&1 &
beside=$!
trap 'trap - INT TERM; kill 0' INT TERM # a command in the background ignores an interrupt
sh -c "$loud"
loud_status=$?
wait "$beside"
quiet_status=$?
printf '\n== %s\n' "$quiet"
cat "$log"
[ "$loud_status" -eq 0 ] && [ "$quiet_status" -eq 0 ]
