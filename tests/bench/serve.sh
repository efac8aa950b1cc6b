#!/bin/sh
# SPDX-License-Identifier: MIT
# What `obworker serve` bears, with simulated workers on the loopback. A measurement, not a test: its
# numbers mean something on an idle machine alone. But a lost or doubled result ends it with status 1,
# and so does a server that took more than MEMORY_KB.
#     make bench-serve       or        tests/bench/serve.sh [PART ...]
# Parts: load (200 workers, a report a second each, heartbeats between), kill (the same, while the
# server is killed 20 times), many (2,000 machines: a report each 30 s, a question each minute), pages
# (the index with 1,000 tests, a test with 200 machines). SECONDS_EACH: how long load and many take.
# BESIDE="URL USER PASSWORD" also puts the first load on another server, which has a test to hand out.
set -eu
builddir=${builddir:-.}
OBWORKER=$(realpath "${OBWORKER:-$builddir/obworker}")
LOAD=$(realpath "$builddir/tests/bin/serve_load")
SECONDS_EACH=${SECONDS_EACH:-60}
MEMORY_KB=${MEMORY_KB:-65536}
KILLS=${KILLS:-20}
PORT=${PORT:-18473}
url=http://127.0.0.1:$PORT
user=tester password=secret-word
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-serve-XXXXXX")
server=
finish() {
    status=$?
    trap - EXIT INT TERM
    [ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM
failed=0

start() {
    "$OBWORKER" serve --listen "127.0.0.1:$PORT" --data "$data" --repo reductio -q >>"$work/log" 2>&1 &
    server=$!
    tries=0
    until "$LOAD" get "$url" /clientGetBuildInfo/ 1 >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || { cat "$work/log" >&2; exit 1; }
        sleep 0.05
    done
}

stop() {
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
}

create() {
    "$LOAD" create "$url" "$user" "$password" "$(git -C "$work/engine" rev-parse main)" "$1"
}

# A new server with a user and a test.
begin() {
    [ -z "$server" ] || stop
    data=$work/data
    rm -rf "$data"
    "$OBWORKER" serve --data "$data" --add-user "$user" --admin --password-file "$work/password" >/dev/null
    start
    git -C "$work/engine" push -q "$data/repositories/reductio.git" main
    create 1
}

# Prints what is measured, runs the command, and looks at the server's memory.
measure() {
    echo "$1"
    shift
    "$@" || { failed=1; echo "FAILED: $*"; }
    taken=$(awk '/^VmHWM:/ { print $2 }' "/proc/$server/status")
    echo "most memory of the server so far: $taken KB"
    [ "$taken" -le "$MEMORY_KB" ] || { failed=1; echo "FAILED: more than $MEMORY_KB KB"; }
    echo
}

printf '%s\n' "$password" >"$work/password"
git init -q -b main "$work/engine"
git -C "$work/engine" -c user.name=A -c user.email=a@localhost commit -q --allow-empty -m 'Bench: 1'

load() {
    begin
    measure "200 workers, a report a second each, for $SECONDS_EACH s" \
        "$LOAD" run "$url" "$user" "$password" 200 "$SECONDS_EACH" 1000 0
    [ -z "${BESIDE:-}" ] || {
        # shellcheck disable=SC2086 # Three words.
        set -- $BESIDE
        measure "the same at $1" "$LOAD" run "$1" "$2" "$3" 200 "$SECONDS_EACH" 1000 0
    }
}

# The pauses between two kills differ, and are the same ones in each run.
kill_it() {
    begin
    echo "200 workers, a report a second each, while the server is killed $KILLS times"
    "$LOAD" run "$url" "$user" "$password" 200 $((KILLS * 2 + 5)) 1000 0 >"$work/out" 2>&1 &
    load=$!
    sleep 3
    killed=0
    while [ "$killed" -lt "$KILLS" ]; do
        sleep "1.$((killed * 37 % 100))"
        kill -KILL "$server"
        wait "$server" 2>/dev/null || true
        start
        killed=$((killed + 1))
    done
    wait "$load" || { failed=1; echo FAILED; }
    cat "$work/out"
    "$OBWORKER" serve --data "$data" --check
    echo
}

many() {
    begin
    measure "2,000 machines, a report each 30 s, a question each minute, for $((SECONDS_EACH * 2)) s" \
        "$LOAD" run "$url" "$user" "$password" 2000 $((SECONDS_EACH * 2)) 30000 60000
}

pages() {
    begin
    measure "200 workers, a report a second each, for 5 s" "$LOAD" run "$url" "$user" "$password" 200 5 1000 0
    create 999
    measure "the index with 1,000 tests" "$LOAD" get "$url" /index/ 50
    measure "a test with 200 machines" "$LOAD" get "$url" /test/1/ 50
}

for part in ${*:-load kill many pages}; do
    case $part in
    load | many | pages) "$part" ;;
    kill) kill_it ;;
    *) echo "bench-serve: no part $part" >&2; exit 2 ;;
    esac
done
exit "$failed"
