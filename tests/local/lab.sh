#!/bin/sh
# SPDX-License-Identifier: MIT
# The lab's suites (docs/lab): obworker takes every line, every comparison plays two engines that
# search differently, and claims.def has a row for every comparison and no other.
set -eu
tunable=${builddir:-.}/tests/bin/reductio_tune
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# comparisons: a line "SUITE/NAME DEV BASE" for each, DEV and BASE without "lmr:".
comparisons() {
    for suite in "$srcdir"/docs/lab/*.suite; do
        awk -v suite="$(basename "$suite" .suite)" '
            /^#/ || NF == 0 { next }
            $2 == "=" { if ($1 == "base") base = $3; next }
            { print suite "/" $1, $2, $3 == "against" ? $4 : base }' "$suite"
    done | sed 's/ lmr:/ /g'
}
comparisons >"$work/all"

### obworker refuses --dev beside a suite, after it has read the suite's lines.
for suite in "$srcdir"/docs/lab/*.suite; do
    "$OBWORKER" match --suite "$suite" --dev x 2>"$work/err" || true
    grep -q 'dev: is for a match of one variant' "$work/err" || { echo "FAILED: $(cat "$work/err")"; failed=1; }
done

### Claims.
sed -n 's,^\([a-z0-9-]*/[^ |]*\) *|.*,\1,p' "$srcdir/docs/lab/claims.def" | sort >"$work/claims"
cut -d' ' -f1 "$work/all" | sort >"$work/names"
diff "$work/names" "$work/claims" >"$work/diff" || {
    echo "FAILED: suites (<) and claims.def (>) differ:"
    cat "$work/diff"
    failed=1
}

### Every comparison plays two engines: their benches differ at some depth. The rows are set in the
### tunable engine, which searches as a build with these rows does.
case $("$tunable" lmr) in
"all "*) ;;
*)
    echo "lab: this build has flags of its own; the suites are tried from the defaults"
    [ "$failed" -eq 0 ] && exit 77
    exit 1
    ;;
esac
# dialogue DEPTH: for each comparison of stdin, the commands that set the preset and the rows, and search.
dialogue() {
    awk -v depth="$1" '
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
            print "bench " depth
        }
        { split($0, field, " "); side(field[2]); side(field[3]) }'
}
# H_CLEAR shows in a game alone: bench clears everything before each position (tests/lmr/flips.sh).
grep -v 'H_CLEAR=' "$work/all" | sed 's/  */ /g; s/ $/ ,/; s/  / , /' >"$work/left"
total=$(wc -l <"$work/left")
for depth in 4 8 11; do
    dialogue "$depth" <"$work/left" | "$tunable" >"$work/out"
    if grep '^info string' "$work/out"; then
        echo "FAILED: the engine refused something"
        exit 1
    fi
    sed -n 's/^\([0-9]*\) nodes [0-9]* nps$/\1/p' "$work/out" | paste -d' ' - - >"$work/nodes"
    paste -d' ' "$work/left" "$work/nodes" >"$work/measured"
    awk '$4 == $5 { print $1, $2, $3 }' "$work/measured" >"$work/left"
    echo "lab: depth $depth: $(wc -l <"$work/left") of $total comparisons search the same"
    [ -s "$work/left" ] || break
done
if [ -s "$work/left" ]; then
    echo "FAILED: both engines of these comparisons search the same: $(cut -d' ' -f1 "$work/left" | tr '\n' ' ')"
    failed=1
fi
exit "$failed"
