/* SPDX-License-Identifier: MIT */
/* The outbox's own parts: its items, the rows of counts that get their results, and the handling of
 * an item's journal. For items.c, batches.c, uploads.c and outbox.c only; each file calls only
 * files before it in this list. */
#ifndef WORKER_SESSION_ITEMS_H
#define WORKER_SESSION_ITEMS_H

#include "base/task.h"
#include "session/outbox.h"
#include "session/store.h"

/* Faults in a row after which nobody waits for a delivery any more. */
enum { OUTBOX_PATIENCE = 3 };

/* The state of a row of a test's counts. Only a row that is QUIET begins a batch. */
typedef enum {
    COUNTS_UNREAD,  /* The server's counts are to be read once before the first batch. */
    COUNTS_QUIET,   /* The server's counts are known, and the row has no batch. */
    COUNTS_MARKING, /* The marks of a batch are on their way to the disk. */
    COUNTS_READY,   /* The batch may be sent, or is under way. */
    /* A batch may have been added, or may still be: the batch is sent again with its number, or the
     * server's counts are read until two readings are equal. */
    COUNTS_DOUBT
} CountsState;

/* The parts of a reading. The rows are believed only if the totals before and after them are equal,
 * since then nothing was added in between. */
typedef enum { READ_TOTALS, READ_ROWS, READ_TOTALS_AGAIN } ReadStep;

/* A row of a test's counts on the server: one machine's results in the test. */
typedef struct ServerCounts {
    struct ServerCounts *next;
    int64_t test_id;
    int64_t machine_id;
    CountsState state;
    Counts confirmed; /* The server's counts, as far as its answers told. */
    BatchMark mark;   /* The mark of the batch. The batch's parcels are the items with `member`. */
    int marks;        /* Marks of the batch on their way to the disk. */
    bool earlier;     /* The batch was taken up by send_again: `confirmed` is not known. */
    bool remake;      /* A mark did not reach the disk: the batch is made again. */
    bool held;        /* The log has said that a full disk holds up the row. */
    bool abandoned;   /* The test ended while the batch was being marked or was under way. */
    /* Whether it is settled which test has this number on the server. A registration and a refusal
     * make it false. The test's names make it true, and so do questions in vain, after some
     * patience. Nothing of the row is sent while it is false. */
    bool known;
    ReadStep step;
    Penta totals;
    ApiTestCounts rows;
    Counts last;       /* The latest reading. */
    int readings;      /* Readings in a row that were equal, the latest included. */
    int mismatches;    /* Readings in a row that other machines' additions spoilt, or, of a new
                        * row, that the server refused. */
    uint64_t read_at;  /* The loop's time before which the row is not read. */
    Backoff retry;     /* Waits after faults in a row. */
    Backoff refusals;  /* Waits after refusals in a row. */
    int tries;         /* Lost answers of a batch, in a row. */
    int64_t reported;  /* Games that the server has added since the outbox was opened. */
    uint64_t again_at; /* The loop's time before which no request about the row is sent. */
} ServerCounts;

struct OutboxItem {
    OutboxItem *next;
    Outbox *outbox;
    ServerCounts *counts;
    StoredParcel stored;
    bool ended;      /* No more pairs come. */
    bool done;       /* Nothing is left to do: the item is removed when its journal is quiet. */
    bool parked;     /* Nothing more is tried for the item; its file stays. */
    bool report;     /* The waiting pairs are to be sent. */
    bool member;     /* The item is part of its row's present batch. */
    Penta adding;    /* Pairs on their way to the disk. */
    bool unwritable; /* The log has said that the journal cannot be written. */
    ParcelSum unjournaled;  /* Pairs that no journal has, because the journal cannot be written. */
    bool batch_unjournaled; /* The batch consists of unjournaled pairs. */
    /* The upload of the games. */
    char *packed; /* Path of the packed file; NULL: none. */
    Task packing;
    void (*on_packed)(Outbox *outbox);
    Backoff retry, refusals; /* Waits of packing and upload, after faults and refusals. */
    int64_t takings;         /* The outbox's at the latest fault. */
    int beside;              /* Faults, each with other results taken since the fault before. */
    uint64_t again_at;       /* The loop's time before which nothing is packed or uploaded. */
    /* The times of outbox_steady at which the days of these troubles began. */
    int64_t unproved_since, refused_since, failing_since;
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
    uv_timer_t timer; /* Runs until the next parcel has waited too long for a proof. */
    int64_t ahead;    /* outbox_steady minus the seconds of the steady clock. */
    int64_t takings;  /* How often the server has taken results or games, in this process. */
    int64_t left;     /* Games that stay for the next start, counted when the outbox closes. */
    bool ready;
    bool closing;
    bool has_parked;       /* An item was parked. */
    ServerCounts *asking;  /* The row that the request under way is about; NULL: none. */
    OutboxItem *uploading; /* The item whose games are being uploaded; NULL: none. */
};

/* A record on its way to the disk, with the pair or mark that it records. */
typedef struct {
    enum { NOTE_PAIR, NOTE_BATCH, NOTE_OTHER } kind;
    PairResult pair;
    BatchMark mark;
} ItemNote;

/* A new item without a parcel. item_link appends the item to the outbox's list when it has a
 * parcel. */
OutboxItem *item_new(Outbox *outbox);
void item_link(OutboxItem *item);
/* Frees an item that is not linked. */
void item_free(OutboxItem *item);

/* Each adds a record to the item's journal and empties `record`. `kind` is that of
 * parcel_write_mark. */
void item_note(OutboxItem *item, const ItemNote *note, Text *record);
void item_add_record(OutboxItem *item, Text *record);
void item_add_mark(OutboxItem *item, const char *kind);

/* Games of the item that the server is not known to have. */
int64_t item_games(const OutboxItem *item);
/* Whether the item still has results to deliver. */
bool item_is_open(const OutboxItem *item);
/* Whether the item has a batch that the server is not known to have. */
bool item_has_batch(const OutboxItem *item);
/* Whether the item's workload may be one of this test. False: the names differ. */
bool item_is_of(const OutboxItem *item, const ApiTestNames *test);
/* Whether the item's journal has the mark of such a batch, and takes no further record. */
bool item_is_stuck(const OutboxItem *item);
/* Whether the item's journal is being written, or a request about the item is under way. */
bool item_is_busy(const OutboxItem *item);
/* Appends "16 games", or without games "the PGN of 16 games". */
void item_describe(const OutboxItem *item, int64_t games, Text *out);

/* Moves the item's journal to the folder of parked journals, and logs why. */
void item_park(OutboxItem *item, const char *why);
/* Notes that the server has refused a request about the item with these words. True on the first
 * refusal. Parks the item when the refusals have lasted too long. */
bool item_refused(OutboxItem *item, const Error *err);
/* Notes that a request about the item had no proper answer, or that its games could not be packed.
 * When this has lasted too long, and OUTBOX_PATIENCE times the server had taken other results since
 * the fault before, parks the item and returns true. */
bool item_failed(OutboxItem *item, const Error *err);
/* Parks an ended item whose engines' benches were not proved for too long; else *rest_ms is the
 * remaining time. */
void item_expire_proof(OutboxItem *item, int64_t *rest_ms);

/* Drops the pairs of the item: the server never hears of them. */
void item_discard(OutboxItem *item);

/* Removes the items that are done or parked, and the files that are no longer needed. */
void items_sweep(Outbox *outbox);

/* Seconds since 1970, by the outbox's clock. */
int64_t outbox_seconds(const Outbox *outbox);
/* The same when the outbox was opened, and from then on by the steady clock: a calendar that is set
 * meanwhile makes no day pass. */
int64_t outbox_steady(const Outbox *outbox);
/* The loop's time in so many milliseconds. */
uint64_t outbox_in(const Outbox *outbox, int64_t ms);
/* Notes a passing fault, and returns the loop's time of the next try. The first fault of a row is
 * logged as a warning, the others as details. */
uint64_t outbox_later(const Outbox *outbox, Backoff *backoff, const char *name, const Error *err);
/* Notes a passing fault without a line in the log, and returns the loop's time of the next try. */
uint64_t outbox_wait(const Outbox *outbox, Backoff *backoff);

#endif
