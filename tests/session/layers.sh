#!/bin/sh
# SPDX-License-Identifier: MIT
# The layers of the sandbox that `--version`, `work --check` and the log of `work` name, as this user and, under root,
# as an ordinary one: a worker that protects its own memory has every layer that a program without protection has.
set -eu
obworker=${OBWORKER:?}
. "$(dirname "$0")/../tools/work.sh"
worker=
trap 'test -z "$worker" || kill -KILL "$worker" 2>/dev/null; rm -rf "$work"' EXIT
chmod 777 "$work"
cp "$obworker" "$work/obworker"

# layers NAME PREFIX…: the three places name the same layers when the program is run with the words before it.
layers() {
    user=$1
    state=$work/state-of-$(echo "$user" | tr ' ' -)
    shift
    told=$("$@" "$work/obworker" --version | sed -n 's/^Sandbox: //p')
    test -n "$told" || fail "$user: --version names no layer"
    set -- "$@" "$work/obworker" work -U name -P word -S http://127.0.0.1:9 --state "$state"
    "$@" --check >"$work/check" 2>&1 && fail "$user: --check is content without a server"
    case $told in
    *missing:*"a user of its own"*) ;;
    *"a user of its own"*)
        grep -q "rights .*CAP_DAC_READ_SEARCH.* $state" "$work/check" ||
            fail "$user: --check does not name the right that is kept: $(cat "$work/check")"
        ;;
    esac
    grep -q "sandbox .*$told" "$work/check" ||
        fail "$user: --check says '$(grep ' sandbox ' "$work/check")' where --version says '$told'"
    : >"$work/log" # The worker's shell may empty the last user's log too late.
    "$@" >>"$work/log" 2>&1 &
    worker=$!
    tries=0
    until grep -q "sandbox: " "$work/log"; do
        tries=$((tries + 1))
        test $tries -lt 600 || fail "$user: the log names no layer: $(cat "$work/log")"
        sleep 0.1
    done
    kill -KILL $worker
    worker=
    grep -q "sandbox: $told\$" "$work/log" ||
        fail "$user: the log says '$(grep 'sandbox: ' "$work/log")' where --version says '$told'"
    echo "$user: $told"
}

if "$obworker" --version | grep -q '^Sandbox: none on this system'; then
    echo "left out: the layers of the sandbox: this build has none"
    exit 77
fi
layers "this user" env
if env --ignore-signal=CHLD true 2>/dev/null; then
    layers "a parent that ignores SIGCHLD" env --ignore-signal=CHLD
    test "$told" = "$("$obworker" --version | sed -n 's/^Sandbox: //p')" || fail "with SIGCHLD ignored: $told"
else
    echo "left out: a parent that ignores SIGCHLD: env has no --ignore-signal"
fi
if [ "$(id -u)" -ne 0 ]; then
    :
elif setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null; then
    layers "an ordinary user" setpriv --reuid 65534 --regid 65534 --clear-groups
else
    echo "left out: an ordinary user, for want of setpriv"
fi
