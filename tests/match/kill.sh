#!/bin/sh
# SPDX-License-Identifier: MIT
# A match that is killed, and interrupted once and twice, at random moments many times over: no engine
# outlives it, the journal is whole each time, and in the end totals and PGN are those of a match
# that nobody disturbed.
set -eu
. "$srcdir/tests/match/common.sh"

times=${RD_KILLS:-24}
[ -z "${RD_DEEP:-}" ] || times=300

# match OPTIONS…: becomes a match of two scripted engines with fixed nodes. A shell starts what runs
# in the background deaf to Ctrl-C, and the file "hears" says that this is over.
match() {
    # shellcheck disable=SC2016 # For the inner shell.
    exec env --default-signal=INT sh -c ': >"$0"; exec "$@"' "$work/hears" "$OBWORKER" match \
        --dev "$engine side=dev plan=45,30 delay=4 log=$work/log" \
        --base "$engine side=base plan=45,30 delay=4 log=$work/log" --sandbox off --book "$work/book.epd" \
        --seed 3 --tc N=100 --draw-adj "movenumber=0 movecount=3 score=10" --concurrency 4 "$@" \
        >"$work/out" 2>"$work/err"
}

random=1
before=0
killed=0
time=0
# Rounds get longer until one has played a pair, however busy the machine is.
longest=400
while [ "$time" -lt "$times" ] || { [ "$before" -eq 0 ] && [ "$time" -lt 200 ]; }; do
    time=$((time + 1))
    [ "$before" -gt 0 ] || longest=$((longest + 100))
    rm -f "$work/log" "$work/hears"
    (match --games 1000000 --journal "$work/journal" --resume --pgn "$work/pgn") &
    worker=$!
    until [ -e "$work/hears" ] || ! kill -0 "$worker" 2>/dev/null; do sleep 0.01; done
    roll $longest
    sleep "$((rolled / 1000)).$(printf %03d $((rolled % 1000)))"
    # Killed three times of six; interrupted once or twice, or asked to end, the others.
    roll 6
    case $rolled in
    0) signals="INT" ;;
    1) signals="INT INT" ;;
    2) signals="TERM" ;;
    *) signals="KILL" ;;
    esac
    for signal in $signals; do
        kill -s "$signal" "$worker" 2>/dev/null || fail "$signal: the match had ended: $(cat "$work/err")"
    done
    code=0
    wait "$worker" || code=$?
    killed=$((killed + (code == 137)))
    case $signals,$code in
    KILL,137) ;;
    # Before it listens a signal ends it at once, afterwards it ends by itself.
    INT*,130 | TERM,143) ;;
    *,0)
        expect_in "the log after $signals" "$work/err" "finishing the games that complete a pair"
        expect_in "the report after $signals" "$work/out" "Games | N: $((2 * $(pairs "$work/journal"))) "
        ;;
    *) fail "status $code after $signals: $(cat "$work/err")" ;;
    esac
    expect_gone "after $signals" "$work/log"
    if [ -e "$work/journal" ]; then
        "$OBWORKER" report --journal "$work/journal" >"$work/report" 2>&1 ||
            fail "the journal after $signals: $(cat "$work/report")"
        now=$(pairs "$work/journal" || true)
        [ "$now" -ge "$before" ] || fail "$now pairs after $signals, and $before before"
        before=$now
    fi
done
[ "$killed" -gt 0 ] || fail "it was never killed"
[ "$before" -gt 0 ] || fail "no pair was played between $times interruptions"

# It ends with all pairs up to the last, so that there is no gap.
last=$(sed -n 's/.*"kind":"pair","pair":\([0-9]*\),.*/\1/p' "$work/journal" | sort -n | tail -n 1)
games=$((2 * last + 6))
echo "$before pairs between $times interruptions ($killed kills); $games games in all"
(match --games $games --journal "$work/journal" --resume --pgn "$work/pgn" --json) ||
    fail "the last part: $(cat "$work/err")"
counts "$work/out" >"$work/total"
expect "pairs in the journal" "$(pairs "$work/journal")" $((games / 2))
expect "pairs that are there twice" \
    "$(sed -n 's/.*"kind":"pair","pair":\([0-9]*\),.*/\1/p' "$work/journal" | sort | uniq -d)" ""
(match --games $games --pgn "$work/undisturbed.pgn" --json) || fail "undisturbed: $(cat "$work/err")"
counts "$work/out" >"$work/undisturbed"
cmp -s "$work/total" "$work/undisturbed" ||
    fail "totals: $(cat "$work/total") and undisturbed: $(cat "$work/undisturbed")"
untimed "$work/pgn" >"$work/plain"
untimed "$work/undisturbed.pgn" >"$work/undisturbed.plain"
cmp -s "$work/plain" "$work/undisturbed.plain" || fail "the PGN files differ"
expect "games in the PGN" "$(grep -c '^\[Round ' "$work/pgn")" "$games"

second_opinion "$work/pgn" || fail "the second opinion on the games"

exit "$failed"
