#!/bin/sh
# SPDX-License-Identifier: MIT
# make-page.sh TEMPLATE OBWORKER VERSION: the man page, with the options that the program itself
# names in the place of "@OPTIONS command@".
set -eu
template=$1 obworker=$2 version=$3
here=$(dirname "$0")
while IFS= read -r line; do
    case $line in
    @OPTIONS*@)
        command=${line#@OPTIONS }
        "$obworker" "${command%@}" --help | ${AWK:-awk} -f "$here/options.awk"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$template" | sed "s/@VERSION@/$version/"
