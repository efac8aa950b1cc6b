#!/bin/sh
# SPDX-License-Identifier: MIT
# What tests leave out is listed from their logs, and reference data that are there must not be left out.
set -eu
. "$srcdir/tests/tools/work.sh"
listed() { status=0; "$srcdir/tests/tools/left_out.sh" "$work" "$1" >"$work/out" 2>"$work/err" || status=$?; }
wrong() {
    echo "left_out: $1: status $status, $(cat "$work/out" "$work/err")" >&2
    exit 1
}

mkdir "$work/room" "$work/shared"
listed "$work/shared"
[ "$status$(cat "$work/out" "$work/err")" = 0 ] || wrong "no logs"
echo 'left out: a thing' >"$work/a.log"
printf 'left out: a thing\nthing: no tool here: another is left out\nall is well\n' >"$work/room/b.log"
listed "$work/shared"
[ "$status" -eq 0 ] && grep -q '^ *2 left out: a thing$' "$work/out" || wrong "a line of two logs"
grep -q '^ *1 thing: no tool here: another is left out$' "$work/out" || wrong "a line of one log"
! grep -q "all is well" "$work/out" || wrong "another line"

# As a program of ours says it, where Check is there.
echo "left out: reference data: golden/sprt.csv is not here" >"$work/wanted"
cp "$work/wanted" "$work/room/c.log"
program=$builddir/tests/bin/test_stats
if [ -x "$program" ]; then
    RD_SHARED=/nonexistent "$program" >"$work/room/c.log" 2>&1
    grep -qx "$(cat "$work/wanted")" "$work/room/c.log" || { listed /; wrong "a program without reference data"; }
fi
listed "$work/shared"
[ "$status" -eq 1 ] && grep -q "golden/sprt.csv" "$work/err" || wrong "reference data that are there"
listed "$work/none"
[ "$status" -eq 0 ] || wrong "no reference data"
