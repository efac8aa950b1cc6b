#!/bin/sh
# SPDX-License-Identifier: MIT
# A match with a journal: killed, torn and interrupted, it goes on where it was and ends as if nothing
# had happened; a match of other settings, a file of another kind and a second process are refused.
set -eu

. "$srcdir/tests/match/common.sh"

cp "$work/book.epd" "$work/other.epd"
echo "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/R1BQKBNR b KQkq -" >>"$work/other.epd"

dev="$engine side=dev plan=45,30"
base="$engine side=base plan=45,30"
# match OPTIONS…: a match of two scripted engines; later options win.
match() {
    "$OBWORKER" match --dev "$dev" --base "$base" --book "$work/book.epd" --seed 3 --tc N=100 \
        --draw-adj "movenumber=0 movecount=3 score=10" "$@" >"$work/out" 2>"$work/err"
}

### One match from beginning to end.
match --games 60 --concurrency 1 --pgn "$work/whole.pgn" --journal "$work/whole" --json ||
    fail "the match: $(cat "$work/err")"
expect "pairs in the journal" "$(pairs "$work/whole")" 30
counts "$work/out" >"$work/whole.json"
"$OBWORKER" report --journal "$work/whole" --json >"$work/told.json"
counts "$work/told.json" >"$work/told"
cmp -s "$work/told" "$work/whole.json" ||
    fail "report and match differ: $(cat "$work/told" "$work/whole.json")"
match --games 60 --journal "$work/block" || fail "the match: $(cat "$work/err")"
"$OBWORKER" report --journal "$work/block" >"$work/told"
cmp -s "$work/told" "$work/out" || fail "report and match differ: $(cat "$work/told" "$work/out")"

### Refusals: one line, and the files stay as they are.
# refuse TEXT OPTIONS…
refuse() {
    before=$(cksum <"$work/whole"; cksum <"$work/whole.pgn")
    expect_refused "match --games 60 --quiet" 1 "$@"
    expect "lines of match $*" "$(lines "$work/err")" 1
    expect "files after match $*" "$(cksum <"$work/whole"; cksum <"$work/whole.pgn")" "$before"
}
again="--journal $work/whole --resume --pgn $work/whole.pgn"
refuse "exists; --resume goes on with it" --journal "$work/whole"
refuse "exists, and is no journal of a match: give another name" --journal "$0"
refuse 'was begun with seed 3, not 4 (--seed); take another --journal, or the engines and settings that began this one' $again --seed 4
refuse 'start 1, not 2' $again --start 2
refuse "dev's tc \"N=100\", not \"N=101\"" $again --dev-tc N=101
refuse "base's tc \"N=100\", not \"N=101\"" $again --base-tc N=101
refuse "base's options [" $again --base-option Hash=17
refuse "dev's name \"dev\", not \"new\"" $again --dev-name new
refuse "dev's arguments [" $again --dev "$engine side=dev plan=45,31"
refuse "book_sha256" $again --book "$work/other.epd"
refuse "chess960 false, not true" $again --chess960
refuse "margin 250, not 100" $again --margin 100
refuse "win_adj" $again --win-adj None
refuse "draw_adj" $again --draw-adj None
refuse "was begun without an SPRT (--games alone)" $again --bounds 0,5
refuse "pgn true, not false" --journal "$work/whole" --resume
refuse "dev was $engine side=dev plan=45,30 and is /bin/cat side=dev plan=45,30 now" $again --dev "/bin/cat side=dev plan=45,30"
cp "$engine" "$work/built"
match --dev "$work/built side=dev" --games 2 --journal "$work/old-build" || fail "$(cat "$work/err")"
echo >>"$work/built"
refuse "another build of dev: the program of $work/built side=dev had the SHA-256 " --dev "$work/built side=dev" \
    --journal "$work/old-build" --resume
expect_in "the way on" "$work/err" " now; take another --journal, or the engines"
refuse "other.epd: is not a journal: its first line has no checksum that matches; take another --journal, or move this file away" \
    --journal "$work/other.epd" --resume
cat "$work/whole" "$work/block" >"$work/both"
refuse "is a second head" --journal "$work/both" --resume --pgn "$work/both.pgn"
refuse "/no/such/folder" --journal /no/such/folder/x
# A match that did not begin leaves no journal: the corrected command begins it.
refuse "/no/such/folder" --journal "$work/early" --html /no/such/folder/x
[ ! -e "$work/early" ] || fail "a match that did not begin left a journal"
# A second run writes after the damaged line: else the line might be taken for one of a torn write.
cp "$work/whole" "$work/longer"
match --games 62 --journal "$work/longer" --resume --pgn "$work/longer.pgn" || fail "$(cat "$work/err")"
sed '5s/"plies":/"plies":1/' "$work/longer" >"$work/damaged"
refuse "line 5 is damaged" --journal "$work/damaged" --resume --pgn "$work/x.pgn"
### A report reads on past the damage, and says how many pairs the journal has lost.
"$OBWORKER" report --journal "$work/damaged" >"$work/out" 2>"$work/err" || fail "report: $(cat "$work/err")"
expect_in "what the report says" "$work/err" "warning: damaged: 1 pair is lost: line 5 is damaged"
expect_in "the report of a damaged journal" "$work/out" "Games | N: 60 "
code=0
match --resume || code=$?
expect "status of --resume alone" "$code" 2
expect_in "--resume alone" "$work/err" "--resume: --journal FILE is missing"

code=0
match --journal "$work/x" --pgn "$work/x" || code=$?
expect "status of one file for two things" "$code" 2
expect_in "one file for two things" "$work/err" "--pgn names the same file"

### A second process is refused while the first plays on; reading is not.
slow() {
    exec $limit "$OBWORKER" match --dev "$dev delay=100" --base "$base" --book "$work/book.epd" --seed 3 \
        --tc N=100 --games 1000 --journal "$work/held" --resume
}
limit=
(slow >/dev/null 2>&1) &
first=$!
until_in '"kind":"run"' "$work/held"
code=0
limit="timeout 60" # It would play on.
(slow >"$work/out" 2>"$work/err") || code=$?
expect "status of a second process" "$code" 1
expect_in "a second process" "$work/err" "another process is using it"
"$OBWORKER" report --journal "$work/held" >"$work/out" || fail "reading while it is played"
kill -KILL "$first"
wait "$first" 2>/dev/null || true

### A disk that is full: what counts is what is in the journal, and the match goes on from there.
code=0
(
    ulimit -f 24
    match --games 60 --concurrency 2 --journal "$work/full"
) || code=$?
expect "status with a full disk" "$code" 1
expect_in "a full disk" "$work/err" "--journal $work/full: File too large"
expect_in "a full disk's report" "$work/out" "Games | N: $((2 * $(pairs "$work/full"))) "
[ "$(pairs "$work/full")" -gt 2 ] || fail "$(pairs "$work/full") pairs before the disk was full"
match --games 60 --journal "$work/full" --resume --json || fail "after a full disk: $(cat "$work/err")"
counts "$work/out" | sed 's/"pgn":false/"pgn":true/' >"$work/told" # It has no PGN file, as the whole match has.
cmp -s "$work/told" "$work/whole.json" || fail "after a full disk it ends with $(cat "$work/told")"

### Every number of pairs is a place to go on from; a torn end is one too, and so is a PGN file that
### has less, half a game more, or all of it. Somebody else's games in it stay.
untimed "$work/whole.pgn" >"$work/whole.plain"
# rounds FIRST LAST: those of the whole match's games.
rounds() {
    awk -v first="$1" -v last="$2" '/^\[Event / { event = $0; next }
        /^\[Site / { site = $0; next } /^\[Date / { date = $0; next }
        /^\[Round / { gsub(/[^0-9]/, ""); round = $0 + 0; show = round >= first && round <= last
                      if (show) { print event; print site; print date
                                  print "[Round \"" round "\"]" }
                      next }
        show' "$work/whole.pgn"
}
rounds 1 30 | cmp -s - "$work/whole.pgn" || fail "the test takes the PGN apart wrongly"
other='[Event "of others"]

*'
# go_on WHAT [TORN]: goes on with $work/j and $work/j.pgn, which must then be as the whole ones. With TORN the journal
# ends within a record.
go_on() {
    match --games 60 --concurrency 2 --pgn "$work/j.pgn" --journal "$work/j" --resume --json ||
        fail "$1: $(cat "$work/err")"
    expect "$1: pairs in the journal" "$(pairs "$work/j")" 30
    counts "$work/out" >"$work/told"
    cmp -s "$work/told" "$work/whole.json" || fail "$1: the match ends with $(cat "$work/told")"
    [ "$(head -n 3 "$work/j.pgn")" = "$other" ] || fail "$1: others' games: $(head -n 3 "$work/j.pgn")"
    tail -n +5 "$work/j.pgn" >"$work/rest"
    untimed "$work/rest" | cmp -s - "$work/whole.plain" || fail "$1: the PGN differs"
    expect_in "$1: the log" "$work/err" "of games had been played${2:+; a torn record was dropped}"
    [ -n "${2-}" ] || ! grep -q "torn" "$work/err" || fail "$1: nothing is torn: $(cat "$work/err")"
}
for done in 0 1 7 29 30; do
    for bytes in 0 700 5000 1000000; do
        head -n $((done + 2)) "$work/whole" >"$work/j"
        sed -n "$((done + 3))p" "$work/whole" | head -c $((bytes / 10)) >"$work/next"
        cat "$work/next" >>"$work/j"
        torn=$(tail -c 1 "$work/next" | tr -d "\n")
        { echo "$other"; echo; rounds 1 "$done" | head -c "$bytes"; } >"$work/j.pgn"
        go_on "from $done pairs and $bytes bytes of PGN" "${torn:+torn}"
    done
done
# A match that was stopped has written what it had after a gap.
# gap: the journal and the PGN of a match that ended with pairs 1 to 9 and 11 to 18.
gap() {
    head -n 20 "$work/whole" | sed 12d >"$work/j"
    { echo "$other"; echo; rounds 1 9; rounds 11 18; } >"$work/j.pgn"
}
gap
go_on "with a gap"
# With fewer games than before the gap is filled too.
gap
match --games 34 --pgn "$work/j.pgn" --journal "$work/j" --resume || fail "$(cat "$work/err")"
expect "pairs of a shorter match with a gap" "$(pairs "$work/j")" 18
# Others' games that came after are not cut, and nothing is written twice.
gap
echo "$other" >>"$work/j.pgn"
match --games 60 --pgn "$work/j.pgn" --journal "$work/j" --resume || fail "$(cat "$work/err")"
expect "rounds in the PGN" "$(grep '^\[Round' "$work/j.pgn" | sort | uniq -c | grep -c '^ *2 ')" 30
expect "others' games" "$(grep -c "of others" "$work/j.pgn")" 2
before=$(cksum <"$work/j.pgn")
match --games 60 --pgn "$work/j.pgn" --journal "$work/j" --resume || fail "$(cat "$work/err")"
expect "the PGN after one more --resume" "$(cksum <"$work/j.pgn")" "$before"
# Who keeps only what is before a damaged line plays the later pairs again, and learns that the PGN has them already.
head -n 5 "$work/whole" >"$work/j"
{ echo "$other"; echo; rounds 1 5; } >"$work/j.pgn"
match --games 12 --pgn "$work/j.pgn" --journal "$work/j" --resume || fail "$(cat "$work/err")"
expect_in "lost pairs" "$work/err" "warning: --pgn $work/j.pgn: has games of a pair 4 that the journal does not have,"
expect "rounds in the PGN" "$(sed -n 's/^\[Round "\(.*\)"\]/\1/p' "$work/j.pgn" | sort -n | uniq -c | awk '{ printf "%s ", $1 }')" \
    "2 2 2 4 4 2 "
# Another match's games begin with its own first pair: nothing is said of them.
head -n 5 "$work/whole" >"$work/j"
{ rounds 1 3; rounds 1 5; } >"$work/j.pgn"
match --games 8 --pgn "$work/j.pgn" --journal "$work/j" --resume || fail "$(cat "$work/err")"
! grep -q "has games of a pair" "$work/err" || fail "a warning of another match's games: $(cat "$work/err")"

### A match that is decided is not played on, and a new one starts where there is none.
match --journal "$work/sprt" --resume --bounds 0,200 --concurrency 2 || fail "$(cat "$work/err")"
expect_in "the log" "$work/err" "there is none yet"
cp "$work/out" "$work/first"
before=$(cksum <"$work/sprt")
match --journal "$work/sprt" --resume --bounds 0,200 || fail "$(cat "$work/err")"
cmp -s "$work/out" "$work/first" || fail "the decided match reports $(cat "$work/out")"
expect "the decided match's journal" "$(cksum <"$work/sprt")" "$before"
# Without its first pair, which --resume would play, no pair counts; the report says so.
grep -v '"kind":"pair","pair":0,' "$work/sprt" >"$work/waiting"
"$OBWORKER" report --journal "$work/waiting" >"$work/told" 2>"$work/err" || fail "report: $(cat "$work/err")"
expect_in "a missing pair" "$work/told" "Games | N: 0 "
expect_in "the games behind a missing pair" "$work/err" \
    "waiting: $((2 * $(pairs "$work/waiting"))) games do not count yet: pair 1, before them, is not played"
### The journal knows in which Elo the bounds are: the match is not gone on with in another, and the
### report judges by it.
for model in normalized logistic bayes; do
    match --journal "$work/$model" --bounds 0,100 --model "$model" --concurrency 2 || fail "$(cat "$work/err")"
    "$OBWORKER" report --quiet --journal "$work/$model" >"$work/told"
    cmp -s "$work/told" "$work/out" || fail "$model: report and match differ: $(cat "$work/told" "$work/out")"
    unit="$model Elo"
    [ "$model" != bayes ] || unit="Bayes Elo"
    expect_in "the verdict of $model" "$work/err" "the SPRT accepts H1: 100.00 rather than 0.00 $unit"
    "$OBWORKER" report --quiet --journal "$work/$model" --markdown >"$work/told"
    expect_in "the settings of $model" "$work/told" "| SPRT | \\[0.00, 100.00\\] $unit, error rates 0.05 and 0.05 |"
    grep '^LLR' "$work/out"
done >"$work/models"
expect "models that decide alike" "$(sort "$work/models" | uniq -d)" ""
expect_in "the logistic block" "$work/models" "[0.00, 100.00] logistic"
code=0
match --journal "$work/logistic" --resume --bounds 0,100 || code=$?
expect "status of another model" "$code" 1
expect_in "another model" "$work/err" 'was begun with model "logistic", not "normalized"'
match --games 4 --seed 7 --journal "$work/seed" --verbose || fail "$(cat "$work/err")"
# plies: those that the worker divides its own CPU time by.
plies() { sed -n 's/.*own CPU time: .* s for \([0-9]*\) plies.*/\1/p' "$work/err"; }
first=$(plies)
"$OBWORKER" match --dev "$dev" --base "$base" --book "$work/book.epd" --tc N=100 --games 8 --verbose \
    --draw-adj "movenumber=0 movecount=3 score=10" --journal "$work/seed" --resume \
    >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
expect_in "the journal's seed" "$work/err" "seed 7"
expect "pairs of the longer match" "$(pairs "$work/seed")" 4
second=$(plies)
match --games 8 --seed 7 --verbose || fail "$(cat "$work/err")"
expect "plies of both runs" "$((first + second))" "$(plies)"

### Somebody else reads the games.
second_opinion "$work/whole.pgn" || fail "the second opinion on the games"

exit "$failed"
