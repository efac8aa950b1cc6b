# SPDX-License-Identifier: MIT
# Games of a PGN file without what differs from run to run or from runner to runner: times, dates, the
# event, engines' names and authors. The headers that are compared, one a line, then the moves and
# comments on one line.
function flush_game(   i) {
    if (!(("Round") in tag))
        return
    for (i = 1; i <= wanted; i++)
        print name[i] " " tag[name[i]]
    gsub(/[ \t]+/, " ", moves)
    sub(/^ /, "", moves)
    sub(/ $/, "", moves)
    print moves
    print ""
    delete tag
    moves = ""
}
BEGIN {
    wanted = split("Round White Black Result SetUp FEN Variant PlyCount Termination TimeControl", name, " ")
}
/^\[/ {
    if (moves != "")
        flush_game()
    key = $1
    sub(/^\[/, "", key)
    value = $0
    sub(/^\[[A-Za-z0-9]+ /, "", value)
    sub(/\]$/, "", value)
    tag[key] = value
    next
}
{
    line = $0
    gsub(/ [0-9.]+s,/, "", line) # "{+0.25/12 0.123s, n=1"
    moves = moves " " line
}
END { flush_game() }
