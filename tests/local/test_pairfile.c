/* SPDX-License-Identifier: MIT */
/* The text file of a match's pairs: what an interruption has left of its end is made whole, and
 * pairs that the journal has lost do not stand in it twice. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/text.h"
#include "local/pairfile.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

static const char OTHERS[] = "[Event \"of others\"]\n\n*\n\n";
static const char *const PAIRS[][2] = {
    {"[Round \"1\"]\n\n1. e4 *\n\n", "[Round \"1\"]\n\n1. d4 *\n\n"},
    {"[Round \"2\"]\n\n1. c4 *\n\n", "[Round \"2\"]\n\n1. Nf3 *\n\n"},
    {"[Round \"3\"]\n\n1. b3 *\n\n", "[Round \"3\"]\n\n1. a3 *\n\n"},
};

static char folder[TEMPORARY_SIZE];
static char path[TEMPORARY_SIZE + sizeof "/games.pgn"];

static void set_up(void) {
    temporary_folder(folder, sizeof folder, "rd-pairfile");
    snprintf(path, sizeof path, "%s/games.pgn", folder);
}

static void tear_down(void) {
    ck_assert_int_eq(rmdir(folder), 0);
}

static void add_pair(Text *text, int pair) {
    for (int game = 0; game < 2; game++)
        text_add(text, PAIRS[pair][game]);
}

/* Goes on with the file of a match whose journal has all three pairs but the missing one, and plays
 * that. */
static void go_on(int missing) {
    PairFile file = {.path = path, .shared = true};
    Error err = {0};
    ck_assert_msg(pairfile_resume(&file, &err), "%s", err.text);
    for (int pair = 0; pair < 3; pair++)
        ck_assert_msg(pair == missing || pairfile_enter(&file, pair, PAIRS[pair], &err), "%s",
                      err.text);
    ck_assert_msg(pairfile_go_on(&file, &err), "%s", err.text);
    ck_assert_msg(pairfile_enter(&file, missing, PAIRS[missing], &err), "%s", err.text);
    ck_assert_msg(pairfile_close(&file, &err), "%s", err.text);
    pairfile_free(&file);
}

/* The texts of others, and then of three pairs. */
static Text whole_text(void) {
    Text text = {0};
    text_add(&text, OTHERS);
    for (int pair = 0; pair < 3; pair++)
        add_pair(&text, pair);
    return text;
}

static size_t length_of(int pair) {
    return strlen(PAIRS[pair][0]) + strlen(PAIRS[pair][1]);
}

/* Writes the first bytes of the whole text, with zeros in place of those from `from` to `to`; goes
 * on with the file, which must then have the whole text; and removes the file. missing: the pair
 * that the journal lacks. */
static void expect_whole(const Text *whole, size_t length, size_t from, size_t to, int missing) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < length; i++)
        fputc(i >= from && i < to ? '\0' : whole->data[i], file);
    ck_assert_int_eq(fclose(file), 0);
    go_on(missing);
    Text made = read_whole(path);
    ck_assert_msg(made.length == whole->length &&
                      memcmp(made.data, whole->data, whole->length) == 0,
                  "%d bytes, zeros from %d to %d: made %d bytes instead of %d", (int)length,
                  (int)from, (int)to, (int)made.length, (int)whole->length);
    text_free(&made);
    ck_assert_int_eq(unlink(path), 0);
}

/* Within a pair, or in place of both. */
START_TEST(zeros_of_a_power_cut_at_the_end_are_written_over) {
    Text whole = whole_text();
    size_t others = strlen(OTHERS);
    size_t played = others + length_of(0) + length_of(1);
    for (size_t length = others; length <= played; length++)
        for (size_t from = others; from <= length; from++)
            expect_whole(&whole, length, from, length, 2);
    text_free(&whole);
}
END_TEST

START_TEST(zeros_of_a_power_cut_within_the_last_pair_are_written_over) {
    Text whole = whole_text();
    size_t second = strlen(OTHERS) + length_of(0);
    size_t played = second + length_of(1);
    for (size_t to = second; to < played; to++)
        for (size_t from = second; from < to; from++)
            expect_whole(&whole, played, from, to, 2);
    text_free(&whole);
}
END_TEST

/* The first pair cuts all pages off the file, before the third pair is looked for. */
START_TEST(pages_of_zeros_before_a_gap_of_the_journal_are_written_over) {
    Text whole = whole_text();
    size_t others = strlen(OTHERS);
    size_t length = others + 4 * (size_t)sysconf(_SC_PAGESIZE);
    expect_whole(&whole, length, others, length, 1);
    text_free(&whole);
}
END_TEST

/* Writes these texts into the file, and enters the first pair as the only one of the journal. */
static void begin_again(PairFile *file, const char *before, int pairs) {
    Text text = {0};
    Error err = {0};
    text_add(&text, before);
    for (int pair = 0; pair < pairs; pair++)
        add_pair(&text, pair);
    put_text(path, text_string(&text));
    text_free(&text);
    ck_assert_msg(pairfile_resume(file, &err), "%s", err.text);
    ck_assert_msg(pairfile_enter(file, 0, PAIRS[0], &err), "%s", err.text);
}

/* Of three pairs the journal has the first; the others are played again. */
static Text made_again(bool shared) {
    PairFile file = {.path = path, .shared = shared};
    Error err = {0};
    begin_again(&file, "", 3);
    ck_assert_msg(pairfile_go_on(&file, &err), "%s", err.text);
    for (int pair = 1; pair < 3; pair++)
        ck_assert_msg(pairfile_enter(&file, pair, PAIRS[pair], &err), "%s", err.text);
    pairfile_free(&file);
    Text made = read_whole(path);
    ck_assert_int_eq(unlink(path), 0);
    return made;
}

START_TEST(pairs_behind_those_of_the_journal_stay_in_a_shared_file_alone) {
    Text wanted = {0};
    for (int pair = 0; pair < 3; pair++)
        add_pair(&wanted, pair);
    Text made = made_again(false);
    ck_assert_str_eq(text_string(&made), text_string(&wanted));
    text_free(&made);
    for (int pair = 1; pair < 3; pair++)
        add_pair(&wanted, pair);
    made = made_again(true);
    ck_assert_str_eq(text_string(&made), text_string(&wanted));
    text_free(&made);
    text_free(&wanted);
}
END_TEST

START_TEST(the_text_behind_the_journals_pairs_is_known) {
    static const int pairs[] = {1, 2};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        PairFile file = {.path = path, .shared = true};
        size_t length;
        begin_again(&file, OTHERS, pairs[i]);
        const char *behind = pairfile_behind(&file, &length);
        ck_assert_uint_eq(length, pairs[i] == 2 ? length_of(1) : 0);
        ck_assert_int_eq(behind != NULL, pairs[i] == 2);
        ck_assert(behind == NULL || memcmp(behind, PAIRS[1][0], strlen(PAIRS[1][0])) == 0);
        pairfile_free(&file);
    }
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* A file that was named by mistake keeps its content. */
START_TEST(a_file_that_begins_with_other_texts_is_refused) {
    PairFile file = {.path = path};
    Error err = {0};
    put_text(path, OTHERS);
    ck_assert(pairfile_resume(&file, &err));
    ck_assert(!pairfile_go_on(&file, &err));
    ck_assert_msg(strstr(err.text, "does not begin with the journal's games"), "%s", err.text);
    pairfile_free(&file);
    file = (PairFile){.path = path};
    ck_assert(pairfile_resume(&file, &err));
    ck_assert(!pairfile_enter(&file, 0, PAIRS[0], &err));
    pairfile_free(&file);
    Text left = read_whole(path);
    ck_assert_str_eq(text_string(&left), OTHERS);
    text_free(&left);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* A pair that could not be written is written by --resume: nothing may stand in its place. */
START_TEST(no_pair_is_written_behind_one_that_was_not) {
    PairFile file = {.path = path};
    Error err = {0};
    ck_assert_int_eq(rmdir(folder), 0);
    ck_assert(!pairfile_enter(&file, 0, PAIRS[0], &err));
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert(pairfile_enter(&file, 1, PAIRS[1], &err));
    ck_assert(pairfile_close(&file, &err));
    ck_assert_int_ne(access(path, F_OK), 0);
    pairfile_free(&file);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, zeros_of_a_power_cut_at_the_end_are_written_over);
    tcase_add_test(tests, zeros_of_a_power_cut_within_the_last_pair_are_written_over);
    tcase_add_test(tests, pages_of_zeros_before_a_gap_of_the_journal_are_written_over);
    tcase_add_test(tests, pairs_behind_those_of_the_journal_stay_in_a_shared_file_alone);
    tcase_add_test(tests, the_text_behind_the_journals_pairs_is_known);
    tcase_add_test(tests, a_file_that_begins_with_other_texts_is_refused);
    tcase_add_test(tests, no_pair_is_written_behind_one_that_was_not);
}

int main(void) {
    return run_tests("pairfile", add_tests);
}
