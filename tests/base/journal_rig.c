/* SPDX-License-Identifier: MIT */
#include "base/journal_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <check.h>

#include "tools/files.h"
#include "tools/temporary.h"

static char folder[TEMPORARY_SIZE];
char journal_path[TEMPORARY_SIZE + 16];

void journal_set_up(void) {
    temporary_folder(folder, sizeof folder, "test_journal");
    snprintf(journal_path, sizeof journal_path, "%s/journal", folder);
}

void journal_tear_down(void) {
    unlink(journal_path);
    ck_assert_msg(rmdir(folder) == 0, "something else stayed in %s", folder);
}

bool take_record(const char *record, size_t length, void *user, Error *err) {
    (void)err;
    text_add_bytes(user, record, length);
    text_add_char(user, '\n');
    return true;
}

void check_records(const char *text, int count) {
    int lines = 0;
    for (const char *s = text; *s; s++)
        lines += *s == '\n';
    ck_assert_int_eq(lines, count);
    for (int i = 0; i < count; i++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "{\"number\":%d,", i);
        ck_assert_msg(strncmp(text, wanted, strlen(wanted)) == 0, "record %d is %.40s", i, text);
        text = strchr(text, '\n') + 1;
    }
}

void append_record(Journal *journal, int number) {
    char record[32];
    Error err = {0};
    snprintf(record, sizeof record, "{\"number\":%d}", number);
    ck_assert_msg(journal_append(journal, record, strlen(record), &err), "%s", err.text);
}

void make_journal(void) {
    static const char FIRST[] = "{\"number\":0}";
    Journal journal;
    Error err = {0};
    ck_assert_msg(journal_create(&journal, journal_path, FIRST, strlen(FIRST), &err), "%s",
                  err.text);
    for (int i = 1; i < RECORDS; i++)
        append_record(&journal, i);
    journal_close(&journal);
}

void write_journal(const char *bytes, size_t length) {
    put_bytes(journal_path, bytes, length, 0644);
}

void check_whole(int count) {
    Text read = {0};
    Text opened = {0};
    Journal journal;
    Error err = {0};
    ck_assert_msg(journal_read(journal_path, take_record, &read, &err), "%s", err.text);
    ck_assert_msg(journal_open(&journal, journal_path, take_record, &opened, &err), "%s", err.text);
    check_records(text_string(&read), count);
    check_records(text_string(&opened), count);
    append_record(&journal, count);
    journal_close(&journal);
    text_clear(&read);
    ck_assert_msg(journal_read(journal_path, take_record, &read, &err), "%s", err.text);
    check_records(text_string(&read), count + 1);
    text_free(&read);
    text_free(&opened);
}
