#!/bin/sh
# SPDX-License-Identifier: MIT
# engine/openbench.json says how the engine is built and tested: its make command builds an engine
# with the pinned bench, and every option of its presets is one that the engine has. (That it has
# the shape which servers read is test_recordings' matter.)
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
json=$srcdir/engine/openbench.json
. "$srcdir/tests/tools/work.sh"

path=$(sed -n 's/^ *"path": "\(.*\)",$/\1/p' "$json")
compiler=$(sed -n 's/^ *"compilers": \["\([^"]*\)".*/\1/p' "$json")
[ "$path" = engine ] && [ -n "$compiler" ] || fail "no path and compiler in $json"
command -v "$compiler" >/dev/null || { echo "description: no $compiler here"; exit 77; }

# As a server has it: the tree alone, nothing configured.
cp -R "$srcdir/$path" "$work/tree"
chmod -R u+w "$work/tree"
rm -rf "$work/tree/build"
make -s -j2 -C "$work/tree" EXE=Reductio-TEST CC="$compiler" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "its make command fails"; }
engine=$work/tree/Reductio-TEST

# tests/lmr/presets.sh has the one pinned bench.
pins=$srcdir/tests/lmr/presets.sh
depth=$(sed -n 's/^depth=//p' "$pins")
pinned=$(sed -n 's/^modern \([0-9]*\)$/\1/p' "$pins")
found=$("$engine" bench "$depth" | sed -n 's/^\([0-9]*\) nodes .*/\1/p' | tail -n 1)
[ -n "$pinned" ] && [ "$found" = "$pinned" ] || fail "bench $depth is $found, pinned is $pinned"

"$engine" uci quit </dev/null >"$work/uci"
grep -o '"[a-z]*_options": "[^"]*"' "$json" | sed 's/.*: "\(.*\)"/\1/' | tr ' ' '\n' |
    sed 's/=.*//' | sort -u >"$work/names"
[ -s "$work/names" ] || fail "no options in its presets"
while read -r name; do
    grep -q "^option name $name " "$work/uci" || fail "the engine has no option $name"
done <"$work/names"
