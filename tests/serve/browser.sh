#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's way through the pages of `obworker serve` in a headless Chromium, with a worker that plays
# (tests/tools/browser/serve.mjs). The pictures are in tests/pictures/serve of the build folder.
set -eu
. "$srcdir/tests/match/common.sh"
. "$srcdir/tests/tools/own_server.sh"
. "$srcdir/tests/tools/browser/find.sh"
[ -n "$browser" ] || { echo "browser: no chromium and node here"; exit 77; }
command -v git >/dev/null || { echo "browser: no git here"; exit 77; }
pictures=$builddir/tests/pictures/serve
mkdir -p "$pictures"

tiny_engine main '"side=base", "plan=40,30",'
tiny_engine dev '"plan=40,30",'
tiny_engine tuned '"tuned=60,100",'
tiny_engine faulty '"plan=40,30", "fault=crash", "at=3", "game=4",'
tiny_config
add_user ada
start_server "$work/data" --repo "tiny=$work/tiny"
start_worker
node "$srcdir/tests/tools/browser/serve.mjs" "$browser" "$pictures" "$url" ada "$work/password" || {
    fail "the pages have faults"
    tail -n 60 "$work/server.log" "$work/worker.log" >&2
}
exit "$failed"
