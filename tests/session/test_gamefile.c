/* SPDX-License-Identifier: MIT */
/* The games of a workload: uploaded as the test wants them, also after a kill. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/games_rig.h"
#include "tools/worker_rig.h"
#include "runner.h"

#define RESULTS "/clientSubmitResults/"

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

/* A folder has the name of the file that the games are written to before they are packed. */
static void hinder_packing(bool hindered) {
    static const char *const folders[] = {"state", "state/outbox",
                                          "state/outbox/5-2-00001.bz2.pgn"};
    for (size_t i = 0; i < COUNT(folders); i++) {
        char *path = rig_path(folders[i]);
        if (hindered)
            mkdir(path, 0700);
        else if (i + 1 == COUNT(folders))
            ck_assert_int_eq(rmdir(path), 0);
        free(path);
    }
}

/* The journal is their only copy: it stays until they are packed, in this process or the next. */
START_TEST(games_that_cannot_be_packed_are_packed_later) {
    static const char *const endless[] = {NULL};
    bool same_process = _i == 1;
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .upload_pgns = "COMPACT"});
    hinder_packing(true);
    rig_start(same_process ? endless : rig_once);
    rig_wait_log("packing the games: ");
    if (!same_process) {
        rig_expect_status(1);
        rig_expect_log("the PGN of 16 games are kept in ");
        rig_start(endless);
    }
    hinder_packing(false);
    ck_assert(double_wait(rig_server, GAMES, 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    Text text = uploaded(0);
    ck_assert_int_eq(count_games(&text), 16);
    ck_assert_uint_eq(double_count(rig_server, GAMES), 1);
    text_free(&text);
}
END_TEST

/* The journal that the games come from is sound: the disk lacks room for the file they go to. */
START_TEST(a_disk_without_room_for_the_games_is_told_by_the_name_of_their_file) {
    char *path = rig_path("state/outbox/5-2-00001.bz2.pgn");
    Text words = {0};
    rig_serve_dev();
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5, .upload_pgns = "VERBOSE"});
    rig_start((const char *const[]){NULL});
    rig_wait_log("8 of 8 pairs played\n");
    ck_assert_int_eq(symlink("/dev/full", path), 0); /* The worker removes the link. */
    rig_hold_benches(false);
    text_addf(&words, "packing the games: %s: %s", path, strerror(ENOSPC));
    rig_wait_log(text_string(&words));
    ck_assert(double_wait(rig_server, GAMES, 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    text_free(&words);
    free(path);
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
        nap();
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

int main(void) {
    if (!rig_ready("gamefile"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("gamefile");
    TCase *tc = rig_case(suite, "games");
    tcase_add_loop_test(tc, the_games_are_uploaded_as_the_test_wants_them, 0, COUNT(styles));
    tcase_add_loop_test(tc, what_an_engine_says_of_its_moves_is_uploaded, 0, 2);
    tcase_add_test(tc, games_that_nobody_wants_are_not_uploaded);
    tcase_add_test(tc, an_upload_is_tried_again_and_kept_for_the_next_start);
    tcase_add_loop_test(tc, games_that_cannot_be_packed_are_packed_later, 0, 2);
    if (access("/dev/full", W_OK) == 0)
        tcase_add_test(tc, a_disk_without_room_for_the_games_is_told_by_the_name_of_their_file);
    tcase_add_test(tc, an_interrupted_workload_uploads_its_games);
    tcase_add_test(tc, a_killed_workload_uploads_its_games_at_the_next_start);
    tcase_add_test(tc, a_killed_workload_in_bulk_is_reported_whole_at_the_next_start);
    return run_suite(suite);
}
