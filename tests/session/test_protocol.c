/* SPDX-License-Identifier: MIT */
/* What else the protocol asks of `obworker work`, from end to end: games uploaded, books made by
 * the engine, networks, private engines, versions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <archive.h>
#include <archive_entry.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "match/book.h"
#include "match/pgn.h"
#include "match/syzygy.h"
#include "tools/worker_rig.h"
#include "tools/zip.h"
#include "runner.h"

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define FAULT "/clientSubmitError/"
#define GAMES "/clientSubmitPGN/"
#define BEAT "/clientHeartbeat/"
#define NPS "/clientSubmitNPS/"
#define BENCH_ERROR "/clientBenchError/"

/* ---- Games ---- */

/* The text of the index-th upload. */
static Text uploaded(size_t index) {
    size_t length = 0;
    char *bytes = double_upload(rig_server, GAMES, index, &length);
    ck_assert_msg(bytes && length > 3 && memcmp(bytes, "BZh", 3) == 0, "no bzip2 file");
    struct archive *reader = archive_read_new();
    struct archive_entry *entry;
    Text text = {0};
    char block[4096];
    la_ssize_t got;
    archive_read_support_filter_bzip2(reader);
    archive_read_support_format_raw(reader);
    ck_assert_int_eq(archive_read_open_memory(reader, bytes, length), ARCHIVE_OK);
    ck_assert_int_eq(archive_read_next_header(reader, &entry), ARCHIVE_OK);
    while ((got = archive_read_data(reader, block, sizeof block)) > 0)
        text_add_bytes(&text, block, (size_t)got);
    ck_assert_int_eq(got, 0);
    archive_read_free(reader);
    free(bytes);
    return text;
}

/* How many games the text has. Every one of them can be read. */
static int count_games(const Text *text) {
    PgnReader reader = {.text = text_string(text), .length = text->length};
    PgnRecord record = {0};
    Error err = {0};
    int games = 0;
    int more;
    while ((more = pgn_read(&reader, &record, &err)) > 0)
        games++;
    ck_assert_msg(more == 0, "%s", err.text);
    pgn_record_free(&record);
    return games;
}

static void expect_words(const Text *text, const char *words, bool wanted) {
    bool found = strstr(text_string(text), words) != NULL;
    ck_assert_msg(found == wanted, "%s \"%s\" in:\n%.2000s", wanted ? "no" : "a", words,
                  text_string(text));
}

static const struct {
    const char *style, *time_control;
    const char *has[4], *lacks[8];
} styles[] = {
    {"COMPACT",
     "N=100",
     {"[Round \"8\"]", "/1}", "[ScaleFactor \"1.0000\"]", "[White \"Tiny-base\"]"},
     {"GameEndTime", ", n=", "Variant", "Termination", "PlyCount", "adjudication"}},
    {"VERBOSE",
     "N=100",
     {"\n[ScaleFactor \"1.0000\"]\n[SetUp \"1\"]\n[GameEndTime", "s, n=100, sd=2}"},
     {"GameDuration", "GameStartTime", "PlyCount", "Termination", "hashfull", "adjudication"}},
    {"COMPACT", "5.0+0.1", {"[ScaleFactor \"1.0000\"]", "[TimeControl \"5+0.1\"]"}, {", n="}},
};

START_TEST(the_games_are_uploaded_as_the_test_wants_them) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .upload_pgns = styles[_i].style,
                          .time_control = styles[_i].time_control,
                          .book_index = 3});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, GAMES), 1);
    rig_expect_field(GAMES, 0, "test_id", "5");
    rig_expect_field(GAMES, 0, "result_id", "105");
    rig_expect_field(GAMES, 0, "book_index", "3");
    rig_expect_field(GAMES, 0, "secret", "secret-2");
    rig_expect_field(GAMES, 0, "file", "games.pgn");
    Text text = uploaded(0);
    ck_assert_int_eq(count_games(&text), 16);
    for (int i = 0; i < 4 && styles[_i].has[i]; i++)
        expect_words(&text, styles[_i].has[i], true);
    for (int i = 0; i < 8 && styles[_i].lacks[i]; i++)
        expect_words(&text, styles[_i].lacks[i], false);
    text_free(&text);
}
END_TEST

/* A score and a depth, or nothing; and what it would have said of its move. */
START_TEST(what_an_engine_says_of_its_moves_is_uploaded) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"infos=0\",", "");
    rig_serve_engine("/told.zip", RIG_BENCH, "\"side=base\", \"report\",", "");
    rig_offer(&(RigOffer){
        .id = 5, .base_source = "told", .upload_pgns = _i ? "VERBOSE" : "COMPACT", .rounds = 2});
    rig_run(rig_once, 0);
    Text text = uploaded(0);
    ck_assert_int_eq(count_games(&text), 4);
    expect_words(&text, " {unknown}", true);
    /* On one line or the next. */
    for (char *c = text.data; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    expect_words(&text, _i ? "s, n=100, sd=2, line=took=" : "/1, line=took=", true);
    text_free(&text);
}
END_TEST

START_TEST(games_that_nobody_wants_are_not_uploaded) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .upload_pgns = "FALSE"});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, GAMES), 0);
}
END_TEST

/* A server that does not take them holds up neither the next workload nor the end: they are kept
 * for the next start. */
START_TEST(an_upload_is_tried_again_and_kept_for_the_next_start) {
    rig_serve_dev();
    double_replace(rig_server, GAMES, DOUBLE_INSTEAD, 500, "<html></html>");
    rig_offer(&(RigOffer){.id = 5, .upload_pgns = "COMPACT"});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, GAMES), 2);
    for (int i = 0; i < 20; i++)
        double_replace(rig_server, GAMES, DOUBLE_INSTEAD, 500, "<html></html>");
    rig_offer(&(RigOffer){.id = 6, .upload_pgns = "COMPACT"});
    rig_offer(&(RigOffer){.id = 7});
    rig_run(rig_once, 1);
    rig_expect_games(48);
    rig_expect_log("the PGN of 16 games are kept in ");
    for (int i = 0; i < 20 && double_count(rig_server, GAMES) < 2 + 20 + 1; i++) {
        rig_start(rig_once);
        ck_assert_int_le(rig_wait(), 1);
    }
    ck_assert_uint_eq(double_count(rig_server, GAMES), 2 + 20 + 1);
    rig_expect_field(GAMES, 2 + 20, "test_id", "6");
    rig_expect_field(GAMES, 2 + 20, "result_id", "106");
    rig_expect_games(48);
}
END_TEST

START_TEST(an_interrupted_workload_uploads_its_games) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000, .upload_pgns = "VERBOSE"});
    rig_start(rig_once);
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    Text text = uploaded(0);
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_eq(count_games(&text), t.tri[0] + t.tri[1] + t.tri[2]);
    text_free(&text);
}
END_TEST

/* The games of a worker that was killed are those of its whole pairs. */
START_TEST(a_killed_workload_uploads_its_games_at_the_next_start) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000, .upload_pgns = "COMPACT", .book_index = 3});
    rig_start(rig_once);
    ck_assert(double_wait(rig_server, RESULTS, 2, RIG_PATIENCE_S));
    kill(rig_worker, SIGKILL);
    rig_wait();
    int64_t kept = rig_kept_games();
    rig_run(rig_once, 0);
    Text text = uploaded(0);
    ck_assert_int_eq(count_games(&text), kept);
    rig_expect_field(GAMES, 0, "book_index", "3");
    rig_expect_field(GAMES, 0, "result_id", "105");
    rig_expect_games(kept);
    text_free(&text);
}
END_TEST

/* What was to be reported whole in the end is, when the end has come otherwise. */
START_TEST(a_killed_workload_in_bulk_is_reported_whole_at_the_next_start) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=60,20\", \"delay=2\",", "");
    rig_offer(&(RigOffer){.id = 5,
                          .type = "SPSA",
                          .rounds = 100000,
                          .spsa =
                              "{\"Hash\": {\"index\": 0, \"dev\": [11, 22], \"base\": [22, 11], "
                              "\"flip\": [1, 1], \"c\": 4.0, \"r\": 0.25}}",
                          .reporting = "BULK"});
    rig_start(rig_once);
    while (rig_kept_games() < 20)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    kill(rig_worker, SIGKILL);
    rig_wait();
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    int64_t kept = rig_kept_games();
    rig_run(rig_once, 0);
    rig_expect_games(kept);
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_eq(t.submissions, 1);
    ck_assert_double_eq(t.delta, (double)(t.tri[2] - t.tri[0]));
}
END_TEST

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
    Text tables = {0};
    Text book = {0};
    Error err = {0};
    text_addf(&tables, "%s/syzygy", getenv("RD_SHARED") ? getenv("RD_SHARED") : "/nonexistent");
    if (!syzygy_available() || syzygy_complete_men(text_string(&tables)) != 4) {
        puts("protocol: no tables of four men here: adjudicating by them is left out");
        text_free(&tables);
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
    rig_run((const char *const[]){"--once", "--syzygy", text_string(&tables), NULL}, 0);
    Text text = uploaded(0);
    ck_assert_int_eq(is_moveless(&text), adjudications[_i].at_once);
    text_free(&text);
    text_free(&zip);
    text_free(&book);
    text_free(&tables);
}
END_TEST

/* ---- Options and clocks ---- */

static void expect_heard(const char *name, const char *const *words) {
    char *path = rig_path(name);
    Text heard = {0};
    Error err = {0};
    ck_assert_msg(file_read(path, 4 << 20, &heard, &err), "%s", err.text);
    for (; *words; words += 2) {
        expect_words(&heard, words[0], true);
        expect_words(&heard, words[1], false);
    }
    text_free(&heard);
    free(path);
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
    rig_expect_log("test 5: the server refuses: Nothing of the kind");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, NPS), 2);
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_ge(t.tri[0] + t.tri[1] + t.tri[2], 16);
}
END_TEST

/* ---- Faults of engines ---- */

/* Of one side, once: the words to the server, NULL: none, and what is counted. */
static const struct {
    const char *fault, *time_control, *error;
    int crashes, timelosses, illegals;
    bool slow, base;
} faults[] = {
    {"illegal", NULL, "Illegal Move", 0, 0, 1, false, false},
    {"unparsable", NULL, "Illegal Move", 0, 0, 1, false, false},
    {"missing", NULL, "Illegal Move", 0, 0, 1, false, true},
    {"exit", NULL, "Disconnect", 1, 0, 0, false, true},
    {"late=2600", "1+0.5", NULL, 0, 1, 0, false, false},
    {"late=2600", "1+0.5", NULL, 0, 1, 0, false, true},
    {"stall", NULL, "Stalled", 1, 0, 0, true, false}, /* After a minute. */
};

START_TEST(an_engines_fault_is_counted_and_told) {
    if (faults[_i].slow && !getenv("RD_DEEP")) {
        puts("protocol: waiting for an engine that stalls is left to make check-deep");
        return;
    }
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
    rig_run(rig_once, 0);
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
              "sed -i 's|if (bench)|if (bench) if (rmdir(\"%s\") == 0) return 3; if (bench)|' "
              "engine.c; ",
              mark);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&fault));
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.1"});
    rig_run(rig_once, 0);
    rig_expect_log("[Tiny-AAAAAAAA] Failed to Execute Benchmark");
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, BENCH_ERROR), 0);
    text_free(&fault);
    free(mark);
}
END_TEST

/* ---- Books made by the engine ---- */

static const char no_book[] = "{\"name\": \"NONE\", \"sha\": null, \"source\": null}";
static const char seeds[] = ", \"genfens_seeds\": [1000, 2000, 3000]";

/* How many games of the text begin at a position with this move number. */
static int count_starts(const Text *text, int fullmove) {
    Text tag = {0};
    int count = 0;
    text_addf(&tag, "w KQkq - 0 %d\"]", fullmove);
    for (const char *at = strstr(text_string(text), tag.data); at; at = strstr(at + 1, tag.data))
        count++;
    text_free(&tag);
    return count;
}

/* 16 games of 16 openings, or of 8, which three seeds make in equal shares, rounded up. */
static void expect_datagen(bool reverses, int share) {
    int per_opening = reverses ? 2 : 1;
    int openings = 16 / per_opening;
    rig_expect_games(16);
    Text text = uploaded(0);
    ck_assert_int_eq(count_games(&text), 16);
    for (int i = 0; i < openings; i++)
        ck_assert_int_eq(count_starts(&text, (i / share + 1) * 1000 + i % share), per_opening);
    text_free(&text);
}

static Text genfens_log(void) {
    char *path = rig_path("state/genfens");
    Text text = {0};
    Error err = {0};
    ck_assert_msg(file_read(path, 1 << 20, &text, &err), "%s", err.text);
    free(path);
    return text;
}

START_TEST(datagen_plays_openings_that_the_engine_makes) {
    bool reverses = _i != 0;
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .book = no_book,
                          .extra = seeds,
                          .genfens_args = "random_plies=8",
                          .upload_pgns = "COMPACT",
                          .book_index = 17,
                          .play_reverses = reverses});
    rig_run(rig_once, 0);
    int share = reverses ? 3 : 6;
    expect_datagen(reverses, share);
    Text asked = genfens_log();
    Text wanted = {0};
    text_addf(&wanted, "genfens %d seed 3000 book None random_plies=8, quit\n", share);
    expect_words(&asked, text_string(&wanted), true);
    text_free(&wanted);
    text_free(&asked);
    /* The engine's book was this workload's. */
    char *left = rig_path("state/tmp");
    Text command = {0};
    text_addf(&command, "test -z \"$(ls '%s')\"", left);
    ck_assert_int_eq(system(text_string(&command)), 0);
    text_free(&command);
    free(left);
}
END_TEST

START_TEST(datagen_may_start_from_a_book) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .extra = seeds,
                          .upload_pgns = "COMPACT",
                          .play_reverses = true});
    rig_run(rig_once, 0);
    expect_datagen(true, 3);
    Text asked = genfens_log();
    expect_words(&asked, "state/books/", true);
    expect_words(&asked, ".epd, quit\n", true);
    text_free(&asked);
}
END_TEST

/* The wait is for the next line, not for all of them. */
START_TEST(openings_that_come_slowly_are_waited_for) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .book = no_book,
                          .extra = ", \"genfens_seeds\": [7]",
                          .genfens_args = "slow"});
    rig_run((const char *const[]){"--once", "--genfens-timeout-ms", "5000", NULL}, 0);
    rig_expect_games(16);
}
END_TEST

START_TEST(openings_that_do_not_come_are_a_fault) {
    /* The engine prints a line too few, then sleeps, or ends. */
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\",",
                     _i ? "sed -i 's/i < n/i + 1 < n/' engine.c; "
                        : "sed -i 's/i < n/i + 1 < n/; s/sleep(60)/sleep(600)/' engine.c; ");
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .book = no_book,
                          .extra = ", \"genfens_seeds\": [7]",
                          .genfens_args = _i ? "" : "stall"});
    rig_run((const char *const[]){"--once", "--genfens-timeout-ms", "5000", NULL}, 1);
    rig_expect_field(FAULT, 0, "error", "[Tiny-AAAAAAAA] genfens failed");
    rig_expect_field(FAULT, 0, "logs",
                     _i ? "seed 7: exited with status 0 after 15 of 16 lines\n"
                        : "seed 7: no line for 5 s after 15 of 16\n");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* ---- Networks ---- */

/* By its whole path, whatever the state folder is called. */
START_TEST(a_network_is_fetched_checked_and_handed_to_the_build) {
    /* The engine does not build without its network, which holds the word "test". */
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "test \"$$(cat '$(EVALFILE)')\" = test && ");
    double_serve(rig_server, "/api/networks/Tiny/9F86D081/", "application/octet-stream", "test", 4);
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    char *folder = rig_path("");
    ck_assert_int_eq(chdir(folder), 0);
    rig_run((const char *const[]){"--once", "--state", "elsewhere", NULL}, 0);
    free(folder);
    rig_expect_games(16);
    rig_expect_field("/api/networks/Tiny/9F86D081/", 0, "username", "tester");
    rig_expect_field("/api/networks/Tiny/9F86D081/", 0, "password", "secret");
    ck_assert_uint_eq(double_count(rig_server, "/api/networks/Tiny/9F86D081/"), 1);
}
END_TEST

START_TEST(a_kept_network_that_has_changed_is_fetched_again) {
    static const char network[] = "/api/networks/Tiny/9F86D081/";
    char *kept = rig_path("state/networks/9F86D081");
    Error err = {0};
    rig_serve_dev();
    double_serve(rig_server, network, "application/octet-stream", "test", 4);
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    rig_run(rig_once, 0);
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081", .book_index = 9});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, network), 1);
    ck_assert(file_write_atomic(kept, "tes", 3, 0644, &err));
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081", .book_index = 17});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, network), 2);
    free(kept);
}
END_TEST

static const struct {
    const char *type, *answer, *words;
} networks[] = {
    {"application/octet-stream", "other", "network 9F86D081 of Tiny: the SHA-256 of what came is"},
    {"application/json", "{\"error\": \"Engine not found\"}",
     "the server has no network 9F86D081 of Tiny: Engine not found"},
};

START_TEST(a_network_that_is_not_the_one_is_not_used) {
    rig_serve_dev();
    double_serve(rig_server, "/api/networks/Tiny/9F86D081/", networks[_i].type, networks[_i].answer,
                 strlen(networks[_i].answer));
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    rig_run(rig_once, 1);
    rig_expect_log(networks[_i].words);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* A page of a server in trouble is no network, nor a word about it. */
START_TEST(a_network_is_waited_for_while_the_server_is_in_trouble) {
    static const char path[] = "/api/networks/Tiny/9F86D081/";
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "test \"$$(cat '$(EVALFILE)')\" = test && ");
    double_serve(rig_server, path, "application/octet-stream", "test", 4);
    double_replace(rig_server, path, DOUBLE_INSTEAD, 200, "<html>Maintenance</html>");
    double_replace(rig_server, path, DOUBLE_INSTEAD, 200, "{\"erro");
    double_replace(rig_server, path, DOUBLE_INSTEAD, 200, "");
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, path), 4);
}
END_TEST

/* ---- Private engines ---- */

/* Puts the file with the engine's token into the state folder; home: whose token it is. */
static void keep_token(const char *home) {
    char *state = rig_path("state");
    char *path = rig_path("state/credentials.hiddentiny");
    Text text = {0};
    Error err = {0};
    text_addf(&text, "ghp_abc123\n%s%s", home, home[0] ? "\n" : "");
    ck_assert(file_make_folders(state, &err));
    ck_assert_msg(file_write_atomic(path, text.data, text.length, 0600, &err), "%s", err.text);
    text_free(&text);
    free(state);
    free(path);
}

/* The token went with the requests of `path`, and with none of `others`. */
static void expect_token_at(const char *path, const char *const *others) {
    rig_expect_field(path, 0, "@Authorization", "token ghp_abc123");
    for (; *others; others++)
        for (size_t i = 0; i < double_count(rig_server, *others); i++)
            ck_assert_msg(!double_field(rig_server, *others, i, "@Authorization", 0), "%s",
                          *others);
    Text log = rig_log();
    expect_words(&log, "ghp_abc123", false);
    text_free(&log);
}

START_TEST(a_private_engine_is_fetched_with_its_token) {
    rig_serve_dev();
    keep_token(double_url(rig_server));
    rig_offer(&(RigOffer){.id = 5, .is_private = true});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    expect_token_at("/dev.zip", (const char *const[]){"/base.zip", "/book.zip", RESULTS, NULL});
    char *info = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
    ck_assert_msg(strstr(info, "\"tokens\":{\"Hidden Tiny\":true}") != NULL, "%s", info);
    ck_assert_msg(strstr(info, "ghp_") == NULL, "%s", info);
    free(info);
}
END_TEST

static const struct {
    const char *home, *words;
} misplaced[] = {
    {"", ", but the token in "},
    {"https://git.example", "is for https://git.example"},
    {NULL, "and there is no file credentials.hiddentiny with a token for it"},
};

START_TEST(a_token_goes_nowhere_but_home) {
    rig_serve_dev();
    if (misplaced[_i].home)
        keep_token(misplaced[_i].home);
    rig_offer(&(RigOffer){.id = 5, .is_private = true});
    rig_run(rig_once, 1);
    rig_expect_log(misplaced[_i].words);
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 0);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
}
END_TEST

/* The path of the program that was built for dev. */
static Text built_program(void) {
    char *folder = rig_path("state/engines");
    Text command = {0};
    Text path = {0};
    char line[512] = "";
    text_addf(&command, "ls -d '%s'/Tiny-AAAAAAAA-*", folder);
    FILE *names = popen(text_string(&command), "r");
    ck_assert(names && fgets(line, sizeof line, names));
    pclose(names);
    line[strcspn(line, "\n")] = '\0';
    text_add(&path, line);
    text_free(&command);
    free(folder);
    return path;
}

/* A list of builds, the best of which is behind a redirect to another server: the token does not go
 * there, and nothing is compiled. */
START_TEST(a_private_engines_own_build_is_taken) {
    Double *store = double_start();
    Text target = {0};
    Text list = {0};
    Text url = {0};
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    Text program = built_program();
    ZipEntry entry = {"tiny", ZIP_COPY, text_string(&program)};
    Text zip = zip_make(&entry, 1);
    double_serve(store, "/blob", "application/zip", zip.data, zip.length);
    text_addf(&target, "%s/blob", double_url(store));
    double_replace(rig_server, "/2/zip", DOUBLE_INSTEAD, 302, text_string(&target));
    text_addf(&list, "{\"total_count\": 2, \"artifacts\": [");
    static const char *const names[] = {"tiny-windows-popcnt", "tiny-linux"};
    for (int i = 0; i < 2; i++)
        text_addf(&list,
                  "%s{\"name\": \"%s\", \"expired\": false, \"archive_download_url\": "
                  "\"%s/%d/zip\"}",
                  i ? ", " : "", names[i], double_url(rig_server), i + 1);
    text_add(&list, "]}");
    double_serve(rig_server, "/artifacts", "application/json", list.data, list.length);
    text_addf(&url, "%s/artifacts", double_url(rig_server));
    keep_token(double_url(rig_server));
    rig_offer(&(RigOffer){.id = 6, .is_private = true, .dev_source = text_string(&url)});
    rig_run(rig_once, 0);
    rig_expect_games(32);
    rig_expect_field("/2/zip", 0, "@Authorization", "token ghp_abc123");
    expect_token_at("/artifacts", (const char *const[]){"/base.zip", RESULTS, NULL});
    ck_assert_uint_eq(double_count(store, "/blob"), 1);
    ck_assert_ptr_null(double_field(store, "/blob", 0, "@Authorization", 0));
    double_stop(store);
    text_free(&target);
    text_free(&list);
    text_free(&url);
    text_free(&program);
    text_free(&zip);
}
END_TEST

/* ---- Registration ---- */

/* Every error that says so, even while registering: from the start, with what is built anew, and
 * never the end. */
START_TEST(a_server_that_changes_while_it_is_registered_at_is_asked_again) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, "/clientWorkerInfo/", DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Server Configuration Changed\"}");
    double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Invalid Secret Token\"}");
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 3);
    ck_assert_uint_eq(double_count(rig_server, "/clientGetBuildInfo/"), 3);
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 3);
}
END_TEST

/* Before the machine is registered, and after. */
static const char *const stale_answers[] = {"/clientWorkerInfo/", WORKLOAD};

/* A server that takes nobody is not asked all the time, though it answers some of the questions. */
START_TEST(a_server_that_keeps_forgetting_is_asked_more_and_more_rarely) {
    enum { TIMES = 4 };
    double before = 0;
    int waits = 0;
    for (int i = 0; i < TIMES; i++)
        double_replace(rig_server, stale_answers[_i], DOUBLE_INSTEAD, 200,
                       "{\"error\": \"Bad Client Version: Invalid Secret Token\"}");
    rig_run((const char *const[]){"--once", "--retry-ms", "100", "--retry-max-ms", "10000", NULL},
            0);
    Text log = rig_log();
    for (const char *at = text_string(&log); (at = strstr(at, "again in "));) {
        at += strlen("again in ");
        double wait = strtod(at, NULL);
        ck_assert_msg(wait > before, "%.1f s after %.1f s", wait, before);
        before = wait;
        waits++;
    }
    /* One that was registered registers anew at once, the first time. */
    ck_assert_int_eq(waits, _i ? TIMES - 1 : TIMES);
    text_free(&log);
}
END_TEST

/* ---- Versions ---- */

static const char version_50[] =
    "{\"client_version\": 50, \"client_repo_url\": \"\", \"client_repo_ref\": \"\"}";

START_TEST(a_version_that_is_not_known_can_be_tried) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 200, version_50);
    rig_run((const char *const[]){"--once", "--client-version", "50", NULL}, 0);
    rig_expect_log("saying client version 50 as told");
    char *info = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
    ck_assert_msg(strstr(info, "\"client_ver\":50") != NULL, "%s", info);
    free(info);
    rig_expect_games(16);
}
END_TEST

/* A server that is updated under way: the games in play are finished and delivered when it turns
 * out to speak what we speak, and the worker ends with one line when it does not. */
START_TEST(a_server_that_changes_its_version_is_asked_again) {
    static const char error[] = "{\"error\": \"Bad Client Version: Expected 50\"}";
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, error);
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 2);
    rig_expect_games(16);
    rig_offer(&(RigOffer){.id = 6});
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, error);
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_AFTERWARDS, 200,
                   "{\"client_version\": 49}");
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 200, version_50);
    rig_run(rig_once, 1);
    rig_expect_log("wants client version 50; this worker speaks 49");
    rig_expect_log(" games are kept in ");
    /* The next start brings what was played. */
    int64_t kept = rig_kept_games();
    ck_assert_int_gt(kept, 0);
    rig_run(rig_once, 0);
    rig_expect_games(16 + kept);
}
END_TEST

/* An answer that belongs to another page is no receipt: the batch is looked up, and sent again
 * where it was not added. */
START_TEST(an_answer_to_something_else_is_no_receipt) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, RESULTS, _i ? DOUBLE_AFTERWARDS : DOUBLE_INSTEAD, 200,
                   "{\"workload\": {\"result\": 5}}");
    rig_run(rig_once, 0);
    rig_expect_log("the answer belongs to another request");
    rig_expect_games(16);
}
END_TEST

int main(void) {
    if (!rig_ready("protocol"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("protocol");
    TCase *tc = rig_case(suite, "games");
    tcase_add_loop_test(tc, the_games_are_uploaded_as_the_test_wants_them, 0, COUNT(styles));
    tcase_add_loop_test(tc, what_an_engine_says_of_its_moves_is_uploaded, 0, 2);
    tcase_add_test(tc, games_that_nobody_wants_are_not_uploaded);
    tcase_add_test(tc, an_upload_is_tried_again_and_kept_for_the_next_start);
    tcase_add_test(tc, an_interrupted_workload_uploads_its_games);
    tcase_add_test(tc, a_killed_workload_uploads_its_games_at_the_next_start);
    tcase_add_test(tc, a_killed_workload_in_bulk_is_reported_whole_at_the_next_start);
    tc = rig_case(suite, "openings");
    tcase_add_loop_test(tc, exactly_the_openings_of_the_workload_are_played, 0, 2);
    tc = rig_case(suite, "tables");
    tcase_add_loop_test(tc, tables_adjudicate_up_to_the_men_of_the_test, 0, COUNT(adjudications));
    tc = rig_case(suite, "clocks");
    tcase_add_test(tc, each_side_has_its_own_options_and_limit);
    tcase_add_test(tc, the_speeds_are_reported_and_scale_the_clocks);
    tc = rig_case(suite, "stops");
    tcase_add_loop_test(tc, a_test_is_over_when_any_answer_says_so, 0, COUNT(stops));
    tcase_add_test(tc, a_test_is_over_when_the_answer_to_its_games_says_so);
    tcase_add_test(tc, a_report_that_is_refused_ends_its_workload);
    tc = rig_case(suite, "faults");
    tcase_add_loop_test(tc, an_engines_fault_is_counted_and_told, 0, COUNT(faults));
    tcase_add_loop_test(tc, a_bench_that_fails_is_told_in_the_agreed_words, 0, COUNT(benches));
    tcase_add_test(tc, a_bench_that_fails_once_is_run_again);
    tc = rig_case(suite, "datagen");
    tcase_add_loop_test(tc, datagen_plays_openings_that_the_engine_makes, 0, 2);
    tcase_add_test(tc, datagen_may_start_from_a_book);
    tcase_add_test(tc, openings_that_come_slowly_are_waited_for);
    tcase_add_loop_test(tc, openings_that_do_not_come_are_a_fault, 0, 2);
    tc = rig_case(suite, "networks");
    tcase_add_test(tc, a_kept_network_that_has_changed_is_fetched_again);
    tcase_add_test(tc, a_network_is_fetched_checked_and_handed_to_the_build);
    tcase_add_loop_test(tc, a_network_that_is_not_the_one_is_not_used, 0, COUNT(networks));
    tcase_add_test(tc, a_network_is_waited_for_while_the_server_is_in_trouble);
    tc = rig_case(suite, "private");
    tcase_add_test(tc, a_private_engine_is_fetched_with_its_token);
    tcase_add_loop_test(tc, a_token_goes_nowhere_but_home, 0, COUNT(misplaced));
    tcase_add_test(tc, a_private_engines_own_build_is_taken);
    tc = rig_case(suite, "registration");
    tcase_add_test(tc, a_server_that_changes_while_it_is_registered_at_is_asked_again);
    tcase_add_loop_test(tc, a_server_that_keeps_forgetting_is_asked_more_and_more_rarely, 0,
                        COUNT(stale_answers));
    tc = rig_case(suite, "versions");
    tcase_add_loop_test(tc, an_answer_to_something_else_is_no_receipt, 0, 2);
    tcase_add_test(tc, a_version_that_is_not_known_can_be_tried);
    tcase_add_test(tc, a_server_that_changes_its_version_is_asked_again);
    return run_suite(suite);
}
