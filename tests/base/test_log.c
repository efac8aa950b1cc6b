/* SPDX-License-Identifier: MIT */
/* The log: plain lines in a file, and live lines on a terminal that the plain ones do not tear. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/text.h"
#include "runner.h"
#include "tools/terminal.h"

#define UP(rows) "\x1b[" #rows "A\r\x1b[J"

/* What a log wrote to a plain file. */
static char *log_to_file(LogLevel level) {
    FILE *file = tmpfile();
    Log log;
    log_init(&log, file, level);
    log_progress(&log, "at %d", 1);
    log_progress(&log, "at %d", 2);
    log_error(&log, "e\x1b[2J");
    log_warn(&log, "w");
    log_info(&log, "i");
    log_debug(&log, "d");
    log_progress_clear(&log);
    log_free(&log);
    Text text = {0};
    rewind(file);
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        text_add_char(&text, (char)c);
    fclose(file);
    return text_take(&text);
}

START_TEST(a_plain_log_has_plain_lines) {
    char *normal = log_to_file(LOG_NORMAL);
    char *quiet = log_to_file(LOG_QUIET);
    char *verbose = log_to_file(LOG_VERBOSE);
    ck_assert_str_eq(normal, "at 1\nerror: e\\u001b[2J\nwarning: w\ni\n");
    ck_assert_str_eq(quiet, "error: e\\u001b[2J\nwarning: w\n");
    ck_assert_str_eq(verbose, "at 1\nerror: e\\u001b[2J\nwarning: w\ni\nd\n");
    free(normal);
    free(quiet);
    free(verbose);
    log_error(NULL, "nobody listens");
    log_progress(NULL, "nobody listens");
    Log silent = {0};
    log_info(&silent, "nobody listens");
    log_free(&silent);
}
END_TEST

/* ---- A terminal ---- */

/* A log that writes to a terminal of this size; false when there are no terminals. */
static bool open_log(Terminal *terminal, Log *log, int columns, int rows) {
    if (!terminal_open(terminal, columns, rows))
        return false;
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    log_init(log, fdopen(terminal->slave, "w"), LOG_NORMAL);
    terminal->slave = -1;
    ck_assert(log->terminal && !log->color);
    ck_assert_int_eq(log_width(log), columns);
    return true;
}

static void close_log(Terminal *terminal, Log *log) {
    FILE *out = log->out;
    log_free(log);
    fclose(out);
    terminal_close(terminal);
}

/* Draws as somebody would whose last drawing was long ago. */
static void live(Log *log, const char *lines) {
    log->live_since = 0;
    ck_assert(log_live_due(log));
    int64_t before = clock_now_ns();
    log_live(log, lines);
    ck_assert_int_ge(log->live_since, before);
}

static void expect_screen(Terminal *terminal, const char *wanted) {
    Text seen = {0};
    terminal_read(terminal, 1000);
    terminal_text(terminal, &seen);
    ck_assert_str_eq(text_string(&seen), wanted);
    ck_assert_int_eq(terminal->column, 0); /* A prompt would stand well there. */
    text_free(&seen);
}

static void expect_bytes(Terminal *terminal, const char *wanted) {
    while (terminal->bytes.length < strlen(wanted) && terminal_read(terminal, 1000))
        continue;
    ck_assert_str_eq(text_string(&terminal->bytes), wanted);
}

START_TEST(a_line_of_progress_is_one_line_and_is_not_torn) {
    static Terminal terminal;
    Log log;
    if (!open_log(&terminal, &log, 80, 24))
        return;
    log_progress(&log, "game %d", 1);
    log_info(&log, "a line");
    log_progress(&log, "%0200d", 7);
    log_progress_clear(&log);
    log_info(&log, "after");
    char wanted[512];
    snprintf(wanted, sizeof wanted,
             "game 1\r\n" UP(1) "a line\r\ngame 1\r\n" UP(1) "%079d\r\n" UP(1) "after\r\n", 0);
    expect_bytes(&terminal, wanted);
    expect_screen(&terminal, "a line\nafter\n");
    close_log(&terminal, &log);
}
END_TEST

START_TEST(what_was_drawn_just_now_is_not_drawn_again_so_soon) {
    enum { HOUR_S = 3600 };
    static Terminal terminal;
    Log log;
    if (!open_log(&terminal, &log, 80, 24))
        return;
    live(&log, "one\n");
    log.live_since = clock_now_ns() + HOUR_S * INT64_C(1000000000); /* However slow the machine. */
    ck_assert(!log_live_due(&log));
    close_log(&terminal, &log);
}
END_TEST

/* A busy machine may show the parts of a program's words one by one. */
START_TEST(a_sequence_that_comes_in_parts_is_one) {
    static const char *const parts[] = {"one\n\x1b", "[", "1", "A\r\x1b[Jtwo \xc2", "\xb1\n"};
    static Terminal terminal;
    Text seen = {0};
    if (!terminal_open(&terminal, 80, 24))
        return;
    for (size_t i = 0; i < COUNT(parts); i++) {
        const ssize_t length = (ssize_t)strlen(parts[i]);
        ck_assert_int_eq(write(terminal.slave, parts[i], (size_t)length), length);
        terminal_read(&terminal, 1000);
    }
    terminal_text(&terminal, &seen);
    ck_assert_str_eq(text_string(&seen), "two \xc2\xb1\n");
    text_free(&seen);
    terminal_close(&terminal);
}
END_TEST

START_TEST(live_lines_stand_below_the_others) {
    static Terminal terminal;
    Log log;
    if (!open_log(&terminal, &log, 80, 24))
        return;
    live(&log, "one\ntwo\n");
    expect_screen(&terminal, "one\ntwo\n");
    log_warn(&log, "something happened");
    expect_screen(&terminal, "warning: something happened\none\ntwo\n");
    live(&log, "three\n");
    expect_screen(&terminal, "warning: something happened\nthree\n");
    live(&log, "four\nfive\nsix\n");
    log_info(&log, "more");
    expect_screen(&terminal, "warning: something happened\nmore\nfour\nfive\nsix\n");
    log_progress_clear(&log);
    expect_screen(&terminal, "warning: something happened\nmore\n");
    close_log(&terminal, &log);
}
END_TEST

START_TEST(what_has_not_changed_is_not_drawn_again) {
    static Terminal terminal;
    Log log;
    if (!open_log(&terminal, &log, 80, 24))
        return;
    live(&log, "one\ntwo\n");
    live(&log, "one\ntwo\n");
    live(&log, "one\ntwo!\n");
    expect_bytes(&terminal, "one\r\ntwo\r\n" UP(2) "one\r\ntwo!\r\n");
    close_log(&terminal, &log);
}
END_TEST

START_TEST(lines_that_wrap_in_a_narrower_window_are_erased_whole) {
    static Terminal terminal;
    Log log;
    if (!open_log(&terminal, &log, 80, 24))
        return;
    /* Of 40 columns, colours and bytes of UTF-8 not counted. */
    live(&log, "0123456789\x1b[32m0123456789\x1b[0m0123456789±±±±±±±±±±\nshort\n\n");
    terminal_read(&terminal, 1000);
    terminal_resize(&terminal, 39, 24);
    size_t before = terminal.bytes.length;
    live(&log, "new\n");
    terminal_read(&terminal, 1000);
    ck_assert_str_eq(text_string(&terminal.bytes) + before, UP(4) "new\r\n");
    close_log(&terminal, &log);
}
END_TEST

START_TEST(a_low_window_shows_the_first_lines) {
    static Terminal terminal;
    Log log;
    if (!open_log(&terminal, &log, 80, 3))
        return;
    log_info(&log, "above");
    live(&log, "one\ntwo\nthree\nfour\n");
    expect_screen(&terminal, "one\ntwo\n");
    live(&log, "five\nsix\nseven\n");
    expect_screen(&terminal, "five\nsix\n");
    close_log(&terminal, &log);
}
END_TEST

START_TEST(the_locale_tells_whether_utf8_is_understood) {
    static const struct {
        const char *all, *ctype, *lang;
        bool utf8;
    } CASES[] = {
        {"", "", "", false},
        {"", "", "C.UTF-8", true},
        {"", "", "de_DE.utf8", true},
        {"C", "C.UTF-8", "C", false},
        {"", "POSIX", "C.UTF-8", false},
        {"", "en_US.UTF-8", "C", true},
        {"", "", "de_DE@euro", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        setenv("LC_ALL", CASES[i].all, 1);
        setenv("LC_CTYPE", CASES[i].ctype, 1);
        setenv("LANG", CASES[i].lang, 1);
        Log log;
        log_init(&log, stderr, LOG_NORMAL);
        ck_assert_msg(log.utf8 == CASES[i].utf8, "case %zu: %d", i, log.utf8);
    }
}
END_TEST

START_TEST(foreign_words_are_escaped_in_lines_and_in_json) {
    static const char SAID[] = "a\u202eb\xc2\x9b"
                               "2J\"\n";
    char line[200] = "";
    for (int json = 0; json < 2; json++) {
        FILE *file = tmpfile();
        Log log;
        log_init(&log, file, LOG_NORMAL);
        if (json)
            log_use_json(&log);
        log_info(&log, "%s", SAID);
        rewind(file);
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        if (json)
            ck_assert_ptr_nonnull(strstr(line, "\"message\":\"a\\u202eb\\u009b2J\\\"\\n\"}"));
        else
            ck_assert_str_eq(line, "a\\u202eb\\u009b2J\"\\u000a\n");
        log_free(&log);
        fclose(file);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, foreign_words_are_escaped_in_lines_and_in_json);
    tcase_add_test(tests, a_plain_log_has_plain_lines);
    tcase_add_test(tests, a_line_of_progress_is_one_line_and_is_not_torn);
    tcase_add_test(tests, what_was_drawn_just_now_is_not_drawn_again_so_soon);
    tcase_add_test(tests, a_sequence_that_comes_in_parts_is_one);
    tcase_add_test(tests, live_lines_stand_below_the_others);
    tcase_add_test(tests, what_has_not_changed_is_not_drawn_again);
    tcase_add_test(tests, lines_that_wrap_in_a_narrower_window_are_erased_whole);
    tcase_add_test(tests, a_low_window_shows_the_first_lines);
    tcase_add_test(tests, the_locale_tells_whether_utf8_is_understood);
}

int main(void) {
    return run_tests("log", add_tests);
}
