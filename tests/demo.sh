#!/bin/sh
# SPDX-License-Identifier: MIT
# The whole loop on this machine, over the loopback alone: a server, a test of the engine without its
# reductions against the engine as it is, a worker, the verdict, and the address of the test's page.
#     make demo              everything stops and is removed at the end
#     make demo KEEP=1       the server goes on until Ctrl-C, and its folder stays
# TC is the time control of the test, THREADS the number of games at a time.
set -eu
srcdir=${srcdir:-.}
OBWORKER=$(realpath "${OBWORKER:-./obworker}")
TC=${TC:-N=20000}
THREADS=${THREADS:-auto}
KEEP=${KEEP:-}

say() { printf '\n== %s\n' "$*"; }
fail() { echo "demo: $*" >&2; exit 1; }

# Without a server in this build the same question is answered by a match.
missing=
command -v git >/dev/null || missing='git is not installed'
"$OBWORKER" serve --help >/dev/null 2>&1 || missing='obworker serve is not built in (it needs libmicrohttpd and SQLite)'
if [ -n "$missing" ]; then
    echo "demo: $missing: a match without a server"
    exec "$OBWORKER" match --dev lmr:ENABLE=0 --base lmr: --tc "$TC" --bounds=-30,0 --seed 1 --dev-name ENABLE=0 --base-name default
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/reductio-demo-XXXXXX")
server= worker= reader=
# Ends what this script started, by process id, and removes its folder.
finish() {
    status=$?
    trap - EXIT INT TERM
    for pid in $reader $worker $server; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    [ -n "$KEEP" ] || rm -rf "$work"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Nothing of the user's own settings has a part in the demo.
HOME=$work/home XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
no_proxy=127.0.0.1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export HOME XDG_STATE_HOME XDG_CACHE_HOME no_proxy GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
unset MAKEFLAGS MFLAGS MAKELEVEL OPENBENCH_USERNAME OPENBENCH_PASSWORD OPENBENCH_SERVER || true
mkdir "$HOME"

say 'A repository with the engine of this tree'
mkdir "$work/engine"
cp -R "$srcdir/engine" "$work/engine/"
chmod -R u+w "$work/engine"
rm -rf "$work/engine/engine/build" "$work/engine/engine/reductio" "$work/engine/engine/lmr/flags_gen.h"
find "$work/engine" \( -name '*.o' -o -name '.deps' -o -name .dirstamp \) -exec rm -rf {} +
cd "$work/engine"
git init -q -b main .
git config user.name demo
git config user.email demo@localhost
git add .
# Without a bench: this build's may differ from that of the sources' defaults (./configure LMR=...).
git commit -q -m 'The engine as it is'
git log --oneline

say 'A server, with one user'
(umask 077; head -c 12 /dev/urandom | od -An -tx1 | tr -d " \n" >"$work/password")
"$OBWORKER" serve --data "$work/server" --add-user demo --admin --password-file "$work/password"
"$OBWORKER" serve --listen 127.0.0.1:0 --data "$work/server" --repo reductio >"$work/server.log" 2>&1 &
server=$!
waited=0 url=
while [ -z "$url" ]; do
    kill -0 "$server" 2>/dev/null || { cat "$work/server.log" >&2; fail 'the server has ended'; }
    [ "$waited" -lt 300 ] || { cat "$work/server.log" >&2; fail 'the server names no address'; }
    sleep 0.1
    waited=$((waited + 1))
    url=$(grep -oE -m 1 'http://127\.0\.0\.1:[0-9]+' "$work/server.log" || true)
done
echo "$url"
OPENBENCH_SERVER=$url OPENBENCH_USERNAME=demo
export OPENBENCH_SERVER OPENBENCH_USERNAME

say 'A test: the engine without late move reductions against the engine as it is'
git remote add server "$work/server/repositories/reductio.git"
git push -q server main
"$OBWORKER" submit --flag ENABLE=0 --push server --password-file "$work/password" \
    --book reductio.epd --tc "$TC" --bounds=-30,0 --info 'LMR off' </dev/null

say 'A worker, and how the test stands'
"$OBWORKER" work --password-file "$work/password" --threads "$THREADS" --state "$work/worker" --identity demo \
    >"$work/worker.log" 2>&1 &
worker=$!
"$OBWORKER" report --test 1 --password-file "$work/password" --follow --every 5 &
reader=$!
while kill -0 "$reader" 2>/dev/null; do
    kill -0 "$worker" 2>/dev/null || { cat "$work/worker.log" >&2; fail 'the worker has ended'; }
    sleep 1
done
wait "$reader"
reader=

verdict=$("$OBWORKER" report --test 1 --password-file "$work/password" --json | sed -n 's/.*"verdict":"\([^"]*\)".*/\1/p')
case $verdict in
H0) echo 'Verdict: H0. The engine loses strength without late move reductions.' ;;
H1) echo 'Verdict: H1. The engine is no weaker without late move reductions.' ;;
*) echo "Verdict: ${verdict:-none}" ;;
esac
echo
if [ -z "$KEEP" ]; then
    echo "The test's page was $url/test/1/; the server and its folder are removed now (make demo KEEP=1 keeps them)."
    exit 0
fi
echo "The test's page: $url/test/1/"
echo "The user demo signs in with the password in $work/password. Ctrl-C ends the server; its folder stays."
echo "To start the server again:  $OBWORKER serve --data $work/server --repo reductio"
echo "To remove the demo:         rm -rf $work"
kill "$worker" 2>/dev/null || true
wait "$worker" 2>/dev/null || true
worker=
wait "$server"
