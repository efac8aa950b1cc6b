/* SPDX-License-Identifier: MIT */
#include "session/delivery.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MS_PER_SECOND = 1000,
    PATIENCE = 3,       /* Faults in a row after which nobody waits for an item any more, ... */
    BATCH_PATIENCE = 5, /* ... or answers lost of one batch. */
    READINGS = 2        /* Equal ones that are believed. */
};

static const uint64_t NEVER = UINT64_MAX;

static const char *const WORDS[] = {[DELIVERY_NOTHING] = "",
                                    [DELIVERY_READ] = "reading the test's counts",
                                    [DELIVERY_SEND] = "reporting results",
                                    [DELIVERY_UPLOAD] = "uploading the games"};

/* ---- What can be done ---- */

static bool wants_batch(const OutboxItem *item) {
    bool bulk = strcmp(item->parcel.head.reporting, "BULK") == 0;
    bool journaled = tally_games(&item->parcel.waiting.tally) > 0 && !item->queue.failed;
    return (journaled || tally_games(&item->loose.tally) > 0) && !item->parcel.unproved_count &&
           (item->ended || (item->report && !bulk));
}

/* Makes a batch. True: it may be sent now, since it cannot be journaled anyway; else its mark is
 * on its way to the disk. */
static bool make_batch(OutboxItem *item) {
    item->report = false;
    item->tries = 0;
    if (tally_games(&item->parcel.waiting.tally) > 0 && !item->queue.failed) {
        outbox_note_batch(item, &item->row->has);
        return false;
    }
    item->parcel.batch = item->loose;
    item->loose = (ParcelSum){0};
    item->parcel.before = item->row->has;
    item->parcel.sending = true;
    parcel_failing(&item->parcel, 0, NULL);
    item->loose_batch = true;
    item->row->sending = item;
    return true;
}

/* A batch that an earlier process may have sent is asked after before another one of its row is
 * made: it would be among the counts, and be taken for it. */
static void doubt_first(const Row *row, const Outbox *o) {
    for (OutboxItem *item = o->items; item && !row->sending; item = item->next)
        if (item->row == row && item->parcel.sending && !item->parked)
            outbox_doubt(item);
}

/* What is to be done about the item's results now; *when: nothing before that time. */
static Delivery due_results(OutboxItem *item, uint64_t now, uint64_t *when) {
    Row *row = item->row;
    doubt_first(row, item->outbox);
    bool mine = row->sending == item;
    if (row->sending ? !mine : !wants_batch(item))
        return DELIVERY_NOTHING;
    if (item->again_at > now || (row->doubt && row->read_at > now)) {
        *when = item->again_at > now ? item->again_at : row->read_at;
        return DELIVERY_NOTHING;
    }
    if (row->doubt)
        return DELIVERY_READ;
    if (mine ? item->batching : !make_batch(item))
        return DELIVERY_NOTHING;
    return DELIVERY_SEND;
}

/* The games come last: they may be sent twice, but not be asked for again. */
static Delivery due_games(OutboxItem *item, uint64_t now, uint64_t *when) {
    if (!item->ended || item->queue.busy || item->packing)
        return DELIVERY_NOTHING;
    if (outbox_item_games(item) > 0)
        return DELIVERY_NOTHING;
    bool wanted = item->parcel.has_games && !item->unpackable && item->name;
    if (!wanted)
        item->done = true;
    else if (!item->packed)
        outbox_pack(item);
    else if (item->again_at > now)
        *when = item->again_at;
    else
        return DELIVERY_UPLOAD;
    return DELIVERY_NOTHING;
}

/* Whether something that began then, by the system's clock, has lasted as long as is borne; else
 * *rest_ms is what is left. */
static bool is_long(const Outbox *o, int64_t since, int64_t *rest_ms) {
    *rest_ms = o->config.waits.park - (outbox_now(o) - since) * MS_PER_SECOND;
    return *rest_ms <= 0;
}

/* Whoever can prove its engines has had the time to. */
static Delivery due_proof(OutboxItem *item, uint64_t now, uint64_t *when) {
    const Parcel *parcel = &item->parcel;
    int64_t since = parcel->resumed ? parcel->resumed : parcel->head.created;
    int64_t rest;
    if (is_long(item->outbox, since, &rest))
        outbox_park(item, "the bench of their engines was not proved since long");
    else
        *when = now + (uint64_t)rest;
    return DELIVERY_NOTHING;
}

static Delivery due(OutboxItem *item, uint64_t now, uint64_t *when) {
    *when = NEVER;
    if (item->parked || item->done)
        return DELIVERY_NOTHING;
    if (item->parcel.unproved_count && item->ended && outbox_item_games(item) > 0)
        return due_proof(item, now, when);
    Delivery delivery = due_results(item, now, when);
    return delivery != DELIVERY_NOTHING || *when != NEVER ? delivery : due_games(item, now, when);
}

/* ---- Asking ---- */

static void on_answer(HttpResponse *response, void *user);

static void compose_results(const Outbox *o, const OutboxItem *item, HttpRequest *request) {
    Text deltas = {0};
    const Tally *t = &item->parcel.batch.tally;
    parcel_write_deltas(&item->parcel.batch, &deltas);
    ApiResults results = {.test_id = item->parcel.head.test_id,
                          .result_id = item->parcel.head.result_id,
                          .losses = t->losses,
                          .draws = t->draws,
                          .wins = t->wins,
                          .crashes = t->crashes,
                          .timelosses = t->timelosses,
                          .illegals = t->illegals,
                          .spsa_delta = text_string(&deltas)};
    memcpy(results.penta, t->penta.n, sizeof results.penta);
    api_submit_results(o->config.account, &results, request);
    text_free(&deltas);
}

static void compose_games(const Outbox *o, const OutboxItem *item, HttpRequest *request) {
    const RecordWorkload *head = &item->parcel.head;
    ApiPgn pgn = {.test_id = head->test_id,
                  .result_id = head->result_id,
                  .book_index = head->book_index,
                  .file = item->packed};
    api_submit_pgn(o->config.account, &pgn, request);
}

static void ask(Outbox *o, OutboxItem *item, Delivery what) {
    HttpRequest request;
    o->asking = item;
    o->asked = what;
    o->asked_as = o->config.account->machine_id;
    if (what == DELIVERY_READ)
        api_test_results(o->config.account, item->parcel.head.test_id, &request);
    else if (what == DELIVERY_SEND)
        compose_results(o, item, &request);
    else
        compose_games(o, item, &request);
    o->call = http_start(o->loop, &request, on_answer, o);
}

static void on_timer(uv_timer_t *timer) {
    delivery_go_on(timer->data);
}

static void wake_at(Outbox *o, uint64_t when) {
    uint64_t now = uv_now(o->loop);
    if (when == NEVER)
        uv_timer_stop(&o->timer);
    else
        uv_timer_start(&o->timer, on_timer, when > now ? when - now : 0, 0);
}

static void look(Outbox *o) {
    uint64_t now = uv_now(o->loop);
    uint64_t first = NEVER;
    for (OutboxItem *item = o->items; item; item = item->next) {
        uint64_t when;
        Delivery what = due(item, now, &when);
        if (what != DELIVERY_NOTHING) {
            ask(o, item, what);
            return;
        }
        first = when < first ? when : first;
    }
    wake_at(o, first);
}

void delivery_look(Outbox *o) {
    if (!o->call && o->ready && !o->closing) {
        if (o->retry_at > uv_now(o->loop))
            wake_at(o, o->retry_at);
        else
            look(o);
    }
    outbox_sweep(o);
}

void delivery_go_on(Outbox *o) {
    if (o->closing) {
        outbox_try_close(o);
    } else {
        delivery_look(o);
        o->events->changed(o->user);
    }
}

/* ---- Answers ---- */

/* The batch is in the row's counts. */
static void added(OutboxItem *item) {
    Outbox *o = item->outbox;
    Tally batch = item->parcel.batch.tally;
    Text record = {0};
    log_debug(o->log, "test %" PRId64 ": %" PRId64 " games reported", item->parcel.head.test_id,
              tally_games(&batch));
    item->row->sending = NULL;
    backoff_reset(&item->refusals);
    parcel_added(&item->parcel);
    if (!item->loose_batch) {
        parcel_write_mark("added", &record);
        outbox_note(item, &record);
    }
    item->loose_batch = false;
    o->events->delivered(item->parcel.head.test_id, &batch, o->user);
}

static void count_in(Row *row, const Penta *batch) {
    for (int i = 0; i < PENTA_CELLS; i++)
        row->has.n[i] += batch->n[i];
}

/* What was sent may have been added, or may still be: the counts will tell. */
static void lost(OutboxItem *item, const Error *err) {
    Outbox *o = item->outbox;
    log_warn(o->log, "test %" PRId64 ": %s: its answer did not come (%s)",
             item->parcel.head.test_id, WORDS[DELIVERY_SEND], err->text);
    item->tries++;
    outbox_doubt(item);
    if (item->tries > BATCH_PATIENCE)
        item->again_at =
            uv_now(o->loop) + (uint64_t)backoff_next(&item->refusals, uv_hrtime() / MS_PER_SECOND);
}

static void got_receipt(OutboxItem *item, const ApiAnswer *answer) {
    Error err = {0};
    if (!api_is_receipt(answer)) {
        error_set(&err, "an answer to something else");
        lost(item, &err);
        return;
    }
    count_in(item->row, &item->parcel.batch.tally.penta);
    item->outbox->took_at = outbox_now(item->outbox);
    added(item);
    if (!api_read_stop(answer))
        return;
    int64_t test = item->parcel.head.test_id;
    /* Added, or thrown away as too late: it matters if the test is restarted. */
    outbox_doubt(item);
    outbox_drop(item->outbox, test);
    item->outbox->events->over(test, item->outbox->user);
}

/* The counts are believed. */
static void believe(OutboxItem *item, const Penta *counts) {
    Outbox *o = item->outbox;
    Row *row = item->row;
    const Parcel *parcel = &item->parcel;
    row->doubt = false;
    row->has = *counts;
    if (row->sending != item || !parcel->sending)
        return;
    switch (parcel_judge(&parcel->before, &parcel->batch.tally.penta, counts)) {
    case PARCEL_ABSENT:
        log_info(o->log,
                 "test %" PRId64 ": the server does not have the last %" PRId64
                 " games: sending them again",
                 parcel->head.test_id, tally_games(&parcel->batch.tally));
        break;
    case PARCEL_ADDED:
        log_info(o->log, "test %" PRId64 ": the server has the last %" PRId64 " games",
                 parcel->head.test_id, tally_games(&parcel->batch.tally));
        added(item);
        break;
    case PARCEL_STRANGE:
        outbox_park(item, "the server's counts fit neither with them nor without them");
        break;
    }
}

/* The counts of one moment. They may still be changing: only equal ones in a row are believed. */
static bool got_counts(OutboxItem *item, const ApiAnswer *answer, Error *err) {
    Outbox *o = item->outbox;
    Row *row = item->row;
    Penta counts;
    int64_t games;
    if (!api_read_test_results(answer, row->machine_id, &games, counts.n, err))
        return false;
    bool equal = row->readings > 0 && memcmp(&counts, &row->last, sizeof counts) == 0;
    row->readings = equal ? row->readings + 1 : 1;
    row->last = counts;
    if (row->readings < READINGS)
        row->read_at = uv_now(o->loop) + (uint64_t)o->config.waits.verify_again;
    else
        believe(item, &counts);
    return true;
}

/* A fault that passes. The first of a row is told, the others are details. */
static void try_later(Outbox *o, Backoff *backoff, uint64_t *when, const Error *err) {
    int64_t wait = backoff_next(backoff, uv_hrtime() / MS_PER_SECOND);
    *when = uv_now(o->loop) + (uint64_t)wait;
    void (*say)(Log *, const char *, ...) = backoff->faults == 1 ? log_warn : log_debug;
    say(o->log, "%s: %s: %s; trying again in %.1f s", o->config.account->base_url, WORDS[o->asked],
        err->text, (double)wait / MS_PER_SECOND);
}

/* The server says no. What it does not take today it may take tomorrow; then it is parked. */
static void refused(OutboxItem *item, const Error *err) {
    Outbox *o = item->outbox;
    Parcel *parcel = &item->parcel;
    int64_t now = outbox_now(o);
    int64_t rest;
    Text record = {0};
    if (o->asked == DELIVERY_SEND) {
        if (item->loose_batch) {
            item->row->sending = NULL;
            parcel_sum_add(&item->loose, &parcel->batch.tally, &parcel->batch.deltas);
            parcel_added(parcel);
            item->loose_batch = false;
        } else {
            outbox_note_withdrawn(item);
        }
    }
    if (!parcel->refusal.words) {
        parcel_refused(parcel, now, err->text);
        parcel_write_refused("refused", &parcel->refusal, &record);
        outbox_note(item, &record);
        log_error(o->log,
                  "test %" PRId64 ": %s: the server refuses: %s; %" PRId64
                  " games are kept, to be tried again",
                  parcel->head.test_id, WORDS[o->asked], err->text, outbox_item_games(item));
    }
    item->again_at =
        uv_now(o->loop) + (uint64_t)backoff_next(&item->refusals, uv_hrtime() / MS_PER_SECOND);
    if (is_long(o, parcel->refusal.at, &rest)) {
        Error why = {0};
        error_set(&why, "the server has refused them since long, lastly: %s", err->text);
        outbox_park(item, why.text);
    }
    if (o->asked == DELIVERY_SEND)
        o->events->refused(parcel->head.test_id, o->user);
}

/* It was asked, and no answer came that is one. That may pass; what does not while the server takes
 * others' results is parked. */
static void failed(OutboxItem *item, const Error *err) {
    Outbox *o = item->outbox;
    Parcel *parcel = &item->parcel;
    Text record = {0};
    Error why = {0};
    int64_t rest;
    if (o->asked == DELIVERY_SEND)
        lost(item, err);
    else
        try_later(o, &item->retry, &item->again_at, err);
    if (!parcel->failing.words) {
        parcel_failing(parcel, outbox_now(o), err->text);
        parcel_write_refused("failing", &parcel->failing, &record);
        outbox_note(item, &record);
    } else if (o->took_at > parcel->failing.at && is_long(o, parcel->failing.at, &rest)) {
        error_set(&why,
                  "the server takes others, but has answered them with faults since long, lastly: "
                  "%s",
                  err->text);
        outbox_park(item, why.text);
        if (o->asked != DELIVERY_UPLOAD)
            o->events->refused(parcel->head.test_id, o->user);
    }
}

/* An answer that is one. */
static void answered(OutboxItem *item, const ApiAnswer *answer) {
    Outbox *o = item->outbox;
    Error err = {0};
    if (o->asked == DELIVERY_READ && !got_counts(item, answer, &err)) {
        failed(item, &err);
        return;
    }
    backoff_reset(&item->retry);
    if (o->asked == DELIVERY_SEND)
        got_receipt(item, answer);
    if (o->asked == DELIVERY_UPLOAD) {
        log_debug(o->log, "test %" PRId64 ": the games of %" PRId64 " pairs uploaded",
                  item->parcel.head.test_id, item->parcel.pairs);
        o->took_at = outbox_now(o);
        item->done = true;
        if (api_read_stop(answer))
            o->events->over(item->parcel.head.test_id, o->user);
    }
}

static void judge(OutboxItem *item, const HttpResponse *response, const ApiAnswer *answer) {
    Outbox *o = item->outbox;
    bool reached = response->outcome == HTTP_DONE || response->sent;
    ApiVerdict verdict = answer->verdict;
    /* A redirect or a certificate: no words of the server's. */
    if (verdict == API_REFUSED && response->outcome != HTTP_DONE)
        verdict = API_RETRY;
    if (reached)
        backoff_reset(&o->unreachable);
    switch (verdict) {
    case API_OK:
        answered(item, answer);
        break;
    case API_RETRY:
        if (!reached)
            try_later(o, &o->unreachable, &o->retry_at, &answer->error);
        else
            failed(item, &answer->error);
        break;
    case API_REGISTER:
    case API_WRONG_VERSION:
        /* Registered anew in the meantime: ask again. */
        if (o->asked_as != o->config.account->machine_id)
            break;
        o->ready = false;
        o->events->stale(&answer->error, o->user);
        break;
    case API_REFUSED:
        refused(item, &answer->error);
        break;
    }
}

static void on_answer(HttpResponse *response, void *user) {
    Outbox *o = user;
    OutboxItem *item = o->asking;
    o->call = NULL;
    o->asking = NULL;
    if (!o->closing && o->asked == DELIVERY_SEND && item->parcel.over) {
        /* The test ended meanwhile: whatever the answer is, nobody asks any more. But the test may
         * be restarted, and the batch be in its counts or not. */
        item->row->sending = NULL;
        outbox_doubt(item);
    } else if (!o->closing) {
        ApiAnswer answer;
        api_judge(response, &answer);
        judge(item, response, &answer);
        api_answer_free(&answer);
    }
    delivery_go_on(o);
}

/* ---- How it stands ---- */

static bool is_hopeless(const OutboxItem *item, bool hurry) {
    const Row *row = item->row;
    bool stuck =
        item->queue.failed && !item->parcel.sending && tally_games(&item->loose.tally) == 0;
    if (item->parked || item->done || item->refusals.faults > 0 || stuck ||
        item->parcel.unproved_count)
        return true;
    if (hurry && (item->retry.faults > 0 || row->doubt))
        return true;
    if (row->sending && row->sending != item && is_hopeless(row->sending, hurry))
        return true;
    return item->retry.faults >= PATIENCE || item->tries >= BATCH_PATIENCE;
}

bool outbox_settled(const Outbox *o, bool hurry) {
    if (o->unreachable.faults >= (hurry ? 1 : PATIENCE))
        return true;
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (!is_hopeless(item, hurry) || o->asking == item)
            return false;
    return true;
}

const char *outbox_action(const Outbox *o, int64_t *wait_ms) {
    *wait_ms = -1;
    if (o->call)
        return WORDS[o->asked];
    if (!uv_is_active((const uv_handle_t *)&o->timer))
        return NULL;
    *wait_ms = (int64_t)uv_timer_get_due_in(&o->timer);
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->row->doubt && item->row->sending == item)
            return WORDS[DELIVERY_READ];
    return WORDS[DELIVERY_SEND];
}
