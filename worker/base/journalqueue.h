/* SPDX-License-Identifier: MIT */
/* A journal that is appended to from an event loop. libuv's thread pool waits for the disk; records
 * that are added meanwhile go to the disk together, with one fsync. A slow disk thus makes the
 * writes larger, not the queue longer. */
#ifndef BASE_JOURNALQUEUE_H
#define BASE_JOURNALQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/error.h"
#include "base/journal.h"
#include "base/text.h"

/* What the owner of a queue is told, from the loop. `item` is the pointer that was added with the
 * record. */
typedef struct {
    /* The record is on the disk. Called in the order of adding. */
    void (*written)(void *item, void *user);
    /* The journal cannot be written any more. `dropped` follows for each item that is not in the
     * journal. Called once, and again after each journal_queue_retry that was of no use. */
    void (*failed)(const Error *err, void *user);
    /* The record will not be written, because the journal has failed or the queue is freed. Called
     * in the order of adding. */
    void (*dropped)(void *item, void *user);
    /* The queue has become full, or has room again. While the queue is full, its disk is too slow,
     * and the owner should produce fewer records. May be NULL. */
    void (*full)(bool full, void *user);
    /* No record waits and none is being written: the queue may be freed now. May be NULL. */
    void (*idle)(void *user);
} JournalEvents;

enum {
    JOURNAL_QUEUE_RECORDS = 4096,  /* A queue is full when so many records wait, ... */
    JOURNAL_QUEUE_BYTES = 1 << 25, /* ... or so many bytes. The queue has room again at half. */
};

typedef struct {
    void *item;
    Text record;
} JournalQueued;

/* Begins as zero but for journal, loop, events, user and perhaps path. While the queue is busy,
 * only the queue may use the journal. */
typedef struct {
    Journal *journal;
    char *path; /* Not NULL: the first record makes the journal at this path. Owned. */
    uv_loop_t *loop;
    const JournalEvents *events;
    void *user;
    JournalQueued *waiting;
    size_t count;
    size_t capacity;
    size_t bytes; /* The bytes of the waiting records. */
    bool full;
    bool failed;
    /* A write is under way. While `busy`, only the thread pool uses the fields below. */
    bool busy;
    uv_work_t work;
    JournalQueued *writing;
    size_t writing_count;
    size_t writing_capacity;
    size_t written_count; /* The first so many records of `writing` are on the disk. */
    Error error;
} JournalQueue;

/* Adds a record, whose text the queue takes over. After a failure `dropped` is called at once. */
void journal_queue_add(JournalQueue *queue, Text *record, void *item);

/* Lets a queue that has failed write again from the next record on, since its disk may have room
 * again. The dropped records stay dropped: only for an owner to whom the journal is whole without
 * them. */
void journal_queue_retry(JournalQueue *queue);

/* Frees the queue, which must not be busy, and drops the records that still wait. */
void journal_queue_free(JournalQueue *queue);

#endif
