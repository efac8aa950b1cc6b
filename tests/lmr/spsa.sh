#!/bin/sh
# SPDX-License-Identifier: MIT
# `lmr spsa` has a line for each row: what an SPSA form wants, or why the row cannot be tuned. Rows that
# are named come in the order of the names, from either table.
set -eu
tunable=${builddir:-.}/tests/bin/reductio_tune
tables=${srcdir:-.}/engine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
[ $faults -eq 0 ]
