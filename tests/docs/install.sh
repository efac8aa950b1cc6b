#!/bin/sh
# SPDX-License-Identifier: MIT
# `make install` brings the licence, the news and the documents, and each link from one document to
# another file leads to a file: in the source tree, and where they are installed.
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
. "$srcdir/tests/tools/work.sh"

. "$srcdir/tests/tools/links.sh"

# links_hold FOLDER: whether every link of the documents in FOLDER leads to a file; counts them in $links.
links=0
links_hold() {
    for page in $pages; do
        for link in $(links_of "$1/$page"); do
            links=$((links + 1))
            [ -e "$(dirname "$1/$page")/$link" ] || fail "$1/$page links to $link, which is not there"
        done
    done
}

# The folders are these, whatever configure was told.
if ! env -u MAKEFLAGS -u MAKELEVEL make -C "$builddir" install-data DESTDIR="$work/root" \
    docdir=/doc datadir=/share mandir=/man >"$work/log" 2>&1; then
    cat "$work/log" >&2
    fail "make install-data failed"
fi
docs=$work/root/doc
for file in LICENSE NEWS README.md CONTRIBUTING.md; do
    cmp "$srcdir/$file" "$docs/$file" || fail "$file is not installed as it is in the sources"
done
pages=$(cd "$docs" && find . -name '*.md')
for page in $(cd "$srcdir" && echo docs/*.md); do
    [ -f "$docs/$page" ] || fail "$page is not installed"
done
links_hold "$docs"
links_hold "$srcdir"
[ "$links" -ge 20 ] || fail "only $links links were found: the test itself is broken"
[ -f "$work/root/man/man1/obworker.1" ] || fail "the manual page is not installed"
for path in bash-completion/completions/obworker zsh/site-functions/_obworker fish/vendor_completions.d/obworker.fish; do
    [ -f "$work/root/share/$path" ] || fail "$path is not installed"
done
echo "install: $(echo "$pages" | wc -l) documents are installed, $links links lead to files"
