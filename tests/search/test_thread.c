/* SPDX-License-Identifier: MIT */
/* What the nodes of one thread share: repetitions and node limits. */
#include <string.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "search/context.h"
#include "search/node.h"
#include "runner.h"
#include "tools/position.h"
#include "tools/tables.h"

#define KNIGHT_AND_KINGS "4k2r/8/8/8/8/8/8/R3K1N1 w - - 0 1"
#define NULL_MOVE_WORD "-"

/* The thread of a search whose root is this position. */
static SearchThread *thread_at(Search *search, const char *fen) {
    Position pos = parsed(fen);
    SearchThread *t = search->threads[0];
    iterate_prepare(t, &pos, NULL, 0);
    return t;
}

/* Is the end of the line a draw for the search? "-" is a null move. */
static bool line_is_draw(const char *fen, const char *const *line, int plies) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchThread *t = thread_at(search, fen);
    for (int ply = 0; ply < plies; ply++) {
        Undo undo;
        Move move = move_from_uci(&t->pos, line[ply]);
        bool passes = strcmp(line[ply], NULL_MOVE_WORD) == 0;
        ck_assert_msg(passes || move != MOVE_NONE, "%s is not legal", line[ply]);
        if (passes)
            thread_make_null(t, ply, &undo);
        else
            thread_make(t, move, ply, &undo);
    }
    bool draw = thread_is_draw(t, plies);
    search_free(search);
    return draw;
}

START_TEST(a_position_that_moves_repeat_is_a_draw) {
    const char *line[] = {"g1f3", "e8d8", "f3g1", "d8e8", "g1f3"};
    ck_assert(line_is_draw(KNIGHT_AND_KINGS, line, 5));
}
END_TEST

/* The root is a position of the game, and of these it takes two. */
START_TEST(the_root_that_a_line_repeats_once_is_no_draw) {
    const char *line[] = {"g1f3", "e8d8", "f3g1", "d8e8"};
    ck_assert(!line_is_draw(KNIGHT_AND_KINGS, line, 4));
}
END_TEST

START_TEST(the_hundredth_ply_without_progress_is_a_draw) {
    const char *line[] = {"g1f3", "e8d8"};
    ck_assert(line_is_draw("4k2r/8/8/8/8/8/8/R3K1N1 w - - 98 90", line, 2));
    ck_assert(!line_is_draw("4k2r/8/8/8/8/8/8/R3K1N1 w - - 97 90", line, 2));
}
END_TEST

START_TEST(a_position_before_a_null_move_is_not_repeated) {
    const char *line[] = {"g1f3", NULL_MOVE_WORD, "f3g1", NULL_MOVE_WORD, "g1f3"};
    ck_assert(!line_is_draw(KNIGHT_AND_KINGS, line, 5));
}
END_TEST

START_TEST(a_position_after_a_null_move_can_be_repeated) {
    const char *line[] = {NULL_MOVE_WORD, "e8d8", "g1f3", "d8e8", "f3g1", "e8d8"};
    ck_assert(line_is_draw(KNIGHT_AND_KINGS, line, 6));
}
END_TEST

START_TEST(late_in_the_fifty_moves_the_table_answers_nothing) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchThread *t = thread_at(search, "4k2r/8/8/8/8/8/8/R3K1N1 w - - 89 90");
    ck_assert(table_cuts(t, 50, BOUND_LOWER, 0, 10));
    t->pos.rule50 = 90;
    ck_assert(!table_cuts(t, 50, BOUND_LOWER, 0, 10));
    search_free(search);
}
END_TEST

/* Makes a pawn's move, after which the tables of four men may know the result, and searches the
 * position. Returns the score. */
static int search_after(SearchThread *t, const char *move, int alpha, int beta, int depth) {
    Undo undo;
    t->search->table_men = 4;
    thread_make(t, move_from_uci(&t->pos, move), 0, &undo);
    return search_node(t, alpha, beta, depth, 1, beta - alpha == 1);
}

/* White wins by the tables and has no mate in two. No move reaches beta, and yet the pawn's move
 * that led here is no good one. */
START_TEST(a_win_of_the_tables_praises_no_move_before) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    if (open_tables(search)) {
        SearchThread *t = thread_at(search, "8/8/4k3/7p/8/8/8/QK6 b - - 0 1");
        int score = search_after(t, "h5h4", SCORE_MATE_IN_MAX - 1, SCORE_MATE_IN_MAX, 3);
        const Frame *f = frame_at(t, 0);
        Continuations c = frame_continuations(f);
        ck_assert_msg(score >= SCORE_WIN && !search_is_mate(score), "score %d", score);
        ck_assert_int_eq((*c.table[0])[f->piece][f->to], 0);
    }
    search_free(search);
}
END_TEST

/* How far a win lies ahead is no lesson for the evaluation. */
START_TEST(a_loss_of_the_tables_corrects_no_evaluation) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    if (open_tables(search)) {
        SearchThread *t = thread_at(search, "8/8/4k3/8/8/8/7P/QK6 w - - 0 1");
        int score = search_after(t, "h2h4", -SCORE_INFINITE, SCORE_INFINITE, 3);
        const Frame *f = frame_at(t, 0);
        ck_assert_msg(score <= -SCORE_WIN && !search_is_mate(score), "score %d", score);
        ck_assert_int_eq(t->history.move_correction[f->piece][f->to], 0);
    }
    search_free(search);
}
END_TEST

/* White looks for a win that comes sooner than the one the tables know. Black's evaluation looks
 * good enough against that, and with a hash move several moves do. */
START_TEST(no_score_is_above_a_loss_of_the_tables) {
    const int loss = -SCORE_TABLES + 1;
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    for (int hash = 0; hash <= 1 && open_tables(search); hash++) {
        int depth = hash ? SEARCH_SINGULAR_MIN_DEPTH : 3;
        SearchThread *t = thread_at(search, "8/8/4k3/8/8/8/7P/QK6 w - - 0 1");
        TtEntry entry = {.score = -1500, .depth = (int8_t)(depth - 1), .bound = BOUND_LOWER};
        Position after = parsed("8/8/4k3/8/7P/8/8/QK6 b - - 0 1");
        entry.move = move_from_uci(&after, "e6e7");
        if (hash)
            tt_store(&search->tt, after.key, &entry);
        t->root_depth = depth;
        ck_assert_int_le(search_after(t, "h2h4", loss - 3, loss - 2, depth), loss);
    }
    search_free(search);
}
END_TEST

/* White passes, Black must advance the pawn, and White takes it. */
START_TEST(a_win_of_the_tables_after_a_null_move_is_not_proven) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    if (LMR_NULL_MOVE && open_tables(search)) {
        SearchThread *t = thread_at(search, "7k/5K2/8/8/p7/8/2Q5/7N b - - 0 1");
        Position after = parsed("7k/5K2/8/8/8/p7/2Q5/7N w - - 0 2");
        int beta = evaluate(&after) - SEARCH_NULL_SHALLOW_MARGIN;
        int score = search_after(t, "a4a3", beta - 1, beta, 9);
        ck_assert_msg(score >= beta && score < SCORE_WIN, "score %d", score);
    }
    search_free(search);
}
END_TEST

/* A pawn takes a queen. The verification of a null move before it ended with a move that was
 * reduced and extended. */
START_TEST(a_capture_of_probcut_is_neither_reduced_nor_extended) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchThread *t = thread_at(search, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    Frame *f = frame_at(t, 0);
    int score = 0;
    thread_evaluate(t, 0, NULL);
    Node n = {.t = t,
              .f = f,
              .alpha = f->static_eval - 1,
              .beta = f->static_eval,
              .depth = SEARCH_PROBCUT_MIN_DEPTH,
              .cut = true,
              .table_score = SCORE_NONE,
              .low = -SCORE_INFINITE,
              .high = SCORE_INFINITE};
    t->root_depth = n.depth;
    t->root_window = 1;
    f->reduction = 3;
    f[1].extensions = f->extensions + 1;
    ck_assert(probcut(&n, &score));
    ck_assert_int_eq(f->reduction, 0);
    ck_assert_int_eq(f[1].extensions, f->extensions);
    search_free(search);
}
END_TEST

START_TEST(all_nodes_are_added_the_oftener_the_nearer_the_limit_is) {
    ck_assert_int_eq(thread_nodes_until_sum(1, 4), 1);
    ck_assert_int_eq(thread_nodes_until_sum(7, 4), 1);
    ck_assert_int_eq(thread_nodes_until_sum(400, 4), 100);
    ck_assert_int_eq(thread_nodes_until_sum(400, 1), 400);
    /* Far from the limit they are added once in a while, not at every node. */
    ck_assert_int_gt(thread_nodes_until_sum(UINT64_MAX, 256), 100);
    for (uint64_t left = 1; left < 5000; left++) {
        uint64_t counted = (uint64_t)thread_nodes_until_sum(left, 4) * 4;
        ck_assert_msg(counted <= left || counted == 4, "%d of 4 threads' %d nodes", (int)counted,
                      (int)left);
    }
}
END_TEST

/* The soft limit, a microsecond, has passed before iteration 1 ends. */
START_TEST(a_ponderhit_after_the_soft_limit_ends_the_search) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchThread *t = thread_at(search, FEN_STARTPOS);
    search_prepare(search); /* it ponders */
    search->limits = (SearchLimits){.depth = 3};
    search->plan = (TimePlan){.soft = 1, .hard = INT64_MAX};
    iterate(t);
    ck_assert_int_eq(t->finished_depth, 3);
    ck_assert(!atomic_load(&search->stop));
    search_ponderhit(search);
    ck_assert(atomic_load(&search->stop));
    search_free(search);
}
END_TEST

static void keep_info(const SearchInfo *info, void *user) {
    *(SearchInfo *)user = *info;
}

static void report_first(const SearchThread *t) {
    report_line(t, 0);
}

/* What a search that began then, and has searched so many nodes, tells of its first line. */
static SearchInfo told(void (*report)(const SearchThread *t), int64_t began_ns, uint64_t nodes) {
    SearchInfo info = {0};
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchThread *t = thread_at(search, FEN_STARTPOS);
    search->report = keep_info;
    search->user = &info;
    search->began_ns = began_ns;
    atomic_store(&t->nodes, nodes);
    t->root_depth = t->root[0].depth = 1;
    t->root[0].score = 0;
    report(t);
    search_free(search);
    return info;
}

/* A million times its nodes is more than 64 bits hold. */
START_TEST(a_search_of_a_year_tells_its_speed) {
    const int64_t seconds = 30000000, nodes_a_second = 1000000;
    int64_t began_ns = timeman_now_ns() - seconds * 1000000000;
    uint64_t speed = told(report_first, began_ns, (uint64_t)(seconds * nodes_a_second)).nps;
    ck_assert_uint_ge(speed, nodes_a_second - 100);
    ck_assert_uint_le(speed, nodes_a_second);
}
END_TEST

START_TEST(the_time_that_is_told_has_passed) {
    enum { TIMES = 20, APART_NS = 1000000 / TIMES };
    for (int i = 0; i < TIMES; i++) { /* at all parts of a millisecond */
        int64_t began_ns = timeman_now_ns() - 7000000 - i * APART_NS;
        int64_t before_us = timeman_elapsed_us(began_ns);
        int64_t told_ms = told(report_first, began_ns, 1).time_ms;
        ck_assert_int_ge(told_ms, before_us / 1000);
        ck_assert_int_le(told_ms, timeman_elapsed_us(began_ns) / 1000);
    }
}
END_TEST

START_TEST(a_failed_window_is_told_after_three_seconds) {
    const int64_t second = 1000000000, hour = 3600 * second, now = timeman_now_ns();
    ck_assert_int_eq(told(report_bound, now + hour, 1).depth, 0);
    ck_assert_int_eq(told(report_bound, now - 3 * second, 1).depth, 1);
}
END_TEST

/* The second line of a MultiPV search begins with another move than the best. */
START_TEST(the_table_keeps_the_first_line_of_the_root) {
    Position pos = parsed(KNIGHT_AND_KINGS);
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchLimits limits = {.depth = 6, .multipv = 2};
    SearchResult result;
    TtEntry entry;
    search_run(search, &pos, NULL, 0, &limits, NULL, NULL, &result);
    ck_assert(tt_probe(&search->tt, pos.key, &entry));
    ck_assert_int_eq(entry.move, result.best);
    search_free(search);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_position_that_moves_repeat_is_a_draw);
    tcase_add_test(tests, the_root_that_a_line_repeats_once_is_no_draw);
    tcase_add_test(tests, the_hundredth_ply_without_progress_is_a_draw);
    tcase_add_test(tests, a_position_before_a_null_move_is_not_repeated);
    tcase_add_test(tests, a_position_after_a_null_move_can_be_repeated);
    tcase_add_test(tests, late_in_the_fifty_moves_the_table_answers_nothing);
    tcase_add_test(tests, a_win_of_the_tables_praises_no_move_before);
    tcase_add_test(tests, a_loss_of_the_tables_corrects_no_evaluation);
    tcase_add_test(tests, no_score_is_above_a_loss_of_the_tables);
    tcase_add_test(tests, a_win_of_the_tables_after_a_null_move_is_not_proven);
    tcase_add_test(tests, a_capture_of_probcut_is_neither_reduced_nor_extended);
    tcase_add_test(tests, all_nodes_are_added_the_oftener_the_nearer_the_limit_is);
    tcase_add_test(tests, a_ponderhit_after_the_soft_limit_ends_the_search);
    tcase_add_test(tests, a_search_of_a_year_tells_its_speed);
    tcase_add_test(tests, the_time_that_is_told_has_passed);
    tcase_add_test(tests, a_failed_window_is_told_after_three_seconds);
    tcase_add_test(tests, the_table_keeps_the_first_line_of_the_root);
}

int main(void) {
    chess_init();
    return run_tests("thread", add_tests);
}
