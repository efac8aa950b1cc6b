/* SPDX-License-Identifier: MIT */
#include "search/history.h"

#include <stdlib.h>

#include "chess/move.h"
#include "lmr/flags.h"

/* The change of an entry after a search of this depth: step * depth - less, within 0 and max. */
static int lesson(int depth, int step, int less, int max) {
    int size = step * depth - less;
    return size < 0 ? 0 : size > max ? max : size;
}

int history_bonus(int depth) {
    return lesson(depth, SEARCH_BONUS_DEPTH, SEARCH_BONUS_LESS, SEARCH_BONUS_MAX);
}

int history_malus(int depth) {
    return lesson(depth, SEARCH_MALUS_DEPTH, SEARCH_MALUS_LESS, SEARCH_MALUS_MAX);
}

/* Adds the bonus to an entry, scaled down as the entry comes near `max`, which it never passes. */
static void adjust(int16_t *entry, int bonus, int max) {
    int step = bonus > max ? max : bonus < -max ? -max : bonus;
    *entry = (int16_t)(*entry + step - *entry * abs(step) / max);
}

int history_quiet(const History *h, const HistoryContext *c, const Position *pos, Move move) {
    Square from = move_from(move);
    Square to = move_to(move);
    Bitboard attacked = c->threats.by_any;
    return h->quiet[bb_has(attacked, from)][bb_has(attacked, to)][pos->stm][from][to];
}

static int pawn_index(const Position *pos) {
    return (int)(pos->pawn_key & (PAWN_HISTORY_SIZE - 1));
}

int history_quiet_full(const History *h, const HistoryContext *c, const Position *pos, Move move) {
    Piece piece = pos->board[move_from(move)];
    int sum = history_quiet(h, c, pos, move) + h->pawn[pawn_index(pos)][piece][move_to(move)];
    for (int i = 0; i < HISTORY_BACK; i++)
        sum += (*c->continuations.table[i])[piece][move_to(move)];
    return sum;
}

int history_capture(const History *h, const Position *pos, Move move) {
    return h->capture[pos->board[move_from(move)]][move_to(move)][move_captured(pos, move)];
}

void history_update_continuations(const Continuations *c, Piece piece, Square to, int bonus) {
    for (int i = 0; i < HISTORY_BACK; i++)
        adjust(&(*c->table[i])[piece][to], bonus, HISTORY_MAX);
}

void history_update_quiet(History *h, const HistoryContext *c, const Position *pos, Move move,
                          int bonus) {
    Square from = move_from(move);
    Square to = move_to(move);
    Piece piece = pos->board[from];
    Bitboard attacked = c->threats.by_any;
    adjust(&h->quiet[bb_has(attacked, from)][bb_has(attacked, to)][pos->stm][from][to], bonus,
           SEARCH_QUIET_MAX);
    adjust(&h->pawn[pawn_index(pos)][piece][to], bonus, SEARCH_PAWN_MAX);
    history_update_continuations(&c->continuations, piece, to, bonus);
}

void history_update_capture(History *h, const Position *pos, Move move, int bonus) {
    adjust(&h->capture[pos->board[move_from(move)]][move_to(move)][move_captured(pos, move)], bonus,
           HISTORY_MAX);
}

static int correction_index(const Position *pos) {
    return (int)(pos->pawn_key % CORRECTION_SIZE);
}

int history_correction(const History *h, const Position *pos, Piece piece, Square to) {
    int sum = h->pawn_correction[pos->stm][correction_index(pos)] + h->move_correction[piece][to];
    return sum / CORRECTION_GRAIN;
}

void history_update_correction(History *h, const Position *pos, Piece piece, Square to, int depth,
                               int gain) {
    enum { STEP_MAX = CORRECTION_MAX / 4, DEPTH_SHARE = 6 };
    int bonus = gain * depth / DEPTH_SHARE;
    bonus = bonus > STEP_MAX ? STEP_MAX : bonus < -STEP_MAX ? -STEP_MAX : bonus;
    adjust(&h->pawn_correction[pos->stm][correction_index(pos)], bonus, CORRECTION_MAX);
    adjust(&h->move_correction[piece][to], bonus, CORRECTION_MAX);
}
