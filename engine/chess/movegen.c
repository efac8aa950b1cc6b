/* SPDX-License-Identifier: MIT */
#include "chess/movegen.h"

#include <assert.h>

/* One generator serves every list and the count: `us` and `want` are constants wherever it is
 * inlined, so that each of the eight copies keeps only what it needs. */
typedef enum { WANT_ALL, WANT_NOISY, WANT_QUIET, WANT_COUNT } Want;

/* The end of the list of moves: `next` is written to unless moves are only counted. */
typedef struct {
    Move *next;
    int count;
} Sink;

/* The facts of a position that the moves of all pieces need. */
typedef struct {
    Bitboard own;
    Bitboard enemy;
    Bitboard occ;
    Bitboard free;   /* own pieces that are not pinned */
    Bitboard target; /* where a piece other than the king may go, check and `want` considered */
    Bitboard parry;  /* all squares; when in check, the checker and what lies between */
    Square king;
} Scene;

CHESS_INLINE void emit(Sink *sink, Square from, Bitboard to, const Want want) {
    if (want == WANT_COUNT) {
        sink->count += bb_popcount(to);
        return;
    }
    while (to)
        *sink->next++ = move_make(from, bb_pop_lsb(&to), MOVE_NORMAL);
}

/* Pawns that all moved by the same distance `step` to the squares `to`, none on the last rank. */
CHESS_INLINE void emit_pawns(Sink *sink, Bitboard to, int step, const Want want) {
    if (want == WANT_COUNT) {
        sink->count += bb_popcount(to);
        return;
    }
    while (to) {
        Square s = bb_pop_lsb(&to);
        *sink->next++ = move_make(s - step, s, MOVE_NORMAL);
    }
}

CHESS_INLINE void emit_promotions(Sink *sink, Bitboard to, int step, const Want want) {
    if (want == WANT_COUNT) {
        sink->count += 4 * bb_popcount(to);
        return;
    }
    while (to) {
        Square s = bb_pop_lsb(&to);
        for (PieceType t = QUEEN; t >= KNIGHT; t--)
            *sink->next++ = move_make_promotion(s - step, s, t);
    }
}

/* Captures by pawns that are not pinned, all at once, and by pinned ones along their pin. */
CHESS_INLINE void pawn_captures(const Position *pos, const Scene *sc, Sink *sink, const Color us,
                                const Want want) {
    const int forward = us == WHITE ? 8 : -8;
    const Bitboard last_rank = bb_relative_rank(us, 7);
    Bitboard pawns = sc->own & pos->by_type[PAWN];
    Bitboard victims = sc->enemy & sc->parry;
    Bitboard west = bb_forward_west(us, pawns & sc->free) & victims;
    Bitboard east = bb_forward_east(us, pawns & sc->free) & victims;
    emit_pawns(sink, west & ~last_rank, forward - 1, want);
    emit_pawns(sink, east & ~last_rank, forward + 1, want);
    if ((west | east) & last_rank) {
        emit_promotions(sink, west & last_rank, forward - 1, want);
        emit_promotions(sink, east & last_rank, forward + 1, want);
    }
    for (Bitboard pinned = pawns & ~sc->free; pinned;) {
        Square from = bb_pop_lsb(&pinned);
        Bitboard to = attacks_pawn(us, from) & victims & attacks_line(sc->king, from);
        if (to & last_rank)
            emit_promotions(sink, to, bb_lsb(to) - from, want);
        else
            emit(sink, from, to, want);
    }
    if (pos->ep != SQUARE_NONE) {
        for (Bitboard from = attacks_pawn(us ^ 1, pos->ep) & pawns; from;) {
            Square s = bb_pop_lsb(&from);
            if (!position_en_passant_is_safe(pos, s, pos->ep))
                continue;
            sink->count++;
            if (want != WANT_COUNT)
                *sink->next++ = move_make(s, pos->ep, MOVE_EN_PASSANT);
        }
    }
}

/* Pushes; a pinned pawn may only go up and down the file that it shares with its king. */
CHESS_INLINE void pawn_pushes(const Position *pos, const Scene *sc, Sink *sink, const Color us,
                              const Want want) {
    const int forward = us == WHITE ? 8 : -8;
    const Bitboard last_rank = bb_relative_rank(us, 7);
    Bitboard pawns = sc->own & pos->by_type[PAWN] & (sc->free | bb_file(square_file(sc->king)));
    Bitboard once = bb_forward(us, pawns) & ~sc->occ;
    Bitboard twice = bb_forward(us, once & bb_relative_rank(us, 2)) & ~sc->occ & sc->parry;
    once &= sc->parry;
    if (want != WANT_NOISY) {
        emit_pawns(sink, once & ~last_rank, forward, want);
        emit_pawns(sink, twice, 2 * forward, want);
    }
    if (want != WANT_QUIET && (once & last_rank))
        emit_promotions(sink, once & last_rank, forward, want);
}

/* Knights and sliders; queens go once with the bishops and once with the rooks. */
CHESS_INLINE void piece_moves(const Position *pos, const Scene *sc, Sink *sink, const Want want) {
    Bitboard diagonal = sc->own & (pos->by_type[BISHOP] | pos->by_type[QUEEN]);
    Bitboard straight = sc->own & (pos->by_type[ROOK] | pos->by_type[QUEEN]);
    for (Bitboard b = sc->free & pos->by_type[KNIGHT]; b;) {
        Square from = bb_pop_lsb(&b);
        emit(sink, from, attacks_knight(from) & sc->target, want);
    }
    for (Bitboard b = diagonal & sc->free; b;) {
        Square from = bb_pop_lsb(&b);
        emit(sink, from, attacks_bishop(from, sc->occ) & sc->target, want);
    }
    for (Bitboard b = straight & sc->free; b;) {
        Square from = bb_pop_lsb(&b);
        emit(sink, from, attacks_rook(from, sc->occ) & sc->target, want);
    }
    for (Bitboard b = diagonal & ~sc->free; b;) {
        Square from = bb_pop_lsb(&b);
        Bitboard line = attacks_line(sc->king, from);
        emit(sink, from, attacks_bishop(from, sc->occ) & sc->target & line, want);
    }
    for (Bitboard b = straight & ~sc->free; b;) {
        Square from = bb_pop_lsb(&b);
        Bitboard line = attacks_line(sc->king, from);
        emit(sink, from, attacks_rook(from, sc->occ) & sc->target & line, want);
    }
}

CHESS_INLINE void king_moves(const Position *pos, const Scene *sc, Sink *sink, Bitboard allowed,
                             const Color us, const Want want) {
    const Color them = us ^ 1;
    Bitboard to = attacks_king(sc->king) & allowed;
    if (!to)
        return;
    to &= ~(bb_pawn_attacks(them, sc->enemy & pos->by_type[PAWN]) |
            attacks_king(position_king(pos, them)));
    /* The king does not shield the squares behind it. */
    Bitboard occ = sc->occ ^ bb_square(sc->king);
    Bitboard knights = sc->enemy & pos->by_type[KNIGHT];
    Bitboard diagonal = sc->enemy & (pos->by_type[BISHOP] | pos->by_type[QUEEN]);
    Bitboard straight = sc->enemy & (pos->by_type[ROOK] | pos->by_type[QUEEN]);
    Bitboard safe = 0;
    while (to) {
        Square s = bb_pop_lsb(&to);
        bool attacked = (attacks_knight(s) & knights) | (attacks_bishop(s, occ) & diagonal) |
                        (attacks_rook(s, occ) & straight);
        safe |= attacked ? 0 : bb_square(s);
    }
    emit(sink, sc->king, safe, want);
}

CHESS_INLINE void castling_moves(const Position *pos, const Scene *sc, Sink *sink, const Color us,
                                 const Want want) {
    if (!(pos->castling & (3 << castle_index(us, 0))))
        return;
    for (int side = CASTLE_KING_SIDE; side <= CASTLE_QUEEN_SIDE; side++) {
        /* Most often something stands between: asked here too, it saves the call. */
        if ((pos->castle_empty[castle_index(us, side)] & sc->occ) ||
            !position_can_castle(pos, side))
            continue;
        sink->count++;
        if (want != WANT_COUNT)
            *sink->next++ =
                move_make(sc->king, pos->castle_rook[castle_index(us, side)], MOVE_CASTLING);
    }
}

/* Returns how many moves there are. */
CHESS_INLINE int generate(const Position *pos, Move *out, const Color us, const Want want) {
    Sink sink = {out, 0};
    Scene sc = {.own = pos->by_color[us],
                .enemy = pos->by_color[us ^ 1],
                .occ = position_occupied(pos),
                .free = pos->by_color[us] & ~pos->pinned,
                .parry = ~UINT64_C(0),
                .king = position_king(pos, us)};
    assert(!bb_more_than_one(position_pieces(pos, us, KING)));
    Bitboard allowed = want == WANT_NOISY ? sc.enemy : want == WANT_QUIET ? ~sc.occ : ~sc.own;

    king_moves(pos, &sc, &sink, allowed, us, want);
    if (pos->checkers) {
        if (bb_more_than_one(pos->checkers))
            return want == WANT_COUNT ? sink.count : (int)(sink.next - out);
        sc.parry = pos->checkers | attacks_between(sc.king, bb_lsb(pos->checkers));
    } else if (want != WANT_NOISY) {
        castling_moves(pos, &sc, &sink, us, want);
    }
    sc.target = allowed & sc.parry;
    if (want != WANT_QUIET)
        pawn_captures(pos, &sc, &sink, us, want);
    pawn_pushes(pos, &sc, &sink, us, want);
    piece_moves(pos, &sc, &sink, want);
    assert(want == WANT_COUNT || sink.next - out <= MAX_MOVES);
    return want == WANT_COUNT ? sink.count : (int)(sink.next - out);
}

int movegen_legal(const Position *pos, Move out[MAX_MOVES]) {
    return pos->stm == WHITE ? generate(pos, out, WHITE, WANT_ALL)
                             : generate(pos, out, BLACK, WANT_ALL);
}

int movegen_noisy(const Position *pos, Move out[MAX_MOVES]) {
    return pos->stm == WHITE ? generate(pos, out, WHITE, WANT_NOISY)
                             : generate(pos, out, BLACK, WANT_NOISY);
}

int movegen_quiets(const Position *pos, Move out[MAX_MOVES]) {
    return pos->stm == WHITE ? generate(pos, out, WHITE, WANT_QUIET)
                             : generate(pos, out, BLACK, WANT_QUIET);
}

int movegen_count(const Position *pos) {
    return pos->stm == WHITE ? generate(pos, 0, WHITE, WANT_COUNT)
                             : generate(pos, 0, BLACK, WANT_COUNT);
}

bool movegen_any(const Position *pos) {
    return movegen_count(pos) != 0;
}
