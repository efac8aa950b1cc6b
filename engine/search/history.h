/* SPDX-License-Identifier: MIT */
/* History tables: past success of moves, for move ordering and reductions. Each thread has its own.
 */
#ifndef SEARCH_HISTORY_H
#define SEARCH_HISTORY_H

#include <stdint.h>

#include "chess/position.h"
#include "chess/types.h"
#include "search/threats.h"

/* Every entry stays within +-HISTORY_MAX, those of `quiet` and `pawn` within SEARCH_QUIET_MAX and
 * SEARCH_PAWN_MAX. */
enum { CORRECTION_SIZE = 16384, CORRECTION_MAX = 1024, CORRECTION_GRAIN = 28 };
enum { PAWN_HISTORY_SIZE = 512 }; /* a power of two */
enum { HISTORY_MAX = 16384, HISTORY_BACK = 3 /* earlier moves that continuations look at */ };

/* Scores by piece and target square of the moves that follow one earlier move. */
typedef int16_t PieceToHistory[PIECE_COUNT][SQUARE_COUNT];

/* All zero is empty. */
typedef struct {
    /* By whether the enemy attacks the origin and the target, by colour, origin and target. */
    int16_t quiet[2][2][COLOR_COUNT][SQUARE_COUNT][SQUARE_COUNT];
    int16_t capture[PIECE_COUNT][SQUARE_COUNT][PIECE_TYPE_COUNT + 1];
    /* By the earlier move's piece (PIECE_NONE: null move or none) and square. */
    PieceToHistory continuation[PIECE_COUNT + 1][SQUARE_COUNT];
    PieceToHistory pawn[PAWN_HISTORY_SIZE]; /* by pawn structure */
    Move counter[PIECE_COUNT + 1][SQUARE_COUNT];
    /* Mean difference of search score and evaluation, in 1/CORRECTION_GRAIN centipawns: by pawn
     * structure, and by the move before. */
    int16_t pawn_correction[COLOR_COUNT][CORRECTION_SIZE];
    int16_t move_correction[PIECE_COUNT + 1][SQUARE_COUNT];
} History;

/* The continuation tables of the moves one, two and four plies ago. */
typedef struct {
    PieceToHistory *table[HISTORY_BACK];
} Continuations;

/* What of a node the histories of its quiet moves depend on. */
typedef struct {
    Continuations continuations;
    Threats threats;
} HistoryContext;

/* The bonus for the best move of a node of this depth, and the malus for the moves tried before it.
 * Both are at least 0. */
int history_bonus(int depth);
int history_malus(int depth);

/* A quiet legal move's history: butterfly alone, and with all others. */
int history_quiet(const History *h, const HistoryContext *c, const Position *pos, Move move);
int history_quiet_full(const History *h, const HistoryContext *c, const Position *pos, Move move);
int history_capture(const History *h, const Position *pos, Move move);

/* These functions add `bonus` to a move's entries. It may be negative, and of any size: an entry
 * that comes near its limit changes less. history_update_quiet updates the continuations as well.
 */
void history_update_quiet(History *h, const HistoryContext *c, const Position *pos, Move move,
                          int bonus);
/* A move of `piece` to `to`, after the moves that the continuations belong to. */
void history_update_continuations(const Continuations *c, Piece piece, Square to, int bonus);
/* history_correction: centipawns to add to the evaluation of a position after the move of `piece`
 * to `to`. The second function learns from a search of this depth whose score was `gain` above the
 * corrected evaluation. */
int history_correction(const History *h, const Position *pos, Piece piece, Square to);
void history_update_correction(History *h, const Position *pos, Piece piece, Square to, int depth,
                               int gain);

void history_update_capture(History *h, const Position *pos, Move move, int bonus);

#endif
