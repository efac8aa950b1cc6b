/* SPDX-License-Identifier: MIT */
/* Curves of pages: they stay in their frame, and tell each point's values. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/chart.h"
#include "report/overgames.h"
#include "report/page.h"
#include "runner.h"

enum { WIDTH = 1000, HEIGHT = 300 };

static Text text;

static void tear_down(void) {
    text_free(&text);
}

/* Fails when a coordinate of a path of this class lies out of the frame; the number of points. */
static int expect_in_frame(const char *kind) {
    char start[64];
    int points = 0;
    snprintf(start, sizeof start, "<path class=\"%s\" d=\"", kind);
    const char *at = strstr(text_string(&text), start);
    ck_assert_msg(at != NULL, "there is no %s in %s", start, text_string(&text));
    for (at += strlen(start); *at == 'M' || *at == 'L'; points++) {
        char *end;
        double x = strtod(at + 1, &end);
        double y = strtod(end, &end);
        ck_assert_msg(x >= 0 && x <= (double)WIDTH && y >= 0 && y <= (double)HEIGHT, "%s: %g %g",
                      kind, x, y);
        at = end;
    }
    return points;
}

static void expect(const char *words) {
    ck_assert_msg(strstr(text_string(&text), words) != NULL, "'%s' is not in: %s", words,
                  text_string(&text));
}

static const ChartPoint POINTS[] = {
    {4, 900, -5000, 5000}, {100, -700, -900, 1200}, {1200, 2.04, -7.5, 12.25}};

static LineChart chart_of_points(void) {
    return (LineChart){.text = "Elo",
                       .x_name = "games",
                       .y_name = "Elo",
                       .points = POINTS,
                       .count = COUNT(POINTS),
                       .low = -40,
                       .high = 40,
                       .band = true};
}

START_TEST(early_wild_values_stay_in_the_frame) {
    LineChart chart = chart_of_points();
    chart_lines(&chart, &text);
    ck_assert_int_eq(expect_in_frame("line"), 3);
    ck_assert_int_eq(expect_in_frame("band"), 6);
}
END_TEST

START_TEST(a_line_and_its_labels_have_one_scale) {
    static const ChartPoint points[] = {{0, 20, 20, 20}, {10, -20, -20, -20}};
    LineChart chart = chart_of_points();
    chart.points = points;
    chart.count = COUNT(points);
    chart_lines(&chart, &text);
    expect("<path class=\"line\" d=\"M0.0 75.0L1000.0 225.0\"/>");
    expect("<span style=\"top:25.00%\">20</span>");
    expect("<span style=\"top:75.00%\">-20</span>");
    expect("<i class=\"dot\" style=\"left:100.00%;top:75.00%\"></i>");
}
END_TEST

START_TEST(a_gauge_stands_nearer_to_the_end_that_its_value_is_nearer_to) {
    chart_gauge(
        &(Gauge){
            .text = "LLR", .low = -2, .high = 2, .value = 1, .low_name = "H0", .high_name = "H1"},
        &text);
    expect("<i class=\"good\" style=\"left:50.00%;width:25.00%\"></i>");
    expect("<i class=\"dot\" style=\"left:75.00%\"></i>");
}
END_TEST

START_TEST(each_point_tells_its_values_to_the_pointer) {
    LineChart chart = chart_of_points();
    chart_lines(&chart, &text);
    expect("<title>4 games: 900.0 (-5000.0 to 5000.0)</title>");
    expect("<title>1,200 games: 2.0 (-7.5 to 12.2)</title>");
}
END_TEST

START_TEST(labels_of_a_narrow_chart_differ) {
    LineChart chart = chart_of_points();
    chart.low = -0.5;
    chart.high = 0.5;
    chart_lines(&chart, &text);
    expect(">-0.2</span>");
    expect(">0.4</span>");
    chart.low = -0.05;
    chart.high = 0.05;
    text_clear(&text);
    chart_lines(&chart, &text);
    expect(">-0.02</span>");
    expect(">0.04</span>");
}
END_TEST

START_TEST(each_point_stands_in_a_table) {
    LineChart chart = chart_of_points();
    chart_lines(&chart, &text);
    expect("<th scope=\"col\" class=\"number\">games</th><th scope=\"col\" "
           "class=\"number\">Elo</th>");
    expect("<tr><th scope=\"row\" class=\"number\">1,200</th><td>2.0<td>-7.5<td>12.2\n");
}
END_TEST

/* Draws a chart of so many games, and fails where a label of x touches the next one: a phone's
 * chart has 258 pixels, a digit of its labels 7.5, and the first label begins at the left edge. */
static void expect_labels_apart(int games) {
    const ChartPoint points[] = {{0, 0, 0, 0}, {games, 1, 1, 1}};
    double ends = 0;
    int count = 0;
    text_clear(&text);
    chart_lines(&(LineChart){.text = "",
                             .x_name = "games",
                             .y_name = "Elo",
                             .points = points,
                             .count = 2,
                             .low = -1,
                             .high = 2},
                &text);
    const char *at = strstr(text_string(&text), "<div class=\"xs\">");
    const char *end = strstr(at, "</div>");
    for (at = strstr(at, "left:"); at && at < end; at = strstr(at, "left:"), count++) {
        double place = 258 * strtod(at + strlen("left:"), NULL) / 100;
        at = strchr(at, '>') + 1;
        double width = 7.5 * (double)strcspn(at, "<");
        double start = count > 0 ? place - width / 2 : place;
        ck_assert_msg(count == 0 || start >= ends, "%d games: label %d begins at %.0f, before %.0f",
                      games, count, start, ends);
        ends = start + width;
    }
    ck_assert_msg(count >= 2, "%d games: %d labels", games, count);
}

START_TEST(labels_of_games_stand_apart_on_a_phone) {
    static const int games[] = {1,     2,     3,      10,     99,     362,     5000,
                                18000, 56000, 362000, 999999, 362001, 1000000, 12345678};
    for (size_t i = 0; i < COUNT(games); i++)
        expect_labels_apart(games[i]);
}
END_TEST

/* Adding a step to such a bound gives the bound again. */
START_TEST(bounds_next_to_each_other_end_the_labels) {
    double high = nextafter(1e9, INFINITY);
    const ChartPoint points[] = {{0, 1e9, 1e9, 1e9}, {10, high, high, high}};
    chart_lines(&(LineChart){.text = "",
                             .x_name = "games",
                             .y_name = "x",
                             .points = points,
                             .count = 2,
                             .low = 1e9,
                             .high = high},
                &text);
    ck_assert_uint_lt(text.length, 10000);
    expect_in_frame("line");
}
END_TEST

/* A match whose first pairs are all won has an Elo and an interval beyond all bounds. */
START_TEST(the_elo_of_a_match_that_began_wildly_stays_in_its_frame) {
    Result result = {0};
    Penta *penta = &result.report.tally.penta;
    result.source = mem_strdup("test.jsonl");
    result_set_sides(&result, "dev", "base");
    for (int pair = 0; pair < 200; pair++) {
        penta->n[pair < 5 ? 4 : pair % 5]++;
        result_add_point(&result, 2 * (pair + 1));
    }
    page_of_result(&result, &text);
    ck_assert_int_gt(expect_in_frame("line"), 100);
    ck_assert_int_gt(expect_in_frame("band"), 200);
    result_free(&result);
}
END_TEST

/* A server knows the path of its own test from the first report on. Nobody knows the path of counts
 * alone. */
START_TEST(the_path_of_one_report_begins_with_game_0) {
    static const char *const STATES[] = {"running", NULL};
    static const char *const WORDS[] = {"<title>0 games: 0.00</title>",
                                        "Counts tell where the test stands"};
    Result result = {.report = {.sprt = true, .rule = {0, 5, 0.05, 0.05, SPRT_NORMALIZED}}};
    result.report.tally.penta = (Penta){{0, 1, 2, 3, 0}};
    result.state = mem_strdup(STATES[_i]);
    result_add_point(&result, 12);
    overgames_llr(&result, &text);
    expect(WORDS[_i]);
    ck_assert_ptr_null(strstr(text_string(&text), WORDS[1 - _i]));
    result_free(&result);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, early_wild_values_stay_in_the_frame);
    tcase_add_test(tests, bounds_next_to_each_other_end_the_labels);
    tcase_add_test(tests, a_line_and_its_labels_have_one_scale);
    tcase_add_test(tests, a_gauge_stands_nearer_to_the_end_that_its_value_is_nearer_to);
    tcase_add_test(tests, each_point_tells_its_values_to_the_pointer);
    tcase_add_test(tests, labels_of_a_narrow_chart_differ);
    tcase_add_test(tests, each_point_stands_in_a_table);
    tcase_add_test(tests, labels_of_games_stand_apart_on_a_phone);
    tcase_add_test(tests, the_elo_of_a_match_that_began_wildly_stays_in_its_frame);
    tcase_add_loop_test(tests, the_path_of_one_report_begins_with_game_0, 0, 2);
}

int main(void) {
    return run_tests("chart", add_tests);
}
