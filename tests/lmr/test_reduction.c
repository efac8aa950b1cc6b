/* SPDX-License-Identifier: MIT */
/* The reduction room as this build has it: tables, the plan of searches, H, the counters. */
#include <math.h>
#include <stdlib.h>

#include "lmr/history.h"
#include "lmr/reduction.h"
#include "lmr/statistics.h"
#include "runner.h"

START_TEST(the_integer_logarithm_agrees_with_the_library) {
    if (LMR_BASE != LMR_BASE_LOGLOG || LMR_BASE_MIN || LMR_BASE_CAP)
        return;
    for (int d = 1; d <= LMR_MAX_DEPTH; d++) {
        for (int n = 1; n < LMR_MAX_MOVES; n++) {
            double exact = log(d) * log(n) * 100 / LMR_DIV * 1024 + LMR_OFFSET;
            ck_assert_msg(fabs(exact - lmr_base(d, n)) < 2, "(%d,%d): %d, exactly %f", d, n,
                          lmr_base(d, n), exact);
        }
    }
}
END_TEST

START_TEST(no_reduction_leaves_its_limits) {
    srand(1);
    for (int i = 0; i < 200000; i++) {
        LmrMove m = {.depth = 1 + rand() % 127,
                     .number = 1 + rand() % 250,
                     .pv = rand() & 1,
                     .cut = rand() & 1,
                     .improving = rand() & 1,
                     .capture = rand() % 4 == 0,
                     .gives_check = rand() % 8 == 0,
                     .killer = rand() % 8 == 0,
                     .tt_pv = rand() & 1,
                     .tt_capture = rand() & 1,
                     .child_cutoffs = rand() % 10,
                     .window = 1 + rand() % 50,
                     .root_window = 50,
                     .history = rand() % 120000 - 60000};
        int r = lmr_reduction(&m);
        int most = m.depth - 1 - LMR_MIN_REDUCED_DEPTH;
        ck_assert_int_ge(r, -LMR_ALLOW_EXTEND);
        ck_assert_int_le(r, most > 0 ? most : 0);
        if (!LMR_ENABLE || m.depth < LMR_MIN_DEPTH || m.number <= LMR_FULL_MOVES)
            ck_assert_int_eq(r, 0);
    }
}
END_TEST

START_TEST(a_failed_reduced_search_is_done) {
    LmrPlan plan;
    lmr_plan_first(&plan, 9, 3, false, true);
    ck_assert_int_eq(plan.depth, 6);
    ck_assert(!lmr_plan_next(&plan, 10, 10, 50, 5));
    ck_assert_int_eq(plan.researches, 0);
}
END_TEST

START_TEST(pvs_searches_again_at_full_depth_and_then_with_the_full_window) {
    if (LMR_RESEARCH != LMR_RESEARCH_PVS)
        return;
    /* Beats the best by too little for a ply more, and by too much for a ply less. */
    int best = 20 - LMR_SHALLOWER_MARGIN;
    LmrPlan plan;
    lmr_plan_first(&plan, 9, 3, false, true);
    ck_assert(!plan.full_window);
    ck_assert(lmr_plan_next(&plan, 20, 10, 50, best));
    ck_assert_int_eq(plan.depth, 9);
    ck_assert(!plan.full_window);
    ck_assert(lmr_plan_next(&plan, 20, 10, 50, best));
    ck_assert_int_eq(plan.depth, 9);
    ck_assert(plan.full_window);
    ck_assert(!lmr_plan_next(&plan, 20, 10, 50, best));
    ck_assert_int_eq(plan.researches, 2);
}
END_TEST

START_TEST(a_null_window_node_never_opens_its_window) {
    LmrPlan plan;
    lmr_plan_first(&plan, 9, 3, false, false);
    for (int i = 0; i < 4 && lmr_plan_next(&plan, 11, 10, 11, 5); i++)
        ck_assert(!plan.full_window || LMR_RESEARCH == LMR_RESEARCH_T0BASIC);
    ck_assert_int_le(plan.researches, 1);
}
END_TEST

START_TEST(an_extended_move_stays_extended_when_it_is_searched_again) {
    if (LMR_RESEARCH != LMR_RESEARCH_PVS)
        return;
    LmrPlan plan;
    lmr_plan_first(&plan, 5, -1, false, true);
    ck_assert(!plan.full_window && !plan.reduced);
    ck_assert_int_eq(plan.depth, 6);
    ck_assert(lmr_plan_next(&plan, 30, 10, 100, 10));
    ck_assert(plan.full_window);
    ck_assert_int_eq(plan.depth, 6);
}
END_TEST

START_TEST(the_first_move_is_searched_with_the_window_of_the_node) {
    LmrPlan plan;
    lmr_plan_first(&plan, 9, 0, true, true);
    ck_assert(plan.full_window);
    ck_assert(!lmr_plan_next(&plan, 30, 10, 50, 5));
    lmr_plan_first(&plan, 9, 2, true, true);
    ck_assert_int_eq(plan.depth, 7);
    ck_assert(lmr_plan_next(&plan, 30, 10, 50, 5)); /* reduced and failed high: again, whole */
    ck_assert_int_eq(plan.depth, 9);
    ck_assert(plan.full_window);
    ck_assert(!lmr_plan_next(&plan, 30, 10, 50, 5));
}
END_TEST

START_TEST(margins_move_the_depth_of_the_second_search) {
    if (LMR_RESEARCH != LMR_RESEARCH_PVS)
        return;
    LmrPlan plan;
    lmr_plan_first(&plan, 9, 3, false, false);
    ck_assert(lmr_plan_next(&plan, 1000, 10, 11, -1000));
    ck_assert_int_eq(plan.depth, LMR_DEEPER_MARGIN ? 10 : 9);
    lmr_plan_first(&plan, 9, 3, false, false);
    ck_assert(lmr_plan_next(&plan, 11, 10, 11, 10));
    ck_assert_int_eq(plan.depth, LMR_SHALLOWER_MARGIN > 1 ? 8 : 9);
}
END_TEST

START_TEST(h_rises_with_the_square_of_the_depth_and_falls_with_the_depth) {
    LmrHistory h;
    lmr_history_clear(&h);
    lmr_history_update(&h, 2, 20, 7, 1, 500, 0, 0, 100); /* above alpha, best and beta */
    ck_assert_int_eq(lmr_history_get(&h, 2, 20), 49);
    lmr_history_update(&h, 2, 20, 7, LMR_H_MAX_PLY, -500, 0, 0, 100);
    ck_assert_int_eq(lmr_history_get(&h, 2, 20), 42);
    lmr_history_update(&h, 2, 20, 7, LMR_H_MAX_PLY + 1, 500, 0, 0, 100);
    ck_assert_int_eq(lmr_history_get(&h, 2, 20), 42);
    for (int i = 0; i < 1000; i++) {
        lmr_history_update(&h, 2, 20, 30, 1, 500, 0, 0, 100);
        lmr_history_update(&h, 3, 20, 30, 1, -500, 0, 0, 100);
    }
    ck_assert_int_lt(lmr_history_get(&h, 2, 20), LMR_H_LIMIT);
    ck_assert_int_gt(lmr_history_get(&h, 3, 20), -LMR_H_LIMIT);
    ck_assert_int_eq(lmr_history_get(&h, 2, 21), 0);
}
END_TEST

START_TEST(a_move_is_counted_by_what_became_of_it) {
    enum { DEEP = LMR_STATS_INDEX_MAX };
    LmrStats stats = {.best_nodes = 0};
    lmr_stats_move(&stats, LMR_NODE_CUT, DEEP, 0, 0, true);  /* not reduced */
    lmr_stats_move(&stats, LMR_NODE_CUT, DEEP, 2, 0, false); /* failed low */
    lmr_stats_move(&stats, LMR_NODE_CUT, DEEP, 3, 1, true);  /* searched again, and held */
    lmr_stats_move(&stats, LMR_NODE_CUT, DEEP, 1, 2, false); /* searched again for nothing */
    lmr_stats_move(&stats, LMR_NODE_CUT, DEEP, 1, 0, true);  /* accepted as reduced */
    lmr_stats_move(&stats, LMR_NODE_PV, 0, 0, 0, false);     /* too shallow to be reduced */
    const LmrMoveCounts *cut = &stats.moves[LMR_NODE_CUT];
    ck_assert_uint_eq(cut->moves, 5);
    ck_assert_uint_eq(cut->deep_moves, 5);
    ck_assert_uint_eq(cut->reduced, 4);
    ck_assert_uint_eq(cut->reduction_sum, 7);
    ck_assert_uint_eq(cut->reduction_max, 3);
    ck_assert_uint_eq(cut->researched, 2);
    ck_assert_uint_eq(cut->research_held, 1);
    ck_assert_uint_eq(cut->accepted, 1);
    ck_assert_uint_eq(stats.moves[LMR_NODE_PV].moves, 1);
    ck_assert_uint_eq(stats.moves[LMR_NODE_PV].deep_moves, 0);
    ck_assert_uint_eq(stats.moves[LMR_NODE_ALL].moves, 0);
}
END_TEST

START_TEST(counters_add_up) {
    LmrStats one = {.moves = {[LMR_NODE_ALL] = {.moves = 100, .reduction_max = 5}}};
    lmr_stats_best(&one, 1, 30);
    lmr_stats_best(&one, 6, 30);
    lmr_stats_best(&one, 7, 30);
    lmr_stats_best(&one, 200, 210);
    LmrStats sum = {.moves = {[LMR_NODE_ALL] = {.reduction_max = 3}}};
    lmr_stats_add(&sum, &one);
    lmr_stats_add(&sum, &one);
    ck_assert_uint_eq(sum.moves[LMR_NODE_ALL].moves, 200);
    ck_assert_uint_eq(sum.moves[LMR_NODE_ALL].reduction_max, 5);
    ck_assert_uint_eq(sum.best_nodes, 8);
    ck_assert_uint_eq(sum.best_at[1], 2);
    ck_assert_uint_eq(sum.best_at[LMR_STATS_INDEX_MAX], 2);
    ck_assert_uint_eq(sum.best_first_fifth, 4);
    ck_assert_uint_eq(sum.best_first_tenth, 2);
}
END_TEST

START_TEST(parts_of_the_legal_moves_are_rounded_up) {
    LmrStats stats = {.best_nodes = 0};
    lmr_stats_best(&stats, 3, 11); /* 2.2 moves are a fifth */
    ck_assert_uint_eq(stats.best_first_fifth, 1);
    lmr_stats_best(&stats, 4, 11);
    ck_assert_uint_eq(stats.best_first_fifth, 1);
    lmr_stats_best(&stats, 2, 11); /* 1.1 moves are a tenth */
    ck_assert_uint_eq(stats.best_first_tenth, 1);
    lmr_stats_best(&stats, 3, 11);
    ck_assert_uint_eq(stats.best_first_tenth, 1);
}
END_TEST

static void add_tests(TCase *tcase) {
    tcase_add_test(tcase, the_integer_logarithm_agrees_with_the_library);
    tcase_add_test(tcase, no_reduction_leaves_its_limits);
    tcase_add_test(tcase, a_failed_reduced_search_is_done);
    tcase_add_test(tcase, pvs_searches_again_at_full_depth_and_then_with_the_full_window);
    tcase_add_test(tcase, a_null_window_node_never_opens_its_window);
    tcase_add_test(tcase, an_extended_move_stays_extended_when_it_is_searched_again);
    tcase_add_test(tcase, the_first_move_is_searched_with_the_window_of_the_node);
    tcase_add_test(tcase, margins_move_the_depth_of_the_second_search);
    tcase_add_test(tcase, h_rises_with_the_square_of_the_depth_and_falls_with_the_depth);
    tcase_add_test(tcase, a_move_is_counted_by_what_became_of_it);
    tcase_add_test(tcase, counters_add_up);
    tcase_add_test(tcase, parts_of_the_legal_moves_are_rounded_up);
}

int main(void) {
    lmr_init();
    return run_tests("reduction", add_tests);
}
