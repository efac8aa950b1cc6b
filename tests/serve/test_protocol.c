/* SPDX-License-Identifier: MIT */
/* The protocol beyond the recordings: batches with numbers, other users, bad fields, openings that
 * were lost, long logs, files of games. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "serve/testjson.h"
#include "serve/workercall.h"
#include "tools/protocol_rig.h"
#include "runner.h"

enum { PATH_SIZE = 256, DAY_S = 86400 };

/* The answer to a new worker, of a server whose only test is an approved one of this mode. */
static cJSON *first_workload(const char *mode) {
    Test test = protocol_test(mode, "N=2000");
    test.approved = true;
    protocol_add_test(&test);
    Worker worker = protocol_worker(TESTER, TESTER_PASSWORD);
    WebFields form = protocol_form(&worker);
    return protocol_post("/clientGetWorkload/", &form);
}

START_TEST(an_engine_that_needs_no_cpu_flag_has_an_empty_list_in_its_workload) {
    protocol_start();
    Words *flags = &rig.serve.catalog.engines[0].cpuflags;
    words_free(flags);
    *flags = (Words){0};
    cJSON *answer = first_workload("GAMES");
    const cJSON *work = cJSON_GetObjectItem(cJSON_GetObjectItem(answer, "workload"), "test");
    const cJSON *build = cJSON_GetObjectItem(cJSON_GetObjectItem(work, "dev"), "build");
    const cJSON *list = cJSON_GetObjectItem(build, "cpuflags");
    ck_assert_msg(cJSON_IsArray(list), "no list in %s", rig_page(&rig));
    ck_assert_int_eq(cJSON_GetArraySize(list), 0);
    cJSON_Delete(answer);
    protocol_stop();
}
END_TEST

START_TEST(a_batch_whose_number_was_seen_is_answered_and_not_added_again) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    for (int i = 0; i < 3; i++) {
        WebFields form = protocol_batch(&worker, id);
        web_fields_add(&form, "batch", "0f3a");
        ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
    }
    ck_assert_int_eq(protocol_ask("SELECT wins + losses + draws FROM tests"), 8);
    WebFields other = protocol_batch(&worker, id);
    web_fields_add(&other, "batch", "0f3b");
    ck_assert_str_eq(protocol_error("/clientSubmitResults/", &other), "");
    for (int i = 0; i < 2; i++) { /* A worker that sends no numbers. */
        WebFields form = protocol_batch(&worker, id);
        ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
    }
    ck_assert_int_eq(protocol_ask("SELECT wins + losses + draws FROM tests"), 32);
    ck_assert_int_eq(protocol_ask("SELECT timelosses FROM rows"), 4);
    protocol_stop();
}
END_TEST

START_TEST(results_go_out_with_a_new_machine_of_the_same_user_alone) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    Worker again = protocol_worker(TESTER, TESTER_PASSWORD),
           stranger = protocol_worker(RIG_USER, RIG_PASSWORD);
    again.result = stranger.result = worker.result;
    WebFields form = protocol_batch(&again, id);
    ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
    form = protocol_batch(&stranger, id);
    ck_assert_msg(strstr(protocol_error("/clientSubmitResults/", &form), "result_id"),
                  "no refusal");
    ck_assert_int_eq(protocol_ask("SELECT wins + losses + draws FROM tests"), 8);
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM rows"), 1);
    protocol_stop();
}
END_TEST

/* A wrong bench ends a test for all workers. */
START_TEST(faults_are_told_by_machines_of_a_user_who_was_given_the_test_alone) {
    static const char *const PATHS[] = {"/clientSubmitError/", "/clientBenchError/"};
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    Worker again = protocol_worker(TESTER, TESTER_PASSWORD),
           stranger = protocol_worker(RIG_USER, RIG_PASSWORD);
    for (size_t i = 0; i < 2 * COUNT(PATHS); i++) {
        bool known = i >= COUNT(PATHS);
        WebFields form = protocol_form(known ? &again : &stranger);
        protocol_add_number(&form, "test_id", id);
        web_fields_add(&form, "error", "Wrong Bench: 1");
        ck_assert_str_eq(protocol_error(PATHS[i % COUNT(PATHS)], &form),
                         known ? "" : "test_id: test 1 has no row of this user");
        ck_assert_int_eq(protocol_ask("SELECT faulty FROM tests"), known);
        ck_assert_int_eq(protocol_ask("SELECT finished FROM tests"), i + 1 == 2 * COUNT(PATHS));
    }
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM events"), COUNT(PATHS));
    protocol_stop();
}
END_TEST

START_TEST(a_field_that_is_missing_or_wrong_is_named_and_nothing_is_kept) {
    static const struct {
        const char *name, *value, *why;
    } cases[] = {
        {"test_id", "999", "test_id"},
        {"test_id", "one", "test_id"},
        {"test_id", "", "test_id"},
        {"result_id", "-1", "result_id"},
        {"result_id", "99999999999999999999", "result_id"},
        {"trinomial", "2 3", "trinomial"},
        {"trinomial", "2 3 -3", "trinomial"},
        {"trinomial", "2 3 3 1", "trinomial"},
        {"trinomial", "{\"l\": 2}", "trinomial"},
        {"trinomial", "2 3 1", "trinomial"}, /* Not the games of the pairs. */
        {"pentanomial", "0 1 2 0", "pentanomial"},
        {"pentanomial", "", "pentanomial"},
        {"pentanomial", "0 1 2 0 99999999999", "pentanomial"},
        {"crashes", "many", "crashes"},
        {"illegals", "1.5", "illegals"},
        {"batch", "0123456789012345678901234567890123456789012345678901234567890123456789",
         "batch"},
    };
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    for (size_t i = 0; i < COUNT(cases); i++) {
        WebFields good = protocol_batch(&worker, id), form = {0};
        for (size_t k = 0; k < good.names.count; k++)
            if (strcmp(good.names.items[k], cases[i].name) != 0)
                web_fields_add(&form, good.names.items[k], good.values.items[k]);
        web_fields_add(&form, cases[i].name, cases[i].value);
        web_fields_free(&good);
        const char *error = protocol_error("/clientSubmitResults/", &form);
        ck_assert_msg(strstr(error, cases[i].why), "%s=%s: '%s' says nothing of %s", cases[i].name,
                      cases[i].value, error, cases[i].why);
    }
    ck_assert_int_eq(protocol_ask("SELECT wins + losses + draws FROM tests"), 0);
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM batches"), 0);
    protocol_stop();
}
END_TEST

/* The error quotes forty bytes: the cut is within the twentieth letter of two bytes. */
START_TEST(an_error_that_cuts_a_letter_is_utf8) {
    Worker worker;
    Text value = {0};
    Text clean = {0};
    protocol_start_with_worker(&worker);
    WebFields form = protocol_form(&worker);
    text_add_char(&value, 'a');
    for (int i = 0; i < 30; i++)
        text_add(&value, "\xc3\xa9");
    web_fields_add(&form, "test_id", text_string(&value));
    const char *error = protocol_error("/clientSubmitResults/", &form);
    ck_assert_msg(strstr(error, "is not a whole number"), "%s", error);
    text_add_utf8(&clean, error);
    ck_assert_str_eq(error, text_string(&clean));
    text_free(&clean);
    text_free(&value);
    protocol_stop();
}
END_TEST

/* A server with one tuning, and a worker on the tuning; its number. */
static int64_t start_with_tuning(Worker *worker) {
    int64_t openings;
    protocol_start();
    Test tuning = protocol_test("SPSA", "N=2000");
    tuning.approved = true;
    int64_t id = protocol_add_test(&tuning);
    protocol_add_parameters(id);
    *worker = protocol_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(protocol_get_work(worker, &openings), 1);
    return id;
}

/* The error in the answer to a batch with these deltas. */
static const char *send_deltas(const Worker *worker, int64_t id, const char *deltas) {
    WebFields good = protocol_batch(worker, id), form = {0};
    for (size_t k = 0; k + 1 < good.names.count; k++)
        web_fields_add(&form, good.names.items[k], good.values.items[k]);
    web_fields_add(&form, "spsa_delta", deltas);
    web_fields_free(&good);
    return protocol_error("/clientSubmitResults/", &form);
}

START_TEST(a_tuning_refuses_deltas_of_another_number_of_parameters) {
    static const char *const wrong[] = {"[1.5]", "[1, 2, 3]",       "1.5", "[1, \"2\"]",
                                        "[1, 2", "[1, 1e999]",      "{}",  "null",
                                        "",      "[1, 2], \"x\": 3"};
    Worker worker;
    int64_t id = start_with_tuning(&worker);
    for (size_t i = 0; i < COUNT(wrong); i++)
        ck_assert_msg(send_deltas(&worker, id, wrong[i])[0] != '\0', "%s was taken", wrong[i]);
    ck_assert_int_eq(protocol_ask("SELECT wins FROM tests"), 0);
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM parameters WHERE value <> start"), 0);
    protocol_stop();
}
END_TEST

START_TEST(a_parameter_stays_within_its_limits_however_large_the_delta) {
    Worker worker;
    int64_t id = start_with_tuning(&worker);
    ck_assert_str_eq(send_deltas(&worker, id, "[1e6, 1e6]"), "");
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM parameters WHERE value = max"), 2);
    ck_assert_str_eq(send_deltas(&worker, id, "[-1e6, -1e6]"), "");
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM parameters WHERE value = min"), 2);
    protocol_stop();
}
END_TEST

/* The answer of api/spsa to a question about the test. The caller deletes the answer. */
static cJSON *ask_tuning(int64_t id, const char *query) {
    char path[64];
    WebFields form = {0};
    snprintf(path, sizeof path, "/api/spsa/%lld/%s/", (long long)id, query);
    return protocol_post(path, &form);
}

START_TEST(a_perturbation_has_the_values_of_four_runners_and_hands_out_nothing) {
    protocol_start();
    Test tuning = protocol_test("SPSA", "N=2000"), sprt = protocol_test("SPRT", "N=2000");
    protocol_set(&tuning.spsa_distribution, "MULTIPLE");
    int64_t id = protocol_add_test(&tuning), other = protocol_add_test(&sprt);
    protocol_add_parameters(id);
    cJSON *answer = ask_tuning(id, "perturbation");
    const cJSON *values = cJSON_GetObjectItem(answer, "perturbation");
    ck_assert_int_eq(cJSON_GetArraySize(values), 2);
    const cJSON *divisor = cJSON_GetObjectItem(values, "LmrDivisor");
    const double c = protocol_number(divisor, "c");
    ck_assert_double_gt(protocol_number(divisor, "r"), 0);
    ck_assert_int_eq((int)protocol_number(divisor, "index"), 1);
    for (int k = 0; k < 4; k++) {
        const cJSON *flip = cJSON_GetArrayItem(cJSON_GetObjectItem(divisor, "flip"), k);
        const cJSON *dev = cJSON_GetArrayItem(cJSON_GetObjectItem(divisor, "dev"), k);
        const cJSON *base = cJSON_GetArrayItem(cJSON_GetObjectItem(divisor, "base"), k);
        ck_assert_int_eq(abs(flip->valueint), 1);
        ck_assert_double_eq_tol(dev->valuedouble, 2.31 + flip->valuedouble * c, 1e-9);
        ck_assert_double_eq_tol(base->valuedouble, 2.31 - flip->valuedouble * c, 1e-9);
    }
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(divisor, "dev")), 4);
    cJSON_Delete(answer);
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM tests WHERE book_index <> 1"), 0);
    answer = ask_tuning(other, "perturbation");
    ck_assert(cJSON_IsNull(cJSON_GetObjectItem(answer, "perturbation")));
    cJSON_Delete(answer);
    protocol_stop();
}
END_TEST

START_TEST(the_step_of_a_tuning_shrinks_with_its_games) {
    double steps[2];
    protocol_start();
    Test tuning = protocol_test("SPSA", "N=2000");
    int64_t id = protocol_add_test(&tuning);
    protocol_add_parameters(id);
    for (size_t i = 0; i < COUNT(steps); i++) {
        cJSON *answer = ask_tuning(id, "perturbation");
        const cJSON *values = cJSON_GetObjectItem(answer, "perturbation");
        steps[i] = protocol_number(cJSON_GetObjectItem(values, "LmrDivisor"), "c");
        cJSON_Delete(answer);
        protocol_run_sql("UPDATE tests SET draws = 10000 WHERE id = ?", SQL_VALUES(sql_int(id)));
    }
    ck_assert_double_lt(steps[1], steps[0]);
    protocol_stop();
}
END_TEST

START_TEST(runners_share_their_values_in_a_single_distribution_alone) {
    enum { RUNNERS = 4, ANSWERS = 32, UP = 1, DOWN = 2 };
    static const char *const distributions[] = {"SINGLE", "MULTIPLE"};
    for (int multiple = 0; multiple < 2; multiple++) {
        bool differ = false;
        int flips = 0;
        protocol_start();
        Test tuning = protocol_test("SPSA", "N=2000");
        protocol_set(&tuning.spsa_distribution, distributions[multiple]);
        int64_t id = protocol_add_test(&tuning);
        protocol_add_parameters(id);
        for (int i = 0; i < ANSWERS; i++) {
            cJSON *answer = ask_tuning(id, "perturbation");
            const cJSON *values = cJSON_GetObjectItem(answer, "perturbation");
            const cJSON *flip =
                cJSON_GetObjectItem(cJSON_GetObjectItem(values, "LmrDivisor"), "flip");
            int first = cJSON_GetArrayItem(flip, 0)->valueint;
            flips |= first > 0 ? UP : DOWN;
            for (int k = 1; k < RUNNERS; k++)
                differ |= cJSON_GetArrayItem(flip, k)->valueint != first;
            cJSON_Delete(answer);
        }
        ck_assert_int_eq(differ, multiple);
        ck_assert_int_eq(flips, UP | DOWN);
        protocol_stop();
    }
}
END_TEST

START_TEST(each_thread_of_a_data_generation_has_a_seed_of_its_own) {
    enum { THREADS = 4 };
    protocol_start();
    cJSON *answer = first_workload("DATAGEN");
    const cJSON *work = cJSON_GetObjectItem(cJSON_GetObjectItem(answer, "workload"), "test");
    const cJSON *seeds = cJSON_GetObjectItem(work, "genfens_seeds");
    ck_assert_int_eq(cJSON_GetArraySize(seeds), THREADS);
    for (int i = 1; i < THREADS; i++)
        for (int k = 0; k < i; k++)
            ck_assert_double_ne(cJSON_GetArrayItem(seeds, i)->valuedouble,
                                cJSON_GetArrayItem(seeds, k)->valuedouble);
    cJSON_Delete(answer);
    protocol_stop();
}
END_TEST

START_TEST(a_question_about_a_tuning_that_does_not_exist_names_those_that_do) {
    protocol_start();
    Test tuning = protocol_test("SPSA", "N=2000");
    cJSON *answer = ask_tuning(protocol_add_test(&tuning), "values");
    ck_assert_str_eq(cJSON_GetObjectItem(answer, "error")->valuestring,
                     "Valid /query/ endpoints are: [ inputs, outputs, digest, perturbation ]");
    cJSON_Delete(answer);
    protocol_stop();
}
END_TEST

/* Halves go to the even number, as Python's round() has it. */
START_TEST(a_tuned_number_beside_zero_has_no_sign) {
    TestParameter values[] = {{.parameter = {.name = (char *)"Small"}, .value = -0.5},
                              {.parameter = {.name = (char *)"Even"}, .value = 170.5},
                              {.parameter = {.name = (char *)"Large"}, .value = -2.6}};
    TestParameters parameters = {.items = values, .count = COUNT(values)};
    Text text = {0};
    testjson_outputs(NULL, &parameters, &text);
    ck_assert_str_eq(text_string(&text), "Small, 0\nEven, 170\nLarge, -3");
    text_free(&text);
}
END_TEST

START_TEST(openings_of_a_worker_that_vanished_go_to_the_next_one) {
    Worker worker;
    int64_t openings = 0;
    int64_t id = protocol_start_with_worker(&worker); /* Openings 1 to 32. */
    WebFields form = protocol_batch(&worker, id);     /* Four pairs. */
    ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
    rig_pass(&rig, MACHINE_VANISHED_SECONDS + 1);
    Worker next = protocol_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(protocol_get_work(&next, &openings), 5);
    ck_assert_int_eq(openings, 28);
    ck_assert_int_eq(protocol_get_work(&next, &openings), 33);
    ck_assert_int_eq(openings, 32);
    protocol_stop();
}
END_TEST

/* The stock client asks for a workload when it has played the one before. */
START_TEST(a_worker_that_numbers_its_batches_plays_the_openings_that_it_got_first) {
    static const struct {
        const char *batch;
        int64_t lost; /* The first opening that nobody has played. */
    } rows[] = {{"0f3a", 5}, {"", 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        Worker worker;
        int64_t openings = 0;
        int64_t id = protocol_start_with_worker(&worker); /* Openings 1 to 32. */
        ck_assert_int_eq(protocol_get_work(&worker, &openings), 33);
        WebFields form = protocol_batch(&worker, id); /* Four pairs. */
        if (rows[i].batch[0] != '\0')
            web_fields_add(&form, "batch", rows[i].batch);
        ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
        rig_pass(&rig, MACHINE_VANISHED_SECONDS + 1);
        Worker next = protocol_worker(TESTER, TESTER_PASSWORD);
        ck_assert_int_eq(protocol_get_work(&next, &openings), rows[i].lost);
        protocol_stop();
    }
}
END_TEST

START_TEST(nobody_has_vanished_while_the_server_was_away) {
    Worker worker;
    int64_t openings = 0;
    protocol_start_with_worker(&worker); /* Openings 1 to 32. */
    rig.now += 10 * MACHINE_VANISHED_SECONDS;
    rig_set_began(&rig, 0); /* The server starts again. */
    Worker next = protocol_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(protocol_get_work(&next, &openings), 33);
    rig.now += MACHINE_VANISHED_SECONDS + 1; /* The clock is set forward. */
    ck_assert_int_eq(protocol_get_work(&next, &openings), 65);
    rig_set_began(&rig, MACHINE_VANISHED_SECONDS + 1);
    ck_assert_int_eq(protocol_get_work(&next, &openings), 1); /* The other could be heard again. */
    ck_assert_int_eq(openings, 32);
    protocol_stop();
}
END_TEST

START_TEST(a_clock_that_is_set_takes_no_openings_from_those_who_play_them) {
    static const int64_t steps[] = {MACHINE_VANISHED_SECONDS + 300, -2 * DAY_S};
    for (size_t i = 0; i < COUNT(steps); i++) {
        Worker worker;
        int64_t openings = 0;
        int64_t id = protocol_start_with_worker(&worker); /* Openings 1 to 32. */
        WebFields form = protocol_form(&worker);
        protocol_add_number(&form, "test_id", id);
        ck_assert_str_eq(protocol_error("/clientHeartbeat/", &form), "");
        rig.now += steps[i];
        Worker next = protocol_worker(TESTER, TESTER_PASSWORD);
        ck_assert_int_eq(protocol_get_work(&next, &openings), 33);
        rig_set_began(&rig, MACHINE_VANISHED_SECONDS + 1);
        ck_assert_int_eq(protocol_get_work(&next, &openings), 1); /* It was not heard since. */
        protocol_stop();
    }
}
END_TEST

/* Does a machine have to be heard again, when the last one is heard at these times, in seconds by
 * the two clocks? The hearing began a day before 0, and the one before the last was heard at 0. */
static bool begins_again(int64_t passed, int64_t calendar) {
    const int64_t day = 1800000000;
    Hearing hearing;
    hearing_begin(&hearing, 0, day - DAY_S);
    hearing.last_ns = (int64_t)DAY_S * CLOCK_NS_PER_SECOND;
    int64_t now_ns = (DAY_S + passed) * CLOCK_NS_PER_SECOND;
    hearing_note(&hearing, now_ns, day + calendar);
    ck_assert_int_eq(hearing.last_ns, now_ns);
    ck_assert(hearing.began_ns == 0 || hearing.began_ns == now_ns);
    ck_assert_int_eq(hearing.began, hearing.began_ns == 0 ? day - DAY_S : day + calendar);
    ck_assert(hearing_has_lasted(&hearing, now_ns) == (hearing.began_ns == 0));
    return hearing.began_ns != 0;
}

START_TEST(the_hearing_begins_again_after_a_silence_and_when_the_clocks_go_apart) {
    static const struct {
        int64_t passed, calendar;
        bool again;
    } rows[] = {{0, 0, false},
                {MACHINE_VANISHED_SECONDS - 1, MACHINE_VANISHED_SECONDS - 1, false},
                {MACHINE_VANISHED_SECONDS, MACHINE_VANISHED_SECONDS, true}, /* It was stopped. */
                {30, 1230, true},                                           /* It slept. */
                {30, 30 + MACHINE_ACTIVE_SECONDS - 1, false},
                {30, 30 + MACHINE_ACTIVE_SECONDS, true}, /* The clock was set forward, or back. */
                {30, 30 - MACHINE_ACTIVE_SECONDS + 1, false},
                {30, 30 - MACHINE_ACTIVE_SECONDS, true},
                {30, -2 * DAY_S, true}};
    for (size_t i = 0; i < COUNT(rows); i++)
        ck_assert_msg(begins_again(rows[i].passed, rows[i].calendar) == rows[i].again, "row %zu",
                      i);
    Hearing hearing;
    int64_t now_ns = (int64_t)MACHINE_VANISHED_SECONDS * CLOCK_NS_PER_SECOND;
    hearing_begin(&hearing, 0, 0);
    ck_assert(!hearing_has_lasted(&hearing, now_ns));
    ck_assert(hearing_has_lasted(&hearing, now_ns + CLOCK_NS_PER_MS));
}
END_TEST

START_TEST(a_single_opening_that_was_lost_is_no_workload_of_two_games) {
    int64_t openings = 0;
    protocol_start();
    Test test = protocol_test("DATAGEN", "N=2000");
    test.play_reverses = false;
    test.approved = true;
    int64_t id = protocol_add_test(&test);
    Worker worker = protocol_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(protocol_get_work(&worker, &openings), 1);
    const int64_t all = 2 * openings; /* Each pair's place takes two. */
    WebFields form = protocol_form(&worker);
    char games[PATH_SIZE];
    snprintf(games, sizeof games, "0 %lld 0", (long long)all - 1);
    protocol_add_number(&form, "test_id", id);
    protocol_add_number(&form, "result_id", worker.result);
    web_fields_add(&form, "trinomial", games);
    web_fields_add(&form, "pentanomial", "0 0 0 0 0");
    static const char *const zeros[] = {"crashes", "timelosses", "illegals"};
    for (size_t i = 0; i < COUNT(zeros); i++)
        web_fields_add(&form, zeros[i], "0");
    ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
    rig_pass(&rig, MACHINE_VANISHED_SECONDS + 1);
    Worker next = protocol_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(protocol_get_work(&next, &openings), all + 1);
    protocol_stop();
}
END_TEST

START_TEST(crashes_and_illegal_moves_mark_the_test_and_time_losses_do_not) {
    static const struct {
        const char *field;
        int faulty;
    } rows[] = {{"timelosses", 0}, {"crashes", 1}, {"illegals", 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        Worker worker;
        int64_t id = protocol_start_with_worker(&worker);
        WebFields form = protocol_form(&worker);
        protocol_add_number(&form, "test_id", id);
        protocol_add_number(&form, "result_id", worker.result);
        web_fields_add(&form, "trinomial", "1 0 1");
        web_fields_add(&form, "pentanomial", "0 0 1 0 0");
        static const char *const counts[] = {"crashes", "timelosses", "illegals"};
        for (size_t k = 0; k < COUNT(counts); k++)
            web_fields_add(&form, counts[k], strcmp(counts[k], rows[i].field) == 0 ? "1" : "0");
        ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
        ck_assert_msg(protocol_ask("SELECT faulty FROM tests") == rows[i].faulty, "%s",
                      rows[i].field);
        protocol_stop();
    }
}
END_TEST

START_TEST(a_wrong_bench_that_comes_late_leaves_the_verdict) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    for (int passed = 0; passed < 2; passed++) {
        WebFields form = protocol_form(&worker);
        protocol_add_number(&form, "test_id", id);
        web_fields_add(&form, "error", "Wrong Bench: 1");
        ck_assert_str_eq(protocol_error("/clientBenchError/", &form), "");
        ck_assert_int_eq(protocol_ask("SELECT finished FROM tests"), 1);
        ck_assert_int_eq(protocol_ask("SELECT passed FROM tests"), passed);
        protocol_run_sql("UPDATE tests SET passed = 1", SQL_NO_VALUES);
    }
    protocol_stop();
}
END_TEST

START_TEST(a_speed_that_is_none_and_a_fault_without_words_or_with_too_many_are_refused) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    WebFields form = protocol_form(&worker);
    web_fields_add(&form, "nps", "1000000");
    web_fields_add(&form, "dev_nps", "1000000");
    web_fields_add(&form, "base_nps", "-1");
    ck_assert_str_eq(protocol_error("/clientSubmitNPS/", &form),
                     "base_nps: -1 is not between 0 and 2000000000");
    form = protocol_form(&worker);
    protocol_add_number(&form, "test_id", id);
    web_fields_add(&form, "error", "");
    ck_assert_str_eq(protocol_error("/clientSubmitError/", &form), "error: not 1 to 1000 bytes");
    char words[1002] = "";
    memset(words, 'x', sizeof words - 1);
    form = protocol_form(&worker);
    protocol_add_number(&form, "test_id", id);
    web_fields_add(&form, "error", words);
    ck_assert_str_eq(protocol_error("/clientSubmitError/", &form), "error: not 1 to 1000 bytes");
    ck_assert_int_eq(protocol_ask("SELECT faulty FROM tests"), 0);
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM events"), 0);
    protocol_stop();
}
END_TEST

START_TEST(workers_register_again_when_the_engines_have_changed) {
    Worker worker;
    protocol_start_with_worker(&worker);
    rig.serve.catalog.checksum[0] ^= 1;
    WebFields form = protocol_form(&worker);
    ck_assert_str_eq(protocol_error("/clientGetWorkload/", &form),
                     "Bad Client Version: Server Configuration Changed");
    protocol_stop();
}
END_TEST

START_TEST(a_user_who_was_disabled_gets_no_work) {
    Worker worker;
    protocol_start_with_worker(&worker);
    protocol_run_sql("UPDATE users SET enabled = 0", SQL_NO_VALUES);
    WebFields form = protocol_form(&worker);
    ck_assert_str_eq(protocol_error("/clientGetWorkload/", &form), "Bad Credentials");
    protocol_stop();
}
END_TEST

/* Gives the test `count` parameters. */
static void add_many_parameters(int64_t test, int count) {
    SpsaParameters parameters = {0};
    Text text = {0};
    Error err = {{0}};
    for (int i = 0; i < count; i++)
        text_addf(&text, "Number%d, int, 100, 0, 200, 10, 0.002\n", i);
    ck_assert_msg(spsa_add_parameters(&parameters, text_string(&text), &err), "%s", err.text);
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_parameters(t, test, &parameters);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    spsa_free_parameters(&parameters);
    text_free(&text);
}

START_TEST(a_tuning_too_large_for_a_machine_s_runners_is_passed_over) {
    Worker worker;
    int64_t openings, games = protocol_start_with_worker(&worker);
    Test test = protocol_test("SPSA", "N=2000");
    test.spsa = (SpsaSchedule){0.602, 0.101, 0.1, 5000, 8};
    protocol_set(&test.spsa_distribution, "MULTIPLE");
    test.approved = true;
    test.priority = 1;
    int64_t tuning = protocol_add_test(&test);
    add_many_parameters(tuning, 1000);
    protocol_run_sql("UPDATE machines SET concurrency = 4096, "
                     "info = json_set(info, '$.concurrency', 4096, '$.physical_cores', 4096)",
                     SQL_NO_VALUES);
    ck_assert_int_gt(protocol_get_work(&worker, &openings), 0);
    ck_assert_int_eq(protocol_ask("SELECT test_id FROM machines"), games);
    protocol_only(tuning);
    WebFields form = protocol_form(&worker);
    ck_assert_str_eq(protocol_error("/clientGetWorkload/", &form),
                     "test 2: 1000 parameters for 2048 match runners are more than 100000 values: "
                     "run this worker with fewer threads");
    protocol_run_sql(
        "UPDATE machines SET concurrency = 8, info = json_set(info, '$.concurrency', 8)",
        SQL_NO_VALUES);
    ck_assert_int_gt(protocol_get_work(&worker, &openings), 0);
    protocol_stop();
}
END_TEST

START_TEST(blacklisted_tests_are_not_handed_out_and_odd_entries_mean_nothing) {
    Worker worker;
    int64_t openings, id = protocol_start_with_worker(&worker);
    static const char *const odd[] = {"", "-1", "x", "1e3", "99999999999999999999"};
    WebFields form = protocol_form(&worker);
    for (size_t i = 0; i < COUNT(odd); i++)
        web_fields_add(&form, "blacklist", odd[i]);
    cJSON *answer = protocol_post("/clientGetWorkload/", &form);
    ck_assert_ptr_nonnull(cJSON_GetObjectItem(answer, "workload"));
    cJSON_Delete(answer);
    form = protocol_form(&worker);
    web_fields_add(&form, "blacklist", "77");
    protocol_add_number(&form, "blacklist", id);
    answer = protocol_post("/clientGetWorkload/", &form);
    ck_assert_ptr_null(cJSON_GetObjectItem(answer, "workload"));
    cJSON_Delete(answer);
    ck_assert_int_gt(protocol_get_work(&worker, &openings), 0);
    protocol_stop();
}
END_TEST

START_TEST(of_a_long_log_the_start_is_kept_and_the_cut_said) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    enum { KEPT = 65536 };
    Text log = {0};
    text_add(&log, "first\n");
    while (log.length < KEPT - 1)
        text_add_char(&log, 'x');
    text_add(&log, "\xc3\xa9 and more"); /* A letter of two bytes at the cut. */
    WebFields form = protocol_form(&worker);
    protocol_add_number(&form, "test_id", id);
    web_fields_add(&form, "error", "Disconnect");
    web_fields_add(&form, "logs", text_string(&log));
    ck_assert_str_eq(protocol_error("/clientSubmitError/", &form), "");
    Text wanted = {0};
    text_add_bytes(&wanted, text_string(&log), KEPT - 1);
    text_addf(&wanted, "\n... (the server keeps the first %d bytes of %zu)\n", KEPT - 1,
              log.length);
    Event event;
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_READ);
    ck_assert(store_event(t, 1, &event));
    transaction_cancel(t);
    ck_assert_msg(strcmp(event.log, text_string(&wanted)) == 0, "%zu bytes, the end: %s",
                  strlen(event.log), event.log + strlen(event.log) - 80);
    store_free_event(&event);
    text_free(&wanted);
    text_free(&log);
    protocol_stop();
}
END_TEST

START_TEST(a_registration_too_long_to_be_kept_is_refused) {
    protocol_start();
    Text long_info = {0};
    WebFields form = {0};
    text_add(&long_info, protocol_worker_info);
    while (long_info.length <= 65536)
        text_add_char(&long_info, ' ');
    web_fields_add(&form, "username", TESTER);
    web_fields_add(&form, "password", TESTER_PASSWORD);
    web_fields_add(&form, "system_info", text_string(&long_info));
    ck_assert_str_eq(protocol_error("/clientWorkerInfo/", &form),
                     "system_info: 65537 bytes, more than 65536");
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM machines"), 0);
    text_free(&long_info);
    protocol_stop();
}
END_TEST

/* Adds an engine for Linux that needs no CPU flag. */
static void add_engine(const char *name) {
    Catalog *catalog = &rig.serve.catalog;
    catalog->engines =
        mem_resize(catalog->engines, catalog->engine_count + 1, sizeof *catalog->engines);
    CatalogEngine *engine = &catalog->engines[catalog->engine_count++];
    *engine = (CatalogEngine){
        .name = mem_strdup(name), .source = mem_strdup(""), .build_path = mem_strdup("")};
    words_add(&engine->systems, "Linux");
}

/* Gives every machine a compiler for the engine Bea. */
static void give_compilers(void) {
    protocol_run_sql(
        "UPDATE machines SET info = json_set(info, '$.compilers.Bea', json('[\"gcc\", \"12\"]'))",
        SQL_NO_VALUES);
}

/* Adds a test between these engines, which is handed out; its number. */
static int64_t add_test_of(const char *dev, const char *base, int64_t throughput) {
    Test test = protocol_test("GAMES", "N=2000");
    test.approved = true;
    test.throughput = throughput;
    protocol_set(&test.sides[SIDE_DEV].engine, dev);
    protocol_set(&test.sides[SIDE_BASE].engine, base);
    return protocol_add_test(&test);
}

/* The test that the first machine, this worker's, gets. */
static int64_t given_test(Worker *worker) {
    int64_t openings;
    ck_assert_int_gt(protocol_get_work(worker, &openings), 0);
    return protocol_ask("SELECT test_id FROM machines ORDER BY id LIMIT 1");
}

START_TEST(a_machine_needs_the_engines_of_both_sides) {
    int64_t openings;
    protocol_start();
    add_engine("Bea");
    int64_t id = add_test_of("Weiss", "Bea", 1000);
    Worker worker = protocol_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(protocol_get_work(&worker, &openings), 0);
    give_compilers();
    ck_assert_int_eq(given_test(&worker), id);
    protocol_stop();
}
END_TEST

/* With the threads of the machine itself, the tests have 12 and 10; fair is 10. */
START_TEST(a_machine_s_last_test_comes_again_while_the_spread_is_fair) {
    protocol_start();
    int64_t tests[] = {add_test_of("Weiss", "Weiss", 1000), add_test_of("Weiss", "Weiss", 1000)};
    const struct {
        int64_t test, threads;
    } machines[] = {{tests[0], 2}, {tests[0], 10}, {tests[1], 8}};
    Worker workers[COUNT(machines)];
    for (size_t i = 0; i < COUNT(machines); i++) {
        workers[i] = protocol_worker(TESTER, TESTER_PASSWORD);
        protocol_run_sql("UPDATE machines SET test_id = ?, concurrency = ? WHERE id = ?",
                         SQL_VALUES(sql_int(machines[i].test), sql_int(machines[i].threads),
                                    sql_int(workers[i].machine)));
    }
    ck_assert_int_eq(given_test(&workers[0]), tests[0]);
    protocol_run_sql("UPDATE machines SET test_id = NULL WHERE id = ?",
                     SQL_VALUES(sql_int(workers[0].machine)));
    ck_assert_int_eq(given_test(&workers[0]), tests[1]);
    protocol_stop();
}
END_TEST

START_TEST(a_server_balances_engines_where_its_settings_say_so) {
    for (int balance = 0; balance < 2; balance++) {
        protocol_start();
        add_engine("Bea");
        rig.serve.catalog.settings.balance_engine_throughputs = balance;
        add_test_of("Weiss", "Weiss", 1000);
        int64_t bea = add_test_of("Bea", "Bea", 600); /* 4/600, 4/500 with balance, else 4/1000. */
        add_test_of("Weiss", "Weiss", 1000);
        Worker worker = protocol_worker(TESTER, TESTER_PASSWORD);
        give_compilers();
        ck_assert_int_eq(given_test(&worker) == bea, balance);
        protocol_stop();
    }
}
END_TEST

/* Who waits for the games of a test that is over would else wait for the idle machine for ever. */
START_TEST(a_machine_that_gets_no_work_plays_no_test) {
    static const char PLAYING[] = "SELECT count(*) FROM machines WHERE test_id IS NOT NULL";
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    ck_assert_int_eq(protocol_ask(PLAYING), 1);
    protocol_run_sql("UPDATE tests SET finished = 1 WHERE id = ?", SQL_VALUES(sql_int(id)));
    WebFields form = protocol_form(&worker);
    cJSON *answer = protocol_post("/clientGetWorkload/", &form);
    ck_assert_ptr_null(cJSON_GetObjectItem(answer, "workload"));
    cJSON_Delete(answer);
    ck_assert_int_eq(protocol_ask(PLAYING), 0);
    protocol_stop();
}
END_TEST

START_TEST(a_clock_that_was_ahead_is_set_right_by_the_next_request) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    protocol_run_sql("UPDATE machines SET seen = seen + ?", SQL_VALUES(sql_int(100000)));
    WebFields form = protocol_batch(&worker, id);
    ck_assert_str_eq(protocol_error("/clientSubmitResults/", &form), "");
    ck_assert_int_eq(protocol_ask("SELECT seen FROM machines"), rig.now);
    protocol_stop();
}
END_TEST

/* A worker would find no source, and leave the test for good. */
START_TEST(a_test_of_a_repository_that_is_not_kept_is_not_handed_out) {
    Error err = {{0}};
    int64_t openings = 0;
    protocol_start();
    Test test = protocol_test("GAMES", "N=2000");
    test.approved = true;
    protocol_set(&test.sides[SIDE_BASE].source, "/source/mine/0123.zip");
    protocol_add_test(&test);
    Worker worker = protocol_worker(TESTER, TESTER_PASSWORD);
    WebFields form = protocol_form(&worker);
    cJSON *answer = protocol_post("/clientGetWorkload/", &form);
    ck_assert_msg(!cJSON_HasObjectItem(answer, "workload"), "%s", rig_page(&rig));
    cJSON_Delete(answer);
    ck_assert_msg(assign_warn(&rig.serve, &err), "%s", err.text);
    rig_expect_logged(&rig, "active tests get no machines: the repository mine is not kept");
    protocol_run_sql("UPDATE tests SET base_source = dev_source, book_name = ?",
                     SQL_VALUES(sql_text("gone.epd")));
    ck_assert_msg(assign_warn(&rig.serve, &err), "%s", err.text);
    rig_expect_logged(&rig, "active tests get no machines: the server has no book gone.epd");
    protocol_run_sql("UPDATE tests SET dev_engine = ?", SQL_VALUES(sql_text("Gone")));
    ck_assert_msg(assign_warn(&rig.serve, &err), "%s", err.text);
    rig_expect_logged(&rig, "active tests get no machines: the engine Gone is not in the");
    protocol_run_sql("UPDATE tests SET dev_engine = base_engine, book_name = ?, base_source = "
                     "'/source/mine/0123.zip'",
                     SQL_VALUES(sql_text("8moves_v3.epd")));
    rig_add_repository(&rig, "Mine", "main", "true");
    ck_assert_int_eq(protocol_get_work(&worker, &openings), 1);
    protocol_stop();
}
END_TEST

/* content: of the file; NULL: the file cannot be read. */
static void send_games(const Worker *worker, int64_t test, const char *content) {
    WebRequest request = {.post = true, .path = mem_strdup("/clientSubmitPGN/")};
    request.form = protocol_form(worker);
    protocol_add_number(&request.form, "test_id", test);
    protocol_add_number(&request.form, "result_id", worker->result);
    protocol_add_number(&request.form, "book_index", 1);
    rig_add_upload(&rig, &request, "file", "../../games.pgn", content ? content : "");
    if (!content)
        remove(request.uploads[0].path);
    protocol_dispatch(&request);
}

static void send_good_games(const Worker *worker, int64_t id) {
    send_games(worker, id, "BZh91");
    ck_assert_str_eq(rig_page(&rig), "{}");
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM pgns"), 1);
}

START_TEST(games_that_are_no_bzip2_are_refused) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    send_games(&worker, id, "[Event \"x\"]");
    ck_assert_ptr_nonnull(strstr(rig_page(&rig), "bzip2"));
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM pgns"), 0);
    send_good_games(&worker, id);
    protocol_stop();
}
END_TEST

/* A worker that is refused gives its games up. */
START_TEST(games_that_the_disk_does_not_take_can_be_sent_again) {
    Worker worker;
    char games[PATH_SIZE];
    int64_t id = protocol_start_with_worker(&worker);
    snprintf(games, sizeof games, "%s/games", rig.folder);
    fclose(fopen(games, "w")); /* No folder can be made there. */
    send_games(&worker, id, "BZh91");
    rig_expect_fault(&rig, "/games");
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM pgns"), 0);
    remove(games);
    send_good_games(&worker, id);
    protocol_stop();
}
END_TEST

START_TEST(games_that_the_disk_does_not_give_back_can_be_sent_again) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    send_games(&worker, id, NULL);
    rig_expect_fault(&rig, "/upload: No such file or directory");
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM pgns"), 0);
    send_good_games(&worker, id);
    protocol_stop();
}
END_TEST

/* May the sender of this form bring a file of games? */
static bool may_send_games(WebFields form) {
    WebRequest request = {.post = true, .path = mem_strdup("/clientSubmitPGN/"), .form = form};
    const WebRoute *route = web_route(&rig.routes, &request);
    bool may = route->file->may_send(&rig.serve, &request);
    web_request_free(&request);
    return may;
}

/* Expects that the file of a worker is dropped after a change of the database. */
static void expect_no_games_after(const char *change) {
    Worker worker;
    protocol_start_with_worker(&worker);
    ck_assert(may_send_games(protocol_form(&worker)));
    protocol_run_sql(change, SQL_NO_VALUES);
    ck_assert_msg(!may_send_games(protocol_form(&worker)), "may send games after: %s", change);
    protocol_stop();
}

START_TEST(a_machine_whose_requests_are_refused_may_send_no_games) {
    expect_no_games_after("UPDATE users SET enabled = 0");
    expect_no_games_after("UPDATE machines SET client_version = client_version - 1");
    expect_no_games_after("UPDATE machines SET config = 'other'");
}
END_TEST

START_TEST(only_a_machine_with_its_secret_may_send_games) {
    Worker worker;
    protocol_start_with_worker(&worker);
    ck_assert(may_send_games(protocol_form(&worker)));
    worker.secret[0] = worker.secret[0] == 'a' ? 'b' : 'a';
    ck_assert(!may_send_games(protocol_form(&worker)));
    worker.machine++;
    ck_assert(!may_send_games(protocol_form(&worker)));
    ck_assert(!may_send_games((WebFields){0}));
    protocol_stop();
}
END_TEST

START_TEST(games_that_came_before_the_secret_are_refused_with_the_reason) {
    Worker worker;
    int64_t id = protocol_start_with_worker(&worker);
    WebFields form = protocol_form(&worker);
    protocol_add_number(&form, "test_id", id);
    protocol_add_number(&form, "result_id", worker.result);
    protocol_add_number(&form, "book_index", 1);
    ck_assert_str_eq(protocol_error("/clientSubmitPGN/", &form),
                     "file: missing, or before machine_id and secret");
    protocol_stop();
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_batch_whose_number_was_seen_is_answered_and_not_added_again);
    tcase_add_test(tests, results_go_out_with_a_new_machine_of_the_same_user_alone);
    tcase_add_test(tests, faults_are_told_by_machines_of_a_user_who_was_given_the_test_alone);
    tcase_add_test(tests, a_field_that_is_missing_or_wrong_is_named_and_nothing_is_kept);
    tcase_add_test(tests, an_error_that_cuts_a_letter_is_utf8);
    tcase_add_test(tests, a_tuning_refuses_deltas_of_another_number_of_parameters);
    tcase_add_test(tests, a_parameter_stays_within_its_limits_however_large_the_delta);
    tcase_add_test(tests, a_perturbation_has_the_values_of_four_runners_and_hands_out_nothing);
    tcase_add_test(tests, the_step_of_a_tuning_shrinks_with_its_games);
    tcase_add_test(tests, runners_share_their_values_in_a_single_distribution_alone);
    tcase_add_test(tests, each_thread_of_a_data_generation_has_a_seed_of_its_own);
    tcase_add_test(tests, a_question_about_a_tuning_that_does_not_exist_names_those_that_do);
    tcase_add_test(tests, a_tuned_number_beside_zero_has_no_sign);
    tcase_add_test(tests, openings_of_a_worker_that_vanished_go_to_the_next_one);
    tcase_add_test(tests, a_worker_that_numbers_its_batches_plays_the_openings_that_it_got_first);
    tcase_add_test(tests, nobody_has_vanished_while_the_server_was_away);
    tcase_add_test(tests, a_clock_that_is_set_takes_no_openings_from_those_who_play_them);
    tcase_add_test(tests, the_hearing_begins_again_after_a_silence_and_when_the_clocks_go_apart);
    tcase_add_test(tests, a_single_opening_that_was_lost_is_no_workload_of_two_games);
    tcase_add_test(tests, an_engine_that_needs_no_cpu_flag_has_an_empty_list_in_its_workload);
    tcase_add_test(tests, crashes_and_illegal_moves_mark_the_test_and_time_losses_do_not);
    tcase_add_test(tests, a_wrong_bench_that_comes_late_leaves_the_verdict);
    tcase_add_test(tests,
                   a_speed_that_is_none_and_a_fault_without_words_or_with_too_many_are_refused);
    tcase_add_test(tests, workers_register_again_when_the_engines_have_changed);
    tcase_add_test(tests, a_user_who_was_disabled_gets_no_work);
    tcase_add_test(tests, a_tuning_too_large_for_a_machine_s_runners_is_passed_over);
    tcase_add_test(tests, blacklisted_tests_are_not_handed_out_and_odd_entries_mean_nothing);
    tcase_add_test(tests, of_a_long_log_the_start_is_kept_and_the_cut_said);
    tcase_add_test(tests, a_registration_too_long_to_be_kept_is_refused);
    tcase_add_test(tests, a_test_of_a_repository_that_is_not_kept_is_not_handed_out);
    tcase_add_test(tests, games_that_are_no_bzip2_are_refused);
    tcase_add_test(tests, games_that_the_disk_does_not_take_can_be_sent_again);
    tcase_add_test(tests, games_that_the_disk_does_not_give_back_can_be_sent_again);
    tcase_add_test(tests, a_machine_needs_the_engines_of_both_sides);
    tcase_add_test(tests, a_machine_s_last_test_comes_again_while_the_spread_is_fair);
    tcase_add_test(tests, a_server_balances_engines_where_its_settings_say_so);
    tcase_add_test(tests, a_machine_that_gets_no_work_plays_no_test);
    tcase_add_test(tests, a_clock_that_was_ahead_is_set_right_by_the_next_request);
    tcase_add_test(tests, only_a_machine_with_its_secret_may_send_games);
    tcase_add_test(tests, a_machine_whose_requests_are_refused_may_send_no_games);
    tcase_add_test(tests, games_that_came_before_the_secret_are_refused_with_the_reason);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv); /* git runs as a child. */
    return run_tests("protocol of the server", add_tests);
}
