#!/bin/sh
# SPDX-License-Identifier: MIT
# The lab's suites (docs/lab): obworker takes every line, every comparison plays two engines that
# search differently, and claims.def has a row for every comparison and no other.
set -eu
tunable=${builddir:-.}/tests/bin/reductio_tune
. "$(dirname "$0")/../tools/work.sh"
failed=0

# A line "SUITE/NAME DEV BASE" for each comparison, DEV and BASE without "lmr:".
awk -f "$srcdir/tests/tools/comparisons.awk" "$srcdir"/docs/lab/*.suite | sed 's/ lmr:/ /g' >"$work/all"

### obworker refuses --dev beside a suite, after it has read the suite's lines.
for suite in "$srcdir"/docs/lab/*.suite; do
    "$OBWORKER" match --suite "$suite" --dev x 2>"$work/err" || true
    grep -q 'dev: is for a match of one variant' "$work/err" || { echo "FAILED: $(cat "$work/err")"; failed=1; }
done

### Claims.
sed -n 's,^\([a-z0-9-]*/[^ |]*\) *|.*,\1,p' "$srcdir/docs/lab/claims.def" | sort -u >"$work/claims"
cut -d' ' -f1 "$work/all" | sort >"$work/names"
diff "$work/names" "$work/claims" >"$work/diff" || {
    echo "FAILED: suites (<) and claims.def (>) differ:"
    cat "$work/diff"
    failed=1
}

wordless=$(sed -n 's,^\([a-z0-9-]*/[^ |]*\) *| *|.*,\1,p' "$srcdir/docs/lab/claims.def" | tr '\n' ' ')
[ -z "$wordless" ] || { echo "FAILED: claims.def says nothing of $wordless"; failed=1; }

### Every comparison plays two engines: their searches differ in some position at some depth. The rows
### are set in the tunable engine, which searches as a build with these rows does.
case $("$tunable" lmr) in
"all "*) ;;
*)
    echo "lab: this build has flags of its own; the suites are tried from the defaults"
    [ "$failed" -eq 0 ] && exit 77
    exit 1
    ;;
esac
# Comparisons of two equal searches go on to the next stage, so that the costly stages see few of them:
# "go DEPTH COUNT" searches the first COUNT positions of this list, "bench DEPTH" those of the bench.
cat >"$work/positions" <<'END'
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9
8/1p3k2/p6p/P3bpnP/1Pp1p1p1/2PrP1P1/4KP2/B1R5 w - - 1 38
END
# dialogue KIND DEPTH: for each comparison of stdin, the commands that set the preset and the rows of
# each side, and search the positions of $work/asked, or the bench.
dialogue() {
    awk -v kind="$1" -v depth="$2" -v asked="$work/asked" '
        BEGIN { while ((getline fen <asked) > 0) position[++positions] = fen }
        function side(spec, n, i, word, pair) {
            print "setoption name PRESET value modern"
            n = split(spec, word, ",")
            for (i = 1; i <= n; i++)
                if (word[i] ~ /^PRESET=/)
                    print "setoption name PRESET value " substr(word[i], 8)
            for (i = 1; i <= n; i++)
                if (word[i] != "" && word[i] !~ /^PRESET=/) {
                    split(word[i], pair, "=")
                    print "setoption name " pair[1] " value " pair[2]
                }
            if (kind == "bench")
                print "bench " depth
            else
                for (i = 1; i <= positions; i++)
                    print "ucinewgame\nposition fen " position[i] "\ngo depth " depth
        }
        { split($0, field, " "); side(field[2]); side(field[3]) }'
}
# nodes KIND: the nodes of each side, in one word a line, of the engine's answers.
nodes() {
    if [ "$1" = bench ]; then
        sed -n 's/^\([0-9]*\) nodes [0-9]* nps$/\1/p'
    else
        awk -v positions="$(wc -l <"$work/asked")" '
            /^info / { for (i = 1; i < NF; i++) if ($i == "nodes") last = $(i + 1) }
            /^bestmove / { word = word "+" last; if (++searched % positions == 0) { print word; word = "" } }'
    fi
}
# H_CLEAR shows in a game alone: bench clears everything before each position (tests/lmr/flips.sh).
grep -v 'H_CLEAR=' "$work/all" | sed 's/ $/ ,/; s/  / , /; s/  */ /g' >"$work/left"
total=$(wc -l <"$work/left")
for stage in "go 6 1" "go 8 3" "go 10 3" "bench 8" "bench 11"; do
    # shellcheck disable=SC2086 # several words
    set -- $stage
    head -n "${3:-0}" "$work/positions" >"$work/asked"
    dialogue "$1" "$2" <"$work/left" | "$tunable" >"$work/out"
    if grep '^info string' "$work/out"; then
        echo "FAILED: the engine refused something"
        exit 1
    fi
    nodes "$1" <"$work/out" | paste -d' ' - - >"$work/nodes"
    if [ "$(wc -l <"$work/nodes")" -ne "$(wc -l <"$work/left")" ]; then
        echo "FAILED: $stage: the engine answered $(wc -l <"$work/nodes") of $(wc -l <"$work/left") comparisons"
        exit 1
    fi
    paste -d' ' "$work/left" "$work/nodes" >"$work/measured"
    awk '$4 == $5 { print $1, $2, $3 }' "$work/measured" >"$work/left"
    echo "lab: $stage: $(wc -l <"$work/left") of $total comparisons search the same"
    [ -s "$work/left" ] || break
done
if [ -s "$work/left" ]; then
    echo "FAILED: both engines of these comparisons search the same: $(cut -d' ' -f1 "$work/left" | tr '\n' ' ')"
    failed=1
fi
exit "$failed"
