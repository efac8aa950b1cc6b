#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of `lmr stats`: the moves of PV, cut and all-nodes add up to those of all nodes, and
# moves that stay above alpha without a second search have a line of their own.
set -eu
tunable=${builddir:-.}/tests/bin/reductio_tune
. "$(dirname "$0")/../tools/work.sh"
faults=0

wrong() {
    echo "statistics: $*" >&2
    cat "$work/out" >&2
    faults=$((faults + 1))
}

# measure OPTION...: the table with these rows (ROW=VALUE), in $work/out.
measure() {
    {
        echo "setoption name STATS value true"
        for row; do echo "setoption name ${row%%=*} value ${row#*=}"; done
        echo "lmr stats 5"
    } | "$tunable" >"$work/out"
}

# share LINE: the percentage of a line of the first part.
share() { sed -n "/^by kind/q; s/^$1 .* \([0-9.]*\) % of the reduced moves.*/\1/p" "$work/out"; }

measure
total=$(sed -n 's/^moves reduced .* of \([0-9]*\) moves in the loop$/\1/p' "$work/out")
parts=$(sed -n 's/^moves in the loop //p' "$work/out")
sum=0
count=0
for part in $parts; do
    sum=$((sum + part))
    count=$((count + 1))
    [ "$part" -gt 0 ] || wrong "a kind of node has no moves: $parts"
done
[ "$count" -eq 3 ] || wrong "$count kinds of nodes, not 3"
[ "$sum" -eq "${total:-0}" ] || wrong "the moves of the kinds are $sum, and all are ${total:-none}"
[ -n "$(share 'above alpha, not searched again')" ] || wrong "no line about moves that were not searched again"

# Who believes a reduced score searches nothing again, and every fail high is accepted.
measure RESEARCH=accept
[ "$(share 'searched again')" = 0.0 ] || wrong "RESEARCH=accept: searched again"
believed=$(share 'above alpha, not searched again')
[ "${believed:-0.0}" != 0.0 ] || wrong "RESEARCH=accept: nothing accepted"

# Without the margin every fail high is searched again; with it a move that was reduced by one ply and beat the
# best by little is accepted: a ply less is what it has had.
measure SHALLOWER_MARGIN=0
[ "$(share 'above alpha, not searched again')" = 0.0 ] || wrong "SHALLOWER_MARGIN=0: moves were accepted"
measure SHALLOWER_MARGIN=200 DEEPER_MARGIN=0
accepted=$(share 'above alpha, not searched again')
[ "${accepted:-0.0}" != 0.0 ] || wrong "SHALLOWER_MARGIN=200: nothing accepted"

# At random the first of some thirty moves is seldom the best one; in order it is nearly always.
first() { sed -n 's/^best move stood at number 1: \([0-9]*\)\..*/\1/p' "$work/out"; }
measure
ordered=$(first)
[ "${ordered:-0}" -ge 70 ] || wrong "the best move is the first of the order in ${ordered:-no} %"
measure ORDERING=random
random=$(first)
[ "${random:-100}" -le 40 ] || wrong "ORDERING=random: the best move is the first in ${random:-no} %"

# Without reductions there is nothing to count.
measure ENABLE=0
grep -qx 'info string lmr stats: with ENABLE=0 nothing is reduced' "$work/out" || wrong "ENABLE=0: statistics"

# What has to be done is said, and a preset leaves it done.
printf 'lmr stats 3\nsetoption name STATS value true\nsetoption name PRESET value t1\nlmr stats 3\n' | "$tunable" >"$work/out"
grep -qx 'info string lmr stats: nothing is counted; set the option STATS' "$work/out" || wrong "STATS=0: not said what to set"
grep -q '^moves in the loop ' "$work/out" || wrong "a preset after STATS: statistics"

# Statistics search without reductions too: what is asked of the rows meanwhile is answered behind them.
printf 'setoption name STATS value true\nlmr stats 5\nlmr\n' | "$tunable" >"$work/out"
[ "$(sed -n 's/^moves in the loop .*/table/p; s/^STATS=1 .*/row/p' "$work/out" | tr '\n' ' ')" = "table row " ] ||
    wrong "lmr behind lmr stats is answered before them"
! grep -q '^ENABLE=0' "$work/out" || wrong "lmr behind lmr stats: ENABLE=0"

# The object for programs has the table's counts.
{
    echo "setoption name PRESET value t1"
    echo "setoption name STATS value true"
    echo "lmr stats 5"
    echo "lmr stats 5 --json"
} | "$tunable" >"$work/out"
for part in preset:t1 depth:5 \
    "moves:$(sed -n 's/^moves reduced .* of \([0-9]*\) moves in the loop$/\1/p' "$work/out")" \
    "reduced:$(sed -n 's/^average .* over \([0-9]*\) reduced moves.*/\1/p' "$work/out")" \
    "researched:$(sed -n 's/^  and held .* of \([0-9]*\) searched again$/\1/p' "$work/out")" \
    "nodes_on:$(sed -n 's/^fewer nodes .*: \([0-9]*\) against .*/\1/p' "$work/out")" \
    "nodes_off:$(sed -n 's/^fewer nodes .* against \([0-9]*\) with .*/\1/p' "$work/out")"; do
    tr -d '"' <"$work/out" | grep -q "^{.*\<$part[,}]" || wrong "the object of --json has no $part"
done
grep -q '^faster (in nodes)  *5-10 times  *[0-9.]* times fewer nodes' "$work/out" || wrong "no line of the times fewer nodes"

echo "statistics: $sum moves in three kinds of nodes, $believed % above alpha and not searched again with RESEARCH=accept"
[ "$faults" -eq 0 ]
