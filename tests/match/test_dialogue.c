/* SPDX-License-Identifier: MIT */
/* UCI's lines, both ways, and the order in which games are handed out. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "match/schedule.h"
#include "match/uci.h"
#include "runner.h"

START_TEST(a_message_is_its_word_alone_or_before_a_blank) {
    ck_assert_str_eq(uci_message("bestmove e2e4 ponder e7e5", "bestmove"), "e2e4 ponder e7e5");
    ck_assert_str_eq(uci_message("  readyok", "readyok"), "");
    ck_assert_str_eq(uci_message("bestmove \t", "bestmove"), "");
    ck_assert_ptr_null(uci_message("bestmoves e2e4", "bestmove"));
    ck_assert_ptr_null(uci_message("best", "bestmove"));
    ck_assert_ptr_null(uci_message("", "bestmove"));
}
END_TEST

typedef struct {
    const char *lines[6];
    UciScoreKind kind;
    bool is_mate;
    int score, depth, seldepth;
    int64_t nodes;
    int hashfull;
} InfoCase;

static const InfoCase INFO_CASES[] = {
    {{"depth 6 seldepth 8 score cp 31 nodes 981 hashfull 7 pv e2e4"},
     UCI_EXACT,
     false,
     31,
     6,
     8,
     981,
     7},
    /* The last exact score counts, a later bound does not. */
    {{"depth 6 score cp 31 nodes 10", "depth 7 score cp 50 nodes 20",
      "depth 8 score cp 80 lowerbound nodes 30"},
     UCI_EXACT,
     false,
     50,
     7,
     0,
     20,
     0},
    /* Without an exact one the last bound does. */
    {{"depth 1 score cp -3 upperbound nodes 1", "depth 2 score cp 9 lowerbound nodes 2"},
     UCI_BOUND,
     false,
     9,
     2,
     0,
     2,
     0},
    /* Other lines of a multi-PV search do not. */
    {{"depth 5 multipv 1 score cp 12 nodes 5", "depth 5 multipv 2 score cp -40 nodes 6"},
     UCI_EXACT,
     false,
     12,
     5,
     0,
     5,
     0},
    {{"depth 9 score mate -4 nodes 7"}, UCI_EXACT, true, -4, 9, 0, 7, 0},
    {{"depth 9 currmove e2e4 currmovenumber 1", "string score cp 5", "nodes 12 nps 3"},
     UCI_NO_SCORE,
     false,
     0,
     0,
     0,
     -1,
     0},
    /* The words may come in any order, but what follows string is text. */
    {{"pv e2e4 e7e5 depth 2 score cp 99 nodes 3"}, UCI_EXACT, false, 99, 2, 0, 3, 0},
    {{"depth 2 score cp 1 nodes 3 pv e2e4 string score cp 99"}, UCI_EXACT, false, 1, 2, 0, 3, 0},
    {{"score cp", "score", "depth", "score mate x", "depth -", "score cp 12345678901234567890"},
     UCI_NO_SCORE,
     false,
     0,
     0,
     0,
     -1,
     0},
    {{"depth 3 score cp 5 wdl 300 400 300 nodes 4 time 9"}, UCI_EXACT, false, 5, 3, 0, 4, 0},
    {{"depth 3 score cp 5 wdl 300 400 300 nodes 4",
      "depth 4 score cp -450 wdl 0 2 998 upperbound nodes 6"},
     UCI_EXACT,
     false,
     5,
     3,
     0,
     4,
     0},
};

START_TEST(a_spin_has_any_number_of_64_bits) {
    UciOption option = {0};
    ck_assert(uci_parse_option("name Nodes type spin default 0 min -9223372036854775807 max "
                               "9223372036854775807",
                               &option));
    ck_assert(option.min == -INT64_MAX && option.max == INT64_MAX);
}
END_TEST

START_TEST(the_last_exact_score_of_the_first_line_is_kept) {
    const InfoCase *c = &INFO_CASES[_i];
    UciInfo info = {.nodes = -1};
    for (int i = 0; i < 6 && c->lines[i] != NULL; i++)
        uci_take_info(&info, c->lines[i], NULL);
    ck_assert_int_eq(info.kind, c->kind);
    ck_assert_int_eq(info.is_mate, c->is_mate);
    ck_assert_int_eq(info.score, c->score);
    ck_assert_int_eq(info.depth, c->depth);
    ck_assert_int_eq(info.seldepth, c->seldepth);
    ck_assert_int_eq(info.nodes, c->nodes);
    ck_assert_int_eq(info.hashfull, c->hashfull);
}
END_TEST

START_TEST(the_variation_is_that_of_the_score) {
    UciInfo info = {.nodes = -1};
    Text pv = {0};
    uci_take_info(&info, "depth 1 score cp 3 pv  e2e4 e7e5", &pv);
    ck_assert_str_eq(text_string(&pv), "e2e4 e7e5");
    ck_assert_int_eq(uci_take_info(&info, "depth 2 multipv 2 score cp 9 nodes 7 pv a2a3", &pv), 7);
    uci_take_info(&info, "depth 2 score cp 9 lowerbound pv b2b3", &pv);
    uci_take_info(&info, "depth 2 pv c2c3", &pv);
    ck_assert_str_eq(text_string(&pv), "e2e4 e7e5");
    uci_take_info(&info, "depth 2 score cp 4", &pv);
    ck_assert_str_eq(text_string(&pv), "");
    uci_take_info(&info, "depth 3 score cp 4 pv d2d4 Nf6 nodes 7 time 1", &pv);
    ck_assert_str_eq(text_string(&pv), "d2d4 Nf6");
    ck_assert(uci_take_pv("pv string", &pv));
    ck_assert_str_eq(text_string(&pv), "");
    ck_assert(!uci_take_pv("depth 1 string pv a2a3", &pv));
    text_free(&pv);
}
END_TEST

START_TEST(options_are_read_with_blanks_in_names_and_values) {
    UciOption option;
    ck_assert(uci_parse_option("name Move Overhead type spin default 10 min -5 max 5000", &option));
    ck_assert_str_eq(option.name, "Move Overhead");
    ck_assert_int_eq(option.type, UCI_SPIN);
    ck_assert_int_eq(option.min, -5);
    ck_assert_int_eq(option.max, 5000);
    ck_assert(uci_check_value(&option, "-5", NULL));
    ck_assert(uci_check_value(&option, "5000", NULL));
    ck_assert(!uci_check_value(&option, "5001", NULL));
    ck_assert(!uci_check_value(&option, "12x", NULL));
    ck_assert(!uci_check_value(&option, "", NULL));
    ck_assert(!uci_check_value(&option, NULL, NULL));

    ck_assert(uci_parse_option("name Style type combo default Solid var Solid var Very Wild var X",
                               &option));
    ck_assert(uci_check_value(&option, "Solid", NULL));
    ck_assert(uci_check_value(&option, "Very Wild", NULL));
    ck_assert(uci_check_value(&option, "X", NULL));
    ck_assert(!uci_check_value(&option, "Very", NULL));
    ck_assert(!uci_check_value(&option, "", NULL));

    ck_assert(uci_parse_option("name Ponder type check default false", &option));
    ck_assert(uci_check_value(&option, "true", NULL));
    ck_assert(!uci_check_value(&option, "1", NULL));

    ck_assert(uci_parse_option("name Log File type string default", &option));
    ck_assert_str_eq(option.name, "Log File");
    ck_assert(uci_check_value(&option, "/tmp/a b", NULL));

    ck_assert(uci_parse_option("name Clear Hash type button", &option));
    ck_assert(uci_check_value(&option, NULL, NULL));
    ck_assert(uci_check_value(&option, "", NULL));
    ck_assert(!uci_check_value(&option, "1", NULL));
    Text line = {0};
    uci_add_value(&line, &option, "false");
    ck_assert_uint_eq(line.length, 0);
    uci_add_value(&line, &option, "true");
    ck_assert_str_eq(text_string(&line), "setoption name Clear Hash\n");
    text_free(&line);
    ck_assert(!uci_parse_option("name type spin", &option));
    ck_assert(!uci_parse_option("name Hash", &option));
    ck_assert(!uci_parse_option("", &option));
}
END_TEST

START_TEST(a_name_has_the_longest_that_fits_and_no_longer) {
    for (int more = 0; more < 2; more++) {
        UciOption option;
        char word[UCI_NAME_MAX + 1];
        char line[UCI_NAME_MAX + 64];
        snprintf(word, sizeof word, "%0*d", UCI_NAME_MAX - 1 + more, 0);
        snprintf(line, sizeof line, "name %s type check", word);
        ck_assert_int_eq(uci_parse_option(line, &option), !more);
        if (!more)
            ck_assert_str_eq(option.name, word);
    }
}
END_TEST

START_TEST(a_combo_of_more_values_than_are_kept_takes_any) {
    for (int more = 0; more < 2; more++) {
        UciOption option;
        char word[UCI_VALUES_MAX];
        char line[UCI_VALUES_MAX + 64];
        /* A combo's values have a line break before and behind them, and an end. */
        snprintf(word, sizeof word, "%0*d", UCI_VALUES_MAX - 3 + more, 0);
        snprintf(line, sizeof line, "name Style type combo var %s", word);
        ck_assert(uci_parse_option(line, &option));
        ck_assert_int_eq(option.cut, more);
        ck_assert(uci_check_value(&option, word, NULL));
        ck_assert_int_eq(uci_check_value(&option, "Other", NULL), more);
    }
}
END_TEST

static void expect_go(const TimeControl *white, const TimeControl *black, bool white_to_move,
                      const char *expected) {
    GameClock clocks[2];
    Text out = {0};
    gameclock_start(&clocks[0], white, 0);
    gameclock_start(&clocks[1], black, 0);
    uci_add_go(&out, &clocks[0], &clocks[1], white_to_move);
    ck_assert_str_eq(text_string(&out), expected);
    text_free(&out);
}

START_TEST(each_time_control_has_its_go) {
    TimeControl clock = {.kind = TC_CLOCK, .base_ms = 8000, .inc_ms = 80};
    TimeControl period = {.kind = TC_CLOCK, .base_ms = 10000, .inc_ms = 100, .moves = 40};
    TimeControl used = {.kind = TC_CLOCK};
    TimeControl nodes = {.kind = TC_NODES, .nodes = 5000};
    TimeControl depth = {.kind = TC_DEPTH, .depth = 8};
    TimeControl movetime = {.kind = TC_MOVETIME, .movetime_ms = 100};
    expect_go(&clock, &period, true, "go wtime 8080 btime 10100 winc 80 binc 100\n");
    expect_go(&clock, &period, false, "go wtime 8080 btime 10100 winc 80 binc 100 movestogo 40\n");
    expect_go(&nodes, &clock, true, "go nodes 5000\n");
    expect_go(&nodes, &clock, false, "go wtime 8080 btime 8080 winc 80 binc 80\n");
    expect_go(&clock, &nodes, true, "go wtime 8080 btime 8080 winc 80 binc 80\n");
    /* An engine may take 0 for no clock at all. */
    expect_go(&used, &clock, true, "go wtime 1 btime 8080 winc 0 binc 80\n");
    expect_go(&depth, &depth, false, "go depth 8\n");
    expect_go(&movetime, &nodes, true, "go movetime 100\n");
}
END_TEST

START_TEST(games_are_handed_out_pair_by_pair) {
    Schedule schedule = {.pairs = 2};
    int64_t pair;
    int game;
    for (int i = 0; i < 4; i++) {
        ck_assert(schedule_next(&schedule, &pair, &game));
        ck_assert_int_eq(pair, i / 2);
        ck_assert_int_eq(game, i % 2);
    }
    ck_assert(!schedule_next(&schedule, &pair, &game));

    schedule = (Schedule){.next = 5, .no_new_games = true};
    ck_assert(!schedule_has_next(&schedule));
}
END_TEST

START_TEST(pairs_that_were_played_are_left_out) {
    static const int64_t PLAYED[] = {0, 1, 3, 5};
    static const int64_t LEFT[] = {2, 4};
    Schedule schedule = {.pairs = 6, .played = PLAYED, .played_count = 4};
    int64_t pair;
    int game;
    for (int i = 0; i < 4; i++) {
        ck_assert(schedule_next(&schedule, &pair, &game));
        ck_assert_int_eq(pair, LEFT[i / 2]);
        ck_assert_int_eq(game, i % 2);
    }
    ck_assert(!schedule_has_next(&schedule));
    schedule = (Schedule){.played = PLAYED, .played_count = 4, .next = 6};
    ck_assert(schedule_next(&schedule, &pair, &game));
    ck_assert_int_eq(pair, 4);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_message_is_its_word_alone_or_before_a_blank);
    tcase_add_loop_test(tests, the_last_exact_score_of_the_first_line_is_kept, 0,
                        (int)(sizeof INFO_CASES / sizeof *INFO_CASES));
    tcase_add_test(tests, the_variation_is_that_of_the_score);
    tcase_add_test(tests, a_spin_has_any_number_of_64_bits);
    tcase_add_test(tests, options_are_read_with_blanks_in_names_and_values);
    tcase_add_test(tests, a_name_has_the_longest_that_fits_and_no_longer);
    tcase_add_test(tests, a_combo_of_more_values_than_are_kept_takes_any);
    tcase_add_test(tests, each_time_control_has_its_go);
    tcase_add_test(tests, games_are_handed_out_pair_by_pair);
    tcase_add_test(tests, pairs_that_were_played_are_left_out);
}

int main(void) {
    return run_tests("dialogue", add_tests);
}
