/* SPDX-License-Identifier: MIT */
/* A stream of small workloads for `obworker work`, from a server in this very process: a few tests
 * of this project's own engine, each with a source of its own that must be fetched and built.
 * Prints what the worker says of its time. stream THREADS WORKLOADS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "tools/worker_rig.h"

enum { GAMES = 64, WORKLOADS_A_TEST = 4, FIRST_TEST = 5, URL_SIZE = 128 };

static int threads, workloads;
static const char *threads_word;

static void offer(int number, int bench) {
    char path[URL_SIZE];
    char url[URL_SIZE * 2];
    int test = number / WORKLOADS_A_TEST;
    snprintf(path, sizeof path, "/dev-%d.zip", test);
    snprintf(url, sizeof url, "%s%s", double_url(rig_server), path);
    if (number % WORKLOADS_A_TEST == 0)
        rig_serve_own(path);
    rig_offer(&(RigOffer){.id = FIRST_TEST + test,
                          .dev_source = url,
                          .base_source = "own",
                          .path = "engine",
                          .time_control = "N=2000",
                          .dev_bench = bench,
                          .base_bench = bench,
                          .runners = threads,
                          .rounds = GAMES / threads,
                          .book_index = 1 + number * GAMES / 2});
}

/* A test, because the rig speaks to Check. */
START_TEST(a_stream_of_workloads_is_played) {
    int status;
    rig_setup();
    rig_serve_own("/own.zip");
    int bench = (int)rig_own_bench();
    for (int i = 0; i < workloads; i++)
        offer(i, bench);
    rig_start((const char *const[]){"-T", threads_word, "--once", "--report-ms", "30000", NULL});
    ck_assert_int_eq(waitpid(rig_worker, &status, 0), rig_worker);
    Text log = rig_log();
    const char *line = strstr(text_string(&log), "all games at a time were in play");
    if (getenv("STREAM_LOG"))
        fputs(text_string(&log), stderr);
    ck_assert_msg(line && status == 0, "status %d:\n%s", status, text_string(&log));
    rig_expect_games((int64_t)GAMES * workloads);
    printf("%d workloads of %d games: %.*s\n", workloads, GAMES, (int)strcspn(line, "\n"), line);
    text_free(&log);
    rig_teardown();
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    threads_word = argc == 3 ? argv[1] : "0";
    threads = atoi(threads_word);
    workloads = argc == 3 ? atoi(argv[2]) : 0;
    if (threads < 1 || threads > GAMES / 2 || workloads < 1) {
        fprintf(stderr, "usage: %s THREADS WORKLOADS\n", argv[0]);
        return 2;
    }
    if (!rig_ready("stream"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("stream");
    TCase *tc = tcase_create("stream");
    tcase_add_test(tc, a_stream_of_workloads_is_played);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    srunner_print(runner, CK_MINIMAL);
    bool ok = srunner_ntests_failed(runner) == 0;
    srunner_free(runner);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
