#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs under valgrind's memcheck, one after the other: no invalid access, no leak, no
# value read before it is set. Needs a build that valgrind can read: ./configure --disable-native.
#     make check-valgrind        or        tests/valgrind.sh tests/bin/test_faults …
# CK_FORK=no keeps a test in the process that is watched. Children start through their parent's own
# program, and /proc/self/exe is valgrind's there: OBWORKER_SELF says which it is. They run outside
# valgrind.
set -eu
if ! command -v valgrind >/dev/null; then
    echo "valgrind is not there (Debian: apt-get install valgrind)" >&2
    exit 1
fi
for program; do
    echo "$program"
    OBWORKER_SELF=$(realpath "$program") CK_FORK=no valgrind --quiet --leak-check=full \
        --show-leak-kinds=definite,indirect,possible --error-exitcode=9 "$program" || {
        echo "$program: status $? (an illegal opcode: configure with --disable-native)" >&2
        exit 1
    }
done
