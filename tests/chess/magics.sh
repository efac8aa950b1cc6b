#!/bin/sh
# SPDX-License-Identifier: MIT
# The factors in engine/chess/attacks.c are those that tests/chess/find_magics.c finds.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT INT TERM
"$builddir/tests/bin/find_magics" | grep -o '0x[0-9a-f]\{16\}' >"$tmp/found"
sed -n '/BISHOP_MAGICS\[SQUARE_COUNT\] = {/,/};/p; /ROOK_MAGICS\[SQUARE_COUNT\] = {/,/};/p' \
    "$srcdir/engine/chess/attacks.c" | grep -o '0x[0-9a-f]\{16\}' >"$tmp/used"
found=$(wc -l <"$tmp/found")
if [ "$found" -ne 128 ]; then
    echo "magics: $found factors found instead of 128" >&2
    exit 1
fi
diff "$tmp/used" "$tmp/found"
echo "magics: all 128 factors are as found"
