#!/bin/sh
# SPDX-License-Identifier: MIT
# `lmr spsa` has a line for each row: what an SPSA form wants, or why the row cannot be tuned. Rows that
# are named come in the order of the names, from either table. The ends of the rows about time leave a
# search its time. No row changes while a search reads it.
set -eu
tunable=${builddir:-.}/tests/bin/reductio_tune
tables=${srcdir:-.}/engine
. "$(dirname "$0")/../tools/work.sh"
faults=0

wrong() {
    echo "spsa: $*" >&2
    faults=$((faults + 1))
}
# equal WHAT GOT WANTED
equal() { [ "$2" = "$3" ] || wrong "$1: got '$2', wanted '$3'"; }

"$tunable" lmr spsa >"$work/lmr"
"$tunable" params spsa >"$work/params"
for table in lmr/flags.def search/params.def; do
    out=$work/$(case $table in lmr/*) echo lmr ;; *) echo params ;; esac)
    equal "lines of $table" "$(sed 's/^# //; s/[ ,].*//' "$out")" "$(sed -n 's/^\([A-Z][A-Z0-9_]*\) *|.*/\1/p' "$tables/$table")"
    equal "malformed lines of $table" \
        "$(grep -Evc '^[A-Z0-9_]+, int(, -?[0-9.]+){5}$|^# [A-Z0-9_]+ cannot be tuned: it is ' "$out")" 0
done

"$tunable" "lmr spsa LATE_BASE KILLER DIV ENABLE" | sed 's/, int.*//' >"$work/out"
equal "named rows" "$(cat "$work/out")" "LATE_BASE
# KILLER cannot be tuned: it is a choice of words
DIV
# ENABLE cannot be tuned: it is a switch"
if "$tunable" "lmr spsa DIV NO_SUCH_ROW" >"$work/out" 2>"$work/err"; then wrong "an unknown row is not refused"; fi
equal "the refusal" "$(sed 's/^[^:]*: //' "$work/err")" 'lmr spsa: there is no row "NO_SUCH_ROW"'

# lasting FEN ROW=VALUE ROW=VALUE: a search with two hours on its clock reaches depth 9, which takes a moment.
lasting() {
    {
        printf 'setoption name %s value %s\n' "${2%=*}" "${2#*=}" "${3%=*}" "${3#*=}"
        printf 'position fen %s\ngo wtime 7200000 btime 7200000 depth 9\n' "$1"
    } | "$tunable" >"$work/out"
    grep -q '^info depth 9 ' "$work/out" || wrong "with $2 $3, the last line is $(sed -n '/^info depth/h; ${g;p;}' "$work/out")"
}
lasting '6k1/6p1/p6p/1p6/1Kb2P2/P3n1P1/3r4/2N1R3 b - - 3 36' TIME_DROP_WEIGHT=50 TIME_DROP_MAX=500
lasting '4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1' TIME_STABLE_BASE=500 TIME_STABLE_STEP=200

# A row waits for the end of a search with a limit, and the line behind it waits too. Beside a search without an
# end it is refused.
printf 'go nodes 100000\nsetoption name DIV value 300\nlmr\n' | "$tunable" >"$work/out"
equal "behind a search with a limit" "$(sed -n 's/ .*//; /^bestmove/p; /^DIV=/p' "$work/out")" "bestmove
DIV=300"
for row in "DIV value 300" "PRESET value t1"; do
    printf 'go infinite\nsetoption name %s\nstop\nlmr\n' "$row" | "$tunable" >"$work/out"
    equal "$row beside a search without an end" "$(grep -e '^info string' -e '^all' "$work/out" | sed 's/^\(all\).*/\1/')" \
        "info string setoption: refused while a search without an end runs; send stop first
all"
done
[ $faults -eq 0 ]
