/* SPDX-License-Identifier: MIT */
/* A journal in a folder of its own for each test. Its records are {"number":0}, {"number":1}, and
 * so on. */
#ifndef TESTS_BASE_JOURNAL_RIG_H
#define TESTS_BASE_JOURNAL_RIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/journal.h"

enum { RECORDS = 5 };

/* The path of the test's journal. */
extern char journal_path[];

/* The fixture: makes the folder; removes the journal, and asserts that nothing else is left. */
void journal_set_up(void);
void journal_tear_down(void);

/* Takes a record as journal_open and journal_read give it: adds the record and a line end to the
 * Text that user is. */
bool take_record(const char *record, size_t length, void *user, Error *err);

/* Appends the record of this number. */
void append_record(Journal *journal, int number);

/* Makes a journal of the records 0 ... RECORDS - 1 and closes the journal. */
void make_journal(void);

/* Replaces the journal by these bytes. */
void write_journal(const char *bytes, size_t length);

/* The text has the records 0 ... count - 1, a line each. */
void check_records(const char *text, int count);

/* Opening and reading agree that there are `count` records and nothing is wrong. One more is
 * appended. */
void check_whole(int count);

#endif
