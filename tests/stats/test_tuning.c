/* SPDX-License-Identifier: MIT */
/* Whole tunings, their games simulated. */
#include "../runner.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/tuning.h"
#include "base/mersenne.h"

enum { PARAMETERS = 3, MANY = 24, OVERLAP = 2 };

static const SpsaSchedule SCHEDULE = {
    .alpha = 0.602, .gamma = 0.101, .a_ratio = 0.1, .iterations = 1000, .pairs_per = 8};

/* How strong an engine is: Elo, by the squared distance of each value from its best. */
typedef struct {
    double best[MANY];
    double elo_lost; /* At a distance of 100 in one parameter. */
} Truth;

static double lost(const Truth *truth, size_t parameter, double value) {
    double distance = (value - truth->best[parameter]) / 100;
    return truth->elo_lost * distance * distance;
}

static double strength(const Truth *truth, const Tuning *tuning, int64_t pair, Side side) {
    double elo = 0;
    for (size_t i = 0; i < tuning->count; i++)
        elo -= lost(truth, i, tuning_value(tuning, pair, side, i));
    return elo;
}

/* The result of a pair: by what both sides play with, the seed and the pair alone. */
static Tally play_pair(const Truth *truth, const Tuning *tuning, uint64_t seed, int64_t pair) {
    const double draws = 0.4;
    double elo = strength(truth, tuning, pair, SIDE_DEV) - strength(truth, tuning, pair, SIDE_BASE);
    double expected = 1 / (1 + pow(10, -elo / 400));
    Mersenne random;
    Tally tally = {0};
    mersenne_seed(&random, seed * 1000003 + (uint64_t)pair);
    for (int game = 0; game < 2; game++) {
        double share = mersenne_share(&random);
        tally.wins += share < expected - draws / 2;
        tally.losses += share >= expected + draws / 2;
    }
    tally.draws = 2 - tally.wins - tally.losses;
    return tally;
}

static Tuning begin_above(double min, uint64_t seed) {
    Tuning tuning;
    SpsaParameter *parameters = mem_calloc(PARAMETERS, sizeof *parameters);
    for (int i = 0; i < PARAMETERS; i++)
        parameters[i] =
            (SpsaParameter){.start = 50, .min = min, .max = 200, .c_end = 20, .r_end = 0.004};
    tuning_init(&tuning, &SCHEDULE, OVERLAP, seed, parameters, PARAMETERS);
    return tuning;
}

static Tuning begin(uint64_t seed) {
    return begin_above(-200, seed);
}

static void take(Tuning *tuning, const Truth *truth, uint64_t seed, int64_t pair) {
    Error err = {0};
    Tally result = play_pair(truth, tuning, seed, pair);
    ck_assert_msg(tuning_take(tuning, pair, &result, &err), "%s", err.text);
}

static void take_all(Tuning *tuning, const Truth *truth, uint64_t seed) {
    for (int64_t pair = 0; pair < tuning_pairs(tuning); pair++)
        take(tuning, truth, seed, pair);
}

static Tuning tune(const Truth *truth, uint64_t seed) {
    Tuning tuning = begin(seed);
    take_all(&tuning, truth, seed);
    return tuning;
}

START_TEST(a_known_optimum_is_found_within_the_noise) {
    const Truth truth = {.best = {120, -40, 50}, .elo_lost = 100};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Tuning tuning = tune(&truth, seed);
        double probability = spsa_drift_probability(tuning.drifts, PARAMETERS);
        ck_assert_msg(spsa_drift_is_progress(probability), "seed %d: probability %g", (int)seed,
                      probability);
        for (int i = 0; i < PARAMETERS; i++) {
            double noise = spsa_drift_chance(&tuning.drifts[i]);
            ck_assert_msg(fabs(tuning.values[i] - truth.best[i]) < noise,
                          "seed %d, parameter %d: %f, not %f +- %f", (int)seed, i, tuning.values[i],
                          truth.best[i], noise);
        }
        tuning_free(&tuning);
    }
}
END_TEST

START_TEST(noise_stays_within_bounds_and_is_no_progress) {
    const Truth truth = {.elo_lost = 0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Tuning tuning = tune(&truth, seed);
        double probability = spsa_drift_probability(tuning.drifts, PARAMETERS);
        ck_assert_msg(!spsa_drift_is_progress(probability), "seed %d: probability %g", (int)seed,
                      probability);
        for (int64_t i = 0; i < SCHEDULE.iterations * PARAMETERS; i++) {
            ck_assert_double_ge(tuning.path[i], tuning.parameters[0].min);
            ck_assert_double_le(tuning.path[i], tuning.parameters[0].max);
        }
        ck_assert_double_ne(tuning.values[0], 50);
        tuning_free(&tuning);
    }
}
END_TEST

/* The values begin at their least. Their best lies below, or the results do not depend on them. */
START_TEST(values_that_a_bound_holds_are_no_progress) {
    static const Truth TRUTHS[] = {{.best = {-200, -200, -200}, .elo_lost = 100}, {.elo_lost = 0}};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const Truth *truth = &TRUTHS[seed % COUNT(TRUTHS)];
        Tuning tuning = begin_above(50, seed);
        take_all(&tuning, truth, seed);
        double probability = spsa_drift_probability(tuning.drifts, PARAMETERS);
        ck_assert_msg(!spsa_drift_is_progress(probability), "seed %d, %g Elo: probability %g",
                      (int)seed, truth->elo_lost, probability);
        for (int i = 0; i < PARAMETERS; i++)
            ck_assert_double_eq_tol(tuning.drifts[i].sum, tuning.values[i] - 50, 1e-6);
        tuning_free(&tuning);
    }
}
END_TEST

/* With several games at a time pairs end in any order. */
START_TEST(the_order_in_which_pairs_end_changes_nothing) {
    const Truth truth = {.best = {120, -40, 50}, .elo_lost = 100};
    Tuning in_order = tune(&truth, 5);
    Tuning mixed = begin(5);
    Mersenne random;
    int64_t all = tuning_pairs(&mixed);
    bool *over = mem_calloc((size_t)all, sizeof *over);
    mersenne_seed(&random, 1);
    for (int64_t played = 0; played < all; played++) {
        int64_t first = mixed.done * SCHEDULE.pairs_per;
        int64_t open = tuning_open_pairs(&mixed) - first;
        int64_t pair = first + (int64_t)(mersenne_next(&random) % (uint64_t)open);
        while (over[pair])
            pair = pair + 1 < first + open ? pair + 1 : first;
        take(&mixed, &truth, 5, pair);
        over[pair] = true;
    }
    ck_assert_int_eq(tuning_open_pairs(&mixed), all);
    for (int64_t i = 0; i < SCHEDULE.iterations * PARAMETERS; i++)
        ck_assert_double_eq(mixed.path[i], in_order.path[i]);
    free(over);
    tuning_free(&mixed);
    tuning_free(&in_order);
}
END_TEST

START_TEST(a_pair_that_cannot_have_been_played_is_refused) {
    Tuning tuning = begin(1);
    const Tally won = {.wins = 2};
    Error err = {0};
    ck_assert_int_eq(tuning_open_pairs(&tuning), OVERLAP * SCHEDULE.pairs_per);
    ck_assert(!tuning_take(&tuning, OVERLAP * SCHEDULE.pairs_per, &won, &err));
    ck_assert_str_eq(err.text, "pair 16 cannot have been played after 0 iterations");
    for (int64_t pair = SCHEDULE.pairs_per; pair < 2 * SCHEDULE.pairs_per; pair++)
        ck_assert(tuning_take(&tuning, pair, &won, &err));
    ck_assert(!tuning_take(&tuning, SCHEDULE.pairs_per, &won, &err));
    ck_assert_str_eq(err.text, "pair 8 is one too many of its iteration");
    for (int64_t pair = 0; pair < SCHEDULE.pairs_per - 1; pair++)
        ck_assert(tuning_take(&tuning, pair, &won, &err));
    ck_assert_int_eq(tuning.done, 0);
    ck_assert(tuning_take(&tuning, SCHEDULE.pairs_per - 1, &won, &err));
    ck_assert_int_eq(tuning.done, 2);
    ck_assert_int_eq(tuning_open_pairs(&tuning), (OVERLAP + 2) * SCHEDULE.pairs_per);
    ck_assert(!tuning_take(&tuning, 0, &won, &err));
    ck_assert_str_eq(err.text, "pair 0 cannot have been played after 2 iterations");
    tuning_free(&tuning);
}
END_TEST

START_TEST(both_sides_stand_on_either_side_of_the_values) {
    Tuning tuning = begin(9);
    int ups = 0;
    for (int64_t pair = 0; pair < OVERLAP * SCHEDULE.pairs_per; pair += SCHEDULE.pairs_per)
        for (size_t i = 0; i < PARAMETERS; i++) {
            double dev = tuning_value(&tuning, pair, SIDE_DEV, i);
            double base = tuning_value(&tuning, pair, SIDE_BASE, i);
            ck_assert_double_ne(dev, base);
            ck_assert_double_eq_tol((dev + base) / 2, 50, 1);
            ups += dev > base;
        }
    ck_assert_int_gt(ups, 0);
    ck_assert_int_lt(ups, OVERLAP * PARAMETERS);
    tuning_free(&tuning);
}
END_TEST

/* What a tuning of MANY parameters gains: Elo, the mean of several seeds. Each begins `steps` steps
 * from its best value, and one step away costs 2 Elo. */
static double mean_gain(double steps, double r_end, int64_t pairs) {
    enum { STEP = 20, SEEDS = 10 };
    const Truth truth = {.elo_lost = 2.0 * (100 / STEP) * (100 / STEP)};
    SpsaSchedule schedule = SCHEDULE;
    double gain = 0;
    schedule.iterations = pairs / schedule.pairs_per;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        SpsaParameter *parameters = mem_calloc(MANY, sizeof *parameters);
        Tuning tuning;
        for (int i = 0; i < MANY; i++)
            parameters[i] = (SpsaParameter){
                .start = STEP * steps, .min = -1000, .max = 1000, .c_end = STEP, .r_end = r_end};
        tuning_init(&tuning, &schedule, OVERLAP, seed, parameters, MANY);
        take_all(&tuning, &truth, seed);
        for (size_t i = 0; i < MANY; i++)
            gain += lost(&truth, i, STEP * steps) - lost(&truth, i, tuning.values[i]);
        tuning_free(&tuning);
    }
    return gain / SEEDS;
}

/* The table of docs/tuning.md. */
START_TEST(many_parameters_need_as_many_pairs_as_the_guide_says) {
    static const struct {
        double steps, found[4];
    } rows[] = {{1, {20, 31, 41, 30}}, {0.5, {4, 6, 8, 2}}, {0, {-2, -3, -3, -7}}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (int column = 0; column < 4; column++) {
            bool fast = column == 3;
            double gain = mean_gain(rows[row].steps, fast ? 0.01 : 0.004, 1000 << column % 3);
            ck_assert_msg(fabs(gain - rows[row].found[column]) < 1, "%g steps, column %d: %.1f Elo",
                          rows[row].steps, column, gain);
        }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_known_optimum_is_found_within_the_noise);
    tcase_add_test(tests, many_parameters_need_as_many_pairs_as_the_guide_says);
    tcase_add_test(tests, noise_stays_within_bounds_and_is_no_progress);
    tcase_add_test(tests, values_that_a_bound_holds_are_no_progress);
    tcase_add_test(tests, the_order_in_which_pairs_end_changes_nothing);
    tcase_add_test(tests, a_pair_that_cannot_have_been_played_is_refused);
    tcase_add_test(tests, both_sides_stand_on_either_side_of_the_values);
}

int main(void) {
    return run_tests("tuning", add_tests);
}
