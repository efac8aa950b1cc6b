# SPDX-License-Identifier: MIT
# For test scripts, with $srcdir set: `. "$srcdir/tests/tools/second_opinion/ask.sh"`.
opinion=$srcdir/tests/tools/second_opinion

# no_second_opinion: succeeds, and says why, when there is nobody to ask.
no_second_opinion() {
    if ! command -v node >/dev/null; then
        echo "left out: a second opinion on the games: node is not installed"
    elif ! node -e 'process.exit(process.versions.node.split(".")[0] < 16 ? 1 : 0)'; then
        echo "left out: a second opinion on the games: node $(node --version) is older than 16"
    elif [ ! -d "$opinion/node_modules/chessops" ]; then
        echo "left out: a second opinion on the games: no library in $opinion (./bootstrap or" \
            "'npm ci' there installs it)"
    else
        return 1
    fi
}

# second_opinion FILE…: fails, and says where, when another rules library does not agree with every
# game of these PGN files.
second_opinion() {
    no_second_opinion || node "$opinion/check.mjs" "$@"
}
