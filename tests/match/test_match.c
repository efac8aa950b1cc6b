/* SPDX-License-Identifier: MIT */
/* The match: pairs, results, options and endings, with the scripted engine on both sides. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cputime.h"
#include "match/local_run.h"
#include "match/match.h"
#include "runner.h"
#include "tools/files.h"

/* ---- Pairs and results ---- */

START_TEST(each_opening_is_played_twice_with_colours_swapped) {
    Run *run = run_new();
    run->config.pairs = 10;
    run->config.first_opening = 11; /* Beyond the last the first comes again. */
    run->config.concurrency = 3;
    run_play(run);
    run_expect_complete(run);
    ck_assert_int_eq(run->game_count, 20);
    for (int i = 0; i < 10; i++) {
        Opening opening = {0};
        ck_assert(book_opening(&run->book, (uint64_t)(11 + i) % OPENINGS, &opening, NULL));
        const SeenPair *pair = &run->pairs[i];
        ck_assert_int_eq(pair->opening, (11 + i) % OPENINGS + 1);
        ck_assert_str_eq(pair->fens[0], opening.fen);
        ck_assert_str_eq(pair->fens[1], opening.fen);
        ck_assert_int_eq(pair->games[0].white, SIDE_DEV);
        ck_assert_int_eq(pair->games[1].white, SIDE_BASE);
        ck_assert_int_eq(pair->outcome, 2);
        ck_assert_str_eq(pair->reasons[0], "Draw by adjudication");
        ck_assert_int_eq(pair->games[0].plies, 6);
        opening_free(&opening);
    }
    run_free(run);
}
END_TEST

START_TEST(without_reverses_each_opening_is_played_once) {
    Run *run = run_new();
    run->config.no_reverses = true;
    run_play(run);
    run_expect_complete(run);
    for (int i = 0; i < 8; i++) {
        Opening opening = {0};
        ck_assert(book_opening(&run->book, (uint64_t)i, &opening, NULL));
        ck_assert_int_eq(run->pairs[i / 2].opening, i / 2 * 2 + 1);
        ck_assert_str_eq(run->pairs[i / 2].fens[i % 2], opening.fen);
        /* Colours alternate game by game. */
        ck_assert_int_eq(run->pairs[i / 2].games[i % 2].white, i % 2 ? SIDE_BASE : SIDE_DEV);
        opening_free(&opening);
    }
    run_free(run);
}
END_TEST

START_TEST(wins_and_losses_are_told_from_devs_side) {
    static const struct {
        const char *plan;
        int outcome;
        const char *first, *second;
    } CASES[] = {
        {"plan=100,0", 4, "White wins by adjudication", "Black wins by adjudication"},
        {"plan=0,0", 0, "Black wins by adjudication", "White wins by adjudication"},
    };
    for (size_t i = 0; i < 2; i++) {
        Run *run = run_new();
        run_set_engine(run, SIDE_DEV, CASES[i].plan);
        run_set_engine(run, SIDE_BASE, CASES[i].plan);
        run_play(run);
        run_expect_complete(run);
        for (int p = 0; p < run->pair_count; p++) {
            ck_assert_int_eq(run->pairs[p].outcome, CASES[i].outcome);
            ck_assert_str_eq(run->pairs[p].reasons[0], CASES[i].first);
            ck_assert_str_eq(run->pairs[p].reasons[1], CASES[i].second);
        }
        run_free(run);
    }
}
END_TEST

START_TEST(results_do_not_depend_on_the_number_of_games_at_a_time) {
    Run *one = run_new();
    Run *many = run_new();
    Run *runs[] = {one, many};
    for (int i = 0; i < 2; i++) {
        runs[i]->config.pairs = 40;
        runs[i]->config.concurrency = i == 0 ? 1 : 8;
        run_set_engine(runs[i], SIDE_DEV, "plan=40,30");
        run_set_engine(runs[i], SIDE_BASE, "plan=40,30");
        run_play(runs[i]);
        run_expect_complete(runs[i]);
    }
    bool different[5] = {false};
    for (int p = 0; p < 40; p++) {
        ck_assert_int_eq(one->pairs[p].outcome, many->pairs[p].outcome);
        ck_assert_str_eq(one->pairs[p].reasons[0], many->pairs[p].reasons[0]);
        different[one->pairs[p].outcome] = true;
    }
    ck_assert(different[0] + different[1] + different[2] + different[3] + different[4] >= 3);
    run_free(one);
    run_free(many);
}
END_TEST

START_TEST(the_number_of_games_at_a_time_can_change) {
    for (int i = 0; i < 2; i++) {
        Run *run = run_new();
        run->config.pairs = 12;
        run->config.concurrency = i == 0 ? 1 : 6;
        run->concurrency_after_game = i == 0 ? 6 : 1;
        run_play(run);
        run_expect_complete(run);
        ck_assert_int_ge(run->most_beside, 1);
        ck_assert_int_le(run->most_beside, 5);
        /* None begins before the other five have ended, and then each is alone. */
        if (i == 1)
            ck_assert_int_le(run->games_beside, 5);
        run_free(run);
    }
}
END_TEST

START_TEST(no_game_begins_while_a_match_is_held) {
    for (int at_once = 1; at_once <= 3; at_once += 2) {
        Run *run = run_new();
        run->config.pairs = 6;
        run->config.concurrency = at_once;
        run->hold_after_games = 5;
        run_play(run);
        run_expect_complete(run);
        /* Only those that were in play. */
        ck_assert_int_le(run->games_after_hold, at_once - 1);
        run_free(run);
    }
}
END_TEST

START_TEST(the_record_says_what_the_engines_said) {
    Run *run = run_new();
    run->config.event = "A \"test\"";
    run->config.site = "here";
    run->config.pgn.hashfull = true;
    run->config.pairs = 1;
    run_set_engine(run, SIDE_DEV, "infos=3 report");
    run_play(run);
    run_expect_complete(run);
    const char *pgn = text_string(&run->pgn);
    ck_assert_int_eq(count_of(pgn, "[Event \"A \\\"test\\\"\"]\n[Site \"here\"]\n"), 2);
    ck_assert_int_eq(count_of(pgn, "{0.00/3 "), 6);
    ck_assert_int_eq(count_of(pgn, "line=took="), 6);
    ck_assert_int_eq(count_of(pgn, "n=300,"), 6);
    ck_assert_int_eq(count_of(pgn, "hashfull=7"), 12);
    for (int i = 0; i < 2; i++) {
        const GamePart *parts = run->pairs[0].games[i].parts;
        ck_assert_int_eq(parts[SIDE_DEV].work.depths, 9);
        ck_assert_int_eq(parts[SIDE_DEV].work.depth_moves, 3);
        ck_assert_int_eq(parts[SIDE_DEV].work.nodes, 900);
        ck_assert_int_gt(parts[SIDE_DEV].work.nodes_ns, 0);
        ck_assert_int_eq(parts[SIDE_BASE].work.depths, 3);
        ck_assert_int_eq(parts[SIDE_BASE].work.nodes, 300);
    }
    run_free(run);
}
END_TEST

START_TEST(nodes_beyond_belief_do_not_count) {
    static const struct {
        const char *arguments;
        int64_t counted; /* Of three moves. */
    } CASES[] = {{"nodes=1000000000000", 3000000000000},
                 {"nodes=1000000000001", 0},
                 {"nodes=9223372036854775807", 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Run *run = run_new();
        run->config.pairs = 1;
        run_set_engine(run, SIDE_DEV, CASES[i].arguments);
        run_play(run);
        run_expect_complete(run);
        const EngineWork *work = &run->pairs[0].games[0].parts[SIDE_DEV].work;
        ck_assert_int_eq(work->nodes, CASES[i].counted);
        ck_assert_int_eq(work->nodes_ns > 0, CASES[i].counted > 0);
        ck_assert_int_eq(work->depths, 3);
        run_free(run);
    }
}
END_TEST

/* ---- Options ---- */

static const MatchOption OPTIONS[] = {
    {.name = "Hash", .value = "8"},          {.name = "Nonsense", .value = "1"},
    {.name = "Hash", .value = "999999"},     {.name = "Threads", .value = "2"},
    {.name = "style", .value = "Very Wild"}, {.name = "Clear Hash"},
    {.name = "Style", .value = "Shy"}};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

START_TEST(options_are_set_threads_first_and_bad_ones_warned_about_once) {
    char log[NAME_SIZE];
    char arguments[NAME_SIZE + 32];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = run_new();
    run->config.concurrency = 3;
    run->config.engines[SIDE_DEV].options = OPTIONS;
    run->config.engines[SIDE_DEV].option_count = OPTION_COUNT;
    run_set_engine(run, SIDE_DEV, arguments);
    run_play(run);
    run_expect_complete(run);
    char *said = read_and_remove(log);
    int processes = count_of(said, " uci\n");
    ck_assert_int_ge(processes, 1);
    ck_assert_int_le(processes, 3);
    ck_assert_int_eq(count_of(said, "setoption name Hash value 8\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption name Style value Very Wild\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption name Clear Hash\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption name Threads value 2\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption"), 4 * processes);
    ck_assert(strstr(said, "name Threads") < strstr(said, "name Hash"));
    ck_assert_int_eq(count_of(run->log_text, "Nonsense: the engine has no such option"), 1);
    ck_assert_int_eq(count_of(run->log_text, "Hash=999999: out of its range 1 to 1024"), 1);
    ck_assert_int_eq(count_of(run->log_text, "Style=Shy: not one of its values"), 1);
    ck_assert_int_eq(count_of(run->log_text, "warning"), 3);
    free(said);
    run_free(run);
}
END_TEST

START_TEST(with_strict_options_a_bad_one_ends_the_match) {
    Run *run = run_new();
    run->config.engines[SIDE_DEV].options = OPTIONS;
    run->config.engines[SIDE_DEV].option_count = OPTION_COUNT;
    run->config.engines[SIDE_DEV].strict_options = true;
    run_play(run);
    ck_assert(run->failed);
    ck_assert_ptr_nonnull(strstr(run->error.text, "Nonsense: the engine has no such option"));
    run_free(run);
}
END_TEST

START_TEST(strict_options_let_an_engine_lack_an_optional_one_but_not_refuse_its_value) {
    static const MatchOption LACKED = {.name = "Nonsense", .value = "1", .optional = true};
    static const MatchOption REFUSED = {.name = "Hash", .value = "0", .optional = true};
    const MatchOption *const options[2] = {&LACKED, &REFUSED};
    for (int i = 0; i < 2; i++) {
        Run *run = run_new();
        run->config.engines[SIDE_DEV].options = options[i];
        run->config.engines[SIDE_DEV].option_count = 1;
        run->config.engines[SIDE_DEV].strict_options = true;
        run_play(run);
        ck_assert_int_eq(run->failed, options[i] != &LACKED);
        run_free(run);
    }
}
END_TEST

static int options_of_pair(int64_t pair, Side side, const MatchOption **options, void *user) {
    static const MatchOption VALUES[4] = {{.name = "Hash", .value = "10"},
                                          {.name = "Hash", .value = "20"},
                                          {.name = "Hash", .value = "30"},
                                          {.name = "Hash", .value = "40"}};
    (void)user;
    *options = &VALUES[pair];
    return side == SIDE_DEV ? 1 : 0;
}

START_TEST(a_pair_may_have_options_of_its_own) {
    char log[NAME_SIZE];
    char arguments[NAME_SIZE + 32];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = run_new();
    run_set_engine(run, SIDE_DEV, arguments);
    run->callbacks.pair_options = options_of_pair;
    run_play(run);
    run->callbacks.pair_options = NULL;
    run_expect_complete(run);
    char *said = read_and_remove(log);
    for (int i = 1; i <= 4; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "setoption name Hash value %d0\n", i);
        ck_assert_int_eq(count_of(said, wanted), 2);
    }
    free(said);
    run_free(run);
}
END_TEST

/* The engine has played before, but would refuse the value each time. */
static int refused_options_of_pair(int64_t pair, Side side, const MatchOption **options,
                                   void *user) {
    static const MatchOption TOO_MUCH = {.name = "Hash", .value = "99999"};
    (void)user;
    *options = &TOO_MUCH;
    return side == SIDE_DEV && pair == 2 ? 1 : 0;
}

START_TEST(a_refused_option_of_a_later_pair_ends_the_match) {
    Run *run = run_new();
    run->config.engines[SIDE_DEV].strict_options = true;
    run->callbacks.pair_options = refused_options_of_pair;
    run_play(run);
    ck_assert(run->failed);
    ck_assert_int_eq(run->pair_count, 2);
    ck_assert_msg(strstr(run->error.text, "Hash=99999: out of its range") != NULL, "%s",
                  run->error.text);
    ck_assert_int_eq(count_of(run->log_text, "starting the engine again"), 0);
    run_free(run);
}
END_TEST

START_TEST(chess960_is_played_with_shredder_letters) {
    static const char BOOK[] = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\n";
    char log[NAME_SIZE];
    char arguments[NAME_SIZE + 32];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = run_new();
    run->config.chess960 = true;
    run_set_book(run, BOOK);
    run_set_engine(run, SIDE_DEV, arguments);
    run_play(run);
    run_expect_complete(run);
    char *said = read_and_remove(log);
    ck_assert_int_eq(count_of(said, "setoption name UCI_Chess960 value true\n"), 1);
    ck_assert_ptr_nonnull(
        strstr(said, "position fen bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\n"));
    free(said);
    run_free(run);

    run = run_new();
    run->config.chess960 = true;
    run_set_engine(run, SIDE_BASE, "start=no960");
    run_play(run);
    ck_assert(run->failed);
    ck_assert_ptr_nonnull(strstr(run->error.text, "cannot play Chess960"));
    run_free(run);
}
END_TEST

/* ---- The dialogue ---- */

START_TEST(the_dialogue_is_as_the_protocol_has_it) {
    char log[NAME_SIZE];
    char arguments[NAME_SIZE + 32];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = run_new();
    run->config.pairs = 1;
    run->config.engines[SIDE_DEV].time_control =
        (TimeControl){.kind = TC_CLOCK, .base_ms = 600000, .inc_ms = 100, .moves = 40};
    run_set_engine(run, SIDE_DEV, arguments);
    run_play(run);
    run_expect_complete(run);
    char *said = read_and_remove(log);
    ck_assert_int_eq(count_of(said, " uci\n"), 1);
    ck_assert_int_eq(count_of(said, " ucinewgame\n"), 2);
    ck_assert_int_eq(
        count_of(said, " go wtime 600100 btime 600100 winc 100 binc 100 movestogo 40\n"), 2);
    ck_assert_int_eq(count_of(said, " movestogo 39\n"), 2);
    ck_assert_int_eq(count_of(said, " go "), 6);
    ck_assert_int_eq(count_of(said, " quit\n"), 1);
    /* dev is White in the first game, and Black moves first in these openings. */
    const char *first = strstr(said, " position fen ");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(strstr(first, " b KQkq - 0 1 moves "));
    const char *own = strstr(text_string(&run->pgn),
                             "[WhiteTimeControl \"40/600+0.1\"]\n[BlackTimeControl \"-\"]\n");
    ck_assert_ptr_nonnull(own);
    ck_assert_ptr_nonnull(
        strstr(own, "[WhiteTimeControl \"-\"]\n[BlackTimeControl \"40/600+0.1\"]\n"));
    free(said);
    run_free(run);
}
END_TEST

/* ---- Stopping ---- */

/* The time of a move is told in whole milliseconds. */
START_TEST(games_with_a_clock_tell_how_long_their_engines_wanted_a_cpu) {
    enum { NS_PER_MS = 1000000 };
    if (cpu_time_of((int)getpid()) == 0) {
        puts("match: this system does not tell the CPU time of a process: left out");
        return;
    }
    for (int timed = 0; timed < 2; timed++) {
        Run *run = run_new();
        run->config.pairs = 1;
        run_set_engine(run, SIDE_DEV, "delay=20");
        run_set_engine(run, SIDE_BASE, "delay=10");
        if (timed)
            run->config.engines[SIDE_BASE].time_control =
                (TimeControl){.kind = TC_CLOCK, .base_ms = 600000};
        run_play(run);
        run_expect_complete(run);
        for (int i = 0; i < 2; i++) {
            const GamePart *parts = run->pairs[0].games[i].parts;
            int64_t moves = parts[SIDE_DEV].moves + parts[SIDE_BASE].moves;
            int64_t ms = parts[SIDE_DEV].ms + parts[SIDE_BASE].ms;
            int64_t wanted_ns = (int64_t)run->pairs[0].cpu[i].wanted_ns;
            ck_assert_int_ge(wanted_ns, timed * ms * NS_PER_MS);
            ck_assert_int_le(wanted_ns, timed * (ms + moves) * NS_PER_MS);
        }
        run_free(run);
    }
}
END_TEST

START_TEST(a_match_may_be_stopped_softly_or_at_once) {
    static const MatchStop HOWS[] = {MATCH_FINISH_GAMES, MATCH_NOW};
    Run *run = run_new();
    run->config.pairs = 0;
    run->config.concurrency = HOWS[_i] == MATCH_NOW ? 3 : 1;
    run->stop_after_games = 3;
    run->stop_how = HOWS[_i];
    run_play(run);
    ck_assert(!run->failed);
    if (HOWS[_i] == MATCH_FINISH_GAMES) {
        ck_assert_int_eq(run->game_count, 3);
        ck_assert_int_eq(run->pair_count, 1);
    } else {
        /* The others may have ended in the same breath. */
        ck_assert_int_ge(run->game_count, 3);
        ck_assert_int_le(run->game_count, 5);
    }
    run_free(run);
}
END_TEST

/* The match was stopped by Ctrl-Z for an hour, it says. */
START_TEST(time_in_which_this_process_was_stopped_is_not_the_matchs) {
    Run *run = run_new();
    run->excuse_ns = (uint64_t)3600 * 1000000000;
    run_play(run);
    run_expect_complete(run);
    for (int i = 0; i < run->pair_count; i++)
        ck_assert_int_eq(run->pairs[i].at_ms, 0);
    run_free(run);
}
END_TEST

START_TEST(a_match_may_be_given_back_in_the_middle) {
    Run *run = run_new();
    run->config.concurrency = 3;
    run->free_after_game = true;
    run_play(run);
    ck_assert_int_ge(run->game_count, 1);
    run_free(run);
}
END_TEST

/* Two engines with 16 MB of hash table and one thread take 112 MB, by the estimate. */
START_TEST(games_are_as_many_as_there_is_memory_for) {
    static const MatchOption LARGE[] = {{.name = "hash", .value = "1024"},
                                        {.name = "Threads", .value = "4"}};
    enum { MB = 1 << 20 };
    MatchConfig config = {.concurrency = 10};
    Text want = {0};
    ck_assert_int_eq(match_fit_memory(&config, (uint64_t)1120 * MB, &want), 10);
    ck_assert_int_eq(match_fit_memory(&config, 0, &want), 10);
    ck_assert_uint_eq(want.length, 0);
    ck_assert_int_eq(match_fit_memory(&config, (uint64_t)1119 * MB, &want), 9);
    ck_assert_str_eq(text_string(&want), "10 games at a time need about 1120 MB of memory for "
                                         "their engines, and 1119 MB are available");
    ck_assert_int_eq(match_fit_memory(&config, 5 * MB, &want), 1);
    text_clear(&want);
    config.engines[SIDE_BASE] = (MatchEngine){.options = LARGE, .option_count = 2};
    ck_assert_int_eq(match_fit_memory(&config, (uint64_t)10 * (56 + 1088) * MB, &want), 10);
    ck_assert_uint_eq(want.length, 0);
    ck_assert_int_eq(match_fit_memory(&config, (uint64_t)4096 * MB, &want), 3);
    text_free(&want);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, each_opening_is_played_twice_with_colours_swapped);
    tcase_add_test(tests, without_reverses_each_opening_is_played_once);
    tcase_add_test(tests, wins_and_losses_are_told_from_devs_side);
    tcase_add_test(tests, results_do_not_depend_on_the_number_of_games_at_a_time);
    tcase_add_test(tests, the_number_of_games_at_a_time_can_change);
    tcase_add_test(tests, no_game_begins_while_a_match_is_held);
    tcase_add_test(tests, the_record_says_what_the_engines_said);
    tcase_add_test(tests, nodes_beyond_belief_do_not_count);
    tcase_add_test(tests, options_are_set_threads_first_and_bad_ones_warned_about_once);
    tcase_add_test(tests, with_strict_options_a_bad_one_ends_the_match);
    tcase_add_test(tests,
                   strict_options_let_an_engine_lack_an_optional_one_but_not_refuse_its_value);
    tcase_add_test(tests, a_pair_may_have_options_of_its_own);
    tcase_add_test(tests, a_refused_option_of_a_later_pair_ends_the_match);
    tcase_add_test(tests, chess960_is_played_with_shredder_letters);
    tcase_add_test(tests, the_dialogue_is_as_the_protocol_has_it);
    tcase_add_test(tests, games_with_a_clock_tell_how_long_their_engines_wanted_a_cpu);
    tcase_add_loop_test(tests, a_match_may_be_stopped_softly_or_at_once, 0, 2);
    tcase_add_test(tests, time_in_which_this_process_was_stopped_is_not_the_matchs);
    tcase_add_test(tests, a_match_may_be_given_back_in_the_middle);
    tcase_add_test(tests, games_are_as_many_as_there_is_memory_for);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("match", add_tests);
}
