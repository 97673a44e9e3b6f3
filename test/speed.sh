#!/bin/sh
# How fast a whole `seatrial score` reads, beside grep -c and mawk on the same bytes: speed.sh [GiB of stdin, 10]
#
#  1. 256 MiB of NCCL_DEBUG=INFO with a table of 1,212 rows in it, as a file;
#  2. the same bytes again and again through stdin, with the memory that the process took at most.
#
# Each figure is the best of five by the clock; the second one is the time that the process had a processor, which other work on
# the machine does not lower.
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
bytes=$(wc -c <"$dir/log")
cat "$dir/log" >/dev/null

# best NAME COMMAND…: the least seconds of five, and what that is in GiB/s.
best() {
  name=$1
  shift
  for _ in 1 2 3 4 5; do
    # grep stops at the first match when its output is /dev/null, so it is given a file.
    bash -c 'TIMEFORMAT="%R %U %S"; out=$1; shift; time "$@" >"$out" || true' time "$dir/out" "$@" 2>&1 | tail -1
  done | mawk -v name="$name" -v bytes="$bytes" '
    { real = $1; cpu = $2 + $3; if (!n++ || real < r) r = real; if (n == 1 || cpu < c) c = cpu }
    END { g = bytes / 2^30; printf "%-28s %6.3f s %6.2f GiB/s   processor %6.3f s %6.2f GiB/s\n", name, r, g/r, c, g/c }'
}
echo "$bytes bytes, $(grep -c 'float' "$dir/log") rows"
best "seatrial score" "$dir/seatrial" score "$dir/log"
best "grep -c busbw" grep -c busbw "$dir/log"
best "grep -c float (C locale)" env LC_ALL=C grep -c float "$dir/log"
best "mawk, the rows' busbw" mawk '$4 == "float" && $8 > m { m = $8 } END { print m }' "$dir/log"

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
