/* SPDX-License-Identifier: MIT */
/* Trees are removed, however a hostile build left them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tree.h"
#include "runner.h"
#include "tools/ordinary.h"
#include "tools/temporary.h"

enum { PATH_SIZE = 128, DEEP = 5000, FEW_DESCRIPTORS = 16, LONG_NAMES = 60, LONG_NAME = 200 };

static char top[PATH_SIZE]; /* The test's folder, */
static char tree[PATH_SIZE + 8];
static char spare[PATH_SIZE + 8];
static char aside[PATH_SIZE + 8];

static void setup(void) {
    temporary_folder(top, sizeof top, "rd-tree");
    snprintf(tree, sizeof tree, "%s/tree", top);
    snprintf(spare, sizeof spare, "%s/spare", top);
    snprintf(aside, sizeof aside, "%s/aside", top);
}

static void teardown(void) {
    Error err = {0};
    ck_assert_msg(tree_remove(top, &err), "%s", err.text);
}

/* Root may read and remove everything, so each way of removal is tried by an ordinary user too. */
static void maybe_ordinary(int round) {
    if (round > 0)
        ck_assert(ordinary_become(top));
}

enum { BOTH_USERS = 2 };

/* A chain of `depth` folders called `name`, with a file in each; the innermost is returned open. */
static int make_chain(const char *name, int depth) {
    ck_assert_int_eq(mkdir(tree, 0755), 0);
    int folder = open(tree, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < depth; i++) {
        ck_assert_int_eq(mkdirat(folder, name, 0755), 0);
        int file = openat(folder, "file", O_WRONLY | O_CREAT, 0644);
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY);
        ck_assert_int_ge(file, 0);
        ck_assert_int_ge(next, 0);
        close(file);
        close(folder);
        folder = next;
    }
    return folder;
}

static void expect_removed(void) {
    Error err = {0};
    ck_assert_msg(tree_remove(tree, &err), "%s", err.text);
    ck_assert_int_eq(access(tree, F_OK), -1);
    ck_assert_int_eq(errno, ENOENT);
}

START_TEST(nested_long_names_are_removed) {
    char name[LONG_NAME + 1];
    maybe_ordinary(_i);
    memset(name, 'n', LONG_NAME);
    name[LONG_NAME] = '\0';
    close(make_chain(name, LONG_NAMES));
    expect_removed();
}
END_TEST

START_TEST(deep_trees_need_few_descriptors) {
    maybe_ordinary(_i);
    close(make_chain("d", DEEP));
    struct rlimit limit = {FEW_DESCRIPTORS, FEW_DESCRIPTORS};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_removed();
}
END_TEST

START_TEST(folders_without_permissions_are_removed) {
    static const mode_t modes[] = {0, 0111, 0222, 0444};
    maybe_ordinary(_i);
    ck_assert_int_eq(mkdir(tree, 0755), 0);
    for (size_t i = 0; i < COUNT(modes); i++) {
        char outer[PATH_SIZE + 32];
        char inner[PATH_SIZE + 64];
        Error err = {0};
        snprintf(outer, sizeof outer, "%s/outer%zu", tree, i);
        snprintf(inner, sizeof inner, "%s/inner/innermost", outer);
        ck_assert_msg(file_make_folders(inner, &err), "%s", err.text);
        *strrchr(inner, '/') = '\0';
        ck_assert_int_eq(chmod(inner, modes[i]), 0);
        ck_assert_int_eq(chmod(outer, modes[i]), 0);
    }
    ck_assert_int_eq(chmod(tree, 0), 0);
    expect_removed();
}
END_TEST

START_TEST(links_are_removed_and_not_followed) {
    char outside[PATH_SIZE + 32];
    char path[PATH_SIZE + 32];
    maybe_ordinary(_i);
    snprintf(outside, sizeof outside, "%s/outside", top);
    ck_assert_int_eq(mkdir(outside, 0500), 0);
    close(make_chain("d", 2));
    snprintf(path, sizeof path, "%s/d/link", tree);
    ck_assert_int_eq(symlink(outside, path), 0);
    snprintf(path, sizeof path, "%s/circle", tree);
    ck_assert_int_eq(symlink(".", path), 0);
    expect_removed();
    struct stat status;
    ck_assert_int_eq(stat(outside, &status), 0);
    ck_assert_int_eq(status.st_mode & 07777, 0500);
    /* The top of a tree may be a link too: the link goes alone. */
    ck_assert_int_eq(symlink(outside, tree), 0);
    expect_removed();
    ck_assert_int_eq(access(outside, F_OK), 0);
}
END_TEST

START_TEST(nothing_is_removed_at_once) {
    expect_removed();
}
END_TEST

/* A tree of `user` with a folder of root's in it, which `user` cannot empty. */
static void make_stuck_tree(void) {
    char stuck[PATH_SIZE + 32];
    char path[PATH_SIZE + 64];
    snprintf(stuck, sizeof stuck, "%s/d/stuck", tree);
    snprintf(path, sizeof path, "%s/held", stuck);
    close(make_chain("d", 2));
    ck_assert_int_eq(mkdir(stuck, 0755), 0);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert(ordinary_own(top) && ordinary_own(tree));
    snprintf(path, sizeof path, "%s/d", tree);
    ck_assert(ordinary_own(path));
    snprintf(path, sizeof path, "%s/d/d", tree);
    ck_assert(ordinary_own(path));
}

static bool remove_stuck_tree(void) {
    char path[PATH_SIZE + 32];
    Error err = {0};
    bool removed = tree_remove(tree, &err);
    bool named = strstr(err.text, tree) && strstr(err.text, "held in it: Permission denied");
    snprintf(path, sizeof path, "%s/d/d", tree);
    bool rest_gone = access(path, F_OK) != 0;
    if (!named)
        fprintf(stderr, "the cause is told as: %s\n", err.text);
    return !removed && named && rest_gone;
}

/* Makes room where the stuck tree is. `place` is then where what it held lies. */
static bool make_room(char place[PATH_SIZE + 64]) {
    Error notice;
    Error err = {0};
    bool room = tree_make_room(tree, aside, &notice, &err) && access(tree, F_OK) != 0;
    const char *moved = strstr(notice.text, "moved to ");
    snprintf(place, PATH_SIZE + 64, "%s/tree/d/stuck/held", moved ? moved + 9 : "");
    if (!room || !moved)
        fprintf(stderr, "notice: %s, error: %s\n", notice.text, err.text);
    return room && access(place, F_OK) == 0;
}

/* The second tree of the same name gets a place of its own. */
static bool make_room_of_stuck_trees(void) {
    char first[PATH_SIZE + 64];
    char second[PATH_SIZE + 64];
    Error notice;
    return make_room(first) && rename(spare, tree) == 0 && make_room(second) &&
           strcmp(first, second) != 0 && access(first, F_OK) == 0 && mkdir(tree, 0755) == 0 &&
           tree_make_room(tree, aside, &notice, NULL) && notice.text[0] == '\0';
}

START_TEST(what_cannot_be_removed_is_named_and_moved_aside) {
    if (geteuid() != 0) {
        puts("left out: only root can make a folder that its user cannot remove");
        return;
    }
    make_stuck_tree();
    ck_assert_int_eq(rename(tree, spare), 0);
    make_stuck_tree();
    ck_assert(ordinary_run(remove_stuck_tree));
    ck_assert(ordinary_run(make_room_of_stuck_trees));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, nested_long_names_are_removed, 0, BOTH_USERS);
    tcase_add_loop_test(tests, deep_trees_need_few_descriptors, 0, BOTH_USERS);
    tcase_add_loop_test(tests, folders_without_permissions_are_removed, 0, BOTH_USERS);
    tcase_add_loop_test(tests, links_are_removed_and_not_followed, 0, BOTH_USERS);
    tcase_add_test(tests, nothing_is_removed_at_once);
    tcase_add_test(tests, what_cannot_be_removed_is_named_and_moved_aside);
}

int main(void) {
    return run_tests("tree", add_tests);
}
