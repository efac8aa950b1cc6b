#!/bin/sh
# SPDX-License-Identifier: MIT
# `make dist` makes the same bytes again, under another umask, too; nothing in the tarball tells who made
# it, and when, but for the one time that all its files have.
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
place=$builddir name=reductio-again-$$
. "$srcdir/tests/tools/work.sh"
trap 'rm -rf "$work" "$place/$name" "$place/$name.tar.gz"' EXIT

if ! tar --version 2>/dev/null | grep -q 'GNU tar'; then
    echo "left out: make dist needs GNU tar"
    exit 77
fi

# dist FILE [SETTING]: the tarball that `make dist` makes.
dist() {
    file=$1
    shift
    env -u MAKEFLAGS -u MAKELEVEL -u SOURCE_DATE_EPOCH "$@" make -C "$builddir" dist distdir="$name" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail "make dist failed"
    }
    mv "$builddir/$name.tar.gz" "$file"
}

dist "$work/first"
sleep 1
(umask 077 && dist "$work/second")
cmp "$work/first" "$work/second" || fail "make dist made other bytes the second time"

tar --numeric-owner --full-time -tvzf "$work/first" >"$work/list"
[ "$(wc -l <"$work/list")" -gt 500 ] || fail "only $(wc -l <"$work/list") files are in the tarball: the test itself is broken"
[ "$(awk '{ print $4, $5 }' "$work/list" | sort -u | wc -l)" -eq 1 ] || fail "the files have several times"
[ "$(awk '{ print $2 }' "$work/list" | sort -u)" = 0/0 ] || fail "the files' owner is not 0/0"

dist "$work/dated" SOURCE_DATE_EPOCH=86400
[ "$(TZ=UTC tar --full-time -tvzf "$work/dated" | awk '{ print $4, $5 }' | sort -u)" = "1970-01-02 00:00:00" ] ||
    fail "the files do not have the time of SOURCE_DATE_EPOCH"
### A repository of another user has the same last commit; without a last commit there is no tarball.
if [ -e "$srcdir/.git" ]; then
    mkdir "$work/old"
    # As in older versions, no option of the command line opens another user's repository.
    printf '#!/bin/sh\n[ "$1" != -c ] || shift 2\nexec %s "$@"\n' "$(command -v git)" >"$work/old/git"
    chmod +x "$work/old/git"
    dist "$work/strange" GIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH="$work/old:$PATH"
    cmp "$work/first" "$work/strange" || fail "the bytes depend on who owns the repository"
    mkdir "$work/bin"
    printf '#!/bin/sh\nexit 1\n' >"$work/bin/git"
    chmod +x "$work/bin/git"
    if (dist "$work/timeless" PATH="$work/bin:$PATH") 2>"$work/err"; then
        fail "make dist made a tarball without the time of the last commit"
    fi
    grep -q 'give SOURCE_DATE_EPOCH' "$work/err" || fail "without a last commit: $(cat "$work/err")"
fi

### An unpacked tarball makes itself again, whatever repository it lies in.
if command -v git >/dev/null; then
    git init -q "$work/outer"
    git -C "$work/outer" -c user.name=A -c user.email=a@localhost commit -q --allow-empty -m 'Of another project'
    tar -xzf "$work/first" -C "$work/outer"
    own=$("$builddir/config.status" --config)
    (cd "$work/outer/$name" && eval "./configure $own") >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "configure of the tarball failed"; }
    builddir=$work/outer/$name
    dist "$work/inner"
    cmp "$work/first" "$work/inner" || fail "an unpacked tarball makes another one"
else
    echo "left out: an unpacked tarball that makes itself again: git is not installed"
fi
echo "dist: $(wc -l <"$work/list") files, the same bytes twice"
