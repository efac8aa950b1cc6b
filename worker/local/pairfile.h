/* SPDX-License-Identifier: MIT */
/* A text file of a local match's pairs: the games' PGN, or their positions. Pairs are appended in
 * the order of the book, not in the order of finishing. After an interruption the file is made
 * whole from the journal. */
#ifndef LOCAL_PAIRFILE_H
#define LOCAL_PAIRFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A pair whose turn has not come. */
typedef struct {
    int64_t index;
    char *text; /* The text of both games; NULL: the file has the text already. */
} WaitingPair;

/* All zero but for `path` and `shared`. path NULL: no file is written. */
typedef struct {
    const char *path;
    WaitingPair *waiting; /* By rising index. */
    size_t waiting_count;
    size_t waiting_capacity;
    int64_t next; /* The index of the next pair to write. */
    /* The file's content before the match was resumed, while the journal's pairs are entered again.
     */
    const char *found;
    size_t mapped;       /* The bytes mapped at `found`, ... */
    size_t found_length; /* ... and those of them that stay in the file. */
    size_t matched;      /* The bytes before this offset stay as they are. */
    size_t cursor;       /* Behind the text that was found last. */
    bool shared;         /* Other matches write into the file too. No two pairs have one text: each
                          * may stand anywhere in the file. */
    bool appends;        /* The file lacked a pair: this pair and all later pairs are appended. */
    bool failed;         /* A pair could not be written. A later pair must not stand before it. */
} PairFile;

/* Between these two calls the caller enters the journal's pairs. Pairs that the file has are not
 * written again, and an incomplete text at the file's end is removed. In a shared file the texts of
 * other matches stay. In any other file all that stands behind the journal's pairs is removed; a
 * file that begins with something else is refused. */
bool pairfile_resume(PairFile *file, Error *err);
bool pairfile_go_on(PairFile *file, Error *err);

/* The text in the file behind the journal's pairs, before pairfile_go_on: of other matches, or of
 * pairs that the journal has lost. NULL: there is none, or the file had not all of the journal's
 * pairs. */
const char *pairfile_behind(const PairFile *file, size_t *length);

/* Enters a pair by the texts of its games (NULL: no text), and writes the pairs whose turn has
 * come. */
bool pairfile_enter(PairFile *file, int64_t index, const char *const texts[2], Error *err);

/* The match is over: writes the pairs that waited for an earlier pair. */
bool pairfile_close(PairFile *file, Error *err);
void pairfile_free(PairFile *file);

#endif
