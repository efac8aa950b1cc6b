/* SPDX-License-Identifier: MIT */
/* The rules of a server, sentence by sentence of the protocol's section "What the server does". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openbench/workload.h"
#include "serve/rules.h"
#include "stats/sprt.h"
#include "runner.h"

enum { SYZYGY_MEN = 6, THREADS = 8 };

/* A test of this kind at fixed nodes, one thread a side. Its texts are constants. */
static Test a_test(int64_t id, const char *kind) {
    Test test = {.id = id,
                 .kind = (char *)kind,
                 .upload_pgns = (char *)"FALSE",
                 .workload_size = 8,
                 .throughput = 1000,
                 .syzygy_wdl = (char *)"OPTIONAL",
                 .syzygy_adj = (char *)"OPTIONAL",
                 .spsa_distribution = (char *)"",
                 .elo0 = 0,
                 .elo1 = 5,
                 .alpha = 0.05,
                 .beta = 0.05,
                 .approved = true};
    for (int side = 0; side < SIDE_COUNT; side++)
        test.sides[side] = (TestSide){.engine = (char *)"Ada",
                                      .options = (char *)"Threads=1 Hash=8",
                                      .time_control = (char *)"N=2000"};
    return test;
}

static Ability a_machine(void) {
    return (Ability){
        .concurrency = THREADS, .sockets = 1, .physical_cores = THREADS, .syzygy_max = SYZYGY_MEN};
}

static void set_options(Test *test, const char *dev, const char *base) {
    test->sides[SIDE_DEV].options = (char *)dev;
    test->sides[SIDE_BASE].options = (char *)base;
}

/* ---- Fitness ---- */

START_TEST(an_option_is_found_by_its_whole_name) {
    ck_assert_int_eq(rules_option("MaxThreads=7 Threads=3 Hash=8", "Threads"), 3);
    ck_assert_int_eq(rules_option("\"Style=a b\" \"Threads=2\"", "Threads"), 2);
    ck_assert_int_eq(rules_option("Threads=1 threads=4", "Threads"), 4); /* As an engine does. */
    ck_assert_int_eq(rules_option("Threads=0", "Threads"), 0);
    ck_assert_int_eq(rules_option("Threads=2x", "Threads"), 0);
    ck_assert_int_eq(rules_option("Hash=8", "Threads"), 0);
    ck_assert_int_eq(rules_option("\"open", "Threads"), 0);
}
END_TEST

START_TEST(a_machine_needs_the_tables_of_the_test) {
    Test test = a_test(1, "SPRT");
    Ability machine = a_machine();
    test.syzygy_wdl = (char *)"6-MAN";
    ck_assert(rules_fits(&test, &machine));
    test.syzygy_adj = (char *)"7-MAN";
    ck_assert(!rules_fits(&test, &machine));
    test.syzygy_adj = (char *)"DISABLED";
    ck_assert(rules_fits(&test, &machine));
    test.syzygy_wdl = (char *)"7-MAN";
    ck_assert(!rules_fits(&test, &machine));
    test.syzygy_wdl = (char *)"3-MAN";
    ck_assert(rules_fits(&test, &machine));
    machine.syzygy_max = 0;
    ck_assert(!rules_fits(&test, &machine));
}
END_TEST

START_TEST(a_noisy_machine_gets_nothing_that_uses_or_measures_time) {
    static const struct {
        const char *tc, *games;
        bool fits;
    } cases[] = {{"N=5000", "COMPACT", true},  {"D=8", "FALSE", true},
                 {"8.0+0.08", "FALSE", false}, {"MT=100", "FALSE", false},
                 {"40/10", "FALSE", false},    {"N=5000", "VERBOSE", false},
                 {"soon", "FALSE", false}};
    Ability machine = a_machine();
    machine.noisy = true;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int side = 0; side < SIDE_COUNT; side++) {
            Test test = a_test(1, "SPRT");
            test.sides[side].time_control = (char *)cases[i].tc;
            test.upload_pgns = (char *)cases[i].games;
            ck_assert_msg(rules_fits(&test, &machine) == cases[i].fits, "%s of side %d %s",
                          cases[i].tc, side, cases[i].games);
        }
}
END_TEST

START_TEST(a_machine_needs_the_threads_of_the_larger_side_and_twice_for_spsa) {
    Ability machine = a_machine();
    Test test = a_test(1, "SPRT");
    set_options(&test, "Threads=8 Hash=8", "Threads=8 Hash=8");
    ck_assert(rules_fits(&test, &machine));
    set_options(&test, "Threads=9 Hash=8", "Threads=1 Hash=8");
    ck_assert(!rules_fits(&test, &machine));
    set_options(&test, "Threads=1 Hash=8", "Threads=9 Hash=8");
    ck_assert(!rules_fits(&test, &machine));
    Test tuning = a_test(2, "SPSA");
    set_options(&tuning, "Threads=4 Hash=8", "Threads=4 Hash=8");
    ck_assert(rules_fits(&tuning, &machine));
    set_options(&tuning, "Threads=5 Hash=8", "Threads=5 Hash=8");
    ck_assert(!rules_fits(&tuning, &machine));
}
END_TEST

START_TEST(half_the_threads_count_where_cores_are_shared_and_the_sides_differ) {
    Ability machine = a_machine();
    machine.physical_cores = THREADS / 2;
    Test test = a_test(1, "SPRT");
    set_options(&test, "Threads=5 Hash=8", "Threads=1 Hash=8");
    ck_assert(!rules_fits(&test, &machine));
    set_options(&test, "Threads=4 Hash=8", "Threads=1 Hash=8");
    ck_assert(rules_fits(&test, &machine));
    set_options(&test, "Threads=8 Hash=8", "Threads=8 Hash=8");
    ck_assert(rules_fits(&test, &machine));
    set_options(&test, "Threads=1 Hash=8", "Hash=8"); /* One thread each. */
    ck_assert_int_eq(rules_distribution(&test, &machine).concurrency, THREADS);
}
END_TEST

/* ---- Choice ---- */

static const Words no_focus;

static Choice must_choose(const Question *question) {
    Choice choice = {0};
    ck_assert(rules_choose(question, &choice));
    return choice;
}

START_TEST(without_tests_there_is_no_choice) {
    Choice choice;
    ck_assert(!rules_choose(&(Question){.threads = 1, .focus = &no_focus}, &choice));
}
END_TEST

START_TEST(only_the_highest_priority_is_handed_out) {
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT"), a_test(3, "SPRT")};
    tests[0].priority = -5;
    tests[1].priority = 2;
    tests[1].throughput = 1; /* Far less than the others: priority goes before throughput. */
    tests[2].priority = 1;
    Question question = {.tests = tests, .count = COUNT(tests), .threads = 4, .focus = &no_focus};
    ck_assert_uint_eq(must_choose(&question).index, 1);
}
END_TEST

START_TEST(engines_in_focus_go_before_others_of_the_same_priority) {
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT")};
    tests[1].sides[SIDE_DEV].engine = (char *)"Bea";
    char *names[] = {(char *)"Bea"};
    Words focus = {.items = names, .count = 1};
    Question question = {.tests = tests, .count = 2, .threads = 4, .focus = &focus};
    Choice choice = must_choose(&question);
    ck_assert_uint_eq(choice.index, 1);
    ck_assert(choice.focused);
    tests[0].priority = 1; /* A higher priority goes before the focus. */
    choice = must_choose(&question);
    ck_assert_uint_eq(choice.index, 0);
    ck_assert(!choice.focused);
}
END_TEST

START_TEST(the_test_with_the_fewest_threads_for_its_throughput_is_next) {
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT")};
    tests[1].throughput = 3000;
    BusyThreads busy[] = {{.test_id = 1, .threads = 4}, {.test_id = 2, .threads = 16}};
    Question question = {.tests = tests,
                         .count = 2,
                         .busy = busy,
                         .busy_count = 2,
                         .threads = 4,
                         .focus = &no_focus};
    ck_assert_uint_eq(must_choose(&question).index, 1); /* 20/3000 < 8/1000 */
    busy[1].threads = 24;
    ck_assert_uint_eq(must_choose(&question).index, 0); /* 28/3000 > 8/1000 */
}
END_TEST

START_TEST(machines_there_for_their_focus_count_only_for_machines_with_focus) {
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT")};
    BusyThreads busy[] = {{.test_id = 1, .threads = 40, .focused = 40},
                          {.test_id = 2, .threads = 4}};
    char *names[] = {(char *)"Ada"};
    Words focus = {.items = names, .count = 1};
    Question question = {.tests = tests,
                         .count = 2,
                         .busy = busy,
                         .busy_count = 2,
                         .threads = 4,
                         .focus = &no_focus};
    ck_assert_uint_eq(must_choose(&question).index, 0);
    question.focus = &focus;
    ck_assert_uint_eq(must_choose(&question).index, 1);
}
END_TEST

START_TEST(the_last_test_comes_again_while_the_spread_is_fair) {
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT")};
    /* With ours: 12 and 10 threads for equal throughputs; fair is (18 + 2) / 2 = 10. */
    BusyThreads busy[] = {{.test_id = 1, .threads = 10}, {.test_id = 2, .threads = 8}};
    Question question = {.tests = tests,
                         .count = 2,
                         .busy = busy,
                         .busy_count = 2,
                         .threads = 2,
                         .focus = &no_focus,
                         .last_test = 1};
    ck_assert_uint_eq(must_choose(&question).index, 0); /* 10/10 > 0.75, and 12/10 < 1.25 */
    busy[0].threads = 12;                               /* fair 11: 14/11 > 1.25 */
    ck_assert_uint_eq(must_choose(&question).index, 1);
    busy[0].threads = 10;
    question.last_test = 99; /* Its test is over. */
    ck_assert_uint_eq(must_choose(&question).index, 1);
}
END_TEST

/* With ours, three equal tests have 3000 threads: fair is 1000. */
START_TEST(the_last_test_comes_again_within_both_limits_of_the_spread) {
    static const struct {
        int64_t threads[3]; /* Of other machines; the first test is the last one. */
        bool again;
    } rows[] = {{{1244, 877, 877}, true}, /* 1.246 of the fair threads */
                {{1252, 873, 873}, false},
                {{1098, 752, 1148}, true}, /* the least: 0.754 */
                {{1098, 744, 1156}, false}};
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT"), a_test(3, "SPRT")};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int64_t *threads = rows[i].threads;
        BusyThreads busy[] = {{.test_id = 1, .threads = threads[0]},
                              {.test_id = 2, .threads = threads[1]},
                              {.test_id = 3, .threads = threads[2]}};
        Question question = {.tests = tests,
                             .count = COUNT(tests),
                             .busy = busy,
                             .busy_count = COUNT(busy),
                             .threads = 2,
                             .focus = &no_focus,
                             .last_test = 1};
        ck_assert_msg(must_choose(&question).index == (rows[i].again ? 0 : 1), "row %zu", i);
    }
}
END_TEST

START_TEST(equals_are_drawn_at_random_by_throughput) {
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT")};
    tests[1].throughput = 3000;
    BusyThreads busy[] = {{.test_id = 2, .threads = 8}};
    Question question = {.tests = tests,
                         .count = 2,
                         .busy = busy,
                         .busy_count = 1,
                         .threads = 4,
                         .focus = &no_focus}; /* 4/1000 and 12/3000: equal */
    question.random = 0.24;
    ck_assert_uint_eq(must_choose(&question).index, 0);
    question.random = 0.26;
    ck_assert_uint_eq(must_choose(&question).index, 1);
    question.random = 0.999;
    ck_assert_uint_eq(must_choose(&question).index, 1);
}
END_TEST

START_TEST(a_balanced_server_divides_throughput_among_an_engines_tests) {
    Test tests[] = {a_test(1, "SPRT"), a_test(2, "SPRT"), a_test(3, "SPRT")};
    tests[2].sides[SIDE_DEV].engine = (char *)"Bea";
    Question question = {
        .tests = tests, .count = 3, .threads = 4, .focus = &no_focus, .random = 0, .balance = true};
    ck_assert_uint_eq(must_choose(&question).index, 2); /* 4/500, 4/500, 4/1000 */
    question.balance = false;
    ck_assert_uint_eq(must_choose(&question).index, 0);
}
END_TEST

/* ---- Distribution ---- */

static void check_distribution(Distribution d, int64_t runners, int64_t concurrency,
                               int64_t rounds) {
    ck_assert_int_eq(d.runners, runners);
    ck_assert_int_eq(d.concurrency, concurrency);
    ck_assert_int_eq(d.rounds, rounds);
}

START_TEST(a_runner_for_each_socket_plays_two_workload_sizes_for_each_game_at_a_time) {
    Test test = a_test(1, "SPRT");
    Ability machine = a_machine();
    machine.sockets = 2;
    check_distribution(rules_distribution(&test, &machine), 2, 4, 64);
    ck_assert_int_eq(rules_openings(&test, rules_distribution(&test, &machine)), 64);
}
END_TEST

START_TEST(a_large_workload_has_no_more_rounds_than_workers_take) {
    Test test = a_test(1, "SPRT");
    Ability machine = a_machine();
    machine.sockets = 1;
    test.workload_size = 100000;
    machine.concurrency = machine.physical_cores = 64;
    check_distribution(rules_distribution(&test, &machine), 1, 64, WORKLOAD_ROUNDS_MAX);
    test.spsa_distribution = (char *)"MULTIPLE"; /* Its runners together have more pairs. */
    machine.concurrency = machine.physical_cores = 1024;
    Distribution d = rules_distribution(&test, &machine);
    check_distribution(d, 512, 2, 2 * (WORKLOAD_PAIRS_MAX / 512));
    ck_assert_int_eq(d.runners * d.rounds / 2, WORKLOAD_PAIRS_MAX);
}
END_TEST

/* They refuse more openings of all runners together. */
START_TEST(a_large_data_generation_has_no_more_openings_than_workers_take) {
    Test test = a_test(1, "DATAGEN");
    Ability machine = a_machine();
    machine.sockets = 6;
    test.workload_size = 100000;
    machine.concurrency = machine.physical_cores = 64;
    Distribution d = rules_distribution(&test, &machine);
    check_distribution(d, 6, 10, WORKLOAD_ROUNDS_MAX / 6 / 2 * 2);
    ck_assert_int_le(rules_openings(&test, d), WORKLOAD_ROUNDS_MAX);
}
END_TEST

START_TEST(engines_with_several_threads_have_one_runner) {
    Test test = a_test(1, "SPRT");
    Ability machine = a_machine();
    machine.sockets = 2;
    set_options(&test, "Threads=2 Hash=8", "Threads=1 Hash=8");
    check_distribution(rules_distribution(&test, &machine), 1, 4, 64);
    set_options(&test, "Threads=1 Hash=8", "Threads=2 Hash=8");
    check_distribution(rules_distribution(&test, &machine), 1, 4, 64);
    machine.physical_cores = THREADS / 2; /* Half the threads count. */
    check_distribution(rules_distribution(&test, &machine), 1, 2, 32);
}
END_TEST

START_TEST(a_multiple_tuning_has_a_runner_for_each_pair_at_a_time) {
    Test test = a_test(1, "SPSA");
    Ability machine = a_machine();
    machine.sockets = 2;
    test.spsa_distribution = (char *)"MULTIPLE";
    check_distribution(rules_distribution(&test, &machine), 4, 2, 16);
    test.spsa_distribution = (char *)"SINGLE";
    check_distribution(rules_distribution(&test, &machine), 2, 4, 64);
    test.spsa_distribution = (char *)"MULTIPLE";
    set_options(&test, "Threads=2 Hash=8", "Threads=2 Hash=8");
    check_distribution(rules_distribution(&test, &machine), 2, 2, 16);
    machine.physical_cores = THREADS / 2;
    set_options(&test, "Threads=2 Hash=8", "Threads=1 Hash=8"); /* Half the threads count. */
    check_distribution(rules_distribution(&test, &machine), 1, 2, 16);
}
END_TEST

START_TEST(data_generation_without_reverses_takes_twice_the_openings) {
    Test test = a_test(1, "DATAGEN");
    Distribution d = {.runners = 1, .concurrency = 4, .rounds = 64};
    ck_assert_int_eq(rules_openings(&test, d), 64);
    test.play_reverses = true;
    ck_assert_int_eq(rules_openings(&test, d), 32);
}
END_TEST

START_TEST(an_odd_game_without_its_reverse_uses_an_opening) {
    Test test = a_test(1, "DATAGEN");
    Tally batch = {.wins = 2, .losses = 3, .draws = 2};
    ck_assert_int_eq(rules_played(&test, &batch), 7);
    test.play_reverses = true;
    batch.draws = 3;
    ck_assert_int_eq(rules_played(&test, &batch), 4);
}
END_TEST

START_TEST(a_workload_without_reverses_has_at_least_two_openings_and_no_more_than_there_are) {
    Test test = a_test(1, "DATAGEN");
    Distribution d = {.runners = 2, .concurrency = 4, .rounds = 64};
    ck_assert_int_eq(rules_least_openings(&test), 2);
    for (int64_t openings = rules_least_openings(&test); openings < 140; openings++) {
        int64_t taken = rules_openings(&test, rules_shrink(&test, d, openings));
        ck_assert_msg(taken >= 2 && taken <= openings, "%lld of %lld", (long long)taken,
                      (long long)openings);
    }
    test.play_reverses = true;
    ck_assert_int_eq(rules_least_openings(&test), 1);
}
END_TEST

START_TEST(fewer_openings_make_a_smaller_workload) {
    Test test = a_test(1, "SPRT");
    Distribution d = {.runners = 4, .concurrency = 2, .rounds = 16}; /* 32 openings */
    check_distribution(rules_shrink(&test, d, 100), 4, 2, 16);
    check_distribution(rules_shrink(&test, d, 32), 4, 2, 16);
    check_distribution(rules_shrink(&test, d, 13), 4, 2, 6); /* 12 openings */
    check_distribution(rules_shrink(&test, d, 3), 3, 2, 2);
    for (int64_t openings = 1; openings < 40; openings++) {
        int64_t taken = rules_openings(&test, rules_shrink(&test, d, openings));
        ck_assert_msg(taken >= 1 && taken <= openings, "%lld of %lld", (long long)taken,
                      (long long)openings);
    }
}
END_TEST

/* ---- Ends ---- */

static void set_counts(Test *test, int64_t wins, int64_t losses, int64_t draws) {
    test->tally.wins = wins;
    test->tally.losses = losses;
    test->tally.draws = draws;
}

START_TEST(an_sprt_ends_beyond_its_limits) {
    Test test = a_test(1, "SPRT");
    test.tally.penta = (Penta){{16, 557, 1220, 653, 31}};
    ck_assert_int_eq(rules_end(&test), TEST_GOES_ON); /* LLR 2.91, and ln(0.95/0.05) = 2.94 */
    test.alpha = 0.1;
    ck_assert_int_eq(rules_end(&test), TEST_PASSED);
    test.tally.penta = (Penta){{31, 653, 1220, 557, 16}};
    ck_assert_int_eq(rules_end(&test), TEST_FAILED);
}
END_TEST

START_TEST(a_games_test_ends_at_its_games_and_passes_without_more_losses_than_wins) {
    Test test = a_test(1, "GAMES");
    test.max_games = 10;
    set_counts(&test, 4, 4, 1);
    ck_assert_int_eq(rules_end(&test), TEST_GOES_ON);
    set_counts(&test, 4, 4, 2);
    ck_assert_int_eq(rules_end(&test), TEST_PASSED);
    set_counts(&test, 4, 5, 3);
    ck_assert_int_eq(rules_end(&test), TEST_FAILED);
}
END_TEST

START_TEST(a_tuning_ends_after_the_games_of_its_iterations) {
    Test test = a_test(1, "SPSA");
    test.spsa = (SpsaSchedule){.iterations = 3, .pairs_per = 4};
    set_counts(&test, 10, 10, 3);
    ck_assert_int_eq(rules_end(&test), TEST_GOES_ON);
    set_counts(&test, 10, 10, 4);
    ck_assert_int_eq(rules_end(&test), TEST_OVER);
}
END_TEST

START_TEST(a_data_generation_passes_at_its_games) {
    Test test = a_test(1, "DATAGEN");
    test.max_games = 10;
    set_counts(&test, 0, 10, 0);
    ck_assert_int_eq(rules_end(&test), TEST_PASSED);
}
END_TEST

/* ---- Abilities ---- */

static const char registration[] =
    "{\"client_ver\": 49, \"machine_name\": \"box\", \"os_name\": \"Linux\", \"concurrency\": 4,"
    " \"sockets\": 1, \"physical_cores\": null, \"cpu_flags\": [\"AVX2\"], \"focus\": [\"Ada\"],"
    " \"compilers\": {\"Ada\": [\"gcc\", \"12.2.0\"]}, \"tokens\": {\"Bea\": true}}";

START_TEST(an_engine_needs_flags_system_and_a_compiler_or_a_token) {
    static const struct {
        const char *name, *flag, *system;
        bool is_private, supported;
    } cases[] = {{"Ada", "AVX2", "Linux", false, true},    {"Ada", "BMI2", "Linux", false, false},
                 {"Ada", "AVX2", "Windows", false, false}, {"Bea", "AVX2", "Linux", false, false},
                 {"Bea", "AVX2", "Linux", true, true},     {"Ada", "AVX2", "Linux", true, false}};
    Ability ability;
    Error err = {{0}};
    ck_assert_msg(ability_read(registration, &ability, &err), "%s", err.text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        Words flags = {.items = (char *[]){(char *)cases[i].flag}, .count = 1};
        Words systems = {.items = (char *[]){(char *)cases[i].system}, .count = 1};
        EngineNeeds needs = {cases[i].name, cases[i].is_private, &flags, &systems};
        ck_assert_msg(ability_supports(&ability, &needs) == cases[i].supported, "case %zu", i);
    }
    ability_free(&ability);
}
END_TEST

START_TEST(a_registration_without_a_needed_field_is_refused_by_its_name) {
    static const char *const fields[] = {"client_ver", "os_name",   "concurrency", "sockets",
                                         "cpu_flags",  "compilers", "tokens"};
    for (size_t i = 0; i < COUNT(fields); i++) {
        cJSON *info = cJSON_Parse(registration);
        cJSON_DeleteItemFromObjectCaseSensitive(info, fields[i]);
        char *text = cJSON_PrintUnformatted(info);
        Ability ability;
        Error err = {{0}};
        ck_assert(!ability_read(text, &ability, &err));
        ck_assert_msg(strstr(err.text, fields[i]), "'%s' says nothing of %s", err.text, fields[i]);
        ability_free(&ability);
        cJSON_free(text);
        cJSON_Delete(info);
    }
}
END_TEST

START_TEST(a_registration_of_impossible_numbers_is_refused) {
    static const struct {
        const char *field;
        double number;
    } rows[] = {{"concurrency", 0}, {"concurrency", 4097}, {"sockets", 0},
                {"sockets", 5},     {"syzygy_max", -1},    {"syzygy_max", 10}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        cJSON *info = cJSON_Parse(registration);
        cJSON_DeleteItemFromObjectCaseSensitive(info, rows[i].field);
        cJSON_AddNumberToObject(info, rows[i].field, rows[i].number);
        char *text = cJSON_PrintUnformatted(info);
        Ability ability;
        Error err = {{0}};
        ck_assert_msg(!ability_read(text, &ability, &err), "%s", text);
        ck_assert_msg(strstr(err.text, rows[i].field), "%s: %s", text, err.text);
        ability_free(&ability);
        cJSON_free(text);
        cJSON_Delete(info);
    }
}
END_TEST

START_TEST(a_registration_that_is_none_is_refused) {
    static const char *const texts[] = {"", "[]", "7", "{", "null", "{\"concurrency\": \"4\"}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        Ability ability;
        ck_assert_msg(!ability_read(texts[i], &ability, NULL), "'%s' was read", texts[i]);
        ability_free(&ability);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, an_option_is_found_by_its_whole_name);
    tcase_add_test(tests, a_machine_needs_the_tables_of_the_test);
    tcase_add_test(tests, a_noisy_machine_gets_nothing_that_uses_or_measures_time);
    tcase_add_test(tests, a_machine_needs_the_threads_of_the_larger_side_and_twice_for_spsa);
    tcase_add_test(tests, half_the_threads_count_where_cores_are_shared_and_the_sides_differ);
    tcase_add_test(tests, without_tests_there_is_no_choice);
    tcase_add_test(tests, only_the_highest_priority_is_handed_out);
    tcase_add_test(tests, engines_in_focus_go_before_others_of_the_same_priority);
    tcase_add_test(tests, the_test_with_the_fewest_threads_for_its_throughput_is_next);
    tcase_add_test(tests, machines_there_for_their_focus_count_only_for_machines_with_focus);
    tcase_add_test(tests, the_last_test_comes_again_while_the_spread_is_fair);
    tcase_add_test(tests, the_last_test_comes_again_within_both_limits_of_the_spread);
    tcase_add_test(tests, equals_are_drawn_at_random_by_throughput);
    tcase_add_test(tests, a_balanced_server_divides_throughput_among_an_engines_tests);
    tcase_add_test(tests,
                   a_runner_for_each_socket_plays_two_workload_sizes_for_each_game_at_a_time);
    tcase_add_test(tests, a_large_workload_has_no_more_rounds_than_workers_take);
    tcase_add_test(tests, a_large_data_generation_has_no_more_openings_than_workers_take);
    tcase_add_test(tests, engines_with_several_threads_have_one_runner);
    tcase_add_test(tests, a_multiple_tuning_has_a_runner_for_each_pair_at_a_time);
    tcase_add_test(tests, data_generation_without_reverses_takes_twice_the_openings);
    tcase_add_test(tests, an_odd_game_without_its_reverse_uses_an_opening);
    tcase_add_test(
        tests, a_workload_without_reverses_has_at_least_two_openings_and_no_more_than_there_are);
    tcase_add_test(tests, fewer_openings_make_a_smaller_workload);
    tcase_add_test(tests, an_sprt_ends_beyond_its_limits);
    tcase_add_test(tests, a_games_test_ends_at_its_games_and_passes_without_more_losses_than_wins);
    tcase_add_test(tests, a_tuning_ends_after_the_games_of_its_iterations);
    tcase_add_test(tests, a_data_generation_passes_at_its_games);
    tcase_add_test(tests, an_engine_needs_flags_system_and_a_compiler_or_a_token);
    tcase_add_test(tests, a_registration_without_a_needed_field_is_refused_by_its_name);
    tcase_add_test(tests, a_registration_of_impossible_numbers_is_refused);
    tcase_add_test(tests, a_registration_that_is_none_is_refused);
}

int main(void) {
    return run_tests("rules", add_tests);
}
