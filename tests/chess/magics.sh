#!/bin/sh
# SPDX-License-Identifier: MIT
# The factors in engine/chess/attacks.c are those that tests/chess/find_magics.c finds.
set -eu
. "$srcdir/tests/tools/work.sh"
"$builddir/tests/bin/find_magics" | grep -o '0x[0-9a-f]\{16\}' >"$work/found"
sed -n '/BISHOP_MAGICS\[SQUARE_COUNT\] = {/,/};/p; /ROOK_MAGICS\[SQUARE_COUNT\] = {/,/};/p' \
    "$srcdir/engine/chess/attacks.c" | grep -o '0x[0-9a-f]\{16\}' >"$work/used"
found=$(wc -l <"$work/found")
if [ "$found" -ne 128 ]; then
    echo "magics: $found factors found instead of 128" >&2
    exit 1
fi
diff "$work/used" "$work/found"
echo "magics: all 128 factors are as found"
