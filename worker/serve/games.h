/* SPDX-License-Identifier: MIT */
/* The files of games that workers upload: DATA/games/TEST/TEST.ROW.INDEX.pgn.bz2, one for each
 * workload, and all files of a test as one tar. */
#ifndef SERVE_GAMES_H
#define SERVE_GAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "serve/store.h"

/* Is the file in bzip2's format? False with err set to the disk's fault. */
bool games_are_bzip2(const char *path, bool *found, Error *err);

/* Moves the file `from` to its place, over an earlier one. False with err set to the disk's fault.
 */
bool games_keep(const char *data, int64_t test_id, int64_t row_id, int64_t book_index,
                const char *from, Error *err);

/* Adds the paths of the test's files, which the query lists (store_games). Returns the sum of their
 * bytes, and when the newest one came; 0 without files. */
StoredGames games_list(const char *data, int64_t test_id, Query *games, Words *files);

#endif
