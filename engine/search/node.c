/* SPDX-License-Identifier: MIT */
/* One node of the main search: principal variation search. search_node tells the steps of a node in
 * their order. What is pruned stands in prune.c, what is known of a move in candidate.c, how much
 * less deep a move is searched in the lmr room. */
#include "search/node.h"

#include <assert.h>

#include "chess/move.h"
#include "search/facts.h"
#include "search/tablebase.h"

enum { TRIED_MAX = 48 };

/* The moves that were searched before the best one. */
typedef struct {
    int quiet_count, noisy_count;
    Move quiets[TRIED_MAX], noisy[TRIED_MAX];
} Tried;

static void open_node(Node *n, SearchThread *t, int alpha, int beta, int depth, int ply, bool cut);
static bool is_drawn_or_too_deep(const Node *n, int *score);
static bool mate_distance_pruning(Node *n, int *score);
static void open_frames(Node *n);
static bool table_decides(Node *n, int *score);
static bool endgame_tables_decide(Node *n, int *score);
static void evaluate_node(Node *n);
static void look_back(Node *n);
static int internal_iterative_reduction(const Node *n);
static bool moves_decide(Node *n, int *score);
static int score_without_moves(const Node *n);
static void conclude(Node *n);

int search_node(SearchThread *t, int alpha, int beta, int depth, int ply, bool cut) {
    if (depth <= 0)
        return qsearch(t, alpha, beta, ply);
    Node n;
    int score = 0;
    open_node(&n, t, alpha, beta, depth, ply, cut);
    /* 1. The limits of the search, draws, and mates that are nearer. */
    if (!thread_count_node(t))
        return 0;
    if (!n.root && (is_drawn_or_too_deep(&n, &score) || mate_distance_pruning(&n, &score)))
        return score;
    open_frames(&n);
    /* 2. The table may know the answer, and often knows a good move; endgame tables may too. */
    if (table_decides(&n, &score) || endgame_tables_decide(&n, &score))
        return score;
    /* 3. The static evaluation, and whether the side to move is improving. */
    evaluate_node(&n);
    /* 4. The parent's reduction looks right or wrong now that this node is evaluated. */
    look_back(&n);
    /* 5. Scores that are clear without a move of this node. */
    if (node_may_prune(&n) && (reverse_futility(&n, &score) || razoring(&n, &score) ||
                               null_move_pruning(&n, &score) || probcut(&n, &score)))
        return score;
    /* 6. A node without a hash move is searched less deep. */
    n.depth -= internal_iterative_reduction(&n);
    /* 7. The moves: each is pruned, extended or reduced, and searched. */
    if (moves_decide(&n, &score))
        return score;
    if (n.number == 0)
        return score_without_moves(&n);
    /* 8. What the node has learnt goes into the correction of evaluations and into the table. */
    conclude(&n);
    return n.best;
}

static void open_node(Node *n, SearchThread *t, int alpha, int beta, int depth, int ply, bool cut) {
    assert(-SCORE_INFINITE <= alpha && alpha < beta && beta <= SCORE_INFINITE);
    assert(ply >= 0 && ply <= MAX_PLY);
    n->t = t;
    n->f = frame_at(t, ply);
    n->alpha = alpha;
    n->beta = beta;
    n->depth = depth < MAX_PLY ? depth : MAX_PLY - 1;
    n->ply = ply;
    n->root = ply == 0;
    n->pv = beta - alpha > 1;
    n->cut = cut;
    n->in_check = position_in_check(&t->pos);
    n->best = n->low = -SCORE_INFINITE;
    n->high = SCORE_INFINITE;
    n->best_move = MOVE_NONE;
    n->number = n->best_number = 0;
    n->entry = (TtEntry){.bound = BOUND_NONE};
    if (n->f->excluded == MOVE_NONE) /* A singular search leaves the node's line alone. */
        n->f->pv.length = 0;
    if (ply > t->seldepth)
        t->seldepth = ply;
    if (n->root)
        t->root_window = beta - alpha;
    assert(!(n->pv && n->cut));
}

static bool is_drawn_or_too_deep(const Node *n, int *score) {
    SearchThread *t = n->t;
    *score = 0;
    if (thread_is_draw(t, n->ply))
        return true;
    if (n->ply < MAX_PLY)
        return false;
    if (!n->in_check)
        *score = eval_cached(&t->pos, &t->eval_cache);
    return true;
}

/* No line from here can be better than mating at once, or worse than being mated now. */
static bool mate_distance_pruning(Node *n, int *score) {
    int worst = -SCORE_MATE + n->ply;
    int best = SCORE_MATE - n->ply - 1;
    if (n->alpha < worst)
        n->alpha = worst;
    if (n->beta > best)
        n->beta = best;
    *score = n->alpha;
    return n->alpha >= n->beta;
}

/* Makes this ply's frame and those below ready. */
static void open_frames(Node *n) {
    Frame *f = n->f;
    n->old_alpha = n->alpha;
    f->reduction = 0;
    f[1].excluded = MOVE_NONE;
    f[1].cutoffs = 0;
    f[1].extensions = f->extensions;
    f[2].killer[0] = f[2].killer[1] = MOVE_NONE;
}

/* Asks the table; true with *score when its answer is deep enough for a cutoff. A singular search
 * leaves the hash move out, so the table's entry does not answer its question. */
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
    if (!n->hit)
        return false;
    *score = n->table_score = tt_score_out(n->entry.score, n->ply, t->pos.rule50);
    return !n->pv && n->entry.depth >= n->depth &&
           table_cuts(t, *score, n->entry.bound, n->alpha, n->beta);
}

/* Asks the endgame tables; true with *score when what they know answers the question. Else a win or
 * a loss that they know bounds the score: a mate may be found beyond. */
static bool endgame_tables_decide(Node *n, int *score) {
    SearchThread *t = n->t;
    int men = t->search->table_men;
    if (men == 0 || n->root || n->f->excluded != MOVE_NONE ||
        bb_popcount(position_occupied(&t->pos)) > men)
        return false;
    TablebaseResult result = tablebase_probe(&t->pos);
    if (result == TABLEBASE_UNKNOWN)
        return false;
    atomic_fetch_add_explicit(&t->table_hits, 1, memory_order_relaxed);
    bool wins = result == TABLEBASE_WIN;
    bool loses = result == TABLEBASE_LOSS;
    int win = SCORE_TABLES - n->ply;
    *score = wins ? win : loses ? -win : 0;
    n->best = *score;
    if (wins && *score < n->beta) {
        n->low = *score;
        n->alpha = n->alpha > n->low ? n->alpha : n->low;
        return false;
    }
    if (loses && *score > n->alpha) {
        n->high = *score;
        n->best = n->low;
        return false;
    }
    n->f->raw_eval = SCORE_NONE;
    store_node(n, n->depth, wins ? BOUND_LOWER : loses ? BOUND_UPPER : BOUND_EXACT);
    return true;
}

/* Fills the frame's evaluations, `eval` and `improving`. A singular search finds the frame filled
 * by the node around it. The evaluation taken apart waits for a move that asks for it
 * (gather_facts), unless later plies may ask; it means nothing where lmr_needs_eval() is false. */
static void evaluate_node(Node *n) {
    SearchThread *t = n->t;
    Frame *f = n->f;
    bool later_plies_ask = lmr_compares() && LMR_EVAL_REFERENCE != LMR_EVAL_REFERENCE_CHILD;
    n->improving = false;
    if (lmr_needs_eval() && f->excluded == MOVE_NONE)
        f->eval = later_plies_ask ? facts_evaluate(&t->pos, &t->eval_cache) : (LmrEval){0};
    if (n->in_check) {
        f->raw_eval = f->static_eval = n->eval = SCORE_NONE;
        return;
    }
    if (f->excluded == MOVE_NONE)
        thread_evaluate(t, n->ply, n->hit ? &n->entry : NULL);
    n->eval = search_improved_eval(f->static_eval, n->table_score, n->entry.bound);
    int before = f[-2].static_eval != SCORE_NONE ? f[-2].static_eval : f[-4].static_eval;
    n->improving = before == SCORE_NONE || f->static_eval > before;
}

/* Hindsight: corrects the depth by what the parent's reduction and both evaluations say. */
static void look_back(Node *n) {
    const Frame *f = n->f;
    if (!LMR_HINDSIGHT || n->root || n->in_check || f->excluded != MOVE_NONE ||
        f[-1].static_eval == SCORE_NONE)
        return;
    n->depth += lmr_hindsight(f[-1].reduction, f->static_eval + f[-1].static_eval);
    if (n->depth < 1)
        n->depth = 1;
}

/* Without a hash move the order of the moves is a guess, and the search is dear. A search one ply
 * less deep finds a move for the table, and the next visit begins with that move. */
static int internal_iterative_reduction(const Node *n) {
    return n->depth >= SEARCH_IIR_MIN_DEPTH && n->hash == MOVE_NONE && (n->pv || n->cut) &&
           n->f->excluded == MOVE_NONE;
}

/* Mate or stalemate. A singular search that finds no other move fails low. */
static int score_without_moves(const Node *n) {
    if (n->f->excluded != MOVE_NONE)
        return n->alpha;
    return n->in_check ? -SCORE_MATE + n->ply : 0;
}

void store_node(const Node *n, int depth, Bound bound) {
    TtEntry entry = {.move = n->best_move,
                     .score = (int16_t)tt_score_in(n->best, n->ply),
                     .eval = (int16_t)n->f->raw_eval,
                     .depth = (int8_t)depth,
                     .bound = bound,
                     .pv = n->tt_pv};
    assert(-SCORE_MATE <= n->best && n->best <= SCORE_MATE);
    tt_store(&n->t->search->tt, n->t->pos.key, &entry);
}

/* Tells the correction of evaluations what a quiet result says of this one. A bound says something
 * only where the evaluation lies on its wrong side. */
static void learn_correction(const Node *n) {
    bool noisy = n->best_move != MOVE_NONE && move_is_noisy(&n->t->pos, n->best_move);
    if (n->in_check || noisy || search_is_known(n->best) ||
        (n->best >= n->beta && n->best <= n->f->static_eval) ||
        (n->best_move == MOVE_NONE && n->best >= n->f->static_eval))
        return;
    history_update_correction(&n->t->history, &n->t->pos, n->f[-1].piece, n->f[-1].to, n->depth,
                              n->best - n->f->static_eval);
}

/* No move is good enough here, so the quiet move that led here is a good one. */
static void learn_from_fail_low(Node *n) {
    const Frame *before = n->f - 1;
    if (n->root || !before->quiet)
        return;
    Continuations c = frame_continuations(before);
    history_update_continuations(&c, before->piece, before->to,
                                 history_bonus(n->depth) * SEARCH_BONUS_FAIL_LOW / 100);
}

/* A search that leaves moves out does not speak for the position: a singular search, the second
 * line of a MultiPV search, a root of some moves alone. In a singular search the hash move has no
 * number, either. */
static void conclude(Node *n) {
    SearchThread *t = n->t;
    assert(!n->pv || n->best_move == MOVE_NONE || n->f->pv.length > 0);
    if (LMR_STATS && n->depth >= LMR_MIN_DEPTH && n->best_move != MOVE_NONE &&
        n->f->excluded == MOVE_NONE)
        lmr_stats_best(&t->stats, n->best_number, movegen_count(&t->pos));
    if (n->best > n->high)
        n->best = n->high;
    if (n->f->excluded != MOVE_NONE || (n->root && (t->pv_index > 0 || !t->root_whole)))
        return;
    if (n->best_move == MOVE_NONE && n->best != n->low) /* A win that the tables know is no fail. */
        learn_from_fail_low(n);
    bool exact = n->pv && (n->best_move != MOVE_NONE || n->best == n->low);
    learn_correction(n);
    store_node(n, n->depth, n->best >= n->beta ? BOUND_LOWER : exact ? BOUND_EXACT : BOUND_UPPER);
}

/* --- the move loop --- */

/* Is the line already far longer than the iteration is deep? */
static bool is_long(const Node *n) {
    return n->ply >= SEARCH_EXTENSION_LINE_FACTOR * n->t->root_depth;
}

static bool may_extend(const Node *n) {
    return !n->root && !is_long(n);
}

/* Does the hash move stand alone? A search without it, at half the depth and a little below the
 * table's score, tells: the hash move gets more depth when all others fail. Sets *extension, in
 * plies, below 0 when the move deserves less. True with *score when several moves are good enough
 * for a cutoff. */
static bool singular_extension(Node *n, Move move, int *extension, int *score) {
    SearchThread *t = n->t;
    *extension = 0;
    if (!may_extend(n) || n->depth < SEARCH_SINGULAR_MIN_DEPTH || move != n->hash || !n->hit ||
        n->f->excluded != MOVE_NONE || n->table_score == SCORE_NONE ||
        search_is_known(n->table_score) || !(n->entry.bound & BOUND_LOWER) ||
        n->entry.depth < n->depth - SEARCH_SINGULAR_TABLE_LAG)
        return false;
    int limit = n->table_score - SEARCH_SINGULAR_MARGIN * n->depth / 16;
    n->f->excluded = move;
    int value = search_node(t, limit - 1, limit, (n->depth - 1) / 2, n->ply, n->cut);
    n->f->excluded = MOVE_NONE;
    if (search_stopped(t))
        return false;
    if (value < limit) {
        bool twice = !n->pv && value < limit - SEARCH_SINGULAR_DOUBLE &&
                     n->f->extensions < SEARCH_SINGULAR_DOUBLE_MAX;
        *extension = twice ? 2 : 1;
        return false;
    }
    if (limit >= n->beta) {
        *score = limit < n->high ? limit : n->high;
        return true;
    }
    if (n->table_score >= n->beta)
        *extension = -SEARCH_SINGULAR_TABLE_CUTOFF;
    else if (n->cut)
        *extension = -SEARCH_SINGULAR_CUT_NODE;
    return false;
}

/* By how many plies the move is extended, and its reduction where the extension changes it. True
 * with *score when the node is decided. */
static bool decide_extension(Node *n, Candidate *c, int *extension, int *score) {
    if (singular_extension(n, c->move, extension, score))
        return true;
    /* A check costs two plies and seldom changes what the game is about. */
    if (SEARCH_CHECK_EXTENSION && n->in_check && *extension < 1 && may_extend(n))
        *extension = 1;
    if (LMR_EX_EXTENDED && *extension > 0) {
        c->facts.extended = true;
        c->reduction = lmr_reduction(&c->facts);
    }
    /* A reduction below 0 is an extension. */
    if (LMR_ALLOW_EXTEND && c->reduction < 0 && is_long(n))
        c->reduction = 0;
    return false;
}

/* A quiet move whose reduction was taken back: was that worth it? */
static void learn_from_research(Node *n, Move move, int score) {
    int bonus = history_bonus(n->depth);
    if (search_stopped(n->t) || (score > n->alpha && score < n->beta))
        return;
    history_update_continuations(&n->context.continuations, n->t->pos.board[move_from(move)],
                                 move_to(move), score >= n->beta ? bonus : -bonus);
}

/* Is the child expected to be a cut node? A reduced search, and a null window of a PV node, expect
 * that the move fails. Else the child is the opposite of this node. A child with an open window is
 * expected to be neither. */
static bool expects_cut(const Node *n, const LmrPlan *plan) {
    bool open = plan->full_window && n->pv;
    return !open && (plan->reduced || n->pv || !n->cut);
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
    n->f->history = c->noisy ? history_capture(&t->history, &t->pos, c->move) : c->history;
    thread_make(t, c->move, n->ply, &undo);
    do {
        n->f->reduction = plan.reduced ? c->reduction : 0;
        int low = plan.full_window ? -n->beta : -n->alpha - 1;
        score = -search_node(t, low, -n->alpha, plan.depth, n->ply + 1, expects_cut(n, &plan));
    } while (!search_stopped(t) && lmr_plan_next(&plan, score, n->alpha, n->beta, n->best));
    thread_unmake(t, c->move, &undo);
    if (LMR_POST_HISTORY && c->reduction > 0 && plan.researches > 0 && !c->noisy)
        learn_from_research(n, c->move, score);
    if (LMR_STATS)
        lmr_stats_move(&t->stats,
                       n->pv    ? LMR_NODE_PV
                       : n->cut ? LMR_NODE_CUT
                                : LMR_NODE_ALL,
                       n->depth, c->reduction, plan.researches, score > n->alpha);
    return score;
}

/* What a searched root move is worth; moves that do not raise alpha keep no score. */
static void note_root_move(Node *n, RootMove *root, Move move, int score, uint64_t nodes_before) {
    root->nodes += thread_nodes(n->t) - nodes_before;
    if (n->number > 1 && score <= n->alpha) {
        root->score = -SCORE_INFINITE;
        return;
    }
    root->score = score;
    root->bound = score <= n->alpha ? BOUND_UPPER : score >= n->beta ? BOUND_LOWER : BOUND_EXACT;
    root->depth = n->t->root_depth;
    root->ever_best = true;
    root->seldepth = n->t->seldepth;
    line_set(&root->pv, move, &n->f[1].pv);
}

/* The histories after a cutoff: the best move is raised, those tried before it are lowered. */
static void learn_from_cutoff(Node *n, const Tried *tried) {
    SearchThread *t = n->t;
    int bonus = history_bonus(n->depth);
    int malus = history_malus(n->depth);
    if (!move_is_noisy(&t->pos, n->best_move)) {
        Move *killer = n->killer;
        if (killer[0] != n->best_move) {
            killer[1] = killer[0];
            killer[0] = n->best_move;
        }
        t->history.counter[n->f[-1].piece][n->f[-1].to] = n->best_move;
        history_update_quiet(&t->history, &n->context, &t->pos, n->best_move, bonus);
        for (int i = 0; i < tried->quiet_count; i++)
            history_update_quiet(&t->history, &n->context, &t->pos, tried->quiets[i], -malus);
    } else {
        history_update_capture(&t->history, &t->pos, n->best_move, bonus);
    }
    for (int i = 0; i < tried->noisy_count; i++)
        history_update_capture(&t->history, &t->pos, tried->noisy[i], -malus);
}

static void remember_tried(Tried *tried, const Candidate *c) {
    if (c->noisy && tried->noisy_count < TRIED_MAX)
        tried->noisy[tried->noisy_count++] = c->move;
    else if (!c->noisy && tried->quiet_count < TRIED_MAX)
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
        line_set(&n->f->pv, move, &n->f[1].pv);
    n->alpha = score;
    if (score < n->beta)
        return false;
    n->f->cutoffs++;
    return true;
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

/* Takes in what the search of a candidate gave; true on a cutoff. */
static bool learn_from_move(Node *n, Tried *tried, const Candidate *c, int score) {
    SearchThread *t = n->t;
    int old_alpha = n->alpha;
    if (LMR_HIST_SOURCE == LMR_HIST_SOURCE_PIECE_SQUARE && !c->facts.capture)
        lmr_history_update(&t->lmr_history, c->piece, move_to(c->move), n->depth, n->ply, score,
                           old_alpha, n->best, n->beta);
    if (take_score(n, c->move, score)) {
        learn_from_cutoff(n, tried);
        return true;
    }
    if (c->move != n->best_move)
        remember_tried(tried, c);
    if (LMR_ALPHA_RAISE && !n->root && n->alpha > old_alpha)
        n->depth = lmr_depth_after_raise(n->depth);
    return false;
}

/* Searches the moves. True when the node ends here: it has its score because several moves are good
 * enough, or the search was stopped, and no score means anything. */
static bool moves_decide(Node *n, int *score) {
    SearchThread *t = n->t;
    Tried tried;
    Picker picker;
    RootMove *root = NULL;
    tried.quiet_count = tried.noisy_count = 0;
    n->context = thread_history_context(t, n->ply);
    n->killer = LMR_KILLER_KEY == LMR_KILLER_KEY_DEPTH ? t->depth_killers[n->depth] : n->f->killer;
    picker_init(&picker, &t->pos, &t->history, &n->context, n->hash, n->killer,
                t->history.counter[n->f[-1].piece][n->f[-1].to]);
    for (Move move; (move = next_move(n, &picker, &root)) != MOVE_NONE;) {
        if (move == n->f->excluded)
            continue;
        Candidate c;
        int extension;
        n->number++;
        gather_facts(n, &picker, move, root, &c);
        if (move_is_pruned(n, &picker, &c))
            continue;
        if (decide_extension(n, &c, &extension, score))
            return true;
        if (search_stopped(t))
            return true;
        if (n->root)
            report_move(t, move, t->pv_index + n->number);
        uint64_t nodes_before = thread_nodes(t);
        int value = search_move(n, &c, extension);
        if (search_stopped(t))
            return true;
        if (n->root)
            note_root_move(n, root, move, value, nodes_before);
        if (learn_from_move(n, &tried, &c, value))
            break;
    }
    return false;
}
