/* SPDX-License-Identifier: MIT */
/* Pauses of this process, and limits of time that leave them out. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/cputime.h"
#include "base/freeze.h"
#include "base/timelimit.h"
#include "runner.h"

/* Looks in milliseconds: the last look was at 0, the next is due at 100. */
START_TEST(a_pause_is_told_from_work_and_from_waiting) {
    enum { MS = 1000000, BEFORE = 7 };
    static const struct {
        uint64_t now, busy, pause;
    } looks[] = {
        {50, 0, 0},      {100, 1, 0},        {1100, 0, 0}, /* Not late by more than a second. */
        {6100, 0, 6000}, {6100, 10, 5990},                 /* Stopped. */
        {6100, 6000, 0}, {6100, 6100, 0},                  /* Busy, or waiting for a CPU. */
        {6100, 5000, 0}, {6100, 4999, 1001},               /* In part. */
        {1101, 0, 1001}, {1101, 1, 0},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        FreezeWatch watch;
        const uint64_t start = 3600 * (uint64_t)1000 * MS;
        const uint64_t now = start + looks[i].now * MS;
        freeze_look_ahead(&watch, start, BEFORE);
        uint64_t pause = freeze_length(&watch, now, BEFORE + looks[i].busy * MS);
        ck_assert_uint_eq(pause, looks[i].pause * MS);
        ck_assert(pause == 0 || freeze_is_late(&watch, now));
        /* A pause that is known from elsewhere is not counted twice. */
        freeze_skip(&watch, pause);
        ck_assert(pause == 0 || freeze_length(&watch, now, BEFORE + looks[i].busy * MS) == 0);
        /* Where the system does not tell the work, no pause is seen. */
        freeze_look_ahead(&watch, start, 0);
        ck_assert_uint_eq(freeze_length(&watch, now, 0), 0);
    }
}
END_TEST

/* ---- Limits ---- */

typedef struct {
    TimeLimit limit;
    uv_loop_t loop;
    uint64_t begun, over; /* uv_hrtime; over 0: the limit is not over. */
    bool closed;
} Limited;

static void on_limit_closed(void *user) {
    Limited *l = user;
    l->closed = true;
}

static void on_over(void *user) {
    Limited *l = user;
    ck_assert_uint_eq(l->over, 0);
    l->over = uv_hrtime();
    timelimit_close(&l->limit, on_limit_closed);
}

static void begin(Limited *l, int ms) {
    *l = (Limited){0};
    uv_loop_init(&l->loop);
    timelimit_init(&l->limit, &l->loop, on_over, l);
    l->begun = uv_hrtime();
    timelimit_start(&l->limit, ms);
}

/* Runs the loop until the limit is over. Returns the milliseconds since its start. */
static uint64_t await(Limited *l) {
    uv_run(&l->loop, UV_RUN_DEFAULT);
    ck_assert(l->over > 0 && l->closed);
    ck_assert_int_eq(uv_loop_close(&l->loop), 0);
    return (l->over - l->begun) / CLOCK_NS_PER_MS;
}

static void on_again(uv_timer_t *timer) {
    Limited *l = timer->data;
    timelimit_again(&l->limit);
    uv_close((uv_handle_t *)timer, NULL);
}

START_TEST(a_limit_is_over_after_its_time) {
    Limited l;
    begin(&l, 250);
    ck_assert_uint_ge(await(&l), 250);
}
END_TEST

START_TEST(a_limit_that_begins_again_lasts_from_then_on) {
    Limited l;
    uv_timer_t timer;
    begin(&l, 3000);
    uv_timer_init(&l.loop, &timer);
    timer.data = &l;
    uv_timer_start(&timer, on_again, 300, 0);
    ck_assert_uint_ge(await(&l), 300 + 3000);
}
END_TEST

/* Stops this process for so long, as soon as the pipe has a byte. */
static _Noreturn void stop_parent(int pipe_end, int seconds) {
    char byte;
    pid_t parent = getppid();
    if (read(pipe_end, &byte, 1) == 1 && kill(parent, SIGSTOP) == 0) {
        nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
        kill(parent, SIGCONT);
    }
    _exit(0);
}

START_TEST(a_pause_of_this_process_is_no_part_of_a_limit) {
    enum { LIMIT_MS = 3000, STOPPED_S = 5 };
    if (cpu_time_busy() == 0) {
        puts("left out: this system does not tell how long a thread has worked");
        return;
    }
    Limited l;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t stopper = fork();
    if (stopper == 0)
        stop_parent(ends[0], STOPPED_S);
    begin(&l, LIMIT_MS);
    ck_assert_int_eq(write(ends[1], "s", 1), 1);
    /* Without its end put off, the limit is over when the pause is. The pause may begin late. */
    ck_assert_uint_ge(await(&l), LIMIT_MS + (STOPPED_S - 1) * 1000);
    ck_assert_int_eq(waitpid(stopper, NULL, 0), stopper);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_pause_is_told_from_work_and_from_waiting);
    tcase_add_test(tests, a_limit_is_over_after_its_time);
    tcase_add_test(tests, a_limit_that_begins_again_lasts_from_then_on);
    tcase_add_test(tests, a_pause_of_this_process_is_no_part_of_a_limit);
}

int main(void) {
    return run_tests("timelimit", add_tests);
}
