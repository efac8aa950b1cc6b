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
    const char *reason;                 /* closes the last comment: "White mates" */
    const TimeControl *time_control[2]; /* by colour; NULL: left out */
    double scale_factor;                /* header ScaleFactor; 0: left out */
    const PgnMove *moves;
    size_t move_count;
} PgnGame;

/* How much is written in a move's comment. */
typedef enum {
    PGN_FULL,    /* {+0.25/12 0.123s, n=12345, sd=18}, all headers */
    PGN_COMPACT, /* {+0.25/12}, the headers that servers keep */
    PGN_VERBOSE, /* comments of PGN_FULL, the headers that servers keep and GameEndTime */
} PgnStyle;

/* Appends the game and an empty line. Moves must be legal from the FEN; what follows an illegal one
   is left out. */
void pgn_write(const PgnGame *game, PgnStyle style, Text *out);

/* Appends text to the file in one write, adding a line end first when the file does not end in one.
 */
bool pgn_append(const char *path, const char *text, size_t length, Error *err);

/* Walks the games of PGN text. All zero but text/length to begin. */
typedef struct {
    const char *text;
    size_t length;
    size_t at;   /* the next unread byte */
    size_t line; /* its number, from 1 (0 counts as 1 at the start) */
} PgnReader;

/* One game as read: offsets into the reader's text. */
typedef struct {
    size_t start; /* of its first tag */
    size_t line;
    char fen[128]; /* FEN tag, or "" */
    Text moves; /* main line as SAN words separated by blanks; no comments, variations, numbers */
} PgnRecord;

/* The next game: 1 read, 0 no more, -1 fault (err names the line). *record is all zero or used
 * before. */
int pgn_read(PgnReader *reader, PgnRecord *record, Error *err);
void pgn_record_free(PgnRecord *record);

#endif
