#!/bin/sh
# Makes reductio.epd: openings of random moves that a search finds balanced.
#   openings/make-book.sh ENGINE >openings/reductio.epd
# The same engine makes the same book, byte for byte; README.md says which engine made this one.
set -eu
engine=${1:?usage: make-book.sh ENGINE}

SEED=20260101
WANTED=2000     # positions in the book
CANDIDATES=4500 # random openings to choose from
RANDOM_PLIES=8
FIRST_LOOK=100 # centipawns, by genfens' own short search
BALANCED=50    # centipawns, by the search that decides
DEPTH=10

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Positions that differ in their move counters alone are one.
"$engine" "genfens $CANDIDATES seed $SEED book None random_plies=$RANDOM_PLIES max=$FIRST_LOOK" |
    sed -n 's/^info string genfens //p' |
    awk '!seen[$1 " " $2 " " $3 " " $4]++' >"$work/candidates"

# Every search starts from nothing, so that no position's score depends on those before it.
{
    echo "setoption name Hash value 1"
    while read -r fen; do
        printf 'ucinewgame\nposition fen %s\ngo depth %d\n' "$fen" "$DEPTH"
    done <"$work/candidates"
    echo "isready"
    echo "d" # waits for the last search
    echo "quit"
} >"$work/dialogue"
"$engine" <"$work/dialogue" >"$work/answers"

# The last score before each bestmove; a mate score is no balance.
awk '
/^info depth / {
    for (i = 1; i < NF; i++)
        if ($i == "score")
            score = $(i + 1) == "cp" ? $(i + 2) : "mate"
}
/^bestmove / { print score; score = "none" }' "$work/answers" >"$work/scores"

paste -d' ' "$work/scores" "$work/candidates" |
    awk -v most="$BALANCED" -v wanted="$WANTED" '
$1 !~ /^-?[0-9]+$/ || $1 + 0 > most || -$1 > most { next }
count < wanted { sub(/^[^ ]* /, ""); print; count++ }
END {
    if (count < wanted) {
        print "make-book: only " count + 0 " balanced positions; raise CANDIDATES" | "cat 1>&2"
        exit 1
    }
}'
