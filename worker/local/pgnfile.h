/* SPDX-License-Identifier: MIT */
/* The PGN file of a local match: pairs are appended in the order of the book, whatever order they
 * finish in, and after an interruption the file is made whole from what the journal kept. */
#ifndef LOCAL_PGNFILE_H
#define LOCAL_PGNFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A pair whose turn has not come. */
typedef struct {
    int64_t index;
    char *text; /* Both games; NULL: they are in the file already. */
} WaitingPair;

/* All zero but for the path is one to begin with; path NULL: no file, nothing is kept. */
typedef struct {
    const char *path;
    WaitingPair *waiting; /* In the order of the book. */
    size_t waiting_count;
    size_t waiting_capacity;
    int64_t next; /* The pair that is due. */
    /* While an interrupted match's pairs are entered again: the file as it was found. */
    const char *found;
    size_t found_length;
    size_t matched; /* What comes before was there already, or belongs to somebody else. */
    bool appends;   /* A pair was missing: from there on they are written. */
} PgnFile;

/* The pairs that follow were in the journal: until pgnfile_go_on those that stand in the file are
 * not written again, and half a game at its end is taken away. Other people's games stay. */
bool pgnfile_resume(PgnFile *file, Error *err);
bool pgnfile_go_on(PgnFile *file, Error *err);

/* Enters a pair by the PGN of its games, and writes what is due. */
bool pgnfile_enter(PgnFile *file, int64_t index, const char *const games[2], Error *err);

/* The match is over: writes the pairs that others were waited for. */
bool pgnfile_close(PgnFile *file, Error *err);
void pgnfile_free(PgnFile *file);

#endif
