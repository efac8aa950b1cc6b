# SPDX-License-Identifier: MIT
# Turns what `obworker COMMAND --help` prints into the options of a man page. A row begins with two
# blanks and a letter's option, or six and a long one; its text goes on in column 31, in the same
# line or the next ones. A line of words that ends in a colon is a heading.
BEGIN { COLUMN = 30; BLANKS = sprintf("%30s", "") }
function escape(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    sub(/^[.']/, "\\\\\\&&", s)
    return s
}
/^[A-Z].*:$/ && !/^Usage/ { print ".SS \"" escape(substr($0, 1, length($0) - 1)) "\""; next }
/^  -[A-Za-z], --/ || /^      --/ {
    attached = length($0) > COLUMN && substr($0, COLUMN, 1) == " "
    row = attached ? substr($0, 1, COLUMN) : $0
    gsub(/^ +/, "", row)
    gsub(/ +$/, "", row)
    print ".TP\n.B \"" escape(row) "\""
    if (attached)
        print escape(substr($0, COLUMN + 1))
    inside = 1
    next
}
inside && substr($0, 1, COLUMN) == BLANKS { print escape(substr($0, COLUMN + 1)); next }
{ inside = 0 }
