#!/bin/sh
# SPDX-License-Identifier: MIT
# obworker tune: finds a known optimum, goes the same way however many games are played at a time and
# wherever it was interrupted, plays both games of a pair with the same values, and writes what it
# found into the tables of the tree.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"

value='Value, int, 0, -300, 300, 20, 0.02'
idle='Idle, int, 10, -300, 300, 20, 0.02'
# tune OPTIONS…: a tuning of the scripted engine whose best Value is 120. exec=exec: takes the shell's place.
# gate: another word for the engine.
exec=
gate=
tune() {
    $exec "$OBWORKER" tune --engine "$engine tuned=120,150$gate" --param "$value" --param "$idle" --tc N=100 --book book.epd \
        --seed 3 --win-adj "movecount=1 score=400" --draw-adj "movenumber=1 movecount=1 score=10" --sandbox off "$@"
}
# path FILE: the values after each iteration, of a JSON result.
path() { sed 's/.*"path":\(\[.*\]\]\).*/\1/' "$1"; }
# last FILE: the last Value.
last() { sed 's/.*setoption name Value value \(-\{0,1\}[0-9]*\).*/\1/' "$1"; }

### A known optimum is found, and a parameter without meaning is left about where it is.
tune --iterations 300 --json --journal found.jsonl --html found.html >found.json 2>err || fail "$(cat err)"
found=$(last found.json)
[ "$found" -gt 80 ] && [ "$found" -lt 160 ] || fail "the best Value is 120; found: $found"
grep -q "^iteration [0-9]* of 300, " err || fail "no progress was shown: $(cat err)"
expect_in "the page" found.html "Parameters between their bounds"
expect_in "the page" found.html "further than chance takes them"
expect_in "the last iteration's steps" found.json '"c":20,"c_end":20,"r":0.02,"r_end":0.02'

### `report` makes the same of the journal.
"$OBWORKER" report --journal found.jsonl --json >again.json
expect "the path of report" "$(path again.json)" "$(path found.json)"
"$OBWORKER" report --journal found.jsonl >again.txt
expect_in "the report's text" again.txt "Tune  | iterations=300/300 pairs=8 alpha=0.602 gamma=0.101 a-ratio=0.1"
expect_in "the report's text" again.txt "setoption name Value value $found"

### The way is the same with any number of games at a time.
tune --iterations 30 --concurrency 1 --json >one.json 2>err || fail "$(cat err)"
for games in 3 16; do
    tune --iterations 30 --concurrency $games --json >many.json 2>err || fail "$(cat err)"
    expect "the path with $games games at a time" "$(path many.json)" "$(path one.json)"
done

### Each iteration knows the results of those before, but for the last N - 1: 2 by default.
for overlap in 1 2; do
    tune --iterations 30 --overlap $overlap --journal overlap$overlap --json >$overlap.json 2>err || fail "$(cat err)"
done
expect "the path with two iterations in play" "$(path 2.json)" "$(path one.json)"
[ "$(path 1.json)" != "$(path one.json)" ] || fail "--overlap 1 changes nothing"
if tune --iterations 30 --journal overlap1 --resume >out 2>err; then fail "a tuning goes on with another overlap"; fi
expect_in "another overlap" err "the tuning's overlap 1, not 2"
waits() { tune --iterations 1 "$@" >out 2>err || fail "$(cat err)"; }
waits --concurrency 17
expect_in "too many places" err "17 games at a time will wait for each other: an iteration has 16 games, and 2 iterations may be in play at a time; raise --overlap or --pairs-per"
waits --concurrency 2 --overlap 1
expect_in "no overlap" err "1 iteration may be in play at a time"
waits --concurrency 16
if grep -q "will wait" err; then fail "16 places have games: $(cat err)"; fi

### Interrupted three times, and killed once, it goes the same way. Each player of a game waits for a
### ticket, and each round has tickets for 22 games: no interruption comes too late.
played() { if [ -f cut.jsonl ]; then grep -c '"kind":"pair"' cut.jsonl || true; else echo 0; fi; }
mkfifo tickets
exec 9<>tickets
gate=" tickets=$work/tickets"
for signal in INT INT KILL INT; do
    wanted=$(($(played) + 5))
    exec=exec
    tune --iterations 30 --concurrency 3 --journal cut.jsonl --resume --json >cut.json 2>err &
    exec=
    job=$!
    printf %44s >&9
    while [ "$(played)" -lt $wanted ] && kill -0 $job 2>/dev/null; do
        sleep 0.05
    done
    kill -$signal $job || fail "the tuning was over before it was interrupted: $(cat err)"
    printf %12s >&9 # For the pairs under way.
    wait $job || true
done
printf %960s >&9
tune --iterations 30 --concurrency 2 --journal cut.jsonl --resume --json >cut.json 2>err || fail "$(cat err)"
gate=
tune --iterations 1 --journal mistyped.jsonl --resume >/dev/null 2>err || fail "$(cat err)"
expect_in "a tuning whose journal is not there" err "mistyped.jsonl: there is none yet"
expect "the path after interruptions" "$(path cut.json)" "$(path one.json)"
expect "pairs of the journal" "$(pairs cut.jsonl)" 240

### Both games of a pair are played with the same values, colours swapped.
"$OBWORKER" tune --engine "$engine tuned=120,150 log=log" --param "$value" --tc N=100 --book book.epd --seed 3 \
    --draw-adj "movenumber=1 movecount=1 score=10" --sandbox off --iterations 5 --concurrency 1 >out 2>err || fail "$(cat err)"
for process in $(cut -d' ' -f1 log | sort -u); do
    sed -n "s/^$process setoption name Value value //p" log
done | awk '{ if (NR % 2 == 0 && $1 != before) print "game " NR ": " $1 ", not " before; before = $1; n[$1] }
    END { if (NR != 160) print NR " games, not 160"; if (length(n) < 3) print "the values do not change" }' >faults
expect "values of pairs" "$(cat faults)" ""

### What is wrong is said before anything is played.
refused() { # WHAT WORDS OPTIONS…
    what=$1
    words=$2
    shift 2
    if tune "$@" >out 2>err; then fail "$what: is not refused"; fi
    expect_in "$what" err "$words"
}
refused "other parameters" "the tuning's parameters" --journal found.jsonl --resume --iterations 300 --param "More, int, 0, 0, 9, 1, 0.1"
refused "another schedule" "the tuning's iterations 300, not 200" --journal found.jsonl --resume --iterations 200
refused "a parameter twice" "--param: VALUE is given twice" --param "VALUE, int, 0, -1, 1, 1, 0.1"
refused "no parameter" "--param: Other, int, 0: is not" --param "Other, int, 0"
refused "a parameter that is fixed" "--option value=1: Value is tuned" --option value=1
refused "an unknown option" "Unknown: the engine has no such option" --param "Unknown, int, 0, -1, 1, 1, 0.1" --iterations 2
refused "a value that the option does not take" "Hash" --param "Hash, int, 0, -9, 1, 1, 0.1" --iterations 2
refused "a limit that the option does not take" "Hash=99999999: out of its range" --param "Hash, int, 16, 1, 99999999, 1, 0.1" --iterations 2
refused "fractions of whole numbers" ": not a whole number" --param "Hash, float, 16, 1, 64, 1, 0.1" --iterations 2
echo "More, int, 0, 0, 9, 1, 0.1" >rows
refused "a page over its parameters" "--html ./rows: --params names the same file" --params rows --html ./rows
expect_in "the parameters' file" rows "More, int, 0, 0, 9, 1, 0.1"
refused "a folder of builds for a program" "--build-path: is for engines of git: or tree:" --build-path src
refused "--apply for another's engine" "--apply: writes this project's tables" --apply
refused "--apply beside other rows" "--apply: the tables would get the tuned rows alone, without those of lmr:PRESET=t4" \
    --engine lmr:PRESET=t4 --apply
if "$OBWORKER" match --dev "$engine" --base "$engine" --tc N=100 --book book.epd --journal found.jsonl --resume >out 2>err; then
    fail "a match goes on with a tuning's journal"
fi
expect_in "a match on a tuning's journal" err "found.jsonl"

### Behind a damaged pair nothing moves, and the report says so.
line=$(grep -n '"kind":"pair"' found.jsonl | sed -n '5{s/:.*//;p;}')
sed "${line}s/\"pair\":/\"paor\":/" found.jsonl >damaged.jsonl
"$OBWORKER" report --journal damaged.jsonl >out 2>err || fail "a damaged journal: $(cat err)"
cat out >>err
grep -q "1 pair is lost: line $line is damaged; [0-9]* later pairs move no parameter: the values are those of iteration [0-9]" err ||
    fail "a damaged tuning: $(cat err)"

### Our own engine is built from the tree with TUNE=1, and its tables are written.
mkdir -p tree/engine/lmr tree/engine/search tree/deep/er
cp "$srcdir/engine/lmr/flags.awk" "$srcdir/engine/lmr/flags.def" "$srcdir/engine/lmr/presets.def" tree/engine/lmr
cp "$srcdir/engine/search/params.def" tree/engine/search
printf 'all:\n\ttest "$(TUNE)" = 1\n\tprintf "#!/bin/sh\\nexec %s tuned=260,200 names=DIV,LATE_BASE\\n" >$(EXE)\n\tchmod +x $(EXE)\n' \
    "$engine" >tree/engine/Makefile
cd tree/deep/er
own() {
    OBWORKER_DATADIR='' "$OBWORKER" tune --engine lmr: --param "DIV, int, 170, 50, 1000, 10, 0.05" \
        --param "LATE_BASE, int, 8, 0, 64, 1, 0.01" --tc N=100 --book "$work/book.epd" --seed 3 --iterations 60 \
        --win-adj "movecount=1 score=400" --draw-adj "movenumber=1 movecount=1 score=10" --sandbox off "$@" >"$work/out" 2>"$work/err"
}
own || fail "$(cat "$work/err")"
div=$(sed -n 's/^setoption name DIV value //p' "$work/out")
late=$(sed -n 's/^setoption name LATE_BASE value //p' "$work/out")
expect_in "the sources" "$work/err" "lmr: is built from $(cd ../.. && pwd -P)/engine"
expect_in "the SPEC" "$work/out" "lmr:DIV=$div,LATE_BASE=$late"
cmp -s "$srcdir/engine/lmr/flags.def" ../../engine/lmr/flags.def || fail "the table was written without --apply"
cp -R "$work/tree" "$work/patched"
sed -n '/^--- a/,$p' "$work/out" >"$work/diff"
if own --param "w_pv, int, 0, -9, 9, 1, 0.05" --journal "$work/lower.jsonl"; then fail "a row in small letters is tuned"; fi
expect_in "a row in small letters" "$work/err" "unknown row w_pv (did you mean W_PV?)"
[ ! -e "$work/lower.jsonl" ] || fail "a row in small letters is found out too late"
own --apply || fail "$(cat "$work/err")"
expect "the DIV of the table" "$(sed -n 's/^DIV *| *I *| *\([0-9]*\).*/\1/p' ../../engine/lmr/flags.def)" "$div"
if command -v patch >/dev/null; then
    patch -s -d "$work/patched" -p1 <"$work/diff" || fail "patch refuses: $(cat "$work/diff")"
    diff -r "$work/patched" "$work/tree" || fail "the difference is not what --apply writes"
else
    echo "left out: the difference, which patch(1) would read" >&2
fi
rm "$work/tree/engine/lmr/flags.def"
if own --apply; then fail "--apply without a tree"; fi
expect_in "--apply without a tree" "$work/err" "--apply: this folder is in no tree"
exit $failed
