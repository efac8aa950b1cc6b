#!/bin/sh
# SPDX-License-Identifier: MIT
# obworker match --again: the match of a JSON report is played again, with what is typed besides; what is no
# report of a match, or asks for more than a match, is refused.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"
again() { "$OBWORKER" match --again "$@" 2>err; }

### The report of a match, and that of its journal, play the same match.
"$OBWORKER" match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" --book book.epd \
    --tc N=100 --option Hash=8 --option-less 2>err && fail "an unknown option was taken"
"$OBWORKER" match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" --book book.epd \
    --tc N=100 --dev-tc N=200 --option Hash=8 --base-option Hash=4 --win-adj None --draw-adj "movenumber=0 movecount=3 score=10" \
    --dev-name "my engine" --margin 70 --games 20 --start 3 --bounds -5,5 --confidence 0.1,0.1 \
    --journal first.jsonl --pgn first.pgn --json --quiet >first.json || fail "the first match was not played"
"$OBWORKER" report --journal first.jsonl --json >reported.json
for report in first reported; do
    again $report.json --json --pgn $report-again.pgn >$report-again.json || fail "again by $report.json: $(cat err)"
    expect "the match again by $report.json" "$(counts $report-again.json)" "$(counts first.json)"
    untimed first.pgn >wanted
    untimed $report-again.pgn | cmp -s - wanted || fail "the games again by $report.json differ"
done
expect_in "what is played again" err "--confidence=0.1,0.1"

### A match that was resumed with more games is played again with as many.
"$OBWORKER" match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" --book book.epd \
    --tc N=100 --games 4 --seed 3 --journal longer.jsonl --quiet >out 2>err || fail "four games: $(cat err)"
"$OBWORKER" match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" --book book.epd \
    --tc N=100 --games 8 --seed 3 --journal longer.jsonl --resume --quiet >out 2>err || fail "eight games: $(cat err)"
"$OBWORKER" report --journal longer.jsonl --json >longer.json
expect_in "games wanted" longer.json '"--games=8"'
expect_in "the rules of adjudication, which nobody gave" longer.json '"win_adj":"movecount=3 score=400","draw_adj":"movenumber=40 movecount=8 score=10"'
again longer.json --json --quiet >longer-again.json || fail "again by longer.json: $(cat err)"
expect_in "the games of the last run" longer-again.json '{"games":8,'

### What a PGN file would show does not matter without one.
"$OBWORKER" match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" --book book.epd \
    --tc N=100 --games 2 --seed 3 --pgn shown.pgn --pgn-pv --pgn-notation uci --json --quiet >shown.json ||
    fail "a match with a PGN file"
again shown.json --json --quiet >out || fail "again by shown.json: $(cat err)"
expect_in "two games again" out '{"games":2,'

### Another program under the old name is told.
cp "$engine" moved
"$OBWORKER" match --dev "./moved side=dev plan=50,20" --base "$engine side=base plan=50,20" --book book.epd \
    --tc N=100 --games 2 --seed 3 --json --quiet >moved.json || fail "a match of a copy"
printf 'more' >>moved
again moved.json --json --quiet >out || fail "again by moved.json: $(cat err)"
expect_in "another program" err "dev's program is not the one of the report"
again shown.json --json --quiet >out || fail "again by shown.json: $(cat err)"
if grep "not the one of the report" err; then fail "the same programs are taken for others"; fi

### A report, which may be a stranger's, does not turn the sandbox off; the user does.
"$OBWORKER" match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" --book book.epd \
    --tc N=100 --games 2 --seed 3 --sandbox off --json --quiet >open.json || fail "a match without the sandbox"
expect_in "the report of a match without the sandbox" open.json '"--sandbox=off"'
again open.json --json >out || fail "again by open.json: $(cat err)"
expect_in "the sandbox of a report" err "--again: the report's --sandbox off is left out"
if grep -e "--sandbox=off" out err; then fail "a report turned the sandbox off"; fi
again open.json --sandbox off --json >out || fail "again by open.json without the sandbox: $(cat err)"
expect_in "the sandbox as typed" out '"--sandbox=off"'
if grep "is left out" err; then fail "a typed --sandbox off is asked for"; fi

### What is typed counts more.
again first.json --games 8 --seed 11 --json --quiet >other.json || fail "with other options: $(cat err)"
expect_in "other games" other.json '{"games":8,'
expect_in "another seed" other.json '"seed":11,'

### What is refused, and why.
refused() { # STATUS ARGUMENT...
    wanted=$1
    shift
    status=0
    again "$@" >out || status=$?
    expect "status of --again $*" "$status" "$wanted"
}
refused 2 no-such-file
expect_in "no file" err "no-such-file: No such file"
"$OBWORKER" report --penta 1,2,3,2,1 --json >counts.json
refused 2 counts.json
expect_in "no match" err "--again: counts.json: report.match"
refused 2 longer.jsonl
expect_in "a journal" err "longer.jsonl: is a journal: report --journal FILE --json makes the report of it"
"$OBWORKER" tune --engine "$engine tuned=120,150" --param 'Value, int, 0, -300, 300, 20, 0.02' --iterations 2 --tc N=100 \
    --book book.epd --sandbox off --json --quiet >tuned.json || fail "a tuning"
refused 2 tuned.json
expect_in "a tuning" err "--again: tuned.json: is the report of a tuning, and not of a match"
sed 's/"--tc=N=100"/"--html=stolen"/' first.json >hostile.json
refused 2 hostile.json
expect_in "more than a match" err "'--html=stolen' is not an option of a match"
sed 's/"--tc=N=100"/"--htm=stolen"/' first.json >hostile.json
refused 2 hostile.json
expect_in "a shortened name" err "'--htm=stolen' is not an option of a match"
sed 's/"--tc=N=100"/"--"/' first.json >hostile.json
refused 2 hostile.json
expect_in "the end of options" err "'--' is not an option of a match"
sed 's/"--tc=N=100"/"-qv"/' first.json >short.json
refused 2 short.json
echo 'base = lmr:' >suite
refused 2 first.json --suite suite
expect_in "a suite" err "describes one match"
exit "$failed"
