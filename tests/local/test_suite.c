/* SPDX-License-Identifier: MIT */
/* A suite read from a file, and which variant of a suite is played next. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/memory.h"
#include "local/suite.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

static const SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.05};

/* A variant after so many even pairs, with this LLR. */
static SuiteVariant after(int64_t pairs, double llr) {
    return (SuiteVariant){.llr = llr,
                          .tally = {.draws = 2 * pairs, .penta = {{0, 0, pairs, 0, 0}}}};
}

static int next_of(SuiteVariant *variants, size_t count, bool in_turn, const SprtRule *by) {
    MatchSuite suite = {.variants = variants, .count = count};
    return suite_next(&suite, in_turn, by);
}

START_TEST(in_turn_it_is_the_first_that_is_not_over) {
    SuiteVariant v[] = {after(5, 2), after(0, 0), after(0, 0)};
    ck_assert_int_eq(next_of(v, 3, true, &rule), 0);
    v[0].over = true;
    ck_assert_int_eq(next_of(v, 3, true, &rule), 1);
    v[1].over = v[2].over = true;
    ck_assert_int_eq(next_of(v, 3, true, &rule), SUITE_NONE);
}
END_TEST

START_TEST(by_evidence_it_is_the_farthest_from_both_bounds) {
    SuiteVariant v[] = {after(50, 1.5), after(50, -0.3), after(50, 0.4), after(50, -2.5)};
    ck_assert_int_eq(next_of(v, 4, false, &rule), 1);
    v[1].over = true;
    ck_assert_int_eq(next_of(v, 4, false, &rule), 2);
    v[2].over = true;
    ck_assert_int_eq(next_of(v, 4, false, &rule), 0);
    v[0].over = true;
    ck_assert_int_eq(next_of(v, 4, false, &rule), 3);
}
END_TEST

START_TEST(unequal_bounds_are_measured_each_by_itself) {
    /* -2.25 ... 2.89: -0.6 is more of the way than 0.7. */
    const SprtRule uneven = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    SuiteVariant v[] = {after(50, -0.6), after(50, 0.7)};
    ck_assert_int_eq(next_of(v, 2, false, &uneven), 1);
}
END_TEST

START_TEST(among_equals_it_is_the_one_with_the_fewest_games_then_the_first) {
    SuiteVariant v[] = {after(50, 0), after(10, 0), after(10, 0)};
    ck_assert_int_eq(next_of(v, 3, false, &rule), 1);
    ck_assert_int_eq(next_of(v, 3, false, NULL), 1);
    SuiteVariant fresh[] = {after(0, 0), after(0, 0)};
    ck_assert_int_eq(next_of(fresh, 2, false, &rule), 0);
}
END_TEST

START_TEST(without_a_rule_it_is_whose_elo_is_nearest_to_0_in_standard_errors) {
    SuiteVariant v[] = {{.tally = {.penta = {{0, 10, 40, 40, 10}}}},
                        {.tally = {.penta = {{10, 30, 30, 20, 10}}}},
                        {.tally = {.penta = {{20, 50, 20, 10, 0}}}},
                        {.tally = {.penta = {{5, 0, 0, 0, 0}}}},
                        {.tally = {.penta = {{0, 0, 0, 0, 5}}}}};
    ck_assert_int_eq(next_of(v, 5, false, NULL), 1);
    v[1].over = true;
    ck_assert_int_eq(next_of(v, 5, false, NULL), 0);
}
END_TEST

static bool take_any(char *word, Error *err) {
    (void)word;
    (void)err;
    return true;
}

/* Reads a suite of this text from a file "suite". */
static bool read_text(const char *text, MatchSuite *suite, Error *err) {
    *suite = (MatchSuite){0};
    put_text("suite", text);
    return suite_read("suite", take_any, suite, err);
}

static void set_up(void) {
    char folder[TEMPORARY_SIZE];
    temporary_folder(folder, sizeof folder, "reductio-suite");
    ck_assert_int_eq(chdir(folder), 0);
}

static void tear_down(void) {
    char folder[TEMPORARY_SIZE];
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
    unlink("suite");
    ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(a_variant_plays_against_the_spec_behind_the_word_against) {
    MatchSuite suite;
    Error err = {{0}};
    bool ok = read_text("own lmr:X=1 \t against  lmr:X=2\n"
                        "common lmr:X=1\n"
                        "program ./against me\n",
                        &suite, &err);
    ck_assert_msg(ok, "%s", err.text);
    ck_assert_uint_eq(suite.count, 3);
    ck_assert_str_eq(suite.variants[0].spec, "lmr:X=1");
    ck_assert_str_eq(suite.variants[0].base, "lmr:X=2");
    ck_assert_str_eq(suite.variants[1].spec, "lmr:X=1");
    ck_assert_ptr_null(suite.variants[1].base);
    ck_assert_str_eq(suite.variants[2].spec, "./against me");
    ck_assert_ptr_null(suite.variants[2].base);
    suite_free(&suite);
}
END_TEST

START_TEST(an_option_with_another_name_is_no_variant) {
    MatchSuite suite;
    Error err = {{0}};
    ck_assert(!read_text("TC = N=100\ncommon lmr:X=1\n", &suite, &err));
    ck_assert_str_eq(err.text,
                     "suite: line 1: 'TC = N=100': no option has this name: names of options "
                     "are small letters, digits and dashes");
    suite_free(&suite);
}
END_TEST

START_TEST(a_mark_before_utf_8_is_no_part_of_the_first_line) {
    MatchSuite suite;
    Error err = {{0}};
    bool ok = read_text("\xef\xbb\xbftc = N=100\ncommon lmr:X=1\n", &suite, &err);
    ck_assert_msg(ok, "%s", err.text);
    ck_assert_uint_eq(suite.options.count, 1);
    ck_assert_str_eq(suite.options.items[0], "--tc=N=100");
    ck_assert_uint_eq(suite.count, 1);
    suite_free(&suite);
}
END_TEST

START_TEST(the_side_of_against_that_lacks_its_spec_is_named) {
    static const struct {
        const char *line, *side;
    } cases[] = {{"name lmr:X=1 against", "behind"},
                 {"name lmr:X=1 against  \t", "behind"},
                 {"name against lmr:X=1", "before"},
                 {"name against", "before"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        MatchSuite suite;
        Error err = {{0}};
        char wanted[sizeof err.text];
        ck_assert_msg(!read_text(cases[i].line, &suite, &err), "'%s' was taken", cases[i].line);
        snprintf(wanted, sizeof wanted,
                 "suite: line 1: a SPEC is missing %s 'against'; expected NAME SPEC against SPEC",
                 cases[i].side);
        ck_assert_str_eq(err.text, wanted);
        suite_free(&suite);
    }
}
END_TEST

START_TEST(a_name_that_cannot_name_a_journal_is_refused) {
    static const struct {
        const char *name;
        int length; /* The name is repeated up to this one. */
        bool good;
    } cases[] = {{"A=1,b+2.c:%@_-", 14, true},
                 {"a", 100, true},
                 {"a", 101, false},
                 {".a", 2, false},
                 {"-a", 2, false},
                 {"a/b", 3, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        MatchSuite suite;
        Error err = {{0}};
        Text line = {0};
        while ((int)line.length < cases[i].length)
            text_add(&line, cases[i].name);
        text_add(&line, " lmr:\n");
        ck_assert_msg(read_text(text_string(&line), &suite, &err) == cases[i].good, "%s%s",
                      text_string(&line), err.text);
        if (!cases[i].good)
            ck_assert_ptr_nonnull(strstr(err.text, "is not a valid name for a variant; allowed: up "
                                                   "to 100 letters, digits and _=+-.,:@%, the "
                                                   "first neither . nor -"));
        text_free(&line);
        suite_free(&suite);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_variant_plays_against_the_spec_behind_the_word_against);
    tcase_add_test(tests, an_option_with_another_name_is_no_variant);
    tcase_add_test(tests, a_mark_before_utf_8_is_no_part_of_the_first_line);
    tcase_add_test(tests, the_side_of_against_that_lacks_its_spec_is_named);
    tcase_add_test(tests, a_name_that_cannot_name_a_journal_is_refused);
    tcase_add_test(tests, in_turn_it_is_the_first_that_is_not_over);
    tcase_add_test(tests, by_evidence_it_is_the_farthest_from_both_bounds);
    tcase_add_test(tests, unequal_bounds_are_measured_each_by_itself);
    tcase_add_test(tests, among_equals_it_is_the_one_with_the_fewest_games_then_the_first);
    tcase_add_test(tests, without_a_rule_it_is_whose_elo_is_nearest_to_0_in_standard_errors);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("suite", add_tests);
}
