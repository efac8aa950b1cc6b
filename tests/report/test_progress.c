/* SPDX-License-Identifier: MIT */
/* How a running test is shown: the view at several widths, in UTF-8 and ASCII, the plain line, and
 * the page of a test that is followed. */
#include "../runner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/follow.h"
#include "report/progress.h"
#include "tools/files.h"
#include "tools/temporary.h"

static const SprtRule RULE = {0, 10, 0.05, 0.05, SPRT_NORMALIZED};

/* The demo's match, shortly before its end. */
static Progress demo(void) {
    Progress p = {
        .tally = {.wins = 175, .losses = 78, .draws = 77, .penta = {{8, 23, 49, 34, 51}}},
        .sprt = true,
        .rule = RULE,
        .games_played = 332,
        .seconds = 75.4,
    };
    p.llr = sprt_llr(&RULE, &p.tally);
    return p;
}

/* Columns of the widest line; colours and the bytes within a character are none. */
static int widest(const char *text) {
    int most = 0;
    int columns = 0;
    for (const char *s = text; *s; s++) {
        if (*s == '\x1b')
            s = strchr(s, 'm');
        else if (*s == '\n')
            columns = 0;
        else
            columns += ((unsigned char)*s & 0xC0) != 0x80;
        most = columns > most ? columns : most;
    }
    return most;
}

static void expect_view(const Progress *p, const ProgressStyle *style, const char *wanted) {
    Text view = {0};
    progress_view(p, style, &view);
    ck_assert_str_eq(text_string(&view), wanted);
    ck_assert_int_lt(widest(text_string(&view)), style->width);
    text_free(&view);
}

START_TEST(the_view_fits_any_width) {
    Progress p = demo();
    expect_view(&p, &(ProgressStyle){.width = 80, .utf8 = true},
                "Games  330   W 175  L 78  D 77   [8 23 49 34 51]\n"
                "Elo    +105.2 ± 36.1\n"
                "LLR    +2.89   -2.94 ├────────────────┼━━━━━━━━━━━━━━━╾┤ +2.94   [0.00, 10.00]\n"
                "Speed  15851 games/h for 75 s   ~1 s left at this drift\n");
    expect_view(&p, &(ProgressStyle){.width = 120},
                "Games  330   W 175  L 78  D 77   [8 23 49 34 51]\n"
                "Elo    +105.2 +- 36.1\n"
                "LLR    +2.89   -2.94 [--------------------|===================-] +2.94   "
                "[0.00, 10.00]\n"
                "Speed  15851 games/h for 75 s   ~1 s left at this drift\n");
    expect_view(&p, &(ProgressStyle){.width = 40, .utf8 = true},
                "Games  330   W 175  L 78  D 77\n"
                "       [8 23 49 34 51]\n"
                "Elo    +105.2 ± 36.1\n"
                "LLR    +2.89   -2.94 ├────┼━━━━┤ +2.94\n"
                "Speed  15851 games/h for 75 s\n"
                "       ~1 s left at this drift\n");
}
END_TEST

START_TEST(no_width_is_exceeded) {
    Progress p = demo();
    p.title = "test 4711 (SPRT): a rather long name of a branch against another one";
    p.tally.crashes = 12;
    p.tally.timelosses = 345;
    p.tally.illegals = 6;
    for (int width = 40; width <= 200; width++) {
        Text view = {0};
        progress_view(&p, &(ProgressStyle){.width = width, .utf8 = true, .color = true}, &view);
        ck_assert_msg(widest(text_string(&view)) < width, "at %d:\n%s", width, text_string(&view));
        text_free(&view);
    }
}
END_TEST

START_TEST(faults_and_a_title_are_shown_when_there_are_any) {
    Progress p = {.title = "a\x1b"
                           "b",
                  .tally = {.wins = 1, .losses = 1, .penta = {{0, 0, 1, 0, 0}}, .crashes = 1},
                  .games_wanted = 1000,
                  .games_played = 2,
                  .seconds = 120};
    expect_view(&p, &(ProgressStyle){.width = 80},
                "a?b\n"
                "Games  2 of 1000   W 1  L 1  D 0   [0 0 1 0 0]\n"
                "Elo    no interval yet   (fewer than two pairs)\n"
                "Speed  60 games/h for 2 min   ~16 h 38 min left\n"
                "Faults 1 crash\n");
    p.title = NULL;
    p.tally.timelosses = 2;
    p.tally.illegals = 1;
    expect_view(&p, &(ProgressStyle){.width = 80, .color = true},
                "Games  2 of 1000   W 1  L 1  D 0   [0 0 1 0 0]\n"
                "Elo    no interval yet   (fewer than two pairs)\n"
                "Speed  60 games/h for 2 min   ~16 h 38 min left\n"
                "Faults \x1b[33m1 crash\x1b[0m   \x1b[33m2 time losses\x1b[0m   "
                "\x1b[33m1 illegal move\x1b[0m\n");
}
END_TEST

/* The control U+009B, the override U+202E, a byte that is no UTF-8; beside them a letter and a
 * backslash, which stay. */
START_TEST(a_title_of_a_server_cannot_disturb_the_terminal) {
    Progress p = {.title = "a\xc2\x9b"
                           "b\xe2\x80\xae"
                           "c\xff \xc3\xbc \\",
                  .no_elo = true};
    expect_view(&p, &(ProgressStyle){.width = 80},
                "a?b?c? \xc3\xbc \\\n"
                "Games  0   W 0  L 0  D 0   [0 0 0 0 0]\n");
}
END_TEST

START_TEST(equal_pairs_have_no_interval_yet) {
    Progress p = {.tally = {.draws = 6, .penta = {{0, 0, 3, 0, 0}}}};
    expect_view(&p, &(ProgressStyle){.width = 60},
                "Games  6   W 0  L 0  D 6   [0 0 3 0 0]\n"
                "Elo    no interval yet   (all pairs are equal)\n");
    Text line = {0};
    progress_line(&p, &line);
    ck_assert_str_eq(text_string(&line), "6 games  W 0 L 0 D 6  [0 0 3 0 0]  Elo: no interval yet");
    text_free(&line);
}
END_TEST

/* Games that are no pairs, as those of an engine that makes data and plays no reverses. */
START_TEST(games_without_pairs_have_an_interval) {
    Progress p = {.tally = {.wins = 30, .losses = 20, .draws = 50}};
    expect_view(&p, &(ProgressStyle){.width = 60},
                "Games  100   W 30  L 20  D 50\n"
                "Elo    +34.9 +- 49.8\n");
    Text line = {0};
    progress_line(&p, &line);
    ck_assert_str_eq(text_string(&line), "100 games  W 30 L 20 D 50  Elo +34.9 +- 49.8");
    text_free(&line);
}
END_TEST

START_TEST(nothing_is_said_before_the_first_game) {
    Progress p = {.sprt = true, .rule = RULE};
    expect_view(&p, &(ProgressStyle){.width = 60},
                "Games  0   W 0  L 0  D 0   [0 0 0 0 0]\n"
                "Elo    no interval yet   (fewer than two pairs)\n"
                "LLR    +0.00   -2.94 [--------------|--------------] +2.94\n");
    Text line = {0};
    progress_line(&p, &line);
    ck_assert_str_eq(
        text_string(&line),
        "0 games  W 0 L 0 D 0  [0 0 0 0 0]  Elo: no interval yet  LLR 0.00 (-2.94, 2.94)");
    text_free(&line);
}
END_TEST

/* Eleven cells at 41 columns. */
START_TEST(the_bar_grows_from_zero_to_its_ends) {
    static const struct {
        double alpha, beta, llr;
        const char *utf8, *ascii;
    } CASES[] = {
        {0.05, 0.05, 0, "├─────┼─────┤", "[-----|-----]"},
        {0.05, 0.05, 0.4, "├─────┼╾────┤", "[-----|-----]"},
        {0.05, 0.05, 0.6, "├─────┼━────┤", "[-----|=----]"},
        {0.05, 0.05, -0.9, "├───╼━┼─────┤", "[----=|-----]"},
        {0.05, 0.05, 2.94, "├─────┼━━━━━┤", "[-----|=====]"},
        {0.05, 0.05, 99, "├─────┼━━━━━┤", "[-----|=====]"},
        {0.05, 0.05, -99, "├━━━━━┼─────┤", "[=====|-----]"},
        {0.05, 0.5, 0, "├──┼────────┤", "[--|--------]"},
        {0.05, 0.5, -99, "├━━┼────────┤", "[==|--------]"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Progress p = {.sprt = true, .rule = {0, 5, CASES[i].alpha, CASES[i].beta, SPRT_NORMALIZED}};
        p.llr = CASES[i].llr;
        for (int utf8 = 0; utf8 < 2; utf8++) {
            Text view = {0};
            int wide = CASES[i].llr < -9 || CASES[i].llr > 9; /* "+99.00" */
            progress_view(&p, &(ProgressStyle){.width = 41 + wide, .utf8 = utf8}, &view);
            ck_assert_msg(strstr(text_string(&view), utf8 ? CASES[i].utf8 : CASES[i].ascii) != NULL,
                          "case %zu:\n%s", i, text_string(&view));
            text_free(&view);
        }
    }
}
END_TEST

START_TEST(colours_say_which_way_it_goes) {
    Progress p = {.sprt = true, .rule = RULE, .llr = 2.94};
    for (int sign = -1; sign <= 1; sign += 2) {
        Text view = {0};
        p.llr = sign * 2.94;
        progress_view(&p, &(ProgressStyle){.width = 80, .utf8 = true, .color = true}, &view);
        ck_assert((strstr(text_string(&view), "\x1b[32m━\x1b[0m") != NULL) == (sign > 0));
        ck_assert((strstr(text_string(&view), "\x1b[31m━\x1b[0m") != NULL) == (sign < 0));
        text_free(&view);
    }
}
END_TEST

/* The LLR counts games elsewhere too, so its drift is that of all of them. */
START_TEST(earlier_games_count_for_the_time_left) {
    Progress p = {.tally = {.draws = 200, .penta = {{10, 20, 40, 20, 10}}},
                  .earlier = {.draws = 1800, .penta = {{90, 180, 360, 180, 90}}},
                  .sprt = true,
                  .rule = RULE,
                  .llr = 1.2, /* Within one standard deviation of all. */
                  .games_played = 200,
                  .seconds = 360};
    Text line = {0};
    progress_line(&p, &line);
    ck_assert_msg(strstr(text_string(&line), " left") == NULL, "%s", text_string(&line));
    text_clear(&line);
    p.llr = 2.0;
    progress_line(&p, &line);
    ck_assert_msg(strstr(text_string(&line), "  ~28 min left at this drift") != NULL, "%s",
                  text_string(&line));
    text_free(&line);
}
END_TEST

START_TEST(the_time_left_is_told_when_somebody_can_tell) {
    static const struct {
        double llr;
        int64_t wanted;
        const char *text; /* NULL: nothing is said */
    } CASES[] = {
        /* 1000 pairs in 3600 s; one standard deviation of the LLR is 1.29 */
        {2.0, 0, "  ~28 min left at this drift"},
        {-2.0, 0, "  ~28 min left at this drift"},
        {1.2, 0, NULL},
        {-1.2, 0, NULL},
        {1.2, 2002, "  ~3 s left"},
        {1.2, 2000, NULL},
        {2.0, 2100, "  ~3 min left"},
        {2.0, 100000, "  ~28 min left at this drift"},
        {1.2, 100000, "  ~2 d 1 h left"},
        {2.9, 0, "  ~55 s left at this drift"},
        {3.0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Progress p = {.tally = {.draws = 2000, .penta = {{100, 200, 400, 200, 100}}},
                      .sprt = true,
                      .rule = RULE,
                      .llr = CASES[i].llr,
                      .games_wanted = CASES[i].wanted,
                      .games_played = 2000,
                      .seconds = 3600};
        Text line = {0};
        progress_line(&p, &line);
        const char *left = strstr(text_string(&line), "  ~");
        if (CASES[i].text == NULL)
            ck_assert_msg(left == NULL, "case %zu: %s", i, left);
        else {
            ck_assert_msg(left != NULL, "case %zu: nothing", i);
            ck_assert_str_eq(left, CASES[i].text);
        }
        text_clear(&line);
        p.seconds = 0; /* nobody told */
        progress_line(&p, &line);
        ck_assert_msg(strstr(text_string(&line), " left") == NULL, "%s", text_string(&line));
        text_free(&line);
    }
}
END_TEST

START_TEST(the_plain_line_says_the_same) {
    Progress p = demo();
    Text line = {0};
    p.tally.crashes = 2;
    progress_line(&p, &line);
    ck_assert_str_eq(text_string(&line),
                     "330 games  W 175 L 78 D 77  [8 23 49 34 51]  Elo +105.2 +- 36.1  "
                     "LLR 2.89 (-2.94, 2.94)  15851 games/h  ~1 s left at this drift  2 crashes");
    text_free(&line);
}
END_TEST

static const char *const STATES[] = {"not approved yet", "running", "finished"};
static int readings;
static char page[TEMPORARY_SIZE + 16];

/* Without a game the state changes from reading to reading, and the page says the one before. */
static bool read_state(Result *result, bool *again, void *user, Error *err) {
    (void)again;
    (void)user;
    (void)err;
    if (readings > 0) {
        Text shown = read_whole(page);
        ck_assert_ptr_nonnull(strstr(text_string(&shown), STATES[readings - 1]));
        text_free(&shown);
    }
    result_of_counts(result, &(Report){.games_known = true}, "x");
    result->state = mem_strdup(STATES[readings]);
    result->over = readings == 2;
    readings++;
    return true;
}

START_TEST(a_followed_page_says_the_present_state_before_the_first_game) {
    char folder[TEMPORARY_SIZE];
    Error err = {0};
    Log log;
    FILE *lines = tmpfile();
    temporary_folder(folder, sizeof folder, "test_progress");
    snprintf(page, sizeof page, "%s/a.html", folder);
    log_init(&log, lines, LOG_NORMAL);
    Follow follow = {.read = read_state, .every = 1, .html = page, .log = &log};
    ck_assert_msg(follow_test(&follow, &err), "%s", err.text);
    ck_assert_int_eq(readings, 3);
    log_free(&log);
    fclose(lines);
    unlink(page);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

static bool read_end(Result *result, bool *again, void *user, Error *err) {
    (void)again;
    (void)user;
    (void)err;
    result_of_counts(result, &(Report){.games_known = true}, "x");
    result->over = true;
    return true;
}

START_TEST(a_quiet_follower_draws_nothing_on_a_terminal) {
    static const LogLevel LEVELS[] = {LOG_QUIET, LOG_NORMAL};
    for (int i = 0; i < 2; i++) {
        Error err = {0};
        Log log;
        FILE *lines = tmpfile();
        log_init(&log, lines, LEVELS[i]);
        log.terminal = true;
        ck_assert_msg(follow_test(&(Follow){.read = read_end, .every = 1, .log = &log}, &err), "%s",
                      err.text);
        log_free(&log);
        ck_assert_int_eq(ftell(lines) > 0, LEVELS[i] == LOG_NORMAL);
        fclose(lines);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, the_view_fits_any_width);
    tcase_add_test(tests, no_width_is_exceeded);
    tcase_add_test(tests, faults_and_a_title_are_shown_when_there_are_any);
    tcase_add_test(tests, a_title_of_a_server_cannot_disturb_the_terminal);
    tcase_add_test(tests, equal_pairs_have_no_interval_yet);
    tcase_add_test(tests, games_without_pairs_have_an_interval);
    tcase_add_test(tests, nothing_is_said_before_the_first_game);
    tcase_add_test(tests, the_bar_grows_from_zero_to_its_ends);
    tcase_add_test(tests, colours_say_which_way_it_goes);
    tcase_add_test(tests, the_time_left_is_told_when_somebody_can_tell);
    tcase_add_test(tests, earlier_games_count_for_the_time_left);
    tcase_add_test(tests, the_plain_line_says_the_same);
    tcase_add_test(tests, a_followed_page_says_the_present_state_before_the_first_game);
    tcase_add_test(tests, a_quiet_follower_draws_nothing_on_a_terminal);
}

int main(void) {
    return run_tests("progress", add_tests);
}
