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

/* A move and the comment after the move, from the mover's view. */
typedef struct {
    Move move;
    bool book;       /* from the opening: {book} */
    MoveScore score; /* not known: {unknown}, except for a book move */
    int depth;
    int seldepth;  /* 0: left out */
    int64_t nodes; /* negative: left out */
    int hashfull;  /* fullness of the hash table, per mille; 0: left out */
    int64_t elapsed_ms;
    const char *comment; /* the engine's `info string pgncomment`, or NULL */
    const char *pv;      /* the principal variation as UCI moves; NULL: left out */
} PgnMove;

/* How moves are written. Readers of PGN as the standard has it know the first alone. */
typedef enum {
    PGN_SAN, /* Nf3, exd5, e8=Q+ */
    PGN_LAN, /* Ng1-f3, e4xd5, e7-e8=Q+ */
    PGN_UCI  /* g1f3, e4d5, e7e8q */
} PgnNotation;

/* A finished game. Strings are the caller's. */
typedef struct {
    const char *event; /* NULL: "?" */
    const char *site;  /* NULL: "?" */
    int64_t round;     /* the pair's number, from 1 */
    const char *white;
    const char *black;
    const char *result; /* "1-0", "0-1", "1/2-1/2", "*" */
    const char *fen;    /* start position, always given */
    bool chess960;
    time_t started, ended; /* 0: Date is "????.??.??", and the three Game… headers are left out */
    const char *termination;            /* "normal", "adjudication", … */
    const char *reason;                 /* closes the last comment of PGN_FULL: "White mates" */
    const TimeControl *time_control[2]; /* by colour; NULL: left out */
    PgnNotation notation;
    double scale_factor; /* header ScaleFactor; 0: left out */
    const PgnMove *moves;
    size_t move_count;
} PgnGame;

/* How much a move's comment tells. */
typedef enum {
    PGN_FULL,    /* {+0.25/12 0.123s, n=12345, sd=18, hashfull=7, pv=Nf3 d5, White mates}, all
                    headers */
    PGN_COMPACT, /* {+0.25/12}, the headers that servers keep */
    PGN_VERBOSE, /* {+0.25/12 0.123s, n=12345, sd=18}, the same headers and GameEndTime */
} PgnStyle;

/* Appends the game and an empty line. The first illegal move and the moves after that one are left
   out. */
void pgn_write(const PgnGame *game, PgnStyle style, Text *out);

/* Reads the games of a PGN text one by one. The caller sets `text` and `length`, and the rest to
 * zero. */
typedef struct {
    const char *text;
    size_t length;
    size_t at;   /* the next unread byte */
    size_t line; /* number of lines before that byte */
} PgnReader;

enum { PGN_TAG_MAX = 128 };

/* One game as read: the tags that this program uses, and the main line. */
typedef struct {
    size_t start;          /* offset of its first tag or word in the reader's text */
    size_t line;           /* the line of that byte, from 1 */
    char fen[PGN_TAG_MAX]; /* "" without such a tag */
    char variant[PGN_TAG_MAX];
    char round[PGN_TAG_MAX];
    char white[PGN_TAG_MAX];
    char black[PGN_TAG_MAX];
    char result[PGN_TAG_MAX];
    char termination[PGN_TAG_MAX];
    Text moves; /* the main line as SAN words separated by blanks: no numbers, comments, variations
                 */
} PgnRecord;

/* Reads the next game into *record, which is all zero or was used before. A game has tags, or a
 * move, or a result; comments, variations and NAGs outside a game are passed over. Returns 1; 0
 * when no game is left; -1 with the fault and its line in *err. */
int pgn_read(PgnReader *reader, PgnRecord *record, Error *err);
void pgn_record_free(PgnRecord *record);

#endif
