/* A file that only grows, by whole records: what was appended stays, whatever happens then.
 *
 * A record is a JSON object on a line of its own; its last member, "crc", is the CRC-32 of the
 * bytes before it (from the '{' to the ',' exclusive). Each record is on the disk before the next
 * is written, so that a kill or a power cut can tear the last one alone. A torn record was never
 * acknowledged: readers pass it over, and opening for more cuts it off. A damaged record before the
 * last one is another matter (somebody changed the file) and is refused. Blocking. */
#ifndef BASE_JOURNAL_H
#define BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum { JOURNAL_RECORD_MOST = 1 << 26 }; /* Bytes. */

/* A journal that this process appends to. All zero is closed. */
typedef struct {
    char *path; /* NULL: closed. */
    int fd;
    int64_t length; /* Bytes of its whole records. */
    int64_t torn;   /* Bytes of a torn record that opening it cut off. */
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

/* Reads one that may be growing meanwhile. */
bool journal_read(const char *path, JournalTake take, void *user, Error *err);

/* Appends the first record of one, without looking at the rest. */
bool journal_first(const char *path, Text *record, Error *err);

/* Appends a record: an object on one line, not empty. True: it is on the disk. False: it is not in
 * the journal, and none should be appended any more. May be called from any one thread at a time.
 */
bool journal_append(Journal *journal, const char *record, size_t length, Error *err);

void journal_close(Journal *journal);

#endif
