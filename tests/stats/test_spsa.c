/* SPDX-License-Identifier: MIT */
/* SPSA: the server's schedule, the values of both sides, and whole tunings by simulation. */
#include "../runner.h"

#include <math.h>
#include <stdio.h>

#include "stats/spsa.h"

/* A generator of the test's own (xorshift): the same numbers everywhere. */
static double next_share(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0;
}

START_TEST(every_golden_step_is_met) {
    enum { GOLDEN_ROWS = 120 };
    const double tolerance = 1e-9;
    char path[4096];
    char line[512];
    snprintf(path, sizeof path, "%s/golden/spsa.csv", shared_data() ? shared_data() : "");
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "left out: the rows of golden/spsa.csv, which is not here\n");
        return;
    }
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        SpsaSchedule schedule;
        SpsaParameter parameter = {0};
        long long iterations, pairs_per, games;
        int is_float;
        double c, r;
        int read = sscanf(line, "%lf,%lf,%lf,%lld,%lld,%lld,%d,%lf,%lf,%lf,%lf", &schedule.alpha,
                          &schedule.gamma, &schedule.a_ratio, &iterations, &pairs_per, &games,
                          &is_float, &parameter.c_end, &parameter.r_end, &c, &r);
        ck_assert_int_eq(read, 11);
        schedule.iterations = iterations;
        schedule.pairs_per = pairs_per;
        parameter.is_float = is_float == 1;
        SpsaStep step = spsa_step(&schedule, &parameter, games);
        ck_assert_msg(fabs(step.c / c - 1) < tolerance, "row %d: c %.12g, not %.12g", rows, step.c,
                      c);
        ck_assert_msg(fabs(step.r / r - 1) < tolerance, "row %d: r %.12g, not %.12g", rows, step.r,
                      r);
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, GOLDEN_ROWS);
}
END_TEST

START_TEST(the_last_iteration_has_the_steps_that_were_asked_for) {
    SpsaSchedule schedule = {
        .alpha = 0.602, .gamma = 0.101, .a_ratio = 0.1, .iterations = 500, .pairs_per = 8};
    SpsaParameter parameter = {.is_float = true, .c_end = 4, .r_end = 0.002};
    SpsaStep step = spsa_step(&schedule, &parameter, (500 - 1) * 2 * 8);
    ck_assert_double_eq_tol(step.c, 4, 1e-9);
    ck_assert_double_eq_tol(step.r, 0.002, 1e-12);
}
END_TEST

START_TEST(integers_move_by_half_a_unit_at_least) {
    SpsaSchedule schedule = {
        .alpha = 0.602, .gamma = 0.101, .a_ratio = 0.1, .iterations = 10, .pairs_per = 8};
    SpsaParameter parameter = {.c_end = 0.01, .r_end = 0.002};
    ck_assert_double_eq(spsa_step(&schedule, &parameter, 0).c, 0.5);
    parameter.is_float = true;
    ck_assert_double_lt(spsa_step(&schedule, &parameter, 0).c, 0.5);
}
END_TEST

START_TEST(both_sides_round_with_one_number_and_stay_within_bounds) {
    SpsaParameter integer = {.min = 0, .max = 10};
    double dev, base;
    spsa_perturb(&integer, 5.2, 1.5, 1, 0.2, &dev, &base);
    ck_assert_double_eq(dev, 6);  /* 6.7 + 0.2 */
    ck_assert_double_eq(base, 3); /* 3.7 + 0.2 */
    spsa_perturb(&integer, 5.2, 1.5, -1, 0.4, &dev, &base);
    ck_assert_double_eq(dev, 4);
    ck_assert_double_eq(base, 7);
    spsa_perturb(&integer, 9.5, 3, 1, 0.9, &dev, &base);
    ck_assert_double_eq(dev, 10);
    SpsaParameter real = {.is_float = true, .min = -1, .max = 1};
    spsa_perturb(&real, 0.25, 0.5, 1, 0.9, &dev, &base);
    ck_assert_double_eq(dev, 0.75);
    ck_assert_double_eq(base, -0.25);
    ck_assert_double_eq(spsa_moved(&real, 0.5, 3), 1);
    ck_assert_double_eq(spsa_moved(&real, 0.5, -3), -1);
}
END_TEST

START_TEST(wins_of_dev_move_towards_its_value) {
    SpsaStep step = {.c = 2, .r = 0.5};
    ck_assert_double_eq(spsa_delta(step, 1, 3, 1), 2);
    ck_assert_double_eq(spsa_delta(step, -1, 3, 1), -2);
    ck_assert_double_eq(spsa_delta(step, 1, 1, 1), 0);
}
END_TEST

START_TEST(the_probability_of_chance_is_that_of_chi_squared) {
    /* Quantiles of 5 % and of 1 %, from any table. */
    static const struct {
        size_t degrees;
        double x, above;
    } rows[] = {{1, 3.841459, 0.05},
                {2, 5.991465, 0.05},
                {3, 7.814728, 0.05},
                {4, 13.276704, 0.01},
                {5, 15.086272, 0.01}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        SpsaDrift drifts[5];
        for (size_t j = 0; j < rows[i].degrees; j++)
            drifts[j] = (SpsaDrift){.sum = sqrt(rows[i].x / (double)rows[i].degrees), .squares = 1};
        double above = spsa_drift_probability(drifts, rows[i].degrees);
        ck_assert_msg(fabs(above - rows[i].above) < 1e-6, "%zu degrees: %f, not %f",
                      rows[i].degrees, above, rows[i].above);
    }
    SpsaDrift still = {0};
    ck_assert_double_eq(spsa_drift_probability(&still, 1), 1);
}
END_TEST

/* ---- Whole tunings ---- */

enum { PARAMETERS = 3 };

/* What a tuning came to. */
typedef struct {
    double value[PARAMETERS];
    SpsaDrift drift[PARAMETERS];
} Tuned;

/* How strong an engine is: Elo, by the squared distance of each value from its best. */
typedef struct {
    double best[PARAMETERS];
    double elo_lost; /* At a distance of 100 in one parameter. */
} Truth;

static const SpsaParameter PARAMETER = {
    .start = 50, .min = -200, .max = 200, .c_end = 20, .r_end = 0.004};

static double strength(const Truth *truth, const double *value) {
    double elo = 0;
    for (int i = 0; i < PARAMETERS; i++) {
        double distance = (value[i] - truth->best[i]) / 100;
        elo -= truth->elo_lost * distance * distance;
    }
    return elo;
}

static Tuned tune(const Truth *truth, uint64_t seed) {
    const SpsaSchedule schedule = {
        .alpha = 0.602, .gamma = 0.101, .a_ratio = 0.1, .iterations = 1000, .pairs_per = 8};
    Tuned tuned = {0};
    uint64_t state = seed;
    for (int i = 0; i < PARAMETERS; i++)
        tuned.value[i] = PARAMETER.start;
    for (int64_t k = 0; k < schedule.iterations; k++) {
        SpsaStep step = spsa_step(&schedule, &PARAMETER, k * 2 * schedule.pairs_per);
        double dev[PARAMETERS], base[PARAMETERS];
        int flip[PARAMETERS];
        for (int i = 0; i < PARAMETERS; i++) {
            flip[i] = next_share(&state) < 0.5 ? 1 : -1;
            spsa_perturb(&PARAMETER, tuned.value[i], step.c, flip[i], next_share(&state), &dev[i],
                         &base[i]);
        }
        double elo = strength(truth, dev) - strength(truth, base);
        double expected = 1 / (1 + pow(10, -elo / 400));
        const double draws = 0.4;
        int64_t wins = 0, losses = 0;
        for (int64_t game = 0; game < 2 * schedule.pairs_per; game++) {
            double share = next_share(&state);
            wins += share < expected - draws / 2;
            losses += share >= expected + draws / 2;
        }
        for (int i = 0; i < PARAMETERS; i++) {
            double delta = spsa_delta(step, flip[i], wins, losses);
            spsa_drift_add(&tuned.drift[i], delta);
            tuned.value[i] = spsa_moved(&PARAMETER, tuned.value[i], delta);
        }
    }
    return tuned;
}

/* From this probability on a drift is called progress. */
static const double PROGRESS = 0.001;

START_TEST(a_known_optimum_is_found_within_the_noise) {
    const Truth truth = {.best = {120, -40, 50}, .elo_lost = 100};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Tuned tuned = tune(&truth, seed * 7919);
        ck_assert_msg(spsa_drift_probability(tuned.drift, PARAMETERS) < PROGRESS,
                      "seed %d: probability %g", (int)seed,
                      spsa_drift_probability(tuned.drift, PARAMETERS));
        for (int i = 0; i < PARAMETERS; i++) {
            double noise = spsa_drift_chance(&tuned.drift[i]);
            ck_assert_msg(fabs(tuned.value[i] - truth.best[i]) < noise,
                          "seed %d, parameter %d: %f, not %f +- %f", (int)seed, i, tuned.value[i],
                          truth.best[i], noise);
        }
    }
}
END_TEST

START_TEST(noise_stays_within_bounds_and_is_no_progress) {
    const Truth truth = {.elo_lost = 0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Tuned tuned = tune(&truth, seed * 104729);
        double probability = spsa_drift_probability(tuned.drift, PARAMETERS);
        ck_assert_msg(probability >= PROGRESS, "seed %d: probability %g", (int)seed, probability);
        for (int i = 0; i < PARAMETERS; i++) {
            ck_assert_double_ge(tuned.value[i], PARAMETER.min);
            ck_assert_double_le(tuned.value[i], PARAMETER.max);
            ck_assert_double_gt(spsa_drift_chance(&tuned.drift[i]), 0);
        }
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_golden_step_is_met);
    tcase_add_test(tests, the_last_iteration_has_the_steps_that_were_asked_for);
    tcase_add_test(tests, integers_move_by_half_a_unit_at_least);
    tcase_add_test(tests, both_sides_round_with_one_number_and_stay_within_bounds);
    tcase_add_test(tests, wins_of_dev_move_towards_its_value);
    tcase_add_test(tests, the_probability_of_chance_is_that_of_chi_squared);
    tcase_add_test(tests, a_known_optimum_is_found_within_the_noise);
    tcase_add_test(tests, noise_stays_within_bounds_and_is_no_progress);
}

int main(void) {
    return run_tests("spsa", add_tests);
}
