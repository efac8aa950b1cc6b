# SPDX-License-Identifier: MIT
# Sourced by scripts. Gives $work, a folder that goes away in the end, after a signal too: when a signal
# ends dash, its EXIT trap does not run.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
# fail WHAT: says what is wrong, and ends the script.
fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}
