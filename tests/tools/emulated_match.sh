#!/bin/sh
# SPDX-License-Identifier: MIT
# Matches whose results are known, by an emulated worker with emulated engines (tests/tools/aarch64.sh).
set -eu
. "$srcdir/tests/match/common.sh"
# In the sandbox, as far as the emulation has its layers; with a journal and its report.
"$OBWORKER" match --dev "$engine side=dev" --base "$engine side=base" --book "$work/book.epd" --seed 3 --tc N=100 --games 12 \
    --journal "$work/journal" --pgn "$work/pgn" --json >"$work/out" 2>"$work/err" || fail "a match: $(cat "$work/err")"
expect_in "a match" "$work/out" '"games":12'
expect "pairs in the journal" "$(pairs "$work/journal")" 6
expect "games in the PGN file" "$(grep -c '^\[Result ' "$work/pgn")" 12
"$OBWORKER" report --journal "$work/journal" >"$work/report" || fail "a report of the journal"
expect_in "its report" "$work/report" "Games | N: 12 "
# An engine that dies loses its game, and the cause is told.
"$OBWORKER" match --dev "$engine fault=die once=$work/once" --base "$engine" --book "$work/book.epd" --seed 3 --tc N=100 \
    --games 4 --sandbox off --json >"$work/out" 2>"$work/err" || fail "a match with a fault: $(cat "$work/err")"
expect_in "a match with a fault" "$work/out" '"crashes":1'
expect_in "a fault in the log" "$work/err" " disconnects: dev ("
# The project's own engine.
"$OBWORKER" match --dev "$REDUCTIO" --base "$REDUCTIO" --book "$work/book.epd" --seed 3 --tc N=200 --games 2 --json \
    >"$work/out" 2>"$work/err" || fail "a match of reductio: $(cat "$work/err")"
expect_in "a match of reductio" "$work/out" '"games":2'
grep -h 'sandbox' "$work/err" | head -n 1
[ "$failed" -eq 0 ] && echo "matches: passed"
exit "$failed"
