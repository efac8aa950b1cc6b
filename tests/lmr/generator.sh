#!/bin/sh
# SPDX-License-Identifier: MIT
# The flag table's generator: what it makes of LMR="..." and of a wrong table, under every awk here.
set -eu
srcdir=${srcdir:-$(dirname "$0")/../..}
table=$srcdir/engine/lmr/flags.def
params=$srcdir/engine/search/params.def
presets=$srcdir/engine/lmr/presets.def
program=$srcdir/engine/lmr/flags.awk
CC=${CC:-cc}
. "$srcdir/tests/tools/work.sh"
faults=0
cases=0

wrong() {
    echo "generator: $*" >&2
    faults=$((faults + 1))
}

# refused WORDS MESSAGE: the generator refuses the words with exactly that line, and prints nothing.
refused() {
    cases=$((cases + 1))
    if LMR=$1 TUNE=0 $awk -f "$program" "$table" "$params" "$presets" >"$work/out" 2>"$work/err"; then
        wrong "$awk: LMR=\"$1\" was taken"
    fi
    [ "$(cat "$work/err")" = "LMR: $2" ] || wrong "$awk: LMR=\"$1\" says \"$(cat "$work/err")\", not \"LMR: $2\""
    [ ! -s "$work/out" ] || wrong "$awk: LMR=\"$1\" is refused, but a header comes out"
}

# gives WORDS LINE...: the header holds these lines.
gives() {
    words=$1
    shift
    cases=$((cases + 1))
    LMR=$words TUNE=0 $awk -f "$program" "$table" "$params" "$presets" >"$work/out" || wrong "$awk: LMR=\"$words\" was refused"
    for line in "$@"; do
        grep -qxF "$line" "$work/out" || wrong "$awk: LMR=\"$words\": no line \"$line\""
    done
}

# bad_table LINES MESSAGE: a table of these lines is refused with a line that holds the message.
bad_table() {
    cases=$((cases + 1))
    printf '%s\n' "$1" >"$work/flags.def"
    if LMR='' $awk -f "$program" "$work/flags.def" >"$work/out" 2>"$work/err"; then
        wrong "$awk: the table \"$1\" was taken"
    fi
    grep -qF "$2" "$work/err" || wrong "$awk: the table \"$1\" says \"$(cat "$work/err")\", not \"$2\""
    [ "$(wc -l <"$work/err")" -eq 1 ] || wrong "$awk: the table \"$1\" is answered in more than one line"
}

# bad_presets LINES MESSAGE: a presets' file of these lines is refused with a line that holds the message.
bad_presets() {
    cases=$((cases + 1))
    printf '%s\n' "$1" >"$work/presets.def"
    if LMR='' $awk -f "$program" "$table" "$work/presets.def" >"$work/out" 2>"$work/err"; then
        wrong "$awk: the presets \"$1\" were taken"
    fi
    grep -qF "$2" "$work/err" || wrong "$awk: the presets \"$1\" say \"$(cat "$work/err")\", not \"$2\""
    [ "$(wc -l <"$work/err")" -eq 1 ] || wrong "$awk: the presets \"$1\" are answered in more than one line"
}

try_awk() {
    refused "KILER=1" "unknown row KILER (did you mean KILLER?)"
    refused "killer=1" "unknown row killer (did you mean KILLER?)"
    refused "QQQQQQQQ=1" "unknown row QQQQQQQQ (reductio lmr list and params list name them)"
    refused "DIV=9" "DIV=9 is out of range 50..1000"
    refused "W_PV=-99999999999999999999" "W_PV=-99999999999999999999 is out of range -4096..4096"
    refused "DIV=" "DIV= is not a whole number in 50..1000"
    refused "DIV=1e2" "DIV=1e2 is not a whole number in 50..1000"
    refused "KILLER=3" "KILLER=3 is not one of: ignore exempt by-weight (or 0..2)"
    refused "KILLER=maybe" "KILLER=maybe is not one of: ignore exempt by-weight (or 0..2)"
    refused "UNIT=2" "UNIT=2 is not one of: 1 10 1024"
    refused "DIV=100 KILLER=0 DIV=200" "DIV is given twice"
    refused "KILLER" "\"KILLER\" is not ROW=VALUE"
    refused "=1" "\"=1\" is not ROW=VALUE"
    gives "" "#define LMR_ENABLE 1" "#define LMR_TUNE 0"
    gives "KILLER=exempt W_PV=-512" "#define LMR_KILLER 1" "#define LMR_W_PV -512"
    gives " KILLER=0,W_PV=7 ,UNIT=10 " "#define LMR_KILLER 0" "#define LMR_W_PV 7" "#define LMR_UNIT 10"
    gives "LATE_BASE=4 KILLER=0" "#define SEARCH_LATE_BASE 4" "#define LMR_KILLER 0"
    refused "LATE_BAS=4" "unknown row LATE_BAS (did you mean LATE_BASE?)"
    refused "LATE_BASE=-1" "LATE_BASE=-1 is out of range 0..64"
    gives "PRESET=t1" "#define LMR_FULL_MOVES 4" "#define LMR_BASE 0" "#define LMR_DIV 200"
    gives "DIV=150,PRESET=t1" "#define LMR_FULL_MOVES 4" "#define LMR_DIV 150"
    gives "PRESET=t0pvs" "#define LMR_FULL_MOVES 2" "#define LMR_W_IMPROVING -1024"
    gives "PRESET=off" "#define LMR_ENABLE 0" "#define LMR_FULL_MOVES 1"
    refused "PRESET=t9" "PRESET=t9 is not one of: $(sed -n 's/^\([a-z][a-z0-9]*\) *|.*/\1/p' "$presets" | tr '\n' ' ' | sed 's/ $//')"
    refused "PRESET=_silent DIV=150" "$(LMR="PRESET=t9" $awk -f "$program" "$table" "$params" "$presets" 2>&1 | sed 's/^LMR: //;s/t9/_silent/')"
    refused "PRESET=t1 PRESET=t1" "PRESET is given twice"
    bad_presets "a | - | KILER=1" "line 1: a: unknown row KILER (did you mean KILLER?)"
    bad_presets "a | - | KILLER=often" "line 1: a: KILLER=often is not among ignore exempt by-weight"
    bad_presets "a | - | DIV=100 DIV=200" "a: DIV is given twice"
    bad_presets "a | - | DIV" "a: \"DIV\" is not ROW=VALUE"
    bad_presets "a | b | DIV=100" "a: there is no preset \"b\" above it"
    bad_presets "a | -" "line 1: a preset has three columns"
    bad_presets " | | DIV=100" "a line without a name"
    bad_presets "a | - |
a | - |" "line 2: \"a\" is no name"
    row='A | B | 0 | 0..1 | T0 | - | text'
    bad_table "" "holds no row"
    bad_table "A | B | 0 | 0..1 | T0 | -" "line 1: a row has seven columns"
    bad_table "$row
$row" "line 2: A is the second row of that name"
    bad_table "A | Q | 0 | 0..1 | T0 | - | text" "kind is one of"
    bad_table "A | I | 2 | 0..1 | T0 | - | text" "default 2 is not among 0..1"
    bad_table "A | I | 2 | 5..1 | T0 | - | text" "no range"
    bad_table "A | C | x | x | T0 | - | text" "at least two values"
    bad_table "A | B | 0 | 0..1 | T0 | B=1 | text" "A needs \"B=1\", which is no ROW=value"
    bad_table "A | B | 0 | 0..1 | T0 | A=7 | text" "A needs A=7, which is not among 0..1"
    bad_table "A | B | 0 | 0..1 | T0 | - | a \"text\"" "no quote"
}

for awk in "${AWK:-awk}" mawk gawk "gawk --posix" "busybox awk" original-awk; do
    command -v "${awk%% *}" >/dev/null 2>&1 || { echo "left out: $awk: not installed"; continue; }
    try_awk
done

# What the compiler's line defines wins, and is checked by the compiler.
printf '#include "lmr/flags_gen.h"\nint killer = LMR_SET_KILLER;\n' >"$work/use.c"
mkdir -p "$work/lmr"
LMR="KILLER=0" TUNE=0 ${AWK:-awk} -f "$program" "$table" "$params" "$presets" >"$work/lmr/flags_gen.h"
cases=$((cases + 1))
$CC -std=c11 -I"$work" -DLMR_KILLER=1 -c "$work/use.c" -o "$work/use.o" || wrong "-DLMR_KILLER=1 does not compile"
if $CC -std=c11 -I"$work" -DLMR_KILLER=7 -c "$work/use.c" -o "$work/use.o" 2>"$work/err"; then
    wrong "-DLMR_KILLER=7 compiles"
fi
if $CC -std=c11 -I"$work" -DLMR_PRESET=1 -c "$work/use.c" -o "$work/use.o" 2>"$work/preset"; then
    wrong "-DLMR_PRESET=1 compiles"
fi
grep -q "LMR=PRESET=name" "$work/preset" || wrong "-DLMR_PRESET=1 does not say what to do"
grep -q "LMR: KILLER allows only: ignore exempt by-weight" "$work/err" || wrong "-DLMR_KILLER=7 does not name the row"

# hash_of WORDS FLAG...: the configuration's hash in a build with LMR=WORDS and these flags.
cat >"$work/hash.c" <<'END'
#include <stdio.h>

#include "lmr/flags.h"

int main(void) {
    printf("%08x\n", (unsigned)lmr_hash());
    return 0;
}
END
hash_of() {
    words=$1
    shift
    mkdir -p "$work/hash/lmr"
    LMR=$words TUNE=0 ${AWK:-awk} -f "$program" "$table" "$params" "$presets" >"$work/hash/lmr/flags_gen.h"
    $CC -std=c11 -D_GNU_SOURCE -I"$work/hash" -I"$srcdir/engine" "$@" "$work/hash.c" "$srcdir/engine/lmr/flags.c" -o "$work/hash/program"
    "$work/hash/program"
}
# equal WHAT ONE OTHER
equal() {
    cases=$((cases + 1))
    [ "$2" = "$3" ] || wrong "$1: $2 against $3"
}
both=$(hash_of "KILLER=0 DIV=100")
equal "hash of the defaults" "$(hash_of "")" 00000000
equal "hash of rows set to their defaults" "$(hash_of "KILLER=by-weight ENABLE=1")" 00000000
equal "hash of the same rows in other words" "$(hash_of "DIV=100,KILLER=ignore")" "$both"
equal "hash of the same rows on the compiler's line" "$(hash_of "" -DLMR_KILLER=LMR_KILLER_IGNORE -DLMR_DIV=100)" "$both"
equal "hash of the same rows in a tunable build" "$(hash_of "KILLER=0 DIV=100" -DLMR_TUNE=1)" "$both"
[ "$both" != "$(hash_of "KILLER=0 DIV=101")" ] || wrong "another DIV has the same hash, $both"
[ "$both" != 00000000 ] || wrong "changed rows have no hash"

echo "generator: $cases cases, $faults faults"
[ "$faults" -eq 0 ] && [ "$cases" -gt 20 ]
