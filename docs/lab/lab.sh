#!/bin/sh
# SPDX-License-Identifier: MIT
# Plays the suites of this folder, and makes the lab's results, tables and page of the journals.
#   lab.sh play FOLDER [TEXT]   the suites whose names begin with TEXT (default: all) in the order of
#                               the tables, with journals in FOLDER; the same command goes on after a stop
#   lab.sh report FOLDER        results.json and docs/LAB.md, and FOLDER/lab.html, of the journals
# OBWORKER, REDUCTIO: the programs; LAB_OPTIONS: further options of obworker match (--concurrency 2).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || set -- help .
folder=$2

# suites TEXT: the names of the suites, in the order of claims.def.
suites() {
    sed -n 's,^\([a-z0-9-]*\)/.*|.*,\1,p' "$here/claims.def" | awk -v text="$1" 'index($0, text) == 1 && !seen[$0]++'
}
# hours NAME: what a suite takes on two cores, at 95 plies a game and 1.9 million nodes a second.
hours() {
    awk '/^tc = N=/ { seconds = 95 * substr($3, 3) / 1900000 }
         /^tc = [0-9]/ { split($3, clock, "+"); seconds = 2 * clock[1] + 95 * clock[2] }
         /^games = / { games = $3 }
         !/^#/ && NF > 1 && $2 != "=" { count++ }
         END { printf "%.1f\n", count * games * seconds / 3600 / 2 }' "$here/$1.suite"
}

play() {
    names=$(suites "$1")
    [ -n "$names" ] || { echo "lab: no suite in $here begins with '$1'" >&2; exit 2; }
    mkdir -p "$folder"
    bench=$("$REDUCTIO" bench | sed -n '$s/ nodes .*//p')
    [ -n "$bench" ] || { echo "lab: $REDUCTIO has no bench" >&2; exit 1; }
    [ -f "$folder/bench" ] || echo "$bench" >"$folder/bench"
    if [ "$(cat "$folder/bench")" != "$bench" ]; then
        echo "lab: $folder was begun with the engine of bench $(cat "$folder/bench"), this one has $bench: take another folder" >&2
        exit 1
    fi
    for name in $names; do
        echo "lab: $name: about $(hours "$name") hours on two cores, less where an SPRT ends earlier" >&2
        # shellcheck disable=SC2086 # several options
        "$OBWORKER" match --suite "$here/$name.suite" --journal "$folder/$name" --resume ${LAB_OPTIONS:-}
    done
}

report() {
    set -- "$folder"/*/*.jsonl
    [ -f "$1" ] || { echo "lab: no journals in $folder: play first" >&2; exit 1; }
    results=${LAB_RESULTS:-$here/results.json}
    "$OBWORKER" report --lab "$results" --bench "$(cat "$folder/bench")" --html "$folder/lab.html" "$@"
    "$OBWORKER" report --lab "$results" --markdown >"$folder/LAB.md"
    cp "$folder/LAB.md" "${LAB_TABLES:-$here/../LAB.md}"
}

case $1 in
play) play "${3:-}" ;;
report) report ;;
*) sed -n '3,8s/^# *//p' "$0" >&2; exit 2 ;;
esac
