/* SPDX-License-Identifier: MIT */
/* A journal: a file to which whole records are appended. A record in the journal is never changed
 * or removed.
 *
 * A record is a JSON object on a line of its own. Its last member, "crc", is the CRC-32 of the
 * bytes before this member (from the '{' to the ',' exclusive). Records go to the disk in writes of
 * one or several records, and each write is on the disk before the next begins. A kill or a power
 * cut can therefore damage only the last write, but anywhere in this write. The records of this
 * write from its first damaged line on were never acknowledged: readers skip them, and journal_open
 * cuts them off. To tell where a write begins, each of its records but the first has the member
 * "back" before "crc": the number of bytes from the beginning of the write to the record (eight
 * hexadecimal digits). Damage before the last write means that somebody changed the file, and is
 * refused by all readers but journal_read_past_damage. Blocking. */
#ifndef BASE_JOURNAL_H
#define BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum {
    JOURNAL_RECORD_MAX = 1 << 26, /* Bytes. */
    JOURNAL_WRITE_RECORDS = 1024, /* Most records of a write. */
    JOURNAL_WRITE_BYTES = 1 << 22 /* A write ends with the record that reaches so many bytes. */
};

/* A journal to which this process appends. All zero: closed. */
typedef struct {
    char *path; /* NULL: closed. Owned. */
    int fd;
    int64_t length; /* Bytes of all whole records. */
    int64_t torn;   /* Bytes of a torn write, cut off by journal_open. */
    /* A failed write of this process may stay at the journal's end, torn or whole. */
    bool spoilt;
} Journal;

/* Called with one record (an object, "crc" included), which is valid during the call. False with
 * err set ends the reading. */
typedef bool (*JournalTake)(const char *record, size_t length, void *user, Error *err);

/* Behind a journal's name, and before six characters: a journal that is being made. */
#define JOURNAL_UNBORN ".new-"

/* Makes a journal with its first record: the file appears with the whole record or not at all.
 * Fails when the file exists. The process holds a lock on the journal until journal_close. The
 * file's mode is 0644, whatever the umask. */
bool journal_create(Journal *journal, const char *path, const char *record, size_t length,
                    Error *err);

/* Opens a journal to append to it, and hands every whole record in it to `take`. Fails when another
 * process holds the journal, after a second (file_lock). */
bool journal_open(Journal *journal, const char *path, JournalTake take, void *user, Error *err);

/* Reads a journal, which another process may be appending to. */
bool journal_read(const char *path, JournalTake take, void *user, Error *err);

/* As journal_read, but damage before the last write does not end the reading: each damaged line
 * goes to `damaged`, without its line end, in its place among the records. A damaged first line is
 * refused. */
bool journal_read_past_damage(const char *path, JournalTake take, JournalTake damaged, void *user,
                              Error *err);

/* Appends the journal's first record to *record, without checking the other records. */
bool journal_first(const char *path, Text *record, Error *err);

/* Adds a record, an object on one line and not empty, to a write for journal_write. */
void journal_add(Text *write, const char *record, size_t length);

/* Appends the records of a write to the journal, and waits for the disk once. True: all of them are
 * on the disk. False: none of them is in the journal; fewer records may still fit, unless a torn
 * write at the journal's end could not be cut off, after which every write fails. May be called
 * from any thread, from one at a time. */
bool journal_write(Journal *journal, const Text *write, Error *err);

/* Appends one record by a write of its own. */
bool journal_append(Journal *journal, const char *record, size_t length, Error *err);

void journal_close(Journal *journal);

#endif
