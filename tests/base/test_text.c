/* SPDX-License-Identifier: MIT */
/* Errors, text, words, numbers and files of the worker's floor. */
#include "../runner.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/datadir.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "tools/temporary.h"

START_TEST(an_error_is_one_line_and_takes_prefixes) {
    Error err = {0};
    ck_assert(!error_set(&err, "line %d: %s", 3, "bad\nthing"));
    ck_assert_str_eq(err.text, "line 3: bad thing");
    ck_assert(!error_prefix(&err, "book %s", "x.epd"));
    ck_assert_str_eq(err.text, "book x.epd: line 3: bad thing");
    error_set(&err, "again: %s", err.text);
    ck_assert_str_eq(err.text, "again: book x.epd: line 3: bad thing");
    ck_assert(!error_set(NULL, "nobody asks"));
    ck_assert(!error_prefix(NULL, "nobody asks"));
}
END_TEST

START_TEST(a_long_error_is_cut) {
    Error err = {0};
    char longer[2 * ERROR_MAX];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    error_set(&err, "%s", longer);
    ck_assert_uint_eq(strlen(err.text), ERROR_MAX - 1);
    error_prefix(&err, "first");
    ck_assert_uint_eq(strlen(err.text), ERROR_MAX - 1);
    ck_assert(text_starts_with(err.text, "first: xxx"));
}
END_TEST

START_TEST(text_grows_and_is_handed_over) {
    Text text = {0};
    ck_assert_str_eq(text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        text_addf(&text, "%d,", i);
    ck_assert_uint_eq(text.length, 3890);
    text_drop(&text, 3886);
    ck_assert_str_eq(text_string(&text), "999,");
    text_drop(&text, 100);
    ck_assert_str_eq(text_string(&text), "");
    text_add_char(&text, 'a');
    text_add(&text, "bc");
    char *taken = text_take(&text);
    ck_assert_str_eq(taken, "abc");
    ck_assert_ptr_null(text.data);
    free(taken);
    char *empty = text_take(&text);
    ck_assert_str_eq(empty, "");
    free(empty);
}
END_TEST

START_TEST(an_array_grows_by_doubling) {
    size_t capacity = 0;
    int *items = mem_grow(NULL, &capacity, 1, sizeof *items);
    ck_assert_uint_eq(capacity, 16);
    items = mem_grow(items, &capacity, 17, sizeof *items);
    ck_assert_uint_eq(capacity, 32);
    items = mem_grow(items, &capacity, 1000, sizeof *items);
    ck_assert_uint_eq(capacity, 1000);
    free(items);
    char *copy = mem_strndup("abcdef", 3);
    ck_assert_str_eq(copy, "abc");
    free(copy);
}
END_TEST

START_TEST(words_are_split_at_blanks_and_quotes_keep_them) {
    Words words = {0};
    Error err = {0};
    ck_assert(words_split(&words,
                          "  Threads=1\tHash=8 \"Name=Value with spaces\" X=\"a b\" \"\" "
                          "\"q=\\\"\\\\\"",
                          &err));
    ck_assert_uint_eq(words.count, 6);
    ck_assert_str_eq(words.items[0], "Threads=1");
    ck_assert_str_eq(words.items[1], "Hash=8");
    ck_assert_str_eq(words.items[2], "Name=Value with spaces");
    ck_assert_str_eq(words.items[3], "X=a b");
    ck_assert_str_eq(words.items[4], "");
    ck_assert_str_eq(words.items[5], "q=\"\\");
    ck_assert(!words_split(&words, "a \"b c", &err));
    ck_assert_str_eq(err.text, "a \"b c: a quote is not closed");
    words_free(&words);
}
END_TEST

START_TEST(whole_numbers_are_strict) {
    Error err = {0};
    int64_t value = -1;
    ck_assert(text_to_int("42", 0, 100, "x", &value, &err));
    ck_assert_int_eq(value, 42);
    ck_assert(text_to_int("-9223372036854775808", INT64_MIN, INT64_MAX, "x", &value, &err));
    ck_assert_int_eq(value, INT64_MIN);
    ck_assert(text_to_int("9223372036854775807", INT64_MIN, INT64_MAX, "x", &value, &err));
    ck_assert_int_eq(value, INT64_MAX);
    static const char *const wrong[] = {"",    "-",   "+",   " 1",  "1 ",
                                        "1.0", "0x1", "12x", "--1", "1e3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!text_to_int(wrong[i], INT64_MIN, INT64_MAX, "x", &value, &err),
                      "'%s' was taken for a number", wrong[i]);
    ck_assert(!text_to_int("9223372036854775808", INT64_MIN, INT64_MAX, "x", &value, &err));
    ck_assert(!text_to_int("99999999999999999999", INT64_MIN, INT64_MAX, "x", &value, &err));
    ck_assert(!text_to_int("-9223372036854775809", INT64_MIN, INT64_MAX, "x", &value, &err));
    ck_assert(!text_to_int("101", 0, 100, "--games", &value, &err));
    ck_assert_str_eq(err.text, "--games: 101 is not between 0 and 100");
    ck_assert(!text_to_int("abc", 0, 100, "--games", &value, &err));
    ck_assert_str_eq(err.text, "--games: 'abc' is not a whole number");
}
END_TEST

START_TEST(decimal_numbers_are_strict) {
    Error err = {0};
    double value = -1;
    static const char *const right[] = {"0.5", ".5", "5e-1", "+0.50", "00.5"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_msg(text_to_double(right[i], 0, 1, "x", &value, &err), "%s", err.text);
        ck_assert_double_eq(value, 0.5);
    }
    static const char *const wrong[] = {"",   ".",  "nan", "inf", "0x1p3", "1,5",
                                        "1e", " 1", "1 ",  "--1", "1e999", "2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!text_to_double(wrong[i], 0, 1, "x", &value, &err), "'%s' was taken",
                      wrong[i]);
    ck_assert_str_eq(err.text, "x: 2 is not between 0 and 1");
}
END_TEST

/* A folder of the test's own, removed by the caller. */
static void make_folder(char path[TEMPORARY_SIZE]) {
    temporary_folder(path, TEMPORARY_SIZE, "test_text");
}

START_TEST(files_are_replaced_whole_and_read_with_a_limit) {
    char folder[TEMPORARY_SIZE];
    make_folder(folder);
    char path[TEMPORARY_SIZE + 64];
    snprintf(path, sizeof path, "%s/file", folder);
    Error err = {0};
    ck_assert_msg(file_write_atomic(path, "hello", 5, 0600, &err), "%s", err.text);
    ck_assert_msg(file_write_atomic(path, "hello again", 11, 0640, &err), "%s", err.text);
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0640);
    ck_assert(file_exists(path));
    ck_assert(!file_exists(folder));

    char other[TEMPORARY_SIZE + 64];
    snprintf(other, sizeof other, "%s/other", folder);
    ck_assert(!file_install(other, path, &err));
    ck_assert_msg(strstr(err.text, "/other: No such file") != NULL, "%s", err.text);
    ck_assert_msg(file_write_atomic(other, "other", 5, 0600, &err), "%s", err.text);
    ck_assert_msg(file_install(path, other, &err), "%s", err.text);
    ck_assert(!file_exists(path));
    ck_assert_msg(file_install(other, path, &err), "%s", err.text);

    Text text = {0};
    text_add(&text, "kept:");
    ck_assert_msg(file_read(path, 11, &text, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&text), "kept:hello again");
    ck_assert(!file_read(path, 10, &text, &err));
    ck_assert_msg(strstr(err.text, "longer than 10 bytes"), "%s", err.text);
    ck_assert_str_eq(text_string(&text), "kept:hello again");
    ck_assert(!file_read(folder, 10, &text, &err));
    ck_assert_msg(strstr(err.text, "is a folder"), "%s", err.text);
    unlink(path);
    ck_assert(!file_read(path, 10, &text, &err));
    ck_assert_msg(strstr(err.text, "No such file"), "%s", err.text);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!file_read(path, 10, &text, &err));
    ck_assert_msg(strstr(err.text, "not a regular file"), "%s", err.text);
    unlink(path);

    char deep[TEMPORARY_SIZE + 64];
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    ck_assert_msg(file_make_folders(deep, &err), "%s", err.text);
    ck_assert_msg(file_make_folders(deep, &err), "%s", err.text);
    ck_assert(!file_write_atomic("/nowhere/file", "x", 1, 0600, &err));
    ck_assert_str_eq(err.text, "/nowhere/file: cannot be written: No such file or directory");
    for (char *slash; (slash = strrchr(deep, '/')) > deep + (strrchr(folder, '/') - folder);
         *slash = '\0')
        ck_assert_int_eq(rmdir(deep), 0);
    text_free(&text);
}
END_TEST

static void expect_mode(const char *path, mode_t mode) {
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, mode);
}

START_TEST(a_file_for_the_user_has_the_mode_that_the_user_wants) {
    char folder[TEMPORARY_SIZE];
    make_folder(folder);
    char path[TEMPORARY_SIZE + 64];
    char *part;
    snprintf(path, sizeof path, "%s/file", folder);
    Error err = {0};
    mode_t before = umask(077);
    ck_assert_msg(file_write_output(path, "one", 3, 0644, &err), "%s", err.text);
    expect_mode(path, 0600);
    ck_assert_int_eq(chmod(path, 0640), 0);
    ck_assert_msg(file_write_output(path, "two", 3, 0644, &err), "%s", err.text);
    expect_mode(path, 0640); /* The umask is for new files alone. */
    unlink(path);
    umask(022);
    ck_assert_msg(file_write_output(path, "three", 5, 0644, &err), "%s", err.text);
    expect_mode(path, 0644);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_msg(file_write_output(path, "four", 4, 0644, &err), "%s", err.text);
    expect_mode(path, 0600);
    ck_assert_int_eq(chmod(path, 04755), 0);
    ck_assert_msg(file_write_output(path, "five", 4, 0644, &err), "%s", err.text);
    expect_mode(path, 0755); /* The file may have been another user's. */
    ck_assert_int_eq(chmod(path, 0600), 0);
    umask(before);

    /* A file beside it that is already there is left alone. */
    int fds[2];
    char *parts[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_ge(fds[i] = file_make_part(path, 0644, &parts[i]), 0);
    ck_assert_str_ne(parts[0], parts[1]);
    for (int i = 0; i < 2; i++) {
        expect_mode(parts[i], 0600);
        ck_assert_int_eq(close(fds[i]), 0);
        ck_assert_int_eq(unlink(parts[i]), 0);
        free(parts[i]);
    }
    ck_assert_int_eq(file_make_part("/nowhere/file", 0644, &part), -1);
    ck_assert_int_eq(errno, ENOENT);
    free(part);
    ck_assert(!file_write_output("/nowhere/file", "x", 1, 0644, &err));
    ck_assert_str_eq(err.text, "/nowhere/file: cannot be written: No such file or directory");
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0); /* Nothing was left. */
}
END_TEST

START_TEST(times_are_formatted) {
    char date[CLOCK_DATE_MAX];
    char stamp[CLOCK_STAMP_MAX];
    char duration[CLOCK_DURATION_MAX];
    clock_date(86400, date);
    clock_stamp(86399, stamp);
    clock_duration(3600 * 101 + 61, duration);
    ck_assert_str_eq(date, "1970.01.02");
    ck_assert_str_eq(stamp, "1970-01-01T23:59:59 +0000");
    ck_assert_str_eq(duration, "101:01:01");
    ck_assert_int_eq(clock_elapsed_ms(0, 1999999), 1);
    ck_assert_int_eq(clock_elapsed_ms(5, 3), 0);
}
END_TEST

START_TEST(digests_are_those_published) {
    Error err = {0};
    char hex[DIGEST_HEX_MAX];
    char text_hex[DIGEST_HEX_MAX];
    ck_assert(digest_bytes("abc", 3, hex, &err));
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert(digest_bytes("", 0, hex, &err));
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ck_assert(digest_matches(hex, "E3B0C442"));
    ck_assert(digest_matches(hex, hex));
    ck_assert(!digest_matches(hex, ""));
    ck_assert(!digest_matches(hex, "e3b0c443"));
    ck_assert(!digest_matches(hex, "e3b0 442"));

    static const char dos[] = "a\r\nb\r\r\nc\rd\r";
    static const char unix_text[] = "a\nb\r\nc\rd\r";
    ck_assert(digest_text(dos, sizeof dos - 1, text_hex, &err));
    ck_assert(digest_bytes(unix_text, sizeof unix_text - 1, hex, &err));
    ck_assert_str_eq(text_hex, hex);

    char folder[TEMPORARY_SIZE];
    make_folder(folder);
    char path[TEMPORARY_SIZE + 64];
    snprintf(path, sizeof path, "%s/file", folder);
    ck_assert(file_write_atomic(path, unix_text, sizeof unix_text - 1, 0600, &err));
    ck_assert_msg(digest_file(path, text_hex, &err), "%s", err.text);
    ck_assert_str_eq(text_hex, hex);
    unlink(path);
    ck_assert(!digest_file(path, text_hex, &err));
    ck_assert(!digest_file(folder, text_hex, &err));
    ck_assert_msg(strstr(err.text, "Is a directory"), "%s", err.text);
    rmdir(folder);
}
END_TEST

START_TEST(data_is_found_where_the_environment_says) {
    char folder[TEMPORARY_SIZE];
    make_folder(folder);
    char openings[TEMPORARY_SIZE + 32];
    char book[TEMPORARY_SIZE + 64];
    snprintf(openings, sizeof openings, "%s/openings", folder);
    snprintf(book, sizeof book, "%s/x.epd", openings);
    Error err = {0};
    setenv("OBWORKER_DATADIR", folder, 1);
    ck_assert_ptr_null(datadir_find("openings/x.epd", &err));
    ck_assert_msg(strstr(err.text, "openings/x.epd: No such file or directory") != NULL, "%s",
                  err.text);
    ck_assert(file_make_folders(openings, &err));
    ck_assert(file_write_atomic(book, "", 0, 0600, &err));
    char *found = datadir_find("openings/x.epd", &err);
    ck_assert_str_eq(found, book);
    free(found);
    unlink(book);
    rmdir(openings);
    rmdir(folder);
}
END_TEST

START_TEST(what_was_meant_is_guessed_when_it_is_near) {
    static const struct {
        const char *word, *meant; /* NULL: nobody knows */
    } CASES[] = {{"devv", "dev"},    {"dve", "dev"},     {"Hsh", "Hash"},    {"hash", "Hash"},
                 {"macth", "match"}, {"KILLR", NULL},    {"x", NULL},        {"threds", "Threads"},
                 {"", NULL},         {"hashes", "Hash"}, {"ponderosa", NULL}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        TextGuess guess = {.word = CASES[i].word};
        static const char *const WORDS[] = {"base", "dev", "Hash", "match", "Threads"};
        for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
            text_guess(&guess, WORDS[k]);
        const char *meant = guess.best;
        ck_assert_str_eq(meant ? meant : "nobody knows",
                         CASES[i].meant ? CASES[i].meant : "nobody knows");
    }
    char longest[500];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    TextGuess guess = {.word = longest};
    text_guess(&guess, "a");
    ck_assert_ptr_null(guess.best);
    guess.word = "a";
    text_guess(&guess, longest);
    ck_assert_ptr_null(guess.best);
}
END_TEST

START_TEST(characters_that_disturb_a_terminal_are_shown_by_number) {
    static const struct {
        const char *said, *line, *lines;
    } CASES[] = {
        {"Zürich ♞ 🙂", "Zürich ♞ 🙂", "Zürich ♞ 🙂"},
        {"a\nb\tc\rd", "a\\u000ab\\u0009c\\u000dd", "a\nb\tc\\u000dd"},
        {"\x1b[2J\x7f", "\\u001b[2J\\u007f", "\\u001b[2J\\u007f"},
        {"\xc2\x80\xc2\x9b"
         "2J\xc2\x9f\xc2\xa0",
         "\\u0080\\u009b2J\\u009f\xc2\xa0", "\\u0080\\u009b2J\\u009f\xc2\xa0"},
        {"\u061c\u200d\u200e\u200f\u2010", "\\u061c\u200d\\u200e\\u200f\u2010",
         "\\u061c\u200d\\u200e\\u200f\u2010"},
        {"\u2029\u202a\u202e\u202f", "\u2029\\u202a\\u202e\u202f", "\u2029\\u202a\\u202e\u202f"},
        {"\u2065\u2066\u2069\u206a", "\u2065\\u2066\\u2069\u206a", "\u2065\\u2066\\u2069\u206a"},
        {"\x9b\xc0\xaf\xe2\x80", "\\u009b\\u00c0\\u00af\\u00e2\\u0080",
         "\\u009b\\u00c0\\u00af\\u00e2\\u0080"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Text line = {0};
        Text lines = {0};
        text_add_visible(&line, CASES[i].said, KEEP_NO_LINES);
        text_add_visible(&lines, CASES[i].said, KEEP_LINES);
        ck_assert_str_eq(text_string(&line), CASES[i].line);
        ck_assert_str_eq(text_string(&lines), CASES[i].lines);
        text_free(&line);
        text_free(&lines);
    }
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_replaced) {
    static const struct {
        const char *said, *wanted;
    } CASES[] = {{"", ""},
                 {"Zürich ♞ 🙂\x1b", "Zürich ♞ 🙂\x1b"},
                 {"X=\xff\xfe!", "X=\uFFFD\uFFFD!"},
                 {"\xc0\xaf\xe2\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
                 {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        Text text = {0};
        text_add_utf8(&text, CASES[i].said);
        ck_assert_str_eq(text_string(&text), CASES[i].wanted);
        text_free(&text);
    }
}
END_TEST

START_TEST(the_start_of_a_text_parts_no_character) {
    static const struct {
        const char *said;
        size_t most;
        const char *wanted;
    } CASES[] = {{"abc", 5, "abc"}, {"abc", 3, "abc"},        {"abc", 2, "ab"},
                 {"", 2, ""},       {"a♞b", 4, "a♞"},         {"a♞b", 3, "a"},
                 {"♞", 2, ""},      {"a\x80\x80\x80", 2, ""}, {"\x80\x80\x80", 2, ""}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        Text text = {0};
        ck_assert_uint_eq(text_add_start(&text, CASES[i].said, CASES[i].most),
                          strlen(CASES[i].wanted));
        ck_assert_str_eq(text_string(&text), CASES[i].wanted);
        text_free(&text);
    }
}
END_TEST

START_TEST(lines_are_taken_with_or_without_a_break_at_the_end) {
    static const struct {
        const char *text, *wanted;
    } CASES[] = {{"", ""},          {"\n", "<>"},         {"a", "<a>"},
                 {"a\n", "<a>"},    {"a\nbc", "<a><bc>"}, {"a\n\nbc\n", "<a><><bc>"},
                 {"a\r\n", "<a\r>"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        Text seen = {0};
        const char *rest = CASES[i].text;
        size_t length;
        for (const char *line; (line = text_next_line(&rest, &length)) != NULL;)
            text_addf(&seen, "<%.*s>", (int)length, line);
        ck_assert_str_eq(text_string(&seen), CASES[i].wanted);
        ck_assert_uint_eq(length, 0);
        ck_assert_ptr_eq(rest, CASES[i].text + strlen(CASES[i].text));
        text_free(&seen);
    }
}
END_TEST

START_TEST(whole_numbers_are_grouped_for_people) {
    static const struct {
        int64_t number;
        const char *wanted;
    } CASES[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {-123, "-123"},
                 {-1234, "-1,234"},
                 {1234567, "1,234,567"},
                 {INT64_MIN, "-9,223,372,036,854,775,808"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        Text text = {0};
        text_add_grouped(&text, CASES[i].number);
        ck_assert_str_eq(text_string(&text), CASES[i].wanted);
        text_free(&text);
    }
}
END_TEST

START_TEST(columns_are_those_of_a_terminal) {
    static const struct {
        const char *text;
        int columns;
    } rows[] = {{"", 0}, {"ab", 2}, {"½ ply", 5}, {"\x1b[32mab\x1b[0m", 2}, {"a\x1b[3", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_int_eq(text_columns(rows[i].text), rows[i].columns);
}
END_TEST

START_TEST(an_address_escapes_all_but_unreserved_bytes) {
    static const char BYTES[] = "Az09-._~ /%\xc3\xa9\0";
    Text out = {0};
    text_add_percent(&out, BYTES, sizeof BYTES - 1);
    ck_assert_str_eq(text_string(&out), "Az09-._~%20%2F%25%C3%A9%00");
    text_free(&out);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, columns_are_those_of_a_terminal);
    tcase_add_test(tests, an_address_escapes_all_but_unreserved_bytes);
    tcase_add_test(tests, characters_that_disturb_a_terminal_are_shown_by_number);
    tcase_add_test(tests, what_was_meant_is_guessed_when_it_is_near);
    tcase_add_test(tests, an_error_is_one_line_and_takes_prefixes);
    tcase_add_test(tests, a_long_error_is_cut);
    tcase_add_test(tests, text_grows_and_is_handed_over);
    tcase_add_test(tests, an_array_grows_by_doubling);
    tcase_add_test(tests, words_are_split_at_blanks_and_quotes_keep_them);
    tcase_add_test(tests, whole_numbers_are_strict);
    tcase_add_test(tests, decimal_numbers_are_strict);
    tcase_add_test(tests, files_are_replaced_whole_and_read_with_a_limit);
    tcase_add_test(tests, a_file_for_the_user_has_the_mode_that_the_user_wants);
    tcase_add_test(tests, times_are_formatted);
    tcase_add_test(tests, digests_are_those_published);
    tcase_add_test(tests, data_is_found_where_the_environment_says);
    tcase_add_test(tests, bytes_that_are_no_utf8_are_replaced);
    tcase_add_test(tests, the_start_of_a_text_parts_no_character);
    tcase_add_test(tests, lines_are_taken_with_or_without_a_break_at_the_end);
    tcase_add_test(tests, whole_numbers_are_grouped_for_people);
}

int main(void) {
    return run_tests("text", add_tests);
}
