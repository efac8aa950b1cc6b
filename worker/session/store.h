/* SPDX-License-Identifier: MIT */
/* The folder of a worker's results: a journal for each parcel, in STATE/outbox while something of
 * it is to be delivered, in STATE/outbox/parked when nothing more is tried, and in
 * STATE/outbox/delivered when delivered journals are kept. Blocking, but for journal queues. */
#ifndef WORKER_SESSION_STORE_H
#define WORKER_SESSION_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/journalqueue.h"
#include "base/log.h"
#include "session/parcel.h"

typedef struct {
    char *folder;       /* STATE/outbox; owned. */
    const char *server; /* Whose parcels are taken up: of this server and user. */
    const char *user;
    const char *host; /* This one's name. */
    Log *log;
    int64_t number; /* Of the last journal that was named. */
} ParcelStore;

/* A parcel and its journal. All zero is empty. */
typedef struct {
    Parcel parcel;
    char *name;      /* Of its journal in the folder; NULL: there is none, or not any more. */
    Journal journal; /* Open, or about to be made by its first record. */
    JournalQueue queue;
} StoredParcel;

/* Makes the folder. `store->folder` is what store_close frees. */
bool store_open(ParcelStore *store, const char *state_dir, Error *err);
void store_close(ParcelStore *store);

typedef struct {
    StoredParcel *items;
    size_t count;
    size_t capacity;
} StoredParcels;

/* Takes up the folder's journals, in the order of their names; their queues are not open yet. A
 * journal that cannot be taken up is named in the log and stays. Of two journals of one parcel the
 * longer one is taken up, since a journal only grows; the other one is renamed to
 * NAME.journal.copy. The list is the caller's, who frees `items` after moving them out of it. */
bool store_load(ParcelStore *store, StoredParcels *list, Error *err);

/* Names a journal for a new parcel, which its first record makes. */
void store_begin(ParcelStore *store, StoredParcel *stored);

/* Records may be added from here on; `stored` stays where it is. */
void store_open_queue(StoredParcel *stored, uv_loop_t *loop, const JournalEvents *events,
                      void *user);

/* The journal's path, or another file's beside it ("" and ".bz2"). Allocated. */
char *store_path(const ParcelStore *store, const StoredParcel *stored);
char *store_path_beside(const ParcelStore *store, const StoredParcel *stored, const char *suffix);

/* Moves the journal to "parked/" or "delivered/"; *to is its new path, allocated. */
bool store_move(const ParcelStore *store, const StoredParcel *stored, const char *folder, char **to,
                Error *err);

/* Removes the journal. */
void store_remove(const ParcelStore *store, const StoredParcel *stored);

/* Not while the queue is busy. */
void store_free_parcel(StoredParcel *stored);

#endif
