/* SPDX-License-Identifier: MIT */
/* A text file that a local match makes of its pairs: the games' PGN, or their positions. Pairs are
 * appended in the order of the book, whatever order they finish in. After an interruption the file
 * is made whole from the journal. */
#ifndef LOCAL_PAIRFILE_H
#define LOCAL_PAIRFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A pair whose turn has not come. */
typedef struct {
    int64_t index;
    char *text; /* Of both games; NULL: the file has the text already. */
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
} PairFile;

/* The pairs that are entered between these two calls come from the journal. Pairs that the file has
 * are not written again, and half a text at the file's end is removed. Texts of other matches stay.
 */
bool pairfile_resume(PairFile *file, Error *err);
bool pairfile_go_on(PairFile *file, Error *err);

/* Enters a pair by the texts of its games (NULL: none), and writes the pairs that are due. */
bool pairfile_enter(PairFile *file, int64_t index, const char *const texts[2], Error *err);

/* The match is over: writes the pairs that waited for a pair before them. */
bool pairfile_close(PairFile *file, Error *err);
void pairfile_free(PairFile *file);

#endif
