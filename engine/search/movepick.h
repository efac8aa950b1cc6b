/* SPDX-License-Identifier: MIT */
/* The order in which a node tries its moves: hash move; captures and promotions that lose nothing,
 * best first; killers; counter move; quiet moves by history; what loses material. Each legal move
 * comes once; moves are generated only when their turn has come. With ORDERING=random all moves
 * come in one list, in an order that the position's key and the moves alone decide; the root keeps
 * an order of its own (context.h). */
#ifndef SEARCH_MOVEPICK_H
#define SEARCH_MOVEPICK_H

#include <stdbool.h>

#include "chess/movegen.h"
#include "search/history.h"

enum { KILLERS = 2 };

typedef enum {
    PICK_HASH,
    PICK_MAKE_NOISY,
    PICK_GOOD_NOISY,
    PICK_KILLER_1,
    PICK_KILLER_2,
    PICK_COUNTER,
    PICK_MAKE_QUIETS,
    PICK_QUIETS,
    PICK_BAD_NOISY,
    PICK_DONE
} PickStage;

typedef struct {
    const Position *pos;
    const History *history;
    const HistoryContext *context;
    Move hash, killer[KILLERS], counter;
    PickStage stage;  /* the stage that gives the next move */
    PickStage given;  /* the stage of the move that picker_next gave last */
    bool noisy_only;  /* quiescence: no quiet moves */
    bool skip_quiets; /* the node wants no more quiet moves */
    int next, count;  /* of the list of the present stage */
    int bad_next, bad_count;
    Move moves[MAX_MOVES];
    int scores[MAX_MOVES];
    Move bad[MAX_MOVES];
} Picker;

/* The hash move may be any 16 bits; killers and the counter move too. The position must not change
 * between two calls, but for moves made and taken back. */
void picker_init(Picker *p, const Position *pos, const History *history,
                 const HistoryContext *context, Move hash, const Move killer[KILLERS],
                 Move counter);

/* Captures and promotions alone, all of them, best first. */
void picker_init_noisy(Picker *p, const Position *pos, const History *history, Move hash);

/* The next move, or MOVE_NONE. */
Move picker_next(Picker *p);

#endif
