#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that was started with closed standard streams plays a match all the same: no pipe to an
# engine gets the number of a closed stream, and output that is lost does not look like success.
set -eu
. "$srcdir/tests/match/common.sh"

# play [OPTION...]: a match of two games, which leaves its exit status in $code and its games in games.pgn.
play() {
    rm -f "$work/games.pgn"
    code=0
    "$OBWORKER" match --dev "$engine side=dev" --base "$engine side=base" --book "$work/book.epd" --seed 3 \
        --tc N=100 --games 2 --pgn "$work/games.pgn" --quiet "$@" || code=$?
}
# expect_played WHAT STATUS: that match was played, and ended with the status.
expect_played() {
    expect "status with $1" "$code" "$2"
    expect "games with $1" "$(grep -c '^\[Result ' "$work/games.pgn" || true)" 2
}
play <&- >/dev/null 2>&1
expect_played "standard input closed" 0
play >/dev/null 2>&-
expect_played "standard error closed" 0
play >&- 2>"$work/err"
expect_played "standard output closed" 1
expect_in "standard output closed" "$work/err" "obworker: standard output: Bad file descriptor"
play --bounds 0,5 --exit-verdict >&- 2>"$work/err"
expect_played "standard output closed for a verdict" 1
play <&- >&- 2>&-
expect_played "all streams closed" 1
exit "$failed"
