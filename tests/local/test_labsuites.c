/* SPDX-License-Identifier: MIT */
/* The lab's suites (docs/lab): each can be read, each SPEC is one that the engine's tables know,
 * and every row of the reductions' table is tried by a comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/count.h"
#include "base/file.h"
#include "base/text.h"
#include "build/build.h"
#include "lmr/flags.h"
#include "local/suite.h"
#include "runner.h"

/* Rows that no comparison can measure. */
static const char *const LEFT_OUT[] = {
    "STATS", /* Counts what the search does, and changes nothing. */
};

enum { SUITES_MIN = 15, PATH_ROOM = 4096 };

static bool named[LMR_ROW_COUNT]; /* The row stands in a SPEC of a suite. */

static const char *folder(void) {
    static char path[PATH_ROOM];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/docs/lab", srcdir ? srcdir : ".");
    return path;
}

/* Checks one "ROW=VALUE" of a SPEC; notes the row. */
static void check_word(const char *place, const char *word) {
    const char *equals = strchr(word, '=');
    char name[64];
    char fault[LMR_FAULT_MAX] = "";
    int value;
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    if (strcmp(name, "PRESET") == 0) {
        ck_assert_msg(lmr_preset_find(equals + 1) >= 0, "%s: no preset %s", place, equals + 1);
        return;
    }
    int row = lmr_row_find(name);
    ck_assert_msg(row >= 0, "%s: no row %s", place, name);
    ck_assert_msg(lmr_value_parse(lmr_row(row), equals + 1, &value, fault), "%s: %s: %s", place,
                  word, fault);
    named[row] = true;
}

static void check_spec(const char *place, const char *spec) {
    Words words = {0};
    Error err = {0};
    ck_assert_msg(text_starts_with(spec, "lmr:"), "%s: '%s' is not lmr:", place, spec);
    ck_assert_msg(variant_words(spec + strlen("lmr:"), &words, &err), "%s: %s", place, err.text);
    for (size_t i = 0; i < words.count; i++)
        check_word(place, words.items[i]);
    words_free(&words);
}

static const char *option_of(const MatchSuite *suite, const char *prefix) {
    const char *value = NULL;
    for (size_t i = 0; i < suite->options.count; i++)
        if (text_starts_with(suite->options.items[i], prefix))
            value = suite->options.items[i] + strlen(prefix);
    return value;
}

static bool take_any(char *word, Error *err) {
    (void)word;
    (void)err;
    return true;
}

static void check_suite(const char *path) {
    MatchSuite suite = {0};
    Error err = {0};
    ck_assert_msg(suite_read(path, take_any, &suite, &err), "%s", err.text);
    const char *common = option_of(&suite, "--base=");
    const char *seed = option_of(&suite, "--seed=");
    ck_assert_msg(seed != NULL && strcmp(seed, "1901") == 0,
                  "%s: seed %s, but all comparisons play the openings of seed 1901", path,
                  seed ? seed : "none");
    for (size_t i = 0; i < suite.count; i++) {
        const SuiteVariant *variant = &suite.variants[i];
        const char *base = variant->base != NULL ? variant->base : common;
        Text text = {0};
        text_addf(&text, "%s: line %d", path, variant->line);
        const char *place = text_string(&text);
        ck_assert_msg(base != NULL, "%s: %s has no base", place, variant->name);
        ck_assert_msg(strcmp(base, variant->spec) != 0, "%s: %s equals its base", place,
                      variant->name);
        check_spec(place, variant->spec);
        check_spec(place, base);
        text_free(&text);
    }
    suite_free(&suite);
}

static size_t check_suites(void) {
    size_t count = 0;
    Words names = {0};
    Error err = {0};
    ck_assert_msg(file_list(folder(), &names, &err), "%s", err.text);
    for (size_t i = 0; i < names.count; i++) {
        if (!text_ends_with(names.items[i], ".suite"))
            continue;
        char *path = text_format("%s/%s", folder(), names.items[i]);
        check_suite(path);
        free(path);
        count++;
    }
    words_free(&names);
    return count;
}

START_TEST(every_suite_and_every_spec_is_sound) {
    size_t count = check_suites();
    ck_assert_msg(count >= SUITES_MIN, "%zu suites, expected %d or more", count, SUITES_MIN);
}
END_TEST

static bool is_left_out(const char *name) {
    for (size_t i = 0; i < COUNT(LEFT_OUT); i++)
        if (strcmp(LEFT_OUT[i], name) == 0)
            return true;
    return false;
}

START_TEST(every_row_of_the_reductions_is_tried) {
    LmrRange range = lmr_table_range(LMR_TABLE_FLAGS);
    check_suites();
    for (int i = range.first; i < range.end; i++)
        ck_assert_msg(named[i] != is_left_out(lmr_row(i)->name), "%s: %s", lmr_row(i)->name,
                      named[i] ? "is in the list of rows that cannot be measured, and in a suite"
                               : "no suite of docs/lab tries the row");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_suite_and_every_spec_is_sound);
    tcase_add_test(tests, every_row_of_the_reductions_is_tried);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("labsuites", add_tests);
}
