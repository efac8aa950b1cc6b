#!/bin/sh
# SPDX-License-Identifier: MIT
# `obworker match` as people and scripts see it: what is printed where, exit statuses, the PGN file,
# the same verdict at any number of games at a time, Ctrl-C, and that nothing is left running.
set -eu
. "$srcdir/tests/match/common.sh"

# match DEV-ARGUMENTS BASE-ARGUMENTS OPTIONS…: a match of two scripted engines.
match() {
    dev=$1
    base=$2
    shift 2
    "$OBWORKER" match --dev "$engine side=dev $dev" --base "$engine side=base $base" \
        --book "$work/book.epd" --seed 3 --tc N=100 \
        --draw-adj "movenumber=0 movecount=3 score=10" "$@" >"$work/out" 2>"$work/err"
}
# status COMMAND…: its exit status.
status() {
    code=0
    "$@" || code=$?
    echo "$code"
}

### An engine that only fails ends the match with words that help against its fault.
expect "status of an engine that is late" "$(status match delay=700 "" --tc 0.1 --base-tc 60 --games 20)" 1
expect_in "an engine that is late" "$work/err" "overrun); --margin allows later moves, and --concurrency fewer games at a time"
expect "status of an engine that plays no move" "$(status match fault=illegal "" --games 20)" 1
expect_in "an engine that plays no move" "$work/err" "failed in 3 games without a sound game between"
expect "words of the sandbox" "$(grep -c -e "--sandbox off" "$work/err" || true)" 0

### Mistakes: one line, a status, nothing on stdout.
mistake() { expect_refused "obworker match" "$@"; } # STATUS TEXT OPTIONS…
mistake 2 "--dev: is missing" --base "$engine"
mistake 2 "unknown option --devv (did you mean --dev?)" --devv x
mistake 2 "unknown option --nonsense" --nonsense
mistake 1 "lmr is no program; this project's engine is lmr:" --dev lmr --base "$engine" --book "$work/book.epd"
mistake 1 "unknown row KILLR (did you mean KILLER?)" --dev lmr:KILLR=0 --base "$engine" --book "$work/book.epd"
mistake 2 "--bounds: 5,0: the first must be below the second" --dev "$engine" --base "$engine" --bounds 5,0
mistake 2 "base time in seconds: '8:30' is not a number" --dev "$engine" --base "$engine" --tc 8:30
mistake 2 "--games: 7 is odd" --dev "$engine" --base "$engine" --games 7
mistake 2 "--model: 'elo' is not one of normalized|logistic|bayes" --dev "$engine" --base "$engine" --model elo
mistake 2 "--tc" --dev "$engine" --base "$engine" --tc nonsense
mistake 2 "--base-tc" --dev "$engine" --base "$engine" --base-tc N=0
mistake 2 "not NAME=VALUE" --dev "$engine" --base "$engine" --dev-option =1
mistake 2 "--option: 'Hash' is not NAME=VALUE" --dev "$engine" --base "$engine" --option Hash
mistake 1 "--html: /no/such/page.html: cannot be written" --dev "$engine" --base "$engine" --games 2 --html /no/such/page.html
mistake 2 "--sandbox: 'yes' is not one of on|off|auto" --dev "$engine" --base "$engine" --sandbox yes
mistake 1 "/no/such/engine: no such file" --dev /no/such/engine --base "$engine" --book "$work/book.epd"
expect "lines about openings before an engine that is missing" "$(grep -c "openings, seed" "$work/err")" 0
mistake 1 "book.epd: not executable" --dev "$work/book.epd" --base "$engine" --book "$work/book.epd"
mistake 1 "--start: 17 is past the end of the book" --dev "$engine" --base "$engine" --book "$work/book.epd" --start 17
mistake 2 "--exit-verdict: --games without --bounds has no SPRT" --dev "$engine" --base "$engine" --games 2 --exit-verdict
mistake 2 "--confidence: --games without --bounds has no SPRT" --dev "$engine" --base "$engine" --games 2 --confidence 0.1,0.1
mistake 2 "--model: --games without --bounds has no SPRT" --dev "$engine" --base "$engine" --games 2 --model bayes
mistake 2 "--build-path: is for engines of git: or tree:; a SPEC without a prefix is a program" --dev "$engine" --base lmr: --games 2 --build-path .
mistake 1 "/no/such/book" --dev "$engine" --base "$engine" --book /no/such/book
mistake 1 "/no/such/folder/x.pgn" --dev "$engine" --base "$engine" --book "$work/book.epd" \
    --pgn /no/such/folder/x.pgn
mistake 1 "MB are available: give the engines a smaller Hash" --dev "$engine" --base "$engine" --book "$work/book.epd" \
    --tc N=1 --option Hash=33554432 --concurrency 2
mistake 1 "said: cannot open the network file" --dev "$engine start=exit" --base "$engine" \
    --book "$work/book.epd" --tc N=1 --quiet
expect "lines about an engine that does not start" "$(lines "$work/err")" 1

### Help fits an ordinary terminal.
for command in "" $("$OBWORKER" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
    [ "$command" != serve ] || "$OBWORKER" serve --help >/dev/null 2>&1 || continue # built without
    "$OBWORKER" $command --help >"$work/out" || fail "status of $command --help"
    expect "lines of $command --help that are too long" "$(awk 'length > 79' "$work/out")" ""
    [ -n "$command" ] || continue
    expect_in "$command --help" "$work/out" "Exit status: 0 done, 1 failed, 2 wrong usage"
    expect "obworker help $command" "$("$OBWORKER" help $command)" "$(cat "$work/out")"
    [ $command = check-engine ] || [ "$(grep -c '^[A-Z].*:$' "$work/out")" -ge 3 ] || fail "$command --help has no groups"
done
expect "obworker -V" "$("$OBWORKER" -V)" "$("$OBWORKER" --version)"
expect "obworker help of no command" "$("$OBWORKER" help macth 2>&1 | head -n 1)" \
    "obworker: 'macth' is not a command (did you mean match?)"
expect "a mistyped command" "$("$OBWORKER" macth 2>&1 | head -n 1)" \
    "obworker: 'macth' is not a command (did you mean match?)"

### An option that an engine does not take ends the match: no report says that the option was set.
refused() { # TEXT OPTION…
    text=$1
    shift
    expect_refused match 1 "$text" "" "" --games 2 "$@"
    ! grep -qF "in the sandbox" "$work/err" || fail "the sandbox has no part in $*: $(cat "$work/err")"
}
refused "Hsh: the engine has no such option (did you mean Hash?)" --option Hsh=3
refused "Hash=999999999MB: not a whole number" --option Hash=999999999MB
refused "Hash=9999: out of its range 1 to 1024" --base-option Hash=9999
refused "Style=Shy: not one of its values" --dev-option Style=Shy
refused "UCI_Chess960=true: these games are of chess" --base-option uci_chess960=true
refused "it has no option UCI_Chess960" --chess960 --dev "$engine start=no960"
expect "status with it in Chess960" "$(status match "" "" --games 2 --chess960 --option UCI_Chess960=true)" 0
expect "status with a button" "$(status match "" "" --games 2 --option "Clear Hash=")" 0
expect "status without the option Hash" "$(status match habits habits --games 2)" 0
expect_in "the log without the option Hash" "$work/err" "warning: dev: option skipped: Hash: the engine has no such option"

### A path with blanks is a program; where there is none, the first word is one.
mkdir "$work/with space"
ln -s "$engine" "$work/with space/engine"
code=0
(cd "$work" && "$OBWORKER" match --dev "./with space/engine" --base "$engine side=base" --games 2 \
    --book book.epd --tc N=100 --draw-adj "movenumber=0 movecount=3 score=10") >"$work/out" \
    2>"$work/err" || code=$?
expect "status of a path with blanks" "$code" 0

### A book in a zip, as servers hand books out, is played like the plain one.
if command -v git >/dev/null; then
    mkdir "$work/zipped"
    (cd "$work/zipped" && cp ../book.epd . && git init -q . && git add book.epd &&
        git archive --format=zip --output=../book.epd.zip "$(git write-tree)")
    for book in book.epd book.epd.zip; do
        "$OBWORKER" match --dev "$engine side=dev" --base "$engine side=base" --book "$work/$book" --seed 3 \
            --tc N=100 --games 4 --pgn "$work/$book.pgn" --quiet >"$work/out" 2>"$work/err" ||
            fail "a match with $book: $(cat "$work/err")"
        untimed "$work/$book.pgn" >"$work/$book.games"
    done
    cmp -s "$work/book.epd.games" "$work/book.epd.zip.games" || fail "the book in a zip gave other games"
    cp "$work/book.epd.zip" "$work/zip.epd"
    mistake 1 "zip.epd: is a zip; the name of a zip must end in .zip" --dev "$engine" --base "$engine" \
        --book "$work/zip.epd"
else
    echo "left out: a book in a zip: git is not installed"
fi

### Warnings that name what is wrong.
twins="dev and base are the same program with the same settings"
expect "status of two engines" "$(status match "" "side=dev" --games 2)" 0
! grep -qF "$twins" "$work/err" || fail "dev and base are not the same"
"$OBWORKER" match --dev "$engine" --base "$engine" --book "$work/book.epd" --tc N=1 --games 2 \
    >"$work/out" 2>"$work/err" || fail "the match of twins: $(cat "$work/err")"
expect_in "a match of twins" "$work/err" "warning: $twins"
for difference in "--dev-dir $work" "--base-margin 7"; do
    "$OBWORKER" match --dev "$engine" --base "$engine" --book "$work/book.epd" --tc N=1 --games 2 $difference \
        >"$work/out" 2>"$work/err" || fail "the match with $difference: $(cat "$work/err")"
    ! grep -qF "$twins" "$work/err" || fail "dev and base are not the same with $difference"
done

head -n 1 "$work/book.epd" >"$work/one.epd"
"$OBWORKER" match --dev "$engine" --base "$engine side=base" --book "$work/one.epd" --tc N=1 --games 2 \
    >"$work/out" 2>"$work/err" || fail "the match of one opening: $(cat "$work/err")"
expect_in "a book of one opening" "$work/err" "1 opening, seed "
repeats="the book has 1 opening, and more pairs are played"
! grep -qF "$repeats" "$work/err" || fail "one pair repeats no opening"
for end in "--games 4" "--bounds 0,5"; do
    "$OBWORKER" match --dev "$engine plan=100,0" --base "$engine side=base plan=100,0" --book "$work/one.epd" \
        --tc N=1 $end >"$work/out" 2>"$work/err" || fail "the match with $end: $(cat "$work/err")"
    expect "warnings of repeated openings with $end" "$(grep -cF "warning: $repeats" "$work/err")" 1
done

### A report, in the same words at any number of games at a time.
plan=plan=50,30
for concurrency in 1 8; do
    expect "status at concurrency $concurrency" \
        "$(status match $plan $plan --concurrency $concurrency --pgn "$work/$concurrency.pgn")" 0
    cp "$work/out" "$work/$concurrency.out"
done
cmp -s "$work/1.out" "$work/8.out" ||
    fail "the reports differ: $(cat "$work/1.out") and $(cat "$work/8.out")"
expect_in "the report" "$work/1.out" "SPRT  | N=100 Threads=1 Hash=16MB"
expect "lines of the report" "$(wc -l <"$work/1.out")" 5
games=$(sed -n 's/^Games | N: \([0-9]*\) .*/\1/p' "$work/1.out")
[ "${games:-0}" -gt 20 ] || fail "the SPRT ended after '${games:-}' games: too few to compare"
expect_in "the log" "$work/err" " games  W "
expect_in "the log" "$work/err" "endings: "
ended=$(sed -n 's/.*endings: \(.*\);.*/\1/p' "$work/err" | tr ',' '\n' | awk '{ n += $1 } END { print n }')
left=$(sed -n 's/^[^0-9]*\([0-9]*\) of these games do not count: their pairs stand behind the deciding pair$/\1/p' "$work/err")
expect "games by their endings that count" $((ended - ${left:-0})) "$games"
expect "games in the PGN at concurrency 1" "$(grep -c '^\[Round ' "$work/1.pgn")" "$games"
for concurrency in 1 8; do
    awk -f "$srcdir/tests/match/pgn_plain.awk" "$work/$concurrency.pgn" |
        head -n $((games * 11)) >"$work/$concurrency.plain"
    # Rounds rise, dev has White first.
    awk '/^Round/ { gsub(/"/, "", $2); round = $2 + 0 }
         /^White/ { n++; want = n % 2 ? "\"dev\"" : "\"base\""
                    if ($2 != want) { print "game " n ": White is " $2; bad = 1 }
                    if (round < last) { print "round " round " after " last; bad = 1 }
                    last = round }
         END { exit bad }' "$work/$concurrency.plain" || fail "the PGN's order at $concurrency"
done
cmp -s "$work/1.plain" "$work/8.plain" || fail "the PGN files differ"

### The verdict as exit status, on request.
expect "status of H1" "$(status match plan=100,0 plan=100,0 --exit-verdict)" 0
expect "status of H0" "$(status match plan=0,0 plan=0,0 --exit-verdict --json)" 3
expect_in "the JSON object of H0" "$work/out" '"verdict":"H0"'
expect "status of an undecided SPRT" \
    "$(status match plan=50,0 plan=50,0 --exit-verdict --games 2 --bounds 0,5)" 4

### A fixed number of games, JSON, and a PGN file that is appended to.
expect "status with --games" "$(status match plan=100,0 plan=100,0 --games 6 --json \
    --concurrency 3 --pgn "$work/1.pgn" --dev-name new --base-name old)" 0
expect_in "the JSON object" "$work/out" '"games":6'
expect_in "the JSON object" "$work/out" '"penta":[0,0,0,0,3]'
expect_in "the JSON object" "$work/out" '"verdict":"none"'
expect "lines of JSON" "$(wc -l <"$work/out")" 1
expect "games after appending" "$(grep -c '^\[Round ' "$work/1.pgn")" $((games + 6))
expect_in "names in the PGN" "$work/1.pgn" '[White "new"]'

### Faults are counted, the match goes on.
expect "status with a fault" \
    "$(status match "fault=die once=$work/once" "" --games 4 --json --quiet --sandbox off)" 0
expect_in "the JSON object" "$work/out" '"crashes":1'
transcript=$(sed -n 's/.*; transcript: //p' "$work/err")
expect_in "the transcript that the log names" "$transcript" "> go nodes 100"
expect "the mode of the state folder" "$(ls -ld "$XDG_STATE_HOME/obworker" | cut -c1-10)" drwx------
expect_in "a fault in the log" "$work/err" " disconnects: dev ("

### More games at a time than the shell's limit of open files has pipes for.
(ulimit -S -n 32 && exec "$OBWORKER" match --dev "$engine" --base "$engine" --book "$work/book.epd" --tc N=100 \
    --draw-adj "movenumber=0 movecount=3 score=10" --games 40 --concurrency 20 --quiet >"$work/out" 2>"$work/err") ||
    fail "with few open files: $(cat "$work/err")"

### And fewer than an event loop needs.
for command in "match --base $engine --games 2 --book $work/book.epd --dev" check-engine; do
    code=0
    (ulimit -n 7 && exec "$OBWORKER" $command "$engine" --sandbox off) >"$work/out" 2>"$work/err" || code=$?
    expect "status of ${command%% *} without an event loop" "$code" 1
    expect_in "${command%% *} without an event loop" "$work/err" "error: no event loop: too many open files"
done

### More memory than there is: said, and played all the same.
expect "status with a vast table" \
    "$(status match "" "" --games 2 --option Hash=1024 --concurrency 999 --quiet)" 0
expect_in "the log" "$work/err" " of memory for their engines, and "

### More games than cores, with clocks: said at the start, measured, and told at the end.
expect "status when crowded" "$(status match "" "" --games 4 --tc 5+0.1 --concurrency 999 --json)" 0
expect_in "the log when crowded" "$work/err" "warning: 999 games at a time: 999 cores would be needed, of "
if "$OBWORKER" --version | grep -q '^Sandbox: none on this system'; then
    echo "left out: how long engines waited: this build does not know"
elif grep -q "^some " /proc/pressure/cpu 2>/dev/null; then
    expect_in "the log when crowded" "$work/err" "engines waited for a CPU "
    expect_in "the JSON object when crowded" "$work/out" '"cpu_waited":0'
else
    echo "left out: how long engines waited: this system has no /proc/pressure/cpu"
fi
expect "status when not timed" "$(status match "" "" --games 4 --concurrency 999 --json)" 0
grep -q "cores would be needed" "$work/err" && fail "without clocks nothing needs cores: $(cat "$work/err")"
expect_in "the JSON object without clocks" "$work/out" '"cpu_waited":null'

### Tables end games of as many men as is allowed, and no others.
if "$OBWORKER" --version | grep -q 'Syzygy adjudication: yes' && [ -d "${RD_SHARED:-/nonexistent}/syzygy" ]; then
    echo "8/8/8/4k3/8/8/1N6/2Q1K3 w - - hmvc 0; fmvn 1;" >"$work/four.epd"
    for men in 3 4; do
        "$OBWORKER" match --dev "$engine side=dev" --base "$engine side=base" --book "$work/four.epd" --games 2 \
            --tc N=100 --draw-adj "movenumber=0 movecount=3 score=10" --syzygy "$RD_SHARED/syzygy" \
            --syzygy-men "$men" --pgn "$work/men$men.pgn" --quiet >"$work/out" 2>"$work/err" ||
            fail "a match with tables of $men men: $(cat "$work/err")"
    done
    expect "games of four men that tables of three end" "$(grep -c 'SyzygyTB' "$work/men3.pgn")" 0
    expect "games of four men that tables of four end" "$(grep -c 'SyzygyTB' "$work/men4.pgn")" 2
else
    echo "left out: adjudication by tables: no tables here, or no libfathom in this build"
fi

### In the sandbox an engine plays, and what else it tries fails, by its own words.
mkdir "$work/home" "$work/scratch"
echo secret >"$work/home/password"
# shut_in ADVERB TRICK…: a match in the sandbox, whose dev tries these before its first move.
shut_in() {
    wish=$1
    shift
    tricks=
    for trick; do tricks="$tricks trick=$trick"; done
    HOME=$work/home TMPDIR=$work/scratch status match "$tricks" "" --games 2 --sandbox "$wish" \
        --pgn "$work/sandbox.pgn" --transcripts "$work"
}
if [ "$(shut_in on scratch "read:$work/home/password" "write:$work/home/note" connect:1 fork)" -eq 0 ]; then
    tr '\n' ' ' <"$work/sandbox.pgn" >"$work/sandbox.line"
    for words in "scratch done" "password refused" "note refused" "connect:1 refused (Operation" \
        "fork refused"; do
        expect_in "the engine in the sandbox" "$work/sandbox.line" "$words"
    done
    expect_in "its games" "$work/out" "Games | N: 2 "
    expect "scratch folders left" "$(ls "$work/scratch")" ""
    expect "warnings about the sandbox" "$(grep -c sandbox "$work/err" || true)" 0
    # What it may not read ends it, and the cause is said with what to do.
    expect "status of an engine that needs more" "$(status match "log=$work/home/log" "" --games 2)" 1
    expect_in "an engine that needs more" "$work/err" "(in the sandbox; --sandbox off lets it"
    # Nor may its files take more than they may.
    expect "status of an engine that fills the disk" "$(status match trick=hide:o5 "" --games 2 --disk-limit 10)" 0
    expect_in "an engine that fills the disk" "$work/err" "MB of the disk, the limit is 10 MB (--disk-limit)"
else
    echo "left out: --sandbox on, which this system refuses: $(cat "$work/err")"
    expect_in "a sandbox that is not complete" "$work/err" "error: --sandbox on: "
    expect "status with what there is" "$(shut_in auto scratch)" 0
    expect "lines about what is missing" \
        "$(grep -c 'the sandbox is not complete\|this system has no sandbox' "$work/err")" 1
fi

expect "status of --disk-limit without a sandbox" "$(status match "" "" --games 2 --sandbox off --disk-limit 10)" 2
expect_in "--disk-limit without a sandbox" "$work/err" "--disk-limit: the sandbox watches the disk space, and --sandbox off "

### Ctrl-C, once and twice, and a worker that is killed: nothing stays behind.
# heed: a command that starts programs which heed SIGHUP, also where nohup has these tests ignore it.
heed="env --default-signal=HUP"
$heed true 2>/dev/null || heed=
# interrupt SIGNAL TIMES: starts a long match, sends the signal while games are played, waits.
interrupt() {
    rm -f "$work/log" "$work/int.pgn"
    $heed "$OBWORKER" match --dev "$engine side=dev delay=15 log=$work/log" \
        --base "$engine side=base delay=15 log=$work/log" --book "$work/book.epd" --seed 3 \
        --tc N=100 --draw-adj "movenumber=0 movecount=3 score=10" --games 100000 \
        --concurrency 4 --sandbox off --pgn "$work/int.pgn" >"$work/out" 2>"$work/err" &
    worker=$!
    until_in '^\[Round "3"' "$work/int.pgn"
    for i in $(seq "$2"); do
        [ "$i" -eq 1 ] || sleep 0.02
        kill -s "$1" "$worker" 2>/dev/null || true
    done
    code=0
    wait "$worker" || code=$?
    expect_gone "after $2 $1" "$work/log"
    expect "games in the PGN after $2 $1, modulo 2" "$(($(grep -c '^\[Round ' "$work/int.pgn") % 2))" 0
}
for how in "INT 1" "INT 2" "HUP 2"; do
    if [ "$how" = "HUP 2" ] && [ -z "$heed" ]; then
        echo "left out: a terminal that goes away: env has no --default-signal"
        continue
    fi
    interrupt $how
    expect "status after $how" "$code" 0
    expect_in "the report after $how" "$work/out" "Games | N: "
    counted=$(sed -n 's/^Games | N: \([0-9]*\) .*/\1/p' "$work/out")
    expect "games counted and written after $how" "$counted" \
        "$(grep -c '^\[Round ' "$work/int.pgn")"
    expect_in "the log" "$work/err" "finishing the games that complete a pair"
done
interrupt KILL 1
expect "stdout of a killed worker" "$(cat "$work/out")" ""

### A terminal that goes away ends no match that was started by nohup.
(
    trap '' HUP
    exec "$OBWORKER" match --dev "$engine delay=15" --base "$engine side=base delay=15" --book "$work/book.epd" \
        --tc N=100 --draw-adj "movenumber=0 movecount=3 score=10" --games 20 --concurrency 1 --pgn "$work/nohup.pgn" \
        --sandbox off >"$work/out" 2>"$work/err"
) &
worker=$!
until_in '^\[Round "2"' "$work/nohup.pgn"
kill -s HUP "$worker"
wait "$worker" || fail "a match that ignores SIGHUP: $(cat "$work/err")"
expect_in "a match that ignores SIGHUP" "$work/out" "Games | N: 20 "

### Games that would only end by their stall: Ctrl-C once stops a first game whose second has not begun, and twice both.
for games in 1 2; do
    rm -f "$work/slow"
    "$OBWORKER" match --dev "$engine delay=1000000 log=$work/slow" --base "$engine" --book "$work/book.epd" --tc N=100 \
        --games 2 --concurrency "$games" --sandbox off >"$work/out" 2>"$work/err" &
    worker=$!
    until_in "^[0-9]* go " "$work/slow" "$games"
    kill -s INT "$worker"
    until_in "finishing the games that complete a pair" "$work/err"
    [ "$games" -eq 1 ] || kill -s INT "$worker"
    wait "$worker" || fail "a match that was interrupted with $games in play ended with status $?: $(cat "$work/err")"
    grep -i stall "$work/err" "$work/out" && fail "$games in play were not stopped: $(cat "$work/err")"
done

### Ctrl-Z for longer than the clocks: time in which the match was stopped counts for no engine.
"$OBWORKER" match --dev "$engine delay=300 log=$work/stopped" --base "$engine side=base delay=300" \
    --book "$work/book.epd" --tc 4+0.1 --draw-adj "movenumber=0 movecount=3 score=10" --games 2 \
    --concurrency 2 --sandbox off >"$work/out" 2>"$work/err" &
worker=$!
until_in "^[0-9]* go " "$work/stopped"
kill -s TSTP "$worker"
sleep 5
kill -s CONT "$worker"
wait "$worker" || fail "a match that was stopped: $(cat "$work/err")"
expect_in "a match that was stopped" "$work/out" "Games | N: 2 W: 0 L: 0 D: 2"

### Somebody else reads the games.
cat "$work/1.pgn" "$work/8.pgn" "$work/int.pgn" >"$work/all.pgn"
second_opinion "$work/all.pgn" || fail "the second opinion on the games"

exit "$failed"
