/* SPDX-License-Identifier: MIT */
#include "session/items.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* ---- Time ---- */

int64_t outbox_seconds(const Outbox *o) {
    return o->config.clock ? o->config.clock() : (int64_t)time(NULL);
}

int64_t outbox_steady(const Outbox *o) {
    int64_t seconds = o->config.steady ? o->config.steady() : clock_now_ns() / CLOCK_NS_PER_SECOND;
    return o->ahead + seconds;
}

uint64_t outbox_in(const Outbox *o, int64_t ms) {
    return uv_now(o->loop) + (uint64_t)ms;
}

uint64_t outbox_wait(const Outbox *o, Backoff *backoff) {
    return outbox_in(o, backoff_next(backoff, uv_hrtime() / CLOCK_NS_PER_US));
}

uint64_t outbox_later(const Outbox *o, Backoff *backoff, const char *name, const Error *err) {
    uint64_t at = outbox_wait(o, backoff);
    void (*say)(Log *, const char *, ...) = backoff->faults == 1 ? log_warn : log_debug;
    say(o->log, "%s: %s: %s; trying again in %.1f s", o->config.account->base_url, name, err->text,
        (double)(at - uv_now(o->loop)) / (double)CLOCK_MS_PER_SECOND);
    return at;
}

/* Whether a trouble that began at `since` has lasted too long; else *rest_ms is the time left. */
static bool is_long(const Outbox *o, int64_t since, int64_t *rest_ms) {
    *rest_ms = o->config.waits.park - (outbox_steady(o) - since) * CLOCK_MS_PER_SECOND;
    return *rest_ms <= 0;
}

/* ---- Items ---- */

OutboxItem *item_new(Outbox *o) {
    OutboxItem *item = mem_calloc(1, sizeof *item);
    const SessionWaits *waits = &o->config.waits;
    item->outbox = o;
    item->retry = (Backoff){.first_ms = waits->retry_first, .max_ms = waits->retry_max};
    item->refusals = (Backoff){.first_ms = waits->refused_first, .max_ms = waits->refused_max};
    return item;
}

static ServerCounts *find_counts(Outbox *o, const RecordWorkload *head) {
    for (ServerCounts *c = o->counts; c; c = c->next)
        if (c->test_id == head->test_id && c->machine_id == head->machine_id)
            return c;
    const SessionWaits *waits = &o->config.waits;
    ServerCounts *c = mem_calloc(1, sizeof *c);
    *c = (ServerCounts){
        .next = o->counts,
        .test_id = head->test_id,
        .machine_id = head->machine_id,
        .retry = {.first_ms = waits->retry_first, .max_ms = waits->retry_max},
        .refusals = {.first_ms = waits->refused_first, .max_ms = waits->refused_max}};
    o->counts = c;
    return c;
}

void item_link(OutboxItem *item) {
    OutboxItem **end = &item->outbox->items;
    while (*end)
        end = &(*end)->next;
    *end = item;
    item->counts = find_counts(item->outbox, &item->stored.parcel.head);
}

void item_free(OutboxItem *item) {
    store_free_parcel(&item->stored);
    parcel_sum_free(&item->unjournaled);
    free(item->packed);
    free(item);
}

int64_t item_games(const OutboxItem *item) {
    const Parcel *parcel = &item->stored.parcel;
    int64_t games = tally_games(&parcel->waiting.tally) + tally_games(&item->unjournaled.tally);
    return games + (parcel->sending ? tally_games(&parcel->batch.tally) : 0);
}

bool item_is_open(const OutboxItem *item) {
    return !item->parked && !item->done && !item->stored.parcel.over;
}

bool item_has_batch(const OutboxItem *item) {
    return item_is_open(item) && item->stored.parcel.sending;
}

/* A name that the server does not tell says nothing. */
static bool may_be(const char *told, const char *own) {
    return *told == '\0' || strcmp(told, own) == 0;
}

bool item_is_of(const OutboxItem *item, const ApiTestNames *test) {
    const RecordWorkload *head = &item->stored.parcel.head;
    return may_be(test->mode, head->type) && may_be(test->dev, head->dev) &&
           may_be(test->base, head->base);
}

bool item_is_stuck(const OutboxItem *item) {
    return item_has_batch(item) && !item->batch_unjournaled && item->stored.queue.failed;
}

bool item_is_busy(const OutboxItem *item) {
    const Outbox *o = item->outbox;
    const JournalQueue *queue = &item->stored.queue;
    return queue->busy || queue->count > 0 || item->packing.running || o->uploading == item ||
           (o->asking == item->counts && item->member);
}

void item_describe(const OutboxItem *item, int64_t games, Text *out) {
    if (games)
        text_addf(out, "%" PRId64 " games", games);
    else
        text_addf(out, "the PGN of %" PRId64 " games", 2 * item->stored.parcel.pairs);
}

/* ---- Records ---- */

void item_note(OutboxItem *item, const ItemNote *note, Text *record) {
    ItemNote *copy = mem_alloc(sizeof *copy);
    *copy = *note;
    journal_queue_add(&item->stored.queue, record, copy);
}

void item_add_record(OutboxItem *item, Text *record) {
    item_note(item, &(ItemNote){.kind = NOTE_OTHER}, record);
}

void item_add_mark(OutboxItem *item, const char *kind) {
    Text record = {0};
    parcel_write_mark(kind, &record);
    item_add_record(item, &record);
}

/* ---- Parking ---- */

/* Takes the mark from a batch that the server is known not to have. The row may grow while the
 * journal is parked, and the counts would then show the batch as added. */
static void withdraw(OutboxItem *item) {
    if (item->counts->state != COUNTS_QUIET || !item_has_batch(item))
        return;
    parcel_withdrawn(&item->stored.parcel);
    item_add_mark(item, "withdrawn");
}

void item_park(OutboxItem *item, const char *why) {
    Outbox *o = item->outbox;
    int64_t test = item->stored.parcel.head.test_id;
    Error err = {0};
    Text what = {0};
    char *to = NULL;
    item_describe(item, item_games(item), &what);
    withdraw(item);
    item->parked = true;
    o->has_parked = true;
    item->member = false;
    parcel_parked(&item->stored.parcel);
    item_add_mark(item, "parked");
    if (!item->stored.name)
        log_error(o->log, "test %" PRId64 ": %s are lost: %s", test, text_string(&what), why);
    else if (store_move(&o->store, &item->stored, "parked/", &to, &err))
        log_error(o->log,
                  "test %" PRId64
                  ": %s are parked: %s; their journal is %s (move this file one folder up, and the "
                  "next start tries the games for another day)",
                  test, text_string(&what), why, to);
    else
        log_error(o->log, "test %" PRId64 ": %s are to be parked: %s; moving their journal: %s",
                  test, text_string(&what), why, err.text);
    free(to);
    text_free(&what);
}

bool item_refused(OutboxItem *item, const Error *err) {
    Parcel *parcel = &item->stored.parcel;
    int64_t rest;
    bool first = !parcel->refusal.words;
    if (first) {
        Text record = {0};
        parcel_refused(parcel, outbox_seconds(item->outbox), err->text);
        parcel_write_refused("refused", &parcel->refusal, &record);
        item_add_record(item, &record);
        item->refused_since = outbox_steady(item->outbox);
    }
    if (is_long(item->outbox, item->refused_since, &rest)) {
        Error why = {0};
        error_set(&why, "the server has refused the results for too long; its last answer: %s",
                  err->text);
        item_park(item, why.text);
    }
    return first;
}

bool item_failed(OutboxItem *item, const Error *err) {
    const Outbox *o = item->outbox;
    Parcel *parcel = &item->stored.parcel;
    Error why = {0};
    int64_t rest;
    if (!parcel->failing.words) {
        Text record = {0};
        parcel_failing(parcel, outbox_seconds(o), err->text);
        parcel_write_refused("failing", &parcel->failing, &record);
        item_add_record(item, &record);
        item->failing_since = outbox_steady(o);
        item->beside = 0;
        item->takings = o->takings;
        return false;
    }
    /* One fault would not be enough: the server, or this worker, may have been away for the day. */
    bool taken = o->takings > item->takings;
    item->takings = o->takings;
    item->beside += taken;
    if (!taken || item->beside < OUTBOX_PATIENCE || !is_long(o, item->failing_since, &rest))
        return false;
    error_set(&why,
              "the server takes other results, but these could not be delivered for too long, "
              "lastly: %s",
              err->text);
    item_park(item, why.text);
    return true;
}

void item_expire_proof(OutboxItem *item, int64_t *rest_ms) {
    if (is_long(item->outbox, item->unproved_since, rest_ms))
        item_park(item, "the bench of their engines was not proved in time");
}

/* ---- The end of an item ---- */

void item_discard(OutboxItem *item) {
    parcel_dropped(&item->stored.parcel);
    parcel_sum_free(&item->unjournaled);
    item_add_mark(item, "dropped");
}

static void remove_files(const OutboxItem *item) {
    const Outbox *o = item->outbox;
    Error err = {0};
    char *to = NULL;
    bool kept = o->config.keep && !item->stored.parcel.dropped;
    if (item->stored.name && item->done && !kept)
        store_remove(&o->store, &item->stored);
    else if (item->stored.name && item->done &&
             !store_move(&o->store, &item->stored, "delivered/", &to, &err))
        log_warn(o->log, "keeping a delivered journal: %s", err.text);
    if (item->packed)
        unlink(item->packed);
    free(to);
}

void items_sweep(Outbox *o) {
    for (OutboxItem **link = &o->items; *link;) {
        OutboxItem *item = *link;
        if (!(item->done || item->parked) || !item->ended || item_is_busy(item)) {
            link = &item->next;
            continue;
        }
        *link = item->next;
        remove_files(item);
        item_free(item);
    }
}
