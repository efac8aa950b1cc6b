#!/bin/sh
# The bundled book is what openings/make-book.sh makes with the engine that openings/README.md names.
# It takes minutes: RD_DEEP=1 only.
set -eu
srcdir=${srcdir:-.}
if [ "${RD_DEEP:-0}" != 1 ]; then
    echo "regenerate: making the book again takes minutes: left to make check-deep"
    exit 77
fi
named=$(sed -n 's/.*`Bench: \([0-9]*\)`.*/\1/p' "$srcdir/openings/README.md")
[ -n "$named" ] || { echo "regenerate: openings/README.md names no bench" >&2; exit 1; }
bench=$("$REDUCTIO" bench | sed -n '$s/ nodes .*//p')
if [ "$bench" != "$named" ]; then
    echo "regenerate: the book is by the engine of bench $named, this one is $bench: left out"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$srcdir/openings/make-book.sh" "$REDUCTIO" >"$work/book"
cmp "$work/book" "$srcdir/openings/reductio.epd"
echo "regenerate: $(wc -l <"$work/book") positions, the same again"
