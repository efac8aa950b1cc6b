/* SPDX-License-Identifier: MIT */
/* The evaluation: hand-written terms, tapered, linear in their weights but for the king's danger,
 * and a small network (network.h) that corrects their sum. The same for both colours. README.md
 * says what the terms are and where the weights come from. */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "chess/position.h"
#include "chess/types.h"
#include "eval/network.h"
#include "eval/weights.h"

/* No evaluation ever leaves this range, so none is mistaken for a mate. */
enum { EVAL_LIMIT = 20000 };

/* The terms that can be read one by one. */
typedef enum {
    EVAL_MATERIAL,
    EVAL_PLACEMENT, /* piece-square */
    EVAL_PAWNS,
    EVAL_PASSED,
    EVAL_MOBILITY,
    EVAL_PIECES, /* outposts, rook files, bishops and their pawns */
    EVAL_KING,
    EVAL_THREATS,
    EVAL_SPACE,
    EVAL_TEMPO,
    EVAL_WINNABLE, /* what the leader's chances to win the endgame add or take */
    EVAL_TERM_COUNT
} EvalTerm;

/* One evaluation taken apart: middlegame and endgame centipawns of each term for each colour, the
 * phase (0 endgame .. EVAL_PHASE_MAX opening), the endgame scale (of EVAL_SCALE_FULL), the
 * network's correction, the total. */
enum { EVAL_PHASE_MAX = 24, EVAL_SCALE_FULL = 64 };
typedef struct {
    int mg[EVAL_TERM_COUNT][COLOR_COUNT];
    int eg[EVAL_TERM_COUNT][COLOR_COUNT];
    int phase;
    int scale;
    int network; /* what the network adds, for the side to move */
    int total;   /* for the side to move: what evaluate() answers */
} EvalTrace;

/* How often each weight counts in one position, by its number in the table. The terms' sum is
 *   linear sum (White's less Black's) - cost(danger[WHITE]) + cost(danger[BLACK])
 * and then, for the side that is ahead in the endgame half, its winnable sum. For the tuner. */
typedef struct {
    int16_t linear[EVAL_WEIGHT_COUNT];
    int16_t danger[COLOR_COUNT][EVAL_WEIGHT_COUNT];
    int16_t winnable[EVAL_WEIGHT_COUNT];
    int phase;
    int scale[COLOR_COUNT]; /* of the endgame half when this colour is ahead in it */
} EvalCounts;

/* What is remembered between evaluations: pawn structure, and the network's sums. One a thread, in
 * the owner's memory, all zero when new. Two positions with the same pawn key have the same entry,
 * but for what depends on the king's square, which is kept with it; so it never goes stale. */
enum { EVAL_CACHE_SIZE = 4096 };
typedef struct {
    uint64_t key;
    EvalScore pawns[COLOR_COUNT];  /* structure */
    EvalScore passed[COLOR_COUNT]; /* and passed pawns, as far as pawns alone decide */
    /* With the king on king_square: shelter and storm, and where either side's pawns stand, seen
     * from this king. */
    EvalScore king[COLOR_COUNT];
    EvalScore danger[COLOR_COUNT];
    EvalScore own_placed[COLOR_COUNT];
    EvalScore enemy_placed[COLOR_COUNT];
    uint8_t king_square[COLOR_COUNT];
    bool king_known[COLOR_COUNT];
    Bitboard passers;
    Bitboard attacks[COLOR_COUNT];
    Bitboard attack_span[COLOR_COUNT]; /* what its pawns attack now or after advances */
} EvalPawnEntry;
typedef struct {
    EvalPawnEntry entry[EVAL_CACHE_SIZE];
    NetworkCache network;
} EvalCache;

/* Centipawns for the side to move, within +-EVAL_LIMIT. Pure; the cache, which may be NULL, only
 * saves time. chess_init must have run. */
int eval_cached(const Position *pos, EvalCache *cache);
int evaluate(const Position *pos);

/* The same taken apart, and with the weights counted. From a cache, EVAL_PAWNS of a board without
 * pawns may lack what both colours have alike. */
void eval_trace(const Position *pos, EvalCache *cache, EvalTrace *out);
void eval_count(const Position *pos, EvalTrace *out, EvalCounts *counts);

/* A term of a trace for `view` less the other colour's, tapered, before the endgame scale, and
 * after it, as the total has it. */
int eval_term(const EvalTrace *trace, EvalTerm term, Color view);
int eval_term_scaled(const EvalTrace *trace, EvalTerm term, Color view);

/* The piece-square value of this piece on this square for its owner, tapered by the position's
 * phase. */
int eval_placement(const Position *pos, Piece piece, Square square);

#endif
