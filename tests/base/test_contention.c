/* SPDX-License-Identifier: MIT */
/* A machine that is asked for too much: told when it lasts, once, and not for a hiccup. */
#include <check.h>
#include <stdlib.h>

#include "base/contention.h"
#include "base/count.h"
#include "runner.h"

static const uint64_t SECOND = 1000000000;

/* Engines that had a CPU for most of the time that they thought. */
static CpuUse use_with(double waited) {
    double wanted = 2 * CONTENTION_SPAN_S * (double)SECOND;
    return (CpuUse){.wanted_ns = (uint64_t)wanted, .run_ns = (uint64_t)(wanted * (1 - waited))};
}

/* The machine so many seconds later, with somebody waiting for so much of them. */
static MachineTime later(const MachineTime *before, double seconds, double pressed, double stolen) {
    enum { TICKS_PER_S = 1000 };
    MachineTime now = *before;
    now.at_ns += (uint64_t)(seconds * (double)SECOND);
    now.pressed_ns += (uint64_t)(pressed * seconds * (double)SECOND);
    now.all += (uint64_t)(seconds * (double)TICKS_PER_S);
    now.stolen += (uint64_t)(stolen * seconds * (double)TICKS_PER_S);
    return now;
}

static const MachineTime START = {.at_ns = 77000000000,
                                  .all = 1000,
                                  .stolen = 500,
                                  .pressure_known = true,
                                  .pressed_ns = 5000000000};

/* Plays so many spans with these shares; returns in which one it is told, −1: in none. Fails when
 * it is told twice. */
static int told_in(const double *lacked, const double *pressed, const double *stolen, int spans) {
    Contention c;
    MachineTime now = START;
    int told = -1;
    contention_start(&c, &now);
    for (int i = 0; i < spans; i++) {
        CpuUse use = use_with(lacked[i]);
        now = later(&now, CONTENTION_SPAN_S, pressed[i], stolen[i]);
        if (contention_add(&c, &use, &now)) {
            ck_assert_int_eq(told, -1);
            told = i;
        }
    }
    return told;
}

START_TEST(what_lasts_is_told_once) {
    static const double NONE[8] = {0};
    static const double WAITING[8] = {0.02, 0.3, 0.06, 0.3, 0.3, 0.3, 0.3, 0.3};
    static const double HICCUPS[8] = {0.9, 0.9, 0.01, 0.9, 0.9, 0.04, 0.2, 0.2};
    static const double QUIET[8] = {0.01, 0.02, 0.03, 0.04, 0.049, 0.01, 0, 0};
    ck_assert_int_eq(told_in(NONE, NONE, NONE, 8), -1);
    ck_assert_int_eq(told_in(QUIET, QUIET, NONE, 8), -1);
    ck_assert_int_eq(told_in(WAITING, WAITING, NONE, 8), 3);
    ck_assert_int_eq(told_in(NONE, NONE, WAITING, 8), 3);
    ck_assert_int_eq(told_in(HICCUPS, HICCUPS, NONE, 8), -1);
}
END_TEST

/* Engines that sleep, and others that wait, do not mean that engines wait. */
START_TEST(both_must_tell) {
    static const double NONE[8] = {0};
    static const double MUCH[8] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    ck_assert_int_eq(told_in(MUCH, NONE, NONE, 8), -1);
    ck_assert_int_eq(told_in(NONE, MUCH, NONE, 8), -1);
    ck_assert_int_eq(told_in(MUCH, MUCH, NONE, 8), 2);
}
END_TEST

START_TEST(a_span_is_judged_when_it_is_long_and_holds_work) {
    Contention c;
    CpuUse much = use_with(0.5);
    CpuUse little = {.wanted_ns = SECOND / 100};
    MachineTime now = later(&START, 9, 1, 0);
    contention_start(&c, &START);
    for (int i = 0; i < 100; i++)
        ck_assert(!contention_add(&c, &much, &now));
    contention_start(&c, &START);
    for (int i = 1; i < 90; i++) {
        now = later(&START, i * 60, 1, 0);
        ck_assert(!contention_add(&c, &little, &now));
    }
}
END_TEST

START_TEST(the_shares_are_of_everything) {
    Contention c;
    CpuUse use = {.wanted_ns = 4 * SECOND, .run_ns = 3 * SECOND};
    MachineTime now = later(&START, 1, 0.9, 0);
    contention_start(&c, &START);
    ck_assert(contention_waited(&c, &START) < 0);
    ck_assert(contention_stolen(&c, &START) < 0);
    contention_add(&c, &use, &now);
    now = later(&now, 1, 0.9, 0.2);
    contention_add(&c, &use, &now);
    ck_assert_double_eq_tol(contention_waited(&c, &now), 0.25, 1e-9);
    ck_assert_double_eq_tol(contention_stolen(&c, &now), 0.1, 1e-9);
    now = later(&START, 2, 0.125, 0);
    ck_assert_double_eq_tol(contention_waited(&c, &now), 0.125, 1e-9);
    now.pressure_known = false;
    ck_assert(contention_waited(&c, &now) < 0);
}
END_TEST

static const struct {
    bool pressure_known;
    uint64_t ticks;
    const char *words;
} told[] = {
    {true, 1000,
     "engines waited for a CPU 25.0 % of the time that they wanted to run, 10.0 % of the machine's "
     "time was taken by its host"},
    {true, 0, "engines waited for a CPU 25.0 % of the time that they wanted to run"},
    {false, 1000, "10.0 % of the machine's time was taken by its host"},
    {false, 0, ""},
};

START_TEST(only_shares_that_are_known_are_told) {
    Contention c;
    CpuUse use = {.wanted_ns = 4 * SECOND, .run_ns = 3 * SECOND};
    MachineTime now = later(&START, 1, 0.9, 0.1);
    Text text = {0};
    now.pressure_known = told[_i].pressure_known;
    now.all = START.all + told[_i].ticks;
    contention_start(&c, &START);
    contention_add(&c, &use, &now);
    contention_describe(&c, &now, &text);
    ck_assert_str_eq(text_string(&text), told[_i].words);
    text_free(&text);
}
END_TEST

/* A suite's variant is played in slices, and other variants between them. */
START_TEST(time_that_is_left_out_counts_nowhere) {
    Contention c;
    CpuUse use = {.wanted_ns = 4 * SECOND, .run_ns = 3 * SECOND};
    MachineTime now = later(&START, 1, 0.9, 0.2);
    contention_start(&c, &START);
    contention_add(&c, &use, &now);
    MachineTime again = later(&now, 1000, 0.1, 0.7);
    contention_skip(&c, &now, &again);
    ck_assert_double_eq_tol(contention_waited(&c, &again), 0.25, 1e-9);
    ck_assert_double_eq_tol(contention_stolen(&c, &again), 0.2, 1e-9);
    now = later(&again, 1, 0.9, 0);
    use.run_ns = SECOND;
    ck_assert(!contention_add(&c, &use, &now));
    ck_assert_double_eq_tol(contention_waited(&c, &now), 0.5, 1e-9);
    ck_assert_double_eq_tol(contention_stolen(&c, &now), 0.1, 1e-9);
    ck_assert_uint_eq(c.span.wanted_ns, 2 * use.wanted_ns); /* The span is not over. */
}
END_TEST

/* More than was wanted: other threads, or what it does between two searches. */
START_TEST(nobody_waits_less_than_not_at_all) {
    Contention c;
    MachineTime now = later(&START, 1, 1, 0);
    contention_start(&c, &START);
    contention_add(&c, &(CpuUse){.wanted_ns = SECOND, .run_ns = 2 * SECOND}, &now);
    ck_assert_double_eq_tol(contention_waited(&c, &now), 0, 1e-9);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, what_lasts_is_told_once);
    tcase_add_test(tests, both_must_tell);
    tcase_add_test(tests, nobody_waits_less_than_not_at_all);
    tcase_add_test(tests, a_span_is_judged_when_it_is_long_and_holds_work);
    tcase_add_test(tests, the_shares_are_of_everything);
    tcase_add_loop_test(tests, only_shares_that_are_known_are_told, 0, COUNT(told));
    tcase_add_test(tests, time_that_is_left_out_counts_nowhere);
}

int main(void) {
    return run_tests("contention", add_tests);
}
