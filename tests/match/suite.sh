#!/bin/sh
# SPDX-License-Identifier: MIT
# Suites: several variants against one base give each what a match of its own would, in any order,
# across interruptions, with a table in the end; faults are told with file and line.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"

cat >suite <<END
# Scripted engines of different strength.
base = $engine plan=40,30 side=base
tc = N=100
draw-adj = None
slice = 7

strong   $engine plan=60,30
same     $engine plan=40,30
weak     $engine plan=20,30
END

# begin OPTIONS…: plays it in the background, as $job; the journals' folder is "journals".
begin() {
    rm -f out err # Or an earlier one's words would be taken for its own.
    "$OBWORKER" match --suite suite --journal journals --book book.epd --seed 3 --sandbox off "$@" >out 2>err &
    job=$!
}
# suite OPTIONS…: plays it.
suite() {
    begin "$@"
    wait "$job"
}
# alone NAME PLAN OPTIONS…: the same match by itself.
alone() {
    plan=$2
    shift 2
    "$OBWORKER" match --dev "$engine plan=$plan" --base "$engine plan=40,30 side=base" --tc N=100 --draw-adj None \
        --book book.epd --seed 3 --sandbox off --json "$@" 2>/dev/null
}
# of NAME: its counts in the table of --json.
of() {
    awk '{ gsub(/[}],[{]/, "}\n{"); print }' out | sed -n "s/.*{\"name\":\"$1\",\(\"games\".*\"verdict\":[^,]*\).*/\1/p"
}
# same_as_alone NAME PLAN OPTIONS…
same_as_alone() {
    name=$1
    expect "counts of $name" "$(of "$name")" "$(alone "$@" | sed 's/^{\("games".*"verdict":[^,]*\).*/\1/')"
}
three() {
    same_as_alone strong 60,30 "$@"
    same_as_alone same 40,30 "$@"
    same_as_alone weak 20,30 "$@"
}

### Every variant gets what a match of its own would, by evidence and in turn.
suite --games 40 --json || fail "$(cat err)"
three --games 40
expect "the first of the table" "$(sed 's/^.{"name":"\([a-z]*\)".*/\1/' out)" strong
rm -r journals
suite --games 40 --json --order turn || fail "$(cat err)"
three --games 40
expect "variants in turn" "$(grep -c 'after' err)" 0

### It goes on where it was, with more games, and a killed one too.
suite --games 60 && fail "a suite began again without --resume"
expect_in "that" err "journals/strong.jsonl: exists; --resume goes on"
suite --games 60 --resume --json || fail "$(cat err)"
three --games 60
rm -r journals
begin --games 200 --concurrency 2
until_in '"kind":"pair"' journals/weak.jsonl 10
kill -9 "$job"
wait "$job" 2>/dev/null || true
suite --games 80 --resume --json --concurrency 2 || fail "$(cat err)"
for name in strong same weak; do
    games=$(of "$name" | sed 's/"games":\([0-9]*\),.*/\1/')
    [ "$games" -ge 80 ] || fail "$name has $games games after going on"
done
rm -r journals

### The first interrupt finishes what is played, shows the table, and says how to go on.
begin --games 4000
until_in 'games  W' err
kill -INT "$job"
wait "$job" || fail "an interrupted suite ended with status $?"
expect_in "the interrupted suite's table" out "strong"
expect_in "how to go on" err "journals in journals: the same command with --resume goes on from here"
rm -r journals

### A page that cannot be written is told before anything is played.
code=0
suite --games 4 --html /no/such/folder/x.html || code=$?
expect "status with a page that cannot be written" "$code" 1
expect_in "a page that cannot be written" err "--html: /no/such/folder/x.html"
[ ! -e journals ] || fail "games were played before a page that cannot be written was told"

### An SPRT decides each; the table says so.
sed 's/plan=20,30/plan=0,10/' suite >suite.new && mv suite.new suite
suite --bounds 0,60 --slice 20 || fail "$(cat err)"
grep -q 'strong.* H1 ' out || fail "no H1 for strong in: $(cat out)"
grep -q 'weak.* H0 ' out || fail "no H0 for weak in: $(cat out)"
rm -r journals
awk '/^slice/ { print "model = bayes" } { print }' suite >suite.bayes
"$OBWORKER" match --suite suite.bayes --book book.epd --seed 3 --sandbox off --bounds 0,60 --json >out 2>err || fail "$(cat err)"
same_as_alone strong 60,30 --bounds 0,60 --model bayes
same_as_alone weak 0,10 --bounds 0,60 --model bayes
rm -r suite.bayes.journals

### A program that is replaced while the suite is played plays no game under the old one's name.
cp "$engine" built
printf 'base = %s\ntc = N=50\none %s plan=60,30\ntwo %s plan=50,30\n' "$engine" "$PWD/built" "$engine" >changing
"$OBWORKER" match --suite changing --journal journals --book book.epd --games 4000 --slice 1 --sandbox off >out 2>err &
job=$!
until_in 'one: after [0-9]* games' err
cp built new && mv new built # The same bytes are the same program.
until_in 'one: after [0-9]* games' err $(($(grep -c 'one: after' err) + 2))
cp built new && echo >>new && mv new built
until_in "$PWD/built was replaced while the match was played" err
kill -INT "$job"
wait "$job" && fail "a suite whose program was replaced ended well"
rm -r journals

### A variant that equals its base is named.
twins="dev and base are the same program with the same settings"
printf 'base = %s\ntc = N=50\nother %s plan=60,30\nequal %s\n' "$engine" "$engine" "$engine" >twins
"$OBWORKER" match --suite twins --book book.epd --games 4 --sandbox off >out 2>err || fail "$(cat err)"
expect_in "a variant that equals its base" err "warning: equal: $twins"
expect "warnings of equal variants" "$(grep -c "$twins" err)" 1

### What all variants share is warned of once, however many slices are played.
"$OBWORKER" match --suite twins --journal crowded --book book.epd --games 4 --slice 1 --tc 60+1 --concurrency 999 \
    --option Hash=1024 --sandbox off >out 2>err || fail "$(cat err)"
expect "slices" "$(grep -c ': begins$\|: after [0-9]* games$' err)" 4
for warning in "999 cores would be needed" "MB of memory for their engines"; do
    expect "warnings: $warning" "$(grep -c "$warning" err)" 1
done

### What is on the command line counts more than the file; without --journal there is a folder beside it.
"$OBWORKER" match --suite suite --book book.epd --games 4 --tc N=50 --sandbox off >out 2>err || fail "$(cat err)"
expect_in "a journal" suite.journals/same.jsonl '"tc":"N=50"'
expect "seeds" "$(cat suite.journals/*.jsonl | sed -n 's/.*"seed":\([0-9]*\),.*/\1/p' | sort -u | wc -l)" 1

### A variant that fails is told, and the others are played.
cat >suite <<END
base = $engine plan=40,30
tc = N=100
good   $engine plan=60,30
bad    $engine start=exit
END
code=0
suite --games 8 || code=$?
expect "status with a variant that fails" "$code" 1
expect_in "a variant that fails" err "suite: line 4: bad: failed, see above"
grep -q '^good .* 8$' out || fail "good was not played to its end: $(cat out)"
rm -r journals

### A variant may have a base of its own, and then needs no other.
cat >own <<END
tc = N=100
strong   $engine plan=60,30   against   $engine plan=20,30
turned   $engine plan=20,30	against	$engine plan=60,30
END
"$OBWORKER" match --suite own --book book.epd --games 8 --seed 3 --sandbox off --json --html own.html >out 2>err || fail "$(cat err)"
expect "points of a pair of sides, and turned" \
    "$(of strong | sed 's/.*"wins":\([0-9]*\),"losses":\([0-9]*\).*/\1 \2/')" \
    "$(of turned | sed 's/.*"wins":\([0-9]*\),"losses":\([0-9]*\).*/\2 \1/')"
expect_in "the variant's own base" own.journals/strong.jsonl 'plan=20,30"'
expect_in "the page of several bases" own.html "Tests side by side"
echo "other   $engine plan=40,30" >>own
code=0
"$OBWORKER" match --suite own --games 4 2>err || code=$?
expect "status where one variant has no base" "$code" 2
expect_in "where one variant has no base" err "--base: is missing: the engine that other of "

### Faults of the file: its name, the line, status 2, and nothing is made.
# refuse TEXT LINES…
refuse() {
    text=$1
    shift
    printf '%s\n' "$@" >suite
    expect_refused suite 2 "$text" --games 4
    [ ! -e journals ] || fail "journals were made of: $*"
}
refuse "suite: line 2: 'one': expected a name and a SPEC, or option = value" "# x" "one"
refuse "suite: line 2: the name a is that of line 1 too" "a lmr:" "a lmr:KILLER=0"
refuse "suite: line 1: 'a/b' is not a valid name for a variant" "a/b lmr:"
refuse "suite: line 2: both engines are named own: one of them needs another name" "base-name = own" "own lmr:KILLER=0" "base = lmr:"
refuse "suite: line 2: base is an option: expected base = VALUE" "a lmr:KILLER=0" "base lmr:"
refuse "suite: line 1: tc is an option: expected tc = VALUE" "tc N=100" "base = lmr:" "a lmr:KILLER=0"
refuse "suite: names no variant" "# nothing" "base = lmr:"
refuse "suite: line 2: --tc: time control 'x'" "a lmr:" "tc = x"
refuse "suite: line 1: --games: 7 is odd" "games = 7" "a lmr:"
refuse "suite: line 1: --bounds: " "bounds=5" "a lmr:"
refuse "suite: line 1: " "nonsense = 5" "a lmr:"
refuse "nonsense" "nonsense = 5" "a lmr:"
refuse "suite: line 2: resume may stand only on the command line" "" "resume = 1" "a lmr:"
refuse "suite: line 1: dev may stand only on the command line" "dev = lmr:" "a lmr:"
refuse "--base: is missing" "a lmr:"
refuse "--build-path: is for engines of git: or tree:" "build-path = ." "base = lmr:" "a lmr:KILLER=0"
code=0
"$OBWORKER" match --suite none 2>err || code=$?
expect "status without a file" "$code" 2
expect_in "no file" err "none: No such file"
printf 'base = %s\na %s\nb lmr:KILLR=0\n' "$engine" "$engine" >suite
code=0
suite --games 4 || code=$?
expect "status with an engine that cannot be built" "$code" 1
expect_in "an engine that cannot be built" err "unknown row KILLR (did you mean KILLER?)"
expect_in "an engine that cannot be built" err "suite: line 3: b: failed"
expect "journals before engines are there" "$(ls journals)" ""

exit "$failed"
