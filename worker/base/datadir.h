/* SPDX-License-Identifier: MIT */
/* Where the data is that comes with the program: engine/ (sources, for `lmr:` variants) and
   openings/reductio.epd.gz; and where what it leaves behind goes. */
#ifndef BASE_DATADIR_H
#define BASE_DATADIR_H

#include <stdbool.h>

#include "base/error.h"

/* The path of `name` in the data folder ("engine", "openings/reductio.epd.gz"), allocated; the
   caller frees it. The folder is $OBWORKER_DATADIR when set; else the folder of this executable
   when it holds engine/Makefile (the build tree); else the one it was installed to. NULL with the
   cause when there is no such file or folder. */
char *datadir_find(const char *name, Error *err);

/* The folder that outlives a run: $XDG_STATE_HOME/obworker, else ~/.local/state/obworker;
   allocated, the caller frees it; it need not exist. NULL with the cause when neither variable
   holds an absolute path. */
char *statedir_path(Error *err);

#endif
