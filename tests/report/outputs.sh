#!/bin/sh
# SPDX-License-Identifier: MIT
# The four measured tables of "Advanced LMR" and two matches of our own, through every output of
# `obworker report`; then their pages before a reader's eyes, as far as there is a browser here:
# narrow and wide, light and dark. The pictures stay in tests/pictures of the build folder.
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
obworker=${OBWORKER:?}
. "$srcdir/tests/match/common.sh"
. "$srcdir/tests/tools/quick_engine.sh"
pictures=$builddir/tests/pictures
mkdir -p "$pictures"

report() { "$obworker" report "$@"; }

# ---- Four tables as they were published ----

# table NAME COUNTS ELO LLR GAMES EXACT-ELO
table() {
    report --penta "$2" --bounds 0,5 --confidence 0.05,0.1 --html "$work/$1.html" >"$work/$1.txt"
    report --penta "$2" --bounds 0,5 --confidence 0.05,0.1 --json >"$work/$1.json"
    report --penta "$2" --bounds 0,5 --confidence 0.05,0.1 --markdown >"$work/$1.md"
    for output in txt md; do
        expect_in "$1 as $output" "$work/$1.$output" "Elo   | $3 (95%)"
        expect_in "$1 as $output" "$work/$1.$output" "LLR   | $4 (-2.25, 2.89) [0.00, 5.00]"
        expect_in "$1 as $output" "$work/$1.$output" "Games | N: $5"
    done
    expect_in "$1 as JSON" "$work/$1.json" "\"elo\":$6,"
    expect_in "$1 as JSON" "$work/$1.json" '"verdict":"H1"'
    expect_in "$1 as a page" "$work/$1.html" "Elo   | $3 (95%)"
    expect_in "$1 as a page" "$work/$1.html" "+$(echo "$3" | sed 's/+-/±/')"
    expect_in "$1 as a page" "$work/$1.html" "H1 accepted"
}
table pv 16,557,1220,653,31 "8.84 +- 5.14" 2.91 4954 8.83858
table cut 122,2731,5805,2964,107 "3.01 +- 2.36" 3.07 23458 3.006701
table killer 14,279,645,372,30 "16.22 +- 7.29" 2.97 2680 16.216784
table cutoffs 108,1633,3372,1838,90 "4.17 +- 3.16" 2.96 14082 4.169822

# ---- A page for a pipe or a link, which stay: root's /dev/null is one too ----

mkfifo "$work/pipe"
cat "$work/pipe" >"$work/piped.html" &
report --penta 1,2,3,2,1 --html "$work/pipe" >"$work/out"
wait $!
[ -p "$work/pipe" ] || fail "a page took a pipe's place"
ln -s linked.html "$work/link"
: >"$work/linked.html"
report --penta 1,2,3,2,1 --html "$work/link" >"$work/out"
[ -L "$work/link" ] || fail "a page took a link's place"
ln -s missing.html "$work/dangling"
report --penta 1,2,3,2,1 --html "$work/dangling" >"$work/out"
for page in piped linked missing; do expect_in "the $page page" "$work/$page.html" "</html>"; done

# ---- Two matches of our own ----

# play NAME ARGUMENTS: a match whose journal is $work/NAME.jsonl and whose block $work/NAME.played.
play() {
    name=$1
    shift
    "$obworker" match --book "$work/book.epd" --concurrency 2 --quiet --journal "$work/$name.jsonl" \
        "$@" >"$work/$name.played" || fail "the match $name could not be played"
    report --quiet --journal "$work/$name.jsonl" --html "$work/$name.html" >"$work/$name.txt"
    report --journal "$work/$name.jsonl" --json >"$work/$name.json"
    report --journal "$work/$name.jsonl" --markdown >"$work/$name.md"
    expect "the block of $name" "$(cat "$work/$name.txt")" "$(cat "$work/$name.played")"
    games=$(sed -n 's/^Games | N: \([0-9]*\) .*/\1/p' "$work/$name.played")
    expect_in "$name as JSON" "$work/$name.json" "{\"games\":$games,"
    expect_in "$name as Markdown" "$work/$name.md" "$(sed -n 2p "$work/$name.played")"
    while read -r line; do
        expect_in "$name as a page" "$work/$name.html" "$line"
    done <"$work/$name.played"
    for part in "How games ended" "Where and when" "Elo, with its 95 % interval" "Pairs by points" Settings; do
        expect_in "$name as a page" "$work/$name.html" "$part"
    done
}
play killers --dev lmr:KILLER=exempt --base lmr: --tc N=1000 --games 100 --seed 3 --pgn "$work/killers.pgn"
play reductions --dev lmr: --base lmr:ENABLE=0,DIV=150 --tc N=1000 --bounds 0,150 --games 200 --seed 4 \
    --dev-name default --base-name none
expect_in "the switches" "$work/reductions.html" "1 (default)"
expect_in "the switches" "$work/reductions.md" "| ENABLE | 1 (default) | 0 |"
expect_in "the LLR's chart" "$work/reductions.html" "Log likelihood ratio over games"
expect_in "when it was played" "$work/reductions.md" "| played | 2"

# A match makes its page itself too, with a journal and without.
plain() {
    "$obworker" match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" \
        --book "$work/book.epd" --tc N=100 --games 40 --seed 5 --quiet "$@"
}
plain --html "$work/alone.html" >"$work/alone.txt"
plain --html "$work/kept.html" --journal "$work/kept.jsonl" >"$work/kept.txt"
for name in alone kept; do
    while read -r line; do
        expect_in "the page of the match $name" "$work/$name.html" "$line"
    done <"$work/$name.txt"
    expect_in "the page of the match $name" "$work/$name.html" "Where and when"
done

# ---- An engine that fails, with a name that does harm where it can ----

play faults --dev "$engine side=dev plan=40,30 fault=die game=5 at=2" \
    --base "$engine side=base plan=40,30" --tc N=100 --games 120 --seed 5 \
    --dev-name '<img src=x onerror=alert(1)>"&' --base-name 'a|b`*</td>' --transcripts None 2>/dev/null
expect_in "a page with faults" "$work/faults.html" '<section class="alert"'
expect_in "Markdown with faults" "$work/faults.md" ' crash'
! grep -q '<img' "$work/faults.html" || fail "a name became markup"
! grep -q '<img\|</td>' "$work/faults.md" || fail "a name became markup in Markdown"

# ---- Side by side ----

compare() {
    report --compare "$work/reductions.jsonl" "$work/killers.jsonl" killer=14,279,645,372,30 \
        PV=16,557,1220,653,31 "cut node=122,2731,5805,2964,107" cutoffs=108,1633,3372,1838,90 \
        --bounds 0,5 --confidence 0.05,0.1 "$@"
}
compare --html "$work/compare.html" >"$work/compare.txt"
compare --markdown >"$work/compare.md"
compare --json >"$work/compare.json"
expect "rows of the table" "$(wc -l <"$work/compare.txt")" 7
expect "rows of the Markdown" "$(wc -l <"$work/compare.md")" 8
expect "names in the JSON" "$(grep -o '[[{,]{*"name":"[^"]*","games":' "$work/compare.json" | wc -l)" 6
for output in txt md json html; do
    expect_in "the comparison as $output" "$work/compare.$output" "cut node"
    expect_in "the comparison as $output" "$work/compare.$output" "default against none"
done
ranks=$(sed -n 's/^\(killer\|PV\|cutoffs\|cut node\) .*/\1/p' "$work/compare.txt" | tr '\n' ,)
expect "the order" "$ranks" "killer,PV,cutoffs,cut node,"
cp "$work/killers.jsonl" "$work/again.jsonl"
report --compare "$work/killers.jsonl" "$work/again.jsonl" --html "$work/same.html" >"$work/same.txt"
expect_in "one base for all" "$work/same.html" "Tests against lmr:"
expect_in "what all have in common" "$work/same.html" "<br>N=1000 Threads=1 Hash=16MB<"
expect_in "tests of one name" "$work/same.txt" "lmr:KILLER=exempt (again.jsonl)"
expect_in "tests of one name" "$work/same.txt" "lmr:KILLER=exempt (killers.jsonl)"
# Two files of one name in two folders are two pages.
mkdir "$work/other"
head -n 11 "$work/killers.jsonl" >"$work/other/killers.jsonl"
report --compare "$work/killers.jsonl" "$work/other/killers.jsonl" --html "$work/folders.html" >"$work/folders.txt"
expect_in "tests of one name and file name" "$work/folders.txt" "lmr:KILLER=exempt (killers.jsonl) "
expect_in "tests of one name and file name" "$work/folders.txt" "lmr:KILLER=exempt (killers.jsonl, 2) "
expect "pages of two tests" "$(grep -o 'href="folders-[^"]*"' "$work/folders.html" | sort -u | wc -l)" 2
# Names that are too long for a file's name differ by a digest.
long=$(printf '%080d' 0 | sed 's/0/=/g')
for end in one two; do
    plain --games 4 --dev-name "$long$end" --base-name old --journal "$work/$end.jsonl" >"$work/out"
done
report --compare "$work/one.jsonl" "$work/two.jsonl" --html "$work/long.html" >"$work/long.txt" || fail "long names"
expect "pages of long names" "$(ls "$work" | grep -c '^long-_3d.*-[0-9a-f]\{8\}\.html$')" 2
for link in $(tr '>' '\n' <"$work/long.html" | sed -n 's/.* href="\(long-[^"]*\)".*/\1/p'); do
    expect_in "the page $link" "$work/$link" "<title>==="
done
# A test of few games has a long number, and a bar that takes the whole cell.
report --compare few=0,1,2,0,4 PV=16,557,1220,653,31 killer=14,279,645,372,30 --html "$work/few.html" >"$work/few.txt"
expect_in "a test of few games" "$work/few.txt" "+190.85, at least -18.33"
report --compare "$work/kept.jsonl" "$work/faults.jsonl" >"$work/programs.txt"
expect_in "programs" "$work/programs.txt" "scripted_engine side=dev plan=50,20 against scripted_engine"

# A suite has its table as a page too.
printf 'base = lmr:\ntc = N=500\ngames = 20\nkillers lmr:KILLER=exempt\nnone lmr:ENABLE=0\n' >"$work/suite"
"$obworker" match --suite "$work/suite" --book "$work/book.epd" --seed 3 --quiet --html "$work/suite.html" \
    >"$work/suite.txt" || fail "the suite could not be played"
expect_in "a suite's table" "$work/suite.txt" "killers"
expect_in "a suite's page" "$work/suite.html" "Tests against lmr:"
expect_in "a suite's page" "$work/suite.html" "<br>N=500 Threads=1 Hash=16MB<"

for name in killers none; do
    expect_in "a suite's link to a variant" "$work/suite.html" "<a href=\"suite-$name.html\">$name</a>"
    expect_in "a variant's page" "$work/suite-$name.html" "<h1>$name against"
done
expect_in "a variant's SPEC" "$work/suite.html" 'lmr:<wbr>KILLER=<wbr>exempt</small>'
expect_in "a variant's difference" "$work/suite.html" 'KILLER:<wbr> by-weight (default) → exempt</small>'
expect_in "a variant's LOS" "$work/suite.html" 'LOS</abbr>&nbsp;'
for name in lmr_3aKILLER_3dexempt_20_28again.jsonl_29 lmr_3aKILLER_3dexempt_20_28killers.jsonl_29; do
    expect_in "a comparison's link to a test" "$work/same.html" "<a href=\"same-$name.html\">"
    expect_in "the test's page" "$work/same-$name.html" "<title>lmr:KILLER=exempt against lmr:"
done

# ---- A test on a server ----

. "$srcdir/tests/tools/serve.sh"
serve
served=
if [ -n "$url" ]; then
    report --test 12 -S "$url" --quiet --html "$work/served.html" >"$work/served.txt" 2>/dev/null
    report --test 12 -S "$url" --quiet --json >"$work/served.json" 2>/dev/null
    report --test 12 -S "$url" --quiet --markdown >"$work/served.md" 2>/dev/null
    report --compare 12 PV=16,557,1220,653,31 -S "$url" >"$work/served.compare"
    expect_in "a server's test" "$work/served.txt" "SPRT  | 8.0+0.08s Threads=1 Hash=32MB"
    expect_in "a server's test as JSON" "$work/served.json" '"timelosses":2,"illegals":null'
    expect_in "a server's test as Markdown" "$work/served.md" "| machine | grace, machine 5 |"
    expect_in "a server's test as a page" "$work/served.html" "<strong>2 time losses</strong>"
    expect_in "what a server does not tell" "$work/served.html" "not how it came there"
    expect_in "what a server does not tell" "$work/served.html" "not the switches that differ.<br><a href"
    expect_in "what is changed" "$work/served.html" \
        'reductio/compare/81d07e4b5a926c3f0e1b7d28c4f95a6302ed4b71...3f9c2ab17d04e6815c9b20f7a1d38e5460b7c21f'
    expect_in "a server's test as Markdown" "$work/served.md" "[All that dev changes](<https://github.com/"
    expect_in "a server's test beside others" "$work/served.compare" "2 time losses"
    report --test 14 -S "$url" --quiet --html "$work/tuned.html" >"$work/tuned.txt" 2>/dev/null
    report --test 14 -S "$url" --quiet --json >"$work/tuned.json" 2>/dev/null
    report --test 14 -S "$url" --quiet --markdown >"$work/tuned.md" 2>/dev/null
    expect_in "a tuning" "$work/tuned.txt" "W_PV      -1187.42  -1024  -4096   4096  598.011    256"
    expect_in "a tuning as JSON" "$work/tuned.json" '{"name":"HIST_DIV","value":15211.9073,"start":16384,'
    expect_in "a tuning as Markdown" "$work/tuned.md" "DIV | 15211.9 | 16384 | 256 | 65536 |"
    expect_in "a tuning as a page" "$work/tuned.html" "<h2 id=\"h-tuned\">Parameters</h2>"
    served="$work/served.html $work/tuned.html"
else
    echo "outputs: no scripted server was built: a test on a server is left out"
fi

# ---- Looked at ----

# moves_of FILE: of each game of a PGN file "ROUND GAME MOVE ...", with dev White in game 1.
moves_of() {
    awk '/^\[/ { if ($1 == "[Round") round = $2; if ($1 == "[White") white = $2; next }
        { text = text " " $0 }
        /^$/ && text ~ /(1-0|0-1|1\/2-1\/2) *$/ {
            gsub(/[^0-9]/, "", round)
            gsub(/\{[^}]*\}/, "", text)
            gsub(/(^| )[0-9]+\.+/, " ", text)
            sub(/(1-0|0-1|1\/2-1\/2) *$/, "", text)
            n = split(text, words, " ")
            line = round " " (white ~ /dev/ ? 1 : 2)
            for (i = 1; i <= n; i++)
                line = line " " words[i]
            print line
            text = ""
        }' "$1"
}

. "$srcdir/tests/tools/browser/find.sh"
if [ -z "$browser" ]; then
    echo "outputs: no chromium and node here: how the pages look is left out"
else
    node "$srcdir/tests/tools/browser/look.mjs" "$browser" "$pictures" "$work/pv.html" \
        "$work/cut.html" "$work/killer.html" "$work/cutoffs.html" "$work/killers.html" \
        "$work/reductions.html" "$work/faults.html" "$work/compare.html" "$work/few.html" "$work/same.html" \
        "$work/suite.html" $served || fail "the pages have faults of layout"
    # The board plays the games that were played. The browser leaves no files.
    mkdir "$work/home"
    HOME=$work/home TMPDIR=$work/home XDG_CONFIG_HOME='' XDG_CACHE_HOME='' \
        node "$srcdir/tests/tools/browser/play.mjs" "$browser" "$work/killers.html" >"$work/board" ||
        fail "the games on the page cannot be played through"
    expect "files that the browser left" "$(find "$work/home" -mindepth 1)" ""
    moves_of "$work/killers.pgn" | sort >"$work/moves"
    expect "games on the page" "$(wc -l <"$work/board")" 100
    sort "$work/board" | cmp -s - "$work/moves" ||
        fail "the page's games differ from the PGN's: $(sort "$work/board" | diff - "$work/moves" | head -n 2)"
    # The eyes see: a page that is broken on purpose is told apart from a good one.
    sed 's|<h1>|<h1 style="width:2000px;color:#ddd">|' "$work/pv.html" >"$work/broken.html"
    if node "$srcdir/tests/tools/browser/look.mjs" "$browser" "$work" "$work/broken.html" \
        >"$work/eyes" 2>&1; then
        fail "a broken page is not told apart"
    fi
    expect_in "what is said of a broken page" "$work/eyes" "px wide"
    expect_in "what is said of a broken page" "$work/eyes" "contrast"
fi
exit "$failed"
