/* SPDX-License-Identifier: MIT */
/* The steps of a preparation that make an engine: the choice of its compiler, its source and build,
   its bench. */
#ifndef WORKER_SESSION_PREPARE_ENGINE_H
#define WORKER_SESSION_PREPARE_ENGINE_H

#include "session/preparing.h"

/* Each step ends with preparing_next, preparing_go_back or preparing_end. */
void preparing_compilers(Prepare *p);
void preparing_build(Prepare *p);
void preparing_bench(Prepare *p);

#endif
