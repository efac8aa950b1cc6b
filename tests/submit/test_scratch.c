/* SPDX-License-Identifier: MIT */
/* The folder of a submission goes however the submission ends. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "runner.h"
#include "submit/scratch.h"

enum { PATH_SIZE = 256, TRIES = 3000 };

static const int SIGNALS[] = {SIGHUP, SIGTERM, SIGINT, SIGKILL};

static bool exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

static void must_fill(const char *folder) {
    char path[2 * PATH_SIZE];
    Error err = {0};
    snprintf(path, sizeof path, "%s/clone/engine", folder);
    ck_assert_msg(file_make_folders(path, &err), "%s", err.text);
    snprintf(path, sizeof path, "%s/clone/engine/main.c", folder);
    ck_assert_msg(file_write_atomic(path, "x", 1, 0444, &err), "%s", err.text);
}

START_TEST(a_closed_folder_is_gone_with_its_files) {
    char path[PATH_SIZE];
    Scratch scratch;
    Error err = {0};
    ck_assert_msg(scratch_open(&scratch, &err), "%s", err.text);
    snprintf(path, sizeof path, "%s", scratch.path);
    must_fill(path);
    scratch_close(&scratch);
    ck_assert(!exists(path));
    scratch_close(&scratch);
}
END_TEST

/* Starts a process that opens a folder, fills it, and waits to be killed. */
static pid_t start_submission(char path[PATH_SIZE]) {
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t process = fork();
    if (process == 0) {
        Scratch scratch;
        Error err = {0};
        for (size_t i = 0; i < COUNT(SIGNALS); i++)
            signal(SIGNALS[i], SIG_DFL); /* In place of Check's own handlers. */
        if (!scratch_open(&scratch, &err))
            _exit(EXIT_FAILURE);
        must_fill(scratch.path);
        if (write(ends[1], scratch.path, strlen(scratch.path) + 1) < 0)
            _exit(EXIT_FAILURE);
        for (;;)
            pause();
    }
    ck_assert_int_gt(process, 0);
    ck_assert_int_gt(read(ends[0], path, PATH_SIZE), 0);
    close(ends[0]);
    close(ends[1]);
    return process;
}

START_TEST(a_signal_that_ends_the_process_leaves_no_folder) {
    char path[PATH_SIZE];
    int status, number = SIGNALS[_i];
    pid_t process = start_submission(path);
    ck_assert_msg(exists(path), "%s is not there", path);
    ck_assert_int_eq(kill(process, number), 0);
    ck_assert_int_eq(waitpid(process, &status, 0), process);
    ck_assert_int_eq(WTERMSIG(status), number);
    for (int i = 0; i < TRIES && exists(path); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    ck_assert_msg(!exists(path), "signal %d left %s", number, path);
}
END_TEST

START_TEST(a_place_that_is_none_is_named) {
    Scratch scratch;
    Error err = {0};
    setenv("TMPDIR", "/no/such/place", 1);
    ck_assert(!scratch_open(&scratch, &err));
    ck_assert_msg(strstr(err.text, "/no/such/place/obworker-submit-") != NULL, "%s", err.text);
    scratch_close(&scratch);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_closed_folder_is_gone_with_its_files);
    tcase_add_loop_test(tests, a_signal_that_ends_the_process_leaves_no_folder, 0, COUNT(SIGNALS));
    tcase_add_test(tests, a_place_that_is_none_is_named);
}

int main(void) {
    return run_tests("scratch", add_tests);
}
