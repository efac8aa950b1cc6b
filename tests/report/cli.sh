#!/bin/sh
# SPDX-License-Identifier: MIT
# obworker's own command line, and `obworker report` on counts: output, errors, exit statuses.
set -u
obworker=${OBWORKER:?}
faults=0
no_proxy=127.0.0.1
export no_proxy
. "$(dirname "$0")/../tools/work.sh"

# expect STATUS WORDS -- ARGUMENTS: the command ends so, and what it prints (both streams) has the words.
expect() {
    status=$1
    words=$2
    shift 3
    "$obworker" "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$status" ]; then
        echo "obworker $*: exit status $got, not $status:" >&2
        cat "$work/out" >&2
        faults=$((faults + 1))
    elif ! grep -qF -e "$words" "$work/out"; then
        echo "obworker $*: '$words' is not in:" >&2
        cat "$work/out" >&2
        faults=$((faults + 1))
    fi
}

counts=16,557,1220,653,31
expect 0 "Elo   | 8.84 +- 5.14 (95%)" -- report --penta $counts --bounds 0,5
expect 0 "LLR   | 2.91 (-2.25, 2.89) [0.00, 5.00]" -- report --penta=$counts --bounds=0,5 --confidence=0.05,0.1
expect 0 "LLR   | 2.91 (-2.25, 2.89) [0.00, 5.00]" -- report --penta '[16, 557, 1220, 653, 31]' --bounds '[0.00, 5.00]' --confidence 0.05,0.1
expect 0 "a     +8.84" -- report --compare 'a=[16, 557, 1220, 653, 31]'
expect 0 '"verdict":"H1"' -- report --penta $counts --bounds 0,5 --confidence 0.05,0.1 --json
expect 0 '"llr":null' -- report --penta $counts --json
expect 0 "Usage: obworker report" -- report --help
expect 2 "what is to be reported? Give one of --test, --journal, --penta, --tri, --compare, --lab, --positions and --plan" -- report
expect 2 "--penta: '1,2' are not five counts" -- report --penta 1,2
expect 2 "--bounds: 5,0: the first must be below the second" -- report --penta $counts --bounds 5,0
expect 0 "LLR   | 4.62 (-2.94, 2.94) [0.00, 5.00]" -- report --penta 16,557,1220,653,31 --bounds 0,5 --model logistic
expect 0 "Games | N: 4954 W: 1171 L: 1045 D: 2738" -- report --penta $counts --tri 1045,2738,1171
expect 0 "Elo   | 8.84 +- 6.48 (95%)" -- report --tri 1045,2738,1171
expect 0 '"penta":null' -- report --tri 1,2,3 --json
expect 0 "### Results of a test" -- report --penta $counts --markdown
expect 2 "--tri: 3 games, but --penta has 2477 pairs" -- report --penta $counts --tri 1,1,1
expect 2 "--tri: 2414 points of dev, but --penta has 2540" -- report --penta $counts --tri 1171,2738,1045
expect 2 "--tri: the pairs of --penta cannot have 40 drawn games" -- report --penta 10,0,0,0,10 --tri 0,40,0
expect 2 "--tri: '1,2' are not losses, draws and wins" -- report --tri 1,2
expect 2 "--server: is missing" -- report --test 3
expect 2 "--server: ftp://x is not" -- report --test 3 -S ftp://x
expect 1 "test 3 on http://127.0.0.1:9/" -- report --test 3 -S http://127.0.0.1:9
expect 2 "--follow: takes a --test or a --journal" -- report --penta $counts --follow
expect 2 "--markdown: --json is given too" -- report --penta $counts --json --markdown
expect 2 "give one of them" -- report --test 3 -S http://localhost --journal x
expect 2 "'3': what is it? --journal FILE, --test NUMBER, or --compare" -- report 3
expect 2 "--plan: plans a new test" -- report --plan --elo 4 --bounds 0,5 --draw-ratio 0.5 --journal x
expect 0 '"elo":0,"normalized":0,' -- report --plan --elo -3 --bounds -5,0 --draw-ratio 0.9 --json
expect 2 "the tests are missing" -- report --compare
expect 2 "--penta: a server's test has its own" -- report --test 3 -S http://localhost --penta $counts
expect 1 "journal /no/such: No such file" -- report --compare a=$counts /no/such
expect 2 "a: '1,2,3' are not five counts" -- report --compare a=1,2,3
expect 1 "journal =1,2,3,2,1: No such file" -- report --compare =1,2,3,2,1
expect 2 "--server: is missing" -- report --compare 12
expect 1 "--html: /no/such/page" -- report --penta $counts --html /no/such/page
expect 0 "Pass  | 98.4 %" -- report --plan --elo 4 --bounds 0,5 --draw-ratio 0.55
expect 0 "limits of (-2.932, 2.933) would make them exact" -- report --plan --elo 4 --bounds 0,5 --penta $counts
expect 0 "3.47        6.55 " -- report --plan --elo 4 --bounds 0,5 --model bayes --penta $counts --tri 1045,2738,1171
expect 2 "--tri: 3 games, but --penta has 2477 pairs" -- report --plan --elo 4 --bounds 0,5 --penta $counts --tri 1,1,1
expect 2 "--tri: --penta is missing" -- report --plan --elo 4 --bounds 0,5 --draw-ratio 0.5 --tri 1,2,1
expect 1 "--penta: fewer than two pairs" -- report --plan --elo 4 --bounds 0,5 --penta 0,0,1,0,0
expect 1 "--penta: all pairs are equal" -- report --plan --elo 4 --bounds 0,5 --penta 0,0,0,0,5
expect 0 '"pass":0.98' -- report --plan --elo 4 --bounds 0,5 --draw-ratio 0.55 --json
expect 2 "--elo: is missing" -- report --plan --bounds 0,5 --draw-ratio 0.5
expect 2 "--bounds: is missing" -- report --plan --elo 4 --draw-ratio 0.5
expect 2 "--draw-ratio: is missing" -- report --plan --elo 4 --bounds 0,5
expect 2 "--draw-ratio: 2 is" -- report --plan --elo 4 --bounds 0,5 --draw-ratio 2
expect 1 "journal /no/such/file: No such file" -- report --journal /no/such/file
expect 1 "is not a journal" -- report --journal "$0"
expect 2 "--confidence: --bounds is missing" -- report --penta $counts --confidence 0.1,0.1
expect 2 "--model: --bounds is missing" -- report --penta $counts --model bayes
expect 0 "LLR   | 3.60 (-2.94, 2.94) [0.00, 5.00]" -- report --penta $counts --tri 1045,2738,1171 --bounds 0,5 --model bayes
expect 2 "--model: bayes needs the share of drawn games, and pairs do not tell it: --tri is missing" -- report --penta $counts --bounds 0,5 --model bayes
expect 2 "--tri is missing" -- report --plan --elo 4 --bounds 0,5 --model bayes --penta $counts
expect 0 "Pass  | " -- report --plan --elo 4 --bounds 0,5 --model bayes --draw-ratio 0.55
expect 2 "--model: bayes needs the share of drawn games, and the pairs of a=$counts do not" -- report --compare a=$counts --bounds 0,5 --model bayes
expect 2 "--elo: --plan is missing" -- report --penta $counts --elo 3
expect 2 "--draw-ratio: --plan is missing" -- report --penta $counts --draw-ratio 0.4
expect 2 "--every: --follow is missing" -- report --penta $counts --every 5
expect 2 "--bounds: is for counts" -- report --lab x --bounds 0,5
expect 2 "--bounds: is for counts" -- report --compare x --bounds 0,5
expect 2 "--bench: belongs to --lab" -- report --penta $counts --bench 5
expect 2 "--positions: the journals are missing" -- report --positions "$work/none"
expect 2 "--only-quiet: --positions is missing" -- report --penta $counts --only-quiet
expect 2 "--json: --positions writes no report" -- report --positions "$work/none" --json x
expect 2 "--bounds: is for counts" -- report --positions "$work/none" --bounds 0,5 x
expect 2 "give one of them" -- report --positions "$work/none" --lab x y
expect 2 "--positions has played ones" -- report --plan --elo 4 --bounds 0,5 --draw-ratio 0.5 --positions x y
expect 1 "journal /no/such: No such file" -- report --positions "$work/none" /no/such
expect 2 "--lab has played ones" -- report --plan --elo 4 --bounds 0,5 --draw-ratio 0.5 --lab x
expect 1 "--plan: the bounds 0 and 0.02 are too near" -- report --plan --elo 4 --bounds 0,0.02 --draw-ratio 0.5
expect 2 "--penta: a journal has its own" -- report --journal x --penta $counts
expect 2 "--model: a journal has its own" -- report --journal x --model bayes
expect 2 "--confidence: a server's test has its own" -- report --test 3 -S http://localhost --confidence 0.1,0.1
expect 2 "unknown option --pentagon" -- report --pentagon
expect 0 "report" -- --help
expect 0 "Syzygy adjudication:" -- --version
expect 0 "Syzygy adjudication:" -- match --version
expect 2 "Usage: obworker COMMAND" --
expect 2 "'fastchess' is not a command (did you mean match?)" -- fastchess -engine cmd=a
expect 2 "'reprot' is not a command" -- reprot
expect 2 "'./a': not an option: engines follow --dev and --base" -- match ./a ./b
expect 2 "--threads: 'all' is not a whole number, nor auto" -- work -S http://127.0.0.1:9 -U a -P b -T all
expect 2 "Try 'obworker submit --help'" -- submit --flag KILLER=0
expect 2 "'foo': a word too many" -- help match foo
expect 2 "'foo': a word too many" -- --version foo
expect 0 "Usage: obworker match" -- --help match
if "$obworker" serve --help >/dev/null 2>&1; then
    expect 2 "obworker serve: unknown option --bogus" -- serve --bogus
else
    expect 1 "obworker serve: this obworker was built without" -- serve --bogus
fi

# Standard output has a buffer of 4,096 bytes: the comparison's text is longer.
compared=$(for i in 1 2 3 4 5 6 7 8 9; do echo "first$i=$counts second$i=$counts"; done)
for words in "report --penta $counts" --version "help match" "report --compare $compared"; do
    [ -w /dev/full ] || { echo "left out: '$words' to a full disk: no /dev/full here"; continue; }
    # $words are several.
    # shellcheck disable=SC2086
    "$obworker" $words >/dev/full 2>"$work/out"
    got=$?
    if [ "$got" -ne 1 ]; then
        echo "$words to a full disk: exit status $got, not 1" >&2
        faults=$((faults + 1))
    fi
done
[ "$faults" -eq 0 ]
