#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints how fast the move generator counts beside another engine's, in user CPU time of one thread
# (less what each program needs to start), and the ratio. A measurement, not a test: it fails only on
# a wrong count or a missing program.
#     make bench-perft        or        tests/bench/perft.sh [repetitions]
# REDUCTIO and OPPONENT name the two programs.
set -eu
repetitions=${1:-5}
reductio=${REDUCTIO:-./reductio}
opponent=${OPPONENT:-/usr/games/stockfish}
for program in "$reductio" "$opponent"; do
    if ! command -v "$program" >/dev/null; then
        echo "bench-perft: $program is not there (Debian: apt-get install stockfish; or set OPPONENT)" >&2
        exit 1
    fi
done
. "$(dirname "$0")/../tools/work.sh"

# perft WHO FEN DEPTH: the node count in $nodes, the user CPU seconds in $seconds. reductio would obey
# a `quit` on its input at once, so its commands are arguments, which are run to their end.
# The second line of `times` is what finished children have used.
perft() {
    times >"$work/before"
    if [ "$1" = reductio ]; then
        "$reductio" "position fen $2" "go perft $3" </dev/null >"$work/out" 2>&1
    else
        printf 'position fen %s\ngo perft %d\nquit\n' "$2" "$3" | "$opponent" >"$work/out" 2>&1
    fi
    times >"$work/after"
    nodes=$(sed -n 's/^Nodes searched: *\([0-9]*\).*/\1/p' "$work/out")
    seconds=$(cat "$work/before" "$work/after" | awk 'NR % 2 == 0 { split($1, t, /[ms]/); s[NR] = t[1] * 60 + t[2] }
        END { print s[4] - s[2] }')
}

# median FILE: of one number a line.
median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# measure NAME FEN DEPTH NODES: both programs in turn, several times.
measure() {
    : >"$work/reductio"
    : >"$work/opponent"
    i=0
    while [ "$i" -lt "$repetitions" ]; do
        for who in reductio opponent; do
            perft "$who" "$2" 1
            start=$seconds
            perft "$who" "$2" "$3"
            if [ "$nodes" != "$4" ]; then
                echo "bench-perft: $who counts '$nodes' for $1 depth $3 instead of $4" >&2
                exit 1
            fi
            awk -v all="$seconds" -v start="$start" 'BEGIN { print all - start }' >>"$work/$who"
        done
        i=$((i + 1))
    done
    awk -v name="$1" -v depth="$3" -v nodes="$4" -v ours="$(median "$work/reductio")" \
        -v theirs="$(median "$work/opponent")" 'BEGIN {
        if (ours <= 0) ours = 0.001
        printf "%-9s depth %d: reductio %.3f s (%.0f Mnodes/s), opponent %.3f s (%.0f Mnodes/s), ratio %.2f\n",
            name, depth, ours, nodes / ours / 1e6, theirs, nodes / theirs / 1e6, theirs / ours }'
}

echo "opponent: $opponent; medians of $repetitions runs, user CPU time; ratio above 1: reductio is faster"
measure startpos 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' 6 119060324
measure kiwipete 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1' 5 193690690
