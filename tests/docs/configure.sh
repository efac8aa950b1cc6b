#!/bin/sh
# SPDX-License-Identifier: MIT
# configure, run in a copy of what it reads: other options make another config.h, and with that all objects anew;
# what the linker does not take is left out; a faulty folder is refused. A new version makes configure anew.
# Then its Makefile: two makes at a time.
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
. "$srcdir/tests/tools/work.sh"
unset LMR TUNE CFLAGS CPPFLAGS LDFLAGS LIBS CONFIG_SITE MAKEFLAGS MAKELEVEL MFLAGS || true

mkdir -p "$work/engine/lmr" "$work/engine/search"
cp -RL "$srcdir/configure" "$srcdir/build-aux" "$srcdir/Makefile.in" "$srcdir/config.h.in" "$srcdir/configure.ac" \
    "$srcdir/aclocal.m4" "$srcdir/m4" "$work"
cp "$srcdir/engine/sources.mk" "$srcdir/engine/version.h" "$work/engine"
cp "$srcdir"/engine/lmr/flags.* "$srcdir/engine/lmr/presets.def" "$work/engine/lmr"
cp "$srcdir/engine/search/params.def" "$work/engine/search"
chmod -R u+w "$work"
# What this build was configured with: a place of libraries, perhaps.
own=$("$builddir/config.status" --config)
cd "$work"
# configure OPTION...: this build's options, then these; its words are in $work/log.
configure() { eval "./configure $own" --cache-file=cache '"$@"' >log 2>&1; }
# configured OPTION...: a sum of the config.h that these options make.
configured() {
    configure "$@" || { cat log >&2; fail "configure $* failed"; }
    cksum <config.h
}

# Objects of two builds never mix.
first=$(configured)
[ "$(configured)" = "$first" ] || fail "the same options make another config.h"
# another OPTION...: these options make another config.h.
another() {
    made=$(configured "$@")
    [ "$made" != "$first" ] || fail "$* makes the same config.h"
}
another --cache-file=/dev/null CFLAGS='-O0 -DANOTHER'
another --with-cpu-builds=/elsewhere
another --prefix=/elsewhere
[ "$(configured --docdir=/elsewhere)" = "$first" ] || fail "--docdir, which no object knows, makes another config.h"

# refused OPTION: configure does not take it, and names it.
refused() {
    if configure "$1"; then fail "$1 is taken"; fi
    grep -q -- "error: $1" log || fail "$1 is refused with: $(tail -n 1 log)"
}
refused --with-systemduserunitdir=yes
refused --with-systemdsystemunitdir=systemd/system
configure --with-systemduserunitdir='${prefix}/units' --with-systemdsystemunitdir=no || { cat log >&2; fail "a folder of units is refused"; }

# A compiler whose linker knows no link-time optimisation: only a program shows it.
printf '#!/bin/sh\ncase " $* " in *" -c "*) ;; *" -flto"*) exit 1 ;; esac\nexec %s "$@"\n' "${CC:-cc}" >linkless
chmod +x linkless
configure --cache-file=another CC="$work/linkless" || { cat log >&2; fail "configure failed with a linker of its own"; }
grep -q '^  link-time optimisation  *no: ' log || fail "-flto is used though nothing can be linked with it"

# A new version makes another configure, and make knows that.
if autoconf >log 2>&1; then
    sed 's/^\(#define REDUCTIO_VERSION\) .*/\1 "98.7-rc6"/' engine/version.h >new
    mv new engine/version.h
    # Times are compared in seconds.
    find . ! -name version.h -exec touch -t 202001010000 {} +
    autoconf
    grep -qx "PACKAGE_VERSION='98.7-rc6'" configure || fail "autoconf does not see a new version"
else
    echo "left out: autoconf: $(head -n 1 log)"
fi
cd "$OLDPWD"
make -C "$builddir" -n -W "$(sed -n 's/^top_srcdir = //p' "$builddir/Makefile")/engine/version.h" Makefile >"$work/log" 2>&1 || :
grep -q autoconf "$work/log" || fail "make does not see a new version"

# A make that makes the table of flags while another one does.
cat >"$work/awk" <<END
#!/bin/sh
awk "\$@" && make -C "$builddir" engine/lmr/flags_gen.h >/dev/null
END
chmod +x "$work/awk"
make -C "$builddir" engine/lmr/flags_gen.h AWK="env -u AWK -u MAKEFLAGS -u MAKEOVERRIDES $work/awk" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "two makes at once break each other"
}

# What make would do if config.h alone were new.
make -C "$builddir" -n -W config.h -o engine/lmr/flags_gen.h reductio obworker >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "make -n failed"; }
for object in engine/reductio-main worker/main worker/base/clock engine/chess/position; do
    grep -q -- "-o $object\.o" "$work/log" || fail "a new config.h does not make $object.o anew"
done
