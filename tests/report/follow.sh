#!/bin/sh
# SPDX-License-Identifier: MIT
# `obworker report --follow` stays with a test until it is over, or until it is interrupted: a match
# that is going on, one that was left, one that is taken away, a test on a server.
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
obworker=${OBWORKER:?}
. "$srcdir/tests/match/common.sh"

play() {
    "$obworker" match --dev "$engine side=dev plan=50,20 delay=5" --base "$engine side=base plan=50,20" \
        --book "$work/book.epd" --tc N=100 --quiet --concurrency 4 --seed 5 "$@"
}

# ---- A match that is going on ----

play --games 60 --journal "$work/going.jsonl" >"$work/played" &
match=$!
until_in . "$work/going.jsonl"
"$obworker" report --journal "$work/going.jsonl" --follow --every 1 --html "$work/going.html" \
    >"$work/followed" 2>"$work/log" || fail "following failed: $(cat "$work/log")"
wait "$match" || fail "the match failed"
expect "the report in the end" "$(cat "$work/followed")" "$(cat "$work/played")"
expect_in "the page in the end" "$work/going.html" "Games | N: 60"
expect_in "the log on the way" "$work/log" "60 games"
expect "renewals of the page in the end" "$(grep -c 'reload()\|http-equiv="refresh"' "$work/going.html")" 0

# ---- One that was left: an interrupt ends the looking, and the report comes ----

play --bounds 0,200 --games 4 --journal "$work/open.jsonl" >"$work/played"
sed '$d' "$work/open.jsonl" >"$work/cut.jsonl"
"$obworker" report --journal "$work/cut.jsonl" --follow --every 3 --html "$work/left.html" -P needless >"$work/interrupted" 2>"$work/looking" &
looker=$!
until_in . "$work/looking"
if [ -r "/proc/$looker/cmdline" ] && grep -q needless "/proc/$looker/cmdline"; then
    fail "a password that is of no use is on the command line"
fi
expect "the report before the end" "$(cat "$work/interrupted")" ""
expect_in "a page that is renewed, without its script" "$work/left.html" '<noscript><meta http-equiv="refresh" content="3">'
expect_in "the time left of a number of games" "$work/looking" " left"
expect_in "the games wanted on a page" "$work/left.html" "of 4; "
expect_in "a page that is renewed" "$work/left.html" 'location.reload()},3000)'
kill -TERM "$looker"
code=0
wait "$looker" || code=$?
expect "status after an interrupt" "$code" 0
expect "renewals after an interrupt" "$(grep -c 'reload()\|http-equiv="refresh"' "$work/left.html")" 0
expect_in "the report after an interrupt" "$work/interrupted" "Games | N: 2 "

# ---- One that is taken away, as a worker does with a journal whose results the server has ----

cp "$work/cut.jsonl" "$work/taken.jsonl"
"$obworker" report --journal "$work/taken.jsonl" --follow --every 1 --html "$work/taken.html" >"$work/last" 2>"$work/watching" &
looker=$!
until_in . "$work/watching"
rm "$work/taken.jsonl"
code=0
wait "$looker" || code=$?
expect "status after the journal went" "$code" 0
expect_in "the report after the journal went" "$work/last" "Games | N: 2 "
expect_in "why it ended" "$work/watching" "taken.jsonl: No such file or directory: this is the report of the last look"
expect "renewals after the journal went" "$(grep -c 'reload()\|http-equiv="refresh"' "$work/taken.html")" 0
code=0
"$obworker" report --journal "$work/taken.jsonl" --follow >"$work/none" 2>"$work/log" || code=$?
expect "status without a journal" "$code" 1

# ---- A test on a server ----

. "$srcdir/tests/tools/serve.sh"
cp -r "$srcdir/tests/docs/server" "$work/server"
tests=$work/server/api/workload
mkdir "$tests/13"
cp "$tests/12/results.json" "$tests/12/summary.json" "$tests/13"
sed -e 's/"id": 12/"id": 13/' -e 's/"passed": true/"passed": false/' -e 's/"finished": true/"finished": false/' \
    -e 's/"approved": true/"approved": false/' "$tests/12/info.json" >"$tests/13/info.json"
server= looker=
serve "$work/server"
[ -z "$url" ] || server=$!
# A server that stands still does not see that the script has ended, nor does a program that asks it.
trap 'kill -KILL $server $looker 2>/dev/null || :; rm -rf "$work"' EXIT
if [ -n "$url" ]; then
    "$obworker" report --test 12 -S "$url" --follow --html "$work/test.html" >"$work/followed" 2>"$work/log"
    expect_in "a test that is over" "$work/followed" "LLR   | 2.91 (-2.25, 2.89) [0.00, 5.00]"
    expect_in "its faults" "$work/log" "warning: 2 time losses"
    expect_in "its page" "$work/test.html" "lmr-pv against main"

    waits="test 13 is not approved yet: no game is played before somebody approves it at $url/test/13/"
    "$obworker" report --test 13 -S "$url" >"$work/out" 2>"$work/log"
    expect_in "a test that waits" "$work/log" "$waits"
    "$obworker" report --test 13 -S "$url" --follow >"$work/out" 2>"$work/log" &
    looker=$!
    until_in games "$work/log"
    expect_in "a test that waits and is followed" "$work/log" "$waits"
    kill -TERM "$looker"
    wait "$looker" || fail "an interrupt ended in a failure: $(cat "$work/log")"

    # A server that stands still gives no answer: the first signal waits for one, and the second ends the program. A
    # first signal between two readings ends the looking: then once more, with a longer wait.
    for seconds in 2 4 8 16 32; do
        : >"$work/log"
        "$obworker" report --test 13 -S "$url" --follow --every 1 >"$work/out" 2>"$work/log" &
        looker=$!
        until_in games "$work/log"
        kill -STOP "$server"
        sleep "$seconds"
        kill -TERM "$looker"
        sleep 1
        while kill -TERM "$looker" 2>/dev/null; do # Two at a time may be one to a program that waits for a CPU.
            sleep 0.2
        done
        code=0
        wait "$looker" || code=$?
        kill -CONT "$server"
        [ "$code" -eq 0 ] || break
    done
    looker=
    expect "status after a second signal" "$code" 143
else
    echo "follow: no scripted server was built: a test on a server is left out"
fi
exit "$failed"
