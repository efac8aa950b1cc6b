/* SPDX-License-Identifier: MIT */
/* The folder of a worker's results: journals that are torn, damaged, somebody else's or too new,
 * and a disk that takes no more. Each is one line, and no game is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "base/file.h"
#include "base/journal.h"
#include "base/memory.h"
#include "session/outbox.h"
#include "tools/files.h"
#include "tools/openbench_double.h"
#include "tools/outbox_rig.h"
#include "tools/worker_rig.h"
#include "runner.h"

/* ---- Journals of an earlier process ---- */

START_TEST(a_torn_journal_gives_what_is_whole) {
    int64_t kept = leave_a_journal();
    char *path = find_journal("state/outbox");
    append(path, "{\"kind\":\"pair\",\"pair\":77,\"poi");
    /* A kill can leave this too. */
    Text unborn = {0};
    text_addf(&unborn, "%s" JOURNAL_UNBORN "XyZ123", path);
    append(text_string(&unborn), "{");
    /* These too, of games that were being packed, or were packed and uploaded. */
    char *packed[] = {rig_path("state/outbox/5-9-00009.bz2"),
                      rig_path("state/outbox/5-9-00009.bz2.pgn")};
    for (size_t i = 0; i < COUNT(packed); i++)
        append(packed[i], "x");
    /* But not this. */
    Text aside = {0};
    text_addf(&aside, "%s.bad", path);
    append(text_string(&aside), "{");
    rig_run(rig_once, 0);
    rig_expect_games(kept);
    ck_assert_ptr_null(find_journal("state/outbox"));
    ck_assert_int_ne(access(text_string(&unborn), F_OK), 0);
    for (size_t i = 0; i < COUNT(packed); i++) {
        ck_assert_int_ne(access(packed[i], F_OK), 0);
        free(packed[i]);
    }
    ck_assert_int_eq(access(text_string(&aside), F_OK), 0);
    text_free(&aside);
    text_free(&unborn);
    free(path);
}
END_TEST

static const Change bad[] = {
    {"\"points\":", "\"pointz\":", "is damaged: its checksum does not match", false},
    {"\"version\":3,", "\"version\":9,", "is of version 9; this program reads versions up to 3",
     true},
    {"\"user\":\"tester\"", "\"user\":\"other\"", "games wait for http://127.0.0.1:", true},
    {"\"server\":\"http", "\"server\":\"HTTP", "a worker for these delivers them", true},
    {"\"kind\":\"head\"", "\"kind\":\"tail\"", "does not belong to a workload's results", true},
    {"{", "",
     "is not a journal: its first line has no checksum that matches; the file stays as it is",
     false},
};

START_TEST(a_journal_that_cannot_be_taken_up_is_one_line_and_stays) {
    leave_a_journal();
    char *path = find_journal("state/outbox");
    spoil(path, &bad[_i]);
    Text before = read_whole(path);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    rig_expect_log(bad[_i].line);
    rig_expect_games(16);
    Text after = read_whole(path);
    ck_assert_str_eq(text_string(&before), text_string(&after));
    text_free(&before);
    text_free(&after);
    free(path);
}
END_TEST

/* A state folder may move to another machine, but must not be used on both. */
START_TEST(a_journal_of_another_host_is_delivered_and_told) {
    static const Change host = {.from = "\"host\":\"", .to = "\"host\":\"not-", .seal = true};
    int64_t kept = leave_a_journal();
    char *path = find_journal("state/outbox");
    spoil(path, &host);
    rig_run(rig_once, 0);
    rig_expect_log("was written on not-");
    rig_expect_games(kept);
    free(path);
}
END_TEST

/* ---- The disk ---- */

START_TEST(an_outbox_that_is_no_folder_is_one_line) {
    char *state = rig_path("state");
    char *path = rig_path("state/outbox");
    Error err = {0};
    ck_assert(file_make_folders(state, &err));
    append(path, "x");
    rig_run(rig_once, 1);
    rig_expect_log("state/outbox");
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 0);
    free(state);
    free(path);
}
END_TEST

/* Where no journal can be made the results go to the server all the same. */
START_TEST(a_journal_that_cannot_be_made_costs_no_game) {
    char *path = rig_path("state/outbox");
    rig_serve_dev();
    rig_start((const char *const[]){"--max-workloads", "1", NULL});
    ck_assert(double_wait(rig_server, "/clientGetWorkload/", 1, RIG_PATIENCE_S));
    ck_assert_int_eq(rmdir(path), 0);
    rig_offer(&(RigOffer){.id = 5, .upload_pgns = "COMPACT"});
    rig_expect_status(0);
    rig_expect_log(": see that files can be written in the state folder (--state); the results in "
                   "its journal may have to wait for the next start, and "
                   "later results go to the server from memory, without their PGN");
    rig_expect_games(16);
    free(path);
}
END_TEST

/* Has the worker run with files of so many blocks of 512 bytes at most. */
static void limit_files(int blocks) {
    char *path = rig_path("limited");
    Text script = {0};
    text_addf(&script, "#!/bin/sh\nulimit -f %d\nexec '%s' \"$@\"\n", blocks, getenv("OBWORKER"));
    put_bytes(path, script.data, script.length, 0700);
    setenv("OBWORKER", path, 1);
    text_free(&script);
    free(path);
}

/* What fits on the disk waits for the next start; what does not goes to the server. */
START_TEST(a_disk_that_is_full_costs_no_game) {
    char *worker = mem_strdup(getenv("OBWORKER"));
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .rounds = 2});
    rig_run(rig_once, 0);
    rig_expect_games(4);
    limit_files(40);
    rig_offer(&(RigOffer){.id = 6, .rounds = 300});
    rig_start((const char *const[]){"--once", "--report-ms", "100000", "--quiet", NULL});
    ck_assert_int_eq(rig_wait(), 1);
    rig_expect_log("File too large: see that files can be written in the state folder (--state); "
                   "the results in its journal may have to wait for the "
                   "next start, and later results go to the server from memory\n");
    rig_expect_log("are kept in ");
    int64_t kept = rig_kept_games();
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_gt(kept, 0);
    ck_assert_int_eq(t.tri[0] + t.tri[1] + t.tri[2], 4 + 600 - kept);
    setenv("OBWORKER", worker, 1);
    rig_run(rig_once, 0);
    rig_expect_games(4 + 600);
    free(worker);
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!rig_ready("store"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("store");
    TCase *tc = rig_case(suite, "journals");
    tcase_add_test(tc, a_torn_journal_gives_what_is_whole);
    tcase_add_loop_test(tc, a_journal_that_cannot_be_taken_up_is_one_line_and_stays, 0, COUNT(bad));
    tcase_add_test(tc, a_journal_of_another_host_is_delivered_and_told);
    tc = rig_case(suite, "disk");
    tcase_add_test(tc, an_outbox_that_is_no_folder_is_one_line);
    tcase_add_test(tc, a_journal_that_cannot_be_made_costs_no_game);
    tcase_add_test(tc, a_disk_that_is_full_costs_no_game);
    return run_suite(suite);
}
