#!/bin/sh
# SPDX-License-Identifier: MIT
# Searches for texts that break the engine or the worker, with clang's libFuzzer under the address and
# the undefined behaviour sanitizer:
#     tests/fuzz/make-fuzz.sh SECONDS CLANG SOURCE...
# called by `make fuzz`, in the build folder. The sources are the engine's; WORKER_SOURCES, WORKER_CFLAGS
# and WORKER_LIBS are the worker's. FUZZ_ONLY names one harness. Each gets that many seconds. What breaks it is
# left in fuzz/found-*, what leads anywhere new in fuzz/corpus-*.
set -eu
seconds=$1
clang=$2
shift 2
srcdir=${srcdir:-.}
mkdir -p fuzz

if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    "$clang" -fsanitize=fuzzer,address,undefined -x c - -o fuzz/probe 2>fuzz/log; then
    echo "fuzz: $clang has no libFuzzer (Debian: apt-get install clang, and libclang-rt-N-dev for its version N):" >&2
    cat fuzz/log >&2
    exit 1
fi

harnesses=${FUZZ_ONLY:-fen uci answer serve}
for name in $harnesses; do
    echo "fuzz: building fuzz/fuzz_$name"
    set_apart=
    case $name in answer | serve) set_apart="$WORKER_CFLAGS $WORKER_SOURCES" ;; esac
    [ "$name" != serve ] || set_apart="$set_apart $srcdir/tests/tools/raw_web.c"
    # shellcheck disable=SC2086 # Lists of words.
    "$clang" -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        -Iengine -I"$srcdir/engine" -I"$srcdir/tests" "$@" $set_apart "$srcdir/tests/fuzz/fuzz_$name.c" \
        -o "fuzz/fuzz_$name" ${set_apart:+$WORKER_LIBS} -lpthread -lm
done
for name in $harnesses; do
    echo "fuzz: $name for $seconds s"
    mkdir -p "fuzz/corpus-$name"
    status=0
    "fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
        -dict="$srcdir/tests/fuzz/$name.dict" -artifact_prefix="fuzz/found-$name-" \
        "fuzz/corpus-$name" "$srcdir/tests/fuzz/corpus/$name" >"fuzz/log-$name" 2>&1 || status=$?
    tail -n 8 "fuzz/log-$name"
    [ "$status" -eq 0 ] || { echo "fuzz: $name: see fuzz/log-$name" >&2; exit 1; }
done
