/* SPDX-License-Identifier: MIT */
#include "search/movepick.h"

#include "chess/attacks.h"
#include "chess/move.h"
#include "lmr/flags.h"
#include "search/see.h"

static bool at_random(void) {
    return LMR_ORDERING == LMR_ORDERING_RANDOM;
}

void picker_init(Picker *p, const Position *pos, const History *history,
                 const HistoryContext *context, Move hash, const Move killer[KILLERS],
                 Move counter) {
    p->pos = pos;
    p->history = history;
    p->context = context;
    bool first = hash != MOVE_NONE && !at_random() && move_is_legal(pos, hash);
    p->hash = first ? hash : MOVE_NONE;
    for (int i = 0; i < KILLERS; i++)
        p->killer[i] = killer[i];
    p->counter = counter;
    p->stage = at_random() ? PICK_MAKE_QUIETS : PICK_HASH;
    p->given = PICK_DONE;
    p->noisy_only = p->skip_quiets = false;
    p->next = p->count = p->bad_next = p->bad_count = 0;
}

void picker_init_noisy(Picker *p, const Position *pos, const History *history, Move hash) {
    static const Move none[KILLERS] = {MOVE_NONE, MOVE_NONE};
    picker_init(p, pos, history, NULL, hash, none, MOVE_NONE);
    if (p->hash != MOVE_NONE && !move_is_noisy(pos, p->hash))
        p->hash = MOVE_NONE;
    if (at_random())
        p->stage = PICK_MAKE_NOISY;
    p->noisy_only = true;
}

/* A pseudo-random number made of the move and the position: equal for both in every search. */
static int scrambled(const Position *pos, Move move) {
    uint64_t x = (pos->key ^ move) * UINT64_C(0x9e3779b97f4a7c15);
    return (int)(x >> 40);
}

static int noisy_score(const Picker *p, Move move) {
    if (at_random())
        return scrambled(p->pos, move);
    int score = see_value[move_captured(p->pos, move)] * SEARCH_CAPTURE_VICTIM;
    if (move_kind(move) == MOVE_PROMOTION)
        score += (move_promotion(move) == QUEEN ? see_value[QUEEN] : -see_value[QUEEN]) *
                 SEARCH_CAPTURE_VICTIM;
    if (LMR_ORDERING == LMR_ORDERING_NORMAL)
        score += history_capture(p->history, p->pos, move);
    return score;
}

static int quiet_score(const Picker *p, Move move) {
    if (at_random())
        return scrambled(p->pos, move);
    if (LMR_ORDERING == LMR_ORDERING_NO_HISTORY)
        return 0;
    return history_quiet_full(p->history, p->context, p->pos, move);
}

/* Removes the best move of the list that was not given yet; MOVE_NONE when the list is empty. */
static Move take_best(Picker *p) {
    if (p->next >= p->count)
        return MOVE_NONE;
    int best = p->next;
    for (int i = p->next + 1; i < p->count; i++) {
        if (p->scores[i] > p->scores[best])
            best = i;
    }
    Move move = p->moves[best];
    p->moves[best] = p->moves[p->next];
    p->scores[best] = p->scores[p->next];
    p->next++;
    return move;
}

static void make_noisy(Picker *p) {
    p->next = 0;
    p->count = movegen_noisy(p->pos, p->moves);
    for (int i = 0; i < p->count; i++)
        p->scores[i] = noisy_score(p, p->moves[i]);
}

/* Moves out of a lesser piece's attack come sooner, moves into one later. */
static void score_threats(Picker *p) {
    static const int quarters[PIECE_TYPE_COUNT] = {
        [KNIGHT] = 2, [BISHOP] = 2, [ROOK] = 3, [QUEEN] = 4};
    const Bitboard *by_lesser = p->context->threats.by_lesser;
    for (int i = 0; i < p->count; i++) {
        Square from = move_from(p->moves[i]);
        PieceType type = piece_type(p->pos->board[from]);
        int worth = SEARCH_THREAT_ORDER * quarters[type] / 4;
        p->scores[i] += (by_lesser[type] & bb_square(from)) ? worth : 0;
        p->scores[i] -= (by_lesser[type] & bb_square(move_to(p->moves[i]))) ? worth : 0;
    }
}

/* Checks that lose little come sooner. Most moves cannot give check, which is seen at a glance: the
 * target must attack the king, or the origin must be in the way of what does. */
static void score_checks(Picker *p) {
    const Position *pos = p->pos;
    Square king = position_king(pos, pos->stm ^ 1);
    Bitboard occ = position_occupied(pos);
    Bitboard diagonal = attacks_bishop(king, occ);
    Bitboard straight = attacks_rook(king, occ);
    const Bitboard checks[PIECE_TYPE_COUNT] = {[PAWN] = attacks_pawn(pos->stm ^ 1, king),
                                               [KNIGHT] = attacks_from(KNIGHT, king, occ),
                                               [BISHOP] = diagonal,
                                               [ROOK] = straight,
                                               [QUEEN] = diagonal | straight};
    for (int i = 0; i < p->count; i++) {
        Move move = p->moves[i];
        Square from = move_from(move);
        bool may_check = bb_has(checks[piece_type(pos->board[from])], move_to(move)) ||
                         bb_has(diagonal | straight, from) || move_kind(move) == MOVE_CASTLING;
        if (may_check && move_gives_check(pos, move) && see_at_least(pos, move, -SEARCH_CHECK_LOSS))
            p->scores[i] += SEARCH_CHECK_ORDER;
    }
}

/* At random the list has all moves. */
static void make_quiets(Picker *p) {
    p->next = 0;
    p->count = at_random() ? movegen_legal(p->pos, p->moves) : movegen_quiets(p->pos, p->moves);
    for (int i = 0; i < p->count; i++)
        p->scores[i] = quiet_score(p, p->moves[i]);
    if (SEARCH_THREAT_ORDER && LMR_ORDERING == LMR_ORDERING_NORMAL)
        score_threats(p);
    if (SEARCH_CHECK_ORDER && LMR_ORDERING == LMR_ORDERING_NORMAL)
        score_checks(p);
}

/* The next capture or promotion that loses no material. Moves that lose some are put aside. */
static Move next_good_noisy(Picker *p) {
    for (Move move; (move = take_best(p)) != MOVE_NONE;) {
        if (move == p->hash)
            continue;
        if (p->noisy_only || see_at_least(p->pos, move, 0))
            return move;
        p->bad[p->bad_count++] = move;
    }
    return MOVE_NONE;
}

/* Whether a killer or the counter move is legal here and was not given yet. The moves given before
 * are the hash move and `killer[0 .. earlier-1]`. */
static bool remembered(const Picker *p, Move move, int earlier) {
    if (p->skip_quiets || move == MOVE_NONE || move == p->hash)
        return false;
    for (int i = 0; i < earlier; i++) {
        if (p->killer[i] == move)
            return false;
    }
    return move_is_legal(p->pos, move) && !move_is_noisy(p->pos, move);
}

static Move next_at_random(Picker *p) {
    for (Move move; (move = take_best(p)) != MOVE_NONE;) {
        if (!p->skip_quiets || move_is_noisy(p->pos, move))
            return move;
    }
    return MOVE_NONE;
}

static Move next_quiet(Picker *p) {
    if (at_random())
        return next_at_random(p);
    if (p->skip_quiets)
        return MOVE_NONE;
    for (Move move; (move = take_best(p)) != MOVE_NONE;) {
        if (move != p->hash && move != p->killer[0] && move != p->killer[1] && move != p->counter)
            return move;
    }
    return MOVE_NONE;
}

/* The next move of one stage; MOVE_NONE when the stage has no more moves. */
static Move from_stage(Picker *p, PickStage stage) {
    switch (stage) {
    case PICK_HASH:
        return p->hash;
    case PICK_MAKE_NOISY:
        make_noisy(p);
        return MOVE_NONE;
    case PICK_GOOD_NOISY:
        return next_good_noisy(p);
    case PICK_KILLER_1:
        return remembered(p, p->killer[0], 0) ? p->killer[0] : MOVE_NONE;
    case PICK_KILLER_2:
        return remembered(p, p->killer[1], 1) ? p->killer[1] : MOVE_NONE;
    case PICK_COUNTER:
        return remembered(p, p->counter, KILLERS) ? p->counter : MOVE_NONE;
    case PICK_MAKE_QUIETS:
        if (!p->skip_quiets)
            make_quiets(p);
        return MOVE_NONE;
    case PICK_QUIETS:
        return next_quiet(p);
    case PICK_BAD_NOISY:
        return p->bad_next < p->bad_count ? p->bad[p->bad_next++] : MOVE_NONE;
    default:
        return MOVE_NONE;
    }
}

/* Stages that give one move at most, or none. */
static bool is_single(PickStage stage) {
    return stage != PICK_GOOD_NOISY && stage != PICK_QUIETS && stage != PICK_BAD_NOISY;
}

Move picker_next(Picker *p) {
    while (p->stage != PICK_DONE) {
        PickStage stage = p->stage;
        Move move = from_stage(p, stage);
        if (move == MOVE_NONE || is_single(stage))
            p->stage++;
        if (p->noisy_only && p->stage == PICK_KILLER_1)
            p->stage = PICK_DONE;
        if (move != MOVE_NONE) {
            p->given = stage;
            return move;
        }
    }
    return MOVE_NONE;
}
