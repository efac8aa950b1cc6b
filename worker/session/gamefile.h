/* SPDX-License-Identifier: MIT */
/* The games of a workload on their way to the server: PGN text that the journal keeps with the
 * pairs, packed by bzip2 for the upload. */
#ifndef WORKER_SESSION_GAMEFILE_H
#define WORKER_SESSION_GAMEFILE_H

#include <stdbool.h>

#include "base/error.h"
#include "match/pgn.h"

/* Reads the server's word for the size of the games' text: "COMPACT" or "VERBOSE". False for
 * "FALSE" and unknown words. */
bool gamefile_style(const char *upload_pgns, PgnStyle *style);

/* Packs the games in a parcel's journal into the new file `packed`, by way of `packed`.pgn.
 * Blocking. */
bool gamefile_pack(const char *journal, const char *packed, Error *err);

#endif
