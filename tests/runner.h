/* SPDX-License-Identifier: MIT */
/* What every Check program ends with: one suite, generous time, its failures as the exit status. */
#ifndef TESTS_RUNNER_H
#define TESTS_RUNNER_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/tree.h"
#include "tools/temporary.h"

enum { RUNNER_TIMEOUT_SECONDS = 600, RUNNER_LEFT_OUT = 77 /* What make takes for a skip. */ };

/* Runs and frees a suite. Returns main's status. The user's proxies and settings of git have no
 * part in the tests. Their TMPDIR is a folder that goes away in the end. */
static inline int run_suite(Suite *suite) {
    char folder[TEMPORARY_SIZE];
    /* Some of root's tests become another user, who has to get there. */
    if (getenv("TMPDIR") && geteuid() == 0 && !confine_passes(getenv("TMPDIR")))
        unsetenv("TMPDIR");
    char *before = mem_strdup(getenv("TMPDIR"));
    temporary_folder(folder, sizeof folder, "reductio");
    chmod(folder, 01777); /* As /tmp is. */
    setenv("TMPDIR", folder, 1);
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    tree_remove(folder, NULL);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Says what a test program leaves out, and why. Returns main's status for a program without other
 * tests. */
static inline int leave_out(const char *what, const char *why) {
    printf("left out: %s: %s\n", what, why);
    return RUNNER_LEFT_OUT;
}

/* Whether qemu runs this program (`make check-aarch64` says so by RD_EMULATED). Says then what is
 * left out, and why. */
static inline bool left_out_in_emulation(const char *what, const char *why) {
    if (getenv("RD_EMULATED") == NULL)
        return false;
    leave_out(what, why);
    return true;
}

/* Runs the tests of one case; add_tests puts them in. Returns main's status. */
static inline int run_tests(const char *name, void (*add_tests)(TCase *tests)) {
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, RUNNER_TIMEOUT_SECONDS);
    add_tests(tests);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

/* The path of one of the reference data beside the sources: "golden/spsa.csv". Where this copy has
 * none, nothing is at the path, and the log says so for .ci/run: then say what is left out. The
 * path stands until the next call. */
static inline const char *shared_path(const char *name) {
    static char path[4096];
    const char *shared = getenv("RD_SHARED"); /* make names the folder, be it there or not. */
    snprintf(path, sizeof path, "%s/%s", shared ? shared : "/nonexistent", name);
    if (access(path, F_OK) != 0)
        fprintf(stderr, "left out: reference data: %s is not here\n", name);
    return path;
}

#endif
