#!/bin/sh
# SPDX-License-Identifier: MIT
# The guides' commands work as printed. Every ```console block of docs/*.md is run: lines that begin
# with "$ " are commands (a "\" at the end goes on in the next line), what follows is their output.
# It must come out in the same shape: numbers may differ, and a line "…" stands for any lines. The numbers of a block (Elo, LLR,
# Games, Penta) may not differ: no guide plays by the clock. An engine built with rows of its own plays other games, so its
# numbers are not compared. A guide's
# blocks are run in order, in one empty folder, or what tests/docs/GUIDE.setup.sh has made of it, with
# obworker and reductio at hand, and with a server at https://openbench.example that knows the tests of
# tests/docs/server. A command that is to fail is followed by "|| echo $?". Lines from <<'END' to END
# belong to the command. The texts that name the bench of today must name that of the engine, and
# README.md must have the table of its 'lmr stats'.
#
#   guides.sh [GUIDE.md ...]     these alone
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
. "$srcdir/tests/tools/work.sh"
failed=0

mkdir "$work/bin"
ln -s "${OBWORKER:?}" "$work/bin/obworker"
ln -s "${REDUCTIO:?}" "$work/bin/reductio"
PATH=$work/bin:$PATH
HOME=$work/home
XDG_STATE_HOME=$work/state
# No proxy of the user's comes between, and of git's settings those in this HOME count.
no_proxy=127.0.0.1 GIT_CONFIG_SYSTEM=/dev/null
export HOME PATH XDG_STATE_HOME no_proxy GIT_CONFIG_SYSTEM
mkdir "$HOME"
unset XDG_CACHE_HOME XDG_CONFIG_HOME OPENBENCH_USERNAME OPENBENCH_PASSWORD OPENBENCH_SERVER GIT_CONFIG_GLOBAL || true
# A make that runs the tests has a jobserver that a guide's own make cannot reach.
unset MAKEFLAGS MFLAGS MAKELEVEL || true

. "$srcdir/tests/tools/quick_engine.sh"

# shape: text without what may differ: numbers, how wide columns and bars are for them, where the sources are, and the warning
# on systems whose sandbox lacks something.
shape() {
    sed -e '/^warning: this system has no sandbox: /d' -e '/^warning: the sandbox is not complete: /d' \
        -e 's/^\(lmr: is built from\) .*/\1/' -e 's/([0-9a-f]\{12\})/(#)/g' -e "s|$HOME|~|g" -e 's/[0-9][0-9]*\(\.[0-9][0-9]*\)\{0,1\}/#/g' -e 's/[-+]#/#/g' -e 's/|/ /g' \
        -e 's/[─├┤●│┼━╾╼]/ /g' -e 's/  */ /g' -e 's/^ //' -e 's/ $//'
}

# of_blocks FILE: the lines of blocks that hold counts.
of_blocks() {
    case $standard in
    all*) sed -n '/^\(Elo\|LLR\|Games\|Penta\) *| /p' "$1" ;;
    esac
}
standard=$("$REDUCTIO" lmr)

# split GUIDE FOLDER: N.command and N.wanted for each command of its console blocks.
split() {
    awk -v folder="$2" '
        /^```/ { inside = $0 == "```console"; going = 0; next }
        !inside { next }
        going || here || /^\$ / {
            if (!going && !here) { count++; line = substr($0, 3); printf "" > (folder "/" count ".wanted") }
            else line = $0
            going = line ~ /\\$/
            here = here ? line != "END" : line ~ /<<.END./
            print line > (folder "/" count ".command")
            next
        }
        count { print > (folder "/" count ".wanted") }' "$1"
}

# same WANTED GOT: these files, as shapes, but for the lines that "…" stands for.
same() {
    awk '
        FNR == NR { wanted[++w] = $0; next }
        { got[++g] = $0 }
        function fits(i, k,    j) {
            if (i > w) return k > g
            if (wanted[i] != "…") return k <= g && wanted[i] == got[k] && fits(i + 1, k + 1)
            for (j = k; j <= g + 1; j++) if (fits(i + 1, j)) return 1
            return 0
        }
        END { exit !fits(1, 1) }' "$1" "$2"
}

. "$srcdir/tests/tools/serve.sh"
serve
with_serve=$("$OBWORKER" --version | sed -n 's/^Server: //p')

# wants_more FILE: does the command need a server that was not built?
wants_more() {
    if [ -z "$url" ]; then
        ! grep -q openbench.example "$1" || return 0
    fi
    [ "${with_serve%% *}" = no ] && grep -q 'obworker serve' "$1"
}

guides=0
commands=0
[ $# -gt 0 ] || set -- "$srcdir"/docs/*.md
for guide in "$@"; do
    name=$(basename "$guide" .md)
    parts=$work/$name.parts
    mkdir "$parts" "$work/$name"
    split "$guide" "$parts"
    if [ -f "$srcdir/tests/docs/$name.setup.sh" ]; then
        command -v git >/dev/null || { echo "guides: $name: left out: git is not installed"; continue; }
        (cd "$work/$name" && sh -eu "$srcdir/tests/docs/$name.setup.sh") ||
            { echo "FAILED: $guide: its folder cannot be made" >&2; failed=1; continue; }
    fi
    n=1
    while [ -f "$parts/$n.command" ]; do
        # The commands that follow may need the files of a command that is left out.
        if wants_more "$parts/$n.command"; then
            echo "guides: $name: no server was built: left out, with all that follows: $(head -1 "$parts/$n.command")"
            break
        fi
        sed "s|https://openbench.example|$url|g" "$parts/$n.command" >"$parts/$n.run"
        (cd "$work/$name" && LC_ALL=C.UTF-8 sh -eu "$parts/$n.run") >"$parts/$n.said" 2>&1 </dev/null ||
            { echo "FAILED: $guide: exit status $?: $(cat "$parts/$n.command")"; failed=1; } >&2
        sed "s|${url:-https://openbench.example}|https://openbench.example|g" "$parts/$n.said" >"$parts/$n.out"
        shape <"$parts/$n.out" >"$parts/$n.got.shape"
        shape <"$parts/$n.wanted" >"$parts/$n.wanted.shape"
        if ! same "$parts/$n.wanted.shape" "$parts/$n.got.shape"; then
            {
                echo "FAILED: $guide: the output of this command has another shape:"
                cat "$parts/$n.command"
                diff "$parts/$n.wanted" "$parts/$n.out"
            } >&2 || true
            failed=1
        fi
        of_blocks "$parts/$n.wanted" >"$parts/$n.counts"
        of_blocks "$parts/$n.out" >"$parts/$n.counted"
        grep -vxFf "$parts/$n.counted" "$parts/$n.counts" >"$parts/$n.differ" || :
        if [ -s "$parts/$n.differ" ]; then
            {
                echo "FAILED: $guide: this command's counts are others today:"
                cat "$parts/$n.command"
                diff "$parts/$n.counts" "$parts/$n.out" | grep '^[<>] \(Elo\|LLR\|Games\|Penta\) *|'
            } >&2 || true
            failed=1
        fi
        commands=$((commands + 1))
        n=$((n + 1))
    done
    [ "$n" -eq 1 ] || guides=$((guides + 1))
done
# The bench of today, where the texts name it, and the statistics of today, where README.md has them.
case $standard in
all*)
    bench=$("$REDUCTIO" bench | sed -n '$s/ nodes .*//p')
    for place in "STRENGTH.md:engine of today has Bench $bench\." "PORTING.md: $bench today" \
        "check-engine.md:bench  *ok  *$bench nodes" "authors.md: against $bench\$"; do
        grep -q "${place#*:}" "$srcdir/docs/${place%%:*}" ||
            { echo "FAILED: docs/${place%%:*}: the engine's bench is $bench, and it has no '${place#*:}'" >&2; failed=1; }
    done
    "$builddir/tests/bin/reductio_tune" "setoption name STATS value true" "lmr stats 12" >"$work/statistics"
    sed -n '/^depth 12, /,/^strength is not /p' "$srcdir/README.md" | diff - "$work/statistics" >&2 ||
        { echo "FAILED: README.md: 'lmr stats 12' prints the second of these today" >&2; failed=1; }
    ;;
esac
echo "guides: $commands commands of $guides guides run"
[ "$commands" -gt 0 ] || { echo "guides: no commands were found" >&2; exit 1; }
exit "$failed"
