/* SPDX-License-Identifier: MIT */
/* Types and helpers of all terms. Each term's file is a header of inline functions that evaluate.c
 * alone includes: colour and tracing are constants wherever a term is used, so that the evaluation
 * that counts weights for the tuner is the one that plays, at no cost to it. */
#ifndef EVAL_PARTS_H
#define EVAL_PARTS_H

#include <stdlib.h>
#include <string.h>

#include "chess/attacks.h"
#include "eval/eval.h"
#include "eval/weights.h"

#define W eval_weights

#define QUEEN_SIDE_BB (bb_file(0) | bb_file(1) | bb_file(2) | bb_file(3))
#define CENTRE_FILES_BB (bb_file(2) | bb_file(3) | bb_file(4) | bb_file(5))

/* The state of one evaluation: facts that one term finds and others use. */
typedef struct {
    const Position *pos;
    EvalTrace *trace;   /* NULL, a constant where the code is inlined, but for the traces */
    EvalCounts *counts; /* likewise but for eval_count */
    EvalScore sum;      /* White's minus Black's */
    EvalScore danger[COLOR_COUNT]; /* units against this colour's king */
    int attackers[COLOR_COUNT];    /* pieces that attack the squares at this colour's king */
    Bitboard occupied;
    Bitboard pawn_attacks[COLOR_COUNT];
    Bitboard attack_span[COLOR_COUNT];
    Bitboard attacks[COLOR_COUNT]; /* by any piece */
    Bitboard twice[COLOR_COUNT];   /* by two pieces */
    Bitboard by_type[COLOR_COUNT][PIECE_TYPE_COUNT];
    Bitboard ring[COLOR_COUNT]; /* nine squares at the king */
    Bitboard mobility_area[COLOR_COUNT];
    Bitboard pinned[COLOR_COUNT];
    Bitboard passers;
    int pawns[COLOR_COUNT]; /* how many */
    int rams;               /* pairs of pawns that block each other */
} Eval;

CHESS_INLINE void add(Eval *e, EvalTerm term, Color c, EvalScore score) {
    e->sum += c == WHITE ? score : -score;
    if (e->trace) {
        e->trace->mg[term][c] += eval_mg(score);
        e->trace->eg[term][c] += eval_eg(score);
    }
}

/* `times` a weight, for `c`. Each score that a term adds comes from this function, so that the
   tuner counts each weight. */
CHESS_INLINE EvalScore weigh(EvalCounts *counts, Color c, const EvalScore *weight, int times) {
    if (counts)
        counts->linear[eval_weight_index(weight)] += (int16_t)(times * (c == WHITE ? 1 : -1));
    return *weight * times;
}

CHESS_INLINE void add_weight(Eval *e, EvalTerm term, Color c, const EvalScore *weight, int times) {
    add(e, term, c, weigh(e->counts, c, weight, times));
}

/* `times` units of danger against the king of `c`. */
CHESS_INLINE EvalScore weigh_danger(EvalCounts *counts, Color c, const EvalScore *weight,
                                    int times) {
    if (counts)
        counts->danger[c][eval_weight_index(weight)] += (int16_t)times;
    return *weight * times;
}

CHESS_INLINE void add_danger(Eval *e, Color c, const EvalScore *weight, int times) {
    e->danger[c] += weigh_danger(e->counts, c, weight, times);
}

CHESS_INLINE int distance(Square a, Square b) {
    int files = abs(square_file(a) - square_file(b));
    int ranks = abs(square_rank(a) - square_rank(b));
    return files > ranks ? files : ranks;
}

CHESS_INLINE int edge_distance(int file) {
    return file < 4 ? file : 7 - file;
}

CHESS_INLINE int relative_rank(Color c, Square s) {
    return square_rank(square_relative(c, s));
}

/* The squares and everything in front of them as c sees it. */
CHESS_INLINE Bitboard fill_forward(Color c, Bitboard b) {
    if (c == WHITE) {
        b |= b << 8;
        b |= b << 16;
        return b | b << 32;
    }
    b |= b >> 8;
    b |= b >> 16;
    return b | b >> 32;
}

CHESS_INLINE Bitboard before(Color c, Square s) {
    return fill_forward(c, bb_forward(c, bb_square(s)));
}

CHESS_INLINE Bitboard neighbours(Bitboard b) {
    return bb_east(b) | bb_west(b);
}

CHESS_INLINE Bitboard same_colour(Square s) {
    return bb_has(LIGHT_SQUARES_BB, s) ? LIGHT_SQUARES_BB : DARK_SQUARES_BB;
}

/* Of a set that is not empty, the square nearest to the owner's first rank. */
CHESS_INLINE Square rearmost(Color c, Bitboard b) {
    return c == WHITE ? bb_lsb(b) : bb_msb(b);
}

/* Where a piece of `c` is looked up in the piece-square tables: White's view, the king's half of
 * the board turned to the files e to h. */
CHESS_INLINE Square placed(Color c, Square s, Square king) {
    return square_relative(c, s) ^ (square_file(king) < 4 ? 7 : 0);
}

#endif
