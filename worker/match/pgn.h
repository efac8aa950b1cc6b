/* SPDX-License-Identifier: MIT */
/* Games as PGN text. */
#ifndef MATCH_PGN_H
#define MATCH_PGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/text.h"
#include "chess/types.h"
#include "match/adjudication.h"
#include "match/timecontrol.h"

/* What is written after a move, from the mover's view. */
typedef struct {
    Move move;
    bool book;       /* from the opening: {book} */
    MoveScore score; /* not known: {unknown} … unless book */
    int depth;
    int seldepth;  /* 0: left out */
    int64_t nodes; /* negative: left out */
    int hashfull;  /* of the hash table, per mille; 0: left out */
    int64_t elapsed_ms;
    const char *comment; /* from `info string pgncomment`, or NULL */
} PgnMove;

/* A finished game. Strings are the caller's. */
typedef struct {
    const char *event; /* NULL: "?" */
    const char *site;  /* NULL: "?" */
    int64_t round;     /* pair's number, from 1 */
    const char *white;
    const char *black;
    const char *result; /* "1-0", "0-1", "1/2-1/2", "*" */
    const char *fen;    /* start position, always given */
    bool chess960;
    time_t started, ended; /* 0: Date is "????.??.??", and the three Game… headers are left out */
    const char *termination;            /* "normal", "adjudication", … */
    const char *reason;                 /* closes the last comment of PGN_FULL: "White mates" */
    const TimeControl *time_control[2]; /* by colour; NULL: left out */
    double scale_factor;                /* header ScaleFactor; 0: left out */
    const PgnMove *moves;
    size_t move_count;
} PgnGame;

/* How much is written in a move's comment. */
typedef enum {
    PGN_FULL,    /* {+0.25/12 0.123s, n=12345, sd=18, hashfull=7, White mates}, all headers */
    PGN_COMPACT, /* {+0.25/12}, the headers that servers keep */
    PGN_VERBOSE, /* {+0.25/12 0.123s, n=12345, sd=18}, the same headers and GameEndTime */
} PgnStyle;

/* Appends the game and an empty line. Moves must be legal from the FEN; what follows an illegal one
   is left out. */
void pgn_write(const PgnGame *game, PgnStyle style, Text *out);

/* Appends text to the file in one write, adding a line end first when the file does not end in one.
   Without text it only finds out whether that would be possible. */
bool pgn_append(const char *path, const char *text, size_t length, Error *err);

/* Cuts the file to length bytes when it is still from_length long: nobody has appended since. */
bool pgn_cut(const char *path, size_t from_length, size_t length, Error *err);

/* Walks the games of PGN text; set text and length, the rest to zero. */
typedef struct {
    const char *text;
    size_t length;
    size_t at;   /* the next unread byte */
    size_t line; /* lines before it */
} PgnReader;

enum { PGN_TAG_MAX = 128 };

/* One game as read: the tags that matter here, and the main line. */
typedef struct {
    size_t start;          /* offset of its first byte in the reader's text */
    size_t line;           /* and that byte's line, from 1 */
    char fen[PGN_TAG_MAX]; /* "" when there is no such tag */
    char round[PGN_TAG_MAX];
    char white[PGN_TAG_MAX];
    char black[PGN_TAG_MAX];
    char result[PGN_TAG_MAX];
    char termination[PGN_TAG_MAX];
    Text moves; /* the main line as SAN words separated by blanks: no numbers, comments, variations
                 */
} PgnRecord;

/* The next game into *record, which is all zero or was used before: 1, or 0 when there is none, or
 * -1 with the fault and its line in *err. */
int pgn_read(PgnReader *reader, PgnRecord *record, Error *err);
void pgn_record_free(PgnRecord *record);

#endif
