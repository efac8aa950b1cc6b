#!/bin/sh
# SPDX-License-Identifier: MIT
# The tuner as its user meets it: mistakes are told in a line, and leave nothing behind; what it writes is a
# file that the engine is built with.
set -eu
. "$(dirname "$0")/../tools/work.sh"
faults=0

# mistake STATUS TEXT ARGUMENT...
mistake() {
    wanted=$1
    text=$2
    shift 2
    code=0
    "$builddir/tuner" "$@" >"$work/printed" 2>"$work/told" || code=$?
    if [ "$code" != "$wanted" ] || ! grep -qxF -e "tuner: $text" "$work/told" || [ -s "$work/printed" ]; then
        echo "tuner $*: status $code, not $wanted with '$text':"
        cat "$work/printed" "$work/told"
        faults=$((faults + 1))
    fi
}

# kept FILE ORIGINAL: the file is still a copy of the original.
kept() { cmp "$1" "$2" || { echo "an old file was lost"; faults=$((faults + 1)); }; }

mistake 2 "no FILE of positions is given" --warm
mistake 2 "--network stands before all other options" --warm --network x
mistake 2 "--network stands before all other options" -wN x
mistake 2 "-e 0: a whole number from 1 to 1000000000 is wanted" --epochs 0 x
mistake 2 "-n 0.5: a whole number from 0 to 1000000000 is wanted" --limit 0.5 x
mistake 2 "-t 9: a whole number from 1 to 8 is wanted" --threads 9 x
mistake 2 "-l 1.5: a number from 0 to 1 is wanted" --blend 1.5 x
mistake 2 "-r fast: a number from 0 to 1000000000 is wanted" --rate fast x

# What is wrong with the positions comes later, and spoils no file.
mistake 1 "$work/none: No such file or directory" --network -w --rate 0.5 --out "$work/new.c" "$work/none"
[ ! -e "$work/new.c" ] || { echo "a new file was left"; faults=$((faults + 1)); }
tree=$srcdir/engine/eval
cp "$tree/weights.c" "$work/old.c"
echo "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1 | 20 | 2.0" >"$work/positions"
mistake 1 "$work/positions: line 1: the result is not 1.0, 0.5 or 0.0" --out "$work/old.c" "$work/positions"
kept "$work/old.c" "$tree/weights.c"
echo "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1 | 20 | 0.5" >"$work/positions"
mistake 1 "1 positions: 20000 at least are wanted; 0 skipped: in check, beyond 2000 centipawns" "$work/positions"
echo "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1 | 2001 | 0.5" >>"$work/positions"
mistake 1 "0 positions: 20000 at least are wanted; 2 skipped: in check, beyond 2000 centipawns, a bare king" -N "$work/positions"

# Without its FILE, --out takes the first positions for it; a network is not written over weights.
cp "$work/positions" "$work/others"
mistake 1 "$work/others: exists and is no file of weights: is --out's FILE missing?" --out "$work/others" "$work/positions"
kept "$work/others" "$work/positions"
mistake 1 "$work/old.c: exists and is no file of a network: is --out's FILE missing?" -N --out "$work/old.c" "$work/positions"
kept "$work/old.c" "$tree/weights.c"

for seed in 1 2; do
    "$REDUCTIO" "datagen games 80 nodes 20 seed $seed out $work/games$seed" >"$work/printed"
done
# What would train for hours and tell nothing.
ln "$work/games1" "$work/again"
mistake 1 "--held-out $work/again: is among the FILE... to train with too" --held-out "$work/again" "$work/games2" "$work/games1"
awk -F '[|]' '{ print $1 "| " (-$2) " |" $3 }' "$work/games1" >"$work/turned"
mistake 1 "the scores do not predict the results: are they centipawns, White's view? --k X trains with them all the same" \
    --held-out "$work/games2" "$work/turned"
# tune OPTION...: on the first games; the second ones are held out.
tune() { "$builddir/tuner" "$@" --epochs 1 --held-out "$work/games2" "$work/games1" 2>"$work/told"; }
# writes FILE OPTION...: this file of the tree is written again by steps of no size, and others by steps of some.
writes() {
    file=$tree/$1
    same=$work/$1
    shift
    if ! tune "$@" --warm --rate 0 --out "$same" || ! cmp "$same" "$file"; then
        echo "tuner $*: not $file: $(cat "$work/told")"
        faults=$((faults + 1))
    fi
    if ! tune "$@" --batch 64 >"$work/new.c" || cmp -s "$work/new.c" "$file" ||
        ! ${CC:-cc} -std=c11 -I"$srcdir/engine" -c "$work/new.c" -o "$work/new.o"; then
        echo "tuner $*: no other $file: $(cat "$work/told")"
        faults=$((faults + 1))
    fi
}
writes weights.c
writes network_weights.c --network

# A disk that is full leaves the older file, and no part of the new one.
cp "$tree/weights.c" "$work/old.c"
if (trap '' XFSZ && ulimit -f 4 && tune --warm --batch 64 --out "$work/old.c") ||
    ! grep -qxF "$work/old.c: File too large" "$work/told" || [ -e "$work/old.c.part" ]; then
    echo "a full disk: $(ls "$work") $(cat "$work/told")"
    faults=$((faults + 1))
fi
kept "$work/old.c" "$tree/weights.c"
# A link stays, and the file that it leads to is written.
ln -s old.c "$work/link.c"
if ! tune --warm --batch 64 --out "$work/link.c" || [ ! -L "$work/link.c" ] || cmp -s "$work/old.c" "$tree/weights.c"; then
    echo "a link: $(ls -l "$work") $(cat "$work/told")"
    faults=$((faults + 1))
fi
# The reader of a pipe waits until training is over, and gets the weights.
mkfifo "$work/pipe"
cat "$work/pipe" </dev/null >"$work/piped.c" &
reader=$!
if ! timeout 300 "$builddir/tuner" --out "$work/pipe" --warm --rate 0 --epochs 1 --held-out "$work/games2" "$work/games1" \
    2>"$work/told" || ! wait $reader || ! cmp "$work/piped.c" "$tree/weights.c"; then
    echo "a pipe: $(cat "$work/told")"
    kill $reader 2>"$work/told" || true
    faults=$((faults + 1))
fi

echo "$faults faults"
[ "$faults" -eq 0 ]
