/* SPDX-License-Identifier: MIT */
#include "session/outbox.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/source.h"
#include "session/batches.h"
#include "session/gamefile.h"
#include "session/items.h"
#include "session/uploads.h"

/* ---- Progress ---- */

static void try_close(Outbox *o);

/* Goes on after an event from the loop, and tells the owner. */
static void on_event(Outbox *o) {
    outbox_advance(o);
    if (!o->closing)
        o->events->changed(o->user);
}

static void on_timer(uv_timer_t *timer) {
    on_event(timer->data);
}

/* Parks the items whose proof is overdue, and sets the timer for the next one. */
static void expire_proofs(Outbox *o) {
    int64_t first = INT64_MAX;
    for (OutboxItem *item = o->items; item; item = item->next) {
        int64_t rest = INT64_MAX;
        if (!item->parked && item->ended && item->stored.parcel.unproved_count && item_games(item))
            item_expire_proof(item, &rest);
        if (!item->parked && rest < first)
            first = rest;
    }
    if (first < INT64_MAX)
        uv_timer_start(&o->timer, on_timer, (uint64_t)first, 0);
}

void outbox_advance(Outbox *o) {
    if (o->closing) {
        try_close(o);
        return;
    }
    if (o->ready) {
        expire_proofs(o);
        batches_make(o);
        uploads_tend(o, on_event);
    }
    items_sweep(o);
}

/* ---- From the disk ---- */

static void count_adding(OutboxItem *item, const PairResult *pair, int sign) {
    item->adding.n[pair->games[0].dev_points + pair->games[1].dev_points] += sign;
}

static void on_written(void *user_note, void *user) {
    ItemNote *note = user_note;
    OutboxItem *item = user;
    if (note->kind == NOTE_PAIR) {
        count_adding(item, &note->pair, -1);
        parcel_take_pair(&item->stored.parcel, &note->pair);
    }
    if (note->kind == NOTE_BATCH) {
        item->unwritable = false;
        parcel_make_batch(&item->stored.parcel, &note->mark);
        batch_marked(item, true);
    }
    pair_free(&note->pair);
    free(note);
}

static void on_dropped(void *user_note, void *user) {
    ItemNote *note = user_note;
    OutboxItem *item = user;
    if (note->kind == NOTE_PAIR) {
        Tally tally = pair_tally(&note->pair);
        count_adding(item, &note->pair, -1);
        if (!item->stored.parcel.over)
            parcel_sum_add(&item->unjournaled, &tally, &note->pair.deltas);
    }
    if (note->kind == NOTE_BATCH)
        batch_marked(item, false);
    pair_free(&note->pair);
    free(note);
}

static void on_failed(const Error *err, void *user) {
    OutboxItem *item = user;
    void (*say)(Log *, const char *, ...) = item->unwritable ? log_debug : log_error;
    const RecordWorkload *head = &item->stored.parcel.head;
    PgnStyle style;
    item->unwritable = true;
    say(item->outbox->log,
        "test %" PRId64
        ": %s: %s; the results in its journal may have to wait for the next start, and "
        "later results go to the server from memory%s",
        head->test_id, err->text,
        source_lacks_room(err->text)
            ? "make room"
            : "see that files can be written in the state folder (--state)",
        gamefile_style(head->upload_pgns, &style) ? ", without their PGN" : "");
    /* The journal was never made. */
    if (!item->stored.journal.path) {
        free(item->stored.name);
        item->stored.name = NULL;
    }
}

static void on_full(bool full, void *user) {
    OutboxItem *item = user;
    item->outbox->events->crowded(item, full, item->outbox->user);
}

static void on_idle(void *user) {
    on_event(((OutboxItem *)user)->outbox);
}

static const JournalEvents journal_events = {.written = on_written,
                                             .failed = on_failed,
                                             .dropped = on_dropped,
                                             .full = on_full,
                                             .idle = on_idle};

/* ---- The start ---- */

/* Notes in the journal that a parked parcel is tried again, since somebody has moved its journal
   back. */
static void resume(OutboxItem *item) {
    int64_t now = outbox_seconds(item->outbox);
    Text record = {0};
    parcel_resumed(&item->stored.parcel, now);
    parcel_write_resumed(now, &record);
    item_add_record(item, &record);
}

/* The days of troubles that began in earlier processes go on. */
static void take_up_days(OutboxItem *item) {
    const Parcel *parcel = &item->stored.parcel;
    item->unproved_since = parcel->resumed ? parcel->resumed : parcel->head.created;
    item->refused_since = parcel->refusal.at;
    item->failing_since = parcel->failing.at;
}

static bool take_up(Outbox *o, Error *err) {
    StoredParcels found = {0};
    bool ok = store_load(&o->store, &found, err);
    for (size_t i = 0; i < found.count; i++) {
        OutboxItem *item = item_new(o);
        item->stored = found.items[i];
        item->ended = true;
        store_open_queue(&item->stored, o->loop, &journal_events, item);
        item_link(item);
        /* The server's counts of the row may have grown since the earlier process ended. */
        batch_doubt(o, item->counts);
        if (item->stored.parcel.parked)
            resume(item);
        take_up_days(item);
    }
    free(found.items);
    return ok;
}

Outbox *outbox_open(uv_loop_t *loop, const OutboxConfig *config, const OutboxEvents *events,
                    void *user, Error *err) {
    Outbox *o = mem_calloc(1, sizeof *o);
    *o = (Outbox){.config = *config,
                  .loop = loop,
                  .log = config->log,
                  .events = events,
                  .user = user,
                  .store = {.server = config->account->base_url,
                            .user = config->account->username,
                            .host = config->host,
                            .log = config->log}};
    o->ahead = outbox_seconds(o) - outbox_steady(o);
    if (!store_open(&o->store, config->state_dir, err) || !take_up(o, err)) {
        store_close(&o->store);
        free(o);
        return NULL;
    }
    uv_timer_init(loop, &o->timer);
    o->timer.data = o;
    return o;
}

Request outbox_request(Outbox *o, OutboxRequest which) {
    static const Request *const rows[] = {[OUTBOX_READ] = &batches_read_request,
                                          [OUTBOX_SEND] = &batches_send_request,
                                          [OUTBOX_UPLOAD] = &uploads_request};
    Request row = *rows[which];
    row.owner = o;
    return row;
}

void outbox_set_ready(Outbox *o, bool ready) {
    o->ready = ready;
    if (ready)
        batches_registered(o);
    outbox_advance(o);
}

/* ---- Parcels ---- */

OutboxItem *outbox_begin(Outbox *o, const Workload *w, int64_t machine_id,
                         const ParcelBench *unproved, size_t unproved_count) {
    OutboxItem *item = item_new(o);
    Parcel *parcel = &item->stored.parcel;
    Text record = {0};
    parcel->head = (RecordWorkload){.version = WORKLOAD_RECORD_VERSION,
                                    .created = outbox_seconds(o),
                                    .id = parcel_new_id(),
                                    .server = mem_strdup(o->config.account->base_url),
                                    .user = mem_strdup(o->config.account->username),
                                    .host = mem_strdup(o->config.host),
                                    .test_id = w->test_id,
                                    .machine_id = machine_id,
                                    .result_id = w->result_id,
                                    .book_index = w->book_index,
                                    .type = mem_strdup(w->type_name),
                                    .dev = mem_strdup(w->dev.name),
                                    .base = mem_strdup(w->base.name),
                                    .reporting = mem_strdup(w->reporting_type),
                                    .upload_pgns = mem_strdup(w->upload_pgns)};
    item->unproved_since = outbox_steady(o);
    store_begin(&o->store, &item->stored);
    store_open_queue(&item->stored, o->loop, &journal_events, item);
    item_link(item);
    record_write_workload(&parcel->head, &record);
    item_add_record(item, &record);
    for (size_t i = 0; i < unproved_count; i++) {
        parcel_unproved(parcel, &unproved[i]);
        parcel_write_bench("unproved", &unproved[i], &record);
        item_add_record(item, &record);
    }
    return item;
}

void outbox_proved(Outbox *o, const char *sha256, int64_t bench) {
    const ParcelBench proved = {.sha256 = (char *)(uintptr_t)sha256, .bench = bench};
    for (OutboxItem *item = o->items; item; item = item->next) {
        Text record = {0};
        if (item->parked || !parcel_proved(&item->stored.parcel, &proved))
            continue;
        parcel_write_bench("proved", &proved, &record);
        item_add_record(item, &record);
    }
    outbox_advance(o);
}

bool outbox_awaits_proof(const Outbox *o) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->stored.parcel.unproved_count)
            return true;
    return false;
}

void outbox_discard(Outbox *o, OutboxItem *item) {
    item_discard(item);
    outbox_end(o, item);
}

void outbox_discard_unproved(Outbox *o, int64_t test_id) {
    for (OutboxItem *item = o->items; item; item = item->next) {
        const Parcel *parcel = &item->stored.parcel;
        if (parcel->head.test_id != test_id || !parcel->unproved_count || item->parked)
            continue;
        log_info(o->log, "test %" PRId64 ": %" PRId64 " games of a wrong engine are dropped",
                 test_id, item_games(item));
        item_discard(item);
    }
    outbox_advance(o);
}

void outbox_add(OutboxItem *item, PairResult *pair) {
    Text record = {0};
    pair_write(pair, &record);
    count_adding(item, pair, 1);
    item_note(item, &(ItemNote){.kind = NOTE_PAIR, .pair = pair_move(pair)}, &record);
}

bool outbox_report(Outbox *o, OutboxItem *item) {
    if (tally_games(&item->stored.parcel.waiting.tally) + tally_games(&item->unjournaled.tally) ==
        0)
        return false;
    item->report = true;
    outbox_advance(o);
    return item->member && batch_is_going_out(o, item->counts);
}

void outbox_end(Outbox *o, OutboxItem *item) {
    if (!item)
        return;
    item->ended = true;
    outbox_advance(o);
}

void outbox_drop(Outbox *o, int64_t test_id) {
    batches_drop(o, test_id);
}

/* ---- Standing ---- */

static bool is_hopeless(const OutboxItem *item, bool hurry) {
    const StoredParcel *stored = &item->stored;
    bool stays = stored->queue.failed && !stored->parcel.sending &&
                 tally_games(&item->unjournaled.tally) == 0;
    return item->parked || item->done || stays || stored->parcel.unproved_count ||
           item->refusals.faults > 0 || item->retry.faults >= (hurry ? 1 : OUTBOX_PATIENCE) ||
           batch_is_hopeless(item->outbox, item->counts, hurry);
}

bool outbox_settled(const Outbox *o, bool hurry) {
    if (o->asking || o->uploading)
        return false;
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (!is_hopeless(item, hurry))
            return false;
    return true;
}

bool outbox_is_doubtful(const Outbox *o) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (!is_hopeless(item, false) && !batch_is_doubtful(o, item->counts))
            return false;
    return true;
}

void outbox_hurry(Outbox *o) {
    batches_hurry(o);
    for (OutboxItem *item = o->items; item; item = item->next) {
        item->again_at = 0;
        backoff_reset(&item->retry);
    }
}

bool outbox_empty(const Outbox *o) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (!item->parked && !item->done)
            return false;
    return true;
}

bool outbox_has_parked(const Outbox *o) {
    return o->has_parked;
}

int64_t outbox_waiting(const Outbox *o) {
    int64_t games = 0;
    for (const OutboxItem *item = o->items; item; item = item->next)
        games += item->parked ? 0 : item_games(item);
    return games;
}

int64_t outbox_reported(const Outbox *o, int64_t test_id) {
    int64_t games = 0;
    for (const ServerCounts *c = o->counts; c; c = c->next)
        games += c->test_id == test_id ? c->reported : 0;
    return games;
}

/* ---- The end ---- */

static void free_outbox(uv_handle_t *handle) {
    Outbox *o = handle->data;
    const OutboxEvents *events = o->events;
    void *user = o->user;
    int64_t left = o->left;
    store_close(&o->store);
    free(o);
    events->closed(left, user);
}

/* Logs the item's games that are lost, and those that stay for the next start, which are counted.
 */
static void leave(const OutboxItem *item) {
    Outbox *o = item->outbox;
    const Parcel *parcel = &item->stored.parcel;
    int64_t test = parcel->head.test_id;
    Text what = {0};
    int64_t lost = tally_games(&item->unjournaled.tally) +
                   (item->batch_unjournaled ? tally_games(&parcel->batch.tally) : 0);
    if (lost)
        log_error(o->log,
                  "test %" PRId64 ": %" PRId64
                  " games are lost: they were neither delivered to %s nor kept",
                  test, lost, o->config.account->base_url);
    int64_t kept = item_games(item) - lost;
    if (!item->stored.name || item->parked || item->done || (kept == 0 && !parcel->has_games))
        return;
    o->left += kept;
    char *path = store_path(&o->store, &item->stored);
    item_describe(item, kept, &what);
    log_warn(o->log, "test %" PRId64 ": %s are kept in %s for the next start", test,
             text_string(&what), path);
    text_free(&what);
    free(path);
}

static void try_close(Outbox *o) {
    if (o->asking || o->uploading || uv_is_closing((uv_handle_t *)&o->timer))
        return;
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item_is_busy(item))
            return;
    items_sweep(o);
    while (o->items) {
        OutboxItem *item = o->items;
        leave(item);
        o->items = item->next;
        if (item->packed)
            unlink(item->packed);
        item_free(item);
    }
    while (o->counts) {
        ServerCounts *counts = o->counts;
        o->counts = counts->next;
        free(counts);
    }
    uv_close((uv_handle_t *)&o->timer, free_outbox);
}

void outbox_close(Outbox *o) {
    o->closing = true;
    try_close(o);
}
