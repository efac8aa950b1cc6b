#!/bin/sh
# SPDX-License-Identifier: MIT
# make-page.sh TEMPLATE OBWORKER VERSION: the man page, with the options that the program itself
# names in the place of "@OPTIONS command@". An obworker that was built without `serve` has no options of it.
set -eu
template=$1 obworker=$2 version=$3
here=$(dirname "$0")
# The status of a pipeline is that of its last command: a help that fails stands in none.
built=$("$obworker" --version)
sed "s/@VERSION@/$version/" "$template" | while IFS= read -r line; do
    case $line$built in
    "@OPTIONS serve@"*"Server: no"*) printf '.PP\nThis obworker was built without libmicrohttpd or SQLite, and has no server.\n' ;;
    @OPTIONS*@*)
        command=${line#@OPTIONS }
        help=$("$obworker" "${command%@}" --help)
        printf '%s\n' "$help" | ${AWK:-awk} -f "$here/options.awk"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done
