/* SPDX-License-Identifier: MIT */
/* The report's text block and JSON object. */
#include "../runner.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/count.h"
#include "report/block.h"
#include "report/markdown.h"
#include "report/page.h"
#include "report/result.h"
#include "stats/estimate.h"

static const SprtRule RULE = {0, 5, 0.05, 0.1, SPRT_NORMALIZED};

START_TEST(the_published_block_comes_out_as_printed) {
    Text setup = {0};
    report_setup(&setup, "8.0+0.08s", "8.0+0.08s", "1", "1", "32", "32");
    Report report = {
        .sprt = true,
        .rule = RULE,
        .setup = text_string(&setup),
        .tally = {.wins = 1171, .losses = 1045, .draws = 2738, .penta = {{16, 557, 1220, 653, 31}}},
        .games_known = true};
    Text block = {0};
    report_block(&report, &block);
    ck_assert_str_eq(text_string(&block), "Elo   | 8.84 +- 5.14 (95%)\n"
                                          "SPRT  | 8.0+0.08s Threads=1 Hash=32MB\n"
                                          "LLR   | 2.91 (-2.25, 2.89) [0.00, 5.00]\n"
                                          "Games | N: 4954 W: 1171 L: 1045 D: 2738\n"
                                          "Penta | [16, 557, 1220, 653, 31]\n");
    text_free(&block);
    text_free(&setup);
}
END_TEST

START_TEST(the_other_published_tables_have_their_numbers) {
    static const struct {
        Penta penta;
        const char *block;
    } tables[] = {
        {{{122, 2731, 5805, 2964, 107}},
         "Elo   | 3.01 +- 2.36 (95%)\nLLR   | 3.07 (-2.25, 2.89) [0.00, 5.00]\n"
         "Games | N: 23458\nPenta | [122, 2731, 5805, 2964, 107]\n"},
        {{{14, 279, 645, 372, 30}},
         "Elo   | 16.22 +- 7.29 (95%)\nLLR   | 2.97 (-2.25, 2.89) [0.00, 5.00]\n"
         "Games | N: 2680\nPenta | [14, 279, 645, 372, 30]\n"},
        {{{108, 1633, 3372, 1838, 90}},
         "Elo   | 4.17 +- 3.16 (95%)\nLLR   | 2.96 (-2.25, 2.89) [0.00, 5.00]\n"
         "Games | N: 14082\nPenta | [108, 1633, 3372, 1838, 90]\n"},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        Report report = {.sprt = true, .rule = RULE, .tally = {.penta = tables[i].penta}};
        Text block = {0};
        report_block(&report, &block);
        ck_assert_str_eq(text_string(&block), tables[i].block);
        text_free(&block);
    }
}
END_TEST

START_TEST(bounds_in_another_elo_say_so) {
    Report report = {.sprt = true, .rule = RULE, .tally = {.penta = {{16, 557, 1220, 653, 31}}}};
    report.rule.model = SPRT_LOGISTIC;
    Text block = {0};
    report_block(&report, &block);
    ck_assert_msg(strstr(text_string(&block), "] logistic\nGames") != NULL, "%s",
                  text_string(&block));
    text_free(&block);
}
END_TEST

START_TEST(a_test_of_fixed_length_has_no_llr) {
    Text setup = {0};
    report_setup(&setup, "N=5000", "N=4000", "1", "1", "8", "16");
    Report report = {.setup = text_string(&setup),
                     .tally = {.wins = 2, .losses = 1, .draws = 1, .penta = {{0, 0, 1, 1, 0}}},
                     .games_known = true};
    Text block = {0};
    report_block(&report, &block);
    ck_assert_msg(strstr(text_string(&block),
                         "\nConf  | N=5000 / N=4000 Threads=1 Hash=8MB / 16MB\n"
                         "Games | N: 4 W: 2 L: 1 D: 1\n") != NULL,
                  "%s", text_string(&block));
    text_free(&block);
    text_free(&setup);
}
END_TEST

static double number(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    ck_assert_msg(cJSON_IsNumber(item), "%s is no number", name);
    return item->valuedouble;
}

static Report published_report(void) {
    return (Report){.sprt = true,
                    .rule = RULE,
                    .tally = {.wins = 1171,
                              .losses = 1045,
                              .draws = 2738,
                              .penta = {{16, 557, 1220, 653, 31}},
                              .crashes = 1,
                              .timelosses = 2,
                              .illegals = 3,
                              .plies = 400000,
                              .work = {[SIDE_DEV] = {.depths = 25,
                                                     .depth_moves = 2,
                                                     .nodes = 3000,
                                                     .nodes_ns = 2000000}}},
                    .games_known = true,
                    .seconds = 12.3456,
                    .waits_known = true,
                    .cpu_waited = 0.25,
                    .cpu_stolen = -1};
}

/* The corrected interval is that of sprt_estimate, from below. */
static void check_corrected(const cJSON *object, const Report *report) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "elo_corrected");
    EloInterval elo;
    ck_assert(sprt_estimate(&report->rule, &report->tally, &elo));
    const double wanted[] = {elo.lower, elo.value, elo.upper};
    ck_assert_int_eq(cJSON_GetArraySize(list), 3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(cJSON_GetArrayItem(list, i)->valuedouble, wanted[i], 1e-6);
    ck_assert(elo.lower < elo.value && elo.value < elo.upper);
}

START_TEST(the_json_object_says_the_same) {
    Report report = published_report();
    Text text = {0};
    report_json(&report, &text);
    cJSON *object = cJSON_Parse(text_string(&text));
    ck_assert_ptr_nonnull(object);
    static const struct {
        const char *name;
        double value;
    } wanted[] = {
        {"games", 4954},          {"wins", 1171},
        {"losses", 1045},         {"draws", 2738},
        {"elo", 8.838580},        {"elo_lower", 3.706613},
        {"elo_upper", 13.974407}, {"llr", 2.905592},
        {"llr_lower", -2.251292}, {"llr_upper", 2.890372},
        {"crashes", 1},           {"timelosses", 2},
        {"illegals", 3},          {"plies", 400000},
        {"seconds", 12.346},      {"dev_depth", 12.5},
        {"dev_nps", 1500000},     {"cpu_waited", 0.25},
        {"los", 0.999634},        {"normalized_elo", 16.672898},
        {"draw_ratio", 0.492531}, {"pair_ratio", 1.193717},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_double_eq_tol(number(object, wanted[i].name), wanted[i].value, 2e-6);
    check_corrected(object, &report);
    const cJSON *penta = cJSON_GetObjectItemCaseSensitive(object, "penta");
    ck_assert_int_eq(cJSON_GetArraySize(penta), 5);
    ck_assert_double_eq(cJSON_GetArrayItem(penta, 2)->valuedouble, 1220);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "verdict")),
                     "H1");
    ck_assert(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, "base_depth")));
    ck_assert(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, "base_nps")));
    ck_assert(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, "cpu_stolen")));
    cJSON_Delete(object);
    text_free(&text);
}
END_TEST

/* One pair, and pairs that are all equal, tell nothing of how much results vary. */
static const struct {
    Tally tally;
    const char *first_line;
} WITHOUT_INTERVAL[] = {
    {{.penta = {{0}}}, "Elo   | no interval yet (fewer than two pairs)\n"},
    {{.penta = {{1, 0, 0, 0, 0}}}, "Elo   | no interval yet (fewer than two pairs)\n"},
    {{.penta = {{0, 0, 40, 0, 0}}}, "Elo   | no interval yet (all pairs are equal)\n"},
    {{.penta = {{0, 0, 0, 0, 3}}}, "Elo   | no interval yet (all pairs are equal)\n"},
    {{.wins = 1}, "Elo   | no interval yet (fewer than two games)\n"},
    {{.draws = 7}, "Elo   | no interval yet (all games are equal)\n"},
};

START_TEST(the_block_claims_no_certainty_without_an_interval) {
    Report report = {.tally = WITHOUT_INTERVAL[_i].tally};
    Text block = {0};
    report_block(&report, &block);
    ck_assert_msg(text_starts_with(text_string(&block), WITHOUT_INTERVAL[_i].first_line), "%s",
                  text_string(&block));
    text_free(&block);
}
END_TEST

START_TEST(the_json_object_is_null_without_an_interval) {
    static const char *const NAMES[] = {"elo",           "elo_lower",      "elo_upper",
                                        "elo_corrected", "normalized_elo", "los"};
    Report report = {.sprt = true, .rule = RULE, .tally = WITHOUT_INTERVAL[_i].tally};
    Text text = {0};
    report_json(&report, &text);
    cJSON *object = cJSON_Parse(text_string(&text));
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        ck_assert_msg(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, NAMES[i])),
                      "%s is not null in %s", NAMES[i], text_string(&text));
    cJSON_Delete(object);
    text_free(&text);
}
END_TEST

static Result result_without_interval(int index) {
    Result result = {0};
    Report report = {.tally = WITHOUT_INTERVAL[index].tally};
    result_of_counts(&result, &report, "dev against base");
    groups_add(&result.groups,
               &(ResultGroup){.kind = "machine", .name = "a", .tally.penta = {{2}}});
    return result;
}

START_TEST(page_and_markdown_claim_no_certainty_without_an_interval) {
    Result result = result_without_interval(_i);
    Text page = {0};
    Text markdown = {0};
    page_of_result(&result, &page);
    markdown_of_result(&result, &markdown);
    ck_assert_msg(strstr(text_string(&page), "<dd>no interval yet <small>") != NULL, "%s",
                  text_string(&page));
    ck_assert_msg(strstr(text_string(&page), "±") == NULL, "%s", text_string(&page));
    ck_assert_msg(strstr(text_string(&markdown), "| a | no interval | 4 |") != NULL, "%s",
                  text_string(&markdown));
    text_free(&page);
    text_free(&markdown);
    result_free(&result);
}
END_TEST

START_TEST(the_page_has_the_numbers_of_the_report) {
    static const char *const WANTED[] = {
        "<dt>Likelihood of superiority</dt><dd>99.96 %</dd>",
        "<th scope=\"row\">normalized Elo</th><td>+16.67 [+6.99, +26.35]</td>",
        "<th scope=\"row\">even pairs</th><td>49.3 %</td>",
        "<th scope=\"row\">pairs won per pair lost</th><td>1.194</td>",
        "<th scope=\"row\">drawn games</th><td>55.3 %</td>",
        "<td class=\"number\">16</td><td class=\"number\">20</td>",
        "<td class=\"number\">557</td><td class=\"number\">612</td>",
        "<td class=\"number\">1,220</td><td class=\"number\">1,220</td>",
        "<td class=\"number\">653</td><td class=\"number\">599</td>",
        "<td class=\"number\">31</td><td class=\"number\">26</td>",
        " width=\"53.52%\"/><line class=\"expected\" x1=\"49.09%\" x2=\"49.09%\" ",
        "<td class=\"number\">3,600</td><td class=\"number\">75.0 %</td>",
        "<td class=\"number\">1,200</td><td class=\"number\">25.0 %</td>"};
    Result result = {0};
    Report report = published_report();
    Text page = {0};
    result_of_counts(&result, &report, "dev against base");
    result_add_ending(&result, "mate", 3600, false);
    result_add_ending(&result, "time", 1200, true);
    page_of_result(&result, &page);
    for (size_t i = 0; i < COUNT(WANTED); i++)
        ck_assert_msg(strstr(text_string(&page), WANTED[i]) != NULL, "'%s' is not in the page",
                      WANTED[i]);
    text_free(&page);
    result_free(&result);
}
END_TEST

START_TEST(zero_has_no_sign) {
    Report report = {.sprt = true,
                     .rule = {.elo0 = -0.001, .elo1 = 5, .alpha = 0.05, .beta = 0.05},
                     .tally = {.penta = {{0, 100001, 100000, 100000, 0}}}};
    Text block = {0};
    EloInterval elo;
    ck_assert(report_elo(&report, &elo));
    ck_assert_double_lt(elo.value, 0);
    report_block(&report, &block);
    ck_assert_msg(strstr(text_string(&block), "Elo   | 0.00 +- ") != NULL, "%s",
                  text_string(&block));
    ck_assert_msg(strstr(text_string(&block), "[0.00, 5.00]") != NULL, "%s", text_string(&block));
    text_free(&block);
}
END_TEST

START_TEST(parameters_have_all_digits_before_the_point) {
    TunedParameter row = {.name = "Nodes", .numbers = {1234567.8, 1e6, 0, 9999999.7, 0.123456789}};
    Report report = {.parameters = {.items = &row, .count = 1}};
    Text table = {0};
    report_parameters(&report, &table);
    ck_assert_str_eq(text_string(&table),
                     "name     value    start  min       max         c  c_end  r  r_end\n"
                     "Nodes  1234568  1000000    0  10000000  0.123457      0  0      0\n");
    text_free(&table);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, the_published_block_comes_out_as_printed);
    tcase_add_test(tests, the_other_published_tables_have_their_numbers);
    tcase_add_test(tests, bounds_in_another_elo_say_so);
    tcase_add_test(tests, a_test_of_fixed_length_has_no_llr);
    tcase_add_test(tests, the_json_object_says_the_same);
    int count = sizeof WITHOUT_INTERVAL / sizeof *WITHOUT_INTERVAL;
    tcase_add_loop_test(tests, the_block_claims_no_certainty_without_an_interval, 0, count);
    tcase_add_loop_test(tests, the_json_object_is_null_without_an_interval, 0, count);
    tcase_add_loop_test(tests, page_and_markdown_claim_no_certainty_without_an_interval, 0, count);
    tcase_add_test(tests, the_page_has_the_numbers_of_the_report);
    tcase_add_test(tests, zero_has_no_sign);
    tcase_add_test(tests, parameters_have_all_digits_before_the_point);
}

int main(void) {
    return run_tests("block", add_tests);
}
