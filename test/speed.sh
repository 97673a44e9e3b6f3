#!/bin/sh
# How fast a whole `seatrial score` reads, beside grep -c and mawk on the same bytes: speed.sh [GiB of stdin, 10]
#
#  1. 256 MiB of NCCL_DEBUG=INFO with a table of 1,212 rows in it, as a file;
#  2. 256 MiB of the worst mix: every kind of line in turn, none of them noise, as BenchmarkParser has it;
#  3. the first bytes again and again through stdin, with the memory that the process took at most.
#
# Each figure is the best of five; those of the processor count the time that the process had one, which other work on the machine
# lowers less. The tables are those of docs/scoring.md.
set -eu
cd "$(dirname "$0")/.."
gib=${1:-10}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/seatrial" ./cmd/seatrial
mawk -v size=268435456 -v rows=1212 'BEGIN {
  srand(1)
  print "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0"
  for (r = 0; r < 16; r++) printf "#  Rank %2d Group  0 Pid %6d on node-%d device %2d [0000:%02x:00] NVIDIA H100\n", r, 1000+r, r/8, r%8, r
  print "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong"
  every = size / rows
  for (row = 0; row < rows; row++) {
    for (; bytes < every * (row + 1); bytes += length(line) + 1) {
      line = sprintf("[1,%d]<stdout>:node-%d:%d:%d [%d] NCCL INFO Channel %02d/%d : %d[%d] -> %d[%d] [send] via NET/IB/%d/GDRDMA", \
        rand()*64, rand()*8, 1000+rand()*9000, 1000+rand()*9000, rand()*8, rand()*32, rand()*4, rand()*64, rand()*8, rand()*64, rand()*8, rand()*8)
      print line
    }
    n = 8 * 2 ^ (row % 31); t = 10 + n / 4e5; a = n / t / 1000
    printf "[1,0]<stdout>:%12.0f  %12.0f     float     sum      -1   %6.2f  %6.2f  %6.2f       0   %6.2f  %6.2f  %6.2f       0\n", n, n/4, t, a, a*1.875, t, a, a*1.875
  }
  print "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 100\n#"
}' >"$dir/log"
mawk -v size=268435456 'BEGIN {
  kinds[n++] = "     1048576        262144     float     sum      -1    27.76   37.77   37.77       0    27.49   38.14   38.14       0"
  kinds[n++] = "#  Rank  1 Group  0 Pid     13 on node-b device  0 [0000:04:00] NVIDIA H100 80GB HBM3"
  kinds[n++] = "2026-02-05T16:17:20.615110976Z a line of a program that says nothing about a benchmark, step or failure"
  kinds[n++] = "node-7: Test NCCL failure common.cu:1204 \047unhandled cuda error (run with NCCL_DEBUG=INFO for details) / \047"
  kinds[n++] = "node02:25146:25854 [0] ib_plugin.c:1105 NCCL WARN NET/IB : Got completion from peer 192.0.2.1<49189> with error 4"
  kinds[n++] = "{\"time\":\"2026-02-05T16:17:20.615110976Z\",\"level\":\"INFO\",\"msg\":\"# Using devices\\nnothing here\",\"n\":5}"
  kinds[n++] = "\033[32m2026-02-05 16:17:20\033[0m \033[1mINFO\033[0m a line of a program that says nothing much at all"
  kinds[n++] = " [2024-04-06 02:59:36] iteration       43/     100 | consumed samples:        11008 | elapsed time per iteration (ms): 5444.9 | throughput per GPU (TFLOP/s/GPU): 239.8 | learning rate: 1.000000E-05 | global batch size:   256 | lm loss: 1.825991E+00 | loss scale: 1.0 | grad norm: 3.201 | number of skipped iterations:   0 | number of nan iterations:   0 |"
  kinds[n++] = "\r  1%|1         | 10/1000 [00:10<16:30,  1.00it/s]\r  1%|1         | 11/1000 [00:11<16:29,  1.00it/s]"
  for (k = 0; k < n; k++) { all = all kinds[k] "\n"; }
  for (; bytes < size; bytes += length(all)) printf "%s", all
}' >"$dir/mix"

# best NAME COMMAND…: the least seconds of five, by the processor and by the clock, and what that is in GiB/s.
best() {
  name=$1
  shift
  for _ in 1 2 3 4 5; do
    # grep stops at the first match when its output is /dev/null, so it is given a file.
    bash -c 'TIMEFORMAT="%R %U %S"; out=$1; shift; time "$@" >"$out" || true' time "$dir/out" "$@" 2>&1 | tail -1
  done | mawk -v name="$name" -v bytes="$bytes" '
    { real = $1; cpu = $2 + $3; if (!n++ || real < r) r = real; if (n == 1 || cpu < c) c = cpu }
    END { g = bytes / 2^30; printf "| %s | %.3f | %.2f | %.3f | %.2f |\n", name, c, g/c, r, g/r }'
}

# table NAME LOG: seatrial and the others on one log.
table() {
  bytes=$(wc -c <"$2")
  cat "$2" >/dev/null
  printf '\n| %s, %d MiB | processor s | GiB/s | clock s | GiB/s |\n|---|---|---|---|---|\n' "$1" $((bytes / 1048576))
  best "\`seatrial score\`" "$dir/seatrial" score "$2"
  best "\`grep -c busbw\`" grep -c busbw "$2"
  best "\`LC_ALL=C grep -c float\`" env LC_ALL=C grep -c float "$2"
  best "\`mawk\` over the rows' busbw" mawk '$4 == "float" && $8 > m { m = $8 } END { print m }' "$2"
}
uptime
: >"$dir/nothing"
bytes=0
best "nothing but the start of \`seatrial score\`" "$dir/seatrial" score "$dir/nothing"
table "NCCL INFO with $(grep -c ' float ' "$dir/log") rows" "$dir/log"
table "the worst mix" "$dir/mix"
echo

echo "$gib GiB through stdin:"
n=$((gib * 4))
i=0
while [ $i -lt $n ]; do cat "$dir/log"; i=$((i + 1)); done |
  bash -c 'TIMEFORMAT="%R s, processor %U + %S s"; "$1" score - <&3 >"$2/out" & p=$!
    most=0
    while kill -0 $p 2>/dev/null; do
      rss=$(sed -n "s/VmHWM:[^0-9]*\([0-9]*\).*/\1/p" /proc/$p/status 2>/dev/null) || true
      [ -n "$rss" ] && most=$rss
      sleep 0.2
    done
    wait $p || true
    echo "most memory: $((most / 1024)) MiB"' stdin "$dir/seatrial" "$dir" 3<&0
tail -3 "$dir/out" | cut -c1-200
