/* A machine that is asked for too much: told when it lasts, once, and not for a hiccup. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/contention.h"
#include "runner.h"

static const uint64_t SECOND = 1000000000;

/* Engines that ran for most of a span and waited for the rest. */
static CpuUse use_with(double waited) {
    double wanted = 2 * CONTENTION_SPAN_S * (double)SECOND;
    return (CpuUse){.run_ns = (uint64_t)(wanted * (1 - waited)),
                    .wait_ns = (uint64_t)(wanted * waited)};
}

/* Plays so many spans with these shares; returns in which one it is told, −1: in none. Fails when
 * it is told twice. */
static int told_in(const double *waited, const double *stolen, int spans) {
    Contention c;
    CpuTicks ticks = {.all = 1000, .stolen = 500};
    uint64_t now = 77 * SECOND;
    int told = -1;
    contention_start(&c, &ticks, now);
    for (int i = 0; i < spans; i++) {
        CpuUse use = use_with(waited[i]);
        now += (uint64_t)CONTENTION_SPAN_S * SECOND;
        ticks.all += 10000;
        ticks.stolen += (uint64_t)(stolen[i] * 10000);
        if (contention_add(&c, &use, &ticks, now)) {
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
    ck_assert_int_eq(told_in(NONE, NONE, 8), -1);
    ck_assert_int_eq(told_in(QUIET, QUIET, 8), -1);
    ck_assert_int_eq(told_in(WAITING, NONE, 8), 3);
    ck_assert_int_eq(told_in(NONE, WAITING, 8), 3);
    ck_assert_int_eq(told_in(HICCUPS, NONE, 8), -1);
}
END_TEST

START_TEST(a_span_is_judged_when_it_is_long_and_holds_work) {
    Contention c;
    CpuTicks ticks = {0};
    CpuUse much = use_with(0.5);
    CpuUse little = {.wait_ns = SECOND / 100};
    contention_start(&c, &ticks, 0);
    for (int i = 0; i < 100; i++)
        ck_assert(!contention_add(&c, &much, &ticks, 9 * SECOND));
    contention_start(&c, &ticks, 0);
    for (uint64_t i = 1; i < 90; i++)
        ck_assert(!contention_add(&c, &little, &ticks, i * 60 * SECOND));
}
END_TEST

START_TEST(the_shares_are_of_everything) {
    Contention c;
    CpuTicks ticks = {.all = 100, .stolen = 10};
    contention_start(&c, &ticks, 0);
    ck_assert(contention_waited(&c) < 0);
    ck_assert(contention_stolen(&c, &ticks) < 0);
    contention_add(&c, &(CpuUse){.run_ns = 3 * SECOND, .wait_ns = SECOND}, &ticks, SECOND);
    contention_add(&c, &(CpuUse){.run_ns = 3 * SECOND, .wait_ns = SECOND}, &ticks, 2 * SECOND);
    ticks = (CpuTicks){.all = 300, .stolen = 30};
    ck_assert_double_eq_tol(contention_waited(&c), 0.25, 1e-9);
    ck_assert_double_eq_tol(contention_stolen(&c, &ticks), 0.1, 1e-9);
}
END_TEST

START_TEST(the_machines_ticks_are_read) {
    CpuTicks ticks;
    ck_assert(
        cpu_ticks_parse("cpu  10 20 30 40 5 6 7 8 900 900\ncpu0 1 1 1 1 1 1 1 1 1 1\n", &ticks));
    ck_assert_uint_eq(ticks.all, 126);
    ck_assert_uint_eq(ticks.stolen, 8);
    ck_assert(!cpu_ticks_parse("", &ticks));
    ck_assert(!cpu_ticks_parse("cpu 1 2 3\n", &ticks));
    ck_assert(!cpu_ticks_parse("intr 1 2 3 4 5 6 7 8 9 10\n", &ticks));
    ck_assert_uint_eq(ticks.all, 0);
}
END_TEST

static void *work(void *user) {
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 50000000; i++)
        sum += i;
    int *pipe_ends = user;
    char byte = 1;
    ck_assert_int_eq(write(pipe_ends[1], &byte, 1), 1);
    ck_assert_int_eq(read(pipe_ends[2], &byte, 1), 1);
    return NULL;
}

/* What a thread of its own has used counts too, and a process that is none has nothing. */
START_TEST(a_process_is_all_its_threads) {
    int to_main[2];
    int to_thread[2];
    char byte = 1;
    CpuUse before;
    CpuUse use;
    pthread_t thread;
    if (!cpu_use_of(getpid(), &before))
        return; /* This kernel does not tell. */
    ck_assert_int_eq(pipe(to_main) | pipe(to_thread), 0);
    int ends[] = {-1, to_main[1], to_thread[0]};
    ck_assert_int_eq(pthread_create(&thread, NULL, work, ends), 0);
    ck_assert_int_eq(read(to_main[0], &byte, 1), 1);
    ck_assert(cpu_use_of(getpid(), &use));
    CpuUse used = cpu_use_since(&before, &use);
    ck_assert_uint_gt(used.run_ns, 1000000);
    ck_assert_int_eq(write(to_thread[1], &byte, 1), 1);
    pthread_join(thread, NULL);
    used = cpu_use_since(&use, &before);
    ck_assert_uint_eq(used.run_ns, 0);
    ck_assert(!cpu_use_of(-1, &use));
    ck_assert_uint_eq(use.run_ns, 0);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, what_lasts_is_told_once);
    tcase_add_test(tests, a_span_is_judged_when_it_is_long_and_holds_work);
    tcase_add_test(tests, the_shares_are_of_everything);
    tcase_add_test(tests, the_machines_ticks_are_read);
    tcase_add_test(tests, a_process_is_all_its_threads);
}

int main(void) {
    return run_tests("contention", add_tests);
}
