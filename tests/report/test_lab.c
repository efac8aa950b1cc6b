/* SPDX-License-Identifier: MIT */
/* The lab: claims, findings, the file of results, and the tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "base/file.h"
#include "report/lab.h"
#include "report/labclaims.h"
#include "report/labpage.h"
#include "runner.h"

static char path[] = "/tmp/test_lab-XXXXXX";

static void write_text(const char *text) {
    Error err = {0};
    ck_assert_msg(file_write_atomic(path, text, strlen(text), 0644, &err), "%s", err.text);
}

static Report of_penta(int64_t ll, int64_t ld, int64_t dd, int64_t dw, int64_t ww) {
    return (Report){.tally = {.penta = {{ll, ld, dd, dw, ww}}}};
}

/* ---- Claims ---- */

START_TEST(claims_are_read_into_tables) {
    LabClaims claims = {0};
    Error err = {0};
    write_text(
        "# comment\n= First table\nwords about\nthe table\na/x | gains | +\n"
        "a/y | | 8.84 +- 5.14\n= Second\nb/z | loses | -\nb/w | 30 to 50 | 30..50\na/x | |\n");
    ck_assert_msg(labclaims_read(path, &claims, &err), "%s", err.text);
    ck_assert_uint_eq(claims.table_count, 2);
    ck_assert_str_eq(claims.tables[0].title, "First table");
    ck_assert_str_eq(claims.tables[0].about, "words about the table");
    ck_assert_uint_eq(claims.tables[1].first, 2);
    ck_assert_uint_eq(claims.tables[1].count, 3);
    ck_assert_str_eq(claims.claims[0].claim, "gains");
    ck_assert_int_eq(claims.claims[1].kind, CLAIM_RANGE);
    ck_assert_double_eq_tol(claims.claims[1].low, 3.70, 1e-9);
    ck_assert_double_eq_tol(claims.claims[1].high, 13.98, 1e-9);
    ck_assert_int_eq(claims.claims[2].kind, CLAIM_WEAKER);
    ck_assert_double_eq_tol(claims.claims[3].high, 50, 1e-9);
    ck_assert_int_eq(claims.claims[4].kind, CLAIM_NONE);
    labclaims_free(&claims);
}
END_TEST

START_TEST(a_wrong_line_of_claims_is_named) {
    static const char *const LINES[][2] = {
        {"= T\na/x | gains | 5\n", "line 2: '5' is no claimed Elo"},
        {"= T\na/x | gains | 3 +- 5\n", "line 2: '3 +- 5' is no claimed Elo"},
        {"= T\nax | gains | +\n", "line 2: expected SUITE/NAME"},
        {"a/x | gains | +\n", "line 1: expected = TITLE"},
        {"words\n", "line 1: expected SUITE/NAME"},
        {"= T\nwords\na/x | gains | +\na/y gains\n", "line 4: expected SUITE/NAME"},
        {"= T\na/x | gains | +\na/y | | \na/x | loses | -\n",
         "line 4: a/x stands in this table twice"},
    };
    for (size_t i = 0; i < COUNT(LINES); i++) {
        LabClaims claims = {0};
        Error err = {0};
        write_text(LINES[i][0]);
        ck_assert(!labclaims_read(path, &claims, &err));
        ck_assert_msg(strstr(err.text, LINES[i][1]) != NULL, "'%s' instead of '%s'", err.text,
                      LINES[i][1]);
        labclaims_free(&claims);
    }
}
END_TEST

/* ---- Findings ---- */

enum { LIMIT = 984 }; /* The most games of these matches. */

static void expect_finding(const LabClaim *claim, Report report, const char *expected) {
    Text words = {0};
    labclaims_finding(claim, &report, LIMIT, &words);
    ck_assert_str_eq(text_string(&words), expected);
    text_free(&words);
}

START_TEST(the_interval_decides_what_is_true_here) {
    static const LabClaim more = {.kind = CLAIM_STRONGER};
    static const LabClaim less = {.kind = CLAIM_WEAKER};
    static const LabClaim range = {.kind = CLAIM_RANGE, .low = 100, .high = 200};
    Report gain = of_penta(20, 100, 400, 200, 80);      /* +38 +- 11 */
    Report loss = of_penta(80, 200, 400, 100, 20);      /* -38 +- 11 */
    Report none = of_penta(200, 2000, 9000, 2000, 200); /* 0 +- 2 */
    Report few = of_penta(2, 5, 10, 6, 2);
    expect_finding(&more, gain, "true here");
    expect_finding(&more, loss, "the opposite");
    expect_finding(&less, loss, "true here");
    expect_finding(&less, gain, "the opposite");
    expect_finding(&more, none, "not seen");
    expect_finding(&less, none, "not seen");
    expect_finding(&more, few, "undecided: 50 games so far");
    expect_finding(&range, gain, "right sign, but smaller");
    expect_finding(&range, none, "not seen");
    expect_finding(NULL, gain, "stronger");
    expect_finding(NULL, loss, "weaker");
    expect_finding(NULL, none, "no difference seen");
    expect_finding(NULL, few, "undecided: 50 games so far");
    expect_finding(&more, (Report){0}, "undecided: 0 games so far");
}
END_TEST

START_TEST(an_sprt_decides_by_its_verdict) {
    static const LabClaim claim = {.kind = CLAIM_RANGE, .low = 8.93, .high = 23.51};
    Report passed = of_penta(20, 100, 400, 200, 80);
    Report failed = of_penta(200, 2000, 9000, 2000, 200);
    Report open = of_penta(40, 100, 200, 110, 42);
    passed.sprt = failed.sprt = open.sprt = true;
    passed.rule = failed.rule = open.rule =
        (SprtRule){.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    ck_assert_int_eq(report_verdict(&passed), VERDICT_H1);
    ck_assert_int_eq(report_verdict(&failed), VERDICT_H0);
    ck_assert_int_eq(report_verdict(&open), VERDICT_NONE);
    expect_finding(&claim, passed, "right sign, but larger");
    expect_finding(&claim, failed, "not seen");
    expect_finding(&claim, open, "no decision after 984 games");
}
END_TEST

START_TEST(many_equal_pairs_are_no_difference) {
    static const LabClaim more = {.kind = CLAIM_STRONGER};
    static const LabClaim none = {.kind = CLAIM_EQUAL};
    Report few = of_penta(0, 0, 200, 0, 0);  /* At most 5.2 Elo. */
    Report many = of_penta(0, 0, 400, 0, 0); /* At most 2.6 Elo. */
    expect_finding(NULL, few, "undecided: 400 games so far");
    expect_finding(NULL, many, "no difference seen");
    expect_finding(&more, many, "not seen");
    expect_finding(&none, many, "true here");
    expect_finding(&none, of_penta(20, 100, 400, 200, 80), "not so: a difference");
}
END_TEST

START_TEST(a_decided_sprt_shows_the_elo_corrected_for_its_end) {
    Report passed = of_penta(20, 100, 400, 200, 80);
    EloInterval plain;
    EloInterval shown;
    passed.sprt = true;
    passed.rule = (SprtRule){.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    ck_assert(report_elo(&passed, &plain));
    ck_assert(labclaims_interval(&passed, &shown));
    ck_assert_double_lt(shown.value, plain.value);
    passed.sprt = false;
    ck_assert(labclaims_interval(&passed, &shown));
    ck_assert_double_eq(shown.value, plain.value);
}
END_TEST

START_TEST(an_sprt_that_found_no_gain_may_leave_a_small_claim_open) {
    static const LabClaim claim = {.kind = CLAIM_RANGE, .low = 0.65, .high = 5.37};
    static const SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    Report failed = of_penta(1200, 8420, 20400, 8430, 1210); /* +0.3 +- 1.7 */
    failed.sprt = true;
    failed.rule = rule;
    ck_assert_int_eq(report_verdict(&failed), VERDICT_H0);
    expect_finding(&claim, failed, "no gain seen, and the claim not excluded");
}
END_TEST

START_TEST(an_sprt_without_a_verdict_decides_nothing) {
    static const LabClaim claim = {.kind = CLAIM_STRONGER};
    static const SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    Report open = of_penta(12, 28, 44, 16, 0); /* -62 +- 31 */
    open.sprt = true;
    open.rule = rule;
    ck_assert_int_eq(report_verdict(&open), VERDICT_NONE);
    expect_finding(&claim, open, "undecided: 200 games so far");
}
END_TEST

START_TEST(a_claimed_loss_is_judged_by_the_interval_of_an_sprt) {
    static const LabClaim claim = {.kind = CLAIM_WEAKER};
    static const SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    Report loss = of_penta(80, 200, 400, 100, 20);
    Report open = of_penta(40, 100, 200, 110, 42);
    loss.sprt = open.sprt = true;
    loss.rule = open.rule = rule;
    ck_assert_int_eq(report_verdict(&loss), VERDICT_H0);
    expect_finding(&claim, loss, "true here");
    expect_finding(&claim, open, "no decision after 984 games");
}
END_TEST

/* ---- The file of results ---- */

#define COMPARISON(suite, name, wins, losses, draws, penta)                                        \
    "{\"suite\":\"" suite "\",\"name\":\"" name                                                    \
    "\",\"dev\":\"lmr:\",\"base\":\"lmr:W_PV=0\",\"tc\":\"N=25000\",\"book\":\"b.epd\","           \
    "\"openings_sha256\":\"00\",\"seed\":1901,\"start\":1,\"bench\":123,\"sprt\":false,"           \
    "\"elo0\":0,\"elo1\":0,\"alpha\":0,\"beta\":0,\"model\":\"normalized\",\"limit\":20,"          \
    "\"games\":20,"                                                                                \
    "\"wins\":" #wins ",\"losses\":" #losses ",\"draws\":" #draws ",\"penta\":" penta "}"
#define RESULTS(comparisons) "{\"version\":1,\"comparisons\":[\n" comparisons "\n]}\n"

START_TEST(results_are_written_as_they_were_read) {
    static const char FILE_TEXT[] = RESULTS(COMPARISON(
        "t4", "pv", 9, 5, 6, "[1,1,3,3,2]") ",\n" COMPARISON("t4", "cut", 5, 5, 10, "[1,2,4,2,1]"));
    Lab lab = {0};
    Error err = {0};
    Text text = {0};
    write_text(FILE_TEXT);
    ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
    ck_assert_uint_eq(lab.count, 2);
    Report report = lab_report(lab_find(&lab, "t4", "cut"));
    ck_assert_int_eq(report.tally.penta.n[1], 2);
    ck_assert(lab_write(path, &lab, &err));
    ck_assert(file_read(path, 1 << 20, &text, &err));
    ck_assert_str_eq(text_string(&text), FILE_TEXT);
    text_free(&text);
    lab_free(&lab);
}
END_TEST

START_TEST(results_that_no_match_can_have_are_refused) {
    static const char *const FILES[][2] = {
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 7, "[1,1,3,3,2]")), "do not agree"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,4,3,1]")), "penta has other points"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,4,4]")), "4 counts, expected 5"},
        {RESULTS(COMPARISON("t4", "pv", 9, -5, 16, "[1,1,3,3,2]")), "-5 is no count"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]") "," COMPARISON("t4", "pv", 9, 5, 6,
                                                                               "[1,1,3,3,2]")),
         "comparisons[1]: t4/pv stands in the file twice"},
        {"{\"version\":2,\"comparisons\":[]}", "is of version 2"},
        {"{\"version\":1}", "comparisons: expected a list"},
        {"{", "JSON"},
    };
    for (size_t i = 0; i < COUNT(FILES); i++) {
        Lab lab = {0};
        Error err = {0};
        write_text(FILES[i][0]);
        ck_assert(!lab_read(path, &lab, &err));
        ck_assert_msg(strstr(err.text, FILES[i][1]) != NULL || i == COUNT(FILES) - 1,
                      "'%s' instead of '%s'", err.text, FILES[i][1]);
        lab_free(&lab);
    }
}
END_TEST

#define STATISTIC(preset, depth, reduced, nodes_off)                                               \
    "{\"preset\":\"" preset "\",\"depth\":" #depth                                                 \
    ",\"positions\":10,\"moves\":1000,\"deep_moves\":800,\"reduced\":" #reduced                    \
    ",\"reduction_sum\":1000,\"researched\":50,\"held\":20,\"accepted\":0,\"best_nodes\":100,"     \
    "\"best_first_tenth\":80,\"best_first_fifth\":90,\"nodes_on\":100,\"nodes_off\":" #nodes_off   \
    ",\"deeper\":1.5}"

START_TEST(statistics_stand_beside_the_claims_by_depth) {
    LabStatistics statistics = {0};
    Error err = {0};
    Text out = {0};
    write_text(STATISTIC("t1", 11, 500, 400) "\n" STATISTIC("t1", 9, 300, 200) "\n" STATISTIC(
        "t0", 9, 100, 100) "\n");
    ck_assert_msg(labstats_take(path, &statistics, &err), "%s", err.text);
    write_text(STATISTIC("t1", 9, 500, 200) "\n"); /* In the place of the first of depth 9. */
    ck_assert_msg(labstats_take(path, &statistics, &err), "%s", err.text);
    ck_assert_uint_eq(statistics.count, 3);
    labstats_markdown(&statistics, &out);
    static const char *const EXPECTED[] = {
        "| preset t1 | claim | depth 9 | depth 11 | finding |",
        "| moves reduced, of all in the move loop | 40-60 % | 50.0 % | 50.0 % | true here |",
        "| fewer nodes | 40-60 % | 50.0 % | 75.0 % | at some depths |",
        "| reduced moves searched again | 10-20 % | 10.0 % | 10.0 % | true here |",
        "| preset t0 | claim | depth 9 | finding |",
        "| average reduction | 1.5-2.5 plies | 10.00 | more |"};
    for (size_t i = 0; i < COUNT(EXPECTED); i++)
        ck_assert_msg(strstr(text_string(&out), EXPECTED[i]) != NULL, "no '%s' in: %s", EXPECTED[i],
                      text_string(&out));
    text_free(&out);
    labstats_free(&statistics);
}
END_TEST

START_TEST(statistics_that_no_search_can_have_are_refused) {
    static const char *const LINES[] = {STATISTIC("t1", 9, 2000, 200),
                                        STATISTIC("t1", 0, 500, 200),
                                        STATISTIC("t1", 9, 500, 0),
                                        "{\"preset\":\"t1\"}",
                                        "[]",
                                        "{"};
    for (size_t i = 0; i < COUNT(LINES); i++) {
        LabStatistics statistics = {0};
        Error err = {0};
        write_text(LINES[i]);
        ck_assert_msg(!labstats_take(path, &statistics, &err), "taken: %s", LINES[i]);
        ck_assert_msg(strstr(err.text, "line 1") != NULL, "'%s' names no line", err.text);
        labstats_free(&statistics);
    }
}
END_TEST

/* ---- The tables ---- */

START_TEST(claim_measurement_and_finding_stand_side_by_side) {
    static LabTable tables[] = {
        {.title = (char *)"Is PV less?", .about = (char *)"", .question = true, .count = 1},
        {.title = (char *)"T4: terms", .about = (char *)"", .count = 3}};
    static LabClaim rows[] = {
        {(char *)"t4", (char *)"pv", (char *)"PV less", (char *)"8.84 +- 5.14", CLAIM_RANGE, 3.7,
         13.98},
        {(char *)"t4", (char *)"cut", (char *)"cut more", (char *)"+", CLAIM_STRONGER, 0, 0},
        {(char *)"t4", (char *)"not-played", (char *)"", (char *)"", CLAIM_NONE, 0, 0}};
    LabClaims claims = {.tables = tables, .table_count = 2, .claims = rows, .claim_count = 3};
    Lab lab = {0};
    Error err = {0};
    Text markdown = {0};
    Text page = {0};
    write_text(RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]") "," COMPARISON(
        "t4", "cut", 5, 5, 10, "[1,2,4,2,1]") "," COMPARISON("own", "idea", 5, 5, 10,
                                                             "[1,2,4,2,1]")));
    ck_assert(lab_read(path, &lab, &err));
    labpage_markdown(&lab, &claims, &markdown);
    labpage_html(&lab, &claims, &page);
    static const char *const EXPECTED[] = {"## T4: terms",
                                           "PV less: 8.84 ± 5.14 Elo",
                                           "cut more: stronger",
                                           "undecided: 20 games so far",
                                           "## Further comparisons",
                                           "own/idea",
                                           "Bench 123",
                                           "lmr: against lmr:W\\_PV=0, N=25000",
                                           "## Is PV less?",
                                           "the same openings: b.epd, seed 1901"};
    for (size_t i = 0; i < COUNT(EXPECTED); i++)
        ck_assert_msg(strstr(text_string(&markdown), EXPECTED[i]) != NULL, "no '%s' in: %s",
                      EXPECTED[i], text_string(&markdown));
    ck_assert(strstr(text_string(&markdown), "not-played") == NULL);
    ck_assert_msg(strstr(text_string(&page), "undecided: 20 games so far") != NULL, "in: %s",
                  text_string(&page));
    text_free(&markdown);
    text_free(&page);
    lab_free(&lab);
}
END_TEST

START_TEST(a_table_has_room_for_every_row_of_its_plan) {
    enum { ROWS = 60 };
    LabTable table = {.title = (char *)"Many", .about = (char *)"", .count = ROWS};
    LabClaim rows[ROWS];
    LabClaims claims = {.tables = &table, .table_count = 1, .claims = rows, .claim_count = ROWS};
    Lab lab = {0};
    Error err = {0};
    Text markdown = {0};
    for (int i = 0; i < ROWS; i++)
        rows[i] = (LabClaim){.suite = (char *)"t4",
                             .name = (char *)"pv",
                             .claim = (char *)"PV less",
                             .elo = (char *)"",
                             .kind = CLAIM_NONE};
    write_text(RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]")));
    ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
    labpage_markdown(&lab, &claims, &markdown);
    int shown = 0;
    for (const char *at = text_string(&markdown); (at = strstr(at, "| PV less |")) != NULL; at++)
        shown++;
    ck_assert_int_eq(shown, ROWS);
    text_free(&markdown);
    lab_free(&lab);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, claims_are_read_into_tables);
    tcase_add_test(tests, a_wrong_line_of_claims_is_named);
    tcase_add_test(tests, the_interval_decides_what_is_true_here);
    tcase_add_test(tests, an_sprt_decides_by_its_verdict);
    tcase_add_test(tests, a_decided_sprt_shows_the_elo_corrected_for_its_end);
    tcase_add_test(tests, many_equal_pairs_are_no_difference);
    tcase_add_test(tests, an_sprt_that_found_no_gain_may_leave_a_small_claim_open);
    tcase_add_test(tests, an_sprt_without_a_verdict_decides_nothing);
    tcase_add_test(tests, a_claimed_loss_is_judged_by_the_interval_of_an_sprt);
    tcase_add_test(tests, results_are_written_as_they_were_read);
    tcase_add_test(tests, results_that_no_match_can_have_are_refused);
    tcase_add_test(tests, statistics_stand_beside_the_claims_by_depth);
    tcase_add_test(tests, statistics_that_no_search_can_have_are_refused);
    tcase_add_test(tests, a_table_has_room_for_every_row_of_its_plan);
    tcase_add_test(tests, claim_measurement_and_finding_stand_side_by_side);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    int file = mkstemp(path);
    if (file >= 0)
        close(file);
    int status = run_tests("lab", add_tests);
    unlink(path);
    return status;
}
