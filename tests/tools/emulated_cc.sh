#!/bin/sh
# SPDX-License-Identifier: MIT
# A compiler for another processor whose programs run here (tests/tools/aarch64.sh): in the place of each program that it
# links it leaves a script, which runs the program in qemu. A system without binfmt_misc starts no such program itself.
#
#   emulated_cc.sh QEMU SYSROOT STORE COMPILER... -- ARGUMENT...
#
# The program itself goes to STORE, named by its SHA-256: its script may then be moved, copied and compared like a program.
# Users that a sandbox makes up build engines too, so everyone may write to STORE. OBWORKER_SELF tells a program that starts
# itself again the path of its script.
set -eu
qemu=$1 sysroot=$2 store=$3
shift 3
compiler=
while [ "$1" != -- ]; do
    compiler="$compiler $1"
    shift
done
shift
$compiler "$@"

linked=a.out
previous=
for argument; do
    case $argument in
    -c | -S | -E | -M | -MM | -fsyntax-only) exit 0 ;;
    -o?*) linked=${argument#-o} ;;
    esac
    [ "$previous" != -o ] || linked=$argument
    previous=$argument
done
# Bytes 0 to 3 of a program are 7f 45 4c 46; byte 16 is 2, or 3 for one that runs at any address.
[ -f "$linked" ] && [ -x "$linked" ] || exit 0
case $(od -An -tx1 -N17 "$linked" | tr -d ' \n') in
7f454c46*02 | 7f454c46*03) ;;
*) exit 0 ;;
esac
kept=$store/$(sha256sum <"$linked" | cut -c1-64)
if [ ! -e "$kept" ]; then
    cp "$linked" "$kept.$$"
    chmod 755 "$kept.$$"
    mv "$kept.$$" "$kept"
fi
cat >"$linked.$$" <<END
#!/bin/sh
case \$0 in
/*) OBWORKER_SELF=\$0 ;;
*) OBWORKER_SELF=\$PWD/\$0 ;;
esac
export OBWORKER_SELF QEMU_LD_PREFIX=$sysroot
exec $qemu -0 "\$0" $kept "\$@"
END
chmod 755 "$linked.$$"
mv "$linked.$$" "$linked"
