#!/bin/sh
# SPDX-License-Identifier: MIT
# left_out.sh FOLDER SHARED: what the tests' logs below FOLDER say that the tests left out, each line behind the number
# of times that it stands there. Fails when the folder SHARED of the reference data is there, and a test
# has not found some of them in it (shared_path in tests/runner.h).
set -eu
lines=$(find "$1" -name '*.log' -exec grep -hs 'left out' {} + | sort | uniq -c) || :
[ -z "$lines" ] || printf 'The tests left out:\n%s\n' "$lines"
[ -d "$2" ] || exit 0
missing=$(printf '%s\n' "$lines" | sed -n 's/^ *[0-9]* left out: reference data: //p')
[ -z "$missing" ] || {
    printf '%s is there, and the tests did not find all reference data in it:\n%s\n' "$2" "$missing" >&2
    exit 1
}
