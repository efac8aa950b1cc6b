/* SPDX-License-Identifier: MIT */
/* A branch whose rows a server can tune. A server passes its own words to `make` and no others, so
 * the branch's Makefile has TUNE=1 as its default: a plain build has the rows as UCI options. */
#ifndef SUBMIT_TUNABLE_H
#define SUBMIT_TUNABLE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "stats/spsa.h"

/* Reads "DIV,W_PV" into names of rows, appended to *names. Pure. */
bool tunable_names(const char *list, Words *names, Error *err);

/* Changes the default of TUNE in the Makefile's text from 0 to 1. Refuses a Makefile without the
 * line "TUNE ?= 0". Pure. */
bool tunable_makefile(Text *makefile, Error *err);

/* Asks an engine built with TUNE=1 for these rows as parameters ("lmr spsa DIV W_PV"), and appends
 * the parameters to *rows. Refuses a row that the engine lacks or cannot tune. Blocking. */
bool tunable_rows(const char *engine, const Words *names, SpsaParameters *rows, Error *err);

/* Does the engine accept these parameters? Each parameter has to be one of its rows, with bounds
 * within the row's bounds. Pure. */
bool tunable_check(const SpsaParameters *parameters, const SpsaParameters *rows, Error *err);

#endif
