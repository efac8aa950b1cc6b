/* SPDX-License-Identifier: MIT */
/* Openings at random: a line of a book or the starting position, some random moves, and a look at
 * the score. The same request makes the same positions, with the same build. */
#ifndef GENFENS_H
#define GENFENS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "opening.h"

enum {
    GENFENS_COUNT_MAX = 10000000,
    GENFENS_NODES_MAX = 100000000,
    GENFENS_MIN_DEFAULT = 0,  /* centipawns that one side must be ahead by */
    GENFENS_MAX_DEFAULT = 300 /* and may be ahead by at most */
};

typedef struct {
    int count;
    uint64_t seed;
    const char *book; /* path of a file with a FEN or EPD a line; NULL: the starting position */
    int random_plies;
    int min_score, max_score; /* bounds of the score's absolute value, centipawns, inclusive */
    int nodes;                /* of the search that decides */
} GenfensRequest;

/* Reads `N seed S book <None|path> [random_plies=P] [min=CP] [max=CP] [nodes=N]`. `text` is cut
 * into words, and the request points into it. False with one line in `fault`. */
bool genfens_parse(char *text, GenfensRequest *request, char fault[OPENING_FAULT_MAX]);

/* Prints and flushes a line `info string genfens <FEN>` for each position. None is mate, stalemate
 * or drawn by material, none came about with a repetition, and the score of a search of `nodes`
 * nodes is within the bounds; before a long search, a short one sorts out what is far beyond. False
 * with one line in `fault` when the book is unusable, hardly any position meets the bounds, or a
 * line cannot be written; true, with fewer lines, when the task was ended. */
bool genfens_run(Task *task, const GenfensRequest *request, FILE *out,
                 char fault[OPENING_FAULT_MAX]);

#endif
