/* SPDX-License-Identifier: MIT */
/* What the two halves of the outbox share: outbox.c keeps the journals, delivery.c asks the server.
 * For these files only. */
#ifndef WORKER_SESSION_DELIVERY_H
#define WORKER_SESSION_DELIVERY_H

#include "base/journalqueue.h"
#include "session/backoff.h"
#include "session/gamefile.h"
#include "session/outbox.h"
#include "session/parcel.h"

/* A row of a test's counts on the server: what one machine has played of it. */
typedef struct Row {
    struct Row *next;
    int64_t test_id;
    int64_t machine_id;
    Penta has;           /* What the server has, by its answers. */
    OutboxItem *sending; /* Whose batch is made, or sent, or in doubt: one at a time. */
    /* While it has to be read before anything is sent. */
    bool doubt;
    uint64_t read_at; /* Not before this time of the loop. */
    int readings;     /* Equal ones in a row ... */
    Penta last;       /* ... of these counts. */
} Row;

typedef enum { DELIVERY_NOTHING, DELIVERY_READ, DELIVERY_SEND, DELIVERY_UPLOAD } Delivery;

struct OutboxItem {
    OutboxItem *next;
    Outbox *outbox;
    Row *row;
    Parcel parcel;
    char *name;      /* Of its journal in the folder; NULL: there is none, or not any more. */
    Journal journal; /* Open, or about to be made by its first write. */
    JournalQueue queue;
    bool ended;    /* No more pairs come. */
    bool done;     /* Nothing is left of it to do: it goes as soon as its journal is quiet. */
    bool parked;   /* Nothing is done for it any more, but its file stays. */
    bool report;   /* What waits is to be sent. */
    bool batching; /* A mark of its batch is on its way to the disk. */
    /* Pairs that are in no journal, because it cannot be written. */
    ParcelSum loose;
    bool loose_batch; /* The batch is made of them. */
    /* Its games. */
    char *packed; /* The file to upload; NULL: not there. */
    bool packing;
    bool unpackable;
    uv_work_t work;
    Error pack_error;
    /* Tries. */
    Backoff retry;    /* Faults in a row. */
    Backoff refusals; /* In a row. */
    int tries;        /* Of the present batch. */
    uint64_t again_at;
};

struct Outbox {
    OutboxConfig config;
    uv_loop_t *loop;
    Log *log;
    const OutboxEvents *events;
    void *user;
    char *folder;
    OutboxItem *items; /* The oldest first. */
    Row *rows;
    uv_timer_t timer;
    int64_t took_at; /* When the server last took anything: seconds since 1970. */
    bool ready;
    bool closing;
    bool closed;
    /* A server that is not there. */
    Backoff unreachable;
    uint64_t retry_at;
    /* The one thing that is being asked. */
    HttpCall *call;
    OutboxItem *asking;
    Delivery asked;
    int64_t asked_as; /* The machine that asked. */
};

/* outbox.c */

/* Has the item's journal take a record; `record` is emptied. */
void outbox_note(OutboxItem *item, Text *record);
/* Has the disk take the mark of a batch of all that waits; delivery_go_on is called when it has. */
void outbox_note_batch(OutboxItem *item, const Penta *before);
/* Has the disk take that the batch was not taken. When it has, the batch waits again, and others of
 * its row may go; before, they would be taken for it by the next start. What the disk does not take
 * stays a batch, and is sent again as that. */
void outbox_note_withdrawn(OutboxItem *item);
/* The item's batch may have been added, or may yet be: the row is to be read. */
void outbox_doubt(OutboxItem *item);
/* Moves the item's journal to the folder of what is parked. */
void outbox_park(OutboxItem *item, const char *why);
/* Takes items away that are done, and their files. */
void outbox_sweep(Outbox *outbox);
/* Packs the games of an item whose results are delivered; delivery_go_on is called then. */
void outbox_pack(OutboxItem *item);
/* Seconds since 1970. */
int64_t outbox_now(const Outbox *outbox);
/* What of the item has not been delivered. */
int64_t outbox_item_games(const OutboxItem *item);
/* Nothing is under way any more: frees, when the outbox is closing. */
void outbox_try_close(Outbox *outbox);

/* delivery.c */

/* Looks at what can be done now, and does it. */
void delivery_look(Outbox *outbox);
/* The same after an event that came from the loop: the owner is told. */
void delivery_go_on(Outbox *outbox);

#endif
