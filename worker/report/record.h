/* SPDX-License-Identifier: MIT */
/* What a local match's journal (base/journal.h) says, as structs: its settings, its runs, its
 * pairs. A record is a JSON object whose "kind" is one of
 *
 *   head  first, once: the settings of the match
 *   run   each time the match is started or resumed: when, on which machine
 *   pair  a finished pair, in the order of finishing; it counts from then on
 *
 * Records of other kinds are passed over: a later version may add some. */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "stats/stats.h"

/* One engine of the match. */
typedef struct {
    char *name;
    char *spec;      /* As it was asked for: "lmr:KILLER=0". */
    char *program;   /* The executable's path ... */
    char *sha256;    /* ... and its digest, which is what matters. */
    Words arguments; /* Those after the program. */
    Words options;   /* "Hash=16", in the order of setting. */
    char *tc;        /* As timecontrol_format writes it. */
} RecordEngine;

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
    int64_t margin; /* Milliseconds. */
    char *win_adj;  /* The rules as given. */
    char *draw_adj;
    char *syzygy; /* NULL: no tables. */
    int64_t syzygy_men;
    bool sprt; /* Is there a rule? */
    SprtRule rule;
    int64_t games; /* --games, 0 without. */
    bool pgn;      /* Pairs come with their games' PGN. */
} RecordHead;

enum { RECORD_VERSION = 1 };

typedef struct {
    int64_t started; /* Unix time. */
    char *host;
    char *cpu;
    int64_t cpus; /* Logical ones. */
    int64_t concurrency;
} RecordRun;

typedef enum { RECORD_NO_FAULT, RECORD_CRASH, RECORD_TIME_LOSS, RECORD_ILLEGAL } RecordFault;

/* One side's part of a game. */
typedef struct {
    int64_t moves;
    int64_t ms;      /* That they took together. */
    EngineWork work; /* What it said of them. */
} RecordPart;

typedef struct {
    char *result; /* "1-0", "0-1", "1/2-1/2" */
    char *termination;
    char *reason;
    int64_t dev_points; /* Half points. */
    int64_t plies;      /* Moves of the engines. */
    RecordFault fault;
    int fault_side; /* Meaningful with a fault. */
    RecordPart parts[SIDE_COUNT];
    char *pgn; /* Its PGN text; NULL: not kept. */
} RecordGame;

/* A finished pair. games[0] is the one in which dev has White. */
typedef struct {
    int64_t index;   /* From 0, in the order of the book. */
    int64_t opening; /* Its number in the shuffled book, from 1. */
    int64_t ended;   /* Unix time. */
    int64_t at_ms;   /* Since its run began. */
    RecordGame games[2];
} RecordPair;

typedef enum { RECORD_OTHER, RECORD_HEAD, RECORD_RUN, RECORD_PAIR } RecordKind;

/* A record as read; the field of its kind is filled. All zero is empty. */
typedef struct {
    RecordKind kind;
    RecordHead head;
    RecordRun run;
    RecordPair pair;
} Record;

/* Appends the record without a line end. */
void record_write_head(const RecordHead *head, Text *out);
void record_write_run(const RecordRun *run, Text *out);
void record_write_pair(const RecordPair *pair, Text *out);

/* Reads a record into *out, which must be all zero; free it with record_free, also after a failure.
 * The error names the member. */
bool record_read(const char *text, size_t length, Record *out, Error *err);
void record_free(Record *record);
void record_free_head(RecordHead *head);
void record_free_run(RecordRun *run);
void record_free_pair(RecordPair *pair);

/* May a match of these settings go on with a journal that was begun with those? Compares what
 * decides how games are played and judged, and not, for example, how many there are or at a time.
 * The error names the first setting that differs, and both values. */
bool record_same_match(const RecordHead *journal, const RecordHead *now, Error *err);

/* The value of an engine's UCI option, "" when it is not set. */
const char *record_option(const RecordEngine *engine, const char *name);

/* How long the runs of a match took together, by its records. All zero to begin with. */
typedef struct {
    int64_t earlier_ms; /* Of the runs before the latest ... */
    int64_t latest_ms;  /* ... and of that, up to its last pair. */
} RecordTime;

void record_time_add(RecordTime *time, const Record *record);

/* What the pair adds to a match's counts. */
Tally record_tally(const RecordPair *pair);

#endif
