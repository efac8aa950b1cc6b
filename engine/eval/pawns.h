/* SPDX-License-Identifier: MIT */
/* Pawns: the structure, kept in the cache, and passed pawns among pieces and kings. */
#ifndef EVAL_PAWNS_H
#define EVAL_PAWNS_H

#include "eval/parts.h"

/* One pawn and the pawns near it. */
typedef struct {
    Bitboard own, enemy;                    /* pawns */
    Bitboard me, front;                     /* the pawn; all squares before it */
    Bitboard supporters, phalanx, sentries; /* sentries guard its way forward */
    int rank;
    bool open; /* no enemy pawn in front */
} PawnView;

CHESS_INLINE PawnView pawn_view(const Position *pos, Color c, Square s) {
    Bitboard own = position_pieces(pos, c, PAWN);
    Bitboard enemy = position_pieces(pos, c ^ 1, PAWN);
    Bitboard me = bb_square(s);
    Bitboard front = before(c, s);
    return (PawnView){.own = own,
                      .enemy = enemy,
                      .me = me,
                      .front = front,
                      .supporters = bb_pawn_attacks(c ^ 1, me) & own,
                      .phalanx = neighbours(me) & own,
                      .sentries = neighbours(front) & enemy,
                      .rank = relative_rank(c, s),
                      .open = !(front & enemy)};
}

/* Doubled, isolated, backward. */
CHESS_INLINE EvalScore pawn_weakness(const PawnView *v, Color c, Square s, EvalCounts *n) {
    bool isolated = !(neighbours(bb_file(square_file(s))) & v->own);
    EvalScore score = 0;
    if (v->front & v->own) {
        score += weigh(n, c, &W.doubled, 1);
        if (bb_forward(c, v->me) & v->own)
            score += weigh(n, c, &W.doubled_close, 1);
        if (isolated)
            score += weigh(n, c, &W.doubled_isolated, 1);
    }
    if (isolated)
        return score + weigh(n, c, &W.isolated[v->open], 1);
    /* No neighbour can ever support its advance, and the way is guarded by a pawn. */
    Bitboard behind = neighbours(fill_forward(c ^ 1, v->me));
    Bitboard guards = bb_pawn_attacks(c, bb_forward(c, v->me)) & v->enemy;
    if (guards && !(behind & v->own))
        score += weigh(n, c, &W.backward[v->open], 1);
    return score;
}

/* Phalanx, support, lever, candidate. */
CHESS_INLINE EvalScore pawn_strength(const PawnView *v, Color c, EvalCounts *n) {
    EvalScore score = 0;
    if (v->phalanx)
        score += weigh(n, c, &W.phalanx[v->open][v->rank], 1);
    if (v->supporters) {
        score += weigh(n, c, &W.supported[v->open][v->rank], 1);
        if (bb_more_than_one(v->supporters))
            score += weigh(n, c, &W.supported_twice, 1);
    }
    if (bb_pawn_attacks(c, v->me) & v->enemy)
        score += weigh(n, c, &W.lever[v->rank], 1);
    if (v->open && v->sentries &&
        bb_popcount(v->supporters | v->phalanx) >= bb_popcount(v->sentries))
        score += weigh(n, c, &W.candidate[v->rank], 1);
    return score;
}

CHESS_INLINE EvalScore pawn_passed(const PawnView *v, Color c, Square s, EvalCounts *n) {
    EvalScore score = weigh(n, c, &W.passed[v->rank], 1);
    score += weigh(n, c, &W.passed_file[edge_distance(square_file(s))], 1);
    if (v->supporters | v->phalanx)
        score += weigh(n, c, &W.passed_connected[v->rank], 1);
    return score;
}

CHESS_INLINE int pawn_islands(Bitboard pawns) {
    Bitboard files = fill_forward(BLACK, pawns) & RANK_1_BB;
    return bb_popcount(files & ~(files << 1));
}

CHESS_INLINE void pawn_entry_of(EvalPawnEntry *entry, const Position *pos, Color c, EvalCounts *n) {
    Bitboard pawns = position_pieces(pos, c, PAWN);
    entry->attacks[c] = bb_pawn_attacks(c, pawns);
    entry->attack_span[c] = fill_forward(c, entry->attacks[c]);
    entry->pawns[c] = weigh(n, c, &W.islands[pawn_islands(pawns)], 1);
    while (pawns) {
        Square s = bb_pop_lsb(&pawns);
        PawnView v = pawn_view(pos, c, s);
        entry->pawns[c] += pawn_weakness(&v, c, s, n) + pawn_strength(&v, c, n);
        if (v.open && !v.sentries && !(v.front & v.own)) {
            entry->passers |= v.me;
            entry->passed[c] += pawn_passed(&v, c, s, n);
        }
    }
}

CHESS_INLINE void pawn_entry_fill(EvalPawnEntry *entry, const Position *pos, EvalCounts *counts) {
    memset(entry, 0, sizeof *entry);
    entry->key = pos->pawn_key;
    pawn_entry_of(entry, pos, WHITE, counts);
    pawn_entry_of(entry, pos, BLACK, counts);
}

static __attribute__((noinline)) void pawn_entry_fill_fast(EvalPawnEntry *entry,
                                                           const Position *pos) {
    pawn_entry_fill(entry, pos, NULL);
}

CHESS_INLINE void eval_pawns(Eval *e, const EvalPawnEntry *entry) {
    e->passers = entry->passers;
    e->rams = bb_popcount(bb_north(position_pieces(e->pos, WHITE, PAWN)) &
                          position_pieces(e->pos, BLACK, PAWN));
    for (Color c = WHITE; c <= BLACK; c++) {
        e->pawn_attacks[c] = entry->attacks[c];
        e->attack_span[c] = entry->attack_span[c];
        e->pawns[c] = bb_popcount(position_pieces(e->pos, c, PAWN));
        add(e, EVAL_PAWNS, c, entry->pawns[c]);
        add(e, EVAL_PASSED, c, entry->passed[c]);
    }
}

/* --- passed pawns among pieces --- */

/* No enemy piece is left, and the enemy king, with the move or not, comes too late. */
CHESS_INLINE bool passed_unstoppable(const Eval *e, Color c, Square s, Bitboard path) {
    const Position *pos = e->pos;
    if (position_has_pieces(pos, c ^ 1) || (path & e->occupied))
        return false;
    Square goal = square_make(square_file(s), c == WHITE ? 7 : 0);
    int steps = relative_rank(c, s) == 1 ? 5 : distance(s, goal);
    int hunt = distance(position_king(pos, c ^ 1), goal) - (pos->stm == c ? 0 : 1);
    return hunt > steps;
}

CHESS_INLINE EvalScore passed_way(Eval *e, Color c, Square s, int rank) {
    const Position *pos = e->pos;
    Bitboard path = before(c, s);
    Bitboard stop = bb_forward(c, bb_square(s));
    EvalScore score = 0;
    if (stop & e->occupied)
        score += weigh(
            e->counts, c,
            stop & pos->by_color[c] ? &W.passed_blocked_own[rank] : &W.passed_blocked[rank], 1);
    if (stop & e->attacks[c ^ 1])
        score += weigh(e->counts, c, &W.passed_stop_attacked[rank], 1);
    if (stop & e->attacks[c])
        score += weigh(e->counts, c, &W.passed_stop_defended[rank], 1);
    if (!(path & (e->attacks[c ^ 1] | pos->by_color[c ^ 1])))
        score += weigh(e->counts, c, &W.passed_path_safe[rank], 1);
    if (passed_unstoppable(e, c, s, path))
        score += weigh(e->counts, c, &W.passed_unstoppable[rank], 1);
    return score;
}

/* Rooks behind the passed pawn on its file. */
CHESS_INLINE EvalScore passed_rooks(Eval *e, Color c, Square s) {
    Bitboard back = attacks_rook(s, e->occupied) & before(c ^ 1, s);
    EvalScore score = 0;
    if (back & position_pieces(e->pos, c, ROOK))
        score += weigh(e->counts, c, &W.passed_rook_behind, 1);
    if (back & position_pieces(e->pos, c ^ 1, ROOK))
        score += weigh(e->counts, c, &W.passed_enemy_rook_behind, 1);
    return score;
}

CHESS_INLINE void eval_passed(Eval *e, Color c) {
    const Position *pos = e->pos;
    Bitboard passers = e->passers & pos->by_color[c];
    while (passers) {
        Square s = bb_pop_lsb(&passers);
        int rank = relative_rank(c, s);
        Square stop = c == WHITE ? s + 8 : s - 8;
        int own = distance(position_king(pos, c), stop);
        int other = distance(position_king(pos, c ^ 1), stop);
        EvalScore score = weigh(e->counts, c, &W.passed_own_king[rank][own], 1);
        score += weigh(e->counts, c, &W.passed_enemy_king[rank][other], 1);
        score += passed_way(e, c, s, rank);
        if (pos->by_type[ROOK])
            score += passed_rooks(e, c, s);
        add(e, EVAL_PASSED, c, score);
    }
}

#endif
