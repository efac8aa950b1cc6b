#!/bin/sh
# SPDX-License-Identifier: MIT
# `submit`, `obworker serve` and `obworker work` together: a worker that is killed while the server has
# not yet answered its results delivers each game once; a tuning and a data generation are played to
# their ends. The engine is the scripted one.
set -eu
. "$srcdir/tests/match/common.sh"
. "$srcdir/tests/tools/own_server.sh"
command -v git >/dev/null || { echo "worker: no git here"; exit 77; }
OBWORKER=$(realpath "$OBWORKER")

submit() {
    (cd "$work/tiny" && "$OBWORKER" submit -q --engine Tiny --tc N=100 --password-file "$work/password" \
        -S "$url" -U ada "$@") || fail "submit $*"
}
# report TEST OPTION...
report() {
    "$OBWORKER" report --test "$@" --password-file "$work/password" -S "$url" -U ada
}
# games TEST: how many games the server has of the test.
games() { report "$1" --json | sed 's/^{"games":\([0-9]*\).*/\1/'; }
has_games() { [ "$(games "$1")" -gt "$2" ]; }
has_ended() { report "$1" --html "$work/page.html" >/dev/null && grep -q finished "$work/page.html"; }
# await WHAT COMMAND...: waits until the command succeeds; after two minutes at least it gives up.
await() {
    what=$1
    shift
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || {
            fail "no $what came"
            tail -n 20 "$work/server.log" "$work/worker.log" >&2
            exit 1
        }
        sleep 0.2
    done
}
# Are the marks of kind $2 in the outbox's journals more than those of kind $1?
has_more() {
    marks=$(cat "$work"/worker/outbox/*.journal 2>/dev/null) || :
    [ "$(printf '%s\n' "$marks" | grep -c "\"kind\":\"$2\"" || :)" -gt \
        "$(printf '%s\n' "$marks" | grep -c "\"kind\":\"$1\"" || :)" ]
}

tiny_engine main '"side=base", "plan=40,30",'
tiny_engine dev '"plan=40,30",'
# A way to push there, which says no address that the server takes.
git -C "$work/tiny" remote add origin u@192.0.2.1:server/repositories/tiny.git
tiny_engine tuned '"tuned=60,100",'
echo 'Value, int, 0, -1000, 1000, 100, 0.1' >"$work/parameters"
tiny_config
add_user ada
start_server "$work/data" --repo "tiny=$work/tiny"

# A tuning and a data generation end when their games are played.
start_worker
submit --branch tuned --params "$work/parameters" --iterations 8 --pairs-per 2 \
    --book reductio.epd
submit --branch dev --base-branch main --datagen --games 32
await 'end of the tuning' has_ended 1
await 'end of the data generation' has_ended 2
end "$worker"
[ "$(games 1)" -ge 32 ] || fail "the tuning ended with $(games 1) games"
[ "$(games 2)" -ge 32 ] || fail "the data generation ended with $(games 2) games"
report 1 | grep -q '^Value ' || fail "no value: $(report 1)"

# The server stands still while it is sent a batch, and the worker is killed. When the server goes on,
# it takes the batch, and the worker's next run sends the batch again with the same number. Behind the
# answer to that batch the run reads the row's counts, before it sends more.
keeping="--keep-delivered --verify-ms 300"
submit --branch dev --base-branch main --games 100000 --book reductio.epd
# shellcheck disable=SC2086 # Words.
start_worker $keeping
await 'first result' has_games 3 0
kill -STOP "$server"
await 'batch' has_more added batch
sleep 0.5 # The request is on its way. If it is not, less is tried, and the counts are the same.
kill -KILL "$worker"
wait "$worker" 2>/dev/null || :
forget "$worker"
kill -CONT "$server"
grep -q '"number":"' "$work"/worker/outbox/*.journal || fail 'the mark of the batch has no number'
before=$(games 3)
# shellcheck disable=SC2086 # Words.
start_worker $keeping
await 'result of the next run' has_games 3 $((before + 16))
end "$worker"
played=$(cat "$work"/worker/outbox/delivered/*.journal | grep -c '"kind":"pair"')
[ "$(games 3)" -eq $((2 * played)) ] || fail "the server has $(games 3) games, and $played pairs were played"
ls "$work"/worker/outbox/*.journal >/dev/null 2>&1 && fail "$(tail -n 3 "$work"/worker/outbox/*.journal)"
"$OBWORKER" serve --data "$work/data" --check || fail 'the rows and the tests do not agree'
exit "$failed"
