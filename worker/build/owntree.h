/* SPDX-License-Identifier: MIT */
/* The sources of this project's own engine: those of $OBWORKER_DATADIR when set, else of the source
 * tree that the working folder lies in, else of the data folder. */
#ifndef WORKER_BUILD_OWNTREE_H
#define WORKER_BUILD_OWNTREE_H

#include "base/error.h"

/* The top folder of this project's source tree: the working folder, or the nearest folder above it,
 * that has engine/lmr/flags.def. Allocated; NULL when there is none. */
char *owntree_top(void);

/* The folder "engine" in owntree_top. Allocated; NULL when there is no such tree. */
char *owntree_top_engine(void);

/* The folder of the engine's sources, absolute and allocated: "engine" of $OBWORKER_DATADIR when
 * set, else of owntree_top, else of the data folder (base/datadir.h). NULL with err set when there
 * are no sources. */
char *owntree_engine(Error *err);

#endif
