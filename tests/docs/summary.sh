#!/bin/sh
# SPDX-License-Identifier: MIT
# The list at the end of configure says of Syzygy tables and the sandbox what the programs say.
set -eu
failed=0
log=$builddir/config.log
[ -f "$log" ] || { echo "left out: no config.log in $builddir"; exit 77; }
# said ROW: what the list has in this row.
said() { sed -n "s/^  $1  *//p" "$log" | tail -n 1; }
# agree ROW PROGRAM'S: both begin with "yes", or neither does.
agree() {
    row=$(said "$1")
    [ -n "$row" ] || { echo "FAILED: configure's list has no row '$1'"; failed=1; }
    case $row,$2 in
    yes*,yes*) ;;
    yes*,* | *,yes*) echo "FAILED: $1: configure says '$row', the program '$2'"; failed=1 ;;
    esac
}
version=$("$OBWORKER" --version)
agree "Syzygy tables" "$(echo "$version" | sed -n 's/^Syzygy adjudication: //p')"
agree "sandbox, CPU binding, limits" "$(echo "$version" | sed -n 's/^Sandbox: none.*/no/p; s/^Sandbox: [^n].*/yes/p')"
exit $failed
