#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes follow the arrows of the house: no room looks at a room above it.
# Reads every #include "room/..." of the sources that the rooms list (builds leave other files beside
# them), and fails on one that is not allowed, and on one of a header that no list names.
set -eu
cd "${srcdir:-$(dirname "$0")/..}"
. tests/tools/sources.sh

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
    worker/results) echo "results stats base" ;;
    worker/match) echo "match results base chess" ;;
    worker/openbench) echo "openbench results stats base" ;;
    worker/build) echo "build base" ;;
    worker/report) echo "report results stats base lmr" ;;
    worker/session) echo "session match openbench build results stats base" ;;
    worker/check) echo "check match build base chess" ;;
    worker/local) echo "local match build report results stats base" ;;
    worker/submit) echo "submit openbench build match stats base" ;;
    worker/serve) echo "serve openbench build match report stats base lmr" ;;
    worker) echo "serve check local submit session match openbench build report results stats base" ;;
    *) echo "" ;;
    esac
}

checked=0
faults=0
sources=$(listed_files engine worker | grep -E '\.([ch]|def)$' | tr '\n' ' ')
made='config.h lmr/flags_gen.h report/games_js.h serve/reductio_json.h serve/schema1_sql.h serve/schema2_sql.h serve/schema3_sql.h serve/pages_gen.h'

# is_listed HEADER: whether a list names it, or configure or a generator (of the flag table, of the pages' script) makes it.
is_listed() {
    case " $made $sources " in
    *" $1 "* | *" engine/$1 "* | *" worker/$1 "*) return 0 ;;
    esac
    return 1
}

for file in $sources; do
    room=$(dirname "$file")
    # The two halves of base are parts of that room, and only a half sees its own headers.
    case $room in
    worker/base/linux | worker/base/portable) room=worker/base ;;
    esac
    ok=$(allowed "$room")
    if [ -z "$ok" ]; then
        echo "$file: its folder is no room that tests/arrows.sh knows" >&2
        faults=$((faults + 1))
        continue
    fi
    for header in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
        checked=$((checked + 1))
        is_listed "$header" || {
            echo "$file: includes $header, which neither engine/sources.mk nor worker/sources.mk lists" >&2
            faults=$((faults + 1))
        }
        case $header in
        config.h) continue ;;
        base/linux/* | base/portable/*) [ "$(dirname "$file")" = "worker/${header%/*}" ] && target=base || target=${header%/*} ;;
        */*) target=${header%%/*} ;;
        *) case $room in engine | worker) continue ;; *) target=. ;; esac ;; # a header of the programs themselves
        esac
        case " $ok " in
        *" $target "*) ;;
        *)
            echo "$file: includes $header, but $room may only see: $ok" >&2
            faults=$((faults + 1))
            ;;
        esac
    done
done

# layered ROOM: the list names the room's sources in the order of their layers, and each includes headers of the room
# that stand before it alone. So files of the room never call each other in circles.
layered() {
    room=$1
    before=' '
    for file in $(sed -n "s|^[[:space:]]*\(worker/$room/[a-z_]*\.[ch]\).*|\1|p" worker/sources.mk); do
        before="$before$file "
        for header in $(sed -n "s|^[[:space:]]*#[[:space:]]*include[[:space:]]*\"\($room/[^\"]*\)\".*|\1|p" "$file"); do
            checked=$((checked + 1))
            case $before in
            *" worker/$header "*) ;;
            *)
                echo "$file: includes $header, which worker/sources.mk lists after it" >&2
                faults=$((faults + 1))
                ;;
            esac
        done
    done
}
layered session

# Libraries that one room alone may see.
only() {
    header=$1
    shift
    found=$(grep -lE "#[[:space:]]*include[[:space:]]*<($header)>" $sources || true)
    [ -n "$found" ] || {
        echo "arrows: no file includes <$header>: the test itself is broken" >&2
        faults=$((faults + 1))
    }
    for file in $found; do
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
only 'cjson/cJSON.h|cJSON.h' worker/base worker/report worker/serve
only 'archive.h' worker/build
only 'microhttpd.h' worker/serve
only 'sqlite3.h' worker/serve
only 'tbprobe.h' worker/match engine/search

if [ "$checked" -eq 0 ]; then
    echo "arrows: no include was looked at: the test itself is broken" >&2
    exit 1
fi
echo "arrows: $checked includes looked at, $faults against the arrows"
[ "$faults" -eq 0 ]
