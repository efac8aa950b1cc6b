#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the bundled book: openings of random moves after which one side is ahead, but not winning.
#     openings/make-book.sh ENGINE FILE.gz [COUNT]
# The same engine makes the same book, and with a smaller COUNT its beginning; README.md says which
# engine made the one that is here.
set -eu
[ $# -ge 2 ] || { echo "usage: make-book.sh ENGINE FILE.gz [COUNT]" >&2; exit 2; }
engine=$1
file=$2
WANTED=${3:-20000} # positions in the book

SEEDS="20260101 20260102" # a process each
RANDOM_PLIES=8
SCORE_MIN=60 # centipawns that either side is ahead by
SCORE_MAX=120
NODES=20000 # of the search that says so

# Some come twice: a little more is made than is wanted.
each=$((WANTED / 2 + WANTED / 50 + 5))
work=$(mktemp -d)
jobs=
# A child that has ended already is no fault.
trap 'for job in $jobs; do kill "$job" 2>/dev/null || true; done; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

parts=
for seed in $SEEDS; do
    "$engine" "genfens $each seed $seed book None random_plies=$RANDOM_PLIES min=$SCORE_MIN max=$SCORE_MAX nodes=$NODES" \
        >"$work/$seed" &
    jobs="$jobs $!"
    parts="$parts $work/$seed"
done
for job in $jobs; do
    wait "$job" || { echo "make-book: $engine made no openings" >&2; exit 1; }
done
jobs=

# In turn from either process. Positions that differ in their move counters alone are one.
paste -d'\n' $parts | sed -n 's/^info string genfens //p' |
    awk '!seen[$1 " " $2 " " $3 " " $4]++' | head -n "$WANTED" >"$work/book"
count=$(wc -l <"$work/book")
[ "$count" -eq "$WANTED" ] || { echo "make-book: only $count different positions of $WANTED" >&2; exit 1; }
gzip -9n <"$work/book" >"$file.new"
mv "$file.new" "$file"
