#!/bin/sh
# SPDX-License-Identifier: MIT
# engine/Makefile alone, in a copy of its tree: what OpenBench and `obworker` do to get an engine.
# Builds of another compiler, optimisation and TUNE search the same tree; flag sets never mix; what
# is wrong is refused. RD_DEEP=1 tries more of them.
set -eu
srcdir=${srcdir:-$(dirname "$0")/../..}
. "$srcdir/tests/tools/work.sh"
unset LMR TUNE EXE BUILD MAKEFLAGS MAKELEVEL MFLAGS CFLAGS || true
CC=${CC:-cc}
faults=0
cases=0

wrong() {
    echo "builds: $*" >&2
    faults=$((faults + 1))
}

# build WORD...: make in the copy, both cores; its output is in $work/log.
build() {
    make -C "$work/tree/engine" -j2 "$@" >"$work/log" 2>&1
}

must_build() {
    build "$@" || {
        cat "$work/log" >&2
        echo "builds: make $* failed" >&2
        exit 1
    }
    if grep -i 'warning' "$work/log" >&2; then wrong "make $*: warnings"; fi
}

# An emulated engine is slow: there, the benches that are compared go to depth 7 alone.
depth=${RD_EMULATED:+7}
bench() { "$@" bench $depth | sed -n '$s/ nodes .*//p'; }

# same WHAT ONE OTHER
same() {
    cases=$((cases + 1))
    [ -n "$2" ] && [ "$2" = "$3" ] || wrong "$1: \"$2\" against \"$3\""
}

differ() {
    cases=$((cases + 1))
    [ -n "$2" ] && [ -n "$3" ] && [ "$2" != "$3" ] || wrong "$1: \"$2\" and \"$3\""
}

# refused WORDS MESSAGE: make refuses LMR=WORDS with that line and leaves no engine behind.
refused() {
    cases=$((cases + 1))
    if build EXE=refused LMR="$1"; then wrong "LMR=\"$1\" was built"; fi
    grep -qxF "LMR: $2" "$work/log" || wrong "LMR=\"$1\" is not answered with \"LMR: $2\" but: $(cat "$work/log")"
    [ ! -e "$work/tree/engine/refused" ] || wrong "LMR=\"$1\" left an engine behind"
}

mkdir "$work/tree"
cp -R "$srcdir/engine" "$work/tree/engine"
chmod -R u+w "$work/tree" # The sources may be read-only (make distcheck).
rm -rf "$work/tree/engine/build" "$work/tree/engine/lmr/flags_gen.h"

refused "KILER=1" "unknown row KILER (did you mean KILLER?)"
refused "preset=t1" "unknown row preset (did you mean PRESET?)"
refused "DIV=9" "DIV=9 is out of range 50..1000"
refused "KILLER=0 KILLER=1" "KILLER is given twice"

# The build as it is asked for; with EVALFILE, which means nothing.
must_build EXE=plain CC="$CC" EVALFILE=/nonexistent
plain=$(bench "$work/tree/engine/plain")
case $("$REDUCTIO" lmr) in
"all "*) same "bench of make against the configured build's" "$plain" "$(bench "$REDUCTIO")" ;;
*) echo "builds: the configured build has flags of its own: its bench is not compared" ;;
esac
compiles() { make -C "$work/tree/engine" -n "$@" EXE=new BUILD="$work/new" CC="$CC" | grep -- ' -c .*main\.c'; }
same "what \`make clean all\` asks of the compiler" "$(compiles clean all)" "$(compiles)"
build EXE=plain CC="$CC"
same "objects made again with nothing changed" "0" "$(grep -cE '^ +(CC|LINK|EXE) ' "$work/log" || true)"

# Two trees that share a folder, the newer objects first: each has the sources of its own.
mkdir "$work/older"
cp -R "$srcdir/engine" "$work/older/engine"
chmod -R u+w "$work/older"
sed 's/id name Reductio/id name Older/' "$srcdir/engine/uci.c" >"$work/older/engine/uci.c"
touch -t 200001010000 "$work/older/engine/uci.c"
must_build "CC=$CC" CFLAGS=-O0 EXE="$work/one" BUILD="$work/b"
make -C "$work/older/engine" -j2 "CC=$CC" CFLAGS=-O0 EXE="$work/two" BUILD="$work/b" >"$work/log" 2>&1 || cat "$work/log" >&2
same "the engine of another tree" "$(echo uci | "$work/two" | sed -n 's/^\(id name [A-Za-z]*\).*/\1/p')" "id name Older"

# Two sets of flags at once from one tree, into another folder; then the first again.
(cd "$work/tree" && find . | sort) >"$work/before"
(make -C "$work/tree/engine" "CC=$CC" CFLAGS=-O1 EXE="$work/one" BUILD="$work/b" LMR="ENABLE=0" >"$work/log1" 2>&1) &
first=$!
make -C "$work/tree/engine" "CC=$CC" CFLAGS=-O1 EXE="$work/two" BUILD="$work/b" LMR="ENABLE=1,KILLER=exempt" >"$work/log2" 2>&1 ||
    wrong "the second of two builds at once: $(cat "$work/log2")"
wait $first || wrong "the first of two builds at once: $(cat "$work/log1")"
one=$(bench "$work/one")
two=$(bench "$work/two")
differ "ENABLE=0 against the default" "$one" "$plain"
differ "KILLER=exempt against the default" "$two" "$plain"
differ "the two sets of flags" "$one" "$two"
must_build "CC=$CC" CFLAGS=-O1 EXE="$work/two" BUILD="$work/b" LMR="ENABLE=0"
(cd "$work/tree" && find . | sort) >"$work/after"
same "files that builds elsewhere leave among the sources" "$(cat "$work/after")" "$(cat "$work/before")"
same "the same name for another set of flags" "$(bench "$work/two")" "$one"
same "the name of a changed engine" "$(echo uci | "$work/two" | grep -cE '^id name Reductio [0-9.]+ [0-9a-f]{8}$')" 1
name=$(echo uci | "$work/two" | sed -n 's/^id name //p')
must_build EXE="$work/agrees" BUILD="$work/b" CFLAGS=-O1 TUNE=1
same "the name of a tunable engine with the same row" \
    "$(printf 'setoption name ENABLE value false\nuci\n' | "$work/agrees" | sed -n 's/^id name //p')" "$name"
differ "the name with another row" \
    "$(printf 'setoption name KILLER value exempt\nuci\n' | "$work/agrees" | sed -n 's/^id name //p')" "$name"
same "the name of the default engine" "$(echo uci | "$work/tree/engine/plain" | grep -cE '^id name Reductio [0-9.]+$')" 1
same "lmr of a changed engine" "$("$work/two" lmr | sed -n 1p)" "ENABLE=0 (default 1)"
same "the count of one changed row" "$("$work/two" lmr | grep -c '^1 of [0-9]* rows differs, ')" 1

# agrees WORD...: this build's bench is that of the plain one.
agrees() {
    must_build EXE="$work/agrees" BUILD="$work/b" "$@"
    same "bench of $*" "$(bench "$work/agrees")" "$plain"
}

other=
for candidate in gcc clang; do
    command -v $candidate >/dev/null 2>&1 && [ "$($CC --version | sed -n 1p)" != "$($candidate --version | sed -n 1p)" ] &&
        other=$candidate
done
[ -n "$other" ] || echo "builds: no second compiler here: left out"
agrees CC="${other:-$CC}" CFLAGS=-O1 TUNE=1
same "bench of a tunable build that counts" "$("$work/agrees" "setoption name STATS value true" "bench $depth" | sed -n '$s/ nodes .*//p')" "$plain"
# One word builds a program that needs no shared library.
agrees static CFLAGS=-O1
if [ -n "${RD_EMULATED:-}" ]; then
    echo "builds: in an emulation a program is a script: the libraries of a static engine are left out"
elif command -v readelf >/dev/null; then
    same "shared libraries that a static engine needs" "$(readelf -d "$work/agrees" | grep -c NEEDED || true)" 0
else
    echo "builds: no readelf here: the libraries of a static engine are left out"
fi
if [ "${RD_DEEP:-0}" = 1 ]; then
    for compiler in "$CC" $other; do
        for flags in "-O0" "-O2" "-O3 -march=native"; do
            agrees CC="$compiler" CFLAGS="$flags"
        done
        agrees CC="$compiler" TUNE=1
        agrees CC="$compiler" LMR="STATS=1"
    done
fi

# A compiler that takes only some of the words for "this processor". picky NAME FLAG...: makes the
# compiler $work/NAME, which refuses these flags, and drops the ones that are no flags of this machine.
picky() {
    name=$1
    shift
    {
        echo '#!/bin/sh'
        echo "case \" \$* \" in"
        for flag; do echo "*\" $flag \"*) echo \"$name: $flag is unknown\" >&2; exit 1 ;;"; done
        echo 'esac'
        echo 'for word; do shift; [ "$word" = -mcpu=native ] || set -- "$@" "$word"; done'
        echo "exec $CC \"\$@\""
    } >"$work/$name"
    chmod +x "$work/$name"
}

# native WORD...: which word for "this processor" make would compile with; - is none.
native() {
    found=$(make -C "$work/tree/engine" -n EXE=never BUILD="$work/n" "$@" 2>/dev/null |
        sed -n 's/.* \(-m[a-z]*=native\) .*/\1/p' | sort -u)
    echo "${found:--}"
}
picky like_arm -march=native
picky like_cross -march=native -mcpu=native
same "the processor of a compiler without -march=native" "$(native CC="$work/like_arm")" -mcpu=native
same "the processor of a compiler that has neither" "$(native CC="$work/like_cross")" -
same "the processor where CFLAGS are given" "$(native CC="$CC" CFLAGS=-O1)" -
agrees CC="$work/like_cross"

# The same compiler on two machines, which share a folder: their objects do not mix.
cat >"$work/moved" <<END
#!/bin/sh
case " \$* " in *" -dM "*) cat "$work/processor" ;; esac
exec $CC "\$@"
END
chmod +x "$work/moved"
for processor in 1 2 1; do
    echo "#define __PROCESSOR__ $processor" >"$work/processor"
    native CC="$work/moved" BUILD="$work/p" >/dev/null
done
same "folders of objects for two processors" "$(ls "$work/p" | wc -l)" 2

# crossed COMPILER EMULATION: a real cross compiler, where there is one, and its programs on this machine.
crossed() {
    if ! command -v "$1" >/dev/null || ! command -v "$2" >/dev/null; then
        echo "builds: no $1, or no $2: left out"
        return
    fi
    must_build static CC="$1" EXE="$work/crossed" BUILD="$work/b"
    same "bench 7 of a build by $1" "$("$2" "$work/crossed" bench 7 | sed -n '$s/ nodes .*//p')" \
        "$("$work/tree/engine/plain" bench 7 | sed -n '$s/ nodes .*//p')"
}
crossed aarch64-linux-gnu-gcc qemu-aarch64-static
crossed s390x-linux-gnu-gcc qemu-s390x-static
crossed arm-linux-gnueabi-gcc qemu-arm-static
# A CPU of x86-64 runs programs of 32 bits itself.
[ "$(uname -m)" != x86_64 ] || crossed i686-linux-gnu-gcc env

must_build clean EXE=plain
cases=$((cases + 1))
[ ! -e "$work/tree/engine/plain" ] && [ ! -e "$work/tree/engine/build" ] || wrong "make clean leaves things behind"

echo "builds: $cases cases, $faults faults, bench${depth:+ $depth} $plain"
[ "$faults" -eq 0 ] && [ "$cases" -ge 14 ]
