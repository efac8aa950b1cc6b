/* SPDX-License-Identifier: MIT */
/* The records of the two journals (base/journal.h) that hold pairs: that of a match without a
 * server, and that of a workload on its way to the server. A record is a JSON object whose "kind"
 * is one of
 *
 *   head  first, once: the settings of the match, or the workload
 *   run   in a match's journal each time the match is started or resumed: when, on which machine
 *   pair  a finished pair (results/pair.h), in the order of finishing; it counts from then on
 *
 * Records of other kinds are passed over. session/parcel.h lists those of a worker's journal. */
#ifndef RESULTS_RECORD_H
#define RESULTS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "base/side.h"
#include "results/pair.h"
#include "stats/sprt.h"
#include "stats/tuning.h"

/* One engine of the match. */
typedef struct {
    char *name;
    char *spec; /* As it was asked for: "lmr:KILLER=0". */
    /* Of an engine that was built from a commit; else NULL: */
    char *repository; /* the repository's folder, */
    char *commit;     /* the commit's full name, */
    char *subject;    /* and the first line of its message; */
    char *changes;    /* the SHA-256 of what was not committed, NULL: nothing. */
    char *program;    /* The executable's path ... */
    char *sha256;     /* ... and its digest, which is what matters. */
    Words arguments;  /* Those after the program. */
    Words options;    /* "Hash=16", in the order of setting. */
    char *tc;         /* As timecontrol_format writes it. */
} RecordEngine;

/* What a tuning by SPSA is made with. */
typedef struct {
    Words parameters; /* As spsa_write_parameter writes them. None: the match is no tuning. */
    SpsaSchedule schedule;
    int64_t overlap; /* Iterations in play at a time. */
} RecordTuning;

typedef struct {
    int64_t version; /* Of the records: RECORD_VERSION. */
    int64_t created; /* Unix time. */
    RecordEngine engines[SIDE_COUNT];
    struct {
        char *file;
        char *sha256;
        int64_t openings;
    } book;
    bool chess960;
    int64_t seed;
    int64_t start;
    bool sequential; /* Openings in the order of the book's file. */
    int64_t plies;   /* Of each opening at most; 0: all. */
    int64_t margin;  /* Milliseconds. */
    char *win_adj;   /* The rules as given. */
    char *draw_adj;
    int64_t moves_max; /* Of each side in a game; 0: no limit. */
    char *syzygy;      /* NULL: no tables. */
    int64_t syzygy_men;
    bool sprt; /* Is there a rule? */
    SprtRule rule;
    int64_t games; /* --games, 0 without. */
    bool restart;  /* The engines are started anew for each game. */
    bool pgn;      /* Pairs come with their games' PGN. */
    RecordTuning tuning;
} RecordHead;

/* Up to version 1 games had the words of their ending. */
enum { RECORD_VERSION = 2 };

typedef struct {
    int64_t started; /* Unix time. */
    char *host;
    char *cpu;
    int64_t cpus; /* Logical ones. */
    int64_t concurrency;
} RecordRun;

/* What a worker's journal is about: a workload of a server's test. Strings are allocated. */
typedef struct {
    int64_t version; /* Of the records: WORKLOAD_RECORD_VERSION. */
    int64_t created; /* Unix time. */
    char *id;        /* Random, of the workload's journal; NULL in versions 1 and 2. */
    char *server;    /* Its base URL. */
    char *user;
    char *host; /* On which the games were played. */
    int64_t test_id;
    int64_t machine_id; /* Whose row of the test's counts they go to, ... */
    int64_t result_id;  /* ... which the server calls this. */
    int64_t book_index;
    char *type; /* Of the test: "SPRT". */
    char *dev;  /* The branches. */
    char *base;
    char *reporting;   /* "", "BATCHED", "BULK". */
    char *upload_pgns; /* "FALSE", "COMPACT", "VERBOSE". */
} RecordWorkload;

/* Version 1 knew no "unproved", "proved" and "dropped". Up to version 2 pairs had no games,
 * heads no "id", and each batch was a submission of its own, without "share" and "sum". */
enum { WORKLOAD_RECORD_VERSION = 3 };

typedef enum {
    RECORD_OTHER,
    RECORD_HEAD,     /* Of a match's journal. */
    RECORD_WORKLOAD, /* The head of a worker's journal. */
    RECORD_RUN,
    RECORD_PAIR,
    RECORD_OVER,   /* Of a worker's journal: the test is over. */
    RECORD_DROPPED /* Of a worker's journal: an engine's bench was wrong, and no pair counts. */
} RecordKind;

/* A record as read; the field of its kind is filled. All zero is empty. */
typedef struct {
    RecordKind kind;
    RecordHead head;
    RecordWorkload workload;
    RecordRun run;
    PairResult pair;
} Record;

/* Appends the record without a line end. */
void record_write_head(const RecordHead *head, Text *out);
void record_write_run(const RecordRun *run, Text *out);
void record_write_workload(const RecordWorkload *workload, Text *out);

/* Reads a record into *out, which must be all zero; free it with record_free, also after a failure.
 * The error names the member. */
bool record_read(const char *text, size_t length, Record *out, Error *err);

/* The same for the head of a worker's journal. */
bool record_read_workload(const cJSON *object, RecordWorkload *workload, Error *err);

void record_free(Record *record);
void record_free_head(RecordHead *head);
void record_free_run(RecordRun *run);
void record_free_workload(RecordWorkload *workload);

/* May a match of these settings go on with a journal that was begun with those? Compares what
 * decides how games are played and judged, and not, for example, how many there are or at a time.
 * The error names the first setting that differs, and both values. */
bool record_same_match(const RecordHead *journal, const RecordHead *now, Error *err);

/* The tuning that the head describes, at its beginning, into *out; tuning_free it. False with err
 * set: the head describes none, or its numbers are not those of a tuning. */
bool record_tuning(const RecordHead *head, Tuning *out, Error *err);

/* The value of an engine's UCI option, "" when it is not set. */
const char *record_option(const RecordEngine *engine, const char *name);

/* How long the runs of a match took together, by its records. All zero to begin with. */
typedef struct {
    int64_t earlier_ms; /* Of the runs before the latest ... */
    int64_t latest_ms;  /* ... and of that, up to its last pair. */
} RecordTime;

void record_time_add(RecordTime *time, const Record *record);

#endif
