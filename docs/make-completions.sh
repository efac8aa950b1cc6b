#!/bin/sh
# SPDX-License-Identifier: MIT
# make-completions.sh SHELL OBWORKER: the completions of obworker for bash, zsh or fish, with the commands
# and options that the program's help names.
set -eu
shell=$1 obworker=$2
here=$(dirname "$0")
{
    "$obworker" --help
    for command in $("$obworker" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
        echo "@COMMAND $command"
        "$obworker" "$command" --help
    done
} | ${AWK:-awk} -v shell="$shell" -f "$here/completions.awk"
