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
name=bench-tactics
. "$here/uci.sh"

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
    engine_ended
}

solve_all() {
    while IFS='|' read -r fen best; do
        engine_new_game
        printf 'position fen %s\ngo movetime %s\n' "$fen" "$PATIENCE_MS" >&3
        search
        case "$reported " in
        *" pv $best "*) solved=1 ;;
        *) solved=0 ;;
        esac
        echo "$solved $(number depth "$reported") $(number nodes "$reported")"
    done <"$work/positions" >"$work/results"
}

positions_of "$positions" >"$work/positions"
printf '%-32s %8s %6s %12s\n' engine solved depth 'nodes, mean'
for program; do
    engine_start "$program" Hash=16
    solve_all
    engine_quit
    awk -v engine="$engine" '{ solved += $1; depth += $2; nodes += $3 }
        END { printf "%-32s %3d of %d %6.1f %12.0f\n", engine, solved, NR, depth / NR, nodes / NR }' "$work/results"
done
