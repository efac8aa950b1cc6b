#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints what the match runner itself costs: its own CPU time a ply, games a second and memory, with
# two packaged engines at 200 nodes a move, two and sixty-four games at a time; what its start costs,
# which is in the first line of each; and how far the thinking time that it measures lies above what
# engines report of themselves (tests/bench/timing.c says of what that is made). A measurement, not
# a test: it fails only when a program is missing or a match fails.
#     make bench-runner       or        tests/bench/runner.sh [games]
# OBWORKER, DEV and BASE name the programs, BOOK the openings (default: the project's own).
set -eu
games=${1:-1000}
dev=${DEV:-/usr/games/stockfish}
base=${BASE:-/usr/games/fairy-stockfish}
for program in "${OBWORKER:=./obworker}" "$dev" "$base"; do
    if ! command -v "$program" >/dev/null; then
        echo "bench-runner: $program is not there (Debian: apt-get install stockfish fairy-stockfish; or set DEV, BASE)" >&2
        exit 1
    fi
done
. "$(dirname "$0")/../tools/work.sh"
run() {
    printf '%2d games at once, %4d games: ' "$1" "$2"
    "$OBWORKER" match --dev "$dev" --base "$base" --tc N=200 --option Hash=8 --games "$2" \
        --concurrency "$1" --seed 1 ${BOOK:+--book "$BOOK"} --verbose 2>"$work/log" >/dev/null &&
        grep "^own CPU time" "$work/log" || { cat "$work/log" >&2; return 1; }
}
for at_once in 2 64; do
    run "$at_once" "$at_once" # Hardly more than the start and the end.
    run "$at_once" "$games"
    run "$at_once" "$games"
done
timing=$(dirname "$OBWORKER")/tests/bin/timing
if [ -x "$timing" ]; then
    for at_once in 2 16 64 256; do
        "$timing" "$(dirname "$OBWORKER")/tests/bin/scripted_engine" "$at_once" 50 $((4000 / at_once + 20))
    done
fi
