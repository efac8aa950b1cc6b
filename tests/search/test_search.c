/* SPDX-License-Identifier: MIT */
/* The search as its callers see it. Nothing here depends on how fast the machine is. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "lmr/flags.h"
#include "search/search.h"
#include "search/timeman.h"
#include "runner.h"
#include "tools/position.h"
#include "tools/tables.h"

static const char *const positions[] = {
    FEN_STARTPOS,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/8/1p1k4/5p2/1P1K1P2/8/8/8 w - - 0 1",
    "q3k3/8/8/8/8/8/8/4K2R b K - 98 80",
    "8/8/8/8/8/5k2/6q1/7K w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "3Q4/8/1K6/8/8/8/8/k7 w - - 3 60"};
enum { POSITION_COUNT = sizeof positions / sizeof *positions };

static SearchResult run(Search *search, const char *fen, SearchLimits limits, SearchReport report,
                        void *user) {
    Position pos = parsed(fen);
    SearchResult result;
    search_run(search, &pos, NULL, 0, &limits, report, user, &result);
    if (movegen_any(&pos))
        ck_assert_msg(move_is_legal(&pos, result.best), "%s: best move %04x is not legal", fen,
                      result.best);
    else
        ck_assert_int_eq(result.best, MOVE_NONE);
    return result;
}

/* --- what it finds --- */

static const struct {
    const char *fen;
    const char *move; /* NULL: several */
    int mate;         /* moves */
    int depth;
} mates[] = {
    {"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", 1, 4},
    {"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1", "h5f7", 1, 4},
    {"7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", NULL, 2, 6},
    {"5r1k/6pp/7N/8/8/1Q6/8/6K1 w - - 0 1", "b3g8", 2, 6},
    {"r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 3, 10},
    {"r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", "a8a1", 1, 4},
};

START_TEST(mates_are_found_and_announced) {
    if (LMR_RESEARCH == LMR_RESEARCH_ACCEPT || LMR_ORDERING != LMR_ORDERING_NORMAL) {
        leave_out("mates", "this variant plays badly on purpose");
        return;
    }
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    /* Plenty of depth, so that no configuration of the reductions hides it. */
    SearchLimits limits = {.depth = mates[_i].depth + 6, .nodes = 2000000};
    SearchResult result = run(search, mates[_i].fen, limits, NULL, NULL);
    ck_assert_msg(search_mate_moves(result.score) == mates[_i].mate, "%s: score %d, not mate in %d",
                  mates[_i].fen, result.score, mates[_i].mate);
    if (mates[_i].move) {
        char text[MOVE_UCI_MAX];
        move_to_uci(result.best, false, text);
        ck_assert_str_eq(text, mates[_i].move);
    }
    search_free(search);
}
END_TEST

START_TEST(a_limit_on_mate_ends_the_search) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchResult result =
        run(search, mates[2].fen, (SearchLimits){.mate = 2, .nodes = 5000000}, NULL, NULL);
    ck_assert_int_eq(search_mate_moves(result.score), 2);
    ck_assert_uint_lt(result.nodes, 5000000);
    /* A mate that is farther away than the limit ends nothing. */
    result = run(search, mates[2].fen, (SearchLimits){.mate = 1, .nodes = 5000}, NULL, NULL);
    ck_assert_int_eq(search_mate_moves(result.score), 2);
    ck_assert_uint_eq(result.nodes, 5000);
    search_free(search);
}
END_TEST

START_TEST(scores_say_how_far_the_mate_is) {
    ck_assert_int_eq(search_mate_moves(SCORE_MATE - 1), 1);
    ck_assert_int_eq(search_mate_moves(SCORE_MATE - 2), 1);
    ck_assert_int_eq(search_mate_moves(SCORE_MATE - 3), 2);
    ck_assert_int_eq(search_mate_moves(-SCORE_MATE + 2), -1);
    ck_assert_int_eq(search_mate_moves(-SCORE_MATE + 4), -2);
    ck_assert_int_eq(search_mate_moves(900), 0);
    ck_assert(search_is_mate(-SCORE_MATE));
    ck_assert(!search_is_mate(SCORE_MATE_IN_MAX - 1));
}
END_TEST

/* White is a queen up; the position after Qd4-d5 stood in the game so often already. */
START_TEST(a_position_that_stands_for_the_third_time_is_a_draw) {
    Position pos = parsed("8/7k/8/8/3Q4/8/8/K7 w - - 20 60");
    Position repeated = pos;
    Undo undo;
    position_make(&repeated, move_from_uci(&pos, "d4d5"), &undo);
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchLimits limits = {
        .depth = 8, .searchmoves = {move_from_uci(&pos, "d4d5")}, .searchmoves_count = 1};
    for (int stood = 0; stood <= 2; stood++) {
        enum { KEYS = 12 };
        uint64_t keys[KEYS];
        SearchResult result;
        for (int i = 0; i < KEYS; i++)
            keys[i] = UINT64_C(0x1111) + (uint64_t)i;
        for (int i = 0; i < stood; i++)
            keys[KEYS - 3 - 4 * i] = repeated.key;
        search_clear(search);
        search_run(search, &pos, keys, KEYS, &limits, NULL, NULL, &result);
        ck_assert_msg(stood < 2 ? result.score > 300 : result.score == 0,
                      "it stood %d times before: %d", stood, result.score);
    }
    search_free(search);
}
END_TEST

START_TEST(fifty_moves_are_a_draw_unless_it_is_mate) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchLimits limits = {.depth = 6};
    ck_assert_int_eq(run(search, "8/7k/8/8/3Q4/8/8/K7 w - - 99 90", limits, NULL, NULL).score, 0);
    SearchResult mate = run(search, "7k/8/5K2/8/6Q1/8/8/8 w - - 99 90", limits, NULL, NULL);
    ck_assert_msg(search_mate_moves(mate.score) == 1, "score %d, not mate in 1", mate.score);
    search_free(search);
}
END_TEST

START_TEST(bare_kings_and_stalemate_are_draws) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    ck_assert_int_eq(
        run(search, "8/8/4k3/8/8/3K4/8/8 w - - 0 1", (SearchLimits){.depth = 5}, NULL, NULL).score,
        0);
    ck_assert_int_eq(run(search, positions[8], (SearchLimits){.depth = 5}, NULL, NULL).score, 0);
    search_free(search);
}
END_TEST

/* --- what it reports --- */

typedef struct {
    Position root;
    int lines, last_depth;
    Move firsts[8];
    int scores[8];
} Heard;

static void listen(const SearchInfo *info, void *user) {
    Heard *heard = user;
    if (info->current_move != MOVE_NONE)
        return;
    Position pos = heard->root;
    ck_assert_int_ge(info->pv_length, 1);
    ck_assert_int_ge(info->depth, 1);
    for (int i = 0; i < info->pv_length; i++) {
        ck_assert_msg(move_is_legal(&pos, info->pv[i]), "move %d of the line is not legal", i + 1);
        Undo undo;
        position_make(&pos, info->pv[i], &undo);
    }
    heard->lines++;
    heard->last_depth = info->depth;
    if (info->multipv > 8)
        return;
    heard->firsts[info->multipv - 1] = info->pv[0];
    heard->scores[info->multipv - 1] = info->score;
}

START_TEST(every_line_is_made_of_legal_moves) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    for (int i = 0; i < POSITION_COUNT; i++) {
        Heard heard = {.root = parsed(positions[i])};
        run(search, positions[i], (SearchLimits){.depth = 9, .nodes = 150000}, listen, &heard);
        if (movegen_any(&heard.root))
            ck_assert_int_gt(heard.lines, 0);
    }
    search_free(search);
}
END_TEST

/* No line is better than the one before it, in whatever order they were searched. */
START_TEST(several_lines_begin_with_different_moves_and_the_best_comes_first) {
    enum { LINES = 4 };
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    for (int depth = 2; depth <= 9; depth++) {
        Heard heard = {.root = parsed(positions[1])};
        run(search, positions[1], (SearchLimits){.depth = depth, .multipv = LINES}, listen, &heard);
        ck_assert_int_eq(heard.lines, LINES * depth);
        for (int i = 1; i < LINES; i++)
            ck_assert_int_ge(heard.scores[i - 1], heard.scores[i]);
        for (int i = 0; i < LINES; i++)
            for (int j = 0; j < i; j++)
                ck_assert_int_ne(heard.firsts[i], heard.firsts[j]);
    }
    search_free(search);
}
END_TEST

/* The last line of a search, and the last one before it with an exact score. */
typedef struct {
    SearchInfo last, exact;
} Ending;

static void keep_ending(const SearchInfo *info, void *user) {
    Ending *ending = user;
    if (info->current_move != MOVE_NONE)
        return;
    if (ending->last.bound == BOUND_EXACT)
        ending->exact = ending->last;
    ending->last = *info;
}

/* Of an iteration that a limit cuts, a line says only what was searched. A window that fails low is
 * followed by one that ends above its start: a move that then fails high is better than the score
 * that failed low. Without a window that failed low it is at least as good as the iteration before.
 */
START_TEST(an_iteration_that_is_cut_reports_its_score_for_what_it_is) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    int bounds = 0;
    for (int i = 0; i < POSITION_COUNT; i++) {
        Ending whole = {0}, cut = {0};
        search_clear(search);
        SearchResult result =
            run(search, positions[i], (SearchLimits){.depth = 7}, keep_ending, &whole);
        if (result.best == MOVE_NONE)
            continue;
        search_clear(search);
        run(search, positions[i], (SearchLimits){.nodes = result.nodes + 1}, keep_ending, &cut);
        ck_assert_int_eq(cut.last.depth, 7);
        ck_assert_int_eq(cut.last.score, whole.last.score);
        SearchInfo low = {0}; /* The last line with a score that failed low. */
        for (uint64_t nodes = 2000; nodes < 30000; nodes += 400) {
            Ending ending = {0};
            search_clear(search);
            run(search, positions[i], (SearchLimits){.nodes = nodes}, keep_ending, &ending);
            ck_assert_int_ge(ending.last.depth, ending.exact.depth);
            if (ending.last.bound == BOUND_UPPER) {
                ck_assert_int_lt(ending.last.score, ending.exact.score);
                low = ending.last;
            } else if (ending.last.bound == BOUND_LOWER && low.depth == ending.last.depth)
                ck_assert_int_gt(ending.last.score, low.score);
            else if (ending.last.bound == BOUND_LOWER)
                ck_assert_int_ge(ending.last.score, ending.exact.score);
            else
                ck_assert_int_eq(ending.last.bound, BOUND_EXACT);
            bounds += ending.last.bound != BOUND_EXACT;
        }
    }
    ck_assert_int_gt(bounds, 0);
    search_free(search);
}
END_TEST

static void keep_info(const SearchInfo *info, void *user) {
    if (info->current_move == MOVE_NONE)
        *(SearchInfo *)user = *info;
}

/* The last two lines of a search, with their moves. */
typedef struct {
    int depth[2];
    Move move[2];
} LastLines;

static void keep_lines(const SearchInfo *info, void *user) {
    LastLines *lines = user;
    if (info->current_move != MOVE_NONE)
        return;
    lines->depth[0] = lines->depth[1];
    lines->move[0] = lines->move[1];
    lines->depth[1] = info->depth;
    lines->move[1] = info->pv[0];
}

/* In these endings iterations are often cut after their first move has failed low, while another
 * move had a better score in the iteration before. */
START_TEST(a_move_that_a_cut_iteration_has_not_searched_comes_no_sooner) {
    static const char *const fens[] = {
        "8/8/1r6/3k4/8/3KR3/3P4/8 w - - 0 60",
        "7r/r6P/8/7R/2kp3R/8/8/5K2 b - - 6 63",
        "8/5kb1/2b1p3/2p3p1/2P5/4NP2/r2K2BR/8 w - - 18 41",
    };
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    int changes = 0;
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++)
        for (uint64_t nodes = 2000; nodes < 20000; nodes += 90) {
            LastLines lines = {0};
            search_clear(search);
            run(search, fens[i], (SearchLimits){.nodes = nodes}, keep_lines, &lines);
            if (lines.move[1] != lines.move[0]) {
                changes++;
                ck_assert_int_gt(lines.depth[1], lines.depth[0]);
            }
        }
    ck_assert_int_gt(changes, 0);
    search_free(search);
}
END_TEST

START_TEST(only_the_moves_asked_for_are_searched) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    Position pos = parsed(FEN_STARTPOS);
    Move wanted = move_from_uci(&pos, "a2a3");
    SearchLimits limits = {.depth = 7, .searchmoves = {wanted}, .searchmoves_count = 1};
    ck_assert_int_eq(run(search, FEN_STARTPOS, limits, NULL, NULL).best, wanted);
    search_free(search);
}
END_TEST

/* What a search of one move finds says little of the position: later searches do not believe it. */
START_TEST(a_search_of_some_moves_leaves_the_position_open) {
    static const char BEFORE[] = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1";
    Position pos = parsed(BEFORE);
    Undo undo[2];
    static const char *const MOVES[] = {"g3g6", "f7g6"};
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    for (int i = 0; i < 2; i++)
        position_make(&pos, move_from_uci(&pos, MOVES[i]), &undo[i]);
    SearchLimits poor = {
        .depth = 5, .searchmoves = {move_from_uci(&pos, "a2a3")}, .searchmoves_count = 1};
    SearchResult result;
    search_run(search, &pos, NULL, 0, &poor, NULL, NULL, &result);
    result = run(search, BEFORE, (SearchLimits){.depth = 8}, NULL, NULL);
    ck_assert_int_eq(search_mate_moves(result.score), 2);
    search_free(search);
}
END_TEST

/* A line of one move leaves the reply to the table. */
START_TEST(the_reply_that_is_pondered_on_comes_from_the_table) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    int known = 0;
    for (int i = 0; LMR_TT && i < POSITION_COUNT; i++) {
        SearchInfo last = {0};
        run(search, positions[i], (SearchLimits){.depth = 6}, NULL, NULL);
        SearchResult result =
            run(search, positions[i], (SearchLimits){.depth = 1}, keep_info, &last);
        if (last.pv_length != 1 || result.ponder == MOVE_NONE)
            continue;
        Position pos = parsed(positions[i]);
        Undo undo;
        position_make(&pos, result.best, &undo);
        ck_assert_msg(move_is_legal(&pos, result.ponder), "%s: %04x", positions[i], result.ponder);
        known++;
    }
    ck_assert(known > 0 || !LMR_TT);
    search_free(search);
}
END_TEST

/* --- limits --- */

/* What iteration 1 finds from an empty table. */
static SearchResult first_iteration(Search *search, const char *fen) {
    search_clear(search);
    return run(search, fen, (SearchLimits){.depth = 1}, NULL, NULL);
}

START_TEST(a_node_limit_is_kept_exactly_once_iteration_1_is_done) {
    static const uint64_t limits[] = {1, 2, 100, 1500, 20000};
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    for (int i = 0; i < 7; i++) {
        uint64_t least = first_iteration(search, positions[i]).nodes;
        for (int k = 0; k < 5; k++) {
            search_clear(search);
            SearchResult result =
                run(search, positions[i], (SearchLimits){.nodes = limits[k]}, NULL, NULL);
            ck_assert_uint_eq(result.nodes, limits[k] > least ? limits[k] : least);
        }
    }
    search_free(search);
}
END_TEST

/* The king's moves are the first of the list, and each of them loses the queen. */
#define HANGING_QUEEN "4k3/8/p7/1p6/2Q5/8/8/K7 w - - 0 1"

START_TEST(no_limit_cuts_iteration_1_short) {
    static const SearchLimits tight[] = {
        {.nodes = 1},
        {.movetime_ms = 1, .move_overhead_ms = 5000},
        {.has_clock = true, .time_ms = {0, 0}},
        {.has_clock = true, .time_ms = {-5, -5}, .inc_ms = {0, 0}, .move_overhead_ms = 10},
        {.has_clock = true, .time_ms = {-5, -5}, .movestogo = 1},
    };
    static const char *const roots[] = {HANGING_QUEEN, FEN_STARTPOS, NULL};
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    for (int threads = 1; threads <= 2; threads++) {
        search_set_threads(search, threads);
        for (int r = 0; roots[r] != NULL; r++) {
            for (size_t i = 0; i < sizeof tight / sizeof *tight; i++) {
                search_clear(search);
                SearchResult result = run(search, roots[r], tight[i], NULL, NULL);
                ck_assert_int_ge(result.depth, 1);
            }
        }
    }
    search_set_threads(search, 1);
    SearchResult wanted = first_iteration(search, HANGING_QUEEN);
    for (int stopped = 0; stopped < 2; stopped++) {
        search_clear(search);
        search_prepare(search);
        if (stopped)
            search_stop(search);
        SearchResult result = run(search, HANGING_QUEEN, (SearchLimits){.nodes = 1}, NULL, NULL);
        ck_assert_int_eq(result.best, wanted.best);
        ck_assert_int_eq(result.score, wanted.score);
    }
    search_free(search);
}
END_TEST

/* Seventeen queens and more captures than a search of one ply can look at in a second. */
START_TEST(many_queens_do_not_hold_iteration_1_up) {
    static const char fen[] = "1qQQBnQK/q1b3r1/q5nk/5QR1/2NQ1Bb1/1q1qr1Q1/4Q1q1/QqNq1RQq w - - 0 1";
    enum { POLLED_EVERY = 512 };
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchResult result = run(search, fen, (SearchLimits){.nodes = 1}, NULL, NULL);
    ck_assert_uint_le(result.nodes, SEARCH_FIRST_NODES + POLLED_EVERY);
    search_free(search);
}
END_TEST

/* --- endgame tables --- */

static void keep_hits(const SearchInfo *info, void *user) {
    if (info->current_move == MOVE_NONE)
        *(uint64_t *)user = info->table_hits;
}

START_TEST(endgame_tables_decide_what_they_know) {
    static const struct {
        const char *fen, *move;
        int sign; /* of the score */
    } known[] = {
        {"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", NULL, 0},
        {"4k3/8/3KP3/8/8/8/8/8 w - - 0 1", NULL, 1},
        {"4k3/4p3/8/8/4K3/8/8/8 b - - 0 1", NULL, 0},
        {"8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", NULL, -1},
        /* Every other move throws the win away. */
        {"8/8/8/8/8/2k5/4P3/4K3 w - - 0 1", "e1f2", 1},
    };
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    if (open_tables(search)) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            uint64_t hits = 0;
            search_clear(search);
            SearchResult result =
                run(search, known[i].fen, (SearchLimits){.depth = 16}, keep_hits, &hits);
            ck_assert_msg((result.score >= SCORE_WIN) == (known[i].sign > 0) &&
                              (result.score <= -SCORE_WIN) == (known[i].sign < 0),
                          "%s: score %d", known[i].fen, result.score);
            ck_assert_msg(hits > 0, "%s: no table was asked", known[i].fen);
            /* A search of one ply would play another move: the tables choose this one. */
            search_clear(search);
            char move[MOVE_UCI_MAX];
            result = run(search, known[i].fen, (SearchLimits){.depth = 1}, NULL, NULL);
            move_to_uci(result.best, false, move);
            if (known[i].move)
                ck_assert_str_eq(move, known[i].move);
        }
    }
    search_free(search);
}
END_TEST

START_TEST(endgame_tables_leave_the_lines_and_moves_that_were_asked_for) {
    static const char fen[] = "8/8/8/8/8/2k5/4P3/4K3 w - - 0 1"; /* Ke1-f2 alone wins. */
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    if (open_tables(search)) {
        Heard heard = {.root = parsed(fen)};
        Move other = move_from_uci(&heard.root, "e1d1");
        run(search, fen, (SearchLimits){.depth = 1, .multipv = 2}, listen, &heard);
        ck_assert_int_eq(heard.lines, 2);
        SearchLimits limits = {.depth = 1, .searchmoves = {other}, .searchmoves_count = 1};
        ck_assert_int_eq(run(search, fen, limits, NULL, NULL).best, other);
    }
    search_free(search);
}
END_TEST

/* Three men; and four, of which this depth can take none. Tables are asked after a pawn's move. */
START_TEST(endgame_tables_are_asked_up_to_the_limit_of_men) {
    static const struct {
        const char *fen;
        int men;
    } asked[] = {{"8/8/3k4/8/8/3KP3/8/8 w - - 0 1", 3}, {"4k3/7p/8/8/8/8/P7/4K3 w - - 0 1", 4}};
    /* Two lines, so that the tables leave the root its moves. */
    const SearchLimits limits = {.depth = 4, .multipv = 2};
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    if (open_tables(search)) {
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
            for (int limit = 0; limit <= 4; limit++) {
                uint64_t hits = 0;
                search_clear(search);
                search_set_table_men(search, limit);
                run(search, asked[i].fen, limits, keep_hits, &hits);
                ck_assert_msg((hits > 0) == (limit >= asked[i].men), "%s: %" PRIu64 " at limit %d",
                              asked[i].fen, hits, limit);
            }
    }
    search_free(search);
}
END_TEST

START_TEST(equal_searches_are_equal_node_for_node) {
    Search *one = search_new(SEARCH_HASH_DEFAULT);
    Search *two = search_new(SEARCH_HASH_DEFAULT);
    search_set_threads(two, 3); /* and back: no trace of it may remain */
    search_set_threads(two, 1);
    run(two, positions[1], (SearchLimits){.depth = 7}, NULL, NULL);
    search_clear(two);
    for (int i = 0; i < POSITION_COUNT; i++) {
        SearchResult a = run(one, positions[i], (SearchLimits){.depth = 8}, NULL, NULL);
        SearchResult b = run(two, positions[i], (SearchLimits){.depth = 8}, NULL, NULL);
        ck_assert_uint_eq(a.nodes, b.nodes);
        ck_assert_int_eq(a.best, b.best);
        ck_assert_int_eq(a.score, b.score);
    }
    search_clear(one);
    SearchResult again = run(one, positions[0], (SearchLimits){.nodes = 30000}, NULL, NULL);
    search_clear(one);
    SearchResult once_more = run(one, positions[0], (SearchLimits){.nodes = 30000}, NULL, NULL);
    ck_assert_int_eq(again.best, once_more.best);
    ck_assert_int_eq(again.score, once_more.score);
    search_free(one);
    search_free(two);
}
END_TEST

START_TEST(the_greatest_depth_ends) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    /* Every move draws at once, so each iteration is short. */
    SearchResult result =
        run(search, "8/8/4k3/8/8/3K4/8/8 w - - 0 1", (SearchLimits){.depth = 1000}, NULL, NULL);
    ck_assert_int_eq(result.depth, MAX_PLY);
    search_free(search);
}
END_TEST

START_TEST(a_millisecond_is_enough_for_a_move) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    for (int i = 0; i < POSITION_COUNT; i++) {
        run(search, positions[i], (SearchLimits){.movetime_ms = 1}, NULL, NULL);
        SearchLimits clock = {.has_clock = true, .time_ms = {1, 1}, .move_overhead_ms = 10};
        run(search, positions[i], clock, NULL, NULL);
        clock = (SearchLimits){.has_clock = true, .time_ms = {-100, 0}};
        run(search, positions[i], clock, NULL, NULL);
    }
    search_free(search);
}
END_TEST

/* The times are hours, so the depths do not depend on the machine. */
START_TEST(one_legal_move_ends_a_search_by_the_clock_and_not_by_movetime) {
    enum { HOURS_MS = 7200000, DEPTH = 9 };
    static const char one_move[] = "7k/7p/8/8/8/7p/1r5P/K7 w - - 0 1";
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchLimits clock = {
        .depth = DEPTH, .has_clock = true, .time_ms = {[WHITE] = HOURS_MS, [BLACK] = HOURS_MS}};
    ck_assert_int_lt(run(search, one_move, clock, NULL, NULL).depth, DEPTH);
    SearchLimits movetime = {.depth = DEPTH, .movetime_ms = HOURS_MS};
    ck_assert_int_eq(run(search, one_move, movetime, NULL, NULL).depth, DEPTH);
    search_free(search);
}
END_TEST

/* The soft limit is 300 s, the hard one 1500 s; the search itself takes none of them. only: the
 * root's one move, or NULL. */
static int depth_when_begun(Search *search, const char *fen, const char *only,
                            int64_t seconds_ago) {
    SearchLimits limits = {.depth = 9,
                           .has_clock = true,
                           .time_ms = {7200000, 7200000},
                           .start_ns = timeman_now_ns() - seconds_ago * 1000000000};
    Position pos = parsed(fen);
    if (only != NULL)
        limits.searchmoves[limits.searchmoves_count++] = move_from_uci(&pos, only);
    return run(search, fen, limits, NULL, NULL).depth;
}

START_TEST(no_iteration_begins_after_the_soft_limit) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    ck_assert_int_eq(depth_when_begun(search, FEN_STARTPOS, NULL, 0), 9);
    ck_assert_int_eq(depth_when_begun(search, FEN_STARTPOS, NULL, 1000), 1);
    /* A pawn takes a queen: a clear move takes less than the soft limit. */
    ck_assert_int_lt(depth_when_begun(search, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", NULL, 270), 9);
    search_free(search);
}
END_TEST

START_TEST(a_search_goes_on_after_the_soft_limit_while_the_best_move_is_in_doubt) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    /* The nodes go into twenty moves alike. */
    ck_assert_int_gt(depth_when_begun(search, FEN_STARTPOS, NULL, 330), 1);
    /* The second iteration sees the mate. Had the score not fallen, it would be the last one. */
    ck_assert_int_gt(
        depth_when_begun(search, "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
                         "g2g4", 290),
        2);
    search_free(search);
}
END_TEST

/* --- stopping --- */

typedef struct {
    Search *search;
    const char *fen;
    SearchLimits limits;
    SearchResult result;
    _Atomic int lines;
    _Atomic bool done;
} Background;

static void count_lines(const SearchInfo *info, void *user) {
    (void)info;
    atomic_fetch_add(&((Background *)user)->lines, 1);
}

static void *run_background(void *argument) {
    Background *b = argument;
    Position pos = parsed(b->fen);
    search_run(b->search, &pos, NULL, 0, &b->limits, count_lines, b, &b->result);
    atomic_store(&b->done, true);
    return NULL;
}

static void pause_ms(int ms) {
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static void start(Background *b, pthread_t *thread) {
    search_prepare(b->search);
    ck_assert_int_eq(pthread_create(thread, NULL, run_background, b), 0);
}

START_TEST(an_infinite_search_ends_when_it_is_stopped) {
    Background b = {.search = search_new(SEARCH_HASH_DEFAULT),
                    .fen = positions[_i % POSITION_COUNT],
                    .limits = {.infinite = true,
                               .depth = _i % 2 ? 2 : 0,
                               .nodes = _i % 4 == 2 ? 50 : 0,
                               .movetime_ms = _i % 3 == 0}};
    search_set_threads(b.search, _i / 2 % 3 + 1);
    pthread_t thread;
    start(&b, &thread);
    if (movegen_any(&(Position[]){parsed(b.fen)}[0]))
        while (atomic_load(&b.lines) == 0)
            pause_ms(1);
    pause_ms(5);
    ck_assert(!atomic_load(&b.done)); /* not even when a limit is reached */
    search_stop(b.search);
    pthread_join(thread, NULL);
    Position pos = parsed(b.fen);
    ck_assert(move_is_legal(&pos, b.result.best) || !movegen_any(&pos));
    search_free(b.search);
}
END_TEST

START_TEST(a_stop_that_comes_before_the_search_is_not_lost) {
    Background b = {.search = search_new(SEARCH_HASH_DEFAULT),
                    .fen = FEN_STARTPOS,
                    .limits = {.infinite = true}};
    search_prepare(b.search);
    search_stop(b.search);
    run_background(&b);
    Position pos = parsed(FEN_STARTPOS);
    ck_assert(move_is_legal(&pos, b.result.best));
    /* but it does not stop the next one */
    ck_assert_int_eq(run(b.search, FEN_STARTPOS, (SearchLimits){.depth = 5}, NULL, NULL).depth, 5);
    search_free(b.search);
}
END_TEST

START_TEST(pondering_ends_after_the_hit) {
    Background b = {.search = search_new(SEARCH_HASH_DEFAULT),
                    .fen = positions[1],
                    .limits = {.ponder = true,
                               .has_clock = _i == 0,
                               .time_ms = {100, 100},
                               .nodes = _i == 1 ? 50 : 0}};
    pthread_t thread;
    start(&b, &thread);
    pause_ms(150);
    ck_assert(!atomic_load(&b.done));
    search_ponderhit(b.search);
    pthread_join(thread, NULL); /* the test's own time limit would fail it */
    Position pos = parsed(b.fen);
    ck_assert(move_is_legal(&pos, b.result.best));
    search_free(b.search);
}
END_TEST

START_TEST(threads_share_a_search) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    search_set_threads(search, 4);
    /* Threads race, and differ in few of the searches: so there are many. */
    for (int i = 0; i < 50 * POSITION_COUNT; i++) {
        const char *fen = positions[i % POSITION_COUNT];
        Heard heard = {.root = parsed(fen)};
        SearchResult result = run(search, fen, (SearchLimits){.nodes = 5000}, listen, &heard);
        /* Whichever thread's move it is, the last line tells it. */
        ck_assert_int_eq(result.best, heard.firsts[0]);
    }
    search_free(search);
}
END_TEST

/* Other threads may be iterations ahead. */
START_TEST(threads_reach_the_depth_that_was_asked_for_and_report_no_other) {
    enum { DEPTH = 6 };
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    search_set_threads(search, 4);
    for (int i = 0; i < 20 * POSITION_COUNT; i++) {
        const char *fen = positions[i % POSITION_COUNT];
        Heard heard = {.root = parsed(fen)};
        SearchResult result = run(search, fen, (SearchLimits){.depth = DEPTH}, listen, &heard);
        if (!movegen_any(&heard.root))
            continue;
        ck_assert_int_eq(result.depth, DEPTH);
        ck_assert_int_eq(heard.last_depth, DEPTH);
    }
    search_free(search);
}
END_TEST

START_TEST(counters_stay_zero_unless_they_are_asked_for) {
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    run(search, positions[1], (SearchLimits){.depth = 7}, NULL, NULL);
    LmrStats stats;
    search_lmr_stats(search, &stats);
    for (int kind = 0; kind < LMR_NODE_KIND_COUNT; kind++) {
        if (LMR_STATS)
            ck_assert_uint_gt(stats.moves[kind].moves, 0);
        else
            ck_assert_uint_eq(stats.moves[kind].moves, 0);
    }
    search_free(search);
}
END_TEST

static void add_tests(TCase *tcase) {
    tcase_add_loop_test(tcase, mates_are_found_and_announced, 0, sizeof mates / sizeof *mates);
    tcase_add_test(tcase, a_limit_on_mate_ends_the_search);
    tcase_add_test(tcase, scores_say_how_far_the_mate_is);
    tcase_add_test(tcase, a_position_that_stands_for_the_third_time_is_a_draw);
    tcase_add_test(tcase, fifty_moves_are_a_draw_unless_it_is_mate);
    tcase_add_test(tcase, bare_kings_and_stalemate_are_draws);
    tcase_add_test(tcase, every_line_is_made_of_legal_moves);
    tcase_add_test(tcase, several_lines_begin_with_different_moves_and_the_best_comes_first);
    tcase_add_test(tcase, an_iteration_that_is_cut_reports_its_score_for_what_it_is);
    tcase_add_test(tcase, a_move_that_a_cut_iteration_has_not_searched_comes_no_sooner);
    tcase_add_test(tcase, only_the_moves_asked_for_are_searched);
    tcase_add_test(tcase, a_search_of_some_moves_leaves_the_position_open);
    tcase_add_test(tcase, the_reply_that_is_pondered_on_comes_from_the_table);
    tcase_add_test(tcase, a_node_limit_is_kept_exactly_once_iteration_1_is_done);
    tcase_add_test(tcase, no_limit_cuts_iteration_1_short);
    tcase_add_test(tcase, many_queens_do_not_hold_iteration_1_up);
    tcase_add_test(tcase, endgame_tables_decide_what_they_know);
    tcase_add_test(tcase, endgame_tables_leave_the_lines_and_moves_that_were_asked_for);
    tcase_add_test(tcase, endgame_tables_are_asked_up_to_the_limit_of_men);
    tcase_add_test(tcase, equal_searches_are_equal_node_for_node);
    tcase_add_test(tcase, the_greatest_depth_ends);
    tcase_add_test(tcase, a_millisecond_is_enough_for_a_move);
    tcase_add_test(tcase, one_legal_move_ends_a_search_by_the_clock_and_not_by_movetime);
    tcase_add_test(tcase, no_iteration_begins_after_the_soft_limit);
    tcase_add_test(tcase, a_search_goes_on_after_the_soft_limit_while_the_best_move_is_in_doubt);
    tcase_add_loop_test(tcase, an_infinite_search_ends_when_it_is_stopped, 0, 10);
    tcase_add_test(tcase, a_stop_that_comes_before_the_search_is_not_lost);
    tcase_add_loop_test(tcase, pondering_ends_after_the_hit, 0, 2);
    tcase_add_test(tcase, threads_share_a_search);
    tcase_add_test(tcase, threads_reach_the_depth_that_was_asked_for_and_report_no_other);
    tcase_add_test(tcase, counters_stay_zero_unless_they_are_asked_for);
}

int main(void) {
    chess_init();
    return run_tests("search", add_tests);
}
