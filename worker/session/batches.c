/* SPDX-License-Identifier: MIT */
#include "session/batches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_PATIENCE = 5, /* Lost answers of a batch after which the batch is sent less often. */
    READINGS = 2,       /* Equal readings that settle a doubt. */
    /* So many faults end the reading of a new row. An answer that tells the rows begins the count
     * anew. */
    READ_PATIENCE = 16,
    /* Readings spoilt by other machines, or refused, after which a new row goes on without one. */
    MISMATCHES = 3,
    SPOILT_LONG = 10, /* Readings spoilt in a row after which the log says so. */
    /* How far the worker's and the server's clocks may be apart, in seconds. */
    CLOCKS_APART_S = 24 * 3600
};

/* ---- Rows that can send ---- */

/* Whether the item has waiting pairs, and a journal that can take their mark. */
static bool has_journaled(const OutboxItem *item) {
    return tally_games(&item->stored.parcel.waiting.tally) > 0 && !item->stored.queue.failed;
}

static bool can_join(const OutboxItem *item) {
    bool bulk = strcmp(item->stored.parcel.head.reporting, "BULK") == 0;
    if (!item_is_open(item) || item->stored.parcel.unproved_count || (bulk && !item->ended))
        return false;
    return item_has_batch(item) || has_journaled(item) || tally_games(&item->unjournaled.tally) > 0;
}

static bool wants_batch(const Outbox *o, const ServerCounts *c) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && can_join(item) &&
            (item->ended || item->report || item_has_batch(item)))
            return true;
    return false;
}

/* Whether any of the row's items has a batch that the server is not known to have. */
static bool has_batch(const Outbox *o, const ServerCounts *c) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && item_has_batch(item))
            return true;
    return false;
}

/* Whether the row has a batch that may or may not be among the test's counts. */
static bool is_open_question(const Outbox *o, const ServerCounts *c) {
    if (c->state == COUNTS_MARKING || c->state == COUNTS_READY)
        return true;
    return c->state == COUNTS_DOUBT && has_batch(o, c);
}

/* The row of the same test that this row waits for, or NULL. A row's share is known only while no
 * batch of another row may or may not be among the totals. */
static const ServerCounts *waits_for(const Outbox *o, const ServerCounts *c) {
    if (is_open_question(o, c))
        return NULL;
    for (const ServerCounts *other = o->counts; other; other = other->next)
        if (other != c && other->test_id == c->test_id && is_open_question(o, other))
            return other;
    return NULL;
}

/* ---- An older batch ---- */

/* Dissolves the row's batch. Its pairs from memory are unjournaled pairs again. */
static void release(const Outbox *o, ServerCounts *c) {
    for (OutboxItem *item = o->items; item; item = item->next) {
        Parcel *parcel = &item->stored.parcel;
        if (item->counts != c)
            continue;
        if (item->batch_unjournaled && parcel->sending) {
            parcel_sum_add(&item->unjournaled, &parcel->batch.tally, &parcel->batch.deltas);
            parcel_added(parcel);
        }
        item->member = false;
        item->batch_unjournaled = false;
    }
    c->earlier = false;
    c->remake = false;
    c->abandoned = false;
    c->state = COUNTS_QUIET;
}

static bool has_number(const BatchMark *mark) {
    return *mark->number != '\0';
}

/* Whether the server knows by the mark's number whether it has the batch. */
static bool is_remembered(const Outbox *o, const BatchMark *mark) {
    int64_t age = outbox_seconds(o) - mark->at;
    return o->config.account->knows_batches && age > -CLOCKS_APART_S &&
           age < API_BATCH_KEPT_S - CLOCKS_APART_S;
}

/* Whether the row's members are all that its batch was made of: every pair adds to the sum. */
static bool is_whole(const Outbox *o, const ServerCounts *c) {
    Penta sum = {0};
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && item->member && item_has_batch(item))
            penta_add(&sum, &item->stored.parcel.batch.tally.penta);
    return penta_equal(&sum, &c->mark.sum);
}

static bool is_same(const BatchMark *a, const BatchMark *b) {
    return strcmp(a->number, b->number) == 0 && penta_equal(&a->sum, &b->sum) &&
           penta_equal(&a->before.row, &b->before.row) &&
           penta_equal(&a->before.share, &b->before.share);
}

/* Makes the mark's batch the row's batch again. False: parts of the batch are missing, and the row
 * has no batch. */
static bool take_again(const Outbox *o, ServerCounts *c, const BatchMark *mark) {
    c->mark = *mark;
    for (OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c)
            item->member = item_has_batch(item) && is_same(&item->stored.parcel.mark, &c->mark);
    if (is_whole(o, c))
        return true;
    for (OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c)
            item->member = false;
    return false;
}

/* Whether a mark that was refused may be in one of the row's journals all the same: what was
 * written of the mark could not be taken back. */
static bool may_have_new_mark(const Outbox *o, const ServerCounts *c) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && item_is_stuck(item) && item->stored.journal.spoilt)
            return true;
    return false;
}

/* Has the batch of a stuck item sent again as it was. False: the row has no such batch. The row's
 * batches are known to be absent, so without numbers too the counts can tell whether the batch
 * arrives now. */
static bool repeat_stuck(const Outbox *o, ServerCounts *c) {
    if (may_have_new_mark(o, c))
        return false;
    for (const OutboxItem *item = o->items; item; item = item->next) {
        const BatchMark *mark = &item->stored.parcel.mark;
        if (item->counts != c || !item_is_stuck(item) ||
            (has_number(mark) && !is_remembered(o, mark)) || !take_again(o, c, mark))
            continue;
        c->state = COUNTS_READY;
        return true;
    }
    return false;
}

/* ---- A new batch ---- */

/* Has the row wait before its next batch if a stuck item holds it up. */
static void hold(const Outbox *o, ServerCounts *c) {
    int64_t games = 0;
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c)
            games += item_is_stuck(item) ? item_games(item) : 0;
    if (games == 0)
        return;
    if (!c->held)
        log_error(o->log,
                  "test %" PRId64 ": %" PRId64
                  " games cannot be sent, since the record of their new batch cannot be written: "
                  "look at the disk and its room; until then, or until the next start, no more "
                  "results of this "
                  "test are sent",
                  c->test_id, games);
    c->held = true;
    c->again_at = outbox_wait(o, &c->retry);
}

static void all_marked(const Outbox *o, ServerCounts *c) {
    if (c->remake || c->abandoned) {
        release(o, c);
        if (!repeat_stuck(o, c))
            hold(o, c);
    } else {
        c->state = COUNTS_READY;
    }
}

void batch_marked(OutboxItem *item, bool written) {
    ServerCounts *c = item->counts;
    c->remake = c->remake || !written;
    if (--c->marks == 0)
        all_marked(item->outbox, c);
}

/* Makes the item a member of a new batch, and adds its counts to the sum. The item joins with the
 * pairs of its journal, or with its unjournaled pairs. */
static void join(OutboxItem *item, Penta *sum) {
    const Parcel *parcel = &item->stored.parcel;
    item->member = true;
    item->report = false;
    item->batch_unjournaled = !parcel->sending && tally_games(&item->unjournaled.tally) > 0;
    if (item->batch_unjournaled) {
        penta_add(sum, &item->unjournaled.tally.penta);
        return;
    }
    if (parcel->sending)
        penta_add(sum, &parcel->batch.tally.penta);
    penta_add(sum, &parcel->waiting.tally.penta);
    penta_add(sum, &item->adding);
}

static void mark(OutboxItem *item) {
    ServerCounts *c = item->counts;
    Parcel *parcel = &item->stored.parcel;
    if (item->batch_unjournaled) {
        parcel->batch = item->unjournaled;
        item->unjournaled = (ParcelSum){0};
        parcel->mark = c->mark;
        parcel->sending = true;
        return;
    }
    Text record = {0};
    if (item_is_stuck(item))
        journal_queue_retry(&item->stored.queue);
    c->marks++;
    parcel_write_batch(&c->mark, &record);
    item_note(item, &(ItemNote){.kind = NOTE_BATCH, .mark = c->mark}, &record);
}

/* The mark of a new batch without its sum. */
static BatchMark new_mark(const Outbox *o, const ServerCounts *c) {
    BatchMark made = {.before = c->confirmed};
    if (o->config.account->knows_batches) {
        char *number = parcel_new_id();
        snprintf(made.number, sizeof made.number, "%s", number);
        made.at = outbox_seconds(o);
        free(number);
    }
    return made;
}

static void make_batch(Outbox *o, ServerCounts *c) {
    if (repeat_stuck(o, c))
        return;
    c->mark = new_mark(o, c);
    c->state = COUNTS_MARKING;
    for (OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && can_join(item))
            join(item, &c->mark.sum);
    c->marks = 1; /* This function's own count, while it hands out the marks. */
    for (OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && item->member)
            mark(item);
    if (--c->marks == 0)
        all_marked(o, c);
}

/* ---- A batch in doubt ---- */

void batch_doubt(const Outbox *o, ServerCounts *c) {
    c->state = COUNTS_DOUBT;
    c->step = READ_TOTALS;
    c->readings = 0;
    c->read_at = c->known ? outbox_in(o, o->config.waits.verify) : 0;
}

/* Has a batch in doubt sent again with its number, so that the server decides. */
static void send_again(const Outbox *o, ServerCounts *c) {
    for (const OutboxItem *item = o->items; item; item = item->next) {
        const BatchMark *mark = &item->stored.parcel.mark;
        if (item->counts != c || !item_has_batch(item) || !has_number(mark) ||
            !is_remembered(o, mark) || !take_again(o, c, mark))
            continue;
        c->earlier = true;
        c->state = COUNTS_READY;
        c->tries = c->tries ? c->tries : 1; /* The earlier process may have sent the batch. */
        return;
    }
}

/* A batch with a number goes out whole, with this number, to a server that remembers numbers, or
 * not at all: otherwise the counts decide what becomes of its pairs. */
static void settle_number(const Outbox *o, ServerCounts *c) {
    if (o->asking == c)
        return;
    if (c->state == COUNTS_DOUBT && c->known)
        send_again(o, c);
    else if (c->state == COUNTS_READY && has_number(&c->mark) &&
             !(is_remembered(o, &c->mark) && is_whole(o, c)))
        batch_doubt(o, c);
}

void batches_registered(const Outbox *o) {
    for (ServerCounts *c = o->counts; c; c = c->next) {
        c->known = false;
        c->mismatches = 0;
        backoff_reset(&c->retry);
        if (c->state == COUNTS_QUIET)
            c->state = COUNTS_UNREAD;
    }
}

void batches_make(Outbox *o) {
    for (ServerCounts *c = o->counts; c && o->ready; c = c->next)
        settle_number(o, c);
    for (ServerCounts *c = o->counts; c && o->ready; c = c->next)
        if (c->state == COUNTS_QUIET && c->again_at <= uv_now(o->loop) && wants_batch(o, c) &&
            !waits_for(o, c))
            make_batch(o, c);
}

/* ---- The outcome of a batch ---- */

/* Has the other rows of the test read again, since the test's totals have grown. */
static void unread_others(const Outbox *o, const ServerCounts *c) {
    for (ServerCounts *other = o->counts; other; other = other->next)
        if (other != c && other->test_id == c->test_id && other->state == COUNTS_QUIET)
            other->state = COUNTS_UNREAD;
}

/* Notes that the server has the item's batch. */
static void item_added(OutboxItem *item, Tally *delivered) {
    tally_add(delivered, &item->stored.parcel.batch.tally);
    parcel_added(&item->stored.parcel);
    if (!item->batch_unjournaled)
        item_add_mark(item, "added");
    item->batch_unjournaled = false;
}

static void tell_delivered(const Outbox *o, ServerCounts *c, const Tally *delivered) {
    log_debug(o->log, "test %" PRId64 ": %" PRId64 " games reported", c->test_id,
              tally_games(delivered));
    c->tries = 0;
    c->held = false;
    c->reported += tally_games(delivered);
    backoff_reset(&c->refusals);
    backoff_reset(&c->retry);
    unread_others(o, c);
    o->events->delivered(c->test_id, delivered, o->user);
}

/* Dissolves the row's batch, which is not under way. When an answer to it was lost, the counts have
 * to tell whether the batch was added. */
static void give_up(const Outbox *o, ServerCounts *c) {
    bool open = c->tries > 0;
    release(o, c);
    if (open)
        batch_doubt(o, c);
}

void batches_drop(const Outbox *o, int64_t test_id) {
    for (OutboxItem *item = o->items; item; item = item->next) {
        Parcel *parcel = &item->stored.parcel;
        int64_t games = item_games(item);
        if (parcel->head.test_id != test_id || parcel->over || item->parked)
            continue;
        if (games)
            log_info(o->log, "test %" PRId64 ": %" PRId64 " games came too late", test_id, games);
        if (parcel->unproved_count) {
            item_discard(item);
            continue;
        }
        parcel_over(parcel);
        parcel_sum_free(&item->unjournaled);
        item_add_mark(item, "over");
    }
    for (ServerCounts *c = o->counts; c; c = c->next) {
        if (c->test_id != test_id)
            continue;
        if (c->state == COUNTS_MARKING || (c->state == COUNTS_READY && o->asking == c))
            c->abandoned = true;
        else if (c->state == COUNTS_READY)
            give_up(o, c);
    }
}

bool batch_is_hopeless(const Outbox *o, const ServerCounts *c, bool hurry) {
    const ServerCounts *other = waits_for(o, c);
    bool troubled = c->retry.faults > 0 || c->state == COUNTS_DOUBT;
    return c->refusals.faults > 0 || (hurry && troubled) || c->retry.faults >= OUTBOX_PATIENCE ||
           c->tries >= BATCH_PATIENCE || (other && batch_is_hopeless(o, other, hurry));
}

bool batch_is_going_out(const Outbox *o, const ServerCounts *c) {
    return c->state == COUNTS_MARKING ||
           (c->state == COUNTS_READY && c->again_at <= uv_now(o->loop));
}

bool batch_is_doubtful(const Outbox *o, const ServerCounts *c) {
    const ServerCounts *other = waits_for(o, c);
    return (other ? other : c)->state == COUNTS_DOUBT;
}

void batches_hurry(const Outbox *o) {
    for (ServerCounts *c = o->counts; c; c = c->next) {
        if (c->state == COUNTS_DOUBT)
            continue;
        c->again_at = c->read_at = 0;
        backoff_reset(&c->retry);
    }
}

/* Notes that the server refuses a request about the row. The results are tried again, and parked
 * when they are refused for a day. */
static void refused(Outbox *o, ServerCounts *c, const char *name, const Error *err) {
    int64_t games = 0;
    bool useless = false;
    for (OutboxItem *item = o->items; item; item = item->next) {
        int64_t of_item = item_games(item);
        if (item->counts != c || !can_join(item))
            continue;
        games += item_refused(item, err) ? of_item : 0;
        useless = useless || (item->parked && !item->ended);
    }
    if (games)
        log_error(o->log,
                  "test %" PRId64 ": %s: the server refuses: %s; %" PRId64
                  " games are kept, to be tried again",
                  c->test_id, name, err->text, games);
    c->again_at = outbox_wait(o, &c->refusals);
    if (useless)
        o->events->refused(c->test_id, o->user);
}

/* Notes that a request about the row had no proper answer. After a day of such faults, in which the
 * server took other results, the row's results are parked. */
static void failed(Outbox *o, const ServerCounts *c, const Error *err) {
    bool parked = false;
    for (OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && can_join(item))
            parked = item_failed(item, err) || parked;
    if (parked)
        o->events->refused(c->test_id, o->user);
}

static void stale(Outbox *o, const Error *err) {
    o->ready = false;
    o->events->stale(err, o->user);
}

/* ---- Reading the counts ---- */

/* Settles the fate of the row's batches by the counts. */
static void believe(Outbox *o, ServerCounts *c, const Counts *now) {
    Tally delivered = {0};
    int64_t absent = 0;
    bool useless = false;
    for (OutboxItem *item = o->items; item; item = item->next) {
        const Parcel *parcel = &item->stored.parcel;
        if (item->counts != c || !item_has_batch(item))
            continue;
        switch (counts_judge(&parcel->mark, now)) {
        case BATCH_ADDED:
            item_added(item, &delivered);
            break;
        case BATCH_ABSENT:
            absent += tally_games(&parcel->batch.tally);
            break;
        case BATCH_UNCLEAR:
            item_park(item, "the server's counts do not show whether they were added");
            useless = useless || !item->ended;
            break;
        }
    }
    release(o, c);
    c->confirmed = *now;
    if (absent)
        log_info(o->log,
                 "test %" PRId64 ": the server does not have the last %" PRId64
                 " games: sending them again",
                 c->test_id, absent);
    if (tally_games(&delivered)) {
        log_info(o->log, "test %" PRId64 ": the server has the last %" PRId64 " games", c->test_id,
                 tally_games(&delivered));
        tell_delivered(o, c, &delivered);
    }
    if (useless)
        o->events->refused(c->test_id, o->user);
}

/* Goes on without a whole reading of a new row. The row is then as the last answer told it, and
 * empty where none came; the share is not known. A later doubt about its first batch may remain
 * unclear (session/counts.h). What an empty row had before may pass for that batch. */
static void take_unread(ServerCounts *c) {
    c->confirmed.has_share = false;
    c->known = true;
    c->mismatches = 0;
    c->state = COUNTS_QUIET;
}

/* Takes a complete reading: totals, rows and the same totals again. */
static void got_reading(Outbox *o, ServerCounts *c) {
    Counts now = {.row = c->rows.own, .has_share = true};
    for (int i = 0; i < PENTA_CELLS; i++)
        now.share.n[i] = c->totals.n[i] - c->rows.others.n[i];
    bool equal = c->readings > 0 && penta_equal(&now.row, &c->last.row) &&
                 penta_equal(&now.share, &c->last.share);
    c->step = READ_TOTALS;
    backoff_reset(&c->retry);
    c->mismatches = 0;
    c->readings = equal ? c->readings + 1 : 1;
    c->last = now;
    if (c->state == COUNTS_UNREAD || c->readings >= READINGS)
        believe(o, c, &now);
    else
        c->read_at = outbox_in(o, o->config.waits.verify_again);
}

static int64_t spoilt_wait(const SessionWaits *waits, int mismatches) {
    int64_t wait = mismatches * waits->retry_first;
    return wait < waits->retry_max ? wait : waits->retry_max;
}

/* Others have added results during the reading, or the server refuses to tell a new row's counts,
 * or which test this is. The reading begins anew after a wait: with new totals, since others go on
 * adding during the wait. */
static void reading_spoilt(const Outbox *o, ServerCounts *c) {
    c->step = READ_TOTALS;
    if (++c->mismatches == SPOILT_LONG)
        log_warn(o->log,
                 "test %" PRId64 ": the server's counts change during each reading, since other "
                 "machines report results: the results of this test wait until a reading is whole",
                 c->test_id);
    bool enough = c->mismatches >= MISMATCHES;
    if (enough && c->state == COUNTS_UNREAD) {
        take_unread(c);
    } else if (enough && !c->known) {
        c->known = true;
        c->mismatches = 0;
    } else {
        c->read_at = outbox_in(o, spoilt_wait(&o->config.waits, c->mismatches));
    }
}

static void got_totals(Outbox *o, ServerCounts *c, const Penta *totals) {
    if (c->step == READ_TOTALS) {
        c->totals = *totals;
        c->step = READ_ROWS;
    } else if (penta_equal(totals, &c->totals)) {
        got_reading(o, c);
    } else {
        reading_spoilt(o, c);
    }
}

/* Parks the parcels of another test: a server with a new database gives the numbers anew. */
static void recognise(Outbox *o, ServerCounts *c, const ApiAnswer *answer) {
    ApiTestNames test;
    bool in_play = false;
    api_read_test_names(answer, &test);
    c->known = true;
    for (OutboxItem *item = o->items; item; item = item->next) {
        const RecordWorkload *head = &item->stored.parcel.head;
        Error why = {0};
        if (item->counts != c || !item_is_open(item) || item_is_of(item, &test))
            continue;
        if (c->state == COUNTS_READY)
            give_up(o, c);
        error_set(&why,
                  "the server's test of this number is another one (%s, '%.60s' against '%.60s'), "
                  "and the games are of '%.60s' against '%.60s' (%s)",
                  test.mode, test.dev, test.base, head->dev, head->base, head->type);
        in_play = in_play || !item->ended;
        item_park(item, why.text);
    }
    if (in_play)
        o->events->over(c->test_id, o->user);
}

static bool take_part(Outbox *o, ServerCounts *c, const ApiAnswer *answer, Error *err) {
    Penta totals;
    if (c->step == READ_ROWS) {
        if (!api_read_test_results(answer, c->machine_id, &c->rows, err))
            return false;
        /* Only this worker adds to the row: its counts hold also where the reading is spoilt. */
        if (c->state == COUNTS_UNREAD)
            c->confirmed.row = c->rows.own;
        backoff_reset(&c->retry);
        c->step = READ_TOTALS_AGAIN;
        return true;
    }
    if (!api_read_test_pairs(answer, &totals, err))
        return false;
    bool fresh = !c->known;
    recognise(o, c, answer);
    if (fresh && c->state != COUNTS_UNREAD) {
        c->step = READ_TOTALS;
        c->read_at = outbox_in(o, o->config.waits.verify);
    } else {
        got_totals(o, c, &totals);
    }
    return true;
}

/* After the wait the reading begins anew, as a spoilt one does. A batch that only waits to be known
 * stays whole: no member of it is parked for such a fault. */
static void reading_failed(Outbox *o, ServerCounts *c, const Error *err) {
    c->step = READ_TOTALS;
    c->again_at = outbox_later(o, &c->retry, batches_read_request.name, err);
    c->known = c->known || c->retry.faults >= READ_PATIENCE;
    if (c->state == COUNTS_UNREAD && c->retry.faults >= READ_PATIENCE)
        take_unread(c);
    else if (c->state != COUNTS_READY)
        failed(o, c, err);
}

/* The row to be read now, or NULL; *when is then lowered to the time of the next reading. */
static ServerCounts *next_reading(const Outbox *o, uint64_t now, uint64_t *when) {
    for (ServerCounts *c = o->counts; o->ready && c; c = c->next) {
        bool unknown = c->state == COUNTS_UNREAD || c->state == COUNTS_DOUBT ||
                       (c->state == COUNTS_READY && !c->known);
        uint64_t at = c->again_at > c->read_at ? c->again_at : c->read_at;
        if (!unknown || waits_for(o, c) || !(is_open_question(o, c) || wants_batch(o, c)))
            continue;
        if (at <= now)
            return c;
        *when = at < *when ? at : *when;
    }
    return NULL;
}

static bool reading_due(void *owner, uint64_t now, uint64_t *when) {
    return next_reading(owner, now, when) != NULL;
}

static void compose_reading(void *owner, HttpRequest *request) {
    Outbox *o = owner;
    uint64_t when = UINT64_MAX;
    o->asking = next_reading(o, uv_now(o->loop), &when);
    if (o->asking->step == READ_ROWS)
        api_test_results(o->config.account, o->asking->test_id, request);
    else
        api_test_info(o->config.account, o->asking->test_id, request);
}

static void reading_answered(void *owner, RequestOutcome outcome, const ApiAnswer *answer) {
    Outbox *o = owner;
    ServerCounts *c = o->asking;
    Error err = answer->error;
    o->asking = NULL;
    if (c->abandoned) { /* The test ended during the reading, and the batch waited for it. */
        give_up(o, c);
        return;
    }
    switch (outcome) {
    case REQUEST_ANSWERED:
        if (!take_part(o, c, answer, &err))
            reading_failed(o, c, &err);
        break;
    case REQUEST_REFUSED:
        if (c->state == COUNTS_UNREAD || !c->known) {
            reading_spoilt(o, c);
            break;
        }
        c->step = READ_TOTALS;
        refused(o, c, batches_read_request.name, &err);
        break;
    case REQUEST_FAULT:
        reading_failed(o, c, &err);
        break;
    case REQUEST_STALE:
        stale(o, &err);
        break;
    case REQUEST_UNDONE:
        break;
    }
}

const Request batches_read_request = {.name = "reading the test's counts",
                                      .due = reading_due,
                                      .compose = compose_reading,
                                      .answered = reading_answered};

/* ---- Sending ---- */

static ServerCounts *next_sending(const Outbox *o, uint64_t now, uint64_t *when) {
    for (ServerCounts *c = o->counts; o->ready && c; c = c->next) {
        /* batches_make will have made a due batch by that time. */
        bool waits = c->state == COUNTS_QUIET && wants_batch(o, c) && !waits_for(o, c);
        bool ready = c->state == COUNTS_READY && c->known;
        if (ready && c->again_at <= now)
            return c;
        if (ready || waits)
            *when = c->again_at < *when ? c->again_at : *when;
    }
    return NULL;
}

static bool sending_due(void *owner, uint64_t now, uint64_t *when) {
    return next_sending(owner, now, when) != NULL;
}

static void compose_sending(void *owner, HttpRequest *request) {
    Outbox *o = owner;
    uint64_t when = UINT64_MAX;
    ParcelSum sum = {0};
    Text deltas = {0};
    ApiResults results = {0};
    o->asking = next_sending(o, uv_now(o->loop), &when);
    for (const OutboxItem *item = o->items; item; item = item->next) {
        const Parcel *parcel = &item->stored.parcel;
        if (item->counts != o->asking || !item->member)
            continue;
        parcel_sum_add(&sum, &parcel->batch.tally, &parcel->batch.deltas);
        results.test_id = parcel->head.test_id;
        results.result_id = parcel->head.result_id;
    }
    parcel_write_deltas(&sum, &deltas);
    results.losses = sum.tally.losses;
    results.draws = sum.tally.draws;
    results.wins = sum.tally.wins;
    results.penta = sum.tally.penta;
    results.crashes = sum.tally.crashes;
    results.timelosses = sum.tally.timelosses;
    results.illegals = sum.tally.illegals;
    results.spsa_delta = text_string(&deltas);
    results.batch = has_number(&o->asking->mark) ? o->asking->mark.number : NULL;
    api_submit_results(o->config.account, &results, request);
    text_free(&deltas);
    parcel_sum_free(&sum);
}

/* The answer to a batch is lost. A batch with a number is sent again. Otherwise the counts will
 * tell whether the batch was added. */
static void lost(Outbox *o, ServerCounts *c, const Error *err) {
    if (has_number(&c->mark)) {
        c->tries++;
        c->again_at = outbox_later(o, &c->retry, batches_send_request.name, err);
        failed(o, c, err);
        return;
    }
    log_warn(o->log,
             "test %" PRId64
             ": %s: no proper answer came (%s): the test's counts will tell whether the server has "
             "these results",
             c->test_id, batches_send_request.name, err->text);
    c->tries++;
    batch_doubt(o, c);
    if (c->tries > BATCH_PATIENCE)
        c->again_at = outbox_wait(o, &c->refusals);
    failed(o, c, err);
}

static void got_receipt(Outbox *o, ServerCounts *c, const ApiAnswer *answer) {
    Error err = {0};
    Tally delivered = {0};
    if (!api_is_receipt(answer)) {
        error_set(&err, "the answer belongs to another request");
        lost(o, c, &err);
        return;
    }
    bool earlier = c->earlier;
    counts_add(&c->confirmed, &c->mark.sum);
    o->takings++;
    for (OutboxItem *item = o->items; item; item = item->next)
        if (item->counts == c && item->member && item_has_batch(item))
            item_added(item, &delivered);
    release(o, c);
    tell_delivered(o, c, &delivered);
    /* The row may have grown between the mark of a batch that was sent again and its receipt. And
     * a batch of an earlier process may remain, which was not part of this one. */
    if (earlier || has_batch(o, c))
        batch_doubt(o, c);
    if (!api_read_stop(answer))
        return;
    /* The batch was added, or dropped as too late. The difference matters if the test is restarted.
     */
    batch_doubt(o, c);
    batches_drop(o, c->test_id);
    o->events->over(c->test_id, o->user);
}

static void sending_answered(void *owner, RequestOutcome outcome, const ApiAnswer *answer) {
    Outbox *o = owner;
    ServerCounts *c = o->asking;
    o->asking = NULL;
    if (c->abandoned) {
        /* Nobody waits for the answer any more. But the test may be restarted, and its counts may
         * include the batch or not. */
        release(o, c);
        batch_doubt(o, c);
        return;
    }
    switch (outcome) {
    case REQUEST_ANSWERED:
        got_receipt(o, c, answer);
        break;
    case REQUEST_REFUSED:
        c->known = false;
        if (!has_number(&c->mark))
            give_up(o, c);
        refused(o, c, batches_send_request.name, &answer->error);
        o->events->refused(c->test_id, o->user);
        break;
    case REQUEST_FAULT:
        lost(o, c, &answer->error);
        break;
    case REQUEST_STALE:
        stale(o, &answer->error);
        break;
    case REQUEST_UNDONE:
        break;
    }
}

const Request batches_send_request = {.name = "reporting results",
                                      .due = sending_due,
                                      .compose = compose_sending,
                                      .answered = sending_answered};
