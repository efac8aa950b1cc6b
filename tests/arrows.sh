#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes follow the arrows of the house: no room looks at a room above it.
# Reads every #include "room/..." of engine/ and worker/ and fails on one that is not allowed.
set -eu
cd "${srcdir:-$(dirname "$0")/..}"

# allowed ROOM: the rooms whose headers it may include, itself among them.
allowed() {
    case $1 in
    engine/chess) echo "chess" ;;
    engine/lmr) echo "lmr" ;;
    engine/eval) echo "eval chess" ;;
    engine/tune) echo "tune eval chess" ;;
    engine/search) echo "search eval lmr chess" ;;
    engine) echo "search eval lmr chess" ;;
    worker/base) echo "base" ;;
    worker/stats) echo "stats base" ;;
    worker/match) echo "match stats base chess" ;;
    worker/openbench) echo "openbench base" ;;
    worker/build) echo "build base" ;;
    worker/report) echo "report stats base lmr" ;;
    worker/session) echo "session match openbench build report stats base chess" ;;
    worker) echo "session match openbench build report stats base chess lmr" ;;
    *) echo "" ;;
    esac
}

checked=0
faults=0
for file in $(find engine worker -name '*.[ch]' | sort); do
    room=$(dirname "$file")
    ok=$(allowed "$room")
    if [ -z "$ok" ]; then
        echo "$file: its folder is no room that tests/arrows.sh knows" >&2
        faults=$((faults + 1))
        continue
    fi
    for target in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"/]*\)\/.*".*/\1/p' "$file"); do
        checked=$((checked + 1))
        case " $ok " in
        *" $target "*) ;;
        *)
            echo "$file: includes $target/, but $room may only see: $ok" >&2
            faults=$((faults + 1))
            ;;
        esac
    done
done

# Libraries that one room alone may see.
only() {
    header=$1
    shift
    for file in $(grep -lE "#[[:space:]]*include[[:space:]]*<$header>" -r engine worker --include='*.[ch]' || true); do
        checked=$((checked + 1))
        case " $* " in
        *" $(dirname "$file") "*) ;;
        *)
            echo "$file: includes <$header>, which belongs to: $*" >&2
            faults=$((faults + 1))
            ;;
        esac
    done
}
only 'curl/curl.h' worker/openbench
only 'cjson/cJSON.h|cJSON.h' worker/base worker/openbench worker/report
only 'archive.h' worker/build worker/base
only 'tbprobe.h' worker/match engine/search

if [ "$checked" -eq 0 ]; then
    echo "arrows: no include was looked at: the test itself is broken" >&2
    exit 1
fi
echo "arrows: $checked includes looked at, $faults against the arrows"
[ "$faults" -eq 0 ]
