#!/bin/sh
# SPDX-License-Identifier: MIT
# What `obworker serve` bears, with simulated workers on the loopback. A measurement, not a test: its
# numbers mean something on an idle machine alone. But a lost or doubled result ends it with status 1,
# and so does a server that took more than MEMORY_KB.
#     make bench-serve       or        tests/bench/serve.sh [PART ...]
# Parts: load (200 workers, a report a second each, heartbeats between), kill (the same, while the
# server is killed 20 times), many (2,000 machines: a report each 30 s, a question each minute), pages
# (the index with 1,000 tests, a test with 200 machines), work (in how much of its time `obworker work`
# has a game in every slot: three tests of this project's engine, which is built on the way; WORK_GAMES
# each at 2,000 nodes a move, WORK_THREADS at a time). SECONDS_EACH: how long load and many take.
# BESIDE="URL USER PASSWORD" also puts the first load on another server, which has a test to hand out.
set -eu
builddir=${builddir:-.} srcdir=${srcdir:-.}
OBWORKER=$(realpath "${OBWORKER:-$builddir/obworker}")
REDUCTIO=$(realpath "${REDUCTIO:-$builddir/reductio}")
LOAD=$(realpath "$builddir/tests/bin/serve_load")
SECONDS_EACH=${SECONDS_EACH:-60}
MEMORY_KB=${MEMORY_KB:-65536}
KILLS=${KILLS:-20}
WORK_GAMES=${WORK_GAMES:-320}
WORK_THREADS=${WORK_THREADS:-1}
PORT=${PORT:-0} # 0: a free one, which the server then keeps.
no_proxy=127.0.0.1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export no_proxy GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
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

# answers: the server answers; its address is in $url.
answers() {
    [ "$PORT" -ne 0 ] || PORT=$(sed -n 's|.*http://127\.0\.0\.1:\([0-9]*\).*|\1|p' "$work/log")
    url=http://127.0.0.1:${PORT:=0}
    [ "$PORT" -ne 0 ] && "$LOAD" get "$url" /clientGetBuildInfo/ 1 >/dev/null 2>&1
}

start() {
    "$OBWORKER" serve --listen "127.0.0.1:$PORT" --data "$data" --repo reductio >>"$work/log" 2>&1 &
    server=$!
    tries=0
    until answers; do
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

# A new server with a user.
begin() {
    [ -z "$server" ] || stop
    data=$work/data
    rm -rf "$data"
    "$OBWORKER" serve --data "$data" --add-user "$user" --admin --password-file "$work/password" >/dev/null
    start
    git -C "$work/engine" push -q "$data/repositories/reductio.git" main
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
    create 1
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
    create 1
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
    create 1
    measure "2,000 machines, a report each 30 s, a question each minute, for $((SECONDS_EACH * 2)) s" \
        "$LOAD" run "$url" "$user" "$password" 2000 $((SECONDS_EACH * 2)) 30000 60000
}

pages() {
    begin
    create 1
    measure "200 workers, a report a second each, for 5 s" "$LOAD" run "$url" "$user" "$password" 200 5 1000 0
    create 999
    measure "the index with 1,000 tests" "$LOAD" get "$url" /index/ 50
    measure "a test with 200 machines" "$LOAD" get "$url" /test/1/ 50
}

# Three tests, so that the worker has to prepare for others while it plays.
work() {
    begin
    echo "a worker, $WORK_THREADS games at a time, three tests of $WORK_GAMES games"
    mkdir -p "$work/engine/engine" "$work/home"
    cp -R "$srcdir/engine" "$work/engine/"
    chmod -R u+w "$work/engine"
    rm -rf "$work/engine/engine/build" "$work/engine/engine/reductio" "$work/engine/engine/lmr/flags_gen.h"
    find "$work/engine" \( -name '*.o' -o -name '.deps' -o -name .dirstamp \) -exec rm -rf {} +
    bench=$("$REDUCTIO" bench | sed -n '$s/ nodes .*//p')
    (
        cd "$work/engine"
        git config user.name A
        git config user.email a@localhost
        git add .
        git commit -q -m 'The engine' -m "Bench: $bench"
        git push -q "$data/repositories/reductio.git" main
        git remote add server "$data/repositories/reductio.git"
        for flag in ENABLE=0 KILLER=exempt W_PV=0; do
            "$OBWORKER" submit -S "$url" -U "$user" --password-file "$work/password" --flag "$flag" \
                --push server --book reductio.epd --tc N=2000 --games "$WORK_GAMES" -q </dev/null >"$work/out" 2>&1 ||
                { cat "$work/out" >&2; exit 1; }
        done
    )
    HOME=$work/home "$OBWORKER" work -S "$url" -U "$user" --password-file "$work/password" --once \
        --threads "$WORK_THREADS" --state "$work/worker" >"$work/out" 2>&1 || failed=1
    grep 'all games at a time were in play' "$work/out" || { cat "$work/out"; failed=1; }
    echo
}

for part in ${*:-load kill many pages work}; do
    case $part in
    load | many | pages | work) "$part" ;;
    kill) kill_it ;;
    *) echo "bench-serve: no part $part" >&2; exit 2 ;;
    esac
done
exit "$failed"
