#!/bin/sh
# SPDX-License-Identifier: MIT
# How many tactical positions engines solve with equal numbers of nodes, by UCI. Solved means that the last line that the engine
# reports within NODES nodes begins with the position's best move: not every engine can be told to search so many nodes and no
# more. A measurement, not a test: it fails only on an engine that is missing or dies.
#     make bench-tactics        or        tests/bench/tactics.sh ENGINE...
# NODES is 40000 if nothing else is said, POSITIONS a file like tactics.epd beside this script.
set -eu
here=$(dirname "$0")
nodes=${NODES:-40000}
positions=${POSITIONS:-$here/tactics.epd}
[ $# -gt 0 ] || set -- "${REDUCTIO:-./reductio}" /usr/games/ethereal-chess
PATIENCE_MS=10000 # No search is longer, whatever the engine reports.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# wait_for WORD: reads the engine's lines until one begins with WORD, which stays in $line.
wait_for() {
    while read -r line <&4; do
        case $line in "$1"*) return 0 ;; esac
    done
    echo "bench-tactics: $engine ended" >&2
    exit 1
}

# number WORD TEXT: the number after WORD.
number() { printf '%s\n' "$2" | sed -n "s/.* $1 \([0-9]*\).*/\1/p"; }

# search: reads a search's reports, and stops it after NODES nodes. The last report within them stays in $reported.
search() {
    reported=
    stopped=
    while read -r line <&4; do
        case $line in
        bestmove*) return 0 ;;
        "info "*" score "*" pv "*)
            if [ "$(number nodes "$line")" -le "$nodes" ]; then
                reported=$line
            elif [ -z "$stopped" ]; then
                stopped=1
                echo stop >&3
            fi
            ;;
        esac
    done
    echo "bench-tactics: $engine ended" >&2
    exit 1
}

solve_all() {
    mkfifo "$tmp/in" "$tmp/out"
    "$engine" <"$tmp/in" >"$tmp/out" 2>/dev/null &
    exec 3>"$tmp/in" 4<"$tmp/out"
    printf 'uci\nsetoption name Hash value 16\nisready\n' >&3
    wait_for readyok
    while IFS='|' read -r fen best; do
        printf 'ucinewgame\nisready\n' >&3
        wait_for readyok
        printf 'position fen %s\ngo movetime %s\n' "$fen" "$PATIENCE_MS" >&3
        search
        case "$reported " in
        *" pv $best "*) solved=1 ;;
        *) solved=0 ;;
        esac
        echo "$solved $(number depth "$reported") $(number nodes "$reported")"
    done <"$tmp/positions" >"$tmp/results"
    echo quit >&3
    exec 3>&- 4<&-
    wait
    rm -f "$tmp/in" "$tmp/out"
}

# "FEN bm MOVE;", the move in coordinates.
sed -n 's/^\([^#].*\) bm \([a-h1-8qrbn]*\);.*/\1 0 1|\2/p' "$positions" >"$tmp/positions"
printf '%-32s %8s %6s %12s\n' engine solved depth 'nodes, mean'
for engine; do
    command -v "$engine" >/dev/null || { echo "bench-tactics: $engine is not there" >&2; exit 1; }
    solve_all
    awk -v engine="$engine" '{ solved += $1; depth += $2; nodes += $3 }
        END { printf "%-32s %3d of %d %6.1f %12.0f\n", engine, solved, NR, depth / NR, nodes / NR }' "$tmp/results"
done
