# SPDX-License-Identifier: MIT
# For scripts with a folder $work, which source it. The engine (lmr:) is built in less time than usual:
# what obworker says of its games does not depend on that.
OBWORKER_DATADIR=$work/data
export OBWORKER_DATADIR
mkdir -p "$work/data/openings"
cp "$srcdir/openings/reductio.epd.gz" "$work/data/openings/"
cp -R "$srcdir/engine" "$work/data/"
chmod -R u+w "$work/data"
rm -rf "$work/data/engine/build" "$work/data/engine/reductio"
sed 's/^CFLAGS ?= .*/CFLAGS ?= -O1/' "$srcdir/engine/Makefile" >"$work/data/engine/Makefile"
