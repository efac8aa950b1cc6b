/* SPDX-License-Identifier: MIT */
/* The disk space of children: what is counted, and what happens past the limit. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/deleted.h"
#include "base/diskwatch.h"
#include "base/file.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "base/tree.h"
#include "build/run.h"
#include "place.h"
#include "tools/ordinary.h"
#include "tools/temporary.h"

enum { PATH_SIZE = 160, MB = 1 << 20, RUN_LIMIT_MS = 60000 };

static char folder[PATH_SIZE];

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-disk");
    ck_assert_int_eq(chmod(folder, 0755), 0);
}

static void teardown(void) {
    Error err = {0};
    ck_assert_msg(tree_remove(folder, &err), "%s", err.text);
}

static void path_to(const char *name, char out[PATH_SIZE * 2]) {
    snprintf(out, PATH_SIZE * 2, "%s/%s", folder, name);
}

static void write_megabytes(const char *name, size_t megabytes) {
    char path[PATH_SIZE * 2];
    Error err = {0};
    char *bytes = mem_alloc(megabytes * MB);
    memset(bytes, 1, megabytes * MB);
    path_to(name, path);
    ck_assert_msg(file_write_atomic(path, bytes, megabytes * MB, 0644, &err), "%s", err.text);
    free(bytes);
}

static uint64_t counted(uint64_t limit) {
    uint64_t bytes = 0;
    diskwatch_count(folder, limit, &bytes);
    return bytes;
}

START_TEST(files_of_all_folders_are_counted_together) {
    char path[PATH_SIZE * 2];
    char name[PATH_SIZE * 2];
    ck_assert(ordinary_become(folder));
    path_to("a/b", path);
    ck_assert(file_make_folders(path, NULL));
    write_megabytes("one", 1);
    write_megabytes("a/b/two", 2);
    ck_assert_uint_ge(counted(UINT64_MAX), 3 * MB);
    ck_assert_uint_lt(counted(UINT64_MAX), 4 * MB);
    /* A second name takes no more room, and a link leads to nothing that counts. */
    path_to("one", path);
    path_to("a/same", name);
    ck_assert_int_eq(link(path, name), 0);
    path_to("a/outside", name);
    ck_assert_int_eq(symlink("/usr", name), 0);
    ck_assert_uint_lt(counted(UINT64_MAX), 4 * MB);
    /* Nothing hides in a folder that its owner may not read. */
    path_to("a/b", path);
    ck_assert_int_eq(chmod(path, 0), 0);
    ck_assert_uint_ge(counted(UINT64_MAX), 3 * MB);
}
END_TEST

START_TEST(empty_files_and_folders_count_too) {
    enum { FILES = 64 };
    for (int i = 0; i < FILES; i++) {
        char name[16];
        char path[PATH_SIZE * 2];
        snprintf(name, sizeof name, "%d", i);
        path_to(name, path);
        ck_assert(file_write_atomic(path, "", 0, 0644, NULL));
    }
    ck_assert_uint_ge(counted(UINT64_MAX), FILES * 4096);
    ck_assert_uint_lt(counted(4 * 4096), FILES * 4096);
}
END_TEST

START_TEST(folders_deeper_than_a_path_are_over_any_limit) {
    enum { LENGTH = 250, DEPTH = 20 };
    char name[LENGTH + 1];
    memset(name, 'n', LENGTH);
    name[LENGTH] = '\0';
    ck_assert_int_eq(chdir(folder), 0);
    for (int i = 0; i < DEPTH; i++) {
        ck_assert_int_eq(mkdir(name, 0755), 0);
        ck_assert_int_eq(chdir(name), 0);
    }
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_uint_eq(counted(UINT64_MAX - 1), UINT64_MAX);
}
END_TEST

static void note_reason(const RunResult *result, void *user) {
    ck_assert(!result->ok);
    text_add(user, result->reason);
}

/* Runs a shell's words as an engine whose files may take 4 MB, and returns why it ended. */
static Text run_in_sandbox(const char *words) {
    Sandbox sandbox;
    SandboxPolicy policy;
    Text missing = {0};
    Text reason = {0};
    Error err = {0};
    uv_loop_t loop;
    const char *const argv[] = {"/bin/sh", "-c", words, NULL};
    ck_assert_msg(sandbox_open(&sandbox, "auto", &missing, &err), "%s", err.text);
    sandbox.disk = 4 * MB;
    sandbox_engine(&sandbox, argv, "/", 1, 1, &policy);
    uv_loop_init(&loop);
    RunSpec spec = {.argv = argv, .dir = "/", .policy = &policy, .timeout_ms = RUN_LIMIT_MS};
    ck_assert_msg(run_start(&loop, &spec, note_reason, &reason, &err) != NULL, "%s", err.text);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    sandbox_policy_free(&policy);
    sandbox_free(&sandbox);
    text_free(&missing);
    return reason;
}

START_TEST(a_child_past_the_limit_is_ended_with_the_reason) {
    Text reason = run_in_sandbox("mkdir \"$HOME/d\"; for i in 1 2 3; do "
                                 "head -c 2000000 /dev/zero > \"$HOME/d/$i\"; done; sleep 60");
    ck_assert_msg(strstr(text_string(&reason), "MB of the disk, the limit is 4 MB (--disk-limit)"),
                  "%s", text_string(&reason));
    text_free(&reason);
}
END_TEST

START_TEST(a_child_below_the_limit_is_left_alone) {
    Text reason = run_in_sandbox("head -c 2000000 /dev/zero > \"$HOME/1\"; sleep 3; exit 7");
    ck_assert_str_eq(text_string(&reason), "exited with status 7");
    text_free(&reason);
}
END_TEST

/* ---- Deleted files that are still held ---- */

static const char *const HIDING[] = {"trick=hide:o3", "trick=hide:m3"};

START_TEST(deleted_files_that_are_held_count_too) {
    Place place;
    PlaceHeard heard;
    SandboxPolicy policy;
    place_open(&place);
    const char *argv[] = {place.engine, HIDING[_i], NULL};
    place.sandbox.disk = 6 * MB; /* One or two of the three files. */
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
    place_run(argv, NULL, &policy, PLACE_PLAY, &heard);
    ck_assert_msg(strstr(heard.end.reason, "MB of the disk, the limit is 6 MB") != NULL, "%s: %s",
                  HIDING[_i], heard.end.reason);
    text_free(&heard.output);
    sandbox_policy_free(&policy);
    place_close(&place);
}
END_TEST

/* What this process holds of three files: one that is open and mapped, one that is open twice, one
 * that is only mapped; and of others: one that is not deleted, one of another folder. */
START_TEST(a_deleted_file_counts_once) {
    static const char *const NAMES[] = {"both", "twice", "mapped", "kept", "elsewhere"};
    char path[PATH_SIZE * 2];
    char elsewhere[PATH_SIZE];
    int fds[COUNT(NAMES)];
    Words folders = {0};
    uint64_t bytes = 0;
    temporary_folder(elsewhere, sizeof elsewhere, "rd-disk");
    words_add(&folders, folder);
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        snprintf(path, sizeof path, "%s/%s", i == 4 ? elsewhere : folder, NAMES[i]);
        fds[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        ck_assert_int_ge(fds[i], 0);
        ck_assert_int_eq(posix_fallocate(fds[i], 0, MB), 0);
        ck_assert(i == 3 || unlink(path) == 0);
    }
    int again = dup(fds[1]);
    void *both = mmap(NULL, MB, PROT_READ, MAP_SHARED, fds[0], 0);
    void *mapped = mmap(NULL, MB, PROT_READ, MAP_SHARED, fds[2], 0);
    close(fds[2]);
    deleted_count((int)getpid(), &folders, &bytes);
    ck_assert_uint_ge(bytes, 3 * MB);
    ck_assert_uint_lt(bytes, 3 * MB + MB / 2);
    close(again);
    munmap(both, MB);
    munmap(mapped, MB);
    for (size_t i = 0; i < COUNT(NAMES); i++)
        if (i != 2)
            close(fds[i]);
    bytes = 0;
    deleted_count((int)getpid(), &folders, &bytes);
    ck_assert_uint_eq(bytes, 0);
    words_free(&folders);
    ck_assert_int_eq(rmdir(elsewhere), 0);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, deleted_files_that_are_held_count_too, 0, COUNT(HIDING));
    tcase_add_test(tests, a_deleted_file_counts_once);
    tcase_add_test(tests, files_of_all_folders_are_counted_together);
    tcase_add_test(tests, empty_files_and_folders_count_too);
    tcase_add_test(tests, folders_deeper_than_a_path_are_over_any_limit);
    tcase_add_test(tests, a_child_past_the_limit_is_ended_with_the_reason);
    tcase_add_test(tests, a_child_below_the_limit_is_left_alone);
}

int main(int argc, char **argv) {
    return place_main(argc, argv, "diskwatch", add_tests);
}
