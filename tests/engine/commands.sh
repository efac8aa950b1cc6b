#!/bin/sh
# SPDX-License-Identifier: MIT
# The engine's commands as arguments: bench, lmr, genfens, and their faults.
set -eu
. "$(dirname "$0")/../tools/work.sh"
faults=0
cases=0

wrong() {
    echo "commands: $*" >&2
    faults=$((faults + 1))
}

# expect STATUS WHAT-ON-STDERR WORD...: runs the engine with these words; stdout is in $work/out. An
# engine that hangs is stopped after the time that Check's programs have.
expect() {
    wanted=$1
    message=$2
    shift 2
    cases=$((cases + 1))
    status=0
    timeout 600 "$REDUCTIO" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq "$wanted" ] || wrong "reductio $*: status $status, not $wanted"
    grep -qF -- "$message" "$work/err" || [ -z "$message" ] || wrong "reductio $*: says \"$(cat "$work/err")\", not \"$message\""
    [ -n "$message" ] || [ ! -s "$work/err" ] || wrong "reductio $*: says \"$(cat "$work/err")\""
}

# holds PATTERN COUNT: so many lines of stdout match.
holds() {
    cases=$((cases + 1))
    count=$(grep -cE -- "$1" "$work/out" || true)
    [ "$count" = "$2" ] || wrong "$count lines match \"$1\", not $2"
}

expect 0 "" --version
holds '^reductio [0-9]+\.[0-9]+\.[0-9]+$' 1
for help in --help -h help; do
    expect 0 "" $help
    holds 'genfens' 1
    holds '.{80}' 0
    expect 2 '"extra": a word too many' $help extra
done
expect 2 '"extra": a word too many' --version extra
expect 0 "" --help
# The depths that are searched where none is given, in the help and in the manual.
for default in BENCH_DEPTH_DEFAULT BENCH_STATS_DEPTH_DEFAULT; do
    depth=$(sed -n "s/.* $default = \([0-9]*\).*/\1/p" "${srcdir:-.}/engine/bench.h")
    holds "to a depth \($depth[;)]" 1
    grep -q "to a depth ($depth)" "${srcdir:-.}/docs/reductio.1" || wrong "reductio(1) lacks the depth $depth"
done
expect 2 'unknown command "nonsense"' nonsense
expect 2 'unknown command "--version"' -- --version
expect 0 "" -- d quit
expect 0 "" bench 3
first=$(sed -n '$s/ nodes .*//p' "$work/out")
tail -n 1 "$work/out" | grep -qE '^[0-9]+ nodes [0-9]+ nps$' || wrong "bench ends with \"$(tail -n 1 "$work/out")\""
expect 0 "" "setoption name Hash value 1" "position startpos moves e2e4" "go depth 3" "bench 3" quit
again=$(sed -n '$s/ nodes .*//p' "$work/out")
[ "$first" = "$again" ] || wrong "bench 3 is $first, and $again after other commands"
# Short of memory, bench counts the same nodes or none: a smaller table would give another number. Sanitizers
# need more address space than any limit leaves.
if (ulimit -v 1000000 && "$REDUCTIO" --version) >/dev/null 2>&1; then
    expect 0 "" bench 8
    whole=$(sed -n '$s/ nodes .*//p' "$work/out")
    short=0
    for limit in 28000 32000 36000 40000 44000 48000 60000; do
        status=0
        (ulimit -v $limit && "$REDUCTIO" bench 8) >"$work/out" 2>"$work/err" || status=$?
        case "$status $(cat "$work/err")" in
        "0 ") holds "^$whole nodes " 1 ;;
        "1 reductio: out of memory (16777216 bytes)") short=$((short + 1)) ;;
        "1 reductio: out of memory ("*) ;;
        "127 "*) ;; # The libraries found no room.
        *) wrong "bench in $limit KB: status $status, says \"$(cat "$work/err")\"" ;;
        esac
    done
    [ $short -gt 0 ] || wrong "no limit was too small for the table of bench"
    (
        ulimit -v 400000
        printf 'setoption name Threads value 256\ngo depth 3\n' | "$REDUCTIO"
    ) >"$work/out" 2>&1 || wrong "short of memory for threads, the engine ends: $(tail -n 1 "$work/out")"
    holds '^info string setoption: no memory for 256 threads; the old ones stay$' 1
    holds '^bestmove ' 1
else
    echo "commands: this engine runs under no limit of its address space: bench short of memory is left out"
fi
expect 1 'bench: a depth from 1 to' "bench 0"
expect 1 'bench: a depth from 1 to' bench deep
expect 1 'bench: "1" is a word too many' bench 16 1 13
expect 0 "" go depth 2 eval d quit
holds '^bestmove ' 1
holds '^evaluation ' 1
holds '^Fen: rnbqkbnr/' 1
expect 1 'eval: "8/8/8/8/8/k7/8/K6Q" is a word too many' eval "8/8/8/8/8/k7/8/K6Q w - - 0 1"
expect 1 'd: "e2e4" is a word too many' d e2e4
expect 0 "" go infinite
holds '^bestmove ' 1

# Closing the endgame tables prints nothing.
if [ -d "${RD_SHARED:-/nonexistent}/syzygy" ] && echo uci | "$REDUCTIO" | grep -q SyzygyPath; then
    expect 0 "" "setoption name SyzygyPath value $RD_SHARED/syzygy" "position fen 4k3/8/3KP3/8/8/8/8/8 w - - 0 1" \
        "go depth 5" "setoption name SyzygyPath value <empty>" "go depth 5" quit
    holds '^info depth 5 .* tbhits [1-9]' 1
    holds '^info depth 5 .* tbhits 0 ' 1
else
    echo "commands: no libfathom or no endgame tables here: their closing is left out"
fi

# What cannot be written is a failure.
if [ -c /dev/full ]; then
    for command in --help --version lmr "bench 1" "go perft 2"; do
        cases=$((cases + 1))
        status=0
        "$REDUCTIO" "$command" >/dev/full 2>"$work/err" || status=$?
        [ "$status" -eq 1 ] && grep -qxF 'reductio: standard output: not all could be written' "$work/err" ||
            wrong "reductio $command >/dev/full: status $status, says \"$(cat "$work/err")\""
    done
    cases=$((cases + 1))
    status=0
    echo "bench 1" | "$REDUCTIO" >/dev/full 2>"$work/err" || status=$?
    [ "$status" -eq 1 ] && grep -qxF 'reductio: standard output: not all could be written' "$work/err" ||
        wrong "reductio >/dev/full, bench 1 on standard input: status $status, says \"$(cat "$work/err")\""
    cases=$((cases + 1))
    status=0
    timeout 600 "$REDUCTIO" genfens 10000000 seed 1 book None >/dev/full 2>"$work/err" || status=$?
    [ "$status" -eq 1 ] && grep -qxF 'reductio: genfens: the output: No space left on device' "$work/err" ||
        wrong "genfens >/dev/full: status $status, says \"$(cat "$work/err")\""
else
    echo "commands: no /dev/full here: what cannot be written is left out"
fi

expect 0 "" lmr
expect 0 "" lmr list
rows=$(grep -c '^[A-Z]' "$work/out")
[ "$rows" -eq "$(grep -c '^[A-Z]' "${srcdir:-.}/engine/lmr/flags.def")" ] || wrong "lmr list shows $rows rows"
expect 0 "" lmr list --json
holds '^[[,]\{"name":"[A-Z0-9_]+","kind":' "$rows"
expect 1 'lmr list: only --json' lmr list --xml
expect 1 'lmr: "extra" is a word too many' lmr list --json extra
expect 1 'lmr: list, stats [depth] [--json] or spsa' lmr nonsense
expect 0 "" params
expect 0 "" params list
rows=$(grep -c '^[A-Z]' "$work/out")
[ "$rows" -eq "$(grep -c '^[A-Z]' "${srcdir:-.}/engine/search/params.def")" ] || wrong "params list shows $rows rows"
expect 0 "" params list --json
holds '^[[,]\{"name":"[A-Z0-9_]+","kind":' "$rows"
expect 1 'params list: only --json' params list --xml
expect 1 'params: list or spsa' params nonsense

expect 0 "" "genfens 20 seed 7 book None" quit
holds '^info string genfens [^ ]+ [wb] [^ ]+ [^ ]+ [0-9]+ [0-9]+$' 20
cp "$work/out" "$work/seven"
expect 0 "" genfens 20 seed 7 book None
cmp -s "$work/out" "$work/seven" || wrong "genfens gives other positions the second time"
expect 0 "" genfens 20 seed 8 book None
! cmp -s "$work/out" "$work/seven" || wrong "genfens gives the same positions for another seed"
expect 0 "" genfens 5 seed 18446744073709551615 book None random_plies=3 min=0 max=200
holds '^info string genfens .* b .* 2$' 5
printf '\357\273\277# two\n%s\n\n%s\n; the end' '4k3/8/8/8/8/8/4P3/4K3 w - - id "a";' ' 4k3/4p3/8/8/8/8/8/4K3 b - - 0 1' >"$work/book"
expect 0 "" genfens 4 seed 1 book "$work/book" random_plies=0 max=2000
holds '^info string genfens 4k3/(8/8/8/8/8/4P3/4K3 w|4p3/8/8/8/8/8/4K3 b) - - 0 1$' 4
echo "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1" >"$work/book"
expect 1 "genfens: book $work/book: line 1: White is to move" genfens 1 seed 1 book "$work/book"
expect 1 'genfens: book /nonexistent/folder/book: No such file' genfens 1 seed 1 book /nonexistent/folder/book
printf '\357\273\277%s' '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1' >"$work/book"
expect 0 "" genfens 1 seed 1 book "$work/book" random_plies=0 max=2000
echo '# nothing' >"$work/book"
expect 1 'holds no position' genfens 1 seed 1 book "$work/book"
: >"$work/book"
expect 1 'holds no position' genfens 1 seed 1 book "$work/book"
expect 1 'genfens: 5000 attempts gave no position' genfens 1 seed 1 book None random_plies=0 min=500 max=600 nodes=100
echo 'R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1' >"$work/book"
expect 1 'twice: lower random_plies= or take another book' genfens 1 seed 1 book "$work/book" random_plies=0
expect 1 'N from 1 to' genfens 0 seed 1 book None
expect 1 'genfens: seed 18446744073709551616: a number from 0 to 18446744073709551615' genfens 1 seed 18446744073709551616 book None
expect 1 'genfens: seed -1: a number from 0 to' genfens 1 seed -1 book None
expect 1 'genfens: seed S has to come next: N seed S book' genfens 1
expect 1 'genfens: seed S has to come next: N seed S book' genfens 1 seed
expect 1 'genfens: book <None|path> has to come next: N seed S book' genfens 2 seed 1
expect 1 'genfens: book <None|path> has to come next: N seed S book' genfens 1 seed 1 book
expect 1 'genfens: seed book: a number from 0' genfens 1 seed book None
expect 1 'min=9 is above max=3' genfens 1 seed 1 book None min=9 max=3
expect 0 "" genfens 3 seed 5 book None min=60 max=120 nodes=9000
holds '^info string genfens ' 3
expect 1 'genfens: nodes=0: a number from 1 to' genfens 1 seed 1 book None nodes=0
expect 1 'unknown argument "plies=3"' genfens 1 seed 1 book None plies=3

expect 0 "" "position fen 3k4/8/3K4/8/8/8/8/4R3 w - - 0 1" "go mate 2 nodes 100000"
holds ' score mate 2 ' 1
# A word that is a command's name begins that command, in quotes it does not.
expect 1 'datagen: out wants a file name' datagen games 1 nodes 20 out d
(cd "$work" && "$REDUCTIO" "datagen games 1 nodes 20 out d") >"$work/out" 2>&1 || wrong "datagen out d, in quotes: $(cat "$work/out")"
[ -s "$work/d" ] || wrong "datagen out d, in quotes, wrote no positions"
expect 0 "" "datagen games 2 nodes 200 seed 3 out $work/positions" quit
holds "^2 games, $(wc -l <"$work/positions") positions\$" 1
[ "$(cut -d'|' -f1,3 "$work/positions" | grep -cvE '^[^ ]+ [wb] [^ ]+ [^ ]+ [0-9]+ [0-9]+ \| (0\.0|0\.5|1\.0)$')" = 0 ] ||
    wrong "datagen writes lines like \"$(head -n 1 "$work/positions")\""
# A full disk takes a part of a game; only whole games stay.
(
    trap '' XFSZ
    ulimit -f 16
    "$REDUCTIO" "datagen games 50 nodes 30 seed 3 out $work/full" >"$work/out" 2>&1
) && wrong "datagen writes past the limit of a file's size"
holds "datagen: $work/full: File too large" 1
holds " games?, $(wc -l <"$work/full") positions\$" 1
[ -z "$(tail -c 1 "$work/full")" ] || wrong "datagen leaves a part of a line"
expect 1 'datagen: unknown word "depth"' datagen games 2 depth 3 out "$work/positions"
expect 1 'datagen: /nonexistent/folder/file: No such file' datagen games 1 out /nonexistent/folder/file
echo "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" >"$work/book"
ln -s book "$work/link"
expect 1 "datagen: $work/link: exists; name a new file" datagen games 1 book "$work/book" out "$work/link"
[ -s "$work/book" ] || wrong "datagen emptied its book"
expect 1 'datagen: book /dev/zero: no regular file' datagen games 1 book /dev/zero out "$work/positions"

# A search thread has room for its longest line where the system gives new threads a small stack.
(
    faults=0
    ulimit -s 128
    expect 0 "" "setoption name Threads value 2" "position fen 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1" \
        "go nodes 3000000" quit
    exit "$faults"
) || wrong "two threads with 128 KB of stack each"

echo "commands: $cases cases, $faults faults"
[ "$faults" -eq 0 ] && [ "$cases" -gt 30 ]
