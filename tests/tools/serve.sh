# SPDX-License-Identifier: MIT
# What the scripts that ask a server share; they source it and have a folder $work. `serve [FOLDER]` starts the
# scripted server with the tests of this folder, or of tests/docs/server, and puts its address into $url; empty: it was
# not built. It ends when the script does, whose descriptor 3 holds it.
url=
serve() {
    [ -x "$builddir/tests/bin/served" ] || return 0
    mkfifo "$work/hold"
    "$builddir/tests/bin/served" "${1:-$srcdir/tests/docs/server}" <"$work/hold" >"$work/url" &
    exec 3>"$work/hold"
    waited=0
    while [ ! -s "$work/url" ] && [ "$waited" -lt 1200 ]; do
        sleep 0.05
        waited=$((waited + 1))
    done
    url=$(cat "$work/url")
    [ -n "$url" ] || { echo "FAILED: served did not start" >&2; exit 1; }
}
