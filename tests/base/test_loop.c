/* SPDX-License-Identifier: MIT */
/* The beginnings of libuv under low limits. */
#include <check.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "base/loop.h"
#include "runner.h"
#include "tools/ordinary.h"
#include "tools/temporary.h"

static void set_limit(int resource, rlim_t most) {
    struct rlimit now;
    ck_assert_int_eq(getrlimit(resource, &now), 0);
    now.rlim_cur = most;
    ck_assert_int_eq(setrlimit(resource, &now), 0);
}

/* Becomes a user whom limits hold, and lowers this one to `most`. Returns the limit of before,
 * which is to be set again: a sanitizer needs a thread and files in the end. */
static rlim_t limit(int resource, rlim_t most) {
    char folder[TEMPORARY_SIZE];
    temporary_folder(folder, sizeof folder, "test_loop");
    bool ordinary = ordinary_become(folder);
    rmdir(folder);
    ck_assert(ordinary);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(resource, &before), 0);
    set_limit(resource, most);
    return before.rlim_cur;
}

START_TEST(a_loop_without_descriptors_is_refused) {
    uv_loop_t loop;
    Error err = {0};
    rlim_t before = limit(RLIMIT_NOFILE, 4);
    bool begun = loop_init(&loop, &err);
    set_limit(RLIMIT_NOFILE, before);
    ck_assert(!begun);
    ck_assert_str_eq(err.text, "no event loop: too many open files");
}
END_TEST

static void nothing(void *user) {
    (void)user;
}

static void no_work(uv_work_t *work) {
    bool *worked = work->data;
    *worked = true;
}

/* The sizes with which libuv starts one thread, four, and 1024. */
START_TEST(a_pool_without_threads_is_refused) {
    static const char *const SIZES[] = {"0", "4", "-1"};
    Error err = {0};
    ck_assert_int_eq(setenv("UV_THREADPOOL_SIZE", SIZES[_i], 1), 0);
    rlim_t before = limit(RLIMIT_NPROC, 1);
    uv_thread_t thread;
    bool limited = uv_thread_create(&thread, nothing, NULL) != 0;
    bool started = limited && loop_start_pool(&err);
    set_limit(RLIMIT_NPROC, before);
    if (!limited) {
        uv_thread_join(&thread);
        puts("left out: this system limits no threads");
        return;
    }
    ck_assert(!started);
    ck_assert_str_eq(err.text, "no thread can be started: resource temporarily unavailable (ulimit "
                               "-u may limit threads)");
}
END_TEST

/* libuv would end this program if the pool were to start now. */
START_TEST(a_pool_that_was_started_needs_no_more_threads) {
    uv_loop_t loop;
    Error err = {0};
    bool worked = false;
    uv_work_t work = {.data = &worked};
    ck_assert_msg(loop_start_pool(&err), "%s", err.text);
    rlim_t before = limit(RLIMIT_NPROC, 1);
    ck_assert_msg(loop_init(&loop, &err), "%s", err.text);
    ck_assert_int_eq(uv_queue_work(&loop, &work, no_work, NULL), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    set_limit(RLIMIT_NPROC, before);
    ck_assert(worked);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_loop_without_descriptors_is_refused);
    tcase_add_loop_test(tests, a_pool_without_threads_is_refused, 0, 3);
    tcase_add_test(tests, a_pool_that_was_started_needs_no_more_threads);
}

int main(void) {
    return run_tests("loop", add_tests);
}
