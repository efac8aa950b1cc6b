#!/bin/sh
# obworker's own command line, and `obworker report` on counts: output, errors, exit statuses.
set -u
obworker=${OBWORKER:?}
faults=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect STATUS WORDS -- ARGUMENTS: the command ends so, and what it prints (both streams) has the words.
expect() {
    status=$1
    words=$2
    shift 3
    "$obworker" "$@" >"$folder/out" 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$status" ]; then
        echo "obworker $*: exit status $got, not $status:" >&2
        cat "$folder/out" >&2
        faults=$((faults + 1))
    elif ! grep -qF -e "$words" "$folder/out"; then
        echo "obworker $*: '$words' is not in:" >&2
        cat "$folder/out" >&2
        faults=$((faults + 1))
    fi
}

counts=16,557,1220,653,31
expect 0 "Elo   | 8.84 +- 5.14 (95%)" -- report --penta $counts --bounds 0,5
expect 0 "LLR   | 2.91 (-2.25, 2.89) [0.00, 5.00]" -- report --penta=$counts --bounds=0,5 --confidence=0.05,0.1
expect 0 '"verdict":"H1"' -- report --penta $counts --bounds 0,5 --confidence 0.05,0.1 --json
expect 0 '"llr":null' -- report --penta $counts --json
expect 0 "Usage: obworker report" -- report --help
expect 2 "--penta: is missing" -- report
expect 2 "--penta: '1,2' are not five counts" -- report --penta 1,2
expect 2 "--bounds: 5,0: the first must be below the second" -- report --penta $counts --bounds 5,0
expect 2 "--test: not available in this version" -- report --test 3 -S http://localhost
expect 1 "journal /no/such/file: No such file" -- report --journal /no/such/file
expect 1 "is not a journal" -- report --journal "$0"
expect 2 "--penta: a journal has its own" -- report --journal x --penta $counts
expect 2 "--html: not available in this version" -- report --penta $counts --html x
expect 2 "unknown option --pentagon" -- report --pentagon
expect 0 "report" -- --help
expect 0 "Syzygy adjudication:" -- --version
expect 2 "Usage: obworker COMMAND" --
expect 2 "'reprot' is not a command" -- reprot
expect 2 "obworker submit: not available in this version" -- submit --flag KILLER=0
expect 2 "obworker serve: not available in this version" -- serve

if [ -w /dev/full ]; then
    "$obworker" report --penta $counts >/dev/full 2>"$folder/out"
    got=$?
    if [ "$got" -ne 1 ]; then
        echo "output to a full disk: exit status $got, not 1" >&2
        faults=$((faults + 1))
    fi
fi
[ "$faults" -eq 0 ]
