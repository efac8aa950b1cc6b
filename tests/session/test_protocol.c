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
    return run_suite(suite);
}
