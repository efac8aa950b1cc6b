#!/bin/sh
# SPDX-License-Identifier: MIT
# An afternoon's match: 20,000 games at 1,000 nodes a move between two builds of our own engine, with a
# journal and a PGN file. It ends with exactly that many games, and neither its memory nor its
# descriptors grow on the way. `make check-deep` plays it; RD_GAMES is another number of games.
set -eu
if [ -z "${RD_DEEP:-}" ]; then
    echo "left out: an afternoon's match, which make check-deep plays"
    exit 77
fi
. "$srcdir/tests/match/common.sh"

games=${RD_GAMES:-20000}
growth=512   # KiB: what allocators move around
memory=20480 # KiB: what a worker may have at all

"$OBWORKER" match --dev lmr:KILLER=1 --base lmr: --tc N=1000 --games "$games" --seed 1 --json \
    --verbose --pgn "$work/games.pgn" --journal "$work/journal" >"$work/out" 2>"$work/err" &
worker=$!

# A line a second: pairs so far, KiB in memory, descriptors, children.
while kill -0 "$worker" 2>/dev/null; do
    sleep 1
    played=$(pairs "$work/journal" 2>/dev/null || true)
    resident=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$worker/status" 2>/dev/null || true)
    descriptors=$(ls "/proc/$worker/fd" 2>/dev/null | wc -l)
    children=$(ps -o pid= --ppid "$worker" 2>/dev/null | wc -l)
    [ -z "$resident" ] || echo "${played:-0} $resident $descriptors $children" >>"$work/samples"
done
code=0
wait "$worker" || code=$?
grep -v 'games  W' "$work/err" || true
cat "$work/out"
expect "the status" "$code" 0
expect_in "the report" "$work/out" "\"games\":$games,"
expect "games in the PGN" "$(grep -c '^\[Round ' "$work/games.pgn")" "$games"
expect "pairs in the journal" \
    "$(sed -n 's/.*"kind":"pair","pair":\([0-9]*\),.*/\1/p' "$work/journal" | sort -u | wc -l)" \
    $((games / 2))
expect_in "what it leaves" "$work/err" "0 children"

# tenth N COLUMN: the least value of a column while the Nth tenth of the pairs was played.
tenth() {
    awk -v from=$(((games / 2) * ($1 - 1) / 10)) -v to=$(((games / 2) * $1 / 10)) -v column="$2" \
        '$1 >= from && $1 < to && (least == "" || $column < least) { least = $column }
         END { print least == "" ? "none" : least }' "$work/samples"
}
echo "tenth of the match: KiB, descriptors, children (the least of each)"
for n in 1 2 3 4 5 6 7 8 9 10; do
    echo "$n: $(tenth $n 2), $(tenth $n 3), $(tenth $n 4)"
done
for n in 2 10; do
    [ "$(tenth $n 2)" != none ] || { fail "no sample was taken in tenth $n"; exit 1; }
done
[ "$(tenth 10 2)" -le $(($(tenth 2 2) + growth)) ] ||
    fail "its memory grew from $(tenth 2 2) to $(tenth 10 2) KiB"
[ "$(tenth 10 2)" -le "$memory" ] || fail "it takes $(tenth 10 2) KiB"
[ "$(tenth 10 3)" -le "$(tenth 2 3)" ] ||
    fail "its descriptors grew from $(tenth 2 3) to $(tenth 10 3)"
[ "$(tenth 10 4)" -le "$(tenth 2 4)" ] || fail "its children grew from $(tenth 2 4) to $(tenth 10 4)"
exit "$failed"
