/* SPDX-License-Identifier: MIT */
/* The lab's claims, and whether results bear them out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "report/labclaims.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

static char path[TEMPORARY_SIZE];

static Report of_penta(int64_t ll, int64_t ld, int64_t dd, int64_t dw, int64_t ww) {
    return (Report){.tally = {.penta = {{ll, ld, dd, dw, ww}}}};
}

/* After an SPRT by T4's rule. */
static Report of_sprt(int64_t ll, int64_t ld, int64_t dd, int64_t dw, int64_t ww) {
    Report report = of_penta(ll, ld, dd, dw, ww);
    report.sprt = true;
    report.rule = (SprtRule){.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    return report;
}

/* ---- Claims ---- */

START_TEST(claims_are_read_into_tables) {
    LabClaims claims = {0};
    Error err = {0};
    put_text(path,
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
#define XY "= T\na/x | |\na/y | |\n"
    static const char *const LINES[][2] = {
        {"= T\na/x | gains | 5\n", "line 2: '5' is no claimed Elo"},
        {"= T\na/x | gains | 3 +- 5\n", "line 2: '3 +- 5' is no claimed Elo"},
        {"= T\nax | gains | +\n", "line 2: expected SUITE/NAME"},
        {"a/x | gains | +\n", "line 1: expected = TITLE"},
        {"words\n", "line 1: expected SUITE/NAME"},
        {"= T\nwords\na/x | gains | +\na/y gains\n", "line 4: expected SUITE/NAME"},
        {"= T\na/x | gains | +\na/y | | \na/x | loses | -\n",
         "line 4: a/x stands in this table twice"},
        {XY "a/x less a/z | | +\n", "line 4: no row above is of a/z"},
        {XY "a/z less a/y | | +\n", "line 4: no row above is of a/z"},
        {XY "a/x less a/x | | +\n", "line 4: a/x less itself"},
        {XY "a/x less | | +\n", "line 4: expected SUITE/NAME"},
        {XY "a/x less y | | +\n", "line 4: expected SUITE/NAME"},
        {XY "less a/y | | +\n", "line 4: expected SUITE/NAME"},
        {XY "a/x lest a/y | | +\n", "line 4: expected SUITE/NAME"},
        {XY "a/x less a/y less a/x | | +\n", "line 4: expected SUITE/NAME"},
        {XY "a/x less a/y | | more\n", "line 4: 'more' is no claimed Elo"},
        {XY "a/x less a/y | | \na/y less a/x | | \na/x less a/y | | \n",
         "line 6: a/x less a/y stands in this table twice"},
    };
    for (size_t i = 0; i < COUNT(LINES); i++) {
        LabClaims claims = {0};
        Error err = {0};
        put_text(path, LINES[i][0]);
        ck_assert(!labclaims_read(path, &claims, &err));
        ck_assert_msg(strstr(err.text, LINES[i][1]) != NULL, "'%s' instead of '%s'", err.text,
                      LINES[i][1]);
        labclaims_free(&claims);
    }
}
END_TEST

START_TEST(a_difference_names_two_comparisons_and_may_be_claimed_like_one) {
    LabClaims claims = {0};
    Error err = {0};
    put_text(path,
             "= T\na/x | |\nb/y | |\n= U\na/x | |\na/x less b/y | x less y less z | 30..50\n");
    ck_assert_msg(labclaims_read(path, &claims, &err), "%s", err.text);
    ck_assert_ptr_null(claims.claims[2].less_name);
    const LabClaim *less = &claims.claims[3];
    ck_assert_str_eq(less->suite, "a");
    ck_assert_str_eq(less->name, "x");
    ck_assert_str_eq(less->less_suite, "b");
    ck_assert_str_eq(less->less_name, "y");
    ck_assert_str_eq(less->claim, "x less y less z");
    ck_assert_int_eq(less->kind, CLAIM_RANGE);
    labclaims_free(&claims);
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

START_TEST(a_match_with_games_left_says_so_far) {
    static const LabClaim more = {.kind = CLAIM_STRONGER};
    static const LabClaim range = {.kind = CLAIM_RANGE, .low = 100, .high = 200};
    static const LabClaim none = {.kind = CLAIM_EQUAL};
    Report gain = of_penta(10, 50, 200, 100, 40);
    Report same = of_penta(0, 0, 400, 0, 0);
    expect_finding(&more, gain, "true here so far");
    expect_finding(&range, gain, "right sign, but smaller so far");
    expect_finding(NULL, gain, "stronger so far");
    expect_finding(&none, gain, "not so: a difference so far");
    expect_finding(&more, of_penta(40, 100, 200, 50, 10), "the opposite so far");
    expect_finding(&more, same, "not seen so far");
    expect_finding(NULL, same, "no difference seen so far");
    expect_finding(&none, same, "true here so far");
}
END_TEST

START_TEST(an_sprt_decides_by_its_verdict) {
    static const LabClaim claim = {.kind = CLAIM_RANGE, .low = 8.93, .high = 23.51};
    Report passed = of_sprt(20, 100, 400, 200, 80);
    Report failed = of_sprt(200, 2000, 9000, 2000, 200);
    Report open = of_sprt(40, 100, 200, 110, 42);
    ck_assert_int_eq(report_verdict(&passed), VERDICT_H1);
    ck_assert_int_eq(report_verdict(&failed), VERDICT_H0);
    ck_assert_int_eq(report_verdict(&open), VERDICT_NONE);
    expect_finding(&claim, passed, "right sign, but larger");
    expect_finding(&claim, failed, "not seen");
    expect_finding(&claim, open, "no decision after 984 games");
}
END_TEST

/* H0 may lie above 0: a gain is seen, though H1's is not. */
START_TEST(an_sprt_that_accepts_a_gain_as_h0_has_seen_it) {
    static const LabClaim range = {.kind = CLAIM_RANGE, .low = 20, .high = 30};
    static const LabClaim stronger = {.kind = CLAIM_STRONGER};
    Report report = of_sprt(35, 1202, 2635, 1325, 73); /* +7.6 +- 4.6 */
    report.rule.elo0 = 10;
    report.rule.elo1 = 20;
    ck_assert_int_eq(report_verdict(&report), VERDICT_H0);
    expect_finding(&range, report, "right sign, but smaller");
    expect_finding(&stronger, report, "true here");
}
END_TEST

/* Its interval can rule the claim out, and bears no gain out. */
START_TEST(an_sprt_without_a_verdict_may_still_rule_the_claim_out) {
    static const LabClaim claim = {.kind = CLAIM_RANGE, .low = 8.93, .high = 23.51};
    Report equal = of_sprt(300, 2400, 4600, 2430, 300); /* +0.5 +- 3.3 */
    Report small = of_sprt(300, 2360, 4600, 2560, 300); /* +3.4 +- 3.3 */
    Text words = {0};
    ck_assert_int_eq(report_verdict(&equal), VERDICT_NONE);
    ck_assert_int_eq(report_verdict(&small), VERDICT_NONE);
    expect_finding(&claim, equal, "not seen");
    expect_finding(&claim, small, "no decision after 20240 games, and less than claimed");
    labclaims_finding(&claim, &equal, 40000, &words);
    ck_assert_str_eq(text_string(&words), "undecided: 20060 games so far, and less than claimed");
    text_free(&words);
}
END_TEST

START_TEST(an_sprt_that_is_decided_has_no_games_left) {
    static const LabClaim weaker = {.kind = CLAIM_WEAKER};
    static const LabClaim stronger = {.kind = CLAIM_STRONGER};
    Report passed = of_sprt(250, 2750, 7500, 2990, 250); /* Accepted, and the interval holds 0. */
    Text words = {0};
    EloInterval elo;
    ck_assert_int_eq(report_verdict(&passed), VERDICT_H1);
    ck_assert(labclaims_interval(&passed, &elo) && elo.lower < 0 && elo.upper > FINDING_SMALL);
    labclaims_finding(NULL, &passed, 40000, &words);
    ck_assert_str_eq(text_string(&words), "undecided after 27480 games");
    text_clear(&words);
    labclaims_finding(&weaker, &passed, 40000, &words);
    ck_assert_str_eq(text_string(&words), "not seen");
    text_clear(&words);
    labclaims_finding(&stronger, &passed, 40000, &words);
    ck_assert_str_eq(text_string(&words), "true here");
    text_clear(&words);
    passed.rule.elo0 = -2; /* H1 says that nothing is lost. */
    labclaims_finding(&stronger, &passed, 40000, &words);
    ck_assert_str_eq(text_string(&words), "undecided after 27480 games");
    text_free(&words);
}
END_TEST

START_TEST(many_equal_pairs_are_no_difference) {
    static const LabClaim more = {.kind = CLAIM_STRONGER};
    static const LabClaim none = {.kind = CLAIM_EQUAL};
    Report few = of_penta(0, 0, 200, 0, 0);  /* At most 5.2 Elo. */
    Report many = of_penta(0, 0, 492, 0, 0); /* At most 2.1 Elo. */
    expect_finding(NULL, few, "undecided: 400 games so far");
    expect_finding(NULL, many, "no difference seen");
    expect_finding(&more, many, "not seen");
    expect_finding(&none, many, "true here");
    expect_finding(&none, of_penta(20, 100, 400, 200, 80), "not so: a difference");
}
END_TEST

START_TEST(pairs_of_one_score_have_an_interval_that_may_be_open) {
    static const LabClaim more = {.kind = CLAIM_STRONGER};
    EloInterval elo;
    Report wins = of_penta(0, 0, 0, 0, 300);
    ck_assert(labclaims_interval(&wins, &elo));
    ck_assert_double_eq_tol(elo.lower, 400 * log10(0.99 / 0.01), 1e-9); /* 3 of 300 pairs lost */
    ck_assert(isinf(elo.upper) && elo.upper > 0);
    expect_finding(&more, wins, "true here so far");
    Report losses = of_penta(300, 0, 0, 0, 0);
    ck_assert(labclaims_interval(&losses, &elo));
    ck_assert_double_eq_tol(elo.upper, -400 * log10(0.99 / 0.01), 1e-9);
    ck_assert(isinf(elo.lower) && elo.lower < 0);
    Report better = of_penta(0, 0, 0, 300, 0);
    ck_assert(labclaims_interval(&better, &elo));
    ck_assert_double_eq_tol(elo.lower, 400 * log10(0.7425 / 0.2575), 1e-9);
    ck_assert_double_eq_tol(elo.upper, 400 * log10(0.7525 / 0.2475), 1e-9);
    ck_assert(!labclaims_interval(&(Report){.tally = {.penta = {{0, 0, 0, 0, 3}}}}, &elo));
    Report sprt = of_sprt(0, 0, 0, 0, 300);
    ck_assert(labclaims_interval(&sprt, &elo));
    ck_assert_double_lt(elo.lower, elo.value);
    expect_finding(&more, sprt, "true here");
}
END_TEST

START_TEST(a_difference_is_open_where_a_part_is) {
    EloInterval near;
    EloInterval far;
    ck_assert(labclaims_interval(&(Report){.tally = {.penta = {{20, 60, 80, 120, 120}}}}, &near));
    ck_assert(labclaims_interval(&(Report){.tally = {.penta = {{0, 0, 1, 2, 397}}}}, &far));
    EloInterval less = labclaims_less(&near, &far);
    ck_assert(isinf(less.lower) && less.lower < 0);
    ck_assert(isfinite(less.upper));
    less = labclaims_less(&far, &near);
    ck_assert(isfinite(less.lower));
    ck_assert(isinf(less.upper) && less.upper > 0);
}
END_TEST

START_TEST(a_decided_sprt_shows_the_elo_corrected_for_its_end) {
    Report passed = of_sprt(20, 100, 400, 200, 80);
    EloInterval plain;
    EloInterval shown;
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
    Report failed = of_sprt(1200, 8420, 20400, 8430, 1210); /* +0.3 +- 1.7 */
    ck_assert_int_eq(report_verdict(&failed), VERDICT_H0);
    expect_finding(&claim, failed, "no gain seen, and the claim not excluded");
}
END_TEST

START_TEST(an_sprt_that_found_a_gain_has_seen_a_gain) {
    static const LabClaim claim = {.kind = CLAIM_RANGE, .low = 100, .high = 200};
    Report passed = of_sprt(244, 1220, 2440, 1320, 244); /* +2.0 +- 5.5: the rule errs often. */
    passed.rule.alpha = passed.rule.beta = 0.25;
    ck_assert_int_eq(report_verdict(&passed), VERDICT_H1);
    expect_finding(&claim, passed, "right sign, but smaller");
}
END_TEST

START_TEST(an_sprt_without_a_verdict_decides_nothing) {
    static const LabClaim claim = {.kind = CLAIM_STRONGER};
    Report open = of_sprt(12, 28, 44, 16, 0); /* -62 +- 31 */
    ck_assert_int_eq(report_verdict(&open), VERDICT_NONE);
    expect_finding(&claim, open, "undecided: 200 games so far");
}
END_TEST

START_TEST(a_claimed_loss_is_judged_by_the_interval_of_an_sprt) {
    static const LabClaim claim = {.kind = CLAIM_WEAKER};
    Report loss = of_sprt(80, 200, 400, 100, 20);
    Report open = of_sprt(40, 100, 200, 110, 42);
    ck_assert_int_eq(report_verdict(&loss), VERDICT_H0);
    expect_finding(&claim, loss, "true here");
    expect_finding(&claim, open, "no decision after 984 games");
}
END_TEST

START_TEST(each_end_of_a_difference_has_the_halves_that_reach_it) {
    static const EloInterval elo = {.lower = 18, .value = 30, .upper = 33};
    static const EloInterval other = {.lower = -6, .value = -2, .upper = 7};
    EloInterval less = labclaims_less(&elo, &other);
    ck_assert_double_eq_tol(less.value, 32, 1e-9);
    ck_assert_double_eq_tol(less.lower, 32 - 15, 1e-9); /* sqrt(12^2 + 9^2) */
    ck_assert_double_eq_tol(less.upper, 32 + 5, 1e-9);  /* sqrt(3^2 + 4^2) */
}
END_TEST

static void expect_finding_less(ClaimKind kind, double value, double margin, const char *expected) {
    LabClaim claim = {.less_name = (char *)"y", .kind = kind, .low = 100, .high = 200};
    EloInterval elo = {.lower = value - margin, .value = value, .upper = value + margin};
    Text words = {0};
    labclaims_finding_less(&claim, &elo, 1600, false, &words);
    ck_assert_str_eq(text_string(&words), expected);
    text_free(&words);
}

START_TEST(a_difference_is_found_by_its_interval) {
    expect_finding_less(CLAIM_STRONGER, 20, 16, "true here");
    expect_finding_less(CLAIM_STRONGER, -20, 16, "the opposite");
    expect_finding_less(CLAIM_STRONGER, -12, 16, "not seen");
    expect_finding_less(CLAIM_STRONGER, 10, 16, "undecided after 1600 games");
    expect_finding_less(CLAIM_WEAKER, -20, 16, "true here");
    expect_finding_less(CLAIM_WEAKER, 20, 16, "the opposite");
    expect_finding_less(CLAIM_RANGE, 20, 16, "right sign, but smaller");
    expect_finding_less(CLAIM_RANGE, 210, 16, "true here"); /* The interval reaches the range. */
    expect_finding_less(CLAIM_RANGE, 210, 6, "right sign, but larger");
    expect_finding_less(CLAIM_EQUAL, 20, 16, "not so: a difference");
    expect_finding_less(CLAIM_EQUAL, -10, 12, "undecided after 1600 games");
    expect_finding_less(CLAIM_EQUAL, 1, 3, "true here");
    expect_finding_less(CLAIM_NONE, 20, 16, "gains more");
    expect_finding_less(CLAIM_NONE, -20, 16, "gains less");
    expect_finding_less(CLAIM_NONE, 1, 3, "no difference seen");
    expect_finding_less(CLAIM_NONE, 10, 16, "undecided after 1600 games");
    expect_finding_less(CLAIM_NONE, -10, 12, "undecided after 1600 games");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, claims_are_read_into_tables);
    tcase_add_test(tests, a_wrong_line_of_claims_is_named);
    tcase_add_test(tests, a_difference_names_two_comparisons_and_may_be_claimed_like_one);
    tcase_add_test(tests, the_interval_decides_what_is_true_here);
    tcase_add_test(tests, a_match_with_games_left_says_so_far);
    tcase_add_test(tests, an_sprt_decides_by_its_verdict);
    tcase_add_test(tests, an_sprt_that_accepts_a_gain_as_h0_has_seen_it);
    tcase_add_test(tests, an_sprt_without_a_verdict_may_still_rule_the_claim_out);
    tcase_add_test(tests, an_sprt_that_is_decided_has_no_games_left);
    tcase_add_test(tests, many_equal_pairs_are_no_difference);
    tcase_add_test(tests, pairs_of_one_score_have_an_interval_that_may_be_open);
    tcase_add_test(tests, a_difference_is_open_where_a_part_is);
    tcase_add_test(tests, a_decided_sprt_shows_the_elo_corrected_for_its_end);
    tcase_add_test(tests, an_sprt_that_found_no_gain_may_leave_a_small_claim_open);
    tcase_add_test(tests, an_sprt_that_found_a_gain_has_seen_a_gain);
    tcase_add_test(tests, an_sprt_without_a_verdict_decides_nothing);
    tcase_add_test(tests, a_claimed_loss_is_judged_by_the_interval_of_an_sprt);
    tcase_add_test(tests, each_end_of_a_difference_has_the_halves_that_reach_it);
    tcase_add_test(tests, a_difference_is_found_by_its_interval);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    close(temporary_file(path, sizeof path, "test_labclaims"));
    int status = run_tests("labclaims", add_tests);
    unlink(path);
    return status;
}
