/* SPDX-License-Identifier: MIT */
#include "serve/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "match/timecontrol.h"
#include "openbench/workload.h"
#include "stats/sprt.h"
#include "stats/stats.h"

/* ---- Options of a test ---- */

int64_t rules_option(const char *options, const char *name) {
    Words words = {0};
    int64_t value = 0;
    bool found = words_split(&words, options, NULL) &&
                 text_to_int(words_value(&words, name), 1, INT32_MAX, name, &value, NULL);
    words_free(&words);
    return found ? value : 0;
}

/* The men of the tables that the machine must have: 6 for "6-MAN", 0 for "OPTIONAL" and
 * "DISABLED". */
static int64_t table_men(const char *syzygy) {
    return syzygy[0] >= '3' && syzygy[0] <= '9' && strcmp(syzygy + 1, "-MAN") == 0 ? syzygy[0] - '0'
                                                                                   : 0;
}

/* The threads of each side's engine, by side, and the larger number. */
typedef struct {
    int64_t dev, base, larger;
} Threads;

static Threads threads_of(const Test *test) {
    Threads t = {rules_option(test->sides[SIDE_DEV].options, "Threads"),
                 rules_option(test->sides[SIDE_BASE].options, "Threads"), 0};
    t.dev = t.dev < 1 ? 1 : t.dev;
    t.base = t.base < 1 ? 1 : t.base;
    t.larger = t.dev > t.base ? t.dev : t.base;
    return t;
}

/* ---- Fitness ---- */

/* Games against a clock use time. The comments of verbose games tell the time of each move. */
static bool uses_time(const Test *test) {
    if (strcmp(test->upload_pgns, "VERBOSE") == 0)
        return true;
    for (int side = 0; side < SIDE_COUNT; side++) {
        TimeControl tc;
        if (!timecontrol_parse(test->sides[side].time_control, &tc, NULL) ||
            timecontrol_is_timed(&tc))
            return true;
    }
    return false;
}

/* The threads that a machine has for the test. When the sides have different numbers of threads,
 * two threads of one core would be unfair to one side. */
static int64_t usable_threads(const Ability *ability, Threads threads) {
    bool shared_cores = ability->physical_cores < ability->concurrency;
    return shared_cores && threads.dev != threads.base ? ability->concurrency / 2
                                                       : ability->concurrency;
}

bool rules_fits(const Test *test, const Ability *ability) {
    if (table_men(test->syzygy_wdl) > ability->syzygy_max ||
        table_men(test->syzygy_adj) > ability->syzygy_max)
        return false;
    if (ability->noisy && uses_time(test))
        return false;
    Threads threads = threads_of(test);
    int64_t games_at_once = test_is(test, "SPSA") ? GAMES_PER_PAIR : 1;
    return games_at_once * threads.larger <= usable_threads(ability, threads);
}

/* ---- Choice ---- */

/* A test that the machine may get. */
typedef struct {
    size_t index;
    double threads;
    double throughput;
    double ratio; /* Threads, with ours, for the throughput. */
} Candidate;

static bool in_focus(const Question *question, const Test *test) {
    return words_has(question->focus, test->sides[SIDE_DEV].engine);
}

/* The candidates are the tests of the highest priority, and of these those in focus, if any are. */
static size_t find_candidates(const Question *question, Candidate *out, bool *focused) {
    int64_t highest = INT64_MIN;
    for (size_t i = 0; i < question->count; i++)
        if (question->tests[i].priority > highest)
            highest = question->tests[i].priority;
    *focused = false;
    for (size_t i = 0; i < question->count; i++)
        *focused |=
            question->tests[i].priority == highest && in_focus(question, &question->tests[i]);
    size_t count = 0;
    for (size_t i = 0; i < question->count; i++)
        if (question->tests[i].priority == highest &&
            (!*focused || in_focus(question, &question->tests[i])))
            out[count++].index = i;
    return count;
}

/* The threads of other machines on the test. Machines that are there for their focus count only
 * when our machine is too. */
static double other_threads(const Question *question, int64_t test_id, bool focused) {
    for (size_t i = 0; i < question->busy_count; i++) {
        const BusyThreads *busy = &question->busy[i];
        if (busy->test_id == test_id)
            return (double)(busy->threads - (focused ? 0 : busy->focused));
    }
    return 0;
}

/* The number of candidates whose dev engine is this one. */
static size_t tests_of_engine(const Question *question, const Candidate *candidates, size_t count,
                              const char *engine) {
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += strcmp(question->tests[candidates[i].index].sides[SIDE_DEV].engine, engine) == 0;
    return same;
}

static void weigh(const Question *question, Candidate *candidates, size_t count, bool focused) {
    for (size_t i = 0; i < count; i++) {
        const Test *test = &question->tests[candidates[i].index];
        candidates[i].threads = other_threads(question, test->id, focused);
        candidates[i].throughput = (double)test->throughput;
        if (question->balance)
            candidates[i].throughput /=
                (double)tests_of_engine(question, candidates, count, test->sides[SIDE_DEV].engine);
        candidates[i].ratio =
            (candidates[i].threads + (double)question->threads) / candidates[i].throughput;
    }
}

/* One of the candidates with the least ratio, at random by throughput. */
static size_t draw(const Candidate *candidates, size_t count, double least, double random) {
    double sum = 0;
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++)
        if (candidates[i].ratio <= least)
            sum += candidates[i].throughput;
    double left = random * sum;
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].ratio > least)
            continue;
        chosen = i;
        left -= candidates[i].throughput;
        if (left < 0)
            break;
    }
    return candidates[chosen].index;
}

bool rules_choose(const Question *question, Choice *out) {
    /* The last test is given again while the threads are spread about as the throughputs ask. */
    static const double SPREAD_LEAST = 0.75, SPREAD_MOST = 1.25;
    if (question->count == 0)
        return false;
    Candidate *candidates = mem_calloc(question->count, sizeof *candidates);
    size_t count = find_candidates(question, candidates, &out->focused);
    weigh(question, candidates, count, out->focused);

    double least = candidates[0].ratio, threads = (double)question->threads, throughput = 0;
    const Candidate *last = NULL;
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].ratio < least)
            least = candidates[i].ratio;
        threads += candidates[i].threads;
        throughput += candidates[i].throughput;
        if (question->tests[candidates[i].index].id == question->last_test)
            last = &candidates[i];
    }
    double fair = threads / throughput;
    bool again = last && least / fair > SPREAD_LEAST && last->ratio / fair < SPREAD_MOST;
    out->index = again ? last->index : draw(candidates, count, least, question->random);
    free(candidates);
    return true;
}

/* ---- Distribution ---- */

/* The rounds of each runner, as far as workers take them: they limit the pairs of one runner and of
 * all. */
static int64_t limit_rounds(int64_t rounds, int64_t runners) {
    int64_t of_all = GAMES_PER_PAIR * (WORKLOAD_PAIRS_MAX / (runners > 0 ? runners : 1));
    int64_t most = of_all < WORKLOAD_ROUNDS_MAX ? of_all : WORKLOAD_ROUNDS_MAX;
    return rounds < most ? rounds : most;
}

Distribution rules_distribution(const Test *test, const Ability *ability) {
    Threads threads = threads_of(test);
    int64_t usable = usable_threads(ability, threads);
    if (strcmp(test->spsa_distribution, "MULTIPLE") == 0) {
        int64_t runners = usable / threads.larger / GAMES_PER_PAIR;
        int64_t rounds = limit_rounds(GAMES_PER_PAIR * test->workload_size, runners);
        return (Distribution){.runners = runners, .concurrency = GAMES_PER_PAIR, .rounds = rounds};
    }
    int64_t runners = threads.larger > 1 ? 1 : ability->sockets;
    int64_t concurrency = usable / runners / threads.larger;
    int64_t rounds = limit_rounds(GAMES_PER_PAIR * test->workload_size * concurrency, runners);
    int64_t positions = WORKLOAD_ROUNDS_MAX / runners / GAMES_PER_PAIR * GAMES_PER_PAIR;
    if (test_is(test, "DATAGEN") && rounds > positions) /* Workers limit those of all runners. */
        rounds = positions;
    return (Distribution){.runners = runners, .concurrency = concurrency, .rounds = rounds};
}

bool rules_plays_pairs(const Test *test) {
    return !test_is(test, "DATAGEN") || test->play_reverses;
}

int64_t rules_least_openings(const Test *test) {
    return rules_plays_pairs(test) ? 1 : GAMES_PER_PAIR;
}

int64_t rules_openings(const Test *test, Distribution d) {
    return d.runners * (d.rounds / GAMES_PER_PAIR) * rules_least_openings(test);
}

Distribution rules_shrink(const Test *test, Distribution d, int64_t openings) {
    int64_t pairs = openings / rules_least_openings(test);
    if (pairs >= d.runners * (d.rounds / GAMES_PER_PAIR))
        return d;
    if (d.runners > pairs)
        d.runners = pairs;
    d.rounds = GAMES_PER_PAIR * (pairs / d.runners);
    return d;
}

int64_t rules_played(const Test *test, const Tally *batch) {
    return rules_plays_pairs(test) ? tally_games(batch) / GAMES_PER_PAIR : tally_games(batch);
}

/* ---- Ends ---- */

double rules_llr(const Test *test) {
    if (!test_is(test, "SPRT"))
        return 0;
    SprtRule rule = test_rule(test);
    return sprt_llr(&rule, &test->tally);
}

static TestEnd sprt_end(const Test *test) {
    SprtRule rule = test_rule(test);
    switch (sprt_verdict(rules_llr(test), sprt_limits(&rule))) {
    case VERDICT_H1:
        return TEST_PASSED;
    case VERDICT_H0:
        return TEST_FAILED;
    case VERDICT_NONE:
        break;
    }
    return TEST_GOES_ON;
}

int64_t rules_games(const Test *test) {
    if (test_is(test, "SPRT"))
        return 0;
    return test_is(test, "SPSA") ? GAMES_PER_PAIR * test->spsa.pairs_per * test->spsa.iterations
                                 : test->max_games;
}

TestEnd rules_end(const Test *test) {
    if (test_is(test, "SPRT"))
        return sprt_end(test);
    if (tally_games(&test->tally) < rules_games(test))
        return TEST_GOES_ON;
    if (test_is(test, "SPSA"))
        return TEST_OVER;
    bool lost = test_is(test, "GAMES") && test->tally.wins < test->tally.losses;
    return lost ? TEST_FAILED : TEST_PASSED;
}
