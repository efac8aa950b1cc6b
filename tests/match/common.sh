# SPDX-License-Identifier: MIT
# What the scripts that play matches share; they source it first. Gives $engine (the scripted one),
# $work (a folder that goes away in the end), $work/book.epd, and the words below and in ask.sh.
engine=$builddir/tests/bin/scripted_engine
. "$srcdir/tests/tools/second_opinion/ask.sh"
. "$srcdir/tests/tools/work.sh"
XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
# No proxy of the user's comes between, and no settings of the user's git.
no_proxy=127.0.0.1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export XDG_STATE_HOME XDG_CACHE_HOME no_proxy GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
failed=0

fail() {
    echo "FAILED: $*" >&2
    failed=1
}
# expect WHAT GOT WANTED
expect() { [ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"; }
# expect_in WHAT FILE TEXT
expect_in() { grep -qF -e "$3" "$2" || fail "$1: '$3' is not in: $(head -c 2000 "$2")"; }
obworker() { "$OBWORKER" "$@"; }
# expect_refused COMMAND STATUS TEXT ARGUMENT…: the command (one or more words) with these arguments ends with the
# status, prints nothing to $work/out, and has the text in $work/err.
expect_refused() {
    refusing=$1 wanted=$2 text=$3
    shift 3
    code=0
    $refusing "$@" >"$work/out" 2>"$work/err" || code=$?
    expect "status of $refusing $*" "$code" "$wanted"
    expect_in "$refusing $*" "$work/err" "$text"
    expect "stdout of $refusing $*" "$(cat "$work/out")" ""
}

# Positions after one move of White's.
for pawn in 8/P7/1PPPPPPP 8/1P6/P1PPPPPP 8/2P5/PP1PPPPP 8/3P4/PPP1PPPP 8/4P3/PPPP1PPP \
    P7/8/1PPPPPPP 1P6/8/P1PPPPPP 2P5/8/PP1PPPPP 3P4/8/PPP1PPPP 4P3/8/PPPP1PPP; do
    echo "rnbqkbnr/pppppppp/8/8/$pawn/RNBQKBNR b KQkq - hmvc 0; fmvn 1;"
done >"$work/book.epd"

# untimed FILE: the PGN without what is never the same twice.
untimed() { grep -v '^\[\(Date\|Game\)' "$1" | sed 's/ [0-9.]*s, n=/ n=/g'; }
# counts FILE: the JSON report without what depends on time.
counts() { sed 's/,"[a-z_]*nps":[^,}]*//g; s/,"seconds":[^,}]*//' "$1"; }
# said FILE: a log without the warning on systems whose sandbox lacks something.
said() { grep -v 'this system has no sandbox\|the sandbox is not complete' "$1" || true; }
# lines FILE: the number of lines of that log without the warning.
lines() { said "$1" | grep -c '' || true; }
# pairs FILE: how many pairs a journal has.
pairs() { grep -c '"kind":"pair"' "$1"; }
# processes FILE: those with log=FILE in their command line: engines, also before they write their first line there, and
# the processes that start and guard them. The brackets hide grep and awk from themselves.
processes() {
    if [ -e /proc/self/cmdline ]; then
        grep -ls "log[=]$1" /proc/[0-9]*/cmdline | cut -d/ -f3
    else
        ps -axwwo pid=,args= | awk -v word="log[=]$1" '$0 ~ word { print $1 }'
    fi
}
# expect_gone WHAT FILE: all of them are gone, or go within a minute.
expect_gone() {
    tries=0
    while left=$(processes "$2") && [ -n "$left" ] && [ "$tries" -lt 1200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    expect "engines left $1" "$left" ""
}
# until_in TEXT FILE [LINES]: waits until the file has the text, in so many lines (1); two minutes at most.
until_in() {
    tries=0
    while [ "$(cat "$2" 2>/dev/null | grep -c -e "$1")" -lt "${3:-1}" ]; do
        sleep 0.05
        tries=$((tries + 1))
        [ "$tries" -lt 2400 ] || { fail "no '$1' in $2 within two minutes"; break; }
    done
}
# roll N: a number below N in $rolled, the same ones in each run of a script that sets $random.
roll() {
    random=$(((random * 1103515245 + 12345) % 2147483648))
    rolled=$((random / 65536 % $1))
}
