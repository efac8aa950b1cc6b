/* SPDX-License-Identifier: MIT */
#include "session/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"

enum { MODE_FOLDER = 0700 };

static const char SUFFIX[] = ".journal";
static const char COPY[] = ".copy";

/* An allocated path in the folder. */
static char *path_of(const ParcelStore *store, const char *folder, const char *name,
                     const char *suffix) {
    return text_format("%s/%s%s%s", store->folder, folder, name, suffix);
}

char *store_path(const ParcelStore *store, const StoredParcel *stored) {
    return path_of(store, "", stored->name, SUFFIX);
}

char *store_path_beside(const ParcelStore *store, const StoredParcel *stored, const char *suffix) {
    return path_of(store, "", stored->name, suffix);
}

bool store_open(ParcelStore *store, const char *state_dir, Error *err) {
    store->folder = text_format("%s/outbox", state_dir);
    return file_make_folders(store->folder, err) &&
           (chmod(store->folder, MODE_FOLDER) == 0 ||
            error_set(err, "%s: %s", store->folder, strerror(errno)));
}

void store_close(ParcelStore *store) {
    free(store->folder);
    store->folder = NULL;
}

void store_free_parcel(StoredParcel *stored) {
    journal_queue_free(&stored->queue);
    journal_close(&stored->journal);
    parcel_free(&stored->parcel);
    free(stored->name);
    stored->name = NULL;
}

/* ---- Journals of earlier processes ---- */

static bool take_record(const char *record, size_t length, void *user, Error *err) {
    return parcel_take_record(user, record, length, NULL, err);
}

/* Games of a parcel without a known delivery. */
static int64_t open_games(const Parcel *parcel) {
    return tally_games(&parcel->waiting.tally) +
           (parcel->sending ? tally_games(&parcel->batch.tally) : 0);
}

/* Whether the parcel is for this server and user. Logs otherwise. */
static bool is_ours(const ParcelStore *store, const Parcel *parcel, const char *path) {
    const RecordWorkload *head = &parcel->head;
    if (strcmp(head->server, store->server) == 0 && strcmp(head->user, store->user) == 0)
        return true;
    log_warn(store->log,
             "%s: %" PRId64 " games wait for %s, user %s: a worker for these delivers them "
             "(-S, -U, and this --state)",
             path, open_games(parcel), head->server, head->user);
    return false;
}

/* Renames the shorter journal of a parcel that has two, so that no start takes it up again. */
static void set_copy_aside(const ParcelStore *store, const StoredParcel *copy,
                           const StoredParcel *taken) {
    char *from = store_path(store, copy);
    char *to = text_format("%s%s", from, COPY);
    if (rename(from, to) == 0)
        log_warn(store->log, "%s is a copy of %s%s: it is not delivered, and is called %s now",
                 from, taken->name, SUFFIX, to);
    else
        log_warn(store->log, "%s is a copy of %s%s, and cannot be renamed: %s", from, taken->name,
                 SUFFIX, strerror(errno));
    free(to);
    free(from);
}

/* Adds a parcel to the list. Of two journals of one parcel the longer one stays. */
static void add_loaded(const ParcelStore *store, StoredParcels *list, StoredParcel *stored) {
    for (size_t i = 0; i < list->count; i++) {
        StoredParcel *other = &list->items[i];
        if (!parcel_is_same(&other->parcel.head, &stored->parcel.head))
            continue;
        if (stored->journal.length > other->journal.length) {
            StoredParcel shorter = *other;
            *other = *stored;
            *stored = shorter;
        }
        set_copy_aside(store, stored, other);
        store_free_parcel(stored);
        return;
    }
    MEM_ADD(list->items, list->count, list->capacity, *stored);
}

static void load(const ParcelStore *store, StoredParcels *list, const char *name, size_t length) {
    StoredParcel stored = {.name = mem_strndup(name, length)};
    Error err = {0};
    char *path = store_path(store, &stored);
    if (!journal_open(&stored.journal, path, take_record, &stored.parcel, &err)) {
        log_error(store->log, "%s; the file stays as it is, and is not delivered", err.text);
        store_free_parcel(&stored);
    } else if (!is_ours(store, &stored.parcel, path)) {
        store_free_parcel(&stored);
    } else {
        add_loaded(store, list, &stored);
    }
    free(path);
}

/* Logs the parcel that was found. */
static void tell_loaded(const ParcelStore *store, const StoredParcel *stored) {
    const Parcel *parcel = &stored->parcel;
    int64_t games = open_games(parcel);
    char *path = store_path(store, stored);
    if (games && strcmp(parcel->head.host, store->host) != 0)
        log_warn(store->log,
                 "%s: was written on %s, and is delivered from this machine: no worker there may "
                 "have a copy of the journal",
                 path, parcel->head.host);
    if (games)
        log_info(store->log, "test %" PRId64 ": %" PRId64 " games of an earlier run wait in %s%s",
                 parcel->head.test_id, games, path,
                 parcel->unproved_count ? " for the bench of their engines" : "");
    free(path);
}

/* Removes the half-made files of a killed process, but not a file that somebody put aside as
 * "x.journal.bad". What older versions left half-made, "x.journal.AbC123", looks like one of those,
 * and stays too. */
static void clear_up(const ParcelStore *store, const char *name) {
    enum { RANDOM = 6 }; /* Number of random characters behind JOURNAL_UNBORN. */
    static const char UNBORN[] = ".journal" JOURNAL_UNBORN;
    const char *after = strstr(name, UNBORN);
    bool packed = text_ends_with(name, ".bz2") || text_ends_with(name, ".bz2.pgn");
    bool unborn = after != NULL && strlen(after) == sizeof UNBORN - 1 + RANDOM;
    if (!packed && !unborn)
        return;
    char *path = path_of(store, "", name, "");
    unlink(path);
    free(path);
}

bool store_load(ParcelStore *store, StoredParcels *list, Error *err) {
    Words names = {0};
    if (!file_list(store->folder, &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        size_t length = strlen(names.items[i]);
        size_t suffix = sizeof SUFFIX - 1;
        if (length > suffix && strcmp(names.items[i] + length - suffix, SUFFIX) == 0)
            load(store, list, names.items[i], length - suffix);
        else
            clear_up(store, names.items[i]);
    }
    words_free(&names);
    for (size_t i = 0; i < list->count; i++)
        tell_loaded(store, &list->items[i]);
    return true;
}

/* ---- Journals ---- */

/* No number is used twice in a process, since a journal is on the disk only after its first record
 * was written. */
void store_begin(ParcelStore *store, StoredParcel *stored) {
    static const char *const folders[] = {"", "parked/", "delivered/"};
    const RecordWorkload *head = &stored->parcel.head;
    bool taken = true;
    while (taken) {
        free(stored->name);
        stored->name = text_format("%" PRId64 "-%" PRId64 "-%05" PRId64, head->test_id,
                                   head->machine_id, ++store->number);
        taken = false;
        for (size_t i = 0; i < COUNT(folders); i++) {
            char *path = path_of(store, folders[i], stored->name, SUFFIX);
            taken = taken || access(path, F_OK) == 0;
            free(path);
        }
    }
    stored->queue.path = store_path(store, stored);
}

void store_open_queue(StoredParcel *stored, uv_loop_t *loop, const JournalEvents *events,
                      void *user) {
    stored->queue.journal = &stored->journal;
    stored->queue.loop = loop;
    stored->queue.events = events;
    stored->queue.user = user;
}

bool store_move(const ParcelStore *store, const StoredParcel *stored, const char *folder, char **to,
                Error *err) {
    char *from = store_path(store, stored);
    char *into = path_of(store, folder, "", "");
    *to = path_of(store, folder, stored->name, SUFFIX);
    bool ok = file_make_folders(into, err) &&
              (rename(from, *to) == 0 || error_set(err, "%s: %s", from, strerror(errno)));
    free(from);
    free(into);
    return ok;
}

void store_remove(const ParcelStore *store, const StoredParcel *stored) {
    char *path = store_path(store, stored);
    if (unlink(path) != 0)
        log_warn(store->log, "%s: %s", path, strerror(errno));
    free(path);
}
