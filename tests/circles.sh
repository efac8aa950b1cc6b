#!/bin/sh
# SPDX-License-Identifier: MIT
# No two source files call each other in a circle, but for the recursion of the search. Reads the symbols that
# each object file of the build defines and wants. The two halves of worker/base define the same functions, so each
# is read without the other.
set -eu
srcdir=${srcdir:-$(dirname "$0")/..}
build=$PWD
command -v nm >/dev/null || {
    echo "left out: nm is not installed"
    exit 77
}
objects=$(cd "$srcdir" && . tests/tools/sources.sh && listed_files engine worker | sed -n 's/\.c$/.o/p')

# The files from which a circle of calls can be reached, and that a circle reaches, with their calls; the
# number of the files and of the calls that were looked at.
cd "$build"
# built HALF: the objects of the build, of worker/base's halves that one alone.
built() {
    for object in $objects; do
        case $object in
        worker/base/"$1"/*) ;;
        worker/base/linux/* | worker/base/portable/*) continue ;;
        esac
        [ ! -f "$object" ] || echo "$object"
    done
}
circles() {
    # shellcheck disable=SC2046 # many files
    nm -A -g $(built "$1") | awk '
{ sub(/:.*/, "", $1) }
$(NF - 1) ~ /^[TDBRCVW]$/ { owner[$NF] = $1; files[$1] }
$(NF - 1) == "U" { wanted[$1, $NF]; files[$1] }
END {
    for (want in wanted) {
        split(want, part, SUBSEP)
        from = part[1]
        if (!(part[2] in owner) || owner[part[2]] == from)
            continue
        calls++
        names[from " calls " owner[part[2]]] = names[from " calls " owner[part[2]]] " " part[2]
    }
    # Takes away, again and again, each file that calls no file left or that no file left calls.
    do {
        removed = 0
        for (file in files)
            out[file] = into[file] = 0
        for (edge in names) {
            split(edge, part, " calls ")
            if (part[1] in files && part[2] in files) {
                out[part[1]]++
                into[part[2]]++
            }
        }
        for (file in files) {
            if (!counted)
                looked++
            if (out[file] == 0 || into[file] == 0) {
                gone[file]
                removed++
            }
        }
        counted = 1
        for (file in gone)
            delete files[file]
    } while (removed > 0 && length(files) > 0)
    for (edge in names) {
        split(edge, part, " calls ")
        recursion = part[1] part[2] ~ /^engine\/search\/(node|prune)\.oengine\/search\/(node|prune)\.o$/
        if (part[1] in files && part[2] in files && !recursion) {
            print edge ":" names[edge]
            circle = 1
        }
    }
    print looked " files, " calls " calls of other files"
    exit circle || looked < 100 || calls < 1000
}'
}
status=1 # Unless a half was read.
for half in linux portable; do
    if ls worker/base/$half/*.o >/dev/null 2>&1; then
        echo "with worker/base/$half:"
        circles $half || exit 1
        status=0
    fi
done
exit $status
