/* SPDX-License-Identifier: MIT */
/* The evaluation: the same for both colours, the same with and without its cache, within limits. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "chess/fen.h"
#include "chess/movegen.h"
#include "eval/eval.h"
#include "runner.h"
#include "tools/position.h"

static char swapped(char c) {
    return (char)(isupper((unsigned char)c) ? tolower((unsigned char)c)
                                            : toupper((unsigned char)c));
}

/* The position with colours exchanged and the board turned upside down. */
static Position mirrored(const Position *pos) {
    char fen[FEN_MAX];
    fen_format(pos, fen);
    char *board = strtok(fen, " ");
    char *stm = strtok(NULL, " ");
    char *castling = strtok(NULL, " ");
    char *ep = strtok(NULL, " ");
    char out[FEN_MAX * 2] = "";
    char *ranks[8];
    ranks[0] = strtok(board, "/");
    for (int i = 1; i < 8; i++)
        ranks[i] = strtok(NULL, "/");
    for (int i = 7; i >= 0; i--) {
        for (const char *c = ranks[i]; *c; c++)
            strncat(out, (char[]){swapped(*c)}, 1);
        strcat(out, i ? "/" : " ");
    }
    strcat(out, stm[0] == 'w' ? "b " : "w ");
    for (const char *c = castling; *c; c++)
        strncat(out, (char[]){swapped(*c)}, 1);
    strcat(out, " ");
    if (ep[0] != '-')
        ep[1] = (char)('1' + '8' - ep[1]);
    strcat(out, ep);
    strcat(out, " 0 1");
    return parsed(out);
}

/* The position with the a-file in the place of the h-file, and without rights to castle. */
static Position mirrored_files(const Position *pos, bool mirror) {
    char fen[FEN_MAX];
    fen_format(pos, fen);
    char *board = strtok(fen, " ");
    const char *stm = strtok(NULL, " ");
    strtok(NULL, " ");
    char *ep = strtok(NULL, " ");
    char out[FEN_MAX * 2] = "";
    for (char *rank = strtok(board, "/"); rank != NULL; rank = strtok(NULL, "/")) {
        size_t length = strlen(rank);
        for (size_t i = 0; i < length; i++)
            strncat(out, &rank[mirror ? length - 1 - i : i], 1);
        strcat(out, "/");
    }
    out[strlen(out) - 1] = ' ';
    if (mirror && ep[0] != '-')
        ep[0] = (char)('a' + 'h' - ep[0]);
    strcat(out, stm);
    strcat(out, " - ");
    strcat(out, ep);
    strcat(out, " 0 1");
    return parsed(out);
}

enum { GAMES = 60, PLIES = 160 };

/* Calls `visit` for the positions of random games. */
static int random_positions(void (*visit)(const Position *pos)) {
    int count = 0;
    srand(7);
    for (int game = 0; game < GAMES; game++) {
        Position pos = parsed(FEN_STARTPOS);
        for (int ply = 0; ply < PLIES; ply++, count++) {
            Move moves[MAX_MOVES];
            int n = movegen_legal(&pos, moves);
            if (n == 0)
                break;
            Undo undo;
            position_make(&pos, moves[rand() % n], &undo);
            visit(&pos);
        }
    }
    return count;
}

static void check_mirror(const Position *pos) {
    Position other = mirrored(pos);
    EvalTrace a, b;
    char fen[FEN_MAX];
    fen_format(pos, fen);
    eval_trace(pos, NULL, &a);
    eval_trace(&other, NULL, &b);
    ck_assert_msg(a.total == b.total, "%s: %d, mirrored %d", fen, a.total, b.total);
    ck_assert_msg(a.scale == b.scale, "%s: scale %d, mirrored %d", fen, a.scale, b.scale);
}

START_TEST(colours_are_equal) {
    ck_assert_int_gt(random_positions(check_mirror), 1000);
    /* The endgame's half is 0, and only one colour's lead would be scaled down. */
    Position pos = parsed("8/8/k7/8/8/1p1nR3/p7/K7 w - - 4 76");
    check_mirror(&pos);
}
END_TEST

static EvalCache cache;

static void check_cache(const Position *pos) {
    int fresh = evaluate(pos);
    ck_assert_int_eq(eval_cached(pos, &cache), fresh);
    ck_assert_int_eq(eval_cached(pos, &cache), fresh);
    ck_assert_int_le(abs(fresh), EVAL_LIMIT);
}

START_TEST(the_cache_changes_nothing) {
    ck_assert_int_gt(random_positions(check_cache), 1000);
}
END_TEST

static void check_trace(const Position *pos) {
    EvalTrace trace, cached;
    eval_trace(pos, NULL, &trace);
    eval_trace(pos, &cache, &cached);
    ck_assert_mem_eq(&cached, &trace, sizeof trace);
    int mg = 0;
    int eg = 0;
    for (int t = 0; t < EVAL_TERM_COUNT; t++) {
        mg += trace.mg[t][WHITE] - trace.mg[t][BLACK];
        eg += trace.eg[t][WHITE] - trace.eg[t][BLACK];
    }
    int total =
        (mg * trace.phase * EVAL_SCALE_FULL + eg * (EVAL_PHASE_MAX - trace.phase) * trace.scale) /
        (EVAL_PHASE_MAX * EVAL_SCALE_FULL);
    ck_assert_int_eq((pos->stm == WHITE ? total : -total) + trace.network, trace.total);
    ck_assert_int_eq(evaluate(pos), trace.total);
}

START_TEST(terms_and_network_add_up_to_the_total) {
    ck_assert_int_gt(random_positions(check_trace), 1000);
}
END_TEST

/* The total again, from how often each weight counts. */
static int counted_total(const Position *pos, const EvalCounts *counts) {
    const EvalScore *weights = (const EvalScore *)&eval_weights;
    EvalScore sum = 0;
    EvalScore danger[COLOR_COUNT] = {0};
    int winnable = 0;
    for (int i = 0; i < EVAL_WEIGHT_COUNT; i++) {
        sum += counts->linear[i] * weights[i];
        danger[WHITE] += counts->danger[WHITE][i] * weights[i];
        danger[BLACK] += counts->danger[BLACK][i] * weights[i];
        winnable += counts->winnable[i] * eval_eg(weights[i]);
    }
    sum += eval_danger_cost(danger[BLACK]) - eval_danger_cost(danger[WHITE]);
    int eg = eval_eg(sum);
    int size = winnable > -abs(eg) ? winnable : -abs(eg);
    eg += eg > 0 ? size : eg < 0 ? -size : 0;
    int total = (eval_mg(sum) * counts->phase * EVAL_SCALE_FULL +
                 eg * (EVAL_PHASE_MAX - counts->phase) * counts->scale[eg >= 0 ? WHITE : BLACK]) /
                (EVAL_PHASE_MAX * EVAL_SCALE_FULL);
    return pos->stm == WHITE ? total : -total;
}

static void check_counts(const Position *pos) {
    EvalTrace trace;
    EvalCounts counts;
    eval_count(pos, &trace, &counts);
    ck_assert_int_eq(trace.total, evaluate(pos));
    ck_assert_int_eq(counted_total(pos, &counts) + trace.network, evaluate(pos));
}

START_TEST(the_counted_weights_make_the_total) {
    ck_assert_int_gt(random_positions(check_counts), 1000);
}
END_TEST

/* The network is silent where a king stands alone; elsewhere it speaks, within reason. */
static int corrections;

static void check_network(const Position *pos) {
    EvalTrace trace;
    eval_trace(pos, NULL, &trace);
    bool bare = bb_popcount(pos->by_color[WHITE]) == 1 || bb_popcount(pos->by_color[BLACK]) == 1;
    if (bare)
        ck_assert_int_eq(trace.network, 0);
    corrections += trace.network != 0;
    ck_assert_int_le(abs(trace.network), 2000);
}

START_TEST(the_network_corrects_the_terms) {
    corrections = 0;
    int positions = random_positions(check_network);
    ck_assert_int_gt(corrections, positions / 2);
    Position pos = parsed("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    check_network(&pos);
}
END_TEST

/* The sums follow the pieces from any position to any other, whatever was asked between. */
START_TEST(the_cache_serves_positions_in_any_order) {
    static const char *const fens[] = {FEN_STARTPOS, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
                                       "1k6/pp3ppp/8/3qn3/3QN3/8/PPP3PP/5K2 b - - 0 1",
                                       "2kr3r/ppp2ppp/8/8/8/8/PPP2PPP/2KR3R w - - 0 1",
                                       "6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1"};
    enum { COUNT = sizeof fens / sizeof *fens };
    for (int i = 0; i < COUNT * COUNT; i++) {
        Position from = parsed(fens[i % COUNT]);
        Position to = parsed(fens[i / COUNT]);
        ck_assert_int_eq(eval_cached(&from, &cache), evaluate(&from));
        ck_assert_int_eq(eval_cached(&to, &cache), evaluate(&to));
    }
}
END_TEST

START_TEST(nine_queens_are_no_mate) {
    Position pos = parsed("QQQQQQQQ/Q7/8/8/8/7k/8/K7 b - - 0 1");
    ck_assert_int_ge(evaluate(&pos), -EVAL_LIMIT);
    ck_assert_int_lt(evaluate(&pos), -3000);
}
END_TEST

static const struct {
    const char *fen;
    int low, high; /* for the side to move */
} judged[] = {
    {FEN_STARTPOS, 0, 60},
    {"4k3/8/8/8/8/8/8/4KQ2 w - - 0 1", 800, EVAL_LIMIT},
    {"4k3/8/8/8/8/8/4P3/4KQ2 b - - 0 1", -EVAL_LIMIT, -800},
    {"4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", -80, 80},    /* two knights cannot mate */
    {"4k1n1/8/8/8/8/8/8/4KR2 w - - 0 1", -60, 100},  /* rook against knight */
    {"4k3/8/8/2b5/8/8/2B1P3/4K3 w - - 0 1", 0, 120}, /* opposite bishops */
};

START_TEST(known_cases_are_judged_within_reason) {
    Position pos = parsed(judged[_i].fen);
    int score = evaluate(&pos);
    ck_assert_msg(score >= judged[_i].low && score <= judged[_i].high, "%s: %d, not in %d..%d",
                  judged[_i].fen, score, judged[_i].low, judged[_i].high);
}
END_TEST

static const struct {
    const char *fen;
    int scale; /* of White's lead in the endgame */
} scaled[] = {
    {"4k3/8/8/8/8/8/8/4KB2 w - - 0 1", 0},                /* a bishop alone mates nobody, */
    {"4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", 0},               /* nor do two knights; */
    {"4k3/8/8/8/8/8/8/3BKN2 w - - 0 1", EVAL_SCALE_FULL}, /* bishop and knight do */
    {"4k1n1/8/8/8/8/8/8/4KR2 w - - 0 1", 6},
    {"1k6/8/8/8/8/8/P7/K7 w - - 0 1", 0},    /* the enemy king holds the corner, */
    {"6k1/8/8/8/8/8/7P/K7 w - - 0 1", 0},    /* either one; */
    {"1k6/8/8/8/8/8/P7/K1B5 w - - 0 1", 0},  /* this bishop does not control it, */
    {"1k6/8/8/8/8/8/P7/K4B2 w - - 0 1", 49}, /* this one does; */
    {"8/8/8/8/8/7k/P7/K1B5 w - - 0 1", 49},  /* the king is far from it, */
    {"1k6/8/8/8/8/8/PP6/K7 w - - 0 1", 54},  /* and a pawn of the b-file has another one */
    {"1k6/8/8/8/8/8/P7/K2R4 w - - 0 1", 49},
    {"4k3/8/8/2b5/8/8/2B1P3/4K3 w - - 0 1", 25}, /* opposite bishops, a passed pawn */
};

START_TEST(a_lead_that_does_not_win_is_scaled_down) {
    Position pos = parsed(scaled[_i].fen);
    Position other = mirrored(&pos);
    EvalTrace trace;
    EvalCounts counts;
    eval_count(&pos, &trace, &counts);
    ck_assert_int_eq(counts.scale[WHITE], scaled[_i].scale);
    eval_count(&other, &trace, &counts);
    ck_assert_int_eq(counts.scale[BLACK], scaled[_i].scale);
}
END_TEST

/* The endgame half of what White's passed pawn is worth. */
static int passed_worth(const char *fen) {
    Position pos = parsed(fen);
    EvalTrace trace;
    eval_trace(&pos, NULL, &trace);
    return trace.eg[EVAL_PASSED][WHITE];
}

START_TEST(a_king_catches_a_pawn_whose_square_it_can_enter) {
    ck_assert_int_gt(passed_worth("8/8/8/8/P4k2/8/8/K7 w - - 0 1"),
                     passed_worth("8/8/8/8/P4k2/8/8/K7 b - - 0 1"));
    /* The first step may be of two squares. */
    ck_assert_int_gt(passed_worth("8/8/8/8/8/8/P5k1/K7 w - - 0 1"),
                     passed_worth("8/8/8/8/8/8/P5k1/K7 b - - 0 1"));
}
END_TEST

START_TEST(a_pinned_knight_does_not_move) {
    static const char *const fens[] = {"4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1",
                                       "4r1k1/8/8/8/8/8/4N3/4K3 b - - 0 1"};
    for (int i = 0; i < 2; i++) {
        Position pos = parsed(fens[i]);
        EvalTrace trace;
        eval_trace(&pos, NULL, &trace);
        ck_assert_int_eq(trace.mg[EVAL_MOBILITY][WHITE], eval_mg(eval_weights.mobility[KNIGHT][0]));
    }
}
END_TEST

START_TEST(bishop_and_knight_drive_to_the_right_corner) {
    Position right = parsed("7k/8/8/3K4/3N4/2B5/8/8 w - - 0 1");
    Position wrong = parsed("k7/8/8/3K4/3N4/2B5/8/8 w - - 0 1");
    ck_assert_int_gt(evaluate(&right), evaluate(&wrong) + 200);
    Position light = parsed("k7/8/8/3K4/3N4/3B4/8/8 w - - 0 1");
    Position other = parsed("7k/8/8/3K4/3N4/3B4/8/8 w - - 0 1");
    ck_assert_int_gt(evaluate(&light), evaluate(&other) + 200);
}
END_TEST

static const char *term_name(EvalTerm term) {
    static const char *const names[EVAL_TERM_COUNT] = {
        "material", "placement", "pawns", "passed", "mobility", "pieces",
        "king",     "threats",   "space", "tempo",  "winnable"};
    return names[term];
}

static void check_mirrored_files(const Position *pos) {
    Position plain = mirrored_files(pos, false);
    Position mirror = mirrored_files(pos, true);
    EvalTrace a, b;
    eval_trace(&plain, NULL, &a);
    eval_trace(&mirror, NULL, &b);
    for (EvalTerm term = 0; term < EVAL_TERM_COUNT; term++)
        for (int color = 0; color < COLOR_COUNT; color++)
            if (a.mg[term][color] != b.mg[term][color] || a.eg[term][color] != b.eg[term][color]) {
                char fen[FEN_MAX];
                fen_format(&plain, fen);
                ck_abort_msg("%s: %s is %d/%d, with mirrored files %d/%d", fen, term_name(term),
                             a.mg[term][color], a.eg[term][color], b.mg[term][color],
                             b.eg[term][color]);
            }
    ck_assert_int_eq(a.total, b.total);
}

START_TEST(mirrored_files_change_nothing) {
    ck_assert_int_gt(random_positions(check_mirrored_files), 1000);
    /* Rook and king on one file, on either wing. */
    Position pos = parsed("4k3/8/8/8/8/1r6/1PP5/1R1K4 w - - 0 1");
    check_mirrored_files(&pos);
    pos = parsed("4k3/8/8/8/8/8/P1PPPPPP/RK1B4 w - - 0 1");
    check_mirrored_files(&pos);
    pos = parsed("4k3/8/8/8/8/K1P5/P1P5/R1B5 w - - 0 1");
    check_mirrored_files(&pos);
}
END_TEST

static void add_tests(TCase *tcase) {
    tcase_add_test(tcase, mirrored_files_change_nothing);
    tcase_add_test(tcase, colours_are_equal);
    tcase_add_test(tcase, the_cache_changes_nothing);
    tcase_add_test(tcase, terms_and_network_add_up_to_the_total);
    tcase_add_test(tcase, the_counted_weights_make_the_total);
    tcase_add_test(tcase, the_network_corrects_the_terms);
    tcase_add_test(tcase, the_cache_serves_positions_in_any_order);
    tcase_add_test(tcase, nine_queens_are_no_mate);
    tcase_add_loop_test(tcase, known_cases_are_judged_within_reason, 0,
                        sizeof judged / sizeof *judged);
    tcase_add_loop_test(tcase, a_lead_that_does_not_win_is_scaled_down, 0,
                        sizeof scaled / sizeof *scaled);
    tcase_add_test(tcase, a_king_catches_a_pawn_whose_square_it_can_enter);
    tcase_add_test(tcase, a_pinned_knight_does_not_move);
    tcase_add_test(tcase, bishop_and_knight_drive_to_the_right_corner);
}

int main(void) {
    chess_init();
    return run_tests("eval", add_tests);
}
