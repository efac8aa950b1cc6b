/* SPDX-License-Identifier: MIT */
/* The PGN file of a local match. Pairs are appended in the order of the book, whatever order they
 * finish in. After an interruption the file is made whole from the journal. */
#ifndef LOCAL_PGNFILE_H
#define LOCAL_PGNFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A pair whose turn has not come. */
typedef struct {
    int64_t index;
    char *text; /* Both games; NULL: the file has them already. */
} WaitingPair;

/* Begins as zero but for the path. path NULL: no file is written. */
typedef struct {
    const char *path;
    WaitingPair *waiting; /* In the order of the book. */
    size_t waiting_count;
    size_t waiting_capacity;
    int64_t next; /* The index of the pair that is due. */
    /* While the pairs of an interrupted match are entered again: the file as it was found. */
    const char *found;
    size_t found_length;
    size_t matched; /* The bytes before this offset stay as they are. */
    bool appends;   /* A pair was missing in the file: it and all later pairs are written. */
} PgnFile;

/* The pairs that are entered between these two calls come from the journal. Pairs that the file has
 * are not written again, and half a game at the file's end is removed. Games of other matches stay.
 */
bool pgnfile_resume(PgnFile *file, Error *err);
bool pgnfile_go_on(PgnFile *file, Error *err);

/* Enters a pair by the PGN of its games, and writes the pairs that are due. */
bool pgnfile_enter(PgnFile *file, int64_t index, const char *const games[2], Error *err);

/* The match is over: writes the pairs that waited for a pair before them. */
bool pgnfile_close(PgnFile *file, Error *err);
void pgnfile_free(PgnFile *file);

#endif
