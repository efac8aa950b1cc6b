#!/bin/sh
# SPDX-License-Identifier: MIT
# What each row of the reductions does to R, asked of builds of the lmr room alone.
set -eu
. "$(dirname "$0")/../tools/work.sh"
src=$srcdir/engine
cc=${CC:-cc}
failed=0
asked=0

# variant "ROW=VALUE ...": builds the probe with these rows; everything else that adds to R is off.
quiet="W_PV=0 W_CUT=0 W_KILLER=0 W_CHECK=0 W_IMPROVING=0 W_NOT_IMPROVING=0 W_CUTOFF=0 W_TT_PV=0
W_TT_CAPTURE=0 W_COUNTERMOVE=0 W_FEW_PIECES=0 NOISY_TABLE=shared HIST_RULE=none MIN_DEPTH=3 FULL_MOVES=1 EX_TT=1 BASE=loglog DIV=200
OFFSET=0 BASE_MIN=0 MIN_REDUCED_DEPTH=1 UNIT=1024 ROUND=trunc PERCENT=100 CAPTURE=losing
PROMOTION=queen CHECK=by-weight KILLER=by-weight PV=by-weight"
variant() {
    rows=$1
    words=
    for word in $quiet; do
        case " $rows " in
        *" ${word%%=*}="*) ;;
        *) words="$words $word" ;;
        esac
    done
    mkdir -p "$work/lmr"
    LMR="$words $rows" awk -f "$src/lmr/flags.awk" "$src/lmr/flags.def" "$src/search/params.def" \
        "$src/lmr/presets.def" >"$work/lmr/flags_gen.h"
    $cc -std=c11 -D_GNU_SOURCE -O1 -I"$work" -I"$src" -o "$work/probe" \
        "$srcdir/tests/lmr/reduction_probe.c" "$src/lmr/reduction.c" \
        "$src/lmr/history.c"
}

# expect FACTS VALUE
expect() {
    asked=$((asked + 1))
    got=$("$work/probe" "$1") || got=failed
    if [ "$got" != "$2" ]; then
        echo "reduction: with \"$rows\": $1 gives $got, expected $2" >&2
        failed=$((failed + 1))
    fi
}

variant "BASE_MIN=1" # the guide's table: (6,3) 1 with the floor, (6,10) 2, (10,20) 3
expect d=6,n=3 1
expect d=6,n=10 2
expect d=10,n=20 3
expect base:d=6,n=3 1024
variant "BASE_MIN=1 OFFSET=1024" # the floor holds for base and OFFSET together
expect base:d=6,n=3 2031
variant "BASE=fixed FIXED_R=0 BASE_MIN=3 BASE_CAP=1" # the cap wins over the floor
expect base:d=4,n=9 2048
variant ""
expect d=6,n=3 0
expect base:d=6,n=10 2112
expect base:d=10,n=20 3531
expect d=2,n=30 0
expect d=10,n=1 0
expect d=3,n=60 1
expect d=10,n=20,hash 0
expect d=10,n=20,capture,good 0
expect d=10,n=20,capture 3
expect d=10,n=20,promotion,queen 0
expect d=10,n=20,promotion 3
variant "ENABLE=0"
expect d=20,n=40 0
variant "MIN_DEPTH=6"
expect d=5,n=40 0
expect d=6,n=40 3
variant "FULL_MOVES=0 BASE=fixed EX_TT=0"
expect d=6,n=1 1
expect d=6,n=1,hash 1
variant "FULL_MOVES=4 BASE=fixed"
expect d=6,n=4 0
expect d=6,n=5 1
variant "BASE=fixed FIXED_R=2"
expect d=12,n=40 2
expect d=3,n=40 1
variant "BASE=adaptive ADAPT_D=6 ADAPT_N=6"
expect d=6,n=5 1
expect d=5,n=6 1
expect d=6,n=6 2
variant "BASE=additive ADD_D=50 ADD_N=40" # (0.5 ln 10 + 0.4 ln 20) * 1024
expect base:d=10,n=20 2405
variant "BASE=table"
expect base:d=10,n=63 4884
expect base:d=10,n=64 4884
variant "BASE=half"
expect d=9,n=2 4
variant "DIV=300"
expect d=10,n=20 2
variant "DIV=150"
expect d=10,n=20 4
variant "OFFSET=1024"
expect d=10,n=20 4
variant "BASE=fixed FIXED_R=8 BASE_CAP=1"
expect base:d=5,n=9 3072
variant "BASE=fixed BASE_CAP=1 MIN_DEPTH=1 ALLOW_EXTEND=1"
expect d=1,n=9 0
variant "BASE=fixed FIXED_R=8"
expect d=5,n=9 3
variant "BASE=fixed FIXED_R=8 MIN_REDUCED_DEPTH=0"
expect d=5,n=9 4
variant "CAPTURE=exempt"
expect d=10,n=20,capture 0
variant "CAPTURE=good-exempt"
expect d=10,n=20,capture 1
expect d=10,n=20,capture,good 0
variant "CAPTURE=good-exempt MIN_REDUCED_DEPTH=2" # the clamp holds for one ply too
expect d=3,n=20,capture 0
variant "CAPTURE=good-exempt CHECK=good-exempt EX_IN_CHECK=1 PAWN_RANK=6 PROMOTION=queen ROOT_BEST_FROM=8 KILLER=exempt"
expect d=10,n=20,capture 1 # one ply is the answer only where nothing exempts the move
expect d=10,n=20,capture,in_check 0
expect d=10,n=20,capture,promotion,queen 0
expect d=10,n=20,capture,rank=6 0
expect d=10,n=20,capture,root,ever_best,iteration=8 0
expect d=10,n=20,capture,root,ever_best,iteration=7 1
expect d=10,n=20,capture,check 1
expect d=10,n=20,check,rank=6 0
expect d=10,n=20,check,in_check 0
expect d=10,n=20,check,killer 0
expect d=10,n=20,check,rank=5 1
expect costly:d=10,n=20 1 # nothing costly is found out about a move that a gate decides
expect costly:d=2,n=20 0
expect costly:d=10,n=1 0
expect costly:d=10,n=20,capture 0
expect costly:d=10,n=20,check,good 0
expect costly:d=10,n=20,killer 0
variant "CAPTURE=good-exempt CHECK=exempt"
expect d=10,n=20,capture,check 0
variant "CAPTURE=all"
expect d=10,n=20,capture,good 3
variant "PROMOTION=none"
expect d=10,n=20,promotion,queen 3
variant "PROMOTION=all"
expect d=10,n=20,promotion 0
variant "EX_IN_CHECK=1"
expect d=10,n=20,in_check 0
variant "CHECK=exempt"
expect d=10,n=20,check 0
variant "CHECK=good-exempt"
expect d=10,n=20,check,good 0
expect d=10,n=20,check 1
variant "CHECK=ignore W_CHECK=-1024"
expect d=10,n=20,check 3
variant "W_CHECK=-1024"
expect d=10,n=20,check 2
variant "PAWN_RANK=6"
expect d=10,n=20,rank=5 3
expect d=10,n=20,rank=6 0
variant "KILLER=exempt"
expect d=10,n=20,killer 0
variant "W_KILLER=-1024"
expect d=10,n=20,killer 2
variant "KILLER=ignore W_KILLER=-1024"
expect d=10,n=20,killer 3
variant "PV=exempt"
expect d=10,n=20,pv 0
variant "PV=exempt PV_MEANS=alpha-raised"
expect d=10,n=20,pv 3
expect d=10,n=20,raised 0
variant "W_PV=-1024"
expect d=10,n=20,pv 2
expect d=10,n=20,raised 3
variant "W_PV=-1024 PV_MEANS=alpha-raised"
expect d=10,n=20,pv 3
expect d=10,n=20,raised 2
variant "W_CUT=1024"
expect d=10,n=20,cut 4
variant "W_CUTOFF=1024 CUTOFF_MIN=3"
expect d=10,n=20,cutoffs=3 3
expect d=10,n=20,cutoffs=4 4
variant "W_IMPROVING=-1024 W_NOT_IMPROVING=1024"
expect d=10,n=20,improving 2
expect d=10,n=20 4
expect d=10,n=20,in_check 4
variant "ROOT_MAX=1"
expect d=10,n=20,root 1
expect d=10,n=20 3
variant "EX_EXTENDED=1"
expect d=10,n=20,extended 0
expect d=10,n=20 3
variant "EX_EVAL_ALPHA=1"
expect d=10,n=20,alpha=10,after=11 0
expect d=10,n=20,alpha=10,after=10 3
variant "EX_EVAL_ALPHA=1 CAPTURE=good-exempt" # a costly exemption comes before one ply
expect d=10,n=20,capture,alpha=10,after=11 0
expect d=10,n=20,capture,alpha=10,after=10 1
expect costly:d=10,n=20,capture 1
expect costly:d=10,n=20,capture,good 0
variant "EX_THREAT=1"
expect d=10,n=20,threat 0
expect d=10,n=20,escape 3
expect costly:d=10,n=20,hash 0
variant "EX_THREAT=1 CHECK=good-exempt"
expect d=10,n=20,check,threat 0
expect costly:d=10,n=20,check 1
variant "ROOT_BEST_FROM=8"
expect d=10,n=20,ever_best,iteration=8 0
expect d=10,n=20,ever_best,iteration=7 3
expect d=10,n=20,iteration=8 3
variant "S3_EVAL_ALPHA=-1024"
expect d=10,n=20,known,static=36,alpha=10 2
expect d=10,n=20,known,static=35,alpha=10 3
expect d=10,n=20,static=36,alpha=10 3
variant "S4_POSITIONAL=-1024"
expect d=10,n=20,node,total=151,material=100 2
expect d=10,n=20,node,total=150,material=100 3
variant "S5_THREAT=-1024 S6_ESCAPE=-1024"
expect d=10,n=20,threat,good 2
expect d=10,n=20,threat 3
expect d=10,n=20,escape 3
expect d=10,n=20,threat,escape,good 1
variant "S7_PASSER=-1024 S8_KING=-1024"
expect d=10,n=20,from,to,to_passed=25 2
expect d=10,n=20,from,to,to_passed=24 3
expect d=10,n=20,from,to,to_king=25 2
expect d=10,n=20,to,to_king=25 3
expect d=10,n=20,from,to_king=25 3
variant "S9_UP=-1024"
expect d=10,n=20,from,to,to_total=50 2
expect d=10,n=20,from,to,to_total=50,to_material=1 3
variant "S9_UP=-1024 S9_POSITIONAL=0"
expect d=10,n=20,from,to,to_total=50,to_material=100 2
variant "S10_DOWN=1024"
expect d=10,n=20,from,to,to_total=-50 4
expect d=10,n=20,from,to,to_total=-49 3
expect d=10,n=20,from,to,to_total=-50,to_material=-50 4
variant "S12_PST=-1024"
expect d=10,n=20,gain=30 2
expect d=10,n=20,gain=29 3
variant "W_ESCAPE_SEE=-1024 W_KING_EVADE=1024 W_FEW_PIECES=-2048"
expect d=10,n=20,flees 2
expect d=10,n=20,evades 4
expect d=10,n=20,few 1
variant "W_TT_PV=-1024 W_TT_DEPTH=-2048 W_TT_CAPTURE=1024 W_COUNTERMOVE=-1024 W_CUT_NO_TT=2048"
expect d=10,n=20 3
expect d=10,n=20,tt_pv 2
expect d=10,n=20,tt_deep 1
expect d=10,n=20,tt_capture 4
expect d=10,n=20,counter 2
expect d=10,n=20,cut 5
expect d=10,n=20,cut,tt_move 3
variant "MOVE_COUNT=50"
expect d=10,n=20 2
expect d=10,n=10 2
variant "HIST_SOURCE=main EX_HISTORY=500"
expect d=10,n=20,history=499 3
expect d=10,n=20,history=500 0
variant "W_CORRECTION=50"
expect d=10,n=20,correction=-50 2
expect d=10,n=20,correction=50 2
expect d=10,n=20,correction=10 3
variant "ROOT_DELTA=2048"
expect d=10,n=20,window=50,root_window=50 1
expect d=10,n=20,window=25,root_window=50 2
expect d=10,n=20,window=1,root_window=50 3
expect d=10,n=20,window=200,root_window=50 1
variant "NOISY_TABLE=own NOISY_DIV=100 CAPHIST_DIV=1000 CAPTURE=all"
expect d=10,n=20 3
expect d=10,n=20,capture 6
expect d=10,n=20,capture,caphist=1000 5
expect d=10,n=20,capture,caphist=-1000 7
variant "ALLNODE_SCALE=100"
expect d=10,n=20 6
expect d=10,n=20,cut 3
expect d=10,n=20,pv 3
variant "PERCENT=50"
expect d=10,n=20 1
variant "CAPTURE=good-exempt PERCENT=50" # exactly one ply knows no percentage
expect d=10,n=20,capture 1
variant "HIST_RULE=t0 HIST_HI=1000 HIST_LO=-1000"
expect d=10,n=20,history=1000 3
expect d=10,n=20,history=1001 2
expect d=10,n=20,history=-1000 3
expect d=10,n=20,history=-1001 4
variant "HIST_RULE=t2simple BASE=fixed H_DOUBLE=-500 H_TRIPLE=-1500"
expect d=10,n=20,history=-500 1
expect d=10,n=20,history=-501 2
expect d=10,n=20,history=-1500 2
expect d=10,n=20,history=-1501 3
variant "HIST_RULE=t2advanced BASE=fixed FIXED_R=4 W_HP_0=-1024 W_HP_500=-1024 W_HP_1000=-1024
W_HP_1500=-1024 W_HN_0=1024 W_HN_500=1024 W_HN_1000=1024 W_HN_1500=1024"
expect d=20,n=20,history=0 4
expect d=20,n=20,history=1 3
expect d=20,n=20,history=500 3
expect d=20,n=20,history=501 2
expect d=20,n=20,history=1000 2
expect d=20,n=20,history=1001 1
expect d=20,n=20,history=1500 1
expect d=20,n=20,history=1501 0
expect d=20,n=20,history=-500 5
expect d=20,n=20,history=-501 6
expect d=20,n=20,history=-1000 6
expect d=20,n=20,history=-1001 7
expect d=20,n=20,history=-1500 7
expect d=20,n=20,history=-1501 8
variant "HIST_RULE=linear HIST_DIV=8192"
expect d=10,n=20,history=8192 2
expect d=10,n=20,history=-8192 4
variant "HIST_RULE=linear HIST_SOURCE=none"
expect d=10,n=20,history=-8192 3
variant "ROUND=nearest"
expect d=6,n=3 1
expect d=10,n=20 3
variant "UNIT=1 ROUND=nearest OFFSET=0 W_CUT=600" # each term is rounded alone
expect d=6,n=3,cut 2
variant "UNIT=1 W_CUT=600"
expect d=6,n=3,cut 0
variant "UNIT=10 W_CUT=100" # a tenth of a ply short stays short
expect d=6,n=3,cut 0
variant "UNIT=10 BASE=fixed W_CUT=512 W_IMPROVING=512" # two halves are a ply
expect d=10,n=20,cut 1
expect d=10,n=20,cut,improving 2
variant "BASE=fixed W_CUT=-512 ROUND=floor ALLOW_EXTEND=2 FIXED_R=0" # -0.5: floor is -1
expect d=6,n=9,cut -1
variant "BASE=fixed W_CUT=-1 ROUND=floor ALLOW_EXTEND=2 FIXED_R=0"
expect d=6,n=9,cut -1
variant "BASE=fixed W_CUT=-512 ROUND=nearest ALLOW_EXTEND=2 FIXED_R=0" # halves go away from 0
expect d=6,n=9,cut -1
variant "BASE=fixed W_CUT=-4096 ALLOW_EXTEND=2 FIXED_R=0"
expect d=6,n=9,cut -2
# So is half a ply less for a history, a number of moves, a correction or a window.
variant "BASE=fixed FIXED_R=3 UNIT=1 ROUND=floor HIST_RULE=linear HIST_DIV=1000"
expect d=10,n=20,history=500 2
expect d=10,n=20,history=-500 3
variant "BASE=fixed FIXED_R=3 UNIT=1 ROUND=floor HIST_RULE=none MOVE_COUNT=25"
expect d=10,n=20 2
variant "BASE=fixed FIXED_R=3 UNIT=1 ROUND=floor HIST_RULE=none W_CORRECTION=100"
expect d=10,n=20,correction=50 2
expect d=10,n=20,correction=-50 2
variant "BASE=fixed FIXED_R=3 UNIT=1 ROUND=floor HIST_RULE=none ROOT_DELTA=1024"
expect d=10,n=20,window=50,root_window=100 2
variant "NOISY_TABLE=own UNIT=1 ROUND=floor CAPHIST_DIV=1000 CAPTURE=all"
expect d=40,n=60,capture 4
expect d=40,n=60,capture,caphist=500 3
variant "BASE=fixed W_CUT=-512 ROUND=trunc ALLOW_EXTEND=2 FIXED_R=0"
expect d=6,n=9,cut 0
variant "BASE=fixed FIXED_R=0 W_CUT=-3072"
expect d=6,n=9,cut 0
variant "SKIP_REDUCE=1 DIV=100"
expect trim:d=10,n=20 2
expect trim:d=10,n=20,r=1 0
expect trim:d=3,n=20 1
expect trim:d=2,n=60 0
expect trim:d=10,n=3 0
expect trim:d=6,n=9 1
expect trim:d=6,n=11 2
variant "SKIP_REDUCE=1 DIV=100 MIN_DEPTH=6"
expect trim:d=5,n=40 0
variant "SKIP_REDUCE=1 DIV=100 NOISY_TABLE=own NOISY_DIV=200 CAPTURE=exempt" # a capture has its own base
expect trim:d=10,n=20 2
expect trim:d=10,n=20,capture 1
variant "DIV=100"
expect trim:d=10,n=20 0
variant "SKIP_REDUCE=1 DIV=100 ENABLE=0"
expect trim:d=10,n=20 0
variant "HINDSIGHT=1"
expect hindsight:r=3,swing=0 1
expect hindsight:r=3,swing=1 0
expect hindsight:r=2,swing=0 0
expect hindsight:r=2,swing=171 -1
expect hindsight:r=1,swing=170 0
expect hindsight:r=0,swing=500 0
variant "ALPHA_RAISE=2"
expect raise:d=4 2
expect raise:d=3 3
variant "ALPHA_RAISE=2 ENABLE=0"
expect raise:d=10 10
variant "DEEPER_MARGIN=10 SHALLOWER_MARGIN=5"
expect again:d=9,r=3,score=31,best=20 10
expect again:d=9,r=3,score=30,best=20 9
expect again:d=9,r=3,score=25,best=20 9
expect again:d=9,r=3,score=24,best=20 8
expect again:d=9,r=1,score=24,best=20 0
variant "DEEPER_MARGIN=0 RESEARCH=accept"
expect again:d=9,r=3,score=31,best=20 0
expect again:d=9,r=3,score=31,best=20,first 9
for case in best:0 alpha:10 beta:19; do
    variant "H_BETTER=${case%:*}"
    expect "history:d=6,best=0,alpha=10,beta=20,score=${case#*:}" -6
    expect "history:d=6,best=0,alpha=10,beta=20,score=$((${case#*:} + 1))" 36
done
variant "H_LIMIT=1600"
expect history:d=39,score=1 1521
expect history:d=40,score=1 800

echo "reduction: $asked questions, $failed wrong answers"
[ "$asked" -gt 0 ] && [ "$failed" -eq 0 ]
