#!/bin/sh
# SPDX-License-Identifier: MIT
# The man pages name every option and command that the programs do, and are pages that man shows;
# the units start the worker and the server with options that there are.
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
obworker=${OBWORKER:-$builddir/obworker} reductio=${REDUCTIO:-$builddir/reductio}
. "$srcdir/tests/tools/work.sh"
. "$srcdir/tests/tools/without_server.sh"

# plain PAGE: its text as it is read, dashes as they are typed.
plain() { sed -e 's/\\-/-/g' -e 's/\\e/\\/g' "$1"; }

plain "$builddir/docs/obworker.1" >"$work/obworker"
plain "$srcdir/docs/reductio.1" >"$work/reductio"

# The program's own options, and the help of a command.
sed -n '/^\.SH OPTIONS$/,/^\.SH /p' "$work/obworker" >"$work/section"
own=$("$obworker" --help | grep -o '^  -[A-Za-z], --[a-z-]*' | grep -o -- '-.*')
[ "$(echo "$own" | grep -c .)" -ge 2 ] || fail "obworker --help has only these options: $own"
echo "$own" | while read -r option; do
    grep -qxF ".B \"$option\"" "$work/section" || fail "$option is not in obworker(1)"
    ! "$obworker" "$(echo "${option#*, }" | sed 's/.$//')" >/dev/null 2>&1 || fail "$option may be shortened"
done
grep -q '^\.B "help ' "$work/section" || fail "obworker(1) does not have obworker help COMMAND"

count=0
for command in $("$obworker" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
    case $command$("$obworker" --version) in
    serve*"Server: no"*)
        echo "left out: the options of obworker serve: this obworker was built without it"
        continue
        ;;
    esac
    "$obworker" $command --help >"$work/help"
    # The rows of this command alone: others have options of the same names.
    sed -n "/^\.SH OBWORKER $(echo "$command" | tr a-z A-Z)\$/,/^\.SH /p" "$work/obworker" >"$work/section"
    for option in $(grep -o '^  \(-[A-Za-z], \|    \)--[a-z0-9-]*' "$work/help" | grep -o -- '--.*'); do
        [ "$option" = --help ] || count=$((count + 1))
        grep -qE "^\.B \"(-[A-Za-z], )?$option[ \"]" "$work/section" || fail "$command $option is not in obworker(1)"
    done
    grep -q "obworker $command" "$work/obworker" || fail "$command is not in obworker(1)"
done
[ "$count" -gt 40 ] || fail "only $count options were found in --help"
! grep '@[A-Z][A-Za-z_ -]*@' "$work/obworker" || fail "obworker(1) was not filled in"
if sh "$srcdir/docs/make-page.sh" "$srcdir/docs/obworker.1.in" false 1.0 >"$work/page" 2>&1; then
    fail "a page is made though the program fails"
fi
# An obworker without the server's libraries has no help of that command, and a page all the same.
without_server "$obworker" >"$work/without"
chmod +x "$work/without"
sh "$srcdir/docs/make-page.sh" "$srcdir/docs/obworker.1.in" "$work/without" 1.0 >"$work/page" ||
    fail "no page is made of an obworker without a server"
grep -q 'was built without libmicrohttpd or SQLite' "$work/page" || fail "the page does not say that there is no server"
grep -q 'cache..limit MB' "$work/page" || fail "the page of an obworker without a server lacks other options"

"$reductio" --help | sed -n 's/^  \([a-z][a-z]*\).*/\1/p' | sort -u >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 4 ] || fail "no commands in reductio --help"
while read -r word; do
    grep -qw -- "$word" "$work/reductio" || fail "$word is not in reductio(1)"
done <"$work/commands"

if command -v groff >/dev/null; then
    for page in "$builddir/docs/obworker.1" "$srcdir/docs/reductio.1"; do
        groff -man -Tascii -ww "$page" 2>&1 >/dev/null | tee "$work/faults"
        [ ! -s "$work/faults" ] || fail "$page has faults"
    done
else
    echo "pages: no groff here: how they are set is left out"
fi

# check_unit FILE COMMAND SCOPE NAME: the unit starts the command, by options that there are, and systemd takes it.
check_unit() {
    unit=$1
    grep -qE "^ExecStart=\"?/.*/obworker\"? $2 " "$unit" || fail "$4 does not start obworker $2"
    grep -qx "RestartPreventExitStatus=2" "$unit" || fail "$4 starts a faulty command line again"
    # Restarts look at no status of ExecStartPre.
    ! grep '^ExecStartPre=[^-]' "$unit" || fail "$4 does not start after a failed check"
    "$obworker" "$2" --help >"$work/help"
    for option in $(grep '^Exec' "$unit" | grep -o -- '--[a-z-]*'); do
        grep -qE -- "$option([^a-z0-9-]|\$)" "$work/help" || fail "$4 uses $option, which there is not"
    done
    command -v systemd-analyze >/dev/null || { echo "left out: what systemd says of $4: no systemd-analyze here"; return 0; }
    # The program where it was built, and a user that every machine has.
    sed -E -e "s#^(Exec[A-Za-z]*=-*)(\"/.*/obworker\"|/[^ ]*/obworker) #\1\"$obworker\" #" -e 's/^User=.*/User=root/' "$unit" >"$work/$4"
    if systemd-analyze "$3" --man=no verify "$work/$4" 2>&1 | grep "$4"; then
        fail "systemd does not like $4"
    fi
}
check_unit "$srcdir/packaging/debian/obworker@.service" work --system obworker@name.service
if [ -f "$builddir/worker/obworker.service" ]; then
    check_unit "$builddir/worker/obworker.service" work --user obworker.service
else
    echo 'left out: the unit of a worker: this build has none (--with-systemduserunitdir=no)'
fi
if [ -f "$builddir/worker/obworker-serve.service" ]; then
    check_unit "$builddir/worker/obworker-serve.service" serve --system obworker-serve.service
else
    echo 'left out: the unit of a server: this build has none (no obworker serve, or --with-systemdsystemunitdir=no)'
fi
# A prefix may have a blank.
! grep '^Exec.*[^"]@bindir@' "$srcdir"/worker/*.service.in || fail "a unit does not quote the program's folder"
exit 0
