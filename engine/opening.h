/* SPDX-License-Identifier: MIT */
/* Where random games begin: the starting position or a line of a book, and some random moves from
 * there. The same seed draws the same openings. */
#ifndef OPENING_H
#define OPENING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "chess/position.h"
#include "task.h"

enum { OPENING_FAULT_MAX = 512, OPENING_PLIES_DEFAULT = 8, OPENING_PLIES_MAX = 100 };
enum { OPENING_DRAWS_MAX = 5000 };

/* A source of openings; an all-zero one is closed. */
typedef struct {
    uint64_t random;
    const char *path; /* of the book: the caller keeps it */
    FILE *book;       /* NULL: the starting position */
    long *lines;      /* the offsets at which the book's lines with a position begin */
    size_t count, capacity;
} Openings;

/* `book` is the path of a regular file with a FEN or EPD a line, or NULL. Blank lines, lines that
 * begin with # or ;, and a mark before UTF-8 are passed over. A line that is no position of chess
 * may be one of Chess960. False with one line in `fault` when the book cannot be read or a line is
 * neither. The caller closes what was opened. */
bool openings_open(Openings *openings, const char *book, uint64_t seed,
                   char fault[OPENING_FAULT_MAX]);
void openings_close(Openings *openings);

typedef enum {
    OPENING_DRAWN,
    OPENING_OVER,    /* the game ended, or a position came twice: draw another one */
    OPENING_REFUSED, /* of openings_find: it was not taken */
    OPENING_BAD      /* the book has changed and is no longer one: a line in `fault` */
} OpeningDraw;

/* Draws a position of the book and plays `plies` random moves on it. OPENING_DRAWN: *position has
 * the opening. OPENING_OVER or OPENING_BAD (with the reason in `fault`) otherwise; never
 * OPENING_REFUSED. */
OpeningDraw openings_draw(Openings *openings, int plies, Position *position,
                          char fault[OPENING_FAULT_MAX]);

/* Is the opening good enough? True also when the caller's work is to end. */
typedef bool (*OpeningTaker)(const Position *position, void *user);

/* Draws until `takes` takes the opening, OPENING_DRAWS_MAX times at most. OPENING_REFUSED: none was
 * taken. OPENING_OVER: none could be, since every draw was OPENING_OVER. */
OpeningDraw openings_find(Openings *openings, int plies, OpeningTaker takes, void *user,
                          Position *position, char fault[OPENING_FAULT_MAX]);

/* The nodes of a first look at an opening. */
enum { OPENING_NODES = 2000 };

/* The score of a search of so many nodes from an empty table, for the side to move; false when the
 * task was ended. */
bool opening_score(Task *task, const Position *position, int nodes, int *score);

/* Reads a whole number of 64 bits without a sign; false when the text is none. */
bool opening_parse_seed(const char *text, uint64_t *seed);

#endif
