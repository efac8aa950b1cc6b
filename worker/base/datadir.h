/* SPDX-License-Identifier: MIT */
/* The folder of the data that comes with the program: engine/ (sources, for `lmr:` variants) and
 * openings/reductio.epd.gz; and the folder for state that outlives a run. */
#ifndef BASE_DATADIR_H
#define BASE_DATADIR_H

#include "base/error.h"

/* The path of `name` in the data folder ("engine", "openings/reductio.epd.gz"), allocated. The data
 * folder is $OBWORKER_DATADIR when set; else the folder of this executable when it holds
 * engine/Makefile (the build tree); else the folder of the installed data. NULL with err set when
 * there is no such file or folder. */
char *datadir_find(const char *name, Error *err);

/* The path of the state folder, which need not exist: $XDG_STATE_HOME/obworker, else
 * ~/.local/state/obworker; allocated. NULL with err set when neither variable holds an absolute
 * path. */
char *statedir_path(Error *err);

/* Makes a state folder, and those above it, unless it is there. A new one is closed to other users:
 * it has engines of private sources, and programs that strangers' Makefiles made. Each command
 * calls this before it puts something there: the command that makes the folder sets its mode. */
bool statedir_make(const char *path, Error *err);

#endif
