#!/bin/sh
# SPDX-License-Identifier: MIT
# The reference games are played again, move for move: openings, moves, scores, depths, nodes,
# endings and results. `make check` plays one file, `make check-deep` all four, at several numbers of
# games at a time, and once more with a worker that the other compiler has made.
set -eu
. "$srcdir/tests/tools/second_opinion/ask.sh"

golden=$RD_SHARED/golden/matches
stockfish=/usr/games/stockfish
fairy=/usr/games/fairy-stockfish
skip() {
    echo "golden games left out: $1"
    exit 77
}
[ -d "$golden" ] || skip "no reference games in $golden"
for engine in "$stockfish" "$fairy"; do
    [ -x "$engine" ] || skip "$engine is not installed"
done
case $("$stockfish" quit </dev/null) in
"Stockfish 15.1 "*) ;;
*) skip "$stockfish is not version 15.1, which played them" ;;
esac

. "$srcdir/tests/tools/work.sh"

# unpack BOOK: its text from the shared zip file, with whatever is there to unpack one.
unpack() {
    zip=$RD_SHARED/books/$1.zip
    [ -f "$zip" ] || skip "no book $zip"
    if command -v unzip >/dev/null; then
        unzip -p "$zip" >"$work/$1"
    elif command -v bsdtar >/dev/null; then
        bsdtar -xOf "$zip" >"$work/$1"
    elif command -v python3 >/dev/null; then
        python3 -m zipfile -e "$zip" "$work"
    else
        skip "nothing here unpacks a zip file (unzip, bsdtar, python3)"
    fi
}
unpack 8moves_v3.epd
unpack 3moves_FRC.epd

failed=0
# replay FILE CONCURRENCY ARGUMENTS…: plays the file's games and compares them.
replay() {
    file=$1
    concurrency=$2
    shift 2
    rm -f "$work/$file.pgn"
    "$OBWORKER" match --dev "$stockfish" --base "$fairy" --dev-name A --base-name B \
        --dev-tc N=1500 --base-tc N=4000 --option Hash=8 --concurrency "$concurrency" \
        --pgn "$work/$file.pgn" --quiet "$@" >"$work/report"
    awk -f "$srcdir/tests/match/pgn_plain.awk" "$golden/$file.pgn" >"$work/expected.plain"
    awk -f "$srcdir/tests/match/pgn_plain.awk" "$work/$file.pgn" >"$work/played.plain"
    games=$(grep -c '^Round ' "$work/expected.plain" || true)
    if [ "$games" -ge 60 ] && cmp -s "$work/expected.plain" "$work/played.plain"; then
        echo "$file at concurrency $concurrency: $games games agree"
    else
        echo "$file at concurrency $concurrency: the games differ (of $games):" >&2
        diff "$work/expected.plain" "$work/played.plain" | cut -c1-300 | head -20 >&2
        failed=1
    fi
    second_opinion "$work/$file.pgn" || failed=1
}

# all CONCURRENCY: the four files, with the settings they were played with.
all() {
    adjudicated "$1"
    replay natural "$1" --book "$work/8moves_v3.epd" --seed 7 --start 34690 --games 60 \
        --win-adj None --draw-adj None
    replay chess960 "$1" --book "$work/3moves_FRC.epd" --seed 12 --start 5 --games 60
    if "$OBWORKER" --version | grep -q 'Syzygy adjudication: yes'; then
        replay syzygy "$1" --book "$work/8moves_v3.epd" --seed 2024 --start 500 --games 60 \
            --win-adj None --draw-adj "movenumber=60 movecount=8 score=5" \
            --syzygy "$RD_SHARED/syzygy" --syzygy-men 4
    else
        echo "syzygy left out: built without libfathom"
    fi
}

adjudicated() {
    replay adjudicated "$1" --book "$work/8moves_v3.epd" --seed 39606 --start 1001 --games 80
}

# other_worker: the same sources, built by the compiler that did not build $OBWORKER.
other_worker() {
    case $CC in
    *clang*) other=gcc ;;
    *) other=clang ;;
    esac
    if ! command -v $other >/dev/null; then
        echo "another compiler's worker left out: $other is not installed"
        return 1
    fi
    unset MAKEFLAGS MFLAGS MAKELEVEL
    (make -C "$builddir" distdir distdir="$work/source" && cd "$work/source" &&
        ./configure CC=$other && make obworker) >"$work/build" 2>&1 || {
        tail -n 20 "$work/build" >&2
        echo "the worker does not build with $other" >&2
        exit 1
    }
    OBWORKER=$work/source/obworker
    echo "with a worker built by $other:"
}

if [ -z "${RD_DEEP:-}" ]; then
    adjudicated 2
    exit "$failed"
fi
for concurrency in 2 1 64; do
    all $concurrency
done
if other_worker; then
    for concurrency in 2 1 64; do
        all $concurrency
    done
fi
exit "$failed"
