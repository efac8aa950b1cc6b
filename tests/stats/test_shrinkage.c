/* SPDX-License-Identifier: MIT */
/* Estimates corrected together: stats/shrinkage. */
#include <math.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/count.h"
#include "runner.h"
#include "stats/shrinkage.h"

/* The eight schools, the textbook's example of the model (D. Rubin 1981): estimates and errors. */
static const Estimate SCHOOLS[] = {{28, 15}, {8, 10}, {-3, 16}, {7, 11},
                                   {-1, 9},  {1, 11}, {18, 10}, {12, 18}};

START_TEST(two_estimates_tell_no_family) {
    EffectFamily family;
    ck_assert(!shrinkage_fit(SCHOOLS, 2, &family));
    ck_assert(!shrinkage_fit(SCHOOLS, 0, &family));
    ck_assert(shrinkage_fit(SCHOOLS, 3, &family));
}
END_TEST

START_TEST(where_chance_explains_all_every_effect_is_the_weighted_mean) {
    EffectFamily family;
    ck_assert(shrinkage_fit(SCHOOLS, COUNT(SCHOOLS), &family));
    ck_assert_double_eq(family.spread, 0);
    ck_assert_double_eq_tol(family.mean, 7.686, 0.001); /* The pooled mean, and its error. */
    ck_assert_double_eq_tol(family.mean_error, 4.072, 0.001);
    Estimate first = shrinkage_correct(&family, SCHOOLS[0]);
    ck_assert_double_eq_tol(first.value, family.mean, 1e-9);
    double drawn = 28 - family.mean; /* The doubt about the spread: 2 / (8 - 1) of its square. */
    ck_assert_double_eq_tol(first.error, sqrt(pow(family.mean_error, 2) + drawn * drawn * 2 / 7),
                            1e-9);
}
END_TEST

START_TEST(with_equal_errors_the_spread_is_what_the_variance_has_beyond_chance) {
    static const Estimate estimates[] = {{-20, 5}, {-10, 5}, {0, 5}, {10, 5}, {20, 5}};
    EffectFamily family;
    ck_assert(shrinkage_fit(estimates, COUNT(estimates), &family));
    ck_assert_double_eq_tol(family.mean, 0, 1e-9);
    ck_assert_double_eq_tol(family.spread, sqrt(250 - 25), 1e-6); /* Sample variance 250. */
    Estimate last = shrinkage_correct(&family, estimates[4]);
    ck_assert_double_eq_tol(last.value, 20 * 225.0 / 250, 1e-6);
    ck_assert_double_eq_tol(last.error, sqrt(0.9 * 25 + 0.01 * 50 + 2 * 2 / 2.0), 1e-6);
}
END_TEST

START_TEST(few_games_are_drawn_to_the_mean_and_many_stay) {
    static const Estimate estimates[] = {{30, 1}, {30, 40}, {-30, 1}, {0, 1}, {10, 2}};
    EffectFamily family;
    ck_assert(shrinkage_fit(estimates, COUNT(estimates), &family));
    Estimate many = shrinkage_correct(&family, estimates[0]);
    Estimate few = shrinkage_correct(&family, estimates[1]);
    ck_assert_double_eq_tol(many.value, 30, 0.5);
    ck_assert_msg(few.value < 15, "an estimate of 30 +- 40 became %.1f, expected less than 15",
                  few.value);
    ck_assert_msg(few.error < 40, "an error of 40 became %.1f, expected less", few.error);
}
END_TEST

/* A uniform number in (0, 1), the same in each run. */
static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state) {
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * acos(-1) * uniform(state));
}

START_TEST(corrected_estimates_are_nearer_to_the_truth_and_their_intervals_hold_it) {
    enum { FAMILIES = 400, SIZE = 20 };
    uint64_t state = 1901;
    double plain = 0;
    double corrected = 0;
    int held = 0;
    for (int k = 0; k < FAMILIES; k++) {
        Estimate estimates[SIZE];
        double truth[SIZE];
        EffectFamily family;
        for (int i = 0; i < SIZE; i++) {
            double error = i % 2 == 0 ? 5 : 12;
            truth[i] = 3 + 8 * normal(&state);
            estimates[i] = (Estimate){.value = truth[i] + error * normal(&state), .error = error};
        }
        ck_assert(shrinkage_fit(estimates, SIZE, &family));
        for (int i = 0; i < SIZE; i++) {
            Estimate better = shrinkage_correct(&family, estimates[i]);
            plain += pow(estimates[i].value - truth[i], 2);
            corrected += pow(better.value - truth[i], 2);
            held += fabs(better.value - truth[i]) < 1.96 * better.error;
        }
    }
    double share = (double)held / (FAMILIES * SIZE);
    ck_assert_msg(corrected < 0.6 * plain, "squared errors %.0f corrected, %.0f plain", corrected,
                  plain);
    ck_assert_msg(share > 0.92 && share < 0.96, "%.3f of the 95 %% intervals hold the truth",
                  share);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, two_estimates_tell_no_family);
    tcase_add_test(tests, where_chance_explains_all_every_effect_is_the_weighted_mean);
    tcase_add_test(tests, with_equal_errors_the_spread_is_what_the_variance_has_beyond_chance);
    tcase_add_test(tests, few_games_are_drawn_to_the_mean_and_many_stay);
    tcase_add_test(tests, corrected_estimates_are_nearer_to_the_truth_and_their_intervals_hold_it);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("shrinkage", add_tests);
}
