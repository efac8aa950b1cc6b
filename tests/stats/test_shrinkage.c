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
    Estimate corrected[COUNT(SCHOOLS)];
    ck_assert(!shrinkage_correct(SCHOOLS, 2, corrected));
    ck_assert(!shrinkage_correct(SCHOOLS, 0, corrected));
    ck_assert(shrinkage_correct(SCHOOLS, 3, corrected));
}
END_TEST

/* The posterior means and standard deviations, by a sum over a fine grid of both the mean and the
 * width, which shares nothing with the program but the model. */
START_TEST(the_schools_are_as_the_whole_model_has_them) {
    enum { MEANS = 600, STEPS = 3000 };
    Estimate corrected[COUNT(SCHOOLS)];
    double total = 0;
    double sum[COUNT(SCHOOLS)] = {0};
    double squares[COUNT(SCHOOLS)] = {0};
    for (int k = 0; k < STEPS; k++) {
        double width = 0.05 + 0.1 * k;
        for (int m = 0; m < MEANS; m++) {
            double mean = -142 + 0.5 * m;
            double likelihood = 1;
            for (size_t i = 0; i < COUNT(SCHOOLS); i++) {
                double variance = pow(SCHOOLS[i].error, 2) + width * width;
                likelihood *= exp(-pow(SCHOOLS[i].value - mean, 2) / variance / 2) / sqrt(variance);
            }
            total += likelihood;
            for (size_t i = 0; i < COUNT(SCHOOLS); i++) {
                double precision = 1 / pow(SCHOOLS[i].error, 2) + 1 / (width * width);
                double effect =
                    (SCHOOLS[i].value / pow(SCHOOLS[i].error, 2) + mean / (width * width)) /
                    precision;
                sum[i] += likelihood * effect;
                squares[i] += likelihood * (effect * effect + 1 / precision);
            }
        }
    }
    ck_assert(shrinkage_correct(SCHOOLS, COUNT(SCHOOLS), corrected));
    for (size_t i = 0; i < COUNT(SCHOOLS); i++) {
        double mean = sum[i] / total;
        ck_assert_double_eq_tol(corrected[i].value, mean, 0.05);
        ck_assert_double_eq_tol(corrected[i].error, sqrt(squares[i] / total - mean * mean), 0.05);
    }
    /* The textbook's picture: the best school is drawn far down, and none below 0. */
    ck_assert_msg(corrected[0].value > 10 && corrected[0].value < 12.5, "%.2f", corrected[0].value);
}
END_TEST

START_TEST(few_games_are_drawn_to_the_mean_and_many_stay) {
    static const Estimate estimates[] = {{30, 1}, {30, 40}, {-30, 1}, {0, 1}, {10, 2}};
    Estimate corrected[COUNT(estimates)];
    ck_assert(shrinkage_correct(estimates, COUNT(estimates), corrected));
    ck_assert_double_eq_tol(corrected[0].value, 30, 0.5);
    ck_assert_msg(corrected[1].value < 20, "an estimate of 30 +- 40 became %.1f, expected below 20",
                  corrected[1].value);
    ck_assert_msg(corrected[1].error < 40, "an error of 40 became %.1f, expected less",
                  corrected[1].error);
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

/* The errors of the estimates, and the width of the distribution of the effects. Where the errors
 * are large, the likeliest width is often 0. */
static const struct {
    double errors[2], width;
} FAMILIES[] = {{{5, 12}, 8}, {{25, 25}, 0}, {{25, 25}, 10}, {{25, 25}, 20}, {{9, 9}, 6}};

START_TEST(corrected_estimates_are_nearer_to_the_truth_and_their_intervals_hold_it) {
    enum { TIMES = 300, SIZE = 16 };
    uint64_t state = 1901;
    double plain = 0;
    double after = 0;
    int held = 0;
    for (int k = 0; k < TIMES; k++) {
        Estimate estimates[SIZE];
        Estimate corrected[SIZE];
        double truth[SIZE];
        for (int i = 0; i < SIZE; i++) {
            double error = FAMILIES[_i].errors[i % 2];
            truth[i] = 3 + FAMILIES[_i].width * normal(&state);
            estimates[i] = (Estimate){.value = truth[i] + error * normal(&state), .error = error};
        }
        ck_assert(shrinkage_correct(estimates, SIZE, corrected));
        for (int i = 0; i < SIZE; i++) {
            plain += pow(estimates[i].value - truth[i], 2);
            after += pow(corrected[i].value - truth[i], 2);
            held += fabs(corrected[i].value - truth[i]) < 1.96 * corrected[i].error;
        }
    }
    double share = (double)held / (TIMES * SIZE);
    ck_assert_msg(after < 0.6 * plain, "squared errors %.0f corrected, %.0f plain", after, plain);
    /* Where no effects differ, the doubt whether they do makes the intervals wide. */
    double most = FAMILIES[_i].width == 0 ? 1 : 0.98;
    ck_assert_msg(share > 0.925 && share <= most, "%.3f of the 95 %% intervals hold the truth",
                  share);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, two_estimates_tell_no_family);
    tcase_add_test(tests, the_schools_are_as_the_whole_model_has_them);
    tcase_add_test(tests, few_games_are_drawn_to_the_mean_and_many_stay);
    tcase_add_loop_test(tests,
                        corrected_estimates_are_nearer_to_the_truth_and_their_intervals_hold_it, 0,
                        COUNT(FAMILIES));
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("shrinkage", add_tests);
}
