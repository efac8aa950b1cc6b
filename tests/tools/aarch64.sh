#!/bin/sh
# SPDX-License-Identifier: MIT
# Both programs and their tests for aarch64 (`make check-aarch64`): built by Debian's cross compiler, run by qemu's emulation
# of one program at a time.
#
#   aarch64.sh SOURCE FOLDER [TEST...]
#
# SOURCE is an unpacked tarball of this project (`make distdir`), FOLDER is where everything goes: apt's lists and arm64
# packages (about 60 MB, which apt checks as always), a folder of their files, the build. Nothing is installed, and dpkg
# learns of no other architecture. Without a TEST the short form runs: bench, perft, matches of the scripted engine. "all" is
# the whole suite. RD_EMULATED tells tests that they are emulated, and they leave out what qemu cannot do. The status is 77
# where the compiler, the emulation or the libraries cannot be had.
set -eu
source=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
triplet=aarch64-linux-gnu
leave_out() { echo "check-aarch64: left out: $*" >&2; exit 77; }
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
for tool in "${qemu:-qemu-aarch64-static}" $triplet-gcc apt-get; do
    command -v "$tool" >/dev/null || leave_out "no $tool (./bootstrap --with-cross installs the compiler and the emulation)"
done
packages="libc6-dev libuv1-dev libcurl4-openssl-dev libcjson-dev zlib1g-dev libarchive-dev libssl-dev libfathom-dev
libmicrohttpd-dev libsqlite3-dev check"

### The libraries of arm64, unpacked.
sysroot=$folder/sysroot
# private COMMAND…: apt-get for arm64 with lists and a state of its own.
private() {
    apt-get -qq -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status="$folder/apt/status" \
        -o Dir::State::lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o APT::Update::Error-Mode=any \
        --no-install-recommends "$@"
}
if [ ! -e "$sysroot/done" ]; then
    echo "check-aarch64: apt's arm64 packages, into $folder"
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$sysroot/usr/lib"
    ln -sfn usr/lib "$sysroot/lib"
    : >"$folder/apt/status"
    private update && private --download-only install $packages || leave_out "apt cannot fetch Debian's arm64 packages"
    for package in "$folder"/apt/cache/archives/*.deb; do dpkg -x "$package" "$sysroot"; done
    # Links to other packages' files are absolute in some packages.
    find "$sysroot/usr/lib" -type l -lname '/*' | while read -r link; do
        ln -sf "$sysroot$(readlink "$link")" "$link"
    done
    touch "$sysroot/done"
fi

### The programs.
build=$folder/build
mkdir -p "$build" "$folder/programs"
chmod 1777 "$folder/programs"
# What compiles for arm64 and makes programs that run here, also for the tests and for engines that the worker builds.
printf '#!/bin/sh\nexec "%s/tests/tools/emulated_cc.sh" %s "%s" "%s/programs" %s --sysroot="%s" -- "$@"\n' \
    "$source" "$qemu" "$sysroot" "$folder" "${CROSS_CC:-$triplet-gcc}" "$sysroot" >"$folder/cc"
chmod 755 "$folder/cc"
cd "$build"
if ! grep -qsF "$folder/cc" Makefile; then # Also where an older check had another compiler.
    PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$sysroot \
        "$source/configure" --host=$triplet --disable-lto --disable-native --enable-werror \
        CC="$folder/cc" CFLAGS="-O2 -g" >configure.out || { tail configure.out; exit 1; }
fi
make=${MAKE:-make}
$make -s -j"$(nproc)" >/dev/null
if [ $# -gt 0 ]; then
    echo "check-aarch64: the emulation has no Landlock, no system call filter and no namespaces: tests of these leave them out"
    # Check multiplies each test's time, which is meant for the real processor, by the last of these.
    RD_EMULATED=1 XDG_CACHE_HOME=$folder/cache CK_TIMEOUT_MULTIPLIER=6
    export RD_EMULATED XDG_CACHE_HOME CK_TIMEOUT_MULTIPLIER
    [ "$1" = all ] && exec $make -j"$(nproc)" check
    exec $make -j"$(nproc)" check TESTS="$*"
fi

### The short form.
$make -s tests/bin/scripted_engine
failed=0
# same WHAT GOT WANTED
same() {
    echo "$1: $2"
    [ -n "$2" ] && [ "$2" = "$3" ] || { echo "check-aarch64: FAILED: $1: '$2', here '$3'" >&2; failed=1; }
}
native=$folder/native/reductio
mkdir -p "$folder/native"
make -s -C "$source/engine" EXE="$native" BUILD="$folder/native/build" >/dev/null
same "bench" "$(./reductio bench | sed -n '$s/ nodes .*//p')" "$("$native" bench | sed -n '$s/ nodes .*//p')"
same "perft 4 of the start" "$(./reductio "go perft 4" quit | sed -n 's/^Nodes searched: //p')" 197281
echo "machine: $(./obworker --version | tr '\n' ';')"
srcdir=$source builddir=$build OBWORKER=$build/obworker REDUCTIO=$build/reductio OBWORKER_DATADIR=$source \
    sh "$source/tests/tools/emulated_match.sh" || failed=1
exit $failed
