/* SPDX-License-Identifier: MIT */
/* Transcripts: the last lines in bounded memory, and the folder that never holds too many. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "match/faultfiles.h"
#include "match/transcript.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

enum { NS_PER_S = 1000000000, FOLDER_SIZE = TEMPORARY_SIZE + 16, BYTES_MAX = 24576 };

static void note(Transcript *transcript, TranscriptKind kind, const char *line, uint64_t when_ns) {
    transcript_note(transcript, kind, line, strlen(line), when_ns);
}

static void expect_written(const Transcript *transcript, uint64_t origin_ns, const char *wanted) {
    Text out = {0};
    transcript_write(transcript, origin_ns, &out);
    ck_assert_str_eq(text_string(&out), wanted);
    text_free(&out);
}

START_TEST(lines_have_times_and_directions) {
    Transcript transcript = {0};
    expect_written(&transcript, 0, "");
    note(&transcript, TRANSCRIPT_TOLD, "go nodes 1", NS_PER_S);
    note(&transcript, TRANSCRIPT_COMPLAINT, "oh no", NS_PER_S + 7000);
    note(&transcript, TRANSCRIPT_SAID, "bestmove \x1b[2J\xff", NS_PER_S + 500000);
    transcript_note(&transcript, TRANSCRIPT_SAID, "\0x", 2, NS_PER_S + 600000);
    note(&transcript, TRANSCRIPT_SAID, "", 2 * (uint64_t)NS_PER_S);
    expect_written(&transcript, NS_PER_S,
                   "    0.000000 > go nodes 1\n"
                   "    0.000500 < bestmove \\x1b[2J\\xff\n"
                   "    0.000600 < \\x00x\n"
                   "    1.000000 < \n"
                   "(its last lines on standard error)\n"
                   "    0.000007 ! oh no\n");
    transcript_free(&transcript);
}
END_TEST

START_TEST(long_lines_keep_their_start_and_their_end) {
    char line[1000];
    char wanted[TRANSCRIPT_TOLD_MAX + 32];
    Transcript transcript = {0};
    memset(line, 'b', sizeof line);
    memcpy(line, "aaa", 3);
    memcpy(line + sizeof line - 3, "ccc", 3);
    transcript_note(&transcript, TRANSCRIPT_TOLD, line, sizeof line, 0);
    Text out = {0};
    transcript_write(&transcript, 0, &out);
    snprintf(wanted, sizeof wanted, "    0.000000 > aaab");
    ck_assert(text_starts_with(text_string(&out), wanted));
    ck_assert_ptr_nonnull(strstr(text_string(&out), "b [...] b"));
    ck_assert_str_eq(text_string(&out) + out.length - 5, "bccc\n");
    ck_assert_uint_eq(out.length, strlen("    0.000000 > \n") + TRANSCRIPT_TOLD_MAX);
    text_free(&out);
    transcript_free(&transcript);
}
END_TEST

static int bytes_of(const TranscriptRing *ring, int lines) {
    int bytes = 0;
    for (int i = 0; i < lines; i++)
        bytes += ring->lines[i].length;
    return bytes;
}

/* The last lines, whole and in order, whatever lengths went before; and in little memory. */
START_TEST(the_last_lines_stay_and_memory_is_bounded) {
    enum { LINES = 5000, MODULUS = 231 };
    Transcript transcript = {0};
    for (int i = 0; i < LINES; i++) {
        char line[400];
        snprintf(line, sizeof line, "%d%*s.", i, i * 37 % MODULUS, "");
        note(&transcript, i % 6 == 0 ? TRANSCRIPT_TOLD : TRANSCRIPT_SAID, line, (uint64_t)i * 1000);
        note(&transcript, TRANSCRIPT_COMPLAINT, line, (uint64_t)i * 1000);
    }
    ck_assert_int_le(bytes_of(&transcript.dialogue, TRANSCRIPT_LINES) +
                         bytes_of(&transcript.complaints, TRANSCRIPT_COMPLAINTS),
                     BYTES_MAX);
    Text out = {0};
    transcript_write(&transcript, 0, &out);
    char *line = strtok(out.data, "\n");
    for (int i = LINES - TRANSCRIPT_LINES; i < LINES; i++, line = strtok(NULL, "\n")) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "    %.6f %c %d", i / 1e6, i % 6 == 0 ? '>' : '<', i);
        ck_assert_msg(text_starts_with(line, wanted), "'%s' is not '%s'", line, wanted);
        ck_assert_int_eq(line[strlen(line) - 1], '.');
    }
    ck_assert_str_eq(line, "(its last lines on standard error)");
    for (int i = 0; i < TRANSCRIPT_COMPLAINTS; i++)
        ck_assert_ptr_nonnull(strtok(NULL, "\n"));
    ck_assert_ptr_null(strtok(NULL, "\n"));
    text_free(&out);
    transcript_free(&transcript);
}
END_TEST

static void write_one(const FaultFiles *files, const char *text, char **path) {
    Error err = {0};
    ck_assert_msg(faultfiles_write(files, "round1/../game%1", text, path, &err), "%s", err.text);
}

/* What others put into the folder, also by names that are nearly ours. */
static const char *const OTHERS[] = {"notes.txt", "x", "20000101-000000-game.pgn",
                                     "20000101-000000.txt", "20000101x000000-game.txt"};

/* The path of a file of others. */
static void other_path(const char *folder, size_t number, char path[FOLDER_SIZE + 32]) {
    snprintf(path, FOLDER_SIZE + 32, "%s/%s", folder, OTHERS[number]);
}

START_TEST(the_folder_is_made_and_never_holds_more_than_its_number) {
    char base[TEMPORARY_SIZE];
    char folder[FOLDER_SIZE];
    char other[FOLDER_SIZE + 32];
    temporary_folder(base, sizeof base, "test-transcript");
    snprintf(folder, sizeof folder, "%s/a/b", base);
    FaultFiles files = {.folder = folder, .most = 5};
    char *first;
    write_one(&files, "0", &first);
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        other_path(folder, i, other);
        put_text(other, "mine");
    }
    for (int i = 1; i < 9; i++) {
        char text[16];
        char *path;
        snprintf(text, sizeof text, "%d", i);
        write_one(&files, text, &path);
        ck_assert(text_starts_with(path, folder));
        ck_assert_ptr_nonnull(strstr(path, "-round1----game-1.txt"));
        Text read = read_whole(path);
        ck_assert_str_eq(text_string(&read), text);
        text_free(&read);
        free(path);
    }
    ck_assert_int_eq(count_entries(folder), files.most + (int)COUNT(OTHERS));
    ck_assert(!file_exists(first));
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        other_path(folder, i, other);
        ck_assert_msg(file_exists(other), "%s is gone", other);
    }
    free(first);
    Text command = {0};
    text_addf(&command, "rm -r %s", base);
    ck_assert_int_eq(system(text_string(&command)), 0);
    text_free(&command);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named) {
    static const FaultFiles FILES = {.folder = "/dev/null/transcripts"};
    Error err = {0};
    char *path;
    ck_assert(!faultfiles_write(&FILES, "x", "text", &path, &err));
    ck_assert_ptr_null(path);
    ck_assert_ptr_nonnull(strstr(err.text, "/dev/null"));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, lines_have_times_and_directions);
    tcase_add_test(tests, long_lines_keep_their_start_and_their_end);
    tcase_add_test(tests, the_last_lines_stay_and_memory_is_bounded);
    tcase_add_test(tests, the_folder_is_made_and_never_holds_more_than_its_number);
    tcase_add_test(tests, a_folder_that_cannot_be_made_is_named);
}

int main(void) {
    return run_tests("transcript", add_tests);
}
