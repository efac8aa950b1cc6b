/* SPDX-License-Identifier: MIT */
/* Tests side by side, as text, Markdown, HTML and JSON. */
#include "../runner.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/compare.h"
#include "report/html.h"

/* The four measured tables of "Advanced LMR". */
static const struct {
    const char *name;
    Penta penta;
} MEASURED[] = {{"PV", {{16, 557, 1220, 653, 31}}},
                {"cut node", {{122, 2731, 5805, 2964, 107}}},
                {"killer", {{14, 279, 645, 372, 30}}},
                {"cutoffs", {{108, 1633, 3372, 1838, 90}}}};

enum { TESTS = 4 };

static const ProgressStyle PLAIN = {.width = 100};

static void fill(CompareRow rows[TESTS]) {
    for (int i = 0; i < TESTS; i++)
        rows[i] =
            (CompareRow){.name = MEASURED[i].name,
                         .report = {.sprt = true,
                                    .rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1},
                                    .tally = {.penta = MEASURED[i].penta}}};
    compare_sort(rows, TESTS);
}

START_TEST(the_best_stands_first) {
    CompareRow rows[TESTS];
    Text out = {0};
    fill(rows);
    compare_text(rows, TESTS, &PLAIN, &out);
    ck_assert_str_eq(
        text_string(&out),
        "test                 Elo                                         LLR                 "
        "verdict  games\n"
        "killer    +16.22 +- 7.29   |             [---------o----------]  2.97 (-2.25, 2.89)  "
        "H1        2680\n"
        "PV         +8.84 +- 5.14   |     [------o-------]                2.91 (-2.25, 2.89)  "
        "H1        4954\n"
        "cutoffs    +4.17 +- 3.16   | [----o---]                          2.96 (-2.25, 2.89)  "
        "H1       14082\n"
        "cut node   +3.01 +- 2.36   |[---o--]                             3.07 (-2.25, 2.89)  "
        "H1       23458\n");
    text_free(&out);
}
END_TEST

START_TEST(narrow_and_wide_terminals_are_served) {
    CompareRow rows[TESTS];
    fill(rows);
    rows[1].report.tally.crashes = 1;
    rows[1].report.tally.timelosses = 2;
    for (int width = 20; width < 200; width += 9) {
        Text out = {0};
        ProgressStyle style = {.width = width, .utf8 = true};
        compare_text(rows, TESTS, &style, &out);
        ck_assert_ptr_nonnull(strstr(text_string(&out), "1 crash, 2 time losses"));
        int column = 0, longest = 0;
        for (const char *c = text_string(&out); *c; c++) {
            column = *c == '\n' ? 0 : column + (((unsigned char)*c & 0xC0) != 0x80);
            longest = column > longest ? column : longest;
        }
        ck_assert_msg(width < 108 || longest < width, "%d columns where there are %d:\n%s", longest,
                      width, text_string(&out));
        ck_assert_int_eq(strstr(text_string(&out), "├") != NULL, width >= 108);
        text_free(&out);
    }
}
END_TEST

START_TEST(a_test_of_few_games_does_not_flatten_the_others) {
    CompareRow rows[TESTS + 1];
    Text out = {0};
    fill(rows);
    rows[TESTS] = (CompareRow){.name = "few", .report = {.tally = {.penta = {{5, 2, 1, 2, 3}}}}};
    compare_sort(rows, TESTS + 1);
    compare_text(rows, TESTS + 1, &PLAIN, &out);
    ck_assert_msg(strstr(text_string(&out), "[---o--]") != NULL, "%s", text_string(&out));
    ck_assert_msg(strstr(text_string(&out), "<----") != NULL, "%s", text_string(&out));
    ck_assert_msg(strstr(text_string(&out), "---->") != NULL, "%s", text_string(&out));
    text_free(&out);
}
END_TEST

/* Tests that have hardly begun are no measure of the others. */
START_TEST(tests_without_an_interval_do_not_narrow_the_scale) {
    enum { NEW = TESTS + 1 };
    CompareRow rows[TESTS + NEW];
    Text out = {0};
    fill(rows);
    for (int i = TESTS; i < TESTS + NEW; i++)
        rows[i] = (CompareRow){.name = "new", .report = rows[0].report};
    for (int i = TESTS; i < TESTS + NEW; i++)
        rows[i].report.tally = (Tally){.penta = {{1, 0, 0, 0, 0}}};
    compare_text(rows, TESTS + NEW, &PLAIN, &out);
    ck_assert_msg(strstr(text_string(&out), "[---------o---------]") != NULL, "%s",
                  text_string(&out));
    text_free(&out);
}
END_TEST

START_TEST(a_test_beyond_the_scale_is_an_arrow_to_its_side) {
    CompareRow rows[TESTS + 1];
    Text out = {0};
    fill(rows);
    rows[TESTS] = (CompareRow){.name = "far", .report = {.tally = {.penta = {{0, 1, 9, 40, 50}}}}};
    compare_sort(rows, TESTS + 1);
    compare_text(rows, TESTS + 1, &PLAIN, &out);
    ck_assert_msg(strchr(text_string(&out), '>') != NULL, "%s", text_string(&out));
    ck_assert_msg(strchr(text_string(&out), '<') == NULL, "%s", text_string(&out));
    text_clear(&out);
    compare_html(rows, TESTS + 1, NULL, &out);
    int arrows = 0;
    int ranges = 0;
    for (const char *c = text_string(&out); *c; c++) {
        arrows += strncmp(c, "class=\"arrow\" x=\"100%", strlen("class=\"arrow\" x=\"100%")) == 0;
        ranges += strncmp(c, "class=\"range\"", strlen("class=\"range\"")) == 0;
    }
    ck_assert_int_eq(arrows, 1);
    ck_assert_int_eq(ranges, TESTS);
    text_free(&out);
}
END_TEST

START_TEST(a_test_that_has_not_begun_says_nothing_and_is_the_last) {
    CompareRow rows[TESTS + 1];
    Text out = {0};
    rows[0] = (CompareRow){.name = "new"};
    fill(rows + 1);
    rows[1].report.tally.penta = (Penta){{653, 557, 1220, 16, 31}}; /* below 0 */
    compare_sort(rows, TESTS + 1);
    ck_assert_str_eq(rows[TESTS].name, "new");
    compare_text(rows + TESTS, 1, &PLAIN, &out);
    ck_assert_msg(strchr(text_string(&out), 'o') == NULL && strchr(text_string(&out), '.') == NULL,
                  "%s", text_string(&out));
    text_clear(&out);
    compare_html(rows + TESTS, 1, NULL, &out);
    ck_assert_ptr_null(strstr(text_string(&out), "<circle"));
    text_free(&out);
}
END_TEST

START_TEST(a_page_gives_no_unit_where_there_is_no_interval) {
    CompareRow row = {.name = "even", .report = {.tally = {.penta = {{0, 0, 5, 0, 0}}}}};
    Text out = {0};
    compare_html(&row, 1, NULL, &out);
    ck_assert_msg(strstr(text_string(&out), "\"tiny\">no interval yet · ") != NULL, "in: %s",
                  text_string(&out));
    text_free(&out);
}
END_TEST

/* The lab gives equal pairs an interval, which is no likelihood of superiority. */
START_TEST(equal_pairs_have_no_likelihood_of_superiority) {
    static const EloInterval interval = {.lower = -190, .value = 1199, .upper = 1199};
    CompareRow row = {
        .name = "wins", .interval = &interval, .report = {.tally = {.penta = {{0, 0, 0, 0, 4}}}}};
    Text out = {0};
    compare_html(&row, 1, NULL, &out);
    ck_assert_ptr_null(strstr(text_string(&out), "LOS"));
    ck_assert_ptr_null(strstr(text_string(&out), " ·  · "));
    row.report.tally.penta.n[0] = 1;
    text_clear(&out);
    compare_html(&row, 1, NULL, &out);
    ck_assert_ptr_nonnull(strstr(text_string(&out), "LOS"));
    text_free(&out);
}
END_TEST

/* Elo ends at 1199.83: of an interval that reaches this end, the other end alone is known. */
START_TEST(an_interval_that_reaches_the_end_of_the_scale_is_open_there) {
    static const struct {
        Penta penta;
        const char *elo;
    } ROWS[] = {{{{999, 1, 0, 0, 0}}, " -1199.83, at most -1199.83 "},
                {{{0, 0, 1, 3, 144}}, ", at least +703.07 "},
                {{{0, 0, 1, 1, 0}}, " +88.74, no bounds yet "}};
    Text out = {0};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        CompareRow row = {.name = "far", .report = {.tally = {.penta = ROWS[i].penta}}};
        text_clear(&out);
        compare_text(&row, 1, &PLAIN, &out);
        ck_assert_msg(strstr(text_string(&out), ROWS[i].elo) != NULL, "%s", text_string(&out));
    }
    text_free(&out);
}
END_TEST

START_TEST(what_all_tests_share_is_told_once) {
    CompareRow rows[TESTS];
    Text out = {0};
    fill(rows);
    for (int i = 0; i < TESTS; i++)
        rows[i].report.setup = "N=5000 Threads=1 Hash=16MB";
    compare_shared(rows, TESTS, &out);
    ck_assert_str_eq(text_string(&out),
                     "N=5000 Threads=1 Hash=16MB · SPRT [0.00, 5.00] normalized Elo");
    text_clear(&out);
    rows[1].report.setup = "N=9000 Threads=1 Hash=16MB";
    rows[1].report.rule.model = SPRT_LOGISTIC;
    compare_shared(rows, TESTS, &out);
    ck_assert_str_eq(text_string(&out), "");
    text_free(&out);
}
END_TEST

START_TEST(markdown_is_a_table) {
    CompareRow rows[TESTS];
    Text out = {0};
    fill(rows);
    rows[0].name = "W_PV|=<b>";
    rows[0].link = "https://server.example/test/7/";
    rows[1].link = "javascript:alert(1)";
    compare_markdown(rows, TESTS, &out);
    const char *expected = "| test | Elo | LLR | verdict | games |\n"
                           "| --- | --: | --- | --- | --: |\n"
                           "| [W\\_PV\\|=&#60;b&#62;](<https://server.example/test/7/>) | +16.22 ± "
                           "7.29 | 2.97 (-2.25, "
                           "2.89) | H1 | 2680 |\n"
                           "| PV | +8.84 ± 5.14 | 2.91 (-2.25, 2.89) | H1 | 4954 |\n";
    ck_assert_msg(text_starts_with(text_string(&out), expected), "%s", text_string(&out));
    ck_assert_ptr_null(strstr(text_string(&out), "javascript"));
    text_free(&out);
}
END_TEST

START_TEST(a_hostile_name_stays_text) {
    CompareRow rows[TESTS];
    Text out = {0};
    fill(rows);
    rows[0].name = "\"><script>alert('1')</script>&\x1b[2J\xff\xc0\xaf";
    rows[0].link = "java\nscript:alert(1)";
    rows[1].link = "https://a.example/\" onclick=\"alert(1)";
    compare_html(rows, TESTS, NULL, &out);
    const char *text = text_string(&out);
    ck_assert_ptr_null(strstr(text, "<script"));
    ck_assert_ptr_null(strstr(text, "script:"));
    ck_assert_ptr_null(strstr(text, "\" onclick"));
    ck_assert_ptr_null(strchr(text, '\x1b'));
    ck_assert_ptr_nonnull(
        strstr(text, "&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/<wbr>script&#62;"
                     "&#38;\\u001b[2J\\u00ff\\u00c0\\u00af"));
    text_clear(&out);
    compare_text(rows, TESTS, &PLAIN, &out);
    ck_assert_ptr_null(strchr(text_string(&out), '\x1b'));
    text_free(&out);
}
END_TEST

START_TEST(programs_get_every_member) {
    CompareRow rows[TESTS];
    Text out = {0};
    fill(rows);
    compare_json(rows, TESTS, &out);
    cJSON *list = cJSON_Parse(text_string(&out));
    ck_assert_int_eq(cJSON_GetArraySize(list), TESTS);
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    ck_assert_str_eq(cJSON_GetObjectItem(first, "name")->valuestring, "killer");
    ck_assert_double_eq_tol(cJSON_GetObjectItem(first, "elo")->valuedouble, 16.216784, 1e-6);
    ck_assert_str_eq(cJSON_GetObjectItem(first, "verdict")->valuestring, "H1");
    cJSON_Delete(list);
    text_free(&out);
}
END_TEST

START_TEST(no_tests_and_no_games_are_no_trouble) {
    CompareRow row = {.name = ""};
    Text out = {0};
    for (size_t count = 0; count < 2; count++) {
        compare_text(&row, count, &PLAIN, &out);
        compare_markdown(&row, count, &out);
        compare_html(&row, count, NULL, &out);
        compare_json(&row, count, &out);
    }
    ck_assert_ptr_null(strstr(text_string(&out), "nan"));
    text_free(&out);
}
END_TEST

/* What a page's row tells besides: hostile texts as any others. */
START_TEST(html_tells_the_engine_and_its_difference) {
    Text out = {0};
    CompareRow row = {.name = "killers",
                      .link = "table-killers.html",
                      .spec = "lmr:KILLER=<b>",
                      .difference = "KILLER: 1 → 0",
                      .report = {.tally = {.penta = {{160, 5570, 12200, 6530, 310}}}}};
    compare_html(&row, 1, NULL, &out);
    static const char *const WANTED[] = {
        "<a href=\"table-killers.html\">killers</a>",
        "<small class=\"note\">lmr:<wbr>KILLER=<wbr>&#60;b&#62;</small>",
        "<small class=\"note\">KILLER:<wbr> 1 → 0</small>",
        "LOS</abbr>&nbsp;&gt;&nbsp;99.9&nbsp;%",
        "49,540 games",
        "<td class=\"wide\">49,540</td>"};
    for (size_t i = 0; i < COUNT(WANTED); i++)
        ck_assert_msg(strstr(text_string(&out), WANTED[i]) != NULL, "'%s' is not in %s", WANTED[i],
                      text_string(&out));
    text_free(&out);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, the_best_stands_first);
    tcase_add_test(tests, a_page_gives_no_unit_where_there_is_no_interval);
    tcase_add_test(tests, equal_pairs_have_no_likelihood_of_superiority);
    tcase_add_test(tests, narrow_and_wide_terminals_are_served);
    tcase_add_test(tests, a_test_of_few_games_does_not_flatten_the_others);
    tcase_add_test(tests, tests_without_an_interval_do_not_narrow_the_scale);
    tcase_add_test(tests, a_test_beyond_the_scale_is_an_arrow_to_its_side);
    tcase_add_test(tests, a_test_that_has_not_begun_says_nothing_and_is_the_last);
    tcase_add_test(tests, an_interval_that_reaches_the_end_of_the_scale_is_open_there);
    tcase_add_test(tests, what_all_tests_share_is_told_once);
    tcase_add_test(tests, html_tells_the_engine_and_its_difference);
    tcase_add_test(tests, markdown_is_a_table);
    tcase_add_test(tests, a_hostile_name_stays_text);
    tcase_add_test(tests, programs_get_every_member);
    tcase_add_test(tests, no_tests_and_no_games_are_no_trouble);
}

int main(void) {
    return run_tests("compare", add_tests);
}
