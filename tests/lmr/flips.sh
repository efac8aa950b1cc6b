#!/bin/sh
# SPDX-License-Identifier: MIT
# Every row of the two tables but those about time, flipped alone, changes what is searched; or the row
# says in its `needs` column what is off, and then it changes nothing until that is on. One tunable engine
# searches the bench positions for each value that is tried. A value that makes no difference at a
# small depth is tried again at greater ones; an emulated engine is too slow for these, and tries the
# first depth alone. The rows' own list says what to try.
set -eu
depths="5 8 12 15"
[ -z "${RD_EMULATED:-}" ] || depths=5
tunable=${builddir:-.}/tests/bin/reductio_tune
. "$(dirname "$0")/../tools/work.sh"

# Values that are like the default for a reason. ROUND=floor: terms are rounded to UNIT, 1/1024 is
# exact, and a negative sum is clamped to 0. CHECK and KILLER: the default's weights are 0. BASE=table
# differs from the 64th move on alone, and so late no move of these positions is searched.
alike="ROUND=floor CHECK=ignore KILLER=ignore BASE=table"

case $("$tunable" lmr) in
"all "*) ;;
*)
    echo "flips: this build has flags of its own; the table is tried from its defaults"
    exit 77
    ;;
esac
{ "$tunable" lmr list --json && "$tunable" params list --json; } >"$work/list"

# dialogue DEPTH ROWS: the commands for ROWS (words ROW, or ROW=VALUE for one choice; all: every row
# and value) to stdout, and a line "ROW VALUE WHAT" for each of their benches to the plan: WHAT is base (the values to compare
# with), flip, choice (a flip of which every value must count) or inert (a flip that must not).
dialogue() {
    awk -v depth="$1" -v only=" $2 " -v plan="$work/plan" '
function field(key, text) {
    text = $0
    if (!match(text, "\"" key "\":"))
        return ""
    text = substr(text, RSTART + RLENGTH)
    if (substr(text, 1, 1) == "[") {
        text = substr(text, 2, index(text, "]") - 2)
        gsub(/"/, "", text)
        gsub(/,/, " ", text)
        return text
    }
    if (substr(text, 1, 1) == "\"")
        return substr(text, 2, index(substr(text, 2), "\"") - 1)
    match(text, /[,}]/)
    return substr(text, 1, RSTART - 1)
}
/"name":/ {
    name = field("name")
    row[++rows] = name
    kind[name] = field("kind")
    standard[name] = field("default")
    low[name] = field("min")
    high[name] = field("max")
    choices[name] = field("choices")
    needs[name] = field("needs")
    # No bench looks at a clock, so rows about time must not change one.
    timeless[name] = name == "STATS" || field("texts") == "time"
    acts[name] = field("acts")
}
function set(name, value) { print "setoption name " name " value " value }
function measure(name, value, what) {
    print "bench " depth
    print name, value, what >plan
}
# A value for the other row of a condition that makes the condition true.
function satisfying(name, condition, n, list, i) {
    split(condition, side, /!?=/)
    if (condition !~ /!=/) {
        sub(/,.*/, "", side[2])
        return side[2]
    }
    if (kind[side[1]] != "choice")
        return side[2] == high[side[1]] ? low[side[1]] : high[side[1]]
    n = split(choices[side[1]], list, " ")
    for (i = n; i > 0; i--)
        if (list[i] != side[2])
            return list[i]
}
# Turns on what the row needs, the first of several ways, and what that needs in turn.
function meet(name, n, list, i, other) {
    n = split(needs[name], list, " ")
    for (i = 1; i <= n; i++) {
        sub(/\/.*/, "", list[i])
        other = list[i]
        sub(/!?=.*/, "", other)
        if (acts[name] == "false" && !(other in changed)) {
            set(other, satisfying(name, list[i]))
            changed[other] = 1
            meet(other)
        }
    }
}
function try_values(name, what, n, list, i) {
    if (kind[name] == "choice") {
        n = split(choices[name], list, " ")
        what = what == "flip" ? "choice" : what
    } else {
        low_now = low[name] + (low[name] + 0 == standard[name] + 0)
        n = split(low_now " " int((low[name] + high[name]) / 2) " " high[name], list, " ")
        if (only == " all ")
            n = 1
    }
    for (i = 1; i <= n; i++) {
        if (list[i] == standard[name] || (what == "inert" && i > 2))
            continue
        if (what == "choice" && only != " all " && index(only, " " name "=" list[i] " ") == 0)
            continue
        set(name, list[i])
        measure(name, list[i], what)
    }
    set(name, standard[name])
}
END {
    measure("-", "-", "base")
    for (r = 1; r <= rows; r++) {
        name = row[r]
        if (only != " all " && index(only, " " name " ") == 0 && index(only, " " name "=") == 0)
            continue
        if (only == " all " && (timeless[name] || acts[name] == "false"))
            try_values(name, "inert")
        if (timeless[name] || name == "H_CLEAR")
            continue
        split("", changed)
        if (acts[name] == "false") {
            meet(name)
            measure(name, "-", "base")
        }
        try_values(name, "flip")
        for (other in changed)
            set(other, standard[other])
        if (acts[name] == "false")
            measure("-", "-", "base")
    }
}' "$work/list"
}

# judge: reads "ROW VALUE WHAT NODES" lines; prints what wants another look, as dialogue takes it,
# and faults to stderr.
judge() {
    awk -v alike=" $alike " '
NF != 4 { print "flips: a bench is missing: " $0 | "cat 1>&2"; next }
$3 == "base" { base = $4; next }
$3 == "inert" && $4 != base {
    print "flips: " $1 "=" $2 " changes bench from " base " to " $4 " though it should not act" | "cat 1>&2"
}
$3 == "inert" { next }
$3 == "choice" && $4 == base && index(alike, " " $1 "=" $2 " ") == 0 { print $1 "=" $2 }
$3 == "choice" { next }
{ tried[$1] = 1 }
$4 != base { effective[$1] = 1 }
END {
    for (name in tried)
        if (!(name in effective))
            print name
}'
}

rows=all
for depth in $depths; do
    dialogue $depth "$rows" >"$work/dialogue"
    "$tunable" <"$work/dialogue" >"$work/out"
    if grep '^info string' "$work/out" >&2; then
        echo "flips: the engine refused something" >&2
        exit 1
    fi
    sed -n 's/^\([0-9]*\) nodes [0-9]* nps$/\1/p' "$work/out" | paste -d' ' "$work/plan" - >"$work/measured"
    [ "$depth" != 5 ] || cp "$work/measured" "$work/first"
    rows=$(judge <"$work/measured" 2>"$work/faults" | tr '\n' ' ')
    if [ -s "$work/faults" ]; then
        cat "$work/faults" >&2
        exit 1
    fi
    echo "flips: depth $depth: $(grep -vc base "$work/measured") values${rows:+; without effect yet: $rows}"
    [ -n "$rows" ] || break
done
if [ -n "$rows" ] && [ -n "${RD_EMULATED:-}" ]; then
    echo "flips: left out: depths greater than $depths, in an emulation"
elif [ -n "$rows" ]; then
    echo "flips: these change nothing: $rows" >&2
    exit 1
fi

# Any one of the comparing steps makes EVAL_REFERENCE act, and none of them does not.
reference_with() {
    printf "setoption name EVAL_REFERENCE value node\\n$1lmr\\nquit\\n" | "$tunable" | grep '^EVAL_REFERENCE='
}
for step in S7_PASSER S8_KING S9_UP S10_DOWN; do
    case $(reference_with "setoption name $step value 1\n") in
    *"without effect"*) echo "flips: EVAL_REFERENCE is said not to act with $step" >&2; exit 1 ;;
    esac
done
case $(reference_with "") in
*"without effect"*) ;;
*) echo "flips: EVAL_REFERENCE is said to act with no step on" >&2; exit 1 ;;
esac

# A row acts only if the rows that it needs act. HIST_SOURCE and HIST_RULE need each other.
told_inert() { # ROW=VALUE ROW=VALUE: the rows that both commands call without effect
    printf 'setoption name %s value %s\nsetoption name %s value %s\nlmr\nparams\nquit\n' \
        "${1%=*}" "${1#*=}" "${2%=*}" "${2#*=}" | "$tunable" | sed -n 's/^\([A-Z0-9_]*\)=.*, without effect.*/\1/p'
}
inert_with() { # ROW=VALUE (what is off) ROW=VALUE (another value of the row that is then without effect)
    told=$(told_inert "$1" "$2")
    [ "$told" = "${2%=*}" ] || { echo "flips: with $1, '$told' are said not to act, not ${2%=*}" >&2; exit 1; }
}
acts_with() { # ROW=VALUE (what lets it act) ROW=VALUE (the row; both change the bench)
    told=$(told_inert "$1" "$2")
    [ -z "$told" ] || { echo "flips: with $1, $told is said not to act" >&2; exit 1; }
    nodes=$(printf 'setoption name %s value %s\nbench 5\nsetoption name %s value %s\nbench 5\n' \
        "${1%=*}" "${1#*=}" "${2%=*}" "${2#*=}" | "$tunable" | sed -n 's/^\([0-9]*\) nodes [0-9]* nps$/\1/p')
    [ "$(echo "$nodes" | sort -u | wc -l)" -eq 2 ] ||
        { echo "flips: with $1, $2 changes nothing: $nodes" >&2; exit 1; }
}
for row in FULL_MOVES=3 HIST_RULE=none W_CUT=0 W_TT_DEPTH=1024 NOISY_DIV=100 DEEPER_MARGIN=0 POST_HISTORY=0 PRUNE_DEPTH=0; do
    inert_with ENABLE=0 "$row"
done
inert_with HIST_SOURCE=none HIST_DIV=300
inert_with HIST_RULE=none HIST_DIV=300
inert_with CAPTURE=exempt NOISY_DIV=100
inert_with CAPTURE=good-exempt CAPHIST_DIV=300
inert_with PV=ignore PV_MEANS=alpha-raised
inert_with W_PV=0 PV_MEANS=alpha-raised
inert_with PVS=0 DEEPER_MARGIN=0
inert_with TT=0 W_TT_DEPTH=1024
inert_with TT=0 SINGULAR_MARGIN=50
inert_with ORDERING=no-history THREAT_ORDER=0
inert_with ORDERING=no-history CAPTURE_VICTIM=1
inert_with CHECK_ORDER=0 CHECK_LOSS=0
inert_with HISTORY_PRUNE_DEPTH=0 HISTORY_PRUNE_MARGIN=100
inert_with SINGULAR_DOUBLE_MAX=0 SINGULAR_DOUBLE=100
inert_with NULL_EVAL_MAX=0 NULL_EVAL_DIV=10
inert_with TIME_DROP_MAX=0 TIME_DROP_WEIGHT=10
inert_with TIME_DROP_WEIGHT=0 TIME_DROP_MAX=100
acts_with ENABLE=0 KILLER_KEY=depth
acts_with ENABLE=0 RESEARCH=t0basic
acts_with ORDERING=random EX_TT=0
acts_with PVS=0 POST_HISTORY=0

# Bench clears everything before each position, so H_CLEAR shows in a game only.
second_search() {
    printf 'setoption name HIST_SOURCE value piece-square\nsetoption name H_CLEAR value %s\ngo depth 8\nposition startpos moves e2e4 e7e5\ngo depth 8\nisready\nd\nquit\n' "$1" |
        "$tunable" | sed -n 's/^info depth 8 .* nodes \([0-9]*\) .*/\1/p' | sed -n '$p'
}
cleared=$(second_search true)
kept=$(second_search false)
if [ -z "$cleared" ] || [ "$cleared" = "$kept" ]; then
    echo "flips: H_CLEAR changes nothing: $cleared nodes with it, $kept without" >&2
    exit 1
fi

tried=$(cut -d' ' -f1 "$work/first" | sort -u | grep -cv '^-$')
listed=$(grep -c '"name":' "$work/list")
[ "$tried" -eq "$listed" ] || { echo "flips: $tried of $listed rows were tried" >&2; exit 1; }
echo "flips: $listed rows, every one but those about time${rows:+ and those without effect yet} acts or says what it needs"
