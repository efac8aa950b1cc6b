#!/bin/sh
# SPDX-License-Identifier: MIT
# Every file of code names its licence in the first line, or in the second after `#!`.
set -eu
cd "${srcdir:-$(dirname "$0")/..}"
. tests/tools/sources.sh

licence='SPDX-License-Identifier: MIT'
checked=0
faults=0
for file in Makefile.am configure.ac bootstrap .ci/run m4/*.m4 docs/*.sh docs/*.awk openings/*.sh \
    docs/lab/*.sh packaging/*.sh packaging/debian/rules packaging/debian/obworker.p* packaging/debian/*.service \
    worker/*/*.sql worker/*/*.sed worker/*/*.js \
    engine/sources.mk worker/sources.mk worker/*.in tests/tests.mk $(listed_files engine worker tests); do
    case $file in
    *.dict | *.json | *.txt) continue ;;
    .ci/run) [ -f $file ] || continue ;; # no part of the tarball
    esac
    checked=$((checked + 1))
    if ! sed -n '1p; 1{/^#!/!q;}; 2{p;q;}' "$file" | grep -qF "$licence"; then
        echo "$file: its first line does not say \"$licence\"" >&2
        faults=$((faults + 1))
    fi
done
if [ "$checked" -lt 100 ]; then
    echo "licence: only $checked files were looked at: the test itself is broken" >&2
    exit 1
fi
echo "licence: $checked files looked at, $faults without their licence"
[ "$faults" -eq 0 ]
