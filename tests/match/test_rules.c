/* SPDX-License-Identifier: MIT */
/* How games end: the rules of chess in their order, before the tables and the scores; and what the
 * PGN calls each ending. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "match/local_run.h"
#include "match/syzygy.h"
#include "runner.h"
#include "tools/files.h"

enum { ARGUMENTS_SIZE = 256 };

/* A game of one opening, dev White, each side playing the moves it is told. */
typedef struct {
    const char *opening; /* EPD; PGN when it begins with '['. */
    const char *dev, *base;
    const char *reason;
    int plies;
} RulesCase;

static const RulesCase RULES[] = {
    /* Fifty moves: at a halfmove clock of 100; before everything but mate. */
    {"8/8/4k3/8/2r5/8/3RK3/8 w - - hmvc 99; fmvn 120;", "e2e3", "", "Draw by fifty moves rule", 1},
    {"8/8/4k3/8/2r5/8/3RK3/8 w - - hmvc 98; fmvn 120;", "e2e3", "e6e5", "Draw by fifty moves rule",
     2},
    {"k7/2Q5/2K5/8/8/8/8/8 w - - hmvc 99; fmvn 150;", "c7b7", "", "White mates", 1},
    {"k7/8/1K6/8/8/8/8/2Q5 w - - hmvc 99; fmvn 150;", "c1c7", "", "Draw by fifty moves rule", 1},
    {"8/8/4k3/8/2r5/8/3RK3/8 w - - hmvc 92; fmvn 120;", "e2e3 e3e2 e2e3 e3e2",
     "e6e5 e5e6 e6e5 e5e6", "Draw by fifty moves rule", 8}, /* It stood three times too. */
    {"8/8/4k3/8/8/8/4K3/8 w - - hmvc 100; fmvn 150;", "", "", "Draw by fifty moves rule", 0},
    /* Insufficient material: bare kings, one minor, two bishops on one colour, whoever owns them.
     */
    {"8/8/4k3/8/8/8/4K3/8 w - -", "", "", "Draw by insufficient mating material", 0},
    {"8/8/8/8/8/3k4/3p4/2BK4 w - -", "c1d2", "", "Draw by insufficient mating material", 1},
    {"8/8/3k4/8/8/2NK4/8/8 w - -", "", "", "Draw by insufficient mating material", 0},
    {"8/8/3k4/8/8/2BK4/8/4b3 w - -", "", "", "Draw by insufficient mating material", 0},
    {"8/8/3k4/8/8/2BK4/8/4B3 w - -", "", "", "Draw by insufficient mating material", 0},
    {"8/8/3k4/8/8/2BK4/8/7b w - -", "d3e3 e3d3 d3e3 e3d3", "d6e6 e6d6 d6e6 e6d6",
     "Draw by 3-fold repetition", 8},
    {"8/8/3k4/8/8/2NK4/8/7N w - -", "d3e3 e3d3 d3e3 e3d3", "d6e6 e6d6 d6e6 e6d6",
     "Draw by 3-fold repetition", 8},
    /* It is before mate and stalemate, which this is too. */
    {"k7/8/KB6/8/8/8/8/8 b - -", "", "", "Draw by insufficient mating material", 0},
    /* Three times the position: with the rights to castle it was another one. The opening's moves
     * count. */
    {"4k2r/8/8/8/8/8/8/4K2R w Kk -", "h1g1 g1h1 h1g1 g1h1 h1g1", "h8g8 g8h8 h8g8 g8h8 h8g8",
     "Draw by 3-fold repetition", 10},
    {"[Event \"knights\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 *\n", "g1f3 f3g1", "g8f6 f6g8",
     "Draw by 3-fold repetition", 4},
    /* No legal move. */
    {"k7/8/1K6/8/8/8/8/2Q5 w - -", "c1c7", "", "Draw by stalemate", 1},
    {"8/8/8/8/8/5kq1/8/7K b - -", "", "g3g2", "Black mates", 1},
    {"k7/1Q6/2K5/8/8/8/8/8 b - -", "", "", "White mates", 0},
};
enum { RULES_COUNT = sizeof RULES / sizeof *RULES };

static void set_opening(Run *run, const char *text) {
    Error err = {0};
    book_free(&run->book);
    ck_assert_msg(
        book_load_text(&run->book, "opening", text, strlen(text), text[0] == '[', false, &err),
        "%s", err.text);
}

/* Each side plays these moves first; dev's scores are those of `plan`. */
static void set_moves(Run *run, const char *plan, const char *dev, const char *base) {
    const char *moves[SIDE_COUNT] = {dev, base};
    char arguments[ARGUMENTS_SIZE];
    for (int side = 0; side < SIDE_COUNT; side++) {
        snprintf(arguments, sizeof arguments, "plan=%s%s%s", plan, *moves[side] ? " first=" : "",
                 moves[side]);
        run_set_engine(run, (Side)side, arguments);
    }
}

/* The first game's ending; in the second the told moves are those of the other colour. */
static void expect_ending(const Run *run, const char *reason, int plies, const char *termination) {
    const char *tag = strstr(text_string(&run->pgn), "[Termination \"");
    char expected[64];
    ck_assert_str_eq(run->pairs[0].reasons[0], reason);
    ck_assert_int_eq(run->pairs[0].games[0].plies, plies);
    snprintf(expected, sizeof expected, "[Termination \"%s\"]", termination);
    ck_assert(tag != NULL);
    ck_assert_msg(strncmp(tag, expected, strlen(expected)) == 0, "%.40s is not %s", tag, expected);
}

START_TEST(the_rules_are_asked_in_their_order) {
    const RulesCase *c = &RULES[_i];
    Run *run = run_new();
    run->config.pairs = 1;
    run->config.adjudication = (Adjudication){0};
    set_opening(run, c->opening);
    set_moves(run, "0,100", c->dev, c->base);
    run_play(run);
    run_expect_complete(run);
    expect_ending(run, c->reason, c->plies, "normal");
    /* Whoever moves first has made the odd move. */
    const GamePart *parts = run->pairs[0].games[0].parts;
    Side first = strstr(c->opening, " b - ") != NULL ? SIDE_BASE : SIDE_DEV;
    ck_assert_int_eq(parts[first].moves, (c->plies + 1) / 2);
    ck_assert_int_eq(parts[first == SIDE_DEV ? SIDE_BASE : SIDE_DEV].moves, c->plies / 2);
    run_free(run);
}
END_TEST

START_TEST(the_rules_come_before_the_scores) {
    Run *run = run_new();
    run->config.pairs = 1;
    set_opening(run, "k7/8/1K6/8/8/8/8/2Q5 w - -");
    /* The third of dev's bad scores would lose, and comes with the stalemate. */
    set_moves(run, "0,0", "c1c2 c2c1 c1c7", "a8b8 b8a8");
    run_play(run);
    expect_ending(run, "Draw by stalemate", 5, "normal");
    run_free(run);
    /* And so it is without. */
    run = run_new();
    run->config.pairs = 1;
    set_opening(run, "k7/8/1K6/8/8/8/8/2Q5 w - -");
    set_moves(run, "0,0", "c1c2 c2c1 c1d1", "a8b8 b8a8");
    run_play(run);
    expect_ending(run, "Black wins by adjudication", 5, "adjudication");
    run_free(run);
}
END_TEST

/* A capture leaves four men, for the tables; the third of dev's bad scores, which would lose, comes
 * with it. */
START_TEST(the_tables_are_asked_after_each_move_and_before_the_scores) {
    static const struct {
        const char *opening, *dev, *base, *reason;
        int plies;
    } CASES[] = {
        {"4k3/8/8/8/7p/8/8/R3K1N1 w - -", "a1a4 e1e2 a4h4", "e8d8 d8e8",
         "White wins by adjudication: SyzygyTB", 5},
        {"4k3/8/8/8/7p/8/6N1/N3K3 w - -", "e1e2 e2e1 g2h4", "e8d8 d8e8",
         "Draw by adjudication: SyzygyTB", 5},
        {"4k3/8/8/8/7p/8/8/R3K1N1 w - -", "a1a4 e1e2 a4a1", "e8d8 d8e8",
         "Black wins by adjudication", 5},
    };
    Error err = {0};
    Syzygy syzygy;
    if (!syzygy_open(&syzygy, shared_path("syzygy"), 4, NULL, &err)) {
        fprintf(stderr, "left out: tables: %s\n", err.text);
        return;
    }
    Run *run = run_new();
    run->config.pairs = 1;
    run->config.adjudication.syzygy = &syzygy;
    set_opening(run, CASES[_i].opening);
    set_moves(run, "0,0", CASES[_i].dev, CASES[_i].base);
    run_play(run);
    expect_ending(run, CASES[_i].reason, CASES[_i].plies, "adjudication");
    run_free(run);
}
END_TEST

/* The draw would be due with the sixth ply, and White's third move counts as the first. */
START_TEST(a_pawn_move_and_a_capture_put_off_the_draw) {
    static const char *const CASES[][2] = {
        {"8/8/4k3/8/8/3P4/4K3/8 w - -", "e2e3 e3e2 d3d4 e2e3 e3e2"},
        {"8/8/4k3/p7/8/8/4K3/R7 w - -", "e2e3 e3e2 a1a5 e2e3 e3e2"}};
    Run *run = run_new();
    run->config.pairs = 1;
    set_opening(run, CASES[_i][0]);
    set_moves(run, "0,100", CASES[_i][1], "e6d6 d6e6 e6d6 d6e6 e6d6");
    run_play(run);
    expect_ending(run, "Draw by adjudication", 10, "adjudication");
    run_free(run);
}
END_TEST

/* What the PGN calls a game that a fault of White has ended, under each kind of limit. */
START_TEST(each_fault_has_its_termination) {
    static const struct {
        const char *fault;
        TimeControl limit;
        const char *reason, *termination;
    } CASES[] = {
        {"die", {.kind = TC_NODES, .nodes = 1}, "White disconnects", "abandoned"},
        {"stall",
         {.kind = TC_NODES, .nodes = 1},
         "White's connection stalls",
         "stalled connection"},
        {"stall",
         {.kind = TC_DEPTH, .depth = 1},
         "White's connection stalls",
         "stalled connection"},
        {"stall", {.kind = TC_MOVETIME, .movetime_ms = 200}, "White loses on time", "time forfeit"},
        {"stall", {.kind = TC_CLOCK, .base_ms = 200}, "White loses on time", "time forfeit"},
        {"illegal",
         {.kind = TC_CLOCK, .base_ms = 60000},
         "White makes an illegal move: e2e5",
         "illegal move"},
        {"none",
         {.kind = TC_DEPTH, .depth = 3},
         "White makes an illegal move: (none)",
         "illegal move"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Run *run = run_new();
        char once[NAME_SIZE], arguments[ARGUMENTS_SIZE];
        temporary_name(once);
        snprintf(arguments, sizeof arguments, "fault=%s at=2 once=%s", CASES[i].fault, once);
        run->config.pairs = 1;
        run->config.engines[SIDE_DEV].margin_ms = 100;
        run->config.deadlines.nodes = run->config.deadlines.depth = 300;
        run->config.engines[SIDE_DEV].time_control = CASES[i].limit;
        run_set_engine(run, SIDE_DEV, arguments);
        run_play(run);
        const char *reason = run->pairs[0].reasons[0];
        ck_assert_msg(strncmp(reason, CASES[i].reason, strlen(CASES[i].reason)) == 0,
                      "case %zu: %s", i, reason);
        snprintf(arguments, sizeof arguments, "[Termination \"%s\"]", CASES[i].termination);
        ck_assert_int_eq(count_of(text_string(&run->pgn), arguments), 1);
        remove(once);
        run_free(run);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, the_rules_are_asked_in_their_order, 0, RULES_COUNT);
    tcase_add_test(tests, the_rules_come_before_the_scores);
    tcase_add_loop_test(tests, the_tables_are_asked_after_each_move_and_before_the_scores, 0, 3);
    tcase_add_loop_test(tests, a_pawn_move_and_a_capture_put_off_the_draw, 0, 2);
    tcase_add_test(tests, each_fault_has_its_termination);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("rules", add_tests);
}
