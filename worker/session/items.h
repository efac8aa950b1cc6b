/* SPDX-License-Identifier: MIT */
/* The outbox's own things: its items, the rows of counts that they go to, and what happens to an
 * item's journal. For items.c, batches.c, uploads.c and outbox.c only; each calls those before. */
#ifndef WORKER_SESSION_ITEMS_H
#define WORKER_SESSION_ITEMS_H

#include "session/outbox.h"
#include "session/store.h"

/* Faults in a row after which nobody waits for a delivery any more. */
enum { OUTBOX_PATIENCE = 3 };

/* Where a row of a test's counts stands. Only a row that is QUIET begins a batch. */
typedef enum {
    COUNTS_UNREAD,  /* What the server has is read once before the first batch. */
    COUNTS_QUIET,   /* What the server has is known, and there is no batch. */
    COUNTS_MARKING, /* The marks of a batch are on their way to the disk. */
    COUNTS_READY,   /* The batch may be sent, or is under way. */
    COUNTS_DOUBT    /* A batch may have been added, or may yet be: what the server has is read until
                       two readings are equal. */
} CountsState;

/* The parts of a reading: the rows are believed only if the totals before and after them are equal,
 * since then nothing was added in between. */
typedef enum { READ_TOTALS, READ_ROWS, READ_TOTALS_AGAIN } ReadStep;

/* A row of a test's counts on the server: what one machine has played of the test. */
typedef struct ServerCounts {
    struct ServerCounts *next;
    int64_t test_id;
    int64_t machine_id;
    CountsState state;
    Counts confirmed; /* What the server has, by its answers. */
    BatchMark mark;   /* Of the batch, of which the members among the items are part. */
    int marks;        /* Marks of the batch on their way to the disk. */
    bool remake;      /* A mark did not reach the disk: the batch is made again. */
    bool abandoned;   /* The test ended while the batch was being marked or was under way. */
    ReadStep step;
    Penta totals;
    ApiTestCounts rows;
    Counts last;      /* The last reading. */
    int readings;     /* Readings in a row that were equal to the last one, itself included. */
    int mismatches;   /* Readings in a row that additions of other machines have spoilt. */
    uint64_t read_at; /* Not before this time of the loop. */
    Backoff retry;    /* Faults in a row. */
    Backoff refusals; /* In a row. */
    int tries;        /* Answers lost of a batch, in a row. */
    int64_t reported; /* Games that the server has added since the outbox was opened. */
    uint64_t again_at;
} ServerCounts;

struct OutboxItem {
    OutboxItem *next;
    Outbox *outbox;
    ServerCounts *counts;
    StoredParcel stored;
    bool ended;             /* No more pairs come. */
    bool done;              /* Nothing is left to do: it goes as soon as its journal is quiet. */
    bool parked;            /* Nothing is done for it any more, but its file stays. */
    bool report;            /* The pairs that wait are to be sent. */
    bool member;            /* Of the present batch of its row. */
    Penta adding;           /* Pairs on their way to the disk. */
    ParcelSum unjournaled;  /* Pairs that are in no journal, because it cannot be written. */
    bool batch_unjournaled; /* The batch is made of such. */
    /* Its games. */
    char *packed; /* The file to upload; NULL: not there. */
    bool packing;
    bool unpackable;
    uv_work_t work;
    Error pack_error;
    void (*on_packed)(Outbox *outbox);
    Backoff retry, refusals; /* Of their upload. */
    uint64_t again_at;
};

struct Outbox {
    OutboxConfig config;
    uv_loop_t *loop;
    Log *log;
    const OutboxEvents *events;
    void *user;
    ParcelStore store;
    OutboxItem *items; /* The oldest first. */
    ServerCounts *counts;
    uv_timer_t timer; /* Until a parcel has waited too long for a proof. */
    int64_t took_at;  /* When the server last took anything: seconds since 1970. */
    bool ready;
    bool closing;
    ServerCounts *asking;  /* The row that a request under way is about, ... */
    bool sending;          /* ... which sends its batch, ... */
    OutboxItem *uploading; /* ... or the item whose games are sent. */
};

/* A record on its way to the disk, and the event that the record stands for. */
typedef struct {
    enum { NOTE_PAIR, NOTE_BATCH, NOTE_OTHER } kind;
    PairResult pair;
    BatchMark mark;
} ItemNote;

/* A new item without a parcel; item_link puts it behind the others when it has one. */
OutboxItem *item_new(Outbox *outbox);
void item_link(OutboxItem *item);
/* Frees an item that is not linked. */
void item_free(OutboxItem *item);

/* Have the item's journal take a record; `record` is emptied. `kind` as parcel_write_mark. */
void item_note(OutboxItem *item, const ItemNote *note, Text *record);
void item_add_record(OutboxItem *item, Text *record);
void item_add_mark(OutboxItem *item, const char *kind);

/* Games of the item that the server is not known to have. */
int64_t item_games(const OutboxItem *item);
/* Whether results of the item are still to be delivered. */
bool item_is_open(const OutboxItem *item);
/* Whether the item has a batch that the server is not known to have. */
bool item_has_batch(const OutboxItem *item);
/* Whether its journal, or a request about it, is under way. */
bool item_is_busy(const OutboxItem *item);
/* "16 games", or when there are none "the PGN of 16 games". Appended. */
void item_describe(const OutboxItem *item, int64_t games, Text *out);

/* Moves the item's journal to the folder of what is parked. */
void item_park(OutboxItem *item, const char *why);
/* The server has refused a request about the item with these words. True: for the first time. Parks
 * the item when the refusals have lasted too long. */
bool item_refused(OutboxItem *item, const Error *err);
/* A request about the item had no answer that is one. Parks it, and is true then, when that has
 * lasted too long while the server took others. */
bool item_failed(OutboxItem *item, const Error *err);
/* Parks an ended item whose engines nobody has proved for too long; else *rest_ms is what is left.
 */
void item_expire_proof(OutboxItem *item, int64_t *rest_ms);

/* Drops the pairs of the item: the server never hears of them. */
void item_discard(OutboxItem *item);

/* Takes items away that are done, and their files. */
void items_sweep(Outbox *outbox);

/* Seconds since 1970, by the outbox's clock. */
int64_t outbox_seconds(const Outbox *outbox);
/* The loop's time in so many milliseconds. */
uint64_t outbox_in(const Outbox *outbox, int64_t ms);
/* Notes a fault that passes, and returns the loop's time of the next try. The first of a row is
 * told in the log, the others are details. */
uint64_t outbox_later(const Outbox *outbox, Backoff *backoff, const char *name, const Error *err);
/* The same, without a line in the log. */
uint64_t outbox_wait(const Outbox *outbox, Backoff *backoff);

#endif
