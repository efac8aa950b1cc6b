/* SPDX-License-Identifier: MIT */
/* A parcel: the results of one workload on their way to the server, as the records of its journal
 * (base/journal.h) tell them. Pure: records in, counts out; outbox.h keeps the journals and
 * delivers.
 *
 * A record is a JSON object whose "kind" is one of
 *
 *   head       first, once: the workload of these results (results/record.h), without password and
 *              secret
 *   unproved   before any pair: an engine of these bytes must have this bench, and no pair is sent
 *              before a proof
 *   proved     the engine has the bench
 *   dropped    the engine has another bench: the pairs do not count
 *   pair       a finished pair (results/pair.h)
 *   batch      all pairs before this record that the server is not known to have are a batch, which
 *              may be sent from now on, in one submission with the batches of other parcels of the
 *              test and machine. "before", "share": the server's counts of this test and machine
 *              (session/counts.h); "sum": the counts of the whole submission; "number", "at": where
 *              the server knows numbers, the submission's number and the time when the batch was
 *              made. A later batch replaces one that was neither added nor withdrawn, and has its
 *              pairs too
 *   added      the server has the batch
 *   withdrawn  the server has refused the batch: its pairs are in no batch again. Since version 3
 *              only before the journal is parked: an older refused batch keeps its mark
 *   refused    the time of the server's first refusal, and its words
 *   failing    the time at which a request for the batch, or before the batch, first had no proper
 *              answer, and the error
 *   parked     no more tries are made; the journal is about to be moved aside
 *   resumed    the time at which a parked journal was taken up again, because somebody had moved
 *              the file back: a day of refusals, of faults or without a proof begins anew
 *   over       the test is over: the server wants no more results
 *
 * A pair counts once, by its number: a record that repeats a pair is passed over. Two journals with
 * equal heads are of one parcel: each head has a random "id" (versions 1 and 2 had none).
 *
 * Records of other kinds are passed over: a later version may add kinds. After a crash the records
 * make the parcel again, by the same functions as before the crash. */
#ifndef WORKER_SESSION_PARCEL_H
#define WORKER_SESSION_PARCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/text.h"
#include "results/record.h"
#include "session/counts.h"
#include "stats/stats.h"

enum { PARCEL_BENCHES = 2 };

/* An engine, by the SHA-256 of its bytes, and the node count that its bench must have. */
typedef struct {
    char *sha256;
    int64_t bench;
} ParcelBench;

/* The sum of several pairs. */
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
    int64_t pairs;         /* Pairs taken. */
    uint8_t *seen;         /* One bit for each taken pair, by its number. */
    size_t seen_size;      /* Bytes. */
    bool has_games;        /* Some pairs came with their PGN. */
    ParcelSum waiting;     /* Pairs in no batch. */
    ParcelSum batch;       /* Meaningful while `sending`. */
    bool sending;          /* The batch may have been sent, and is not known to be added. */
    BatchMark mark;        /* The batch's mark. */
    ParcelRefusal refusal; /* The first refusal since the last success; words NULL: none. */
    /* The first request without a proper answer since the last success; words NULL: none. */
    ParcelRefusal failing;
    ParcelBench unproved[PARCEL_BENCHES];
    size_t unproved_count; /* While not 0, no batches are made. */
    bool parked;
    int64_t resumed; /* Unix time; 0: the parcel was never taken up again. */
    bool over;
    bool dropped; /* With `over`: the games are not uploaded either. */
} Parcel;

void parcel_free(Parcel *parcel);

void parcel_sum_add(ParcelSum *sum, const Tally *tally, const RealList *deltas);
void parcel_sum_free(ParcelSum *sum);

/* Appends the deltas in the servers' form, "[1.5, -2]"; "" without deltas. */
void parcel_write_deltas(const ParcelSum *sum, Text *out);

/* A new random "id" for a head, or a batch's number; allocated. */
char *parcel_new_id(void);

/* Whether two heads are of one parcel. */
bool parcel_is_same(const RecordWorkload *a, const RecordWorkload *b);

/* The events of a parcel. */

/* Takes a pair. False: the parcel already has a pair with this number, and keeps that pair. */
bool parcel_take_pair(Parcel *parcel, const PairResult *pair);
/* Makes a batch of all waiting pairs and of the pairs of a batch that was not added. */
void parcel_make_batch(Parcel *parcel, const BatchMark *mark);
void parcel_added(Parcel *parcel);
/* Puts the pairs of the batch, which the server does not have, back among the waiting pairs. */
void parcel_withdrawn(Parcel *parcel);
void parcel_refused(Parcel *parcel, int64_t at, const char *words);
void parcel_failing(Parcel *parcel, int64_t at, const char *words);
void parcel_parked(Parcel *parcel);
void parcel_resumed(Parcel *parcel, int64_t at);
void parcel_over(Parcel *parcel);
/* Adds a bench to be proved. False: the parcel already waits for PARCEL_BENCHES benches. */
bool parcel_unproved(Parcel *parcel, const ParcelBench *bench);
/* Notes that a bench is proved. False: the parcel does not wait for this bench. */
bool parcel_proved(Parcel *parcel, const ParcelBench *bench);
void parcel_dropped(Parcel *parcel);

/* Append the records of these events, without a line end. */
void parcel_write_batch(const BatchMark *mark, Text *out);
/* "added", "withdrawn", "parked", "over", "dropped" */
void parcel_write_mark(const char *kind, Text *out);
void parcel_write_resumed(int64_t at, Text *out);
void parcel_write_bench(const char *kind, const ParcelBench *bench, Text *out); /* "(un)proved" */
/* "refused", "failing" */
void parcel_write_refused(const char *kind, const ParcelRefusal *refusal, Text *out);

/* Reads a record and applies it to *parcel. A pair's games are appended to `pgn`, if not NULL. The
 * error names the member; the head of a later version is an error too. */
bool parcel_take_record(Parcel *parcel, const char *text, size_t length, Text *pgn, Error *err);

#endif
