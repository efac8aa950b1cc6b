/* SPDX-License-Identifier: MIT */
/* A journal that is appended to from an event loop. The disk is waited for in libuv's pool; what is
 * added meanwhile goes to it together, with one fsync: a disk that is slow makes the writes larger,
 * not the queue longer. */
#ifndef BASE_JOURNALQUEUE_H
#define BASE_JOURNALQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/error.h"
#include "base/journal.h"
#include "base/text.h"

/* What the owner learns, from the loop. `item` is what came with the record. */
typedef struct {
    /* It is on the disk. In the order of adding. */
    void (*written)(void *item, void *user);
    /* The journal cannot be written any more. Once; then come the items that are not in it. */
    void (*failed)(const Error *err, void *user);
    /* It will not be written: the journal has failed, or the queue is freed. In order. */
    void (*dropped)(void *item, void *user);
    /* The queue is full, or is not any more: on a disk that takes less than comes, the owner should
     * have less come. May be NULL. */
    void (*full)(bool full, void *user);
    /* Nothing waits and nothing is under way any more: the queue may be freed now. May be NULL. */
    void (*idle)(void *user);
} JournalEvents;

enum {
    JOURNAL_QUEUE_RECORDS = 4096, /* As many waiting, ... */
    JOURNAL_QUEUE_BYTES =
        1 << 25, /* ... or so much of them, make a queue full, until half is left. */
};

typedef struct {
    void *item;
    Text record;
} JournalQueued;

/* All zero but for the journal, loop, events and user. The journal is the queue's while it is
 * busy. */
typedef struct {
    Journal *journal;
    char *path; /* Not NULL: the journal is closed, and the first record makes it here. Owned. */
    uv_loop_t *loop;
    const JournalEvents *events;
    void *user;
    JournalQueued *waiting;
    size_t count;
    size_t capacity;
    size_t bytes; /* That wait. */
    bool full;
    bool failed;
    /* On its way to the disk. While `busy` the pool has these to itself. */
    bool busy;
    uv_work_t work;
    JournalQueued *writing;
    size_t writing_count;
    size_t writing_capacity;
    size_t written_count; /* What of it is there now. */
    Error error;
} JournalQueue;

/* Takes the record's text over. After a failure the item is dropped at once. */
void journal_queue_add(JournalQueue *queue, Text *record, void *item);

/* Not while it is busy. Drops what still waits. */
void journal_queue_free(JournalQueue *queue);

#endif
