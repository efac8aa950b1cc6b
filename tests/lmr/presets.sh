#!/bin/sh
# SPDX-License-Identifier: MIT
# Every preset searches what it always searched, and so does the default with the facts that no preset
# asks for: their benches are pinned here. Who changes the play puts the lines that this test prints into
# the table. RD_DEEP=1 asks release builds too.
set -eu
tunable=${builddir:-.}/tests/bin/reductio_tune
depth=8
facts="W_ESCAPE_SEE=-1024 W_KING_EVADE=-1024 EX_EVAL_ALPHA=1 W_TT_DEPTH=-1024 W_CORRECTION=20"
. "$(dirname "$0")/../tools/work.sh"

cat >"$work/pinned" <<'END'
modern 310891
off 1196160
t0basic 1495791
t0pvs 503366
t1 606659
t2simple 549778
t2advanced 747421
t4 436500
facts 500742
END

case $("$tunable" lmr) in
"all "*) ;;
*)
    echo "presets: this build has flags of its own; the presets are tried from the table's defaults"
    exit 77
    ;;
esac

names=$("$tunable" </dev/null uci quit | sed -n 's/^option name PRESET .* default modern var //p' | sed 's/ var / /g')
[ -n "$names" ] || { echo "presets: the tunable build offers no PRESET" >&2; exit 1; }

# bench_of COMMAND: the nodes of the last bench in its answer.
bench_of() { sed -n 's/^\([0-9]*\) nodes [0-9]* nps$/\1/p' | tail -n 1; }

: >"$work/found"
for name in $names; do
    nodes=$(printf 'setoption name PRESET value %s\nbench %s\n' "$name" "$depth" | "$tunable" | bench_of)
    echo "$name $nodes" >>"$work/found"
    said=$(printf 'setoption name PRESET value %s\nlmr\nquit\n' "$name" | "$tunable" | tail -n 1)
    case $said in
    *", preset $name,"*) ;;
    *) echo "presets: with PRESET=$name, lmr says: $said" >&2; exit 1 ;;
    esac
done

nodes=$({ for row in $facts; do echo "setoption name ${row%=*} value ${row#*=}"; done && echo "bench $depth"; } |
    "$tunable" | bench_of)
echo "facts $nodes" >>"$work/found"

# The flag wins over the preset, and modern is the default.
said=$(printf 'setoption name PRESET value t1\nsetoption name DIV value 151\nlmr\nquit\n' | "$tunable" | tail -n 1)
case $said in
*", preset t1 but for 1 row,"*) ;;
*) echo "presets: t1 with another DIV says: $said" >&2; exit 1 ;;
esac
default=$("$tunable" bench $depth | bench_of)
grep -qx "modern $default" "$work/found" || { echo "presets: modern is not the default's $default" >&2; exit 1; }

# Every move extended by two plies: each line ends all the same.
timeout 300 "$tunable" >"$work/extended" <<'END' || { echo "presets: with every move extended, a search has no end" >&2; exit 1; }
setoption name MIN_DEPTH value 1
setoption name FULL_MOVES value 0
setoption name EX_TT value false
setoption name OFFSET value -4096
setoption name ALLOW_EXTEND value 2
go depth 2
END
grep -q '^info depth 2 .* pv ' "$work/extended" || { echo "presets: with every move extended, there is no line" >&2; exit 1; }

# In random order a singular search comes after moves that gave the node its line: the line stays whole.
printf 'setoption name ORDERING value random\nposition fen %s\ngo depth 7\n' '8/8/1r6/3k4/8/3KR3/3P4/8 w - - 0 60' |
    "$tunable" | sed -n 's/^info depth 7 .* pv //p' | tail -n 1 >"$work/line"
[ "$(wc -w <"$work/line")" -gt 1 ] || { echo "presets: in random order, the line is only $(cat "$work/line")" >&2; exit 1; }

if ! cmp -s "$work/pinned" "$work/found"; then
    echo "presets: pinned (<) and found (>) nodes of bench $depth differ:" >&2
    diff "$work/pinned" "$work/found" >&2 || true
    exit 1
fi

if [ -n "${RD_DEEP:-}" ]; then
    unset LMR TUNE EXE BUILD MAKEFLAGS MAKELEVEL MFLAGS || true
    while read -r name nodes; do
        words="PRESET=$name"
        [ "$name" != facts ] || words=$facts
        make -C "$srcdir/engine" CC="${CC:-cc}" CFLAGS=-O2 LMR="$words" BUILD="$work/build" \
            EXE="$work/$name" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
        built=$("$work/$name" bench $depth | bench_of)
        [ "$built" = "$nodes" ] || { echo "presets: built with $words $built nodes, set $nodes" >&2; exit 1; }
    done <"$work/found"
fi
echo "presets: $(wc -l <"$work/found") benches as pinned"
