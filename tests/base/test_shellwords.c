/* SPDX-License-Identifier: MIT */
/* Commands are split as a shell splits them, and quoted words come back as they were. */
#include <string.h>

#include "base/shellwords.h"
#include "runner.h"

/* The words of a command with bars between them. */
static const char *split(const char *command) {
    static char shown[ERROR_MAX + 2];
    Words words = {0};
    Error err = {0};
    shown[0] = '\0';
    if (!shell_split(command, &words, &err))
        snprintf(shown, sizeof shown, "! %s", err.text);
    else
        for (size_t i = 0; i < words.count; i++) {
            strcat(shown, i > 0 ? "|" : "");
            strcat(shown, words.items[i]);
        }
    words_free(&words);
    return shown;
}

START_TEST(quotes_and_backslashes_are_the_shells) {
    ck_assert_str_eq(split("  a  b\tc\n"), "a|b|c");
    ck_assert_str_eq(split("args='-x  \"y\"' b"), "args=-x  \"y\"|b");
    ck_assert_str_eq(split("a\"b c\"d ''"), "ab cd|");
    ck_assert_str_eq(split("\"a\\\"b\\\\c\\d\""), "a\"b\\c\\d");
    ck_assert_str_eq(split("a\\ b \\'"), "a b|'");
    ck_assert_str_eq(split("-engine \\\n  cmd=a \\\n"), "-engine|cmd=a");
    ck_assert_str_eq(split("$HOME `a` *"), "$HOME|`a`|*");
    ck_assert_str_eq(split(""), "");
    ck_assert_str_eq(split("a\\"), "a\\");
}
END_TEST

START_TEST(a_quote_left_open_is_refused) {
    ck_assert_str_eq(split("a 'b"), "! a quote is left open");
    ck_assert_str_eq(split("a \"b\\\""), "! a quote is left open");
}
END_TEST

START_TEST(a_quoted_word_comes_back_as_it_was) {
    static const char *const WORDS[] = {"plain",     "two words", "",      "it's",
                                        "a\"b",      "$HOME",     "*",     "movecount=3 score=400",
                                        "line\nend", "\\",        "N=5000"};
    for (size_t i = 0; i < COUNT(WORDS); i++) {
        Text quoted = {0};
        shell_quote(WORDS[i], &quoted);
        ck_assert_str_eq(split(text_string(&quoted)), WORDS[i]);
        text_free(&quoted);
    }
    Text plain = {0};
    shell_quote("./new", &plain);
    ck_assert_str_eq(text_string(&plain), "./new");
    text_free(&plain);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, quotes_and_backslashes_are_the_shells);
    tcase_add_test(tests, a_quote_left_open_is_refused);
    tcase_add_test(tests, a_quoted_word_comes_back_as_it_was);
}

int main(void) {
    return run_tests("shellwords", add_tests);
}
