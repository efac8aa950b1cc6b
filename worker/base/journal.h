/* SPDX-License-Identifier: MIT */
/* A journal: a file that only grows, by whole records. A record that was appended stays, whatever
 * happens afterwards.
 *
 * A record is a JSON object on a line of its own. Its last member, "crc", is the CRC-32 of the
 * bytes before it (from the '{' to the ',' exclusive). Records go to the disk in writes, of one
 * record or of several, and each write is on the disk before the next begins. A kill or a power cut
 * can therefore tear the last write alone, anywhere in the write. Its first damaged line, and the
 * records after that line, were never acknowledged: readers pass over them, and opening a journal
 * for more cuts them off. To tell where a write begins, each of its records but the first has the
 * member "back" before "crc": how many bytes before the record its write begins (eight hexadecimal
 * digits). Damage before the last write means that somebody changed the file, and is refused, but
 * by journal_read_past_damage. Blocking. */
#ifndef BASE_JOURNAL_H
#define BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum {
    JOURNAL_RECORD_MAX = 1 << 26, /* Bytes. */
    JOURNAL_WRITE_RECORDS = 1024, /* Most of a write ... */
    JOURNAL_WRITE_BYTES = 1 << 22 /* ... which ends with the record that reaches this. */
};

/* A journal that this process appends to. All zero is closed. */
typedef struct {
    char *path; /* NULL: closed. */
    int fd;
    int64_t length; /* Bytes of its whole records. */
    int64_t torn;   /* Bytes of a torn write that opening it cut off. */
    bool spoilt;    /* A torn write of its own stays at its end. */
} Journal;

/* Takes one record (an object, "crc" included), valid during the call. False with err set ends the
 * reading. */
typedef bool (*JournalTake)(const char *record, size_t length, void *user, Error *err);

/* Makes a journal with its first record, which must not exist yet: it appears whole or not at all.
 * The process holds it until it closes it. */
bool journal_create(Journal *journal, const char *path, const char *record, size_t length,
                    Error *err);

/* Opens one to append to it, after every whole record in it went to `take`. Fails when another
 * process holds it. */
bool journal_open(Journal *journal, const char *path, JournalTake take, void *user, Error *err);

/* Reads a journal that may be growing meanwhile. */
bool journal_read(const char *path, JournalTake take, void *user, Error *err);

/* The same, but damage before the last write ends nothing: each damaged line goes to `damaged`,
 * without its line end, in its place among the records. A damaged first line is refused all the
 * same. */
bool journal_read_past_damage(const char *path, JournalTake take, JournalTake damaged, void *user,
                              Error *err);

/* Appends the first record of one, without looking at the rest. */
bool journal_first(const char *path, Text *record, Error *err);

/* Adds a record, an object on one line and not empty, to a write that is being put together. */
void journal_add(Text *write, const char *record, size_t length);

/* Appends the records of a write, with one wait for the disk. True: they are on it. False: none of
 * them is in the journal, though fewer may yet fit; one with a torn write at its end that could not
 * be taken off takes none any more. May be called from any one thread at a time. */
bool journal_write(Journal *journal, const Text *write, Error *err);

/* Appends one record by a write of its own. */
bool journal_append(Journal *journal, const char *record, size_t length, Error *err);

void journal_close(Journal *journal);

#endif
