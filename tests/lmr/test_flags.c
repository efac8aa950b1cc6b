/* SPDX-License-Identifier: MIT */
/* The table of the reduction flags as the program sees it. */
#include <stdlib.h>
#include <string.h>

#include "lmr/flags.h"
#include "lmr/report.h"
#include "runner.h"

static const LmrRow *row_named(const char *name) {
    int index = lmr_row_find(name);
    ck_assert_msg(index >= 0, "the table has no row %s", name);
    return lmr_row(index);
}

START_TEST(every_row_is_found_by_its_name_and_allows_its_default) {
    for (int i = 0; i < LMR_ROW_COUNT; i++) {
        const LmrRow *row = lmr_row(i);
        ck_assert_int_eq(lmr_row_find(row->name), i);
        ck_assert_msg(lmr_row_allows(row, row->standard), "%s does not allow %d", row->name,
                      row->standard);
        ck_assert_msg(!lmr_row_allows(row, row->high + 1), "%s allows %d", row->name,
                      row->high + 1);
        ck_assert_msg(!lmr_row_allows(row, row->low - 1), "%s allows %d", row->name, row->low - 1);
        ck_assert(row->meaning[0] != '\0' && row->texts[0] != '\0' && row->needs[0] != '\0');
    }
    ck_assert_int_eq(lmr_row_find("NO_SUCH_ROW"), -1);
}
END_TEST

START_TEST(every_allowed_value_reads_back_as_it_is_written) {
    int read = 0;
    for (int i = 0; i < LMR_ROW_COUNT; i++) {
        const LmrRow *row = lmr_row(i);
        const int probes[] = {row->low, row->standard, row->high};
        for (int k = 0; k < 3; k++) {
            char text[LMR_VALUE_TEXT_MAX];
            int value = row->low - 1;
            lmr_value_format(row, probes[k], text);
            ck_assert_msg(lmr_value_parse(row, text, &value, NULL), "%s=%s is refused", row->name,
                          text);
            ck_assert_int_eq(value, probes[k]);
            read++;
        }
    }
    ck_assert_int_eq(read, 3 * LMR_ROW_COUNT);
}
END_TEST

START_TEST(presets_are_found_by_name_and_the_first_is_the_table) {
    for (int i = 0; i < LMR_PRESET_COUNT; i++)
        ck_assert_int_eq(lmr_preset_find(lmr_preset_name(i)), i);
    ck_assert_int_eq(lmr_preset_find("modern"), 0);
    ck_assert_int_gt(lmr_preset_find("T2ADVANCED"), 0);
    ck_assert_int_eq(lmr_preset_find("_silent"), -1);
    ck_assert_int_eq(lmr_preset(), LMR_SET_PRESET);
}
END_TEST

START_TEST(a_preset_is_set_in_tunable_builds_alone) {
    LmrRange all = {0, LMR_ROW_COUNT};
    int before = lmr_preset_differing(all);
    ck_assert_int_eq(lmr_preset_set(lmr_preset()), LMR_TUNE);
    ck_assert_int_eq(lmr_preset_differing(all), LMR_TUNE ? 0 : before);
}
END_TEST

START_TEST(choices_are_read_by_name_or_number) {
    const LmrRow *row = row_named("KILLER");
    int value = -1;
    ck_assert(lmr_value_parse(row, "exempt", &value, NULL));
    ck_assert_int_eq(value, LMR_KILLER_EXEMPT);
    ck_assert(lmr_value_parse(row, "2", &value, NULL));
    ck_assert_int_eq(value, LMR_KILLER_BY_WEIGHT);
}
END_TEST

START_TEST(a_choice_that_is_a_number_stands_for_itself) {
    const LmrRow *row = row_named("UNIT");
    int value = -1;
    ck_assert(lmr_value_parse(row, "10", &value, NULL));
    ck_assert_int_eq(value, 10);
    ck_assert(!lmr_row_allows(row, 2));
}
END_TEST

START_TEST(other_values_are_refused_and_named) {
    static const struct {
        const char *row, *text;
    } wrong[] = {{"KILLER", "3"},        {"KILLER", "never"}, {"KILLER", ""},
                 {"DIV", "49"},          {"DIV", "1001"},     {"DIV", "1e2"},
                 {"DIV", "99999999999"}, {"W_PV", "-"},       {"UNIT", "2"},
                 {"ENABLE", "yes"},      {"DIV", " 100"},     {"KILLER", "exempt "}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char fault[LMR_FAULT_MAX] = "";
        int value = 4711;
        ck_assert_msg(!lmr_value_parse(row_named(wrong[i].row), wrong[i].text, &value, fault),
                      "%s=%s is taken", wrong[i].row, wrong[i].text);
        ck_assert_int_eq(value, 4711);
        ck_assert_msg(strstr(fault, wrong[i].row) != NULL, "the fault names no row: %s", fault);
    }
}
END_TEST

START_TEST(the_default_build_has_no_hash) {
    bool standard = true;
    for (int i = 0; i < LMR_ROW_COUNT; i++)
        standard = standard && lmr_row_value(i) == lmr_row(i)->standard;
    ck_assert_int_eq(lmr_hash() == 0, standard);
}
END_TEST

START_TEST(a_row_acts_when_the_rows_it_needs_say_so) {
    int needing = 0;
    for (int i = 0; i < LMR_ROW_COUNT; i++) {
        if (strcmp(lmr_row(i)->needs, "-") == 0)
            ck_assert(lmr_row_acts(i));
        else
            needing++;
    }
    ck_assert_int_gt(needing, 0);
    ck_assert_int_eq(lmr_row_acts(lmr_row_find("FIXED_R")), LMR_BASE == LMR_BASE_FIXED);
    ck_assert_int_eq(lmr_row_acts(lmr_row_find("DIV")),
                     LMR_BASE == LMR_BASE_LOGLOG || LMR_BASE == LMR_BASE_TABLE);
    ck_assert_int_eq(lmr_row_acts(lmr_row_find("HIST_RULE")),
                     LMR_HIST_SOURCE != LMR_HIST_SOURCE_NONE);
}
END_TEST

START_TEST(constants_are_set_by_nobody) {
    int index = lmr_row_find("DIV");
    int before = lmr_row_value(index);
    ck_assert_int_eq(lmr_row_set(index, before == 50 ? 51 : 50), LMR_TUNE);
    ck_assert_int_eq(lmr_row_value(index) == before, !LMR_TUNE);
    lmr_row_set(index, before);
}
END_TEST

/* What a report prints. The caller frees it. */
static char *list_of(LmrTable table, bool json) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    lmr_report_list(out, table, json);
    fclose(out);
    return text;
}

static void expect_rows_listed(LmrTable table, bool json) {
    LmrRange range = lmr_table_range(table);
    char *text = list_of(table, json);
    ck_assert_int_lt(range.first, range.end);
    for (int i = 0; i < LMR_ROW_COUNT; i++) {
        char line[512];
        snprintf(line, sizeof line, json ? "\"meaning\":\"%s\"" : "\n    %s\n",
                 lmr_row(i)->meaning);
        bool listed = strstr(text, line) != NULL;
        ck_assert_msg(listed == (i >= range.first && i < range.end), "%s: listed is %d",
                      lmr_row(i)->name, listed);
        ck_assert_msg(!listed || strstr(text, lmr_row(i)->name) != NULL, "%s has no name",
                      lmr_row(i)->name);
    }
    free(text);
}

START_TEST(each_list_names_every_row_of_its_table_and_no_other) {
    for (int json = 0; json < 2; json++) {
        expect_rows_listed(LMR_TABLE_FLAGS, json != 0);
        expect_rows_listed(LMR_TABLE_PARAMS, json != 0);
    }
    ck_assert_int_eq(lmr_table_range(LMR_TABLE_FLAGS).end, lmr_table_range(LMR_TABLE_PARAMS).first);
    ck_assert_int_eq(lmr_table_range(LMR_TABLE_PARAMS).end, LMR_ROW_COUNT);
}
END_TEST

START_TEST(a_parameter_of_the_search_is_a_row_like_any_other) {
    const LmrRow *row = row_named("LATE_BASE");
    int value = 0;
    ck_assert_int_eq(lmr_row_value(lmr_row_find("LATE_BASE")), SEARCH_LATE_BASE);
    ck_assert(lmr_value_parse(row, "4", &value, NULL));
    ck_assert_int_eq(value, 4);
    ck_assert(!lmr_value_parse(row, "-1", &value, NULL));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_row_is_found_by_its_name_and_allows_its_default);
    tcase_add_test(tests, every_allowed_value_reads_back_as_it_is_written);
    tcase_add_test(tests, presets_are_found_by_name_and_the_first_is_the_table);
    tcase_add_test(tests, a_preset_is_set_in_tunable_builds_alone);
    tcase_add_test(tests, choices_are_read_by_name_or_number);
    tcase_add_test(tests, a_choice_that_is_a_number_stands_for_itself);
    tcase_add_test(tests, other_values_are_refused_and_named);
    tcase_add_test(tests, the_default_build_has_no_hash);
    tcase_add_test(tests, a_row_acts_when_the_rows_it_needs_say_so);
    tcase_add_test(tests, constants_are_set_by_nobody);
    tcase_add_test(tests, each_list_names_every_row_of_its_table_and_no_other);
    tcase_add_test(tests, a_parameter_of_the_search_is_a_row_like_any_other);
}

int main(void) {
    return run_tests("flags", add_tests);
}
