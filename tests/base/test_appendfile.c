/* SPDX-License-Identifier: MIT */
/* Files to which texts are appended. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/appendfile.h"
#include "base/file.h"
#include "runner.h"
#include "tools/temporary.h"

START_TEST(texts_are_appended_whole) {
    char path[TEMPORARY_SIZE];
    close(temporary_file(path, sizeof path, "test_appendfile"));
    Error err = {0};
    Text text = {0};
    ck_assert_msg(appendfile_add(path, "one", 3, &err), "%s", err.text);
    ck_assert_msg(appendfile_add(path, "two\n", 4, &err), "%s", err.text);
    ck_assert_msg(appendfile_add(path, "three\n", 6, &err), "%s", err.text);
    ck_assert(file_read(path, 1000, &text, &err));
    ck_assert_str_eq(text_string(&text), "one\ntwo\nthree\n");
    text_free(&text);
    ck_assert_msg(appendfile_cut(path, 14, 8, &err), "%s", err.text);
    ck_assert_msg(appendfile_cut(path, 14, 4, &err), "%s", err.text); /* Somebody has appended. */
    ck_assert(file_read(path, 1000, &text, &err));
    ck_assert_str_eq(text_string(&text), "one\ntwo\n");
    text_free(&text);
    unlink(path);
    ck_assert(!appendfile_add("/nowhere/x", "x", 1, &err));
    ck_assert_str_eq(err.text, "/nowhere/x: No such file or directory");
    if (access("/dev/full", W_OK) == 0) {
        ck_assert(!appendfile_add("/dev/full", "x", 1, &err));
        ck_assert_str_eq(err.text, "/dev/full: No space left on device");
    }
}
END_TEST

/* Nobody waits for ever: an engine may hold the lock. */
START_TEST(a_file_that_another_process_has_locked_is_refused) {
    char path[TEMPORARY_SIZE];
    int fd = temporary_file(path, sizeof path, "test_appendfile");
    Error err = {0};
    char wanted[TEMPORARY_SIZE + 80];
    snprintf(wanted, sizeof wanted,
             "%s: another process has locked it; end that process or name another file", path);
    ck_assert_int_eq(flock(fd, LOCK_SH), 0);
    ck_assert(!appendfile_add(path, "one", 3, &err));
    ck_assert_str_eq(err.text, wanted);
    ck_assert(!appendfile_add(path, "", 0, &err));
    ck_assert(!appendfile_cut(path, 0, 0, &err));
    ck_assert_str_eq(err.text, wanted);
    ck_assert_int_eq(flock(fd, LOCK_UN), 0);
    ck_assert_msg(appendfile_add(path, "one", 3, &err), "%s", err.text);
    close(fd);
    unlink(path);
}
END_TEST

/* What fits of a text is taken back. */
START_TEST(a_text_that_does_not_fit_leaves_nothing) {
    char path[TEMPORARY_SIZE];
    close(temporary_file(path, sizeof path, "test_appendfile"));
    Error err = {0};
    Text text = {0};
    struct rlimit kept;
    ck_assert_msg(appendfile_add(path, "whole", 5, &err), "%s", err.text);
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &kept), 0);
    struct rlimit limit = {.rlim_cur = 8, .rlim_max = kept.rlim_max};
    int set = setrlimit(RLIMIT_FSIZE, &limit);
    bool added = appendfile_add(path, "too long\n", 9, &err);
    int put_back = setrlimit(RLIMIT_FSIZE, &kept);
    ck_assert_int_eq(set, 0);
    ck_assert_int_eq(put_back, 0);
    ck_assert(!added);
    ck_assert_msg(text_ends_with(err.text, ": File too large"), "%s", err.text);
    ck_assert(file_read(path, 1000, &text, &err));
    ck_assert_str_eq(text_string(&text), "whole");
    text_free(&text);
    unlink(path);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_file_that_another_process_has_locked_is_refused);
    tcase_add_test(tests, a_text_that_does_not_fit_leaves_nothing);
    tcase_add_test(tests, texts_are_appended_whole);
}

int main(void) {
    return run_tests("appendfile", add_tests);
}
