/* SPDX-License-Identifier: MIT */
/* A parcel: one workload's results on their way to the server, as its journal (base/journal.h)
 * tells them. Pure: records in, counts out; outbox.h keeps the journals and delivers.
 *
 * A record is a JSON object whose "kind" is one of
 *
 *   head       first, once: whose results these are (results/record.h). Neither password nor secret
 *              is in it
 *   unproved   before any pair: whether an engine of these bytes has this bench is not known, and
 *              nothing of the pairs is told before it is
 *   proved     it has
 *   dropped    it has not: the pairs are nobody's
 *   pair       a finished pair (results/pair.h)
 *   batch      the pairs before it that the server is not known to have are a batch now, and may be
 *              sent from here on, in one submission with what other parcels of the test and machine
 *              have. "before", "share": what the server then had of this test and machine
 *              (session/counts.h); "sum": the counts of the whole submission. A later batch takes
 *              the place of one that was neither added nor withdrawn, and has its pairs too
 *   added      the server has the batch
 *   withdrawn  the server has refused the batch: its pairs are in none again (versions 1 and 2)
 *   refused    when the server first said no, and its words
 *   failing    when a request for the batch, or before it, first had no answer that is one, and
 *              what came instead
 *   parked     nothing more is tried of it; its journal is about to be put aside
 *   resumed    when it was taken up again because somebody had put it back: a day of refusals, of
 *              faults or without a proof begins anew
 *   over       the test is over: the server wants no more results
 *
 * A pair counts once, by its number: a record that repeats one is passed over. Two journals with
 * equal heads are of one parcel: each head has a random "id" (versions 1 and 2 had none).
 *
 * Records of other kinds are passed over: a later version may add some. What a parcel is after a
 * crash is what its records make of it, by the same functions that made it before. */
#ifndef WORKER_SESSION_PARCEL_H
#define WORKER_SESSION_PARCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/text.h"
#include "results/record.h"
#include "session/counts.h"
#include "stats/stats.h"

/* PARCEL_PAIRS_MAX: no workload has so many. */
enum { PARCEL_BENCHES = 2, PARCEL_PAIRS_MAX = 1 << 24 };

/* An engine, by the SHA-256 of its bytes, and the node count that its bench must have. */
typedef struct {
    char *sha256;
    int64_t bench;
} ParcelBench;

/* Several pairs together. */
typedef struct {
    Tally tally;
    RealList deltas;
} ParcelSum;

typedef struct {
    int64_t at; /* Unix time. */
    char *words;
} ParcelRefusal;

/* All zero is empty. */
typedef struct {
    RecordWorkload head;
    int64_t pairs;     /* That were taken. */
    uint8_t *seen;     /* A bit a pair, by its number. */
    size_t seen_size;  /* Bytes. */
    bool has_games;    /* Some came with their PGN. */
    ParcelSum waiting; /* In no batch. */
    ParcelSum batch;   /* Meaningful while `sending`. */
    bool sending;      /* The batch may have been sent, and the server is not known to have it. */
    BatchMark mark;    /* The counts that were known when the batch was made. */
    ParcelRefusal refusal; /* words NULL: none since the last success. */
    ParcelRefusal failing; /* The same, but for requests without an answer that is one. */
    ParcelBench unproved[PARCEL_BENCHES];
    size_t unproved_count; /* While it is not 0 there are no batches. */
    bool parked;
    int64_t resumed; /* Unix time; 0: the parcel was never taken up again. */
    bool over;
    bool dropped; /* With `over`: there are no games to upload either. */
} Parcel;

void parcel_free(Parcel *parcel);

void parcel_sum_add(ParcelSum *sum, const Tally *tally, const RealList *deltas);
void parcel_sum_free(ParcelSum *sum);

/* The deltas as servers read them, "[1.5, -2]"; "" without. Appended. */
void parcel_write_deltas(const ParcelSum *sum, Text *out);

/* A new random "id" for a head; allocated. */
char *parcel_new_id(void);

/* Whether two heads are of one parcel. */
bool parcel_is_same(const RecordWorkload *a, const RecordWorkload *b);

/* The events of a parcel. */

/* False: the parcel has a pair of this number, and keeps that one. */
bool parcel_take_pair(Parcel *parcel, const PairResult *pair);
/* Everything that waits, and a batch that was not added, is the batch now. */
void parcel_make_batch(Parcel *parcel, const BatchMark *mark);
void parcel_added(Parcel *parcel);
void parcel_refused(Parcel *parcel, int64_t at, const char *words);
void parcel_failing(Parcel *parcel, int64_t at, const char *words);
void parcel_parked(Parcel *parcel);
void parcel_resumed(Parcel *parcel, int64_t at);
void parcel_over(Parcel *parcel);
/* False: the parcel waits for as many benches as it can. */
bool parcel_unproved(Parcel *parcel, const ParcelBench *bench);
/* False: the parcel does not wait for this bench. */
bool parcel_proved(Parcel *parcel, const ParcelBench *bench);
void parcel_dropped(Parcel *parcel);

/* The records of these events, without a line end. Appended. */
void parcel_write_batch(const BatchMark *mark, Text *out);
/* "added", "parked", "over", "dropped" */
void parcel_write_mark(const char *kind, Text *out);
void parcel_write_resumed(int64_t at, Text *out);
void parcel_write_bench(const char *kind, const ParcelBench *bench, Text *out); /* "(un)proved" */
/* "refused", "failing" */
void parcel_write_refused(const char *kind, const ParcelRefusal *refusal, Text *out);

/* Reads a record and applies the record to *parcel. `pgn`, when not NULL, gets a pair's games
 * appended. The error names the member; a head of a later version is one. */
bool parcel_take_record(Parcel *parcel, const char *text, size_t length, Text *pgn, Error *err);

#endif
