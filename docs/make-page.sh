#!/bin/sh
# SPDX-License-Identifier: MIT
# make-page.sh TEMPLATE OBWORKER VERSION: the man page, with the options that the program itself
# names in the place of "@OPTIONS command@".
set -eu
template=$1 obworker=$2 version=$3
here=$(dirname "$0")
# The status of a pipeline is that of its last command: a help that fails stands in none.
sed "s/@VERSION@/$version/" "$template" | while IFS= read -r line; do
    case $line in
    @OPTIONS*@)
        command=${line#@OPTIONS }
        help=$("$obworker" "${command%@}" --help)
        printf '%s\n' "$help" | ${AWK:-awk} -f "$here/options.awk"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done
