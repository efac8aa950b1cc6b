#!/bin/sh
# SPDX-License-Identifier: MIT
# The lab: docs/LAB.md is what obworker makes of docs/lab/results.json; and a small lab of scripted
# engines is played, added to suite by suite, and shown.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"

### The published tables.
if [ -f "$srcdir/docs/lab/results.json" ]; then
    "$OBWORKER" report --lab "$srcdir/docs/lab/results.json" --markdown >LAB.md
    # SUITE/NAME DEV BASE of each comparison, in the results and in the suites.
    sed -n 's/^{"suite":"\([^"]*\)","name":"\([^"]*\)","dev":"\([^"]*\)","base":"\([^"]*\)".*/\1\/\2 \3 \4/p' \
        "$srcdir/docs/lab/results.json" | sort >played
    awk -f "$srcdir/tests/tools/comparisons.awk" "$srcdir"/docs/lab/*.suite | sort >planned
    comm -23 played planned >differing
    [ -s played ] || fail "no comparison was found in the published results"
    [ ! -s differing ] || fail "results of other engines than the suites name now: $(cat differing)"
    cmp LAB.md "$srcdir/docs/LAB.md" ||
        fail "docs/LAB.md is not what obworker report --lab docs/lab/results.json --markdown writes"
else
    echo "lab: there are no results in docs/lab yet"
    [ ! -e "$srcdir/docs/LAB.md" ] || fail "docs/LAB.md has no results in docs/lab/results.json"
fi

### The published claims can be read.
mkdir published
cp "$srcdir/docs/lab/claims.def" published
echo '{"version":1,"comparisons":[]}' >published/results.json
"$OBWORKER" report --lab published/results.json --markdown >out 2>err || fail "claims.def: $(cat err)"
expect_in "a lab without games" out "No comparison has games yet."
expect "a lab without games in plain text" "$("$OBWORKER" report --lab published/results.json)" "No comparison has games yet."

### A lab of two suites.
mkdir -p docs/lab
cp "$srcdir/docs/lab/lab.sh" docs/lab
cat >docs/lab/claims.def <<END
= First
a/strong | helps | +
a/turned | harms | -
= Second
b/same | nothing changes | 0
= Third
a/strong less a/turned | helping | +
a/strong less b/same | helping |
END
options="tc = N=100
games = 24
seed = 3
book = $work/book.epd
sandbox = off"
printf '%s\n' "# A comment" "$options" "" "strong $engine plan=60,30 against $engine plan=0,10" \
    "turned $engine plan=0,10 against $engine plan=60,30" >docs/lab/a.suite
printf '%s\n' "$options" "" "# A comment" "same $engine plan=40,30 against $engine plan=40,30 side=base" >docs/lab/b.suite
unset LAB_OPTIONS
lab() { REDUCTIO=$REDUCTIO docs/lab/lab.sh "$@" >out 2>err || fail "lab.sh $*: $(cat err)"; }
lab play journals a
lab report journals
expect "comparisons of one suite" "$(grep -c '"suite":"a"' docs/lab/results.json)" 2
grep -q '\[a/strong\](<lab/a.suite>) | helps: stronger | .*plan=60,30 against .* | +.* | 24 | true here |' docs/LAB.md || fail "a/strong in: $(cat docs/LAB.md)"
grep -q '\[a/turned\](<lab/a.suite>) | harms: weaker | .* | -.* | 24 | true here |' docs/LAB.md || fail "a/turned in: $(cat docs/LAB.md)"
grep -q '\[a/strong\](<lab/a.suite>) less \[a/turned\](<lab/a.suite>) | helping: gains more | +.* | 48 | true here |' docs/LAB.md ||
    fail "a/strong less a/turned in: $(cat docs/LAB.md)"
grep -q 'less \[b/same' docs/LAB.md && fail "a difference from nothing: $(cat docs/LAB.md)"
expect "a table without rows" "$(grep -A 2 '^## Second' docs/LAB.md | tail -n 1)" "Not played yet: b/same."
expect_in "how much was played" docs/LAB.md "2 of 3 comparisons have games"
lab play journals
lab report journals
expect "comparisons of both" "$(grep -c '"suite":"[ab]"' docs/lab/results.json)" 3
grep -q 'less \[b/same\](<lab/b.suite>) | helping | .* | 48 | ' docs/LAB.md || fail "a/strong less b/same in: $(cat docs/LAB.md)"
expect "games after playing a suite again" "$(grep -c '"games":24' docs/lab/results.json)" 3
grep -q 'Not played yet' docs/LAB.md && fail "a complete lab lacks something: $(cat docs/LAB.md)"
expect "the bench" "$(grep -c "\"bench\":$(cat journals/bench),\"" docs/lab/results.json)" 3
"$OBWORKER" report --lab docs/lab/results.json journals/a/strong.jsonl >out 2>err || fail "without --bench: $(cat err)"
expect "the bench after a report without --bench" "$(grep -c "\"bench\":$(cat journals/bench),\"" docs/lab/results.json)" 3
for page in lab lab-a_2fstrong lab-a_2fturned lab-b_2fsame; do
    [ -s "journals/$page.html" ] || fail "no page $page.html"
done
expect_in "the lab's page" journals/lab.html 'href="lab-a_2fstrong.html"'
expect_in "the lab's page" journals/lab.html 'true here'
"$OBWORKER" report --lab docs/lab/results.json --json >out
expect_in "JSON" out '"claim":"harms","claimed":"-","finding":"true here"'
expect_in "a difference in JSON" out '"name":"a/strong less a/turned","games":48,"elo":'
"$OBWORKER" report --lab docs/lab/results.json >out
grep -q 'a/turned .* 24  true here$' out || fail "no finding in the text: $(cat out)"
grep -q '<a href="lab-a_2fstrong.html">.*</a> less <a href="lab-a_2fturned.html">' journals/lab.html || fail "no difference on the lab's page"
! grep -q "$work" docs/lab/results.json docs/LAB.md || fail "folders of this machine are in the results"

### An interrupt ends the lab, although the match that it ended reports success: the choice stays.
cat >interrupted <<END
#!/bin/sh
[ "\$1" = match ] || exec "$OBWORKER" "\$@"
kill -INT \$PPID
END
chmod 755 interrupted
for shell in sh bash; do
    command -v "$shell" >shell || { echo "left out: an interrupt under $shell, which is not installed"; continue; }
    OBWORKER=./interrupted REDUCTIO=$REDUCTIO "$shell" docs/lab/lab.sh more journals 56 2>err && fail "$shell: the lab went on after an interrupt"
    grep -qs '^same' journals/b.open-56 || fail "$shell: an interrupt made the lab forget its choice: $(cat err)"
    rm -f journals/b.open-56
done

### More games go to the comparisons whose interval holds both signs, and to no other.
lab more journals 40
expect "games of comparisons that are decided" "$(cat journals/a/*.jsonl | grep -c '"kind":"pair"')" 24
expect "pairs of the one that is open" "$(pairs journals/b/same.jsonl)" 20
expect_in "a suite without open comparisons" err "a: no comparison is open"
docs/lab/lab.sh more journals "" 2>err && fail "more games were played to no number"
expect_in "more without a number" err "how many games in all"
cp journals/b/same.jsonl stopped
echo "not a journal" >journals/b/same.jsonl
docs/lab/lab.sh more journals 48 2>err && fail "a journal that cannot be read counts as decided"
expect_in "a journal that cannot be read" err "journals/b/same.jsonl"
mv stopped journals/b/same.jsonl
grep -v '^same' docs/lab/b.suite >journals/b.open-48
lab more journals 48
expect "pairs after a stopped run that had not chosen it" "$(pairs journals/b/same.jsonl)" 20
lab report journals
expect "the games after more" "$(grep -c '"games":40' docs/lab/results.json)" 1

### Another machine, which has no journals, goes on from the results; the games of both count.
results_of() { sed -n "s/.*\"name\":\"$1\",.*\(\"games\":.*\)/\1/p" docs/lab/results.json; }
# counts JSON...: wins, losses, draws and the pairs' counts of the matches, added up.
counts() {
    printf '%s\n' "$@" | sed 's/.*"wins":\([0-9]*\),"losses":\([0-9]*\),"draws":\([0-9]*\),"penta":.\([0-9,]*\).*/\1,\2,\3,\4/' |
        awk -F, '{ for (i = 1; i <= NF; i++) sum[i] += $i } END { for (i = 1; i <= NF; i++) printf "%d ", sum[i] }'
}
journal() { "$OBWORKER" report --journal "$1" --json; }
# openings JOURNAL: the openings of its pairs, in their order.
openings() { grep -o '"opening":[0-9]*' "$1" | cut -d: -f2 | sort -n | tr '\n' ' '; }
cp docs/lab/results.json complete
"$OBWORKER" match --suite docs/lab/b.suite --journal first/b --games 14 --quiet >out 2>err || fail "14 games: $(cat err)"
rm docs/lab/results.json
"$OBWORKER" report --lab docs/lab/results.json --bench "$(cat journals/bench)" first/b/same.jsonl >out 2>err || fail "14 games: $(cat err)"
LAB_OPTIONS="--games 26" lab play second b
expect "pairs played behind 7" "$(pairs second/b/same.jsonl)" 6
expect_in "the second journal" second/b/same.jsonl '"start":8,'
expect "openings behind 7" "$(openings second/b/same.jsonl)" "1 2 3 8 9 10 "
journal second/b/same.jsonl >second.json
"$OBWORKER" match --again second.json --journal again.jsonl --quiet >out 2>err || fail "again behind 7: $(cat err)"
expect "openings behind 7, again" "$(openings again.jsonl)" "1 2 3 8 9 10 "
lab report second
lab report second
expect "games of both" "$(results_of same | cut -d, -f1)" '"games":26'
LAB_OPTIONS="--games 26" lab play second b
expect "pairs of a lab that is complete" "$(pairs second/b/same.jsonl)" 6
lab more third 40 b
expect "pairs played behind 13" "$(pairs third/b/same.jsonl)" 7
expect "openings behind 13" "$(openings third/b/same.jsonl)" "4 5 6 7 8 9 10 "
lab report third
expect "counts of three machines" "$(counts "$(results_of same)")" \
    "$(counts "$(journal first/b/same.jsonl)" "$(journal second/b/same.jsonl)" "$(journal third/b/same.jsonl)")"

### A machine that comes back: its games count already, and it plays on in another folder alone.
cp docs/lab/results.json before
for folder in first second; do
    cp journals/bench $folder/bench
    lab report $folder
    expect_in "an older journal" err "$folder/b/same.jsonl: its games count already, among the 40 of b/same"
    cmp before docs/lab/results.json || fail "an older journal changed the results"
    LAB_OPTIONS="--games 44" REDUCTIO=$REDUCTIO docs/lab/lab.sh play $folder b 2>err && fail "openings were played again"
    expect_in "playing on in $folder" err "another machine has played on, or this journal has lost pairs. Take a new folder"
done
expect "pairs of the first machine" "$(pairs first/b/same.jsonl)" 7
expect_in "the ends" err "second/b/same.jsonl: ends before opening 14, but the results of b/same go on to opening 20"
"$OBWORKER" match --suite docs/lab/b.suite --journal short/b --games 6 --quiet >out 2>err || fail "6 games: $(cat err)"
"$OBWORKER" report --lab short.json short/b/same.jsonl >out 2>err || fail "6 games: $(cat err)"
"$OBWORKER" report --lab short.json second/b/same.jsonl >out 2>err && fail "a journal with a gap before it was taken"
expect_in "a gap" err "second/b/same.jsonl: begins at opening 8, but the results of b/same end before opening 4"
"$OBWORKER" report --lab alone.json second/b/same.jsonl >out 2>err && fail "a journal without its earlier games was taken"
expect_in "a journal alone" err "second/b/same.jsonl: goes on from 14 games that the results do not have"
# Of a stopped match that lacks its third pair, the lab takes those before it: the next machine begins
# with the missing one.
mkdir -p gap/b
grep -v '"kind":"pair","pair":2,' first/b/same.jsonl >gap/b/same.jsonl
"$OBWORKER" report --lab gap.json gap/b/same.jsonl >out 2>err || fail "a missing pair: $(cat err)"
expect_in "a missing pair" err "gap/b/same.jsonl: pair 3 is missing: only the 2 before it count in the lab"
expect_in "the games before a missing pair" gap.json '"games":4,'
"$OBWORKER" match --suite docs/lab/b.suite --after gap.json --journal filled/b --games 8 --quiet >out 2>err || fail "behind a gap: $(cat err)"
expect_in "the journal behind a missing pair" filled/b/same.jsonl '"start":3,'
# A damaged line makes a gap that --resume does not fill: it refuses the journal. A second run writes
# behind it, else the line might be taken for one of a torn write.
mkdir -p lost/first
"$OBWORKER" match --suite docs/lab/b.suite --journal lost/b --games 10 --quiet >out 2>err || fail "10 games: $(cat err)"
"$OBWORKER" match --suite docs/lab/b.suite --journal lost/b --games 12 --resume --quiet >out 2>err || fail "12 games: $(cat err)"
# lost INDEX: what the lab says when the pair of this index is damaged, in err; its line is $at.
lost() {
    at=$(awk "/\"kind\":\"pair\",\"pair\":$1,/ { print NR }" lost/b/same.jsonl)
    sed "${at}s/\"plies\":/\"plies\":1/" lost/b/same.jsonl >lost/first/same.jsonl
    rm -f lost.json
    "$OBWORKER" report --lab lost.json lost/first/same.jsonl >out 2>err || fail "damage: $(cat err)"
    expect_in "damage" err "warning: same.jsonl: 1 pair is lost: line $at is damaged"
    expect_in "the way on" err "; --resume refuses line $at: put back what stood there, or keep what is before it (head -n $((at - 1)))"
}
lost 2
expect_in "a lost pair" err "lost/first/same.jsonl: pair 3 is missing: only the 2 before it count in the lab, until it is played"
lost 0
expect_in "the first pair lost" err "lost/first/same.jsonl: its first pair is missing: no game counts in the lab, until it is played"
# Its head says another start than its pairs have; the line's checksum is made again.
mkdir -p stray/b
cp second/bench stray/bench
# rewritten FILE SED: the journal with another head.
rewritten() {
    head=$(sed "1!d; $2; s/,\"crc\":\"[0-9a-f]*\"}\$//" "$1")
    crc=$(printf %s "$head" | gzip | tail -c 8 | od -An -tx1 -N4 | awk '{ print $4 $3 $2 $1 }')
    printf '%s,"crc":"%s"}\n' "$head" "$crc"
    sed 1d "$1"
}
rewritten second/b/same.jsonl 's/"start":8,/"start":14,/' >stray/b/same.jsonl
REDUCTIO=$REDUCTIO docs/lab/lab.sh report stray 2>err && fail "a journal of other openings was taken"
expect_in "a journal of other openings" err "stray/b/same.jsonl: its pairs are of other openings than its start says"
cmp before docs/lab/results.json || fail "a journal of other openings changed the results"
LAB_OPTIONS="--games 40" lab play fourth b
[ ! -e fourth/b/same.jsonl ] || fail "a journal without games: $(cat fourth/b/same.jsonl)"
"$OBWORKER" match --suite docs/lab/b.suite --after docs/lab/results.json --journal fourth/b/ --games 40 --quiet >out 2>err || fail "$(cat err)"
[ ! -e fourth/b/same.jsonl ] || fail "a slash behind the folder hid its results"
if grep "has no games" err; then fail "a suite of the results is taken for another one"; fi
"$OBWORKER" match --suite docs/lab/b.suite --after docs/lab/results.json --journal fourth/other --games 2 --quiet >out 2>err || fail "$(cat err)"
expect_in "a folder that names no suite of the results" err "warning: --after: docs/lab/results.json has no games of the suite that the journals' folder fourth/other names, so no earlier games count"
"$OBWORKER" match --suite docs/lab/b.suite --after docs/lab/results.json --journal fourth/b --games 40 --quiet --json >after.json 2>err || fail "$(cat err)"
expect_in "what is not known of games elsewhere" after.json '"crashes":null,"timelosses":null,"illegals":null,"plies":null,'
expect_in "the time of games elsewhere" after.json '"seconds":null,'
# after OPTION...: what obworker says of a suite after these results.
after() { "$OBWORKER" match --suite docs/lab/b.suite --after docs/lab/results.json --journal fifth/b "$@" >out 2>err && fail "played: $*"; true; }
after --seed 4
expect_in "another seed" err "seed is 4, but the results of b/same have 3"
after --tc N=200
expect_in "another time control" err "tc is N=200, but the results of b/same have N=100"
after --base-tc N=200
expect_in "another time control of base" err "base's tc is N=200, but the results of b/same have N=100"
after --base-option Hash=32
expect_in "other options" err "base's UCI options are Threads=1 Hash=32, but in the results of b/same they are Threads=1 Hash=16"
after --max-moves 50
expect_in "another limit of moves" err "max-moves is 50, but the results of b/same have 0"
after --openings-order sequential
expect_in "another order" err "order of openings is sequential, but the results of b/same have random"
after --win-adj None
expect_in "another adjudication of wins" err "win adjudication is None, but the results of b/same have movecount=3 score=400"
after --draw-adj None
expect_in "another adjudication of draws" err "draw adjudication is None, but the results of b/same have movenumber=40 movecount=8 score=10"
sed 's/"win_adj":"[^"]*","draw_adj":"[^"]*",//' docs/lab/results.json >unnoted.json
"$OBWORKER" match --suite docs/lab/b.suite --after unnoted.json --journal unnoted/b --win-adj None --games 42 --quiet >out 2>err || fail "results without adjudication rules: $(cat err)"
after --start 2
expect_in "another start" err "--start is 2, but the results of b/same begin at opening 1"
"$OBWORKER" report --lab docs/lab/results.json --html docs/../docs/lab/results.json 2>err && fail "the page took the place of the results"
expect_in "a page in place of the results" err "--lab names the same file"
after --html page.html
expect_in "--html" err "--html: needs the journals of all games"
"$OBWORKER" match --dev "$engine" --base "$engine" --after docs/lab/results.json 2>err && fail "--after without a suite"
expect_in "--after without a suite" err "--after: is for the variants of a --suite"
mv complete docs/lab/results.json

### An SPRT that goes on is judged with its earlier games, and says so in its journal.
sed 's/^games.*/bounds = 0,60/' docs/lab/b.suite >docs/lab/sprt.suite
# sprt FOLDER OPTION...
sprt() {
    sprt_folder=$1
    shift
    "$OBWORKER" match --suite docs/lab/sprt.suite --journal "$sprt_folder/sprt" --quiet "$@" >out 2>err || fail "an SPRT: $(cat err)"
}
sprt one --games 2
"$OBWORKER" report --journal one/sprt/same.jsonl --html one.html >out 2>err || fail "one pair of an SPRT: $(cat err)"
expect_in "the path of one pair" one.html "Log likelihood ratio over games"
sprt whole --games 40
sprt first --games 14
"$OBWORKER" report --lab sprt.json first/sprt/same.jsonl >out 2>err || fail "the first games of an SPRT: $(cat err)"
mkdir -p gap/sprt
grep -v '"kind":"pair","pair":2,' first/sprt/same.jsonl >gap/sprt/same.jsonl
"$OBWORKER" report --lab sprt-gap.json gap/sprt/same.jsonl >out 2>err || fail "an SPRT with a missing pair: $(cat err)"
expect_in "an SPRT with a missing pair" err "gap/sprt/same.jsonl: pair 3 is missing: only the 2 before it count in the lab"
sprt second --games 40 --after sprt.json
expect_in "the head of an SPRT that goes on" second/sprt/same.jsonl "\"earlier\":[$(counts "$(journal first/sprt/same.jsonl)" | sed 's/ $//; s/ /,/g')]"
expect "the LLR of all its games" "$("$OBWORKER" report --journal second/sprt/same.jsonl --markdown | sed -n 's/.*the LLR of all games is \([-0-9.]*\).*/\1/p')" \
    "$(journal whole/sprt/same.jsonl | sed 's/.*"llr":\([-0-9.]*\).*/\1/' | xargs printf %.2f)"
mkdir -p alone/sprt
rewritten second/sprt/same.jsonl 's/"earlier":[^]]*],//' >alone/sprt/same.jsonl
"$OBWORKER" report --lab sprt.json alone/sprt/same.jsonl >out 2>err && fail "an SPRT that was judged without its earlier games was taken"
expect_in "an SPRT that was judged alone" err "alone/sprt/same.jsonl: its SPRT did not begin with the games"
"$OBWORKER" report --lab sprt.json second/sprt/same.jsonl >out 2>err || fail "an SPRT that goes on: $(cat err)"
expect "counts of an SPRT in two parts" "$(counts "$(grep '"suite"' sprt.json)")" "$(counts "$(journal whole/sprt/same.jsonl)")"

### A tuning compares nothing.
mkdir tuned
"$OBWORKER" tune --engine "$engine tuned=120,150" --param 'Value, int, 0, -300, 300, 20, 0.02' --iterations 2 --tc N=100 \
    --book book.epd --sandbox off --journal tuned/value.jsonl --quiet >out 2>err || fail "a tuning: $(cat err)"
"$OBWORKER" report --lab tuned.json tuned/value.jsonl >out 2>err && fail "a tuning was taken"
expect_in "a tuning" err "tuned/value.jsonl: is a tuning, and no match of a suite"

### Statistics of fixed searches.
cat >tunable <<'END'
#!/bin/sh
[ "${1:-}" != bench ] || exec "$REDUCTIO" bench
awk '/PRESET/ { preset = $NF } /lmr stats/ { printf "{\"preset\":\"%s\",\"depth\":%d,\"positions\":10,\"moves\":1000,\"deep_moves\":600,\"reduced\":500,\"reduction_sum\":900,\"researched\":20,\"held\":9,\"accepted\":1,\"best_nodes\":50,\"best_first_tenth\":40,\"best_first_fifth\":45,\"nodes_on\":1000,\"nodes_off\":%d,\"deeper\":1.50}\n", preset, $3, $3 * 300 }'
END
chmod +x tunable
sed 's/^awk.*/cat >\/dev\/null; exit 139/' tunable >failing
chmod +x failing
LAB_TUNABLE=./failing docs/lab/lab.sh statistics journals 2>err && fail "an engine that crashes gave statistics"
expect_in "an engine that crashes" err "gives no statistics of modern at depth 9"
[ ! -f journals/statistics.json ] || fail "an engine that crashes left statistics"
LAB_TUNABLE=./tunable lab statistics journals
lab report journals
expect_in "the statistics" docs/LAB.md "## T0: statistics"
grep -q '| preset t0pvs | claim | depth 9 | depth 11 | depth 13 | finding |' docs/LAB.md || fail "no statistics of t0pvs: $(cat docs/LAB.md)"
grep -q '| moves reduced, of all in the move loop | 40-60 % | 50.0 % | 50.0 % | 50.0 % | true here |' docs/LAB.md ||
    fail "moves reduced: $(cat docs/LAB.md)"
grep -q '| fewer nodes | 40-60 % | 63.0 % | 69.7 % | 74.4 % | more |' docs/LAB.md || fail "fewer nodes: $(cat docs/LAB.md)"
grep -q '| how many times fewer nodes | 5-10 times faster, by all five techniques | .*| not tested |' docs/LAB.md ||
    fail "times: $(cat docs/LAB.md)"
grep -q '| best move among the first 10 % of the moves | about 90 % of nodes | .* |' docs/LAB.md || fail "10 %: $(cat docs/LAB.md)"
grep -q '| reduced moves searched again | 10-20 % | 4.0 % .*| less |' docs/LAB.md || fail "searched again: $(cat docs/LAB.md)"
expect "statistics after a second report" "$(grep -c '"preset":' docs/lab/results.json)" 6
expect_in "the lab's page" journals/lab.html "T0: statistics"

### A lab belongs to one engine, and results do not shrink.
echo 1 >journals/bench
docs/lab/lab.sh play journals a 2>err && fail "a lab went on with another engine"
expect_in "another engine" err "was begun with the engine of bench 1"
LAB_TUNABLE=./tunable docs/lab/lab.sh statistics journals 2>err && fail "statistics of another engine"
expect_in "statistics of another engine" err "was begun with the engine of bench 1"
sed 's/"bench":[0-9]*/"bench":1/' docs/lab/results.json >others.json
(
    export LAB_RESULTS=others.json LAB_OPTIONS="--games 2"
    lab play sixth b
    expect_in "results of another engine" err "others.json has games of the engine of bench 1, and this one has"
    expect "pairs of a lab that begins anew" "$(pairs sixth/b/same.jsonl)" 1
    exit "$failed"
) || failed=1
docs/lab/lab.sh play journals c 2>err && fail "a suite that is none was played"
expect_in "no such suite" err "begins with 'c'"
mkdir -p fewer/a
"$OBWORKER" match --dev "$engine plan=60,30" --base "$engine plan=0,10" --tc N=100 --games 4 --book book.epd --sandbox off \
    --journal fewer/a/strong.jsonl --quiet >out
cp docs/lab/results.json before
"$OBWORKER" report --lab docs/lab/results.json fewer/a/strong.jsonl >out 2>err && fail "24 games became 4"
expect_in "fewer games" err "4 games, but the results have 24 of a/strong"
cmp before docs/lab/results.json || fail "refused results changed the file"

"$OBWORKER" report --lab docs/lab/results.json --bench 1 journals/a/strong.jsonl >out 2>err && fail "another bench was taken"
expect_in "results of another bench" err "the engine's bench is 1, but that of "
cmp before docs/lab/results.json || fail "another bench changed the results"
echo '{"preset":"t1","depth":9}' >part.json
"$OBWORKER" report --lab docs/lab/results.json part.json >out 2>err && fail "a part of the statistics was taken"
expect_in "a part of the statistics" err "part.json: line 1: statistics"

### What obworker refuses.
"$OBWORKER" report --lab none.json >out 2>err && fail "a file that is none was reported"
expect_in "no results" err "none.json: No such file"
"$OBWORKER" report --bench 5 --penta 1,2,3,2,1 >out 2>err && fail "--bench without --lab"
expect_in "--bench alone" err "--bench: belongs to --lab"

exit "$failed"
