/* SPDX-License-Identifier: MIT */
/* The arithmetic of reductions: gates, base, terms, clamp, and the plan of the searches. */
#include "lmr/reduction.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum { PLY = 1024 }; /* weights and sums are in 1/1024 ply */

/* What a gate answers. */
enum { GATE_PASS = -1, GATE_EXEMPT = 0, GATE_ONE_PLY = 1 };

/* ln(x) and the base of BASE=table. Filled by lmr_init, constant afterwards. */
enum { LN_SHIFT = 16 };
static int32_t ln_table[LMR_MAX_MOVES];
static int32_t base_table[LMR_MAX_DEPTH + 1][LMR_TABLE_MOVES];

/* ln(x) * 2^LN_SHIFT for x >= 1, by repeated squaring of the mantissa. Integers alone: a C
 * library's log() could change what is searched. */
static int32_t integer_ln(uint32_t x) {
    enum { MANTISSA = 31, LOG_BITS = 24 };
    const uint64_t ln2 = 11629080; /* ln 2 * 2^24 */
    int whole = 0;
    while ((x >> whole) > 1)
        whole++;
    uint64_t mantissa = (uint64_t)x << (MANTISSA - whole);
    uint64_t log2 = (uint64_t)whole << LOG_BITS;
    for (int bit = LOG_BITS - 1; bit >= 0; bit--) {
        mantissa = (mantissa * mantissa) >> MANTISSA;
        if (mantissa >> (MANTISSA + 1)) {
            mantissa >>= 1;
            log2 |= (uint64_t)1 << bit;
        }
    }
    return (int32_t)((log2 * ln2) >> (2 * LOG_BITS - LN_SHIFT));
}

static int bounded(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

/* ln d * ln n * 100 / divisor in 1/1024 ply. */
static int32_t loglog(int depth, int number, int divisor) {
    int64_t product = (int64_t)ln_table[depth] * ln_table[number]; /* 2^(2 LN_SHIFT) a ply */
    return (int32_t)((product * 100 / divisor) >> (2 * LN_SHIFT - 10));
}

/* (ADD_D * ln d + ADD_N * ln n) / 100 in 1/1024 ply. */
static int32_t additive(int depth, int number) {
    int64_t sum = (int64_t)LMR_ADD_D * ln_table[depth] + (int64_t)LMR_ADD_N * ln_table[number];
    return (int32_t)(sum / 100 >> (LN_SHIFT - 10));
}

void lmr_init(void) {
    for (int x = 1; x < LMR_MAX_MOVES; x++)
        ln_table[x] = integer_ln((uint32_t)x);
    for (int depth = 1; depth <= LMR_MAX_DEPTH; depth++) {
        for (int number = 1; number < LMR_TABLE_MOVES; number++)
            base_table[depth][number] = loglog(depth, number, LMR_DIV);
    }
}

/* The chosen formula, before OFFSET and the floors. */
static int base_formula(int depth, int number) {
    switch (LMR_BASE) {
    case LMR_BASE_FIXED:
        return LMR_FIXED_R * PLY;
    case LMR_BASE_ADAPTIVE:
        return depth >= LMR_ADAPT_D && number >= LMR_ADAPT_N ? 2 * PLY : PLY;
    case LMR_BASE_ADDITIVE:
        return additive(depth, number);
    case LMR_BASE_TABLE:
        return base_table[depth][number < LMR_TABLE_MOVES ? number : LMR_TABLE_MOVES - 1];
    case LMR_BASE_HALF:
        return depth * PLY / 2;
    default:
        return loglog(depth, number, LMR_DIV);
    }
}

int lmr_base(int depth, int number) {
    assert(ln_table[2] != 0); /* lmr_init has run */
    depth = bounded(depth, 1, LMR_MAX_DEPTH);
    number = bounded(number, 1, LMR_MAX_MOVES - 1);
    int base = base_formula(depth, number) + LMR_OFFSET;
    if (base < LMR_BASE_MIN * PLY)
        base = LMR_BASE_MIN * PLY;
    int most = depth > 2 ? (depth - 2) * PLY : 0;
    return LMR_BASE_CAP && base > most ? most : base;
}

/* Is the move a capture, and do captures have a base of their own? */
static bool has_own_base(const LmrMove *m) {
    return LMR_NOISY_TABLE == LMR_NOISY_TABLE_OWN && m->capture;
}

/* The base of a move of this kind, in 1/1024 ply. */
static int base_of(const LmrMove *m) {
    if (!has_own_base(m))
        return lmr_base(m->depth, m->number);
    int depth = bounded(m->depth, 1, LMR_MAX_DEPTH);
    int number = bounded(m->number, 1, LMR_MAX_MOVES - 1);
    return loglog(depth, number, LMR_NOISY_DIV);
}

/* value/divisor as ROUND says; divisor > 0. */
static int divide(int value, int divisor) {
    if (LMR_ROUND == LMR_ROUND_NEAREST)
        return (value >= 0 ? value + divisor / 2 : value - divisor / 2) / divisor;
    if (LMR_ROUND == LMR_ROUND_FLOOR && value < 0)
        return -((-value + divisor - 1) / divisor);
    return value / divisor;
}

/* A term in 1/1024 ply, rounded to UNIT steps a ply. */
static int quantized(int term) {
    return LMR_UNIT == PLY ? term : divide(term * LMR_UNIT, PLY);
}

static bool is_pv(const LmrMove *m) {
    return LMR_PV_MEANS == LMR_PV_MEANS_ALPHA_RAISED ? m->alpha_raised : m->pv;
}

static bool capture_is_exempt(const LmrMove *m) {
    if (!m->capture || LMR_CAPTURE == LMR_CAPTURE_ALL)
        return false;
    return LMR_CAPTURE == LMR_CAPTURE_EXEMPT || m->see_good;
}

static bool check_is_exempt(const LmrMove *m) {
    return m->gives_check &&
           (LMR_CHECK == LMR_CHECK_EXEMPT || (LMR_CHECK == LMR_CHECK_GOOD_EXEMPT && m->see_good));
}

/* What exempts a move whatever its costly facts are, and before the search knows whether the move
 * is extended. */
static bool is_exempt_at_once(const LmrMove *m) {
    return (LMR_ROOT_BEST_FROM && m->iteration >= LMR_ROOT_BEST_FROM && m->ever_best) ||
           (LMR_EX_TT && m->hash_move) || (LMR_EX_IN_CHECK && m->in_check) ||
           (LMR_PROMOTION == LMR_PROMOTION_ALL && m->promotion) ||
           (LMR_PROMOTION == LMR_PROMOTION_QUEEN && m->queen_promotion) ||
           (LMR_PAWN_RANK && m->pawn_rank >= LMR_PAWN_RANK) || capture_is_exempt(m) ||
           check_is_exempt(m) || (LMR_KILLER == LMR_KILLER_EXEMPT && m->killer) ||
           (LMR_PV == LMR_PV_EXEMPT && is_pv(m)) ||
           (LMR_EX_HISTORY && m->history >= LMR_EX_HISTORY);
}

static bool is_exempt(const LmrMove *m) {
    return is_exempt_at_once(m) || (LMR_EX_EXTENDED && m->extended) ||
           (LMR_EX_EVAL_ALPHA && m->eval_after > m->alpha) || (LMR_EX_THREAT && m->threat);
}

/* Bad captures and bad checks, where the rule is exactly one ply. */
static bool is_one_ply(const LmrMove *m) {
    return (m->capture && LMR_CAPTURE == LMR_CAPTURE_GOOD_EXEMPT && !m->see_good) ||
           (m->gives_check && LMR_CHECK == LMR_CHECK_GOOD_EXEMPT && !m->see_good);
}

/* The gates. All exemptions come first, whatever their row's place in the table: T2 does not reduce
 * a losing capture while in check, nor a pawn that reaches the sixth rank with a bad check. */
static int gates(const LmrMove *m) {
    if (!lmr_may_reduce(m->depth, m->number) || is_exempt(m))
        return GATE_EXEMPT;
    return is_one_ply(m) ? GATE_ONE_PLY : GATE_PASS;
}

bool lmr_needs_costly_facts(const LmrMove *move) {
    bool may_exempt = LMR_EX_EVAL_ALPHA || LMR_EX_THREAT;
    return lmr_may_reduce(move->depth, move->number) && !is_exempt_at_once(move) &&
           (may_exempt || !is_one_ply(move));
}

/* T2's eight steps: each that is passed adds its weight. */
static int history_steps(int history) {
    int sum = 0;
    sum += history > 0 ? quantized(LMR_W_HP_0) : 0;
    sum += history > 500 ? quantized(LMR_W_HP_500) : 0;
    sum += history > 1000 ? quantized(LMR_W_HP_1000) : 0;
    sum += history > 1500 ? quantized(LMR_W_HP_1500) : 0;
    sum += history < 0 ? quantized(LMR_W_HN_0) : 0;
    sum += history < -500 ? quantized(LMR_W_HN_500) : 0;
    sum += history < -1000 ? quantized(LMR_W_HN_1000) : 0;
    sum += history < -1500 ? quantized(LMR_W_HN_1500) : 0;
    return sum;
}

/* The sum so far, changed by history as HIST_RULE says; both in UNIT steps. */
static int with_history(int sum, int history) {
    if (LMR_HIST_SOURCE == LMR_HIST_SOURCE_NONE)
        return sum;
    switch (LMR_HIST_RULE) {
    case LMR_HIST_RULE_T0:
        if (history > LMR_HIST_HI)
            return sum - quantized(PLY);
        return history < LMR_HIST_LO ? sum + quantized(PLY) : sum;
    case LMR_HIST_RULE_T2SIMPLE: /* "in all": it replaces the base */
        if (history < LMR_H_TRIPLE)
            return quantized(3 * PLY);
        return history < LMR_H_DOUBLE ? quantized(2 * PLY) : sum;
    case LMR_HIST_RULE_T2ADVANCED:
        return sum + history_steps(history);
    case LMR_HIST_RULE_LINEAR:
        return sum + quantized(-(int)((int64_t)history * PLY / LMR_HIST_DIV));
    default:
        return sum;
    }
}

/* The weights that depend on yes-or-no facts, in UNIT steps. */
static int weights(const LmrMove *m) {
    int sum = 0;
    if (LMR_PV == LMR_PV_BY_WEIGHT && is_pv(m))
        sum += quantized(LMR_W_PV);
    if (LMR_W_CUT && m->cut)
        sum += quantized(LMR_W_CUT);
    if (LMR_KILLER == LMR_KILLER_BY_WEIGHT && m->killer)
        sum += quantized(LMR_W_KILLER);
    if (LMR_CHECK == LMR_CHECK_BY_WEIGHT && m->gives_check)
        sum += quantized(LMR_W_CHECK);
    if (LMR_W_IMPROVING && m->improving)
        sum += quantized(LMR_W_IMPROVING);
    if (LMR_W_NOT_IMPROVING && !m->improving)
        sum += quantized(LMR_W_NOT_IMPROVING);
    return sum;
}

/* T2's steps that compare two evaluations. */
static int comparing_steps(const LmrEval *from, const LmrEval *to) {
    int sum = 0;
    if (!from->known || !to->known)
        return 0;
    int rise = to->total - from->total;
    int placed = LMR_S9_POSITIONAL ? rise - (to->material - from->material) : rise;
    if (LMR_S7_PASSER && to->passed - from->passed >= LMR_S7_MARGIN)
        sum += quantized(LMR_S7_PASSER);
    if (LMR_S8_KING && to->king - from->king >= LMR_S8_MARGIN)
        sum += quantized(LMR_S8_KING);
    if (LMR_S9_UP && placed >= LMR_S9_MARGIN)
        sum += quantized(LMR_S9_UP);
    if (LMR_S10_DOWN && -rise >= LMR_S10_MARGIN)
        sum += quantized(LMR_S10_DOWN);
    return sum;
}

/* T2's steps 3 to 10 and 12; history is 1 and 2, killers 11. */
static int steps(const LmrMove *m) {
    int sum = 0;
    if (LMR_S3_EVAL_ALPHA && m->eval_known && m->static_eval - LMR_S3_MARGIN > m->alpha)
        sum += quantized(LMR_S3_EVAL_ALPHA);
    if (LMR_S4_POSITIONAL && m->eval.known && m->eval.total - m->eval.material > LMR_S4_MARGIN)
        sum += quantized(LMR_S4_POSITIONAL);
    if (LMR_S5_THREAT && m->see_good && m->threat)
        sum += quantized(LMR_S5_THREAT);
    if (LMR_S6_ESCAPE && m->see_good && m->escape)
        sum += quantized(LMR_S6_ESCAPE);
    if (lmr_compares())
        sum += comparing_steps(&m->eval_from, &m->eval_to);
    if (LMR_S12_PST && m->placement_gain >= LMR_S12_MARGIN)
        sum += quantized(LMR_S12_PST);
    return sum;
}

/* The weights of T4's counter and of today's engines. */
static int modern_weights(const LmrMove *m) {
    int sum = 0;
    if (LMR_W_CUTOFF && m->child_cutoffs > LMR_CUTOFF_MIN)
        sum += quantized(LMR_W_CUTOFF);
    if (LMR_W_TT_PV && m->tt_pv)
        sum += quantized(LMR_W_TT_PV);
    if (LMR_W_TT_DEPTH && m->tt_deep)
        sum += quantized(LMR_W_TT_DEPTH);
    if (LMR_W_TT_CAPTURE && m->tt_capture)
        sum += quantized(LMR_W_TT_CAPTURE);
    if (LMR_W_CUT_NO_TT && m->cut && !m->tt_hit_move)
        sum += quantized(LMR_W_CUT_NO_TT);
    if (LMR_W_COUNTERMOVE && m->counter)
        sum += quantized(LMR_W_COUNTERMOVE);
    if (LMR_W_ESCAPE_SEE && m->escapes_see)
        sum += quantized(LMR_W_ESCAPE_SEE);
    if (LMR_W_KING_EVADE && m->king_evades)
        sum += quantized(LMR_W_KING_EVADE);
    if (LMR_W_FEW_PIECES && m->few_pieces)
        sum += quantized(LMR_W_FEW_PIECES);
    return sum;
}

/* Terms that grow with a number. */
static int measured_terms(const LmrMove *m) {
    int sum = 0;
    if (LMR_MOVE_COUNT)
        sum += quantized(-LMR_MOVE_COUNT * m->number);
    /* The centipawns that are worth a ply; 0 is off. A variable, so that no compiler sees a
     * division by the constant 0. */
    int a_ply = LMR_W_CORRECTION;
    if (a_ply > 0)
        sum += quantized(-abs(m->correction) * PLY / a_ply);
    if (LMR_ROOT_DELTA)
        sum += quantized(-(int)((int64_t)LMR_ROOT_DELTA * bounded(m->window, 0, m->root_window) /
                                m->root_window));
    return sum;
}

/* Base and history, in UNIT steps. */
static int base_and_history(const LmrMove *m) {
    int base = quantized(base_of(m));
    if (has_own_base(m))
        return base + quantized(-(int)((int64_t)m->capture_history * PLY / LMR_CAPHIST_DIV));
    return with_history(base, m->history);
}

/* The clamp, and the root's cap: R >= 0 (or -ALLOW_EXTEND) and d-1-R >= MIN_REDUCED_DEPTH. */
static int clamped(const LmrMove *m, int reduction) {
    int most = m->depth - 1 - LMR_MIN_REDUCED_DEPTH;
    if (LMR_ROOT_MAX && m->root && most > LMR_ROOT_MAX)
        most = LMR_ROOT_MAX;
    most = most < 0 ? 0 : most;
    if (reduction > most)
        reduction = most;
    return reduction < -LMR_ALLOW_EXTEND ? -LMR_ALLOW_EXTEND : reduction;
}

int lmr_reduction(const LmrMove *move) {
    assert(move->depth >= 1 && move->number >= 1);
    assert(!LMR_ROOT_DELTA || move->root_window > 0);
    int gate = gates(move);
    if (gate != GATE_PASS)
        return clamped(move, gate);
    int sum = base_and_history(move) + weights(move) + steps(move) + modern_weights(move) +
              measured_terms(move);
    if (LMR_ALLNODE_SCALE && !move->pv && !move->cut)
        sum += divide(sum * LMR_ALLNODE_SCALE, 100);
    sum = LMR_PERCENT == 100 ? sum : divide(sum * LMR_PERCENT, 100);
    return clamped(move, divide(sum, LMR_UNIT));
}

int lmr_trim(const LmrMove *move, int reduction) {
    enum { ONE_ABOVE = 3 * PLY, TWO_ABOVE = 4 * PLY };
    if (!LMR_SKIP_REDUCE || !LMR_ENABLE || reduction > 0 || move->depth < LMR_MIN_DEPTH)
        return 0;
    int base = base_of(move);
    return bounded((base > ONE_ABOVE) + (base > TWO_ABOVE), 0, bounded(move->depth - 2, 0, 2));
}

int lmr_hindsight(int reduction, int swing) {
    enum { DEEPER_FROM = 3, MUCH = 170 };
    if (!LMR_HINDSIGHT || reduction <= 0)
        return 0;
    if (reduction >= DEEPER_FROM && swing <= 0)
        return 1;
    return swing > MUCH ? -1 : 0;
}

int lmr_depth_after_raise(int depth) {
    return LMR_ENABLE && depth > LMR_ALPHA_RAISE + 1 ? depth - LMR_ALPHA_RAISE : depth;
}

void lmr_plan_first(LmrPlan *plan, int full_depth, int reduction, bool first, bool pv) {
    /* What extends the first search extends those that follow it. */
    if (reduction < 0) {
        full_depth -= reduction;
        reduction = 0;
    }
    *plan = (LmrPlan){.depth = full_depth - reduction,
                      .full_depth = full_depth,
                      .reduced = reduction > 0,
                      .pv = pv};
    plan->full_window = first || LMR_RESEARCH == LMR_RESEARCH_T0BASIC;
}

/* Plans one more search and says so. */
static bool again(LmrPlan *plan, int depth, bool full_window) {
    plan->depth = depth;
    plan->full_window = full_window;
    plan->reduced = false;
    plan->researches++;
    return true;
}

/* The depth of the search that follows a reduced one which failed high: a ply more when it beat the
 * best by far, a ply less when by next to nothing. */
static int research_depth(const LmrPlan *plan, int score, int best) {
    if (LMR_DEEPER_MARGIN && score > best + LMR_DEEPER_MARGIN)
        return plan->full_depth + 1;
    if (LMR_SHALLOWER_MARGIN && score < best + LMR_SHALLOWER_MARGIN)
        return plan->full_depth - 1;
    return plan->full_depth;
}

bool lmr_plan_next(LmrPlan *plan, int score, int alpha, int beta, int best) {
    enum { RESEARCHES_MAX = 2 }; /* null window at full depth, then the full window */
    assert(alpha < beta && plan->researches <= RESEARCHES_MAX);
    if (score <= alpha)
        return false;
    bool narrow = plan->reduced && !plan->full_window;
    if (narrow && LMR_RESEARCH == LMR_RESEARCH_ACCEPT)
        return false;
    if (narrow && LMR_RESEARCH == LMR_RESEARCH_T0PVS)
        return score < beta && again(plan, plan->full_depth, true);
    if (narrow && LMR_RESEARCH == LMR_RESEARCH_PVS)
        plan->full_depth = research_depth(plan, score, best);
    /* SHALLOWER_MARGIN may have left no depth to give back. */
    if (plan->reduced && plan->full_depth > plan->depth)
        return again(plan, plan->full_depth, plan->full_window);
    return plan->pv && !plan->full_window && score < beta && again(plan, plan->full_depth, true);
}
