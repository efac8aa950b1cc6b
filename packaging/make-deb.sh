#!/bin/sh
# SPDX-License-Identifier: MIT
# make-deb.sh TARBALL FOLDER: unpacks the tarball of `make dist` in a new FOLDER and builds its Debian
# packages there: source and binaries, which lintian then looks at where it is installed.
set -eu
fail() { echo "deb: $*" >&2; exit 1; }
[ $# -eq 2 ] || fail "usage: make-deb.sh TARBALL FOLDER"
tarball=$1 folder=$2
[ ! -e "$folder" ] || fail "$folder exists: remove it, or name a new folder"

for tool in dpkg-buildpackage dh; do
    command -v $tool >/dev/null || fail "$tool is not installed; on Debian: apt-get install dpkg-dev debhelper"
done
mkdir -p "$folder"
tar -xzf "$tarball" -C "$folder"
tree=$(echo "$folder"/reductio-*)
cp -R "$tree/packaging/debian" "$tree/debian"

version=$(sed -n 's/^#define REDUCTIO_VERSION "\(.*\)"/\1/p' "$tree/engine/version.h")
packaged=$(cd "$tree" && dpkg-parsechangelog -S Version)
[ "$packaged" = "$version" ] ||
    fail "packaging/debian/changelog begins with $packaged, and engine/version.h says $version: add the entry"

# What make hands to the commands of a rule is not for the package's own build.
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES LMR TUNE CC CFLAGS CPPFLAGS LDFLAGS || true
(cd "$tree" && dpkg-buildpackage -us -uc)
if command -v lintian >/dev/null; then
    (cd "$folder" && lintian --allow-root --display-info --pedantic --fail-on error,warning ./*.changes)
else
    echo "deb: lintian is not installed: the packages were not looked at"
fi
echo "deb: the packages are in $folder: $(cd "$folder" && echo *.deb)"
