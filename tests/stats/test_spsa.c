/* SPDX-License-Identifier: MIT */
/* SPSA: the server's schedule, the values of both sides, and what chance alone makes of them. */
#include "../runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/tuned.h"
#include "stats/spsa.h"

START_TEST(every_golden_step_is_met) {
    enum { GOLDEN_ROWS = 120 };
    const double tolerance = 1e-9;
    char line[512];
    FILE *file = fopen(shared_path("golden/spsa.csv"), "r");
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

START_TEST(a_parameter_is_read_as_it_is_written) {
    static const char *const LINES[] = {
        "DIV, int, 170, 50, 1000, 47.5, 0.002", "Least, int, 0, 0, 10, 1, 0.002",
        "Most, int, 10, 0, 10, 1, 0.002", "Any, int, 0, -2147483647, 2147483647, 1, 0.002",
        "Scale, float, -0.1, -1, 2.5, 0.3333333333333333, 1e-05"};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        SpsaParameter parameter;
        Error err = {0};
        Text line = {0};
        ck_assert_msg(spsa_read_parameter(LINES[i], &parameter, &err), "%s", err.text);
        spsa_write_parameter(&parameter, &line);
        ck_assert_str_eq(text_string(&line), LINES[i]);
        text_free(&line);
        spsa_free_parameter(&parameter);
    }
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

START_TEST(after_its_end_a_tuning_tells_the_steps_of_the_last_iteration) {
    enum { GAMES = 2 * 8 * 500 };
    SpsaSchedule schedule = {
        .alpha = 0.602, .gamma = 0.101, .a_ratio = 0.1, .iterations = 500, .pairs_per = 8};
    SpsaParameter parameter = {.name = (char *)"A", .start = 3, .max = 9, .c_end = 4, .r_end = 0.2};
    const double wanted[TUNED_NUMBERS] = {5, 3, 0, 9, 4, 4, 0.2, 0.2};
    TunedParameters tuned = {0};
    tuned_add_spsa(&tuned, &schedule, &parameter, 5, GAMES / 2);
    tuned_add_spsa(&tuned, &schedule, &parameter, 5, GAMES);
    tuned_add_spsa(&tuned, &schedule, &parameter, 5, GAMES + 16);
    ck_assert_double_eq(tuned.items[0].numbers[4], spsa_step(&schedule, &parameter, GAMES / 2).c);
    for (int i = 0; i < TUNED_NUMBERS; i++) {
        ck_assert_double_eq_tol(tuned.items[1].numbers[i], wanted[i], 1e-9);
        ck_assert_double_eq_tol(tuned.items[2].numbers[i], wanted[i], 1e-9);
    }
    tuned_free(&tuned);
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
    spsa_perturb(&integer, 9.5, 3, -1, 0.9, &dev, &base);
    ck_assert_double_eq(base, 10);
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
    /* Once in a thousand tunings chance is called progress. */
    ck_assert(spsa_drift_is_progress(0.0009) && !spsa_drift_is_progress(0.0011));
    SpsaDrift still = {0};
    ck_assert_double_eq(spsa_drift_probability(&still, 1), 1);
    /* A parameter that never moved is no degree of freedom. */
    SpsaDrift moving[2] = {{.sum = 2, .squares = 1}};
    ck_assert_double_eq(spsa_drift_probability(moving, 2), spsa_drift_probability(moving, 1));
}
END_TEST

START_TEST(a_tuning_has_so_many_parameters_at_most) {
    SpsaParameters parameters = {0};
    Error err = {0};
    for (int i = 0; i <= SPSA_PARAMETERS_MAX; i++) {
        char line[64];
        snprintf(line, sizeof line, "P%d, int, 1, 0, 2, 1, 0.002", i);
        ck_assert_int_eq(spsa_add_parameter(&parameters, line, &err), i < SPSA_PARAMETERS_MAX);
    }
    ck_assert_str_eq(err.text, "more than 1000 parameters");
    ck_assert_uint_eq(parameters.count, SPSA_PARAMETERS_MAX);
    spsa_free_parameters(&parameters);
}
END_TEST

/* Engines do not tell capitals apart in the names of options. */
START_TEST(a_name_stands_once) {
    SpsaParameters parameters = {0};
    Error err = {0};
    ck_assert(!spsa_add_parameters(
        &parameters, "Div, int, 1, 0, 2, 1, 0.002\nDIV, int, 1, 0, 2, 1, 0.002", &err));
    ck_assert_str_eq(err.text, "DIV is given twice");
    spsa_free_parameters(&parameters);
}
END_TEST

START_TEST(a_line_of_inputs_is_read) {
    SpsaParameter p;
    Error err = {0};
    ck_assert(spsa_read_parameter("Late Base , int, 4, 1, 12,\t1.5, 0.002\n", &p, &err));
    ck_assert_str_eq(p.name, "Late Base");
    ck_assert(!p.is_float);
    ck_assert_double_eq(p.start, 4);
    ck_assert_double_eq(p.min, 1);
    ck_assert_double_eq(p.max, 12);
    ck_assert_double_eq(p.c_end, 1.5);
    ck_assert_double_eq(p.r_end, 0.002);
    spsa_free_parameter(&p);
    ck_assert(spsa_read_parameter("X,float,-0.5,-1,1,0.1,0.002", &p, &err));
    ck_assert(p.is_float);
    ck_assert_double_eq(p.start, -0.5);
    spsa_free_parameter(&p);
}
END_TEST

START_TEST(a_faulty_line_is_refused_by_its_field) {
    static const struct {
        const char *line, *fault;
    } rows[] = {
        {"", "is not \"name,"},
        {"X, int, 1, 0, 2, 1", "is not \"name,"},
        {"X, int, 1, 0, 2, 1, 0.002, 7", "is not \"name,"},
        {", int, 1, 0, 2, 1, 0.002", "the name is missing"},
        {"A\tB, int, 1, 0, 2, 1, 0.002", "the name has a control character"},
        {"X, bool, 1, 0, 2, 1, 0.002", "\"bool\""},
        {"X, int, one, 0, 2, 1, 0.002", "start: 'one'"},
        {"X, int, 3, 0, 2, 1, 0.002", "start is not within"},
        {"X, int, -1, 0, 2, 1, 0.002", "start is not within"},
        {"X, int, 1, 2, 0, 1, 0.002", "min is not below max"},
        {"X, int, 1, 1, 1, 1, 0.002", "min is not below max"},
        {"X, int, 1.5, 0, 2, 1, 0.002", "start of an int"},
        {"X, int, 1, 0, 2.5, 1, 0.002", "max of an int"},
        {"X, int, 1, 0, 2, 0, 0.002", "c_end is not above 0"},
        {"X, int, 1, 0, 2, 1, -0.002", "r_end is not above 0"},
        {"X, float, 1, 0, 2, 1e-200, 0.002", "c_end is below 1e-09"},
        {"X, float, 1, 0, 2, 1, 1e-200", "r_end is below 1e-09"},
        {"X, int, 1, 0, 1e300, 1, 0.002", "max: 1e300 is not between"},
        {"X, int, 1, 0, 2147483648, 1, 0.002", "max: 2147483648 is not between"},
        {"X, int, nan, 0, 2, 1, 0.002", "start: 'nan'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SpsaParameter p;
        Error err = {0};
        ck_assert_msg(!spsa_read_parameter(rows[i].line, &p, &err), "\"%s\" was taken",
                      rows[i].line);
        ck_assert_msg(strstr(err.text, rows[i].fault) != NULL, "\"%s\", not \"%s\"", err.text,
                      rows[i].fault);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_golden_step_is_met);
    tcase_add_test(tests, a_parameter_is_read_as_it_is_written);
    tcase_add_test(tests, the_last_iteration_has_the_steps_that_were_asked_for);
    tcase_add_test(tests, after_its_end_a_tuning_tells_the_steps_of_the_last_iteration);
    tcase_add_test(tests, integers_move_by_half_a_unit_at_least);
    tcase_add_test(tests, both_sides_round_with_one_number_and_stay_within_bounds);
    tcase_add_test(tests, wins_of_dev_move_towards_its_value);
    tcase_add_test(tests, the_probability_of_chance_is_that_of_chi_squared);
    tcase_add_test(tests, a_tuning_has_so_many_parameters_at_most);
    tcase_add_test(tests, a_name_stands_once);
    tcase_add_test(tests, a_line_of_inputs_is_read);
    tcase_add_test(tests, a_faulty_line_is_refused_by_its_field);
}

int main(void) {
    return run_tests("spsa", add_tests);
}
