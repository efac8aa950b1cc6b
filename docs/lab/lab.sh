#!/bin/sh
# SPDX-License-Identifier: MIT
# Plays the suites of this folder, and makes the lab's results, tables and page of the journals.
#   lab.sh play FOLDER [TEXT]        the suites whose names begin with TEXT (default: all) in the order of
#                                    the tables, with journals in FOLDER; the same command goes on after a stop.
#                                    Games of this engine that results.json has are not played again
#   lab.sh more FOLDER GAMES [TEXT]  gives GAMES games in all to each comparison without an SPRT whose interval
#                                    still holds both signs; the same command goes on after a stop
#   lab.sh statistics FOLDER         counts what T0 claims, at three depths, in FOLDER/statistics.json
#   lab.sh report FOLDER             results.json and docs/LAB.md, and FOLDER/lab.html, of the journals
# LAB_RESULTS, LAB_TABLES: the files in the place of results.json and docs/LAB.md.
# OBWORKER, REDUCTIO: the programs; LAB_OPTIONS: further options of obworker match (--concurrency 2);
# LAB_TUNABLE: a tunable engine for the statistics (default: one is built in FOLDER).
set -eu
trap 'exit 130' INT TERM # A match that was interrupted has ended well: some shells would go on behind it.
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || set -- help .
folder=$2
results=${LAB_RESULTS:-$here/results.json}

# suites TEXT: the names of the suites, in the order of claims.def.
suites() {
    sed -n 's,^\([a-z0-9-]*\)/.*|.*,\1,p' "$here/claims.def" | awk -v text="$1" 'index($0, text) == 1 && !seen[$0]++'
}
# hours NAME: what a suite takes on two cores: a core plays about 1,000 games of 40,000 nodes a move in an
# hour, and a game has about 75 plies.
hours() {
    awk '/^tc = N=/ { seconds = 3600 / 1000 * substr($3, 3) / 40000 }
         /^tc = [0-9]/ { split($3, clock, "+"); seconds = 2 * clock[1] + 75 * clock[2] }
         /^games = / { games = $3 }
         !/^#/ && NF > 1 && $2 != "=" { count++ }
         END { printf "%.1f\n", count * games * seconds / 3600 / 2 }' "$1"
}

# same_engine PROGRAM: sets $bench, and ends where another engine began the folder.
same_engine() {
    bench=$("$1" bench | sed -n '$s/ nodes .*//p')
    [ -n "$bench" ] || { echo "lab: $1 has no bench" >&2; exit 1; }
    [ -f "$folder/bench" ] || echo "$bench" >"$folder/bench"
    if [ "$(cat "$folder/bench")" != "$bench" ]; then
        echo "lab: $folder was begun with the engine of bench $(cat "$folder/bench"), this one has $bench: take another folder (LAB=FOLDER)" >&2
        exit 1
    fi
}

# begin TEXT: sets $names, the suites that are meant, and $after: yes when the results are of this engine, so that
# their games are not played again. One engine alone may play in a folder.
begin() {
    names=$(suites "$1")
    [ -n "$names" ] || { echo "lab: no suite in $here begins with '$1'" >&2; exit 2; }
    mkdir -p "$folder"
    same_engine "$REDUCTIO"
    after=
    results_bench=$(sed -n '/"bench":/{s/.*"bench":\([0-9]*\).*/\1/p;q;}' "$results" 2>/dev/null || true)
    if [ "$results_bench" = "$bench" ]; then
        after=yes
    elif [ -n "$results_bench" ]; then
        echo "lab: $results has games of the engine of bench $results_bench, and this one has $bench: the lab begins anew. Move that file away before the report" >&2
    fi
}

play() {
    begin "$1"
    for name in $names; do
        echo "lab: $name: about $(hours "$here/$name.suite") hours on two cores for all its games, less what was played before and where an SPRT ends earlier" >&2
        # shellcheck disable=SC2086 # several options
        "$OBWORKER" match --suite "$here/$name.suite" --journal "$folder/$name" --resume ${after:+--after "$results"} ${LAB_OPTIONS:-}
    done
}

# take_journals RESULTS OPTION...: takes the journals of $folder into the results; there is one at least.
take_journals() {
    taken=$1
    shift
    "$OBWORKER" report --lab "$taken" --bench "$(cat "$folder/bench")" "$@" "$folder"/*/*.jsonl
}
# note_open: $folder/open has "SUITE/NAME" of each comparison that was begun and whose 95 % interval of Elo
# holds both signs, or is not known yet.
note_open() {
    rm -f "$folder/known.json"
    [ -z "$after" ] || cp "$results" "$folder/known.json"
    set -- "$folder"/*/*.jsonl
    [ ! -f "$1" ] || take_journals "$folder/known.json" >/dev/null
    [ -f "$folder/known.json" ] || { echo "lab: more: nothing was played yet" >&2; exit 1; }
    "$OBWORKER" report --lab "$folder/known.json" --json >"$folder/known"
    tr '{' '\n' <"$folder/known" | awk -F'"' '
        function bound(name, unknown) {
            if (!match($0, "\"" name "\":[-+.0-9eE]+")) return unknown
            return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0
        }
        $2 == "name" && bound("elo_lower", -1) < 0 && bound("elo_upper", 1) > 0 { print $4 }' >"$folder/open"
}
# open_lines NAME: the lines of the suite without the comparisons that are decided or not begun.
open_lines() {
    while IFS= read -r line; do
        case $line in
        "" | "#"* | *[a-z]" = "*) echo "$line" ;;
        *) ! grep -qxF "$1/${line%% *}" "$folder/open" || echo "$line" ;;
        esac
    done <"$here/$1.suite"
}

more() {
    [ -n "$1" ] || { echo "lab: more: how many games in all? (make lab-more GAMES=1600)" >&2; exit 2; }
    begin "$2"
    note_open
    for name in $names; do
        ! grep -q '^bounds' "$here/$name.suite" || continue # An SPRT ends by itself.
        # The comparisons are chosen once: the moment of a stop must have no part in the choice.
        chosen=$folder/$name.open-$1
        [ -f "$chosen" ] || { open_lines "$name" >"$chosen.new"; mv "$chosen.new" "$chosen"; }
        if grep -v -e '^#' -e '^$' "$chosen" | grep -qv ' = '; then
            # shellcheck disable=SC2086 # several options
            "$OBWORKER" match --suite "$chosen" --journal "$folder/$name" --resume ${after:+--after "$results"} --games "$1" ${LAB_OPTIONS:-}
        else
            echo "lab: $name: no comparison is open" >&2
        fi
        rm "$chosen"
    done
}

statistics() {
    tunable=${LAB_TUNABLE:-$folder/reductio-tunable}
    mkdir -p "$folder"
    [ -n "${LAB_TUNABLE:-}" ] || make -s -C "${OBWORKER_DATADIR:-$here/../..}/engine" TUNE=1 EXE="$(cd "$folder" && pwd)/reductio-tunable" >&2
    same_engine "$tunable"
    : >"$folder/statistics.new"
    # Not t0basic: with ENABLE=0 its RESEARCH would still give every move the node's full window.
    for preset in modern t0pvs; do
        for depth in 9 11 13; do
            if ! { printf 'setoption name PRESET value %s\nsetoption name STATS value true\nlmr stats %s --json\n' \
                "$preset" "$depth" | "$tunable" >"$folder/statistics.one" &&
                grep '^{' "$folder/statistics.one" >>"$folder/statistics.new"; }; then
                echo "lab: $tunable gives no statistics of $preset at depth $depth" >&2
                exit 1
            fi
        done
    done
    mv "$folder/statistics.new" "$folder/statistics.json"
    rm "$folder/statistics.one"
}

report() {
    set -- "$folder"/*/*.jsonl
    [ -f "$1" ] || { echo "lab: no journals in $folder: play first" >&2; exit 1; }
    set --
    [ ! -f "$folder/statistics.json" ] || set -- "$folder/statistics.json"
    take_journals "$results" --html "$folder/lab.html" "$@"
    "$OBWORKER" report --lab "$results" --markdown >"$folder/LAB.md"
    cp "$folder/LAB.md" "${LAB_TABLES:-$here/../LAB.md}"
}

case $1 in
play) play "${3:-}" ;;
more) more "${3:-}" "${4:-}" ;;
statistics) statistics ;;
report) report ;;
*) sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
