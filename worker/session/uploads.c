/* SPDX-License-Identifier: MIT */
#include "session/uploads.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "session/batches.h"
#include "session/gamefile.h"

static const char PACKED[] = ".bz2";

/* ---- Packing ---- */

static bool run_pack(void *user, Error *err) {
    OutboxItem *item = user;
    char *journal = store_path(&item->outbox->store, &item->stored);
    bool ok = gamefile_pack(journal, item->packed, err);
    free(journal);
    return ok;
}

/* The journal is the only copy of the games, so a packing that failed is tried again. */
static void pack_again(OutboxItem *item, const Error *err) {
    Outbox *o = item->outbox;
    free(item->packed);
    item->packed = NULL;
    item->again_at = outbox_wait(o, &item->retry);
    if (item->retry.faults == 1)
        log_warn(o->log, "test %" PRId64 ": packing the games: %s; to be tried again",
                 item->stored.parcel.head.test_id, err->text);
    item_failed(item, err);
}

static void on_packed(bool ok, const Error *err, void *user) {
    OutboxItem *item = user;
    if (ok)
        backoff_reset(&item->retry);
    else
        pack_again(item, err);
    item->on_packed(item->outbox);
}

static void pack(OutboxItem *item) {
    item->packed = store_path_beside(&item->outbox->store, &item->stored, PACKED);
    task_start(item->outbox->loop, &item->packing, run_pack, on_packed, item);
}

/* Whether all of the item but its games is delivered. */
static bool has_only_games(const OutboxItem *item) {
    return item->ended && !item->parked && !item->done && !item_is_busy(item) &&
           item_games(item) == 0;
}

/* Whether the games of an item are being packed. Only one packing runs at a time: requests and
 * journals need the same threads. */
static bool is_packing(const Outbox *o) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->packing.running)
            return true;
    return false;
}

/* Has the games packed again when the packed file has vanished: the journal still has them. */
static void look_for_packed(OutboxItem *item) {
    if (item->packed == NULL || item_is_busy(item) || file_exists(item->packed))
        return;
    free(item->packed);
    item->packed = NULL;
}

void uploads_tend(Outbox *o, void (*packed)(Outbox *outbox)) {
    for (OutboxItem *item = o->items; item; item = item->next) {
        look_for_packed(item);
        if (!has_only_games(item) || item->packed || item->again_at > uv_now(o->loop))
            continue;
        item->on_packed = packed;
        if (!item->stored.parcel.has_games || !item->stored.name)
            item->done = true;
        else if (!is_packing(o))
            pack(item);
    }
}

/* ---- Uploading ---- */

/* *when is the time of the next upload, or of the next packing. A packing that is due is started by
 * the owner (uploads_tend), so the queue wakes the owner at once. While another packing runs, its
 * end wakes the owner. */
static OutboxItem *next_upload(const Outbox *o, uint64_t now, uint64_t *when) {
    for (OutboxItem *item = o->items; o->ready && item; item = item->next) {
        if (!has_only_games(item) || (!item->packed && is_packing(o)))
            continue;
        if (item->again_at <= now && item->packed)
            return item;
        *when = item->again_at < *when ? item->again_at : *when;
    }
    return NULL;
}

static bool upload_due(void *owner, uint64_t now, uint64_t *when) {
    return next_upload(owner, now, when) != NULL;
}

static void compose_upload(void *owner, HttpRequest *request) {
    Outbox *o = owner;
    uint64_t when = UINT64_MAX;
    o->uploading = next_upload(o, uv_now(o->loop), &when);
    const RecordWorkload *head = &o->uploading->stored.parcel.head;
    ApiPgn pgn = {.test_id = head->test_id,
                  .result_id = head->result_id,
                  .book_index = head->book_index,
                  .file = o->uploading->packed};
    api_submit_pgn(o->config.account, &pgn, request);
}

static void uploaded(OutboxItem *item, const ApiAnswer *answer) {
    Outbox *o = item->outbox;
    int64_t test = item->stored.parcel.head.test_id;
    log_debug(o->log, "test %" PRId64 ": the games of %" PRId64 " pairs uploaded", test,
              item->stored.parcel.pairs);
    o->takings++;
    item->done = true;
    if (!api_read_stop(answer))
        return;
    batches_drop(o, test);
    o->events->over(test, o->user);
}

static void upload_answered(void *owner, RequestOutcome outcome, const ApiAnswer *answer) {
    Outbox *o = owner;
    OutboxItem *item = o->uploading;
    const Error *err = &answer->error;
    o->uploading = NULL;
    switch (outcome) {
    case REQUEST_ANSWERED:
        uploaded(item, answer);
        break;
    case REQUEST_REFUSED:
        if (item_refused(item, err))
            log_error(o->log, "test %" PRId64 ": %s: the server refuses: %s; to be tried again",
                      item->stored.parcel.head.test_id, uploads_request.name, err->text);
        item->again_at = outbox_wait(o, &item->refusals);
        break;
    case REQUEST_FAULT:
        item->again_at = outbox_later(o, &item->retry, uploads_request.name, err);
        item_failed(item, err);
        break;
    case REQUEST_STALE:
        o->ready = false;
        o->events->stale(err, o->user);
        break;
    case REQUEST_UNDONE:
        break;
    }
}

const Request uploads_request = {.name = "uploading the games",
                                 .due = upload_due,
                                 .compose = compose_upload,
                                 .answered = upload_answered};
