/* SPDX-License-Identifier: MIT */
/* The files of games that workers upload: DATA/games/TEST/TEST.ROW.INDEX.pgn.bz2, one for each
 * workload, and all files of a test as one tar. */
#ifndef SERVE_GAMES_H
#define SERVE_GAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "serve/store.h"

/* Moves the file `from`, which has to be in bzip2's format, to its place, over an earlier one. */
bool games_keep(const char *data, int64_t test_id, int64_t row_id, int64_t book_index,
                const char *from, Error *err);

/* Writes a tar of the files of the test, which the query lists (store_games), to a new file at
 * `to`. Files that are missing are left out. */
bool games_pack(const char *data, int64_t test_id, Query *games, const char *to, Error *err);

#endif
