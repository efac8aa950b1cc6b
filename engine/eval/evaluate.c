/* SPDX-License-Identifier: MIT */
/* Terms for both colours, added up in pairs and tapered by the phase. Every weight is in
 * weights.c, every term in the file of its subject. */
#include <assert.h>
#include <string.h>

#include "eval/endgame.h"
#include "eval/eval.h"
#include "eval/king.h"
#include "eval/parts.h"
#include "eval/pawns.h"
#include "eval/pieces.h"
#include "eval/threats.h"
#include "eval/weights.h"

static const int phase_weight[PIECE_TYPE_COUNT] = {0, 1, 1, 2, 4, 0};

static int game_phase(const Position *pos) {
    int phase = 0;
    for (PieceType t = KNIGHT; t <= QUEEN; t++)
        phase += phase_weight[t] * bb_popcount(pos->by_type[t]);
    return phase < EVAL_PHASE_MAX ? phase : EVAL_PHASE_MAX;
}

/* The two halves at a phase, the endgame's half at a scale. */
CHESS_INLINE int at_phase(int mg, int eg, int phase, int scale) {
    return (mg * phase * EVAL_SCALE_FULL + eg * (EVAL_PHASE_MAX - phase) * scale) /
           (EVAL_PHASE_MAX * EVAL_SCALE_FULL);
}

/* The sum of the terms, for the side to move. */
CHESS_INLINE int taper(const Eval *e) {
    const Position *pos = e->pos;
    int eg = eval_eg(e->sum);
    int phase = game_phase(pos);
    Color ahead = eg > 0 ? WHITE : eg < 0 ? BLACK : pos->stm; /* With colours swapped as here. */
    int scale = endgame_scale(pos, ahead, e->passers);
    assert(scale >= 0 && scale <= EVAL_SCALE_FULL);
    int score = at_phase(eval_mg(e->sum), eg, phase, scale);
    if (e->trace) {
        e->trace->phase = phase;
        e->trace->scale = scale;
    }
    if (e->counts) {
        e->counts->phase = phase;
        for (Color c = WHITE; c <= BLACK; c++)
            e->counts->scale[c] = endgame_scale(pos, c, e->passers);
    }
    return pos->stm == WHITE ? score : -score;
}

/* What the network adds to the sum of the terms, for the side to move. */
CHESS_INLINE int correct(const Position *pos, int terms, EvalCache *cache) {
    NetworkCache local;
    if (!network_speaks(pos))
        return 0;
    if (cache)
        return network_evaluate(pos, terms, &cache->network);
    memset(&local, 0, sizeof local);
    return network_evaluate(pos, terms, &local);
}

/* The entry of the position's pawns, filled. */
CHESS_INLINE EvalPawnEntry *pawn_entry(Eval *e, EvalCache *cache, EvalPawnEntry *local) {
    const Position *pos = e->pos;
    EvalPawnEntry *entry = cache ? &cache->entry[pos->pawn_key % EVAL_CACHE_SIZE] : local;
    /* An entry that was never filled has key 0, that of no pawn at all. It lacks only the worth of
     * no islands, which both colours have alike. */
    if (e->counts)
        pawn_entry_fill(entry, pos, e->counts);
    else if (!cache || entry->key != pos->pawn_key)
        pawn_entry_fill_fast(entry, pos);
    return entry;
}

CHESS_INLINE int evaluate_with(const Position *pos, EvalCache *cache, EvalTrace *trace,
                               EvalCounts *counts) {
    EvalPawnEntry local;
    Eval e;
    memset(&e, 0, sizeof e);
    e.pos = pos;
    e.trace = trace;
    e.counts = counts;
    e.occupied = position_occupied(pos);
    EvalPawnEntry *entry = pawn_entry(&e, cache, &local);
    eval_pawns(&e, entry);
    eval_king_pawns(&e, entry, WHITE);
    eval_king_pawns(&e, entry, BLACK);
    prepare(&e, WHITE);
    prepare(&e, BLACK);
    eval_pieces(&e, WHITE);
    eval_pieces(&e, BLACK);
    eval_king(&e, WHITE);
    eval_king(&e, BLACK);
    eval_passed(&e, WHITE);
    eval_passed(&e, BLACK);
    eval_threats(&e, WHITE);
    eval_threats(&e, BLACK);
    eval_space(&e, WHITE);
    eval_space(&e, BLACK);
    add_weight(&e, EVAL_TEMPO, pos->stm, &W.tempo, 1);
    eval_winnable(&e);
    int terms = taper(&e);
    int network = correct(pos, terms, cache);
    int score = terms + network;
    score = score > EVAL_LIMIT ? EVAL_LIMIT : score < -EVAL_LIMIT ? -EVAL_LIMIT : score;
    if (trace) {
        trace->network = network;
        trace->total = score;
    }
    return score;
}

int eval_cached(const Position *pos, EvalCache *cache) {
    return evaluate_with(pos, cache, NULL, NULL);
}

int evaluate(const Position *pos) {
    return eval_cached(pos, NULL);
}

void eval_trace(const Position *pos, EvalCache *cache, EvalTrace *out) {
    memset(out, 0, sizeof *out);
    evaluate_with(pos, cache, out, NULL);
}

void eval_count(const Position *pos, EvalTrace *out, EvalCounts *counts) {
    memset(out, 0, sizeof *out);
    memset(counts, 0, sizeof *counts);
    evaluate_with(pos, NULL, out, counts);
}

static int term_at_scale(const EvalTrace *trace, EvalTerm term, Color view, int scale) {
    return at_phase(trace->mg[term][view] - trace->mg[term][view ^ 1],
                    trace->eg[term][view] - trace->eg[term][view ^ 1], trace->phase, scale);
}

int eval_term(const EvalTrace *trace, EvalTerm term, Color view) {
    return term_at_scale(trace, term, view, EVAL_SCALE_FULL);
}

int eval_term_scaled(const EvalTrace *trace, EvalTerm term, Color view) {
    return term_at_scale(trace, term, view, trace->scale);
}

int eval_placement(const Position *pos, Piece piece, Square square) {
    PieceType t = piece_type(piece);
    Color c = piece_color(piece);
    Square king = t == KING ? square : position_king(pos, c);
    EvalScore value = W.placement[t][placed(c, square, king)] +
                      W.placement_enemy[t][placed(c, square, position_king(pos, c ^ 1))];
    return at_phase(eval_mg(value), eval_eg(value), game_phase(pos), EVAL_SCALE_FULL);
}
