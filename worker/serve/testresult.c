/* SPDX-License-Identifier: MIT */
#include "serve/testresult.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "serve/rules.h"
#include "serve/testwords.h"

/* ---- Settings ---- */

static void add_schedule(Result *result, const Test *test) {
    char text[160];
    const SpsaSchedule *spsa = &test->spsa;
    snprintf(text, sizeof text,
             "%" PRId64 " iteration%s of %" PRId64 " pair%s, alpha %g, gamma %g, A ratio %g",
             spsa->iterations, text_plural(spsa->iterations), spsa->pairs_per,
             text_plural(spsa->pairs_per), spsa->alpha, spsa->gamma, spsa->a_ratio);
    result_add_both(result, "schedule", text);
    result_add_both(result, "reports", test->spsa_reporting);
    result_add_both(result, "distribution", test->spsa_distribution);
}

static void add_settings(Result *result, const Test *test) {
    const TestSide *dev = &test->sides[SIDE_DEV];
    const TestSide *base = &test->sides[SIDE_BASE];
    result_add_given(result, "engine", dev->engine, base->engine);
    result_add_given(result, "repository", dev->repo, base->repo);
    result_add_given(result, "branch", dev->branch, base->branch);
    result_add_commits(result, dev->sha, base->sha);
    result_add_numbers(result, "bench", dev->bench, base->bench);
    result_add_given(result, "network", dev->netname, base->netname);
    result_add_given(result, "time control", dev->time_control, base->time_control);
    result_add_given(result, "options", dev->options, base->options);
    result_add_rule(result);
    if (test_is(test, "SPSA"))
        add_schedule(result, test);
    if (test->max_games > 0)
        result_add_numbers(result, "games at most", test->max_games, test->max_games);
    result_add_both(result, "book", test->book_name);
    result_add_both(result, "genfens", test->genfens_args);
    result_add_both(result, "win adjudication", test->win_adj);
    result_add_both(result, "draw adjudication", test->draw_adj);
    result_add_both(result, "Syzygy, engines", test->syzygy_wdl);
    result_add_both(result, "Syzygy, adjudication", test->syzygy_adj);
    result_add_speed(result, test->scale_nps, test->scale_method);
    result_add_both(result, "PGN", test->upload_pgns);
    result_add_both(result, "author", test->author);
    result_add_both(result, "approved by", test->approver);
}

/* ---- Course, parameters ---- */

static void add_course(Transaction *t, const Test *test, Result *result) {
    TestPoint point;
    int64_t games = tally_games(&test->tally);
    Query *query = store_points(t, test->id);
    while (store_next_point(query, &point)) {
        result->report.tally = point.tally;
        if (tally_games(&point.tally) < games)
            result_add_point(result, tally_games(&point.tally));
    }
    query_end(query);
    result->report.tally = test->tally;
    if (games > 0)
        result_add_point(result, games);
}

static void add_parameters(Transaction *t, const Test *test, Result *result) {
    TestParameters parameters = {0};
    store_parameters(t, test->id, &parameters);
    for (size_t i = 0; i < parameters.count; i++)
        tuned_add_spsa(&result->report.parameters, &test->spsa, &parameters.items[i].parameter,
                       parameters.items[i].value, tally_games(&test->tally));
    store_free_parameters(&parameters);
}

/* ---- What the test is made for ---- */

static void add_iterations(const Test *test, Result *result) {
    int64_t games = GAMES_PER_PAIR * test->spsa.pairs_per;
    int64_t done = tally_games(&test->tally) / games;
    Text value = {0};
    Text note = {0};
    text_add_grouped(&value, done < test->spsa.iterations ? done : test->spsa.iterations);
    text_add(&note, "of ");
    text_add_grouped(&note, test->spsa.iterations);
    result_add_fact(result, "Iterations", text_string(&value), text_string(&note));
    text_free(&value);
    text_free(&note);
}

/* Says how much data there is, who makes the data, and whether the games are kept here. */
static void add_data_facts(Transaction *t, const Test *test, Result *result) {
    Text machines = {0};
    Text files = {0};
    bool asked = strcmp(test->upload_pgns, "FALSE") != 0;
    text_add_grouped(&machines, store_count_rows(t, test->id));
    text_add_grouped(&files, store_count_games(t, test->id));
    result_add_fact(result, "Machines", text_string(&machines), "which are listed below");
    result_add_fact(result, "Files of games", text_string(&files),
                    asked ? "at the button Games (PGN) below" : "PGN is FALSE: machines send none");
    text_free(&machines);
    text_free(&files);
}

static void set_purpose(Transaction *t, const Test *test, Result *result) {
    Text name = {0};
    result->games_wanted = rules_games(test);
    if (test_is(test, "SPSA")) {
        add_parameters(t, test, result);
        result_set_tuning(result);
        add_iterations(test, result);
    } else if (!test_compares(test)) {
        result_set_data(result);
        add_data_facts(t, test, result);
    } else {
        test_name(test, &name);
        result_set_title(result, &name);
    }
}

void test_result(Transaction *t, const Test *test, Result *result) {
    const TestSide *dev = &test->sides[SIDE_DEV];
    const TestSide *base = &test->sides[SIDE_BASE];
    Text source = {0};
    result_set_sides(result, dev->branch, base->branch);
    test_title(test, &source);
    if (test->info[0] != '\0')
        text_addf(&source, ": %s", test->info);
    result->source = text_take(&source);
    result->state = mem_strdup(test_state(test));
    result->over = test->finished;
    result->report = (Report){.sprt = test_is(test, "SPRT"),
                              .rule = test_is(test, "SPRT") ? test_rule(test) : (SprtRule){0},
                              .games_known = true,
                              .details_unknown = true,
                              .tally = test->tally};
    result_set_server_setup(result, dev->time_control, base->time_control, dev->options,
                            base->options);
    add_settings(result, test);
    set_purpose(t, test, result);
    add_course(t, test, result);
}
