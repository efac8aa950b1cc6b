/* SPDX-License-Identifier: MIT */
/* The sources of this project's own engine: the tree that the user stands in, else those that were
 * installed. */
#ifndef WORKER_BUILD_OWNTREE_H
#define WORKER_BUILD_OWNTREE_H

#include <stdbool.h>

#include "base/error.h"

/* The top of the tree that the working folder lies in: the nearest folder above it, or itself, that
 * has engine/lmr/flags.def. Allocated; NULL when there is none. */
char *owntree_top(void);

/* The folder of the engine in owntree_top. Allocated; NULL when there is none. */
char *owntree_top_engine(void);

/* Are the sources those of owntree_top? */
bool owntree_is_used(void);

/* The folder of the engine's sources, absolute and allocated: "engine" of owntree_top, else of the
 * data folder (base/datadir.h). $OBWORKER_DATADIR, when set, goes before both. NULL with err set
 * when there are no sources. */
char *owntree_engine(Error *err);

#endif
