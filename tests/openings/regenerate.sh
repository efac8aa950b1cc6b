#!/bin/sh
# SPDX-License-Identifier: MIT
# openings/make-book.sh makes a book, and where the engine is the one that openings/README.md names, the
# bundled one: its beginning, or with RD_DEEP=1 all of it.
set -eu
srcdir=${srcdir:-.}
book=$srcdir/openings/reductio.epd.gz
count=20
. "$srcdir/tests/tools/work.sh"
named=$(sed -n 's/.*`Bench: \([0-9]*\)`.*/\1/p' "$srcdir/openings/README.md")
[ -n "$named" ] || fail "openings/README.md names no bench"
bench=$("$REDUCTIO" bench | sed -n '$s/ nodes .*//p')
if [ "${RD_DEEP:-0}" = 1 ] && [ "$bench" = "$named" ]; then
    count=$(gzip -dc "$book" | wc -l)
fi
sh "$srcdir/openings/make-book.sh" "$REDUCTIO" "$work/book.gz" "$count"
gzip -dc "$work/book.gz" >"$work/book"
[ "$(wc -l <"$work/book")" -eq "$count" ] || fail "$(wc -l <"$work/book") positions, not $count"

if [ "$bench" != "$named" ]; then
    echo "regenerate: $count positions; the bundled ones are by the engine of bench $named, this one is $bench"
    exit 0
fi
gzip -dc "$book" | head -n "$count" | cmp - "$work/book" || fail "not the bundled book"
echo "regenerate: $count positions, the same again"
