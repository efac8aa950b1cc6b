#!/bin/sh
# SPDX-License-Identifier: MIT
# Many games with engines killed and stopped at random moments: every game is counted once, faults are
# faults of the right kind, and the worker ends with as many descriptors as after a calm match and
# with no child. `make check-deep` plays a thousand games.
set -eu
. "$srcdir/tests/match/common.sh"

games=120
[ -z "${RD_DEEP:-}" ] || games=1000
# So many pairs between two kills: an engine that fails three games running ends a match.
apart=3

# match NAME GAMES: becomes a match whose files begin with that name.
match() {
    exec "$OBWORKER" match --dev "$engine side=dev delay=40 plan=30,40 log=$work/$1.log" \
        --base "$engine side=base delay=40 plan=30,40 log=$work/$1.log" --book "$work/book.epd" \
        --seed 1 --tc 3+0.01 --draw-adj "movenumber=0 movecount=3 score=10" --games "$2" \
        --concurrency 16 --sandbox off --json --verbose --pgn "$work/$1.pgn" \
        --journal "$work/$1.journal" \
        >"$work/$1.out" 2>"$work/$1.err"
}
# left NAME: what the worker had at its end.
left() { sed -n 's/.*at the end: //p' "$work/$1.err"; }

(match calm 32) || fail "the calm match: $(cat "$work/calm.err")"
expect_in "what a calm match leaves" "$work/calm.err" " descriptors, 0 children"

(match wild "$games") &
worker=$!
# The engines: each is the child of a guard, which is the worker's child. A sanitizer has processes of
# its own among both. In an emulation they are "qemu -0 PROGRAM FILE ARGUMENTS" (tests/tools/emulated_cc.sh).
engines() {
    guards=$(ps -o pid= --ppid "$worker" 2>/dev/null | paste -sd, - | tr -d ' ')
    [ -z "$guards" ] || ps -o pid=,args= --ppid "$guards" 2>/dev/null |
        awk '$2 ~ /scripted_engine$/ || $2 ~ /qemu/ && $4 ~ /scripted_engine$/ { print $1 }' || true
}
random=1
kills=0
killed_at=0
while kill -0 "$worker" 2>/dev/null; do
    sleep 0.05
    played=$(pairs "$work/wild.journal" 2>/dev/null || true)
    # An engine that never worked ends the match too: the first pair shows that both have.
    [ "${played:-0}" -ge $((killed_at + apart)) ] || continue
    roll 1000
    victim=$(engines | awk -v r="$rolled" '{ pid[NR] = $1 } END { if (NR > 0) print pid[r % NR + 1] }')
    [ -n "$victim" ] || continue
    killed_at=$played
    kills=$((kills + 1))
    roll 4
    if [ "$rolled" -eq 0 ]; then
        kill -STOP "$victim" 2>/dev/null || true
    else
        kill -KILL "$victim" 2>/dev/null || true
    fi
done
code=0
wait "$worker" || code=$?
grep -v '^warning\|games  W' "$work/wild.err" || true
expect "the status" "$code" 0
expect_in "the report" "$work/wild.out" "\"games\":$games,"
expect "games in the PGN" "$(grep -c '^\[Round ' "$work/wild.pgn")" "$games"
expect "pairs in the journal" "$(pairs "$work/wild.journal")" $((games / 2))
faults=$(grep -c '^\[Termination "\(abandoned\|time forfeit\|stalled connection\)"' "$work/wild.pgn" || true)
# An engine that is hit between two games is replaced, and no game lost.
echo "$games games, $kills engines killed or stopped, $faults games lost by that"
[ "$faults" -gt 0 ] || fail "no engine was caught at work"
[ "$faults" -le "$kills" ] || fail "$faults games lost by faults, with $kills engines killed"
counted=$(sed 's/.*"crashes":\([0-9]*\),"timelosses":\([0-9]*\).*/\1 + \2/' "$work/wild.out")
expect "faults in the report" "$(($counted))" "$faults"
expect "what the match leaves" "$(left wild)" "$(left calm)"
expect_gone "after the match" "$work/wild.log"
second_opinion "$work/wild.pgn"
exit "$failed"
