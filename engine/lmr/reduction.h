/* SPDX-License-Identifier: MIT */
/* The reduction of one move, and what to search after the reduced search. This room is handed
 * numbers: it knows no type of the rules and of the search. */
#ifndef LMR_REDUCTION_H
#define LMR_REDUCTION_H

#include <stdbool.h>

#include "lmr/flags.h"

enum { LMR_MAX_DEPTH = 128, LMR_MAX_MOVES = 256, LMR_TABLE_MOVES = 64 };

/* A static evaluation taken apart, in centipawns for the side whose move is judged, without tempo.
 */
typedef struct {
    bool known;          /* else the rest means nothing */
    int total, material; /* both after the endgame scale: total - material is the rest */
    int passed, king;    /* before it */
} LmrEval;

/* The facts of a move that is about to be searched. A fact that the configuration does not ask for
 * may be left zero: the lmr_needs functions say which facts are wanted. */
typedef struct {
    int depth;  /* d: remaining depth of the node, >= 1 */
    int number; /* n: 1-based number of the move in the order of the node's legal moves */

    /* the node */
    bool root;
    bool pv;           /* node type: beta - alpha > 1 */
    bool alpha_raised; /* alpha was raised since the node began */
    bool cut;          /* expected cut node */
    bool in_check;     /* the side to move is in check */
    bool improving;    /* as the row W_IMPROVING says; false in check */
    /* The node of a singular search has no table entry and no hash move. */
    bool tt_pv;       /* the node is PV, or its table entry was */
    bool tt_capture;  /* the hash move is a capture or a promotion */
    bool tt_deep;     /* table depth >= d */
    bool tt_hit_move; /* there is a hash move */
    int iteration;    /* of the iterative deepening, 1-based */
    int alpha;
    int window;        /* beta - alpha */
    int root_window;   /* that of the root, > 0 */
    int correction;    /* centipawns added to the evaluation because of what searches found */
    bool eval_known;   /* there is a static evaluation: not in check */
    int static_eval;   /* of the node, for the side to move */
    LmrEval eval;      /* of the node; lmr_needs_eval() */
    LmrEval eval_from; /* the earlier evaluation that EVAL_REFERENCE compares, */
    LmrEval eval_to;   /* and the later one; lmr_needs_eval() and lmr_needs_child() */
    int child_cutoffs; /* beta cutoffs of the child ply since this node began, or since its singular
                          search or the verification of its null move did, where there was one */

    /* the move */
    bool hash_move;
    bool capture;   /* en passant too */
    bool promotion; /* to any piece */
    bool queen_promotion;
    bool gives_check;    /* known where the move may be reduced: lmr_may_reduce */
    bool killer;         /* either of two killers */
    bool counter;        /* the counter move */
    bool see_good;       /* static exchange evaluation >= 0; see lmr_needs_see */
    bool extended;       /* searched deeper than usual */
    bool ever_best;      /* a root move that has been the best in this search */
    bool threat;         /* newly attacks an enemy piece; lmr_needs_attacks() */
    bool escape;         /* ends an attack on an own piece; lmr_needs_attacks() */
    int eval_after;      /* static evaluation after it, for its side; lmr_needs_child() */
    int placement_gain;  /* piece-square value of the target less that of the origin */
    bool escapes_see;    /* played backwards it would lose material; where W_ESCAPE_SEE asks */
    bool king_evades;    /* the king moves out of check; where W_KING_EVADE asks */
    bool few_pieces;     /* the opponent has fewer than two; where W_FEW_PIECES asks */
    int capture_history; /* of a capture; lmr_needs_capture_history() */
    int pawn_rank;       /* relative rank 1..8 that a pawn reaches; 0 for other pieces */
    int history;         /* of the source that HIST_SOURCE names; for piece-square H itself */
} LmrMove;

/* Does the configuration ask for `see_good` of this kind of move? The exchange evaluation costs
 * time. */
static inline bool lmr_needs_see(bool capture, bool gives_check) {
    return (capture &&
            (LMR_CAPTURE == LMR_CAPTURE_GOOD_EXEMPT || LMR_CAPTURE == LMR_CAPTURE_LOSING)) ||
           (gives_check && LMR_CHECK == LMR_CHECK_GOOD_EXEMPT) || LMR_S5_THREAT != 0 ||
           LMR_S6_ESCAPE != 0;
}

/* Do steps compare evaluations of two plies? */
static inline bool lmr_compares(void) {
    return LMR_S7_PASSER != 0 || LMR_S8_KING != 0 || LMR_S9_UP != 0 || LMR_S10_DOWN != 0;
}

/* Whether a node's evaluation has to be taken apart. */
static inline bool lmr_needs_eval(void) {
    return LMR_S4_POSITIONAL != 0 || lmr_compares();
}

/* Whether the position after the move has to be evaluated. */
static inline bool lmr_needs_child(void) {
    return LMR_EX_EVAL_ALPHA || (LMR_EVAL_REFERENCE == LMR_EVAL_REFERENCE_CHILD && lmr_compares());
}

/* Whether the attacks before and after the move have to be compared. */
static inline bool lmr_needs_attacks(void) {
    return LMR_EX_THREAT || LMR_S5_THREAT != 0 || LMR_S6_ESCAPE != 0;
}

static inline bool lmr_needs_capture_history(void) {
    return LMR_NOISY_TABLE == LMR_NOISY_TABLE_OWN;
}

/* Can a move of this depth and number be reduced at all? If not, no costly fact is needed. */
static inline bool lmr_may_reduce(int depth, int number) {
    return LMR_ENABLE && depth >= LMR_MIN_DEPTH && number > LMR_FULL_MOVES;
}

/* Whether the move's reduction may depend on its costly facts: the three LmrEval, threat, escape,
 * eval_after, placement_gain, escapes_see, king_evades and few_pieces. Reads the other facts but
 * `extended`, which is found later. Pure. */
bool lmr_needs_costly_facts(const LmrMove *move);

/* Builds the base tables from the flags; idempotent. In TUNE builds call it again after a flag
 * changed (no search may run). Call before the first lmr_reduction. */
void lmr_init(void);

/* R in plies for this move: first the gates (all exemptions, then the gates that answer one ply),
 * then the base, each term rounded to UNIT, PERCENT and the clamp. Negative (an extension) only
 * with ALLOW_EXTEND. Pure. */
int lmr_reduction(const LmrMove *move);

/* Plies to trim off the search of a move that is not reduced (`reduction` <= 0) though the base is
 * large: SKIP_REDUCE. Never below a depth of 1, without the plies that an extension adds or takes.
 */
int lmr_trim(const LmrMove *move, int reduction);

/* Plies to add to a child's depth in the light of what its parent did: HINDSIGHT. `reduction` is
 * what it was reduced by, `swing` the sum of its static evaluation and its parent's, each for its
 * own side: above 0 the move went worse for the parent than the parent thought. */
int lmr_hindsight(int reduction, int swing);

/* A node's depth for its other moves once alpha was raised: ALPHA_RAISE. */
int lmr_depth_after_raise(int depth);

/* The base for this depth and move number, with OFFSET, the floor and the cap, in 1/1024 ply.
 * Captures have another one where NOISY_TABLE=own. */
int lmr_base(int depth, int number);

/* How one move is searched: what to search now, and after each score what next.
 *     lmr_plan_first(&plan, ...);
 *     do s = -search(plan.full_window ? (-beta, -alpha) : (-alpha - 1, -alpha), plan.depth);
 *     while (lmr_plan_next(&plan, s, alpha, beta, best));
 */
typedef struct {
    int depth;        /* child's depth for the next search */
    bool full_window; /* else the null window at alpha */
    bool reduced;     /* the next search is the reduced one */
    bool pv;          /* the node has an open window */
    int full_depth;   /* the child's depth without reduction */
    int researches;   /* searches after the first */
} LmrPlan;

/* `full_depth` is the child's depth with extensions and without R (d - 1 usually); `first` says
 * that this is the node's first move (own window); `pv` that beta - alpha > 1. */
void lmr_plan_first(LmrPlan *plan, int full_depth, int reduction, bool first, bool pv);

/* After a search as planned gave `score`: true when the move is to be searched again, with the plan
 * changed accordingly. `best` is the best score of the node before this move. RESEARCH decides what
 * is searched again, DEEPER_MARGIN and SHALLOWER_MARGIN how deep. */
bool lmr_plan_next(LmrPlan *plan, int score, int alpha, int beta, int best);

#endif
