/* SPDX-License-Identifier: MIT */
/* No core is to be idle: what `obworker work` knows already it does not find out again, and the
 * next workload is ready when the present one ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "build/benchbook.h"
#include "session/timeuse.h"
#include "tools/files.h"
#include "tools/worker_rig.h"
#include "runner.h"

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define NPS "/clientSubmitNPS/"
#define FAULT "/clientSubmitError/"
#define CLOCKS "1+0.01"

/* ---- What benches told ---- */

static const BenchRecord record = {
    .sha256 = "ab12", .bench = 4242, .nps = 1000, .measured = 5000, .copies = 4, .mhz = 3000};

static const struct {
    BenchTerms terms;
    bool recent;
} terms[] = {
    {{.now = 5000, .age_s = 60, .copies = 4, .mhz = 3000}, true},
    {{.now = 5060, .age_s = 60, .copies = 4, .mhz = 3300}, true},
    {{.now = 5060, .age_s = 60, .copies = 4}, true},
    {{.now = 5061, .age_s = 60, .copies = 4, .mhz = 3000}, false},
    {{.now = 5000, .age_s = 60, .copies = 2, .mhz = 3000}, false},
    {{.now = 5000, .age_s = 60, .copies = 4, .mhz = 2600}, false},
    {{.now = 5000, .age_s = 60, .copies = 4, .mhz = 3301}, false},
    {{.now = 5001, .age_s = 60, .copies = 4, .since = 5001}, false},
    /* The clock was set back: after the measurement, or before. */
    {{.now = 4999, .age_s = 60, .copies = 4}, false},
    {{.now = 5000, .age_s = 60, .copies = 4, .since = 5001}, true},
};

START_TEST(a_speed_counts_while_it_is_young_and_nothing_has_changed) {
    bool recent = benchbook_is_recent(&record, &terms[_i].terms);
    ck_assert_msg(recent == terms[_i].recent, "row %d: %d", _i, recent);
}
END_TEST

START_TEST(a_speed_measured_beside_games_scales_no_clock) {
    BenchRecord beside = record;
    beside.measured = 0;
    ck_assert(!benchbook_is_recent(&beside, &terms[0].terms));
    ck_assert(!benchbook_is_recent(&(BenchRecord){.copies = 4},
                                   &(BenchTerms){.now = 5000, .age_s = 60, .copies = 4}));
}
END_TEST

START_TEST(what_benches_told_is_read_again) {
    char *path = rig_path("record");
    BenchRecord again;
    Error err = {0};
    ck_assert_msg(benchbook_write(path, &record, &err), "%s", err.text);
    ck_assert(benchbook_read(path, &again));
    ck_assert_str_eq(again.sha256, record.sha256);
    ck_assert_int_eq(again.bench, record.bench);
    ck_assert_int_eq(again.nps, record.nps);
    ck_assert_int_eq(again.measured, record.measured);
    ck_assert_int_eq(again.copies, record.copies);
    ck_assert_int_eq(again.mhz, record.mhz);
    put_text(path, "{\"sha256\": 5}");
    ck_assert(!benchbook_read(path, &again));
    ck_assert_int_eq(again.bench, 0);
    unlink(path);
    ck_assert(!benchbook_read(path, &again));
    free(path);
}
END_TEST

START_TEST(the_clock_is_the_mean_of_the_cpus) {
    ck_assert_int_eq(benchbook_parse_mhz("cpu MHz\t\t: 2000.5\nflags: x\ncpu MHz : 3000\n"), 2500);
    ck_assert_int_eq(benchbook_parse_mhz("model name: x\ncpu MHz"), 0);
    ck_assert_int_eq(benchbook_parse_mhz("cpu MHz\nbogomips: 4000\n"), 0);
}
END_TEST

/* ---- Where the time goes ---- */

START_TEST(the_time_is_told_by_what_it_went_into) {
    static const int64_t second = 1000000000;
    TimeUse time_use = {0};
    Text text = {0};
    timeuse_enter(&time_use, ACTIVITY_REGISTER, 10 * second);
    timeuse_enter(&time_use, ACTIVITY_PREPARE, 12 * second);
    timeuse_write(&time_use, &text);
    ck_assert_str_eq(text_string(&text), "");
    timeuse_enter(&time_use, ACTIVITY_FULL, 15 * second);
    timeuse_enter(&time_use, ACTIVITY_FULL, 55 * second);
    timeuse_enter(&time_use, ACTIVITY_PART, 105 * second);
    timeuse_enter(&time_use, ACTIVITY_PREPARE, 110 * second);
    timeuse_enter(&time_use, ACTIVITY_NOTHING, 115 * second);
    timeuse_write(&time_use, &text);
    ck_assert_str_eq(
        text_string(&text),
        "all games at a time were in play for 90.0 % of 100 s, some of them for 5.0 %; "
        "5.0 % went into preparing; 5.0 s before the first game");
    text_free(&text);
}
END_TEST

/* ---- Benches ---- */

static int count_in_log(const char *words) {
    Text log = rig_log();
    int count = count_of(text_string(&log), words);
    text_free(&log);
    return count;
}

/* As if it was measured so long ago, at no clock that is known: a laptop's is not steady. */
static void age_records(int64_t seconds) {
    char *benches = rig_path("state/benches");
    Text command = {0};
    text_addf(
        &command,
        "sed -i -E 's/\"measured\": *[0-9]+/\"measured\":%lld/; s/\"mhz\": *[0-9]+/\"mhz\":0/' "
        "'%s'/*",
        (long long)((int64_t)time(NULL) - seconds), benches);
    ck_assert_int_eq(system(text_string(&command)), 0);
    text_free(&command);
    free(benches);
}

START_TEST(a_speed_counts_for_the_minutes_that_were_asked_for) {
    static const char bench[] = "running the bench of";
    static const char *const longer[] = {"--once", "--rebench-minutes", "100", NULL};
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2});
    rig_run(rig_once, 0);
    age_records(90 * 60);
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2, .book_index = 3});
    rig_run(longer, 0);
    ck_assert_int_eq(count_in_log(bench), 0);
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2, .book_index = 5});
    rig_run(rig_once, 0);
    ck_assert_int_eq(count_in_log(bench), 2);
}
END_TEST

START_TEST(clocks_are_scaled_by_a_speed_that_was_measured_lately) {
    static const char bench[] = "running the bench of";
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2});
    rig_run(rig_once, 0);
    ck_assert_int_eq(count_in_log(bench), 2);
    age_records(0);
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2, .book_index = 3});
    rig_run(rig_once, 0);
    ck_assert_int_eq(count_in_log(bench), 0);
    /* As many at once as games: another number, another speed. */
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2, .book_index = 5});
    rig_run((const char *const[]){"--once", "-T", "1", NULL}, 0);
    ck_assert_int_eq(count_in_log(bench), 2);
    rig_expect_field("/clientSubmitNPS/", 2, "nps", "1000000");
}
END_TEST

START_TEST(another_bench_of_the_same_engine_is_not_believed) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2});
    rig_run(rig_once, 0);
    rig_offer(
        &(RigOffer){.id = 6, .time_control = CLOCKS, .rounds = 2, .dev_bench = RIG_BENCH + 1});
    rig_run(rig_once, 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 1);
}
END_TEST

START_TEST(fixed_nodes_are_played_while_the_bench_runs) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    ck_assert_int_eq(count_in_log("running its benches beside its games"), 1);
    ck_assert_int_eq(count_in_log("running the bench of"), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitNPS/"), 1);
    rig_expect_games(16);
    /* Once proved, that is known. */
    rig_offer(&(RigOffer){.id = 5, .book_index = 9});
    rig_run(rig_once, 0);
    ck_assert_int_eq(count_in_log("running its benches"), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitNPS/"), 2);
    rig_expect_games(32);
}
END_TEST

START_TEST(clocks_are_not_scaled_by_a_bench_beside_games) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run((const char *const[]){"--once", "-T", "1", NULL}, 0);
    ck_assert_int_eq(count_in_log("running its benches beside its games"), 1);
    rig_offer(&(RigOffer){.id = 5, .time_control = CLOCKS, .rounds = 2, .book_index = 9});
    rig_run((const char *const[]){"--once", "-T", "1", NULL}, 0);
    ck_assert_int_eq(count_in_log("running the bench of"), 2);
}
END_TEST

START_TEST(games_of_an_engine_with_a_wrong_bench_are_thrown_away) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=20\",", "");
    rig_offer(&(RigOffer){.id = 5, .dev_bench = 1, .rounds = 100, .upload_pgns = "COMPACT"});
    rig_run(rig_once, 1);
    rig_expect_log("[Tiny-AAAAAAAA] Wrong Bench: 4242: its games are thrown away");
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 1);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 0);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
}
END_TEST

/* The bench of base finds no folder to run in: that says nothing about base. The games are over, or
 * in play. */
START_TEST(games_wait_when_this_machine_cannot_start_their_bench) {
    char *folder = rig_path("state/tmp");
    char *away = rig_path("state/away");
    rig_serve_dev();
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5, .rounds = _i ? 100000 : 0});
    rig_start((const char *const[]){"--once", "--keep-delivered", NULL});
    while (rig_kept_games() < 16)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    ck_assert_int_eq(rename(folder, away), 0);
    rig_hold_benches(false);
    rig_expect_status(1);
    rig_expect_log("Failed to Execute Benchmark: ");
    rig_expect_games(0);
    int64_t kept = rig_kept_games();
    ck_assert_int_ge(kept, 16);
    ck_assert_int_eq(rename(away, folder), 0);
    rig_offer(&(RigOffer){.id = 5, .book_index = 9});
    rig_run((const char *const[]){"--once", "--keep-delivered", NULL}, 0);
    rig_expect_games(kept + 16);
    free(folder);
    free(away);
}
END_TEST

/* The first number in a file, a line each. */
static pid_t first_number(const char *path) {
    Text text = read_whole(path);
    pid_t number = (pid_t)strtol(text_string(&text), NULL, 10);
    ck_assert_int_gt(number, 0);
    text_free(&text);
    return number;
}

/* The folder in which engines run is away when dev has to be started again: that says nothing about
 * dev. Its whole pairs count, and the test is wanted again when the server has no other, after the
 * wait without work. */
START_TEST(games_wait_when_this_machine_cannot_start_an_engine) {
    char *folder = rig_path("state/tmp");
    char *away = rig_path("state/away");
    char *numbers = rig_path("numbers");
    Text words = {0};
    text_addf(&words,
              "({ FILE *numbers = fopen(\"%s\", \"a\"); fprintf(numbers, \"%%d\\n\", getpid()); "
              "fclose(numbers); \"side=dev\"; }), \"plan=40,30\", \"delay=1\",",
              numbers);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){"--keep-delivered", "--idle-ms", _i ? "600000" : "100", NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    ck_assert_int_eq(rename(folder, away), 0);
    ck_assert_int_eq(kill(first_number(numbers), SIGKILL), 0);
    rig_wait_log("cannot be started: ");
    rig_wait_log("error: test 5: Tiny-dev: "); /* It was tried three times. */
    if (_i) {
        /* Time to do what is wrong. */
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
        ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 1);
    } else {
        ck_assert(double_wait(rig_server, WORKLOAD, 3, RIG_PATIENCE_S));
        rig_expect_field(WORKLOAD, 1, "blacklist", "5");
        ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 2, "blacklist", 0));
    }
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    /* The game of the killed process alone. */
    ck_assert_uint_eq(double_count(rig_server, FAULT), 1);
    rig_expect_field(FAULT, 0, "error", "Disconnect");
    rig_expect_games(rig_kept_games());
    text_free(&words);
    free(numbers);
    free(folder);
    free(away);
}
END_TEST

START_TEST(an_engine_whose_file_has_changed_is_benched_again) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    char *folder = rig_path("state/engines");
    Text command = {0};
    text_addf(&command, "for f in '%s'/*; do echo x >>\"$f\"; done", folder);
    ck_assert_int_eq(system(text_string(&command)), 0);
    rig_offer(&(RigOffer){.id = 5, .book_index = 9});
    rig_run(rig_once, 0);
    ck_assert_int_eq(count_in_log("running its benches"), 1);
    text_free(&command);
    free(folder);
}
END_TEST

/* ---- Sources ---- */

START_TEST(a_source_is_fetched_once) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    Text command = {0};
    char *engines = rig_path("state/engines");
    text_addf(&command, "rm '%s'/*", engines);
    ck_assert_int_eq(system(text_string(&command)), 0);
    rig_offer(&(RigOffer){.id = 5, .book_index = 9});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 1);
    ck_assert_int_eq(count_in_log("building Tiny"), 2);
    /* What is broken is fetched again. */
    char *sources = rig_path("state/sources");
    text_addf(&command, "; for f in '%s'/*; do echo broken >\"$f\"; done", sources);
    ck_assert_int_eq(system(text_string(&command)), 0);
    rig_offer(&(RigOffer){.id = 5, .book_index = 17});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 2);
    ck_assert_int_eq(count_in_log("downloading it again"), 2);
    rig_expect_games(48);
    text_free(&command);
    free(engines);
    free(sources);
}
END_TEST

/* ---- One workload after the other ---- */

/* Fails unless the log has these words in this order. */
static void expect_order(const char *const *words) {
    Text log = rig_log();
    const char *at = text_string(&log);
    for (; *words; words++) {
        const char *found = strstr(at, *words);
        ck_assert_msg(found != NULL, "no \"%s\" after what came before it in:\n%.4000s", *words,
                      text_string(&log));
        at = found + 1;
    }
    text_free(&log);
}

/* The first one's last game waits for the second to begin, in the place of the game before. */
START_TEST(the_next_workload_is_built_beside_the_games_and_begins_where_they_end) {
    enum { GAMES = 16 };
    static const char *const order[] = {
        "test 5 (SPRT): dev-branch against", "test 6 (SPRT): dev-branch [Tiny]", "building Tiny",
        "test 6 (SPRT): dev-branch against", "test 5: 8 of 8 pairs played",      NULL};
    static const char *const second[] = {"test 6 (SPRT): dev-branch against",
                                         "test 6: 8 of 8 pairs played", NULL};
    Text url = {0};
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    rig_serve_dev_with_tickets(GAMES - 1);
    rig_serve_engine("/other.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", "");
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6, .dev_source = text_string(&url)});
    rig_start(rig_once);
    rig_wait_log(order[3]);
    rig_give_tickets(1);
    rig_expect_status(0);
    expect_order(order);
    expect_order(second);
    rig_expect_games(32);
    text_free(&url);
}
END_TEST

static int count_in(const char *path, const char *words) {
    Text text = read_whole(path);
    int count = count_of(text_string(&text), words);
    text_free(&text);
    return count;
}

/* Plays an engine, and forgets all of it but its source. */
static void keep_source_of(const char *url) {
    char *engines = rig_path("state/engines");
    Text command = {0};
    rig_offer(&(RigOffer){.id = 4, .dev_source = url});
    rig_run(rig_once, 0);
    text_addf(&command, "rm '%s'/*", engines);
    ck_assert_int_eq(system(text_string(&command)), 0);
    text_free(&command);
    free(engines);
}

/* The build keeps what the engine of the games had heard until then: all that it would hear. */
START_TEST(nothing_is_built_while_clocks_tick) {
    static const char *const order[] = {"test 5 (SPRT): dev-branch against",
                                        "test 6 (SPRT): dev-branch [Tiny]",
                                        "downloading the source",
                                        "building Tiny",
                                        "test 6 (SPRT): dev-branch against",
                                        NULL};
    static const char *const order_of_kept[] = {"test 5 (SPRT): dev-branch against",
                                                "test 6 (SPRT): dev-branch [Tiny]", "building Tiny",
                                                "test 6 (SPRT): dev-branch against", NULL};
    char *heard = rig_path("heard");
    char *heard_then = rig_path("heard-then");
    Text url = {0};
    Text words = {0};
    Text copy = {0};
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    text_addf(&words, "\"side=dev\", \"plan=40,30\", \"delay=20\", \"log=%s\",", heard);
    text_addf(&copy, "cp '%s' '%s'; ", heard, heard_then);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_serve_engine("/other.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&copy));
    if (_i == 1)
        keep_source_of(text_string(&url));
    rig_offer(&(RigOffer){.id = 5, .time_control = "10+1", .rounds = 4});
    rig_offer(&(RigOffer){.id = 6, .dev_source = text_string(&url)});
    rig_run(rig_once, 0);
    expect_order(_i == 1 ? order_of_kept : order);
    ck_assert_int_gt(count_in(heard_then, "go wtime"), 0);
    ck_assert_int_eq(count_in(heard_then, "go wtime"), count_in(heard, "go wtime"));
    rig_expect_games(_i == 1 ? 40 : 24);
    text_free(&url);
    text_free(&words);
    text_free(&copy);
    free(heard);
    free(heard_then);
}
END_TEST

/* A place falls free while the last game with clocks waits in the other. */
START_TEST(a_bench_beside_games_waits_for_other_games_clocks) {
    static const char beside[] = "running its benches beside its games";
    enum { GAMES = 4 };
    char *heard = rig_path("heard");
    char *benches = rig_path("state/benches");
    Text url = {0};
    Text command = {0};
    Text other = {0};
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    rig_serve_dev_with_tickets(GAMES - 1);
    text_addf(&other, "\"side=dev\", \"plan=40,30\", \"delay=5\", \"log=%s\",", heard);
    rig_serve_engine("/other.zip", RIG_BENCH, text_string(&other), "");
    /* The second's engine is built already, but nothing is known of its bench. */
    rig_offer(&(RigOffer){.id = 5, .dev_source = text_string(&url)});
    rig_run(rig_once, 0);
    text_addf(&command, "rm '%s'/*", benches);
    ck_assert_int_eq(system(text_string(&command)), 0);
    ck_assert_int_eq(unlink(heard), 0);
    rig_offer(&(RigOffer){.id = 6, .time_control = "600+1", .rounds = GAMES / 2});
    rig_offer(&(RigOffer){.id = 7, .dev_source = text_string(&url), .rounds = 50});
    rig_start(rig_once);
    rig_wait_log("test 7 (SPRT): dev-branch against");
    /* Time to do what is wrong. */
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    ck_assert_int_eq(count_in_log(beside), 0);
    /* One place is free, and later both are. */
    ck_assert(!file_exists(heard) || count_in(heard, "uci\n") <= 1);
    rig_give_tickets(1);
    rig_expect_status(0);
    ck_assert_int_eq(count_in_log(beside), 1);
    ck_assert_int_eq(count_in(heard, "uci\n"), 2);
    rig_expect_games(16 + GAMES + 100);
    text_free(&other);
    text_free(&command);
    text_free(&url);
    free(heard);
    free(benches);
}
END_TEST

/* Starts a worker that has played one workload, whose benches are held, and waits with clocks for
 * those. */
static void start_with_clocks_waiting(void) {
    Text url = {0};
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    rig_serve_dev();
    rig_serve_engine("/other.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", "");
    rig_offer(&(RigOffer){.id = 6, .time_control = CLOCKS});
    rig_run(rig_once, 0);
    age_records(0);
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5, .dev_source = text_string(&url)});
    rig_offer(&(RigOffer){.id = 6, .time_control = CLOCKS, .book_index = 9});
    rig_start(rig_once);
    /* The second's speeds are known, and told when it is ready; those of the first are not. */
    for (int i = 0; i < RIG_PATIENCE_S * 100 && double_count(rig_server, NPS) < 2; i++)
        nap();
    ck_assert_uint_eq(double_count(rig_server, NPS), 2);
    ck_assert_int_eq(count_in_log("from opening 9"), 0);
    text_free(&url);
}

START_TEST(clocks_do_not_tick_beside_a_bench) {
    start_with_clocks_waiting();
    rig_hold_benches(false);
    rig_expect_status(0);
    ck_assert_int_eq(count_in_log("from opening 9"), 1);
    rig_expect_games(48);
}
END_TEST

START_TEST(an_interrupt_drops_the_workload_that_waits) {
    start_with_clocks_waiting();
    rig_wait_log("test 5: 8 of 8 pairs played");
    kill(rig_worker, SIGINT);
    rig_wait_log("waiting for the benches of the engines");
    rig_hold_benches(false);
    rig_expect_status(0);
    ck_assert_int_eq(count_in_log("from opening 9"), 0);
    rig_expect_games(32);
}
END_TEST

static void offer_datagen(int book_index) {
    rig_offer(&(RigOffer){.id = 6,
                          .type = "DATAGEN",
                          .rounds = 2,
                          .book_index = book_index,
                          .upload_pgns = "COMPACT",
                          .extra = ", \"genfens_seeds\": [1000, 2000, 3000]"});
}

START_TEST(engines_make_openings_when_they_are_proved_and_nothing_plays) {
    static const char openings[] = "-AAAAAAAA makes";
    Text url = {0};
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    rig_serve_dev();
    rig_serve_engine("/other.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", "");
    offer_datagen(1);
    rig_run(rig_once, 0);
    ck_assert_int_eq(count_in_log("running its benches beside its games"), 0);
    ck_assert_int_eq(count_in_log("running the bench of"), 2);
    ck_assert_int_eq(count_in_log(openings), 1);
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5, .dev_source = text_string(&url)});
    offer_datagen(9);
    rig_start(rig_once);
    rig_wait_log("test 6 (DATAGEN)");
    /* Time to do what is wrong. */
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    ck_assert_int_eq(count_in_log(openings), 0);
    rig_hold_benches(false);
    rig_expect_status(0);
    ck_assert_int_eq(count_in_log(openings), 1);
    text_free(&url);
}
END_TEST

/* The first's benches are wrong, and run again alone: not beside those of the second. */
START_TEST(one_workload_is_benched_at_a_time) {
    static const char bench[] = "running the bench of";
    static const char *const order[] = {"test 5: 8 of 8 pairs played",
                                        "its games are thrown away",
                                        bench,
                                        bench,
                                        "test 6 (SPRT): dev-branch against",
                                        bench,
                                        bench,
                                        NULL};
    Text url = {0};
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    rig_serve_dev();
    rig_serve_engine("/other.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", "");
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5, .dev_bench = 1});
    rig_offer(&(RigOffer){.id = 6, .time_control = CLOCKS, .dev_source = text_string(&url)});
    rig_start(rig_once);
    rig_wait_log("test 5: 8 of 8 pairs played");
    for (int i = 0; i < RIG_PATIENCE_S * 10 && count_in_log("building Tiny") < 3; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    /* Time to do what is wrong. */
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    rig_hold_benches(false);
    rig_expect_status(1);
    expect_order(order);
    ck_assert_int_eq(count_in_log(bench), 4);
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 1);
    rig_expect_games(16);
    text_free(&url);
}
END_TEST

/* An engine that makes the cache full by itself: the others' would go, used or not. */
START_TEST(what_one_workload_uses_stays_while_the_next_makes_room) {
    Text url = {0};
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    rig_serve_dev();
    rig_serve_engine("/other.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "echo 'char big[2 << 20] = {1};' >>engine.c; ");
    rig_serve_engine("/small.zip", RIG_BENCH, "\"side=base\", \"plan=40,30\",", "");
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6, .dev_source = text_string(&url), .base_source = "small"});
    rig_start((const char *const[]){"--once", "--cache-limit", "1", NULL});
    rig_wait_log("test 6 (SPRT): dev-branch against");
    /* That of base comes after that of dev: its file must be there still. */
    rig_hold_benches(false);
    rig_expect_status(0);
    ck_assert_int_eq(count_in_log("thrown away"), 0);
    ck_assert_int_eq(count_in_log("building Tiny"), 4);
    rig_expect_games(32);
    text_free(&url);
}
END_TEST

START_TEST(a_test_that_ends_takes_the_next_workload_with_it) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=20\",", "");
    double_stop_at(rig_server, 2);
    rig_offer(&(RigOffer){.id = 5, .rounds = 16});
    rig_offer(&(RigOffer){.id = 5, .rounds = 16, .book_index = 17});
    rig_run(rig_once, 0);
    rig_expect_log("test 5 is over");
    ck_assert_int_eq(count_in_log("from opening 17"), 0);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 2);
}
END_TEST

int main(void) {
    if (!rig_ready("idle"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("idle");
    TCase *tc = rig_case(suite, "speeds");
    tcase_add_loop_test(tc, a_speed_counts_while_it_is_young_and_nothing_has_changed, 0,
                        COUNT(terms));
    tcase_add_test(tc, a_speed_measured_beside_games_scales_no_clock);
    tcase_add_test(tc, what_benches_told_is_read_again);
    tcase_add_test(tc, the_clock_is_the_mean_of_the_cpus);
    tcase_add_test(tc, the_time_is_told_by_what_it_went_into);
    tc = rig_case(suite, "benches");
    tcase_add_test(tc, a_speed_counts_for_the_minutes_that_were_asked_for);
    tcase_add_test(tc, clocks_are_scaled_by_a_speed_that_was_measured_lately);
    tcase_add_test(tc, another_bench_of_the_same_engine_is_not_believed);
    tcase_add_test(tc, fixed_nodes_are_played_while_the_bench_runs);
    tcase_add_test(tc, clocks_are_not_scaled_by_a_bench_beside_games);
    tcase_add_test(tc, games_of_an_engine_with_a_wrong_bench_are_thrown_away);
    tcase_add_loop_test(tc, games_wait_when_this_machine_cannot_start_their_bench, 0, 2);
    tcase_add_loop_test(tc, games_wait_when_this_machine_cannot_start_an_engine, 0, 2);
    tcase_add_test(tc, an_engine_whose_file_has_changed_is_benched_again);
    tcase_add_test(tc, a_source_is_fetched_once);
    tc = rig_case(suite, "workloads");
    tcase_add_test(tc, the_next_workload_is_built_beside_the_games_and_begins_where_they_end);
    tcase_add_loop_test(tc, nothing_is_built_while_clocks_tick, 0, 2);
    tcase_add_test(tc, a_bench_beside_games_waits_for_other_games_clocks);
    tcase_add_test(tc, clocks_do_not_tick_beside_a_bench);
    tcase_add_test(tc, an_interrupt_drops_the_workload_that_waits);
    tcase_add_test(tc, engines_make_openings_when_they_are_proved_and_nothing_plays);
    tcase_add_test(tc, one_workload_is_benched_at_a_time);
    tcase_add_test(tc, what_one_workload_uses_stays_while_the_next_makes_room);
    tcase_add_test(tc, a_test_that_ends_takes_the_next_workload_with_it);
    return run_suite(suite);
}
