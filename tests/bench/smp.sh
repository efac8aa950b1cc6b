#!/bin/sh
# SPDX-License-Identifier: MIT
# How much sooner engines reach a depth with several threads, by UCI: the positions of tactics.epd are searched to one depth, each
# from an empty table, with every number of threads. Sums of the times are compared, the engine with itself: "sooner" is the
# time of the first number of threads divided by this one's. Two runs differ, since threads race. A measurement, not a test: it fails
# only on an engine that is missing or dies. Nothing else should run on the CPUs.
#     make bench-smp        or        tests/bench/smp.sh ENGINE...
# DEPTH is 14 if nothing else is said, THREADS "1 2", HASH 64 (MiB), POSITIONS a file like tactics.epd beside this script.
set -eu
here=$(dirname "$0")
depth=${DEPTH:-14}
positions=${POSITIONS:-$here/tactics.epd}
[ $# -gt 0 ] || set -- "${REDUCTIO:-./reductio}" /usr/games/stockfish
name=bench-smp
. "$here/uci.sh"

# search_all: leaves "milliseconds nodes" of each position in $work/results.
search_all() {
    while IFS='|' read -r fen best; do
        engine_new_game
        printf 'position fen %s\ngo depth %s\n' "$fen" "$depth" >&3
        last=
        began=$(date +%s%N)
        while read -r line <&4; do
            case $line in
            bestmove*) break ;;
            *" nodes "*) last=$line ;;
            esac
        done # An engine that ended leaves $line empty.
        [ -n "$line" ] || engine_ended
        echo "$((($(date +%s%N) - began) / 1000000)) $(number nodes "$last")"
    done <"$work/positions" >"$work/results"
}

positions_of "$positions" >"$work/positions"
printf '%-32s %8s %10s %8s %12s %10s\n' engine threads seconds sooner 'nodes, mean' nodes/s
for program; do
    first=
    for threads in ${THREADS:-1 2}; do
        engine_start "$program" "Threads=$threads" "Hash=${HASH:-64}"
        search_all
        engine_quit
        ms=$(awk '{ ms += $1 } END { print ms }' "$work/results")
        first=${first:-$ms}
        awk -v engine="$program" -v threads="$threads" -v first="$first" '{ ms += $1; nodes += $2 }
            END { printf "%-32s %8d %10.1f %8.2f %12.0f %10.0f\n", engine, threads, ms / 1000, first / ms, nodes / NR, nodes * 1000 / ms }' "$work/results"
    done
done
