/* What else the protocol asks of `obworker work`, from end to end: games uploaded, books made by
 * the engine, networks, private engines, versions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <archive.h>
#include <archive_entry.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "match/pgn.h"
#include "tools/worker_rig.h"
#include "tools/zip.h"
#include "runner.h"

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define FAULT "/clientSubmitError/"
#define GAMES "/clientSubmitPGN/"

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
    const char *has[4], *lacks[4];
} styles[] = {
    {"COMPACT", "N=100", {"[Round \"8\"]", "/1}"}, {"GameEndTime", "ScaleFactor", ", n="}},
    {"VERBOSE", "N=100", {"[GameEndTime", ", n="}, {"ScaleFactor", "GameDuration", "[PlyCount"}},
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
    for (int i = 0; i < 4 && styles[_i].lacks[i]; i++)
        expect_words(&text, styles[_i].lacks[i], false);
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

/* Interrupted and stopped tests upload what was played, and a server that does not take it does not
 * hold up the next workload. */
START_TEST(an_upload_is_tried_again_but_not_for_ever) {
    rig_serve_dev();
    double_replace(rig_server, GAMES, DOUBLE_INSTEAD, 500, "<html></html>");
    rig_offer(&(RigOffer){.id = 5, .upload_pgns = "COMPACT"});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, GAMES), 2);
    for (int i = 0; i < 5; i++)
        double_replace(rig_server, GAMES, DOUBLE_INSTEAD, 500, "<html></html>");
    rig_offer(&(RigOffer){.id = 6, .upload_pgns = "COMPACT"});
    rig_offer(&(RigOffer){.id = 7});
    rig_run(rig_once, 0);
    rig_expect_log("does not take the PGN of 16 games");
    ck_assert_uint_eq(double_count(rig_server, GAMES), 7);
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
    text_addf(&wanted, "genfens %d seed 3000 book None random_plies=8\n", share);
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
    expect_words(&asked, ".epd\n", true);
    text_free(&asked);
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
    rig_run((const char *const[]){"--once", "--genfens-timeout-ms", "1500", NULL}, 1);
    rig_expect_field(FAULT, 0, "error", "[Tiny-AAAAAAAA] genfens failed");
    rig_expect_field(FAULT, 0, "logs",
                     _i ? "seed 7: exited with status 0 after 15 of 16 lines\n"
                        : "seed 7: no line for 1 s after 15 of 16\n");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

int main(void) {
    if (!rig_ready("protocol"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("protocol");
    TCase *tc = rig_case(suite, "games");
    tcase_add_loop_test(tc, the_games_are_uploaded_as_the_test_wants_them, 0, COUNT(styles));
    tcase_add_test(tc, games_that_nobody_wants_are_not_uploaded);
    tcase_add_test(tc, an_upload_is_tried_again_but_not_for_ever);
    tcase_add_test(tc, an_interrupted_workload_uploads_its_games);
    tc = rig_case(suite, "datagen");
    tcase_add_loop_test(tc, datagen_plays_openings_that_the_engine_makes, 0, 2);
    tcase_add_test(tc, datagen_may_start_from_a_book);
    tcase_add_loop_test(tc, openings_that_do_not_come_are_a_fault, 0, 2);
    return run_suite(suite);
}
