/* SPDX-License-Identifier: MIT */
/* What else the protocol asks of `obworker work`, from end to end: openings, tables, options and
 * clocks of each side, the end of a test, faults of engines and of benches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/memory.h"
#include "match/book.h"
#include "match/pgn.h"
#include "match/syzygy.h"
#include "tools/games_rig.h"
#include "tools/worker_rig.h"
#include "tools/zip.h"
#include "runner.h"

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define FAULT "/clientSubmitError/"
#define BEAT "/clientHeartbeat/"
#define NPS "/clientSubmitNPS/"
#define BENCH_ERROR "/clientBenchError/"

/* ---- Openings ---- */

/* A workload's first opening, and how many it has. */
enum { FIRST = 3, OPENINGS = 4 };

/* The game of the text in this round and with this White: its start. Allocated. */
static char *start_of(const Text *text, int round, const char *white) {
    PgnReader reader = {.text = text_string(text), .length = text->length};
    PgnRecord record = {0};
    Error err = {0};
    char *start = NULL;
    while (!start && pgn_read(&reader, &record, &err) > 0)
        if (atoi(record.round) == round && strcmp(record.white, white) == 0)
            start = mem_strdup(record.fen[0] ? record.fen : FEN_STARTPOS);
    ck_assert_msg(start != NULL, "no round %d with %s as White in %.2000s", round, white,
                  text_string(text));
    pgn_record_free(&record);
    return start;
}

static void expect_openings(const Text *text, bool chess960) {
    Book book = {0};
    Opening opening = {0};
    Error err = {0};
    ck_assert_msg(book_load_text(&book, "book", rig_book, strlen(rig_book), false, chess960, &err),
                  "%s", err.text);
    book_shuffle(&book, 2); /* The workload's seed. */
    ck_assert_int_eq(count_games(text), 2 * OPENINGS);
    for (int i = 0; i < 2 * OPENINGS; i++) {
        char *start = start_of(text, i / 2 + 1, i % 2 ? "Tiny-base" : "Tiny-dev");
        ck_assert(book_opening(&book, (uint64_t)(FIRST - 1 + i / 2), &opening, &err));
        ck_assert_str_eq(start, opening.fen);
        free(start);
    }
    opening_free(&opening);
    book_free(&book);
}

/* From book_index, which counts from 1, in the order of the seed; two runners of four rounds play
 * four openings, each with both colours. The book has six, and goes round. */
START_TEST(exactly_the_openings_of_the_workload_are_played) {
    char sha[DIGEST_HEX_MAX];
    Text book = {0};
    Error err = {0};
    ck_assert(digest_text(rig_book, strlen(rig_book), sha, &err));
    text_addf(&book, "{\"name\": \"%s\", \"sha\": \"%s\", \"source\": \"%s/book.zip\"}",
              _i ? "Frc_book.epd" : "book.epd", sha, double_url(rig_server));
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .book = text_string(&book),
                          .book_index = FIRST,
                          .runners = 2,
                          .rounds = OPENINGS,
                          .upload_pgns = "COMPACT"});
    rig_run(rig_once, 0);
    Text text = uploaded(0);
    expect_words(&text, "[Variant \"Chess960\"]", _i);
    expect_openings(&text, _i);
    /* By the test's rules they are won or drawn before long. */
    expect_words(&text, "16. ", false);
    text_free(&text);
    text_free(&book);
}
END_TEST

/* ---- Tables ---- */

static const struct {
    const char *syzygy_adj;
    bool at_once; /* a position of four men ends before its first move */
} adjudications[] = {{"OPTIONAL", true}, {"4-MAN", true}, {"3-MAN", false}, {"DISABLED", false}};

/* Whether the first game of the text has no moves. */
static bool is_moveless(const Text *text) {
    PgnReader reader = {.text = text_string(text), .length = text->length};
    PgnRecord record = {0};
    Error err = {0};
    ck_assert_msg(pgn_read(&reader, &record, &err) > 0, "%s", err.text);
    bool none = record.moves.length == 0;
    pgn_record_free(&record);
    return none;
}

START_TEST(tables_adjudicate_up_to_the_men_of_the_test) {
    static const char line[] = "8/8/8/4k3/8/8/1N6/2Q1K3 w - - 0 1\n";
    char sha[DIGEST_HEX_MAX];
    const char *tables = shared_path("syzygy");
    Text book = {0};
    Error err = {0};
    if (!syzygy_available() || syzygy_complete_men(tables) != 4) {
        puts("protocol: no tables of four men here: adjudicating by them is left out");
        return;
    }
    ZipEntry entry = {"four.epd", ZIP_FILE, line};
    Text zip = zip_make(&entry, 1);
    double_serve(rig_server, "/four.zip", "application/zip", zip.data, zip.length);
    ck_assert(digest_text(line, strlen(line), sha, &err));
    text_addf(&book, "{\"name\": \"four.epd\", \"sha\": \"%s\", \"source\": \"%s/four.zip\"}", sha,
              double_url(rig_server));
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .book = text_string(&book),
                          .syzygy_adj = adjudications[_i].syzygy_adj,
                          .rounds = 2,
                          .upload_pgns = "COMPACT"});
    rig_run((const char *const[]){"--once", "--syzygy", tables, NULL}, 0);
    Text text = uploaded(0);
    ck_assert_int_eq(is_moveless(&text), adjudications[_i].at_once);
    text_free(&text);
    text_free(&zip);
    text_free(&book);
}
END_TEST

/* ---- Options and clocks ---- */

static void expect_heard(const char *name, const char *const *words) {
    Text heard = rig_read(name);
    for (; *words; words += 2) {
        expect_words(&heard, words[0], true);
        expect_words(&heard, words[1], false);
    }
    text_free(&heard);
}

/* What one side hears, the other does not. */
START_TEST(each_side_has_its_own_options_and_limit) {
    static const char *const words[] = {"setoption name Hash value 32",
                                        "setoption name Hash value 8",
                                        "setoption name Style value Very Wild",
                                        "value Solid",
                                        "go nodes 300",
                                        "go nodes 200",
                                        NULL};
    static const char *const other[] = {"setoption name Hash value 8",
                                        "setoption name Hash value 32", "go nodes 200",
                                        "go nodes 300", NULL};
    char *log[] = {rig_path("dev.log"), rig_path("base.log")};
    for (int i = 0; i < 2; i++) {
        Text arguments = {0};
        text_addf(&arguments, "\"side=%s\", \"log=%s\",", i ? "base" : "dev", log[i]);
        rig_serve_engine(i ? "/heard.zip" : "/dev.zip", RIG_BENCH, text_string(&arguments), "");
        text_free(&arguments);
        free(log[i]);
    }
    rig_offer(&(RigOffer){.id = 5,
                          .options = "Threads=1 Hash=32 \\\"Style=Very Wild\\\"",
                          .base_source = "heard",
                          .time_control = "N=300",
                          .base_time_control = "N=200",
                          .rounds = 2});
    rig_run(rig_once, 0);
    expect_heard("dev.log", words);
    expect_heard("base.log", other);
}
END_TEST

/* The speeds of the two engines, and a clock that is scaled by base's. */
START_TEST(the_speeds_are_reported_and_scale_the_clocks) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "sed -i 's/1000000 nps/500000 nps/' engine.c; ");
    rig_serve_engine("/fast.zip", RIG_BENCH, "\"side=base\", \"plan=40,30\",",
                     "sed -i 's/1000000 nps/2000000 nps/' engine.c; ");
    rig_offer(&(RigOffer){
        .id = 5, .base_source = "fast", .time_control = "10.0+0.1", .upload_pgns = "COMPACT"});
    rig_run(rig_once, 0);
    rig_expect_field(NPS, 0, "dev_nps", "500000");
    rig_expect_field(NPS, 0, "base_nps", "2000000");
    rig_expect_field(NPS, 0, "nps", "1250000");
    Text text = uploaded(0);
    expect_words(&text, "[ScaleFactor \"0.5000\"]", true);
    expect_words(&text, "[TimeControl \"5+0.05\"]", true);
    text_free(&text);
}
END_TEST

/* ---- The end of a test ---- */

#define STOP "{\"stop\": true}"

/* Whatever report is answered so, the test is over at once: else these would play on and on. */
static const struct {
    const char *path, *time_control;
    bool dies; /* once: more would end the workload */
    bool held; /* in its bench */
} stops[] = {{NPS, NULL, false, false}, {FAULT, NULL, true, false}, {BEAT, "5.0+0.1", false, true}};

START_TEST(a_test_is_over_when_any_answer_says_so) {
    char *died = rig_path("died");
    Text words = {0};
    text_add(&words, "\"delay=3\",");
    if (stops[_i].dies)
        text_addf(&words, " \"fault=die\", \"once=%s\",", died);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    double_replace(rig_server, stops[_i].path, DOUBLE_AFTERWARDS, 200, STOP);
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000, .time_control = stops[_i].time_control});
    if (stops[_i].held)
        rig_hold_benches(true);
    rig_run(rig_once, 0);
    rig_expect_log("test 5 is over");
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 2);
    ck_assert_uint_eq(double_count(rig_server, BENCH_ERROR), 0);
    text_free(&words);
    free(died);
}
END_TEST

/* The answer to the speeds says so while they wait for the next report. */
START_TEST(pairs_of_a_test_that_is_over_are_not_sent) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=1\",", "");
    rig_hold_benches(true);
    double_replace(rig_server, NPS, DOUBLE_AFTERWARDS, 200, STOP);
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){"--once", "--report-ms", "600000", NULL});
    for (int i = 0; i < RIG_PATIENCE_S * 100 && rig_kept_games() == 0; i++)
        nap();
    rig_hold_benches(false);
    rig_expect_status(0);
    rig_expect_log(" games came too late");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* Of a workload whose test ends before its first game nothing is played. */
START_TEST(a_workload_without_a_game_is_none_of_the_wished_number) {
    rig_serve_dev();
    rig_hold_benches(true);
    double_replace(rig_server, BEAT, DOUBLE_AFTERWARDS, 200, STOP);
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.1"});
    rig_offer(&(RigOffer){.id = 6});
    rig_offer(&(RigOffer){.id = 7});
    rig_start((const char *const[]){"--max-workloads", "1", NULL});
    rig_wait_log("test 5 is over");
    rig_hold_benches(false);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 2);
    rig_expect_games(16);
}
END_TEST

/* The test ends during its games. */
START_TEST(a_workload_with_games_is_one_of_the_wished_number) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"delay=3\",", "");
    double_stop_at(rig_server, 1);
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--max-workloads", "1", NULL}, 0);
    rig_expect_log("test 5 is over");
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 1);
}
END_TEST

/* The games of the test's first workload arrive while those of the second are played. */
START_TEST(a_test_is_over_when_the_answer_to_its_games_says_so) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"delay=3\",", "");
    double_replace(rig_server, GAMES, DOUBLE_AFTERWARDS, 200, STOP);
    rig_offer(&(RigOffer){.id = 5, .rounds = 2, .upload_pgns = "COMPACT"});
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000, .book_index = 3});
    rig_run(rig_once, 0);
    rig_expect_log("test 5 is over");
}
END_TEST

/* The server's own words end the workload, and no other. */
START_TEST(a_report_that_is_refused_ends_its_workload) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    double_replace(rig_server, NPS, DOUBLE_INSTEAD, 200, "{\"error\": \"Nothing of the kind\"}");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 1);
    rig_expect_log("test 5: reporting the speed: the server refuses: Nothing of the kind; this "
                   "workload ends, and this worker takes no more of the test\n");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, NPS), 2);
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_ge(t.tri[0] + t.tri[1] + t.tri[2], 16);
}
END_TEST

/* The engine cannot be built, or has another bench. */
static const struct {
    const char *path, *words;
} fault_reports[] = {
    {FAULT, "test 5: reporting a fault: the server refuses: Not now\n"},
    {BENCH_ERROR, "test 5: reporting a wrong bench: the server refuses: Not now\n"},
};

START_TEST(a_fault_whose_report_is_refused_is_told_once) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", _i ? "" : "exit 1; ");
    rig_offer(&(RigOffer){.id = 5, .dev_bench = RIG_BENCH + 1});
    double_replace(rig_server, fault_reports[_i].path, DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Not now\"}");
    rig_run(rig_once, 1);
    rig_expect_log(fault_reports[_i].words);
    ck_assert_uint_eq(double_count(rig_server, fault_reports[_i].path), 1);
}
END_TEST

/* ---- Faults of engines ---- */

/* Of one side, once: the words to the server, NULL: none, and what is counted. */
static const struct {
    const char *fault, *time_control, *error;
    int crashes, timelosses, illegals;
    bool base;
} faults[] = {
    {"illegal", NULL, "Illegal Move", 0, 0, 1, false},
    {"unparsable", NULL, "Illegal Move", 0, 0, 1, false},
    {"missing", NULL, "Illegal Move", 0, 0, 1, true},
    {"exit", NULL, "Disconnect", 1, 0, 0, true},
    {"late=2600", "1+0.5", NULL, 0, 1, 0, false},
    {"late=2600", "1+0.5", NULL, 0, 1, 0, true},
    {"stall", NULL, "Stalled", 1, 0, 0, false},
};

START_TEST(an_engines_fault_is_counted_and_told) {
    char *mark = rig_path("done");
    Text words = {0};
    text_addf(&words, "\"side=%s\", \"plan=40,30\", \"fault=%s\", \"once=%s\",",
              faults[_i].base ? "base" : "dev", faults[_i].fault, mark);
    rig_serve_dev();
    rig_serve_engine("/faulty.zip", RIG_BENCH, text_string(&words), "");
    Text url = {0};
    text_addf(&url, "%s/faulty.zip", double_url(rig_server));
    rig_offer(&(RigOffer){.id = 5,
                          .dev_source = faults[_i].base ? NULL : text_string(&url),
                          .base_source = faults[_i].base ? "faulty" : NULL,
                          .time_control = faults[_i].time_control});
    bool stalls = strcmp(faults[_i].fault, "stall") == 0;
    rig_run(stalls ? (const char *const[]){"--once", "--stall-ms", "10000", NULL} : rig_once, 0);
    text_free(&url);
    rig_expect_games(16);
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_eq(t.crashes, faults[_i].crashes);
    ck_assert_int_eq(t.timelosses, faults[_i].timelosses);
    ck_assert_int_eq(t.illegals, faults[_i].illegals);
    ck_assert_uint_eq(double_count(rig_server, FAULT), faults[_i].error != NULL);
    if (faults[_i].error) {
        rig_expect_field(FAULT, 0, "error", faults[_i].error);
        char *logs = double_field(rig_server, FAULT, 0, "logs", 0);
        Text pgn = {0};
        text_add(&pgn, logs);
        ck_assert_int_eq(count_games(&pgn), 1);
        expect_words(&pgn, "[Termination \"", true);
        expect_words(&pgn, "> go nodes ", true); /* The transcript's end. */
        char *folder = rig_path("");
        expect_words(&pgn, folder, false);
        free(folder);
        text_free(&pgn);
        free(logs);
    }
    text_free(&words);
    free(mark);
}
END_TEST

/* What a bench comes to, in the words that the server shows. */
static const struct {
    const char *fault, *words;
    bool held;
} benches[] = {
    {"sed -i 's/if (bench)/if (bench) return printf(\"%d nodes 9 nps\\\\n\", (int)getpid()) < 0; "
     "if "
     "(0)/' engine.c; ",
     "[Tiny-AAAAAAAA] Non-Deterministic Benches", false},
    {"sed -i 's/if (bench)/if (bench) return 3; if (0)/' engine.c; ",
     "[Tiny-AAAAAAAA] Failed to Execute Benchmark", false},
    {"", "[Tiny-AAAAAAAA] Bench Exceeded Max Duration", true},
};

START_TEST(a_bench_that_fails_is_told_in_the_agreed_words) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "", benches[_i].fault);
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.1"});
    if (benches[_i].held)
        rig_hold_benches(true);
    rig_run((const char *const[]){"--once", "--bench-timeout-ms",
                                  benches[_i].held ? "300" : "60000", "--sandbox", "off", NULL},
            1);
    ck_assert_uint_eq(double_count(rig_server, BENCH_ERROR), 1);
    rig_expect_field(BENCH_ERROR, 0, "error", benches[_i].words);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* It would stop the test for everyone: one failure is not enough. */
START_TEST(a_bench_that_fails_once_is_run_again) {
    char *mark = rig_path("mark");
    Text fault = {0};
    ck_assert_int_eq(mkdir(mark, 0700), 0);
    text_addf(&fault,
              "sed -i 's|if (bench)|if (bench) if (rmdir(\"%s\") == 0) return "
              "puts(\"no network\"), 3; if (bench)|' "
              "engine.c; ",
              mark);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&fault));
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.1"});
    rig_run(rig_once, 0);
    rig_expect_log("[Tiny-AAAAAAAA] Failed to Execute Benchmark: exited with status 3: no network; "
                   "running it once more");
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, BENCH_ERROR), 0);
    text_free(&fault);
    free(mark);
}
END_TEST

int main(void) {
    if (!rig_ready("protocol"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("protocol");
    TCase *tc = rig_case(suite, "openings");
    tcase_add_loop_test(tc, exactly_the_openings_of_the_workload_are_played, 0, 2);
    tc = rig_case(suite, "tables");
    tcase_add_loop_test(tc, tables_adjudicate_up_to_the_men_of_the_test, 0, COUNT(adjudications));
    tc = rig_case(suite, "clocks");
    tcase_add_test(tc, each_side_has_its_own_options_and_limit);
    tcase_add_test(tc, the_speeds_are_reported_and_scale_the_clocks);
    tc = rig_case(suite, "stops");
    tcase_add_loop_test(tc, a_test_is_over_when_any_answer_says_so, 0, COUNT(stops));
    tcase_add_test(tc, pairs_of_a_test_that_is_over_are_not_sent);
    tcase_add_test(tc, a_workload_without_a_game_is_none_of_the_wished_number);
    tcase_add_test(tc, a_workload_with_games_is_one_of_the_wished_number);
    tcase_add_test(tc, a_test_is_over_when_the_answer_to_its_games_says_so);
    tcase_add_test(tc, a_report_that_is_refused_ends_its_workload);
    tcase_add_loop_test(tc, a_fault_whose_report_is_refused_is_told_once, 0, COUNT(fault_reports));
    tc = rig_case(suite, "faults");
    tcase_add_loop_test(tc, an_engines_fault_is_counted_and_told, 0, COUNT(faults));
    tcase_add_loop_test(tc, a_bench_that_fails_is_told_in_the_agreed_words, 0, COUNT(benches));
    tcase_add_test(tc, a_bench_that_fails_once_is_run_again);
    return run_suite(suite);
}
