#!/bin/sh
# SPDX-License-Identifier: MIT
# A build of the engine that was given a folder of builds for newer CPUs executes the best of them
# that this CPU runs, with its own arguments and input, and plays itself when there is none. What
# this CPU runs is asked of the C library's loader, which finds it out by itself.
set -eu
srcdir=${srcdir:-$(dirname "$0")/../..}
. "$srcdir/tests/tools/work.sh"
unset LMR TUNE EXE BUILD MAKEFLAGS MAKELEVEL MFLAGS CFLAGS CPPFLAGS || true

# equal WHAT IS WANTED
equal() { [ "$2" = "$3" ] || fail "$1: \"$2\", not \"$3\""; }

built=$("$REDUCTIO" --version | grep '^built for ') || fail "--version does not say for which CPUs this build is"
equal "the first line of bench" "$("$REDUCTIO" bench 1 | sed -n 1p)" "$built"

# An emulation tells the machine below it.
case ${RD_EMULATED:+emulated }$(uname -m) in
x86_64) ;;
*)
    echo "left out: builds for newer CPUs than x86-64, on ${RD_EMULATED:+a CPU that is emulated on }$(uname -m)"
    exit 77
    ;;
esac
best=$(/lib64/ld-linux-x86-64.so.2 --help 2>/dev/null | sed -n 's/^ *\(x86-64-v[234]\) (supported.*/\1/p' | sort | tail -n 1)
if [ -z "$best" ]; then
    echo "left out: builds for newer CPUs: the C library's loader names no level of this CPU above the lowest"
    exit 77
fi

make -C "$srcdir/engine" -j2 BUILD="$work/objects" EXE="$work/reductio" CC="${CC:-cc}" \
    CFLAGS="-O0 -march=x86-64" CPPFLAGS="-DCPUBUILD_FOLDER=\\\"$work/builds\\\"" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "the engine was not built"
}
mkdir "$work/builds"

# offer LEVEL: a build for that level, which only tells what reaches it.
offer() {
    printf '#!/bin/sh\necho "%s: $*: $(cat)"\n' "$1" >"$work/builds/reductio-$1"
    chmod 755 "$work/builds/reductio-$1"
}
answer() { echo quit | "$work/reductio" "$@"; }

lowest="built for x86-64, sliders by magic multiplication"
equal "without other builds" "$(answer --version | sed -n 2p)" "$lowest"
for level in x86-64-v2 x86-64-v3 x86-64-v4; do
    offer $level
    [ $level != "$best" ] || break
done
equal "with builds up to $best" "$(answer bench "1 2")" "$best: bench 1 2: quit"
for above in x86-64-v3 x86-64-v4 x86-64-v5; do
    [ "$above" \< "$best" ] || [ "$above" = "$best" ] || offer $above
done
equal "with builds that this CPU does not run" "$(answer)" "$best: : quit"
chmod 644 "$work/builds/reductio-$best"
[ "$best" = x86-64-v3 ] || rm -f "$work/builds/reductio-x86-64-v3"
offer x86-64-v2
[ "$best" = x86-64-v2 ] || equal "with a build that cannot be executed" "$(answer d)" "x86-64-v2: d: quit"
rm "$work/builds"/*
equal "without other builds again" "$(answer --version | sed -n 2p)" "$lowest"
echo "cpubuild: this CPU runs $best; $built"
