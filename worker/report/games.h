/* SPDX-License-Identifier: MIT */
/* The games of a test: counts over all games, and the list of games that a page shows, short enough
 * for one page. Pure. */
#ifndef REPORT_GAMES_H
#define REPORT_GAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/side.h"
#include "results/pair.h"

enum {
    GAMES_ROWS_MAX = 600,     /* Openings that a page lists. */
    GAMES_MOVES_MAX = 700000, /* Bytes of moves that a page lists. */
    GAMES_LENGTH_CELLS = 11,  /* Games of fewer than 20 moves, of fewer than 40, ...; the last */
    GAMES_LENGTH_STEP = 20,   /* cell counts all longer games. A move is one of each side. */
    GAMES_SCORE_CELLS = 9     /* The ranges between games_score_limits. */
};

/* The limits between the cells of scores, in centipawns, rising. */
extern const int games_score_limits[GAMES_SCORE_CELLS - 1];

/* A game as a page lists it. */
typedef struct {
    int64_t points; /* dev's half points. */
    int64_t plies;
    Ending ending;
    char *moves; /* In results/gamemoves.h's form; NULL: not known, or left out. */
} ListedGame;

/* A pair of games; dev is White in the first. */
typedef struct {
    int64_t index;
    int64_t opening; /* The opening's number in the shuffled book. */
    char *fen;       /* The position in which both games began; NULL: the moves are not known. */
    ListedGame games[2];
    uint16_t scores[SIDE_COUNT][GAMES_SCORE_CELLS]; /* Each side's moves, counted by score. */
} ListedPair;

/* All zero is empty. */
typedef struct {
    ListedPair *pairs;
    size_t count;
    size_t capacity;
    size_t bytes; /* The length of all moves in the list. */
} GameList;

/* Copies a pair to the list. When the list holds more moves than a page has room for, the moves of
 * the least interesting pairs are left out. */
void games_add(GameList *list, const PairResult *pair);

/* The most interesting pairs first: those with faults of engines, then those in which dev made the
 * fewest points, then those with the longest game. */
void games_sort(GameList *list);

/* Copies from another list the pairs of the `count` indices, which rise: one pair for each index.
 * Sorts the list, and leaves out the moves that pages have no room for. */
void games_copy(GameList *list, const GameList *from, const int64_t *indices, size_t count);

void games_free(GameList *list);

/* Games that an engine's fault ended. */
int games_faults(const ListedPair *pair);

/* Plies of the longer game. */
int64_t games_plies(const ListedPair *pair);

/* Counts over all games of a list. */
typedef struct {
    int64_t colors[2][3]; /* dev's losses, draws and wins, as White and as Black. */
    int64_t lengths[GAMES_LENGTH_CELLS];
    int64_t scores[SIDE_COUNT][GAMES_SCORE_CELLS];
} GameNumbers;

GameNumbers games_numbers(const GameList *list);

#endif
