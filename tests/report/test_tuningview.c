/* SPDX-License-Identifier: MIT */
/* A tuning as people and programs see it. */
#include <check.h>
#include <string.h>

#include "base/memory.h"
#include "report/markdown.h"
#include "report/page.h"
#include "report/tuningview.h"
#include "runner.h"

static Result result;
static Text text;

/* Two parameters, of two iterations with two pairs each. */
static void set_up(void) {
    SpsaSchedule schedule = {
        .alpha = 0.602, .gamma = 0.101, .a_ratio = 0.1, .iterations = 2, .pairs_per = 2};
    SpsaParameter *parameters = mem_calloc(2, sizeof *parameters);
    parameters[0] = (SpsaParameter){
        .name = mem_strdup("DIV"), .start = 150, .min = 0, .max = 300, .c_end = 10, .r_end = 0.02};
    parameters[1] = (SpsaParameter){.name = mem_strdup("A_parameter_of_a_long_name"),
                                    .is_float = true,
                                    .start = -0.5,
                                    .min = -1,
                                    .max = 1,
                                    .c_end = 0.25,
                                    .r_end = 0.02};
    result = (Result){.title = mem_strdup("Tuning"),
                      .source = mem_strdup("tune.jsonl"),
                      .report.purpose = PURPOSE_TUNING};
    result.tuning = mem_calloc(1, sizeof *result.tuning);
    result.tuned_spec = mem_strdup("lmr:KILLER=0,DIV=140");
    tuning_init(result.tuning, &schedule, 1, 7, parameters, 2);
}

static void tear_down(void) {
    result_free(&result);
    text_free(&text);
}

/* Plays so many pairs, each won by dev. */
static void play(int pairs) {
    Tally won = tally_of_pair(2, 1);
    Error err = {0};
    for (int i = 0; i < pairs; i++) {
        tally_add(&result.report.tally, &won);
        ck_assert_msg(tuning_take(result.tuning, i, &won, &err), "%s", err.text);
    }
    result.report.games_known = true;
}

/* The values as they would be after many games. */
static void set_values(double first, double second) {
    result.tuning->values[0] = first;
    result.tuning->values[1] = second;
}

static void expect(const char *words) {
    ck_assert_msg(strstr(text_string(&text), words) != NULL, "'%s' is not in:\n%s", words,
                  text_string(&text));
}

static void expect_not(const char *words) {
    ck_assert_msg(strstr(text_string(&text), words) == NULL, "'%s' is in:\n%s", words,
                  text_string(&text));
}

/* ---- While it runs ---- */

START_TEST(a_line_tells_how_far_it_is_and_how_long_it_takes) {
    tuningview_line(result.tuning, 0, &text);
    ck_assert_str_eq(text_string(&text),
                     "iteration 0 of 2, 0 games: DIV 150, A_parameter_of_a_long_name -0.5");
    text_clear(&text);
    play(2);
    set_values(152.25, -0.5);
    tuningview_line(result.tuning, 30, &text);
    ck_assert_str_eq(text_string(&text), "iteration 1 of 2, 4 games: DIV 152.25, "
                                         "A_parameter_of_a_long_name -0.5; ~30 s left");
}
END_TEST

/* Columns that UTF-8 text takes. */
static int width_of(const char *line, size_t length) {
    int width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)line[i] & 0xC0) != 0x80;
    return width;
}

START_TEST(the_live_view_fits_the_terminal) {
    static const int WIDTHS[] = {20, 40, 50, 60, 80, 200};
    play(2);
    set_values(300, -1); /* At the bounds. */
    for (size_t i = 0; i < COUNT(WIDTHS); i++) {
        ProgressStyle style = {.width = WIDTHS[i], .utf8 = i % 2 == 0};
        text_clear(&text);
        tuningview_live(result.tuning, 3600, &style, &text);
        int lines = 0;
        for (const char *line = text_string(&text); *line != '\0'; lines++) {
            size_t length = strcspn(line, "\n");
            ck_assert_int_lt(width_of(line, length), WIDTHS[i]);
            line += length + 1;
        }
        ck_assert_int_eq(lines, 3);
    }
}
END_TEST

START_TEST(the_live_view_shows_places_between_the_bounds) {
    play(2);
    set_values(300, -0.501);
    tuningview_live(result.tuning, 30, &(ProgressStyle){.width = 80}, &text);
    expect("iteration 1 of 2, 4 games; ~30 s left\n");
    expect("DIV                     300  +15.00 c  [");
    expect("--o]\n");                                   /* At its upper bound. */
    expect("A_parameter_of_a     -0.501   +0.00 c  ["); /* About where it began: not "-0.00". */
    text_clear(&text);
    set_values(150, 0.5);
    tuningview_live(result.tuning, 30, &(ProgressStyle){.width = 80}, &text);
    expect("+4.00 c  [---------|------------------o---------]\n"); /* It began at the bar. */
}
END_TEST

/* ---- What has come of it ---- */

START_TEST(values_are_as_the_engine_takes_them) {
    set_values(152.5, -0.125);
    tuningview_setoptions(result.tuning, &text);
    ck_assert_str_eq(text_string(&text),
                     "setoption name DIV value 153\n"
                     "setoption name A_parameter_of_a_long_name value -0.125\n");
    text_clear(&text);
    set_values(-0.25, 0.123456789);
    tuningview_value(result.tuning, 0, &text);
    ck_assert_str_eq(text_string(&text), "0");
    text_clear(&text);
    tuningview_value(result.tuning, 1, &text);
    ck_assert_str_eq(text_string(&text), "0.123456789");
}
END_TEST

START_TEST(a_spec_of_our_own_engine_keeps_its_other_rows) {
    set_values(160, 0.5);
    tuningview_spec(result.tuning, "lmr:KILLER=0,DIV=140", &text);
    ck_assert_str_eq(text_string(&text), "lmr:KILLER=0,DIV=160,A_parameter_of_a_long_name=0.5");
    text_clear(&text);
    tuningview_spec(result.tuning, "./engine", &text);
    ck_assert_str_eq(text_string(&text), "");
}
END_TEST

START_TEST(before_the_first_iteration_nothing_is_claimed) {
    tuningview_sentence(result.tuning, &text);
    ck_assert_str_eq(text_string(&text), "No iteration is whole yet.");
}
END_TEST

static const char DIFF[] =
    "--- a/engine/lmr/flags.def\n+++ b/engine/lmr/flags.def\n-DIV 150\n+DIV 160\n";

START_TEST(the_text_has_the_difference_of_the_tables) {
    play(4);
    result.diff = mem_strdup(DIFF);
    tuningview_text(&result, &text);
    expect("Tune  | iterations=2/2 pairs=2");
    expect("\nGames | N: 8 ");
    expect("\nPenta | [");
    expect("setoption name DIV value");
    expect(DIFF);
}
END_TEST

START_TEST(the_table_of_drifts_has_names_of_any_length) {
    char name[101];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    free(result.tuning->parameters[1].name);
    result.tuning->parameters[1].name = mem_strdup(name);
    play(4);
    tuningview_text(&result, &text);
    const char *row = strstr(text_string(&text), "\nDIV  ");
    ck_assert_ptr_nonnull(row);
    row = strchr(row + 1, '\n') + 1;
    ck_assert_msg(text_starts_with(row, name) && row[sizeof name - 1] == ' ', "%s", row);
}
END_TEST

/* Of DIV 2.5 are a quarter of its c, 10, and of the other parameter -0.25 are one c. */
START_TEST(the_text_tells_how_far_each_value_has_moved) {
    play(4);
    set_values(152.5, -0.75);
    tuningview_text(&result, &text);
    expect("name                        start  value  moved  moved, in c  chance, in c\n");
    expect("DIV                           150  152.5   +2.5        +0.25  ");
    expect("A_parameter_of_a_long_name   -0.5  -0.75  -0.25        -1.00  ");
}
END_TEST

START_TEST(long_numbers_have_all_digits_before_the_point) {
    play(4);
    set_values(1234567.8, -0.5);
    tuningview_line(result.tuning, 0, &text);
    expect("DIV 1234568, ");
    text_clear(&text);
    tuningview_text(&result, &text);
    expect("  1234568  +1234418  ");
    text_clear(&text);
    page_of_result(&result, &text);
    expect("from 150 to 1234568, between");
    expect("150 → 1234568, ");
}
END_TEST

START_TEST(the_page_has_the_difference_and_no_elo) {
    play(4);
    result.diff = mem_strdup(DIFF);
    groups_add(&result.groups, &(ResultGroup){.kind = "machine",
                                              .name = (char *)(uintptr_t) "host",
                                              .tally = result.report.tally});
    page_of_result(&result, &text);
    expect("Parameters between their bounds");
    expect("-DIV 150\n+DIV 160\n");
    expect(">host<");
    expect_not(">Elo<");
    expect_not("Elo (");
    expect_not("normalized Elo");
}
END_TEST

START_TEST(markdown_has_the_tuning_and_no_elo) {
    play(4);
    result.diff = mem_strdup(DIFF);
    groups_add(&result.groups, &(ResultGroup){.kind = "machine",
                                              .name = (char *)(uintptr_t) "host",
                                              .tally = result.report.tally});
    markdown_of_result(&result, &text);
    expect("### Tuning");
    expect("Tune  | iterations=2/2 pairs=2");
    expect("+DIV 160\n");
    expect("| part | | games | faults |\n| --- | --- | --: | --- |\n| machine | host | 8 |");
    expect_not("Elo");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_line_tells_how_far_it_is_and_how_long_it_takes);
    tcase_add_test(tests, the_live_view_fits_the_terminal);
    tcase_add_test(tests, the_live_view_shows_places_between_the_bounds);
    tcase_add_test(tests, values_are_as_the_engine_takes_them);
    tcase_add_test(tests, a_spec_of_our_own_engine_keeps_its_other_rows);
    tcase_add_test(tests, before_the_first_iteration_nothing_is_claimed);
    tcase_add_test(tests, the_text_has_the_difference_of_the_tables);
    tcase_add_test(tests, the_text_tells_how_far_each_value_has_moved);
    tcase_add_test(tests, the_table_of_drifts_has_names_of_any_length);
    tcase_add_test(tests, long_numbers_have_all_digits_before_the_point);
    tcase_add_test(tests, the_page_has_the_difference_and_no_elo);
    tcase_add_test(tests, markdown_has_the_tuning_and_no_elo);
}

int main(void) {
    return run_tests("tuningview", add_tests);
}
