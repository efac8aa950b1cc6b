#!/bin/sh
# SPDX-License-Identifier: MIT
# make-completions.sh SHELL OBWORKER: the completions of obworker for bash, zsh or fish, with the commands
# and options that the program's help names.
set -eu
shell=$1 obworker=$2
here=$(dirname "$0")
# The status of a pipeline is that of its last command: helps are gathered before one.
text=$("$obworker" --help)
version=$("$obworker" --version)
for command in $(printf '%s\n' "$text" | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    case $command$version in serve*"Server: no"*) continue ;; esac # built without: it has no help
    help=$("$obworker" "$command" --help)
    text="$text
@COMMAND $command
$help"
done
printf '%s\n' "$text" | ${AWK:-awk} -v shell="$shell" -f "$here/completions.awk"
