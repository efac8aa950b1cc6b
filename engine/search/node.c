/* SPDX-License-Identifier: MIT */
/* One node of the main search: principal variation search, and all that decides what is not worth
 * searching, or only less deep. How much less deep is the lmr room's decision. */
#include "chess/move.h"
#include "lmr/reduction.h"
#include "search/context.h"
#include "search/facts.h"
#include "search/see.h"
#include "search/tablebase.h"

/* Pruning, depths in plies and margins in centipawns. */
enum {
    RFP_MAX_DEPTH = 8,
    RFP_MARGIN = 75,
    RAZOR_MAX_DEPTH = 3,
    RAZOR_BASE = 150,
    RAZOR_MARGIN = 200,
    NULL_MIN_DEPTH = 3,
    NULL_BASE = 3,
    NULL_DEPTH_DIV = 3,
    NULL_EVAL_DIV = 180,
    NULL_EVAL_MOST = 3,
    NULL_VERIFY_DEPTH = 12,
    IIR_MIN_DEPTH = 4,
    LATE_BASE = 8, /* moves, and half as many where the side to move is not improving */
    LATE_FACTOR = 3,
    FUTILITY_MAX_DEPTH = 7,
    FUTILITY_BASE = 90,
    FUTILITY_MARGIN = 80,
    HISTORY_PRUNE_DEPTH = 4,
    HISTORY_PRUNE_MARGIN = 3500,
    SEE_MAX_DEPTH = 8,
    SEE_QUIET_MARGIN = 25,
    SEE_NOISY_MARGIN = 100,
    PROBCUT_MIN_DEPTH = 5,
    PROBCUT_MARGIN = 170,
    PROBCUT_IMPROVING = 40,
    PROBCUT_REDUCTION = 4,
    TABLE_RULE50_MOST = 90 /* from here on the table's scores know too little of the fifty moves */
};

/* Singular extensions. */
enum {
    SINGULAR_MIN_DEPTH = 7,
    SINGULAR_TABLE_LAG = 3,
    SINGULAR_MARGIN = 2,
    SINGULAR_DOUBLE = 20,
    SINGULAR_MOST = 6
};

enum { TRIED_MOST = 48 };

typedef struct {
    SearchThread *t;
    Frame *f;
    int alpha, beta, depth, ply;
    int old_alpha;
    bool root, pv, cut, in_check, improving;
    bool hit, tt_pv, hash_noisy;
    TtEntry entry;
    int table_score;
    Move hash;
    int eval;      /* static, improved by what the table knows */
    int low, high; /* what the endgame tables leave the score */
    int best;
    Move best_move;
    int best_number;
    int number; /* of the move in turn, 1-based */
    Continuations continuations;
} Node;

/* The moves that were searched before the best one. */
typedef struct {
    int quiet_count, noisy_count;
    Move quiets[TRIED_MOST], noisy[TRIED_MOST];
} Tried;

/* The move in turn. */
typedef struct {
    Move move;
    Piece piece;
    bool noisy;
    int history;
    int reduction;
    LmrMove facts;
} Candidate;

/* Killers are kept per ply, or per remaining depth. */
static Move *killers(Node *n) {
    return LMR_KILLER_KEY == LMR_KILLER_KEY_DEPTH ? n->t->depth_killers[n->depth] : n->f->killer;
}

/* What needs no search: true with *score when the node is decided. */
static bool decided(Node *n, int *score) {
    SearchThread *t = n->t;
    *score = 0;
    n->f->pv_length = 0;
    if (!thread_count_node(t))
        return true;
    if (n->ply > t->seldepth)
        t->seldepth = n->ply;
    if (n->root)
        return false;
    if (thread_is_draw(t, n->ply))
        return true;
    if (n->ply >= MAX_PLY) {
        *score = n->in_check ? 0 : eval_cached(&t->pos, &t->eval_cache);
        return true;
    }
    /* No line from here can be better than mating at once, or worse than being mated now. */
    int worst = -SCORE_MATE + n->ply;
    int most = SCORE_MATE - n->ply - 1;
    if (n->alpha < worst)
        n->alpha = worst;
    if (n->beta > most)
        n->beta = most;
    *score = n->alpha;
    return n->alpha >= n->beta;
}

/* Writes the node's best into the table as a search of that depth found it. */
static void store_node(const Node *n, int depth, Bound bound) {
    TtEntry entry = {.move = n->best_move,
                     .score = (int16_t)tt_score_in(n->best, n->ply),
                     .eval = (int16_t)n->f->raw_eval,
                     .depth = (int8_t)depth,
                     .bound = bound,
                     .pv = n->tt_pv};
    tt_store(&n->t->search->tt, n->t->pos.key, &entry);
}

static void open_frames(Node *n) {
    Frame *f = n->f;
    f->reduction = 0;
    f[1].excluded = MOVE_NONE;
    f[1].cutoffs = 0;
    f[1].extensions = f->extensions;
    f[2].killer[0] = f[2].killer[1] = MOVE_NONE;
    n->continuations =
        (Continuations){{f[-1].continuation, f[-2].continuation, f[-4].continuation}};
}

/* Asks the table; true with *score when it answers the whole question. */
static bool table_decides(Node *n, int *score) {
    SearchThread *t = n->t;
    bool excluded = n->f->excluded != MOVE_NONE;
    n->hit = LMR_TT && !excluded && tt_probe(&t->search->tt, t->pos.key, &n->entry);
    n->tt_pv = n->pv || (n->hit && n->entry.pv);
    n->hash = n->root ? t->root[t->pv_index].move : n->hit ? n->entry.move : MOVE_NONE;
    if (n->hash != MOVE_NONE && !move_is_legal(&t->pos, n->hash))
        n->hash = MOVE_NONE;
    n->hash_noisy = n->hash != MOVE_NONE && move_is_noisy(&t->pos, n->hash);
    n->table_score = SCORE_NONE;
    if (!n->hit || n->entry.bound == BOUND_NONE)
        return false;
    *score = n->table_score = tt_score_out(n->entry.score, n->ply, t->pos.rule50);
    if (n->pv || n->entry.depth < n->depth || t->pos.rule50 >= TABLE_RULE50_MOST)
        return false;
    return (n->entry.bound & BOUND_LOWER && *score >= n->beta) ||
           (n->entry.bound & BOUND_UPPER && *score <= n->alpha);
}

/* Asks the endgame tables; true with *score when what they know answers the question. Else a win or
 * a loss that they know bounds the score: a mate may be found beyond. */
static bool tablebase_decides(Node *n, int *score) {
    SearchThread *t = n->t;
    int men = t->search->table_men;
    n->low = -SCORE_INFINITE;
    n->high = SCORE_INFINITE;
    if (men == 0 || n->root || n->f->excluded != MOVE_NONE ||
        bb_popcount(position_occupied(&t->pos)) > men)
        return false;
    TablebaseResult result = tablebase_probe(&t->pos);
    if (result == TABLEBASE_UNKNOWN)
        return false;
    atomic_fetch_add_explicit(&t->table_hits, 1, memory_order_relaxed);
    int win = SCORE_TABLES - n->ply;
    bool wins = result == TABLEBASE_WIN;
    bool loses = result == TABLEBASE_LOSS;
    *score = wins ? win : loses ? -win : 0;
    if ((wins && *score < n->beta) || (loses && *score > n->alpha)) {
        n->low = wins ? *score : n->low;
        n->high = loses ? *score : n->high;
        n->alpha = n->alpha > n->low ? n->alpha : n->low;
        return false;
    }
    n->best = *score;
    n->best_move = MOVE_NONE;
    n->f->raw_eval = SCORE_NONE;
    store_node(n, n->depth, wins ? BOUND_LOWER : loses ? BOUND_UPPER : BOUND_EXACT);
    return true;
}

/* Static evaluation for the frame, `eval` and `improving`. */
static void evaluate_node(Node *n) {
    SearchThread *t = n->t;
    Frame *f = n->f;
    n->improving = false;
    if (lmr_needs_eval() && f->excluded == MOVE_NONE)
        f->eval = facts_evaluate(&t->pos);
    if (n->in_check) {
        f->raw_eval = f->static_eval = n->eval = SCORE_NONE;
        return;
    }
    if (f->excluded == MOVE_NONE) /* else the frame has it already */
        thread_evaluate(t, n->ply, n->hit ? &n->entry : NULL);
    n->eval = f->static_eval;
    if (n->table_score != SCORE_NONE && !search_is_mate(n->table_score) &&
        ((n->entry.bound & BOUND_LOWER && n->table_score > n->eval) ||
         (n->entry.bound & BOUND_UPPER && n->table_score < n->eval)))
        n->eval = n->table_score;
    int before = f[-2].static_eval != SCORE_NONE ? f[-2].static_eval : f[-4].static_eval;
    n->improving = before == SCORE_NONE || f->static_eval > before;
}

/* Gives the turn away: who still fails high need not be searched. */
static bool null_move_fails_high(Node *n, int *score) {
    SearchThread *t = n->t;
    if (!LMR_NULL_MOVE || n->depth < NULL_MIN_DEPTH || n->eval < n->beta ||
        n->f->static_eval < n->beta - 100 || n->f[-1].move == MOVE_NULL || n->ply < t->null_until ||
        !position_has_pieces(&t->pos, t->pos.stm))
        return false;
    int surplus = (n->eval - n->beta) / NULL_EVAL_DIV;
    int reduction = NULL_BASE + n->depth / NULL_DEPTH_DIV +
                    (surplus < NULL_EVAL_MOST ? surplus : NULL_EVAL_MOST);
    Undo undo;
    thread_make_null(t, n->ply, &undo);
    *score = -search_node(t, -n->beta, -n->beta + 1, n->depth - reduction, n->ply + 1, !n->cut);
    thread_unmake_null(t, &undo);
    if (search_stopped(t))
        return true;
    if (*score < n->beta)
        return false;
    if (search_is_mate(*score))
        *score = n->beta;
    if (n->depth < NULL_VERIFY_DEPTH || t->null_until)
        return true;
    /* Deep down a wrong cutoff costs much: look whether it holds without the null move. */
    t->null_until = n->ply + 3 * (n->depth - reduction) / 4;
    int verified = search_node(t, n->beta - 1, n->beta, n->depth - reduction, n->ply, false);
    t->null_until = 0;
    return search_stopped(t) || verified >= n->beta;
}

/* A capture that beats beta by far at a lower depth will very likely beat beta at this one. True
 * with *score when there is one. */
static bool probcut(Node *n, int *score) {
    SearchThread *t = n->t;
    int bar = n->beta + PROBCUT_MARGIN - n->improving * PROBCUT_IMPROVING;
    int depth = n->depth - PROBCUT_REDUCTION;
    if (n->depth < PROBCUT_MIN_DEPTH ||
        (n->table_score != SCORE_NONE && n->entry.depth >= depth && n->table_score < bar))
        return false;
    Picker picker;
    picker_init_noisy(&picker, &t->pos, &t->history, n->hash);
    for (Move move; (move = picker_next(&picker)) != MOVE_NONE;) {
        if (!see_at_least(&t->pos, move, bar - n->f->static_eval))
            continue;
        Undo undo;
        thread_make(t, move, n->ply, &undo);
        *score = -qsearch(t, -bar, -bar + 1, n->ply + 1);
        if (*score >= bar && depth > 1)
            *score = -search_node(t, -bar, -bar + 1, depth - 1, n->ply + 1, !n->cut);
        thread_unmake(t, move, &undo);
        if (search_stopped(t))
            return true;
        if (*score < bar)
            continue;
        n->best = *score;
        n->best_move = move;
        store_node(n, depth, BOUND_LOWER);
        if (!search_is_mate(*score))
            *score -= bar - n->beta;
        return true;
    }
    return false;
}

/* What the static evaluation alone says of a null-window node; true with *score to return. */
static bool prune_node(Node *n, int *score) {
    if (n->pv || n->in_check || n->f->excluded != MOVE_NONE || n->beta <= -SCORE_MATE_IN_MAX ||
        n->beta >= SCORE_MATE_IN_MAX)
        return false;
    if (n->depth <= RFP_MAX_DEPTH && n->eval - RFP_MARGIN * (n->depth - n->improving) >= n->beta) {
        *score = (n->eval + n->beta) / 2;
        return true;
    }
    if (n->depth <= RAZOR_MAX_DEPTH && n->eval + RAZOR_BASE + RAZOR_MARGIN * n->depth <= n->alpha) {
        *score = qsearch(n->t, n->alpha, n->beta, n->ply);
        if (*score <= n->alpha)
            return true;
    }
    return null_move_fails_high(n, score) || probcut(n, score);
}

/* Does the alternative to the hash move fall so far behind it that it deserves more depth? The
 * extension in plies, negative when it deserves less; true with *score when several moves are good
 * enough for a cutoff. */
static bool singular(Node *n, Move move, int *extension, int *score) {
    SearchThread *t = n->t;
    *extension = 0;
    if (n->root || n->depth < SINGULAR_MIN_DEPTH || move != n->hash || !n->hit ||
        n->f->excluded != MOVE_NONE || n->table_score == SCORE_NONE ||
        search_is_mate(n->table_score) || !(n->entry.bound & BOUND_LOWER) ||
        n->entry.depth < n->depth - SINGULAR_TABLE_LAG || n->ply >= 2 * t->root_depth)
        return false;
    int limit = n->table_score - SINGULAR_MARGIN * n->depth;
    n->f->excluded = move;
    int value = search_node(t, limit - 1, limit, (n->depth - 1) / 2, n->ply, n->cut);
    n->f->excluded = MOVE_NONE;
    if (search_stopped(t))
        return false;
    if (value < limit) {
        bool twice = !n->pv && value < limit - SINGULAR_DOUBLE && n->f->extensions < SINGULAR_MOST;
        *extension = twice ? 2 : 1;
        return false;
    }
    if (limit >= n->beta) {
        *score = limit;
        return true;
    }
    if (n->table_score >= n->beta)
        *extension = -2;
    else if (n->cut)
        *extension = -1;
    return false;
}

/* The history that the reduction rules read. */
static int reduction_history(const Node *n, const Candidate *c) {
    const SearchThread *t = n->t;
    switch (LMR_HIST_SOURCE) {
    case LMR_HIST_SOURCE_PIECE_SQUARE:
        return lmr_history_get(&t->lmr_history, c->piece, move_to(c->move));
    case LMR_HIST_SOURCE_MAIN:
        return c->noisy ? 0 : history_quiet(&t->history, &t->pos, c->move);
    case LMR_HIST_SOURCE_MAIN_CONT:
        return c->noisy ? 0 : c->history;
    default:
        return 0;
    }
}

/* The relative rank 1..8 a pawn reaches, 0 for a piece. */
static int pawn_rank(const Position *pos, Piece piece, Move move) {
    if (piece_type(piece) != PAWN)
        return 0;
    return 1 + square_rank(square_relative(pos->stm, move_to(move)));
}

/* The facts that cost something to find. */
static void look_closely(const Node *n, const Picker *picker, Move move, LmrMove *facts) {
    const Position *pos = &n->t->pos;
    const Frame *f = n->f;
    if (lmr_needs_see(facts->capture, facts->gives_check)) {
        if (!n->root && picker->given == PICK_GOOD_NOISY)
            facts->see_good = true;
        else if (n->root || picker->given != PICK_BAD_NOISY)
            facts->see_good = see_at_least(pos, move, 0);
    }
    facts->static_eval = f->static_eval;
    facts->correction = f->static_eval - f->raw_eval;
    if (lmr_needs_capture_history() && facts->capture)
        facts->capture_history = history_capture(&n->t->history, pos, move);
    facts->eval_known = f->static_eval != SCORE_NONE;
    if (lmr_needs_eval()) {
        facts->eval = f->eval;
        facts->eval_from = LMR_EVAL_REFERENCE == LMR_EVAL_REFERENCE_NODE ? facts_turned(f[-1].eval)
                           : LMR_EVAL_REFERENCE == LMR_EVAL_REFERENCE_TWO_AGO ? f[-2].eval
                                                                              : f->eval;
        facts->eval_to = f->eval;
    }
    if (lmr_may_reduce(facts->depth, facts->number))
        facts_of_move(pos, move, facts);
}

/* Finds out about the move in turn all that pruning and reduction ask. */
static void look_at(Node *n, const Picker *picker, Move move, const RootMove *root, Candidate *c) {
    SearchThread *t = n->t;
    const Position *pos = &t->pos;
    const Move *killer = killers(n);
    bool promotion = move_kind(move) == MOVE_PROMOTION;
    c->move = move;
    c->piece = pos->board[move_from(move)];
    c->noisy = move_is_noisy(pos, move);
    c->history = c->noisy ? 0 : history_quiet_full(&t->history, &n->continuations, pos, move);
    c->facts = (LmrMove){.depth = n->depth,
                         .number = n->number,
                         .ply = n->ply,
                         .root = n->root,
                         .pv = n->pv,
                         .alpha_raised = n->alpha > n->old_alpha,
                         .cut = n->cut,
                         .in_check = n->in_check,
                         .improving = n->improving,
                         .tt_pv = n->tt_pv,
                         .tt_capture = n->hash_noisy,
                         .tt_deep = n->hit && n->entry.depth >= n->depth,
                         .tt_hit_move = n->hash != MOVE_NONE,
                         .iteration = t->root_depth,
                         .alpha = n->alpha,
                         .window = n->beta - n->alpha,
                         .root_window = t->root_window,
                         .child_cutoffs = n->f[1].cutoffs,
                         .hash_move = move == n->hash,
                         .capture = move_is_capture(pos, move),
                         .promotion = promotion,
                         .queen_promotion = promotion && move_promotion(move) == QUEEN,
                         .gives_check = move_gives_check(pos, move),
                         .killer = move == killer[0] || move == killer[1],
                         .counter = move == picker->counter,
                         .ever_best = root && root->ever_best,
                         .pawn_rank = pawn_rank(pos, c->piece, move)};
    c->facts.history = reduction_history(n, c);
    if (n->depth >= LMR_MIN_DEPTH)
        look_closely(n, picker, move, &c->facts);
    c->reduction = lmr_reduction(&c->facts);
}

/* Is the move in turn not worth searching at all? May also tell the picker to leave out the quiet
 * moves that are to come. */
static bool prune_move(Node *n, Picker *picker, const Candidate *c) {
    const Position *pos = &n->t->pos;
    if (n->root || n->best <= -SCORE_MATE_IN_MAX || !position_has_pieces(pos, pos->stm))
        return false;
    int depth = LMR_PRUNE_DEPTH ? n->depth - c->reduction : n->depth;
    if (c->noisy)
        return depth <= SEE_MAX_DEPTH && picker->given == PICK_BAD_NOISY &&
               !see_at_least(pos, c->move, -SEE_NOISY_MARGIN * depth);
    /* A move this late is reduced as a rule: the first ply says nothing of it. */
    int late_depth = depth + (LMR_PRUNE_DEPTH && c->reduction > 0);
    if (n->number > (LATE_BASE + LATE_FACTOR * late_depth * late_depth) / (2 - n->improving)) {
        picker->skip_quiets = late_depth >= n->depth;
        return true;
    }
    if (depth <= FUTILITY_MAX_DEPTH && !n->in_check && !c->facts.gives_check &&
        n->f->static_eval + FUTILITY_BASE + FUTILITY_MARGIN * depth <= n->alpha) {
        picker->skip_quiets = true;
        return true;
    }
    if (depth <= HISTORY_PRUNE_DEPTH && c->history < -HISTORY_PRUNE_MARGIN * depth)
        return true;
    return depth <= SEE_MAX_DEPTH && !see_at_least(pos, c->move, -SEE_QUIET_MARGIN * depth * depth);
}

/* What STATS counts of one searched move. */
static void count_move(Node *n, const Candidate *c, const LmrPlan *plan, int score) {
    LmrStats *stats = &n->t->stats;
    stats->moves++;
    stats->deep_moves += n->depth >= LMR_MIN_DEPTH;
    if (c->reduction <= 0)
        return;
    stats->reduced++;
    stats->reduction_sum += (uint64_t)c->reduction;
    if (stats->reduction_max < (uint64_t)c->reduction)
        stats->reduction_max = (uint64_t)c->reduction;
    stats->researched += plan->researches > 0;
    stats->research_held += plan->researches > 0 && score > n->alpha;
    stats->reduced_accepted += plan->researches == 0 && score > n->alpha;
}

/* A quiet move whose reduction was taken back: was that worth it? */
static void learn_from_research(Node *n, Move move, int score) {
    int bonus = history_bonus(n->depth);
    if (search_stopped(n->t) || (score > n->alpha && score < n->beta))
        return;
    history_update_continuations(&n->continuations, &n->t->pos, move,
                                 score >= n->beta ? bonus : -bonus);
}

/* Plays the move, searches it as the plan says and as often as the plan says, takes it back. */
static int search_move(Node *n, const Candidate *c, int extension) {
    SearchThread *t = n->t;
    Undo undo;
    LmrPlan plan;
    int score;
    int full_depth = n->depth - 1 + extension - lmr_trim(&c->facts, c->reduction);
    lmr_plan_first(&plan, full_depth, c->reduction, n->number == 1 || !LMR_PVS, n->pv);
    n->f[1].extensions = n->f->extensions + (extension > 1);
    thread_make(t, c->move, n->ply, &undo);
    do {
        n->f->reduction = plan.reduced ? c->reduction : 0;
        int low = plan.full_window ? -n->beta : -n->alpha - 1;
        bool child_cut = low == -n->beta && n->pv ? false : plan.reduced || n->pv || !n->cut;
        score = -search_node(t, low, -n->alpha, plan.depth, n->ply + 1, child_cut);
    } while (!search_stopped(t) && lmr_plan_next(&plan, score, n->alpha, n->beta, n->best));
    thread_unmake(t, c->move, &undo);
    if (LMR_POST_HISTORY && c->reduction > 0 && plan.researches > 0 && !c->noisy)
        learn_from_research(n, c->move, score);
    if (LMR_STATS)
        count_move(n, c, &plan, score);
    return score;
}

/* Writes the line through `move` into the frame. */
static void keep_pv(Node *n, Move move) {
    const Frame *child = n->f + 1;
    n->f->pv[0] = move;
    n->f->pv_length = 1 + child->pv_length;
    for (int i = 0; i < child->pv_length; i++)
        n->f->pv[i + 1] = child->pv[i];
}

/* What a searched root move is worth; moves that do not raise alpha keep no score. */
static void note_root_move(Node *n, RootMove *root, Move move, int score, uint64_t nodes_before) {
    root->nodes += thread_nodes(n->t) - nodes_before;
    if (n->number > 1 && score <= n->alpha) {
        root->score = -SCORE_INFINITE;
        return;
    }
    root->score = score;
    root->ever_best = true;
    root->seldepth = n->t->seldepth;
    const Frame *child = n->f + 1;
    root->pv[0] = move;
    root->pv_length = 1 + child->pv_length;
    for (int i = 0; i < child->pv_length; i++)
        root->pv[i + 1] = child->pv[i];
}

/* The moves of a cutoff: the best one is raised, those tried before it are lowered. */
static void learn(Node *n, const Tried *tried) {
    SearchThread *t = n->t;
    int bonus = history_bonus(n->depth);
    if (!move_is_noisy(&t->pos, n->best_move)) {
        Move *killer = killers(n);
        if (killer[0] != n->best_move) {
            killer[1] = killer[0];
            killer[0] = n->best_move;
        }
        const Frame *before = n->f - 1;
        t->history.counter[before->piece][before->move == MOVE_NULL ? 0 : move_to(before->move)] =
            n->best_move;
        history_update_quiet(&t->history, &n->continuations, &t->pos, n->best_move, bonus);
        for (int i = 0; i < tried->quiet_count; i++)
            history_update_quiet(&t->history, &n->continuations, &t->pos, tried->quiets[i], -bonus);
    } else {
        history_update_capture(&t->history, &t->pos, n->best_move, bonus);
    }
    for (int i = 0; i < tried->noisy_count; i++)
        history_update_capture(&t->history, &t->pos, tried->noisy[i], -bonus);
}

static void remember_tried(Tried *tried, const Candidate *c) {
    if (c->noisy && tried->noisy_count < TRIED_MOST)
        tried->noisy[tried->noisy_count++] = c->move;
    else if (!c->noisy && tried->quiet_count < TRIED_MOST)
        tried->quiets[tried->quiet_count++] = c->move;
}

/* Takes a score in: best, alpha, line. True on a cutoff. */
static bool take_score(Node *n, Move move, int score) {
    if (score <= n->best)
        return false;
    n->best = score;
    if (score <= n->alpha)
        return false;
    n->best_move = move;
    n->best_number = n->number;
    if (n->pv)
        keep_pv(n, move);
    n->alpha = score;
    if (score < n->beta)
        return false;
    n->f->cutoffs++;
    return true;
}

static void init_picker(Node *n, Picker *picker) {
    SearchThread *t = n->t;
    const Frame *before = n->f - 1;
    Square to = before->move == MOVE_NULL ? 0 : move_to(before->move);
    picker_init(picker, &t->pos, &t->history, &n->continuations, n->hash, killers(n),
                t->history.counter[before->piece][to]);
}

/* The next move: at the root from its own list. */
static Move next_move(const Node *n, Picker *picker, RootMove **root) {
    SearchThread *t = n->t;
    if (!n->root)
        return picker_next(picker);
    int index = t->pv_index + n->number;
    *root = index < t->root_count ? &t->root[index] : NULL;
    return *root ? (*root)->move : MOVE_NONE;
}

/* The move loop. False: the search was stopped, or *score holds the node's score already. */
static bool search_moves(Node *n, int *score) {
    SearchThread *t = n->t;
    Tried tried = {.quiet_count = 0, .noisy_count = 0};
    Picker picker;
    RootMove *root = NULL;
    init_picker(n, &picker);
    for (Move move; (move = next_move(n, &picker, &root)) != MOVE_NONE;) {
        if (move == n->f->excluded)
            continue;
        Candidate c;
        int extension;
        n->number++;
        look_at(n, &picker, move, root, &c);
        if (prune_move(n, &picker, &c))
            continue;
        if (singular(n, move, &extension, score))
            return false;
        if (LMR_EX_EXTENDED && extension > 0) {
            c.facts.extended = true;
            c.reduction = lmr_reduction(&c.facts);
        }
        if (n->root)
            iterate_report_move(t, move, t->pv_index + n->number);
        uint64_t nodes_before = thread_nodes(t);
        int alpha_before = n->alpha;
        int best_before = n->best;
        int value = search_stopped(t) ? 0 : search_move(n, &c, extension);
        if (search_stopped(t))
            return false;
        if (n->root)
            note_root_move(n, root, move, value, nodes_before);
        if (LMR_HIST_SOURCE == LMR_HIST_SOURCE_PIECE_SQUARE && !c.facts.capture)
            lmr_history_update(&t->lmr_history, c.piece, move_to(move), n->depth, n->ply, value,
                               alpha_before, best_before, n->beta);
        if (take_score(n, move, value)) {
            learn(n, &tried);
            break;
        }
        if (move != n->best_move)
            remember_tried(&tried, &c);
        if (LMR_ALPHA_RAISE && !n->root && n->alpha > alpha_before)
            n->depth = lmr_depth_after_raise(n->depth);
    }
    return true;
}

/* Tells the correction what a quiet result says of the evaluation: a bound only where it is news.
 */
static void learn_correction(Node *n) {
    const Frame *before = n->f - 1;
    bool noisy = n->best_move != MOVE_NONE && move_is_noisy(&n->t->pos, n->best_move);
    if (n->in_check || noisy || search_is_mate(n->best) ||
        (n->best >= n->beta && n->best <= n->f->static_eval) ||
        (n->best_move == MOVE_NONE && n->best >= n->f->static_eval))
        return;
    history_update_correction(&n->t->history, &n->t->pos, before->piece,
                              before->move == MOVE_NULL ? 0 : move_to(before->move), n->depth,
                              n->best - n->f->static_eval);
}

/* The node with its moves: what is left once nothing decided it at once. */
static int finish_node(Node *n) {
    int score = 0;
    n->best = n->low;
    n->best_move = MOVE_NONE;
    n->number = n->best_number = 0;
    if (LMR_STATS)
        n->t->stats.loop_nodes++;
    if (!search_moves(n, &score))
        return score;
    if (n->number == 0) {
        if (n->f->excluded != MOVE_NONE)
            return n->alpha;
        return n->in_check ? -SCORE_MATE + n->ply : 0;
    }
    if (LMR_STATS && n->depth >= LMR_MIN_DEPTH && n->best_move != MOVE_NONE)
        lmr_stats_best(&n->t->stats, n->best_number, movegen_count(&n->t->pos));
    if (n->best > n->high)
        n->best = n->high;
    if (n->f->excluded == MOVE_NONE && !(n->root && n->t->pv_index > 0)) {
        bool exact = n->pv && (n->best_move != MOVE_NONE || n->best == n->low);
        learn_correction(n);
        store_node(n, n->depth,
                   n->best >= n->beta ? BOUND_LOWER
                   : exact            ? BOUND_EXACT
                                      : BOUND_UPPER);
    }
    return n->best;
}

/* Corrects the depth by what the parent's reduction and both evaluations say. */
static void look_back(Node *n) {
    const Frame *f = n->f;
    if (n->root || n->in_check || f->excluded != MOVE_NONE || f[-1].static_eval == SCORE_NONE)
        return;
    n->depth += lmr_hindsight(f[-1].reduction, f->static_eval + f[-1].static_eval);
    if (n->depth < 1)
        n->depth = 1;
}

int search_node(SearchThread *t, int alpha, int beta, int depth, int ply, bool cut) {
    if (depth <= 0)
        return qsearch(t, alpha, beta, ply);
    Node n;
    int score;
    n.t = t;
    n.f = frame_at(t, ply);
    n.alpha = alpha;
    n.beta = beta;
    n.depth = depth < MAX_PLY ? depth : MAX_PLY - 1;
    n.ply = ply;
    n.root = ply == 0;
    n.pv = beta - alpha > 1;
    if (n.root)
        t->root_window = beta - alpha;
    n.cut = cut;
    n.in_check = position_in_check(&t->pos);
    if (decided(&n, &score))
        return score;
    n.old_alpha = n.alpha;
    open_frames(&n);
    if (table_decides(&n, &score) || tablebase_decides(&n, &score))
        return score;
    evaluate_node(&n);
    if (LMR_HINDSIGHT)
        look_back(&n);
    if (prune_node(&n, &score))
        return score;
    if (n.depth >= IIR_MIN_DEPTH && n.hash == MOVE_NONE && (n.pv || n.cut) &&
        n.f->excluded == MOVE_NONE)
        n.depth--;
    return finish_node(&n);
}
