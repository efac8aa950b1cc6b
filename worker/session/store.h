/* SPDX-License-Identifier: MIT */
/* The folder of a worker's results, with a journal for each parcel: in STATE/outbox while parts of
 * the parcel are to be delivered, in STATE/outbox/parked when no more tries are made, and in
 * STATE/outbox/delivered when delivered journals are kept. Blocking, except for journal queues. */
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
    const char *server; /* The server and user whose parcels are taken up. */
    const char *user;
    const char *host; /* The name of this machine. */
    Log *log;
    int64_t number; /* Number in the name of the latest journal. */
} ParcelStore;

/* A parcel and its journal. All zero is empty. */
typedef struct {
    Parcel parcel;
    char *name;      /* The journal's name in the folder; NULL: no journal, or removed. */
    Journal journal; /* Open, or to be made by the first record. */
    JournalQueue queue;
} StoredParcel;

/* Makes the folder and sets `store->folder`, which store_close frees. */
bool store_open(ParcelStore *store, const char *state_dir, Error *err);
void store_close(ParcelStore *store);

typedef struct {
    StoredParcel *items;
    size_t count;
    size_t capacity;
} StoredParcels;

/* Takes up the folder's journals, in the order of their names; their queues are not open yet. A
 * journal that cannot be taken up is named in the log and stays. Of two journals of one parcel the
 * longer one is taken up, since journals only grow; the other one is renamed to NAME.journal.copy.
 * The caller moves the parcels out of the list and frees `items`. */
bool store_load(ParcelStore *store, StoredParcels *list, Error *err);

/* Names the journal of a new parcel. The first record makes the file. */
void store_begin(ParcelStore *store, StoredParcel *stored);

/* Opens the queue: records may be added from now on. `stored` must not be moved any more. */
void store_open_queue(StoredParcel *stored, uv_loop_t *loop, const JournalEvents *events,
                      void *user);

/* The path of the journal, or of another file beside the journal (the suffix is "" or ".bz2").
 * Allocated. */
char *store_path(const ParcelStore *store, const StoredParcel *stored);
char *store_path_beside(const ParcelStore *store, const StoredParcel *stored, const char *suffix);

/* Moves the journal to "parked/" or "delivered/"; *to is its new path, allocated. */
bool store_move(const ParcelStore *store, const StoredParcel *stored, const char *folder, char **to,
                Error *err);

/* Removes the journal. */
void store_remove(const ParcelStore *store, const StoredParcel *stored);

/* Frees the parcel. Not while its queue is busy. */
void store_free_parcel(StoredParcel *stored);

#endif
