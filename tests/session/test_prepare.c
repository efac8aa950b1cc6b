/* SPDX-License-Identifier: MIT */
/* Preparations and the folders that they work in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/tree.h"
#include "runner.h"
#include "session/prepare.h"
#include "tools/ordinary.h"
#include "tools/temporary.h"

enum { PATH_SIZE = 160, SAID_LIMIT = 4096 };

static char state[PATH_SIZE];

static void setup(void) {
    temporary_folder(state, sizeof state, "rd-prepare");
}

static void teardown(void) {
    Error err = {0};
    ck_assert_msg(tree_remove(state, &err), "%s", err.text);
}

static void make_below_state(const char *path, bool own) {
    char whole[PATH_SIZE * 2];
    snprintf(whole, sizeof whole, "%s/%s", state, path);
    ck_assert_int_eq(mkdir(whole, 0755), 0);
    ck_assert(!own || ordinary_own(whole));
}

/* A start with a folder that this user cannot remove: once with the folder in tmp, and once more
 * with the folder in unremoved. */
static bool start_twice(void) {
    char place[PATH_SIZE * 2];
    char log_path[PATH_SIZE * 2];
    Text said = {0};
    Error err = {0};
    snprintf(place, sizeof place, "%s/tmp/again", state);
    snprintf(log_path, sizeof log_path, "%s/log", state);
    FILE *out = fopen(log_path, "w");
    Log log;
    log_init(&log, out, LOG_NORMAL);
    bool ok = prepare_folders(state, false, &log, &err) && mkdir(place, 0755) == 0 &&
              prepare_folders(state, true, &log, &err) && access(place, F_OK) != 0;
    log_free(&log);
    fclose(out);
    ok = ok && file_read(log_path, SAID_LIMIT, &said, &err);
    const char *words = text_string(&said);
    ok = ok && strstr(words, "/tmp: cannot be removed: held in it") &&
         strstr(words, "the rest of it was moved to ") &&
         strstr(words, "left from an earlier run: ");
    if (!ok)
        fprintf(stderr, "error: %s\nlog: %s\n", err.text, words);
    text_free(&said);
    return ok;
}

START_TEST(a_start_works_beside_what_cannot_be_removed) {
    if (geteuid() != 0) {
        puts("left out: only root can make a folder that its user cannot remove");
        return;
    }
    ck_assert(ordinary_own(state));
    make_below_state("tmp", true);
    make_below_state("tmp/build", true);
    make_below_state("tmp/build/stuck", false);
    make_below_state("tmp/build/stuck/held", false);
    ck_assert(ordinary_run(start_twice));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_start_works_beside_what_cannot_be_removed);
}

int main(void) {
    return run_tests("prepare", add_tests);
}
