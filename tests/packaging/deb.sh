#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh FOLDER: the packages that `make deb` made in FOLDER. Their files are where Debian looks for them, the
# documents' links lead to files of the same package, the programs run and find their data, and the
# system's unit starts the worker with options that it has. Installs nothing.
set -eu
srcdir=${srcdir:-$(dirname "$0")/../..}
folder=${1:?usage: deb.sh FOLDER}
. "$srcdir/tests/tools/work.sh"
cases=0
. "$srcdir/tests/tools/links.sh"

# A folder of somebody's is left as it is.
if said=$("$srcdir/packaging/make-deb.sh" none.tar.gz "$folder" 2>&1); then
    fail "make-deb.sh takes a folder that exists"
fi
[ "$said" = "deb: $folder exists: remove it, or name a new folder" ] || fail "of a folder that exists make-deb.sh says: $said"

for package in reductio obworker; do
    file=$(find "$folder" -maxdepth 1 -name "${package}_*.deb")
    [ "$(echo "$file" | grep -c .)" -eq 1 ] || fail "$folder has not one package $package, but: ${file:-none}"
    dpkg-deb -x "$file" "$work/$package"
    dpkg-deb -e "$file" "$work/$package.control"
done

# has PACKAGE PATH...: the files are in the package.
has() {
    package=$1
    shift
    for path; do
        cases=$((cases + 1))
        [ -e "$work/$package/$path" ] || fail "$package lacks /$path"
    done
}
has reductio usr/games/reductio usr/share/man/man6/reductio.6.gz usr/share/doc/reductio/copyright \
    usr/share/doc/reductio/docs/STRENGTH.md
has obworker usr/bin/obworker usr/share/man/man1/obworker.1.gz usr/share/doc/obworker/copyright \
    usr/share/bash-completion/completions/obworker usr/share/zsh/vendor-completions/_obworker \
    usr/share/fish/vendor_completions.d/obworker.fish usr/share/doc/obworker/README.md \
    usr/share/doc/obworker/examples/work.conf usr/share/reductio/openings/reductio.epd.gz \
    usr/share/reductio/engine/Makefile usr/lib/systemd/user/obworker.service lib/systemd/system/obworker@.service \
    lib/systemd/system/obworker-serve.service usr/share/doc/obworker/docs/server.md

# Names of both packages, without folders: a file that both have could not be installed twice.
for package in reductio obworker; do (cd "$work/$package" && find . ! -type d | sort) >"$work/$package.list"; done
both=$(comm -12 "$work/reductio.list" "$work/obworker.list")
[ -z "$both" ] || fail "both packages have $both"

for package in reductio obworker; do
    for page in $(find "$work/$package/usr/share/doc" -name '*.md'); do
        for link in $(links_of "$page"); do
            cases=$((cases + 1))
            [ -e "$(dirname "$page")/$link" ] || fail "${page#"$work"/} links to $link, which is not there"
        done
    done
done

if [ "$(dpkg --print-architecture)" = "$(dpkg-deb -f "$(find "$folder" -maxdepth 1 -name 'reductio_*.deb')" Architecture)" ]; then
    engine=$work/reductio/usr/games/reductio worker=$work/obworker/usr/bin/obworker
    nodes=$("$engine" bench | sed -n '$s/ nodes .*//p')
    [ "$(dpkg --print-architecture)" != amd64 ] || has reductio usr/lib/reductio/reductio-x86-64-v2
    for build in "$work"/reductio/usr/lib/reductio/reductio-*; do
        [ -e "$build" ] || continue
        cases=$((cases + 1))
        built=$("$build" --version | sed -n 's/^built for \([^,]*\),.*/\1/p')
        [ "${build##*/}" = "reductio-$built" ] || fail "${build##*/} is a build for $built"
        [ "$("$build" bench | sed -n '$s/ nodes .*//p')" = "$nodes" ] || fail "${build##*/} searches another tree than reductio"
    done
    OBWORKER_DATADIR=$work/obworker/usr/share/reductio "$worker" match --dev "$engine" --base "$engine" --tc N=500 --games 2 \
        --sandbox off >"$work/match" 2>&1 || {
        cat "$work/match" >&2
        fail "the packaged worker does not play the packaged engine"
    }
    grep -q 'Games | N: 2 ' "$work/match" || fail "the packaged worker played no game: $(cat "$work/match")"
    # options UNIT COMMAND: the command has every option of the unit.
    options() {
        "$worker" "$2" --help >"$work/help"
        for option in $(grep '^Exec' "$units/$1" | grep -o -- ' --[a-z-]*'); do
            cases=$((cases + 1))
            grep -q -- "$option" "$work/help" || fail "$1 uses $option, which obworker $2 does not have"
        done
    }
    units=$work/obworker/lib/systemd/system
    options obworker@.service work
    options obworker-serve.service serve
    if command -v systemd-analyze >/dev/null; then
        for unit in obworker@.service obworker-serve.service; do
            sed "s|^\(Exec[A-Za-z]*=-*\)\"*/[^ ]*/obworker\"*|\1$worker|" "$units/$unit" >"$work/$unit"
        done
        cp "$work/obworker@.service" "$work/obworker@name.service"
        for unit in obworker@name.service obworker-serve.service; do
            if systemd-analyze --man=no verify "$work/$unit" 2>&1 | grep "$unit"; then
                fail "systemd does not like $unit"
            fi
        done
    else
        echo "left out: what systemd says of the units: no systemd-analyze here"
    fi
else
    echo "left out: running the programs, which are for another architecture"
fi
echo "deb: $cases files, links, builds and options of $(ls "$folder" | grep -c '\.deb$') packages"
