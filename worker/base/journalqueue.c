/* SPDX-License-Identifier: MIT */
#include "base/journalqueue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Writes the records from `first` to before `end` together. */
static bool write_records(JournalQueue *q, size_t first, size_t end) {
    Text write = {0};
    for (size_t i = first; i < end; i++)
        journal_add(&write, q->writing[i].record.data, q->writing[i].record.length);
    bool ok = write.length == 0 || journal_write(q->journal, &write, &q->error);
    text_free(&write);
    return ok;
}

/* Makes the journal if it does not exist yet, and writes all records together. When they do not fit
 * together on a disk that is nearly full, writes as many as fit, one by one. */
static void on_work(uv_work_t *work) {
    JournalQueue *q = work->data;
    const JournalQueued *first = &q->writing[0];
    bool fresh = q->path != NULL;
    bool open = !fresh || journal_create(q->journal, q->path, first->record.data,
                                         first->record.length, &q->error);
    q->written_count = open && fresh;
    if (open && write_records(q, q->written_count, q->writing_count))
        q->written_count = q->writing_count;
    while (open && !q->journal->spoilt && q->written_count < q->writing_count &&
           write_records(q, q->written_count, q->written_count + 1))
        q->written_count++;
    free(q->path);
    q->path = NULL;
}

static void drop(JournalQueue *q, JournalQueued *queued) {
    text_free(&queued->record);
    q->events->dropped(queued->item, q->user);
}

/* A full queue has room again when half of the limit is left, so that the owner is not told of a
 * change at every record. */
static void look_at_size(JournalQueue *q) {
    size_t share = q->full ? 2 : 1;
    bool full =
        q->count >= JOURNAL_QUEUE_RECORDS / share || q->bytes >= JOURNAL_QUEUE_BYTES / share;
    if (full == q->full)
        return;
    q->full = full;
    if (q->events->full)
        q->events->full(full, q->user);
}

/* How many of the waiting records the next write has. */
static size_t next_write(const JournalQueue *q) {
    size_t count = 0;
    for (size_t bytes = 0; count < q->count && count < JOURNAL_WRITE_RECORDS; count++) {
        if (bytes >= JOURNAL_WRITE_BYTES)
            break;
        bytes += q->waiting[count].record.length;
    }
    return count;
}

static void write_next(JournalQueue *q);

static void on_written(uv_work_t *work, int status) {
    (void)status;
    JournalQueue *q = work->data;
    for (size_t i = 0; i < q->written_count; i++) {
        text_free(&q->writing[i].record);
        q->events->written(q->writing[i].item, q->user);
    }
    q->failed = q->written_count < q->writing_count;
    if (q->failed)
        q->events->failed(&q->error, q->user);
    for (size_t i = q->written_count; i < q->writing_count; i++)
        drop(q, &q->writing[i]);
    for (size_t i = 0; q->failed && i < q->count; i++)
        drop(q, &q->waiting[i]);
    if (q->failed)
        q->count = q->bytes = 0;
    q->busy = false;
    write_next(q);
    look_at_size(q);
    if (!q->busy && q->events->idle)
        q->events->idle(q->user);
}

static void write_next(JournalQueue *q) {
    if (q->busy || q->count == 0)
        return;
    size_t count = next_write(q);
    q->writing = mem_grow(q->writing, &q->writing_capacity, count, sizeof *q->writing);
    memcpy(q->writing, q->waiting, count * sizeof *q->writing);
    q->writing_count = count;
    q->count -= count;
    memmove(q->waiting, q->waiting + count, q->count * sizeof *q->waiting);
    for (size_t i = 0; i < count; i++)
        q->bytes -= q->writing[i].record.length;
    q->busy = true;
    q->work.data = q;
    uv_queue_work(q->loop, &q->work, on_work, on_written);
}

void journal_queue_add(JournalQueue *q, Text *record, void *item) {
    JournalQueued queued = {.item = item, .record = *record};
    *record = (Text){0};
    if (q->failed) {
        drop(q, &queued);
        return;
    }
    MEM_ADD(q->waiting, q->count, q->capacity, queued);
    q->bytes += queued.record.length;
    write_next(q);
    look_at_size(q);
}

void journal_queue_retry(JournalQueue *q) {
    q->failed = false;
}

void journal_queue_free(JournalQueue *q) {
    assert(!q->busy);
    for (size_t i = 0; i < q->count; i++)
        drop(q, &q->waiting[i]);
    free(q->waiting);
    free(q->writing);
    free(q->path);
    *q = (JournalQueue){0};
}
