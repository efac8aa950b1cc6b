#!/bin/sh
# SPDX-License-Identifier: MIT
# The data folder of 'obworker serve': the files in it belong to their owner alone, and those of a
# server that was killed are removed at the next start.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$work"' EXIT
umask 022
mkdir -p data/spool
: >log
echo left >data/spool/upload-Ab3dEf
echo left >data/spool/games-Ab3dEf
echo mine >data/spool/notes

"$OBWORKER" serve --data data --listen 127.0.0.1:0 2>>log &
server=$!
waited=0
until grep -q "http://" log || [ "$waited" -ge 600 ]; do
    sleep 0.05
    waited=$((waited + 1))
done
grep -q "http://" log || fail "the server did not start: $(cat log)"
expect "files in spool" "$(ls data/spool)" notes
expect "the database's mode" "$(ls -l data/server.db | cut -c 1-10)" -rw-------
"$OBWORKER" serve --data data --backup copy.db >out 2>&1 || fail "$(cat out)"
expect "the backup's mode" "$(ls -l copy.db | cut -c 1-10)" -rw-------
kill "$server"
wait "$server" || fail "the server failed: $(cat log)"
server=

# A mistyped folder is no empty database.
for option in --check "--backup other.db"; do
    # $option is one word or two.
    # shellcheck disable=SC2086
    "$OBWORKER" serve --data dat $option >out 2>&1 && fail "serve --data dat $option: $(cat out)"
    grep -q "dat/server.db: No such file" out || fail "serve --data dat $option says: $(cat out)"
    [ ! -e dat ] && [ ! -e other.db ] || fail "serve --data dat $option has made a file"
done
exit "$failed"
