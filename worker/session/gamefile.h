/* SPDX-License-Identifier: MIT */
/* The games of a workload on their way to the server: PGN text that is kept with the pairs in their
 * journal, and packed by bzip2 when they are over. */
#ifndef WORKER_SESSION_GAMEFILE_H
#define WORKER_SESSION_GAMEFILE_H

#include <stdbool.h>

#include "base/error.h"
#include "match/pgn.h"

/* What a server calls how much is uploaded: "COMPACT" or "VERBOSE"; false for "FALSE" and what is
 * not known. */
bool gamefile_style(const char *upload_pgns, PgnStyle *style);

/* Packs the games in a parcel's journal into the new file `packed`, by way of `packed`.pgn.
 * Blocking. */
bool gamefile_pack(const char *journal, const char *packed, Error *err);

#endif
