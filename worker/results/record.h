/* SPDX-License-Identifier: MIT */
/* The records of the two kinds of journals (base/journal.h) with pairs: the journal of a match
 * without a server, and the journal of a workload on its way to the server. A record is a JSON
 * object whose "kind" is one of
 *
 *   head  first, once: the settings of the match, or the workload
 *   run   in a match's journal, each time the match is started or resumed: the time, the machine,
 *         and what was asked for
 *   pair  a finished pair (results/pair.h), in the order of finishing; a recorded pair counts
 *
 * Records of other kinds are passed over. session/parcel.h lists the kinds of a worker's journal.
 */
#ifndef RESULTS_RECORD_H
#define RESULTS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "base/side.h"
#include "results/pair.h"
#include "stats/sprt.h"
#include "stats/tuning.h"

/* One engine of the match. */
typedef struct {
    char *name;
    char *spec; /* The engine as the user named it: "lmr:KILLER=0". */
    /* Known of an engine that was built from a commit, else NULL: */
    char *repository; /* the repository's folder, */
    char *commit;     /* the commit's full name, */
    char *subject;    /* the first line of the commit's message, */
    char *web;        /* the repository's address on the web, NULL: none is known, */
    char *changes;    /* and the SHA-256 of the changes not committed; NULL: no changes. */
    char *program;    /* The path of the executable, */
    char *sha256;     /* and its SHA-256, by which engines are compared. */
    Words arguments;  /* The program's arguments without its name. */
    Words options;    /* "Hash=16", in the order of setting. */
    char *tc;         /* In the form of timecontrol_format. */
    int64_t margin;   /* How late a move may be, in milliseconds. */
    char *dir;        /* The working folder; NULL: the match runner's. */
} RecordEngine;

/* The settings of a tuning by SPSA. */
typedef struct {
    Words parameters; /* In the form of spsa_write_parameter. None: the match is no tuning. */
    SpsaSchedule schedule;
    int64_t overlap; /* Iterations in play at a time. */
} RecordTuning;

typedef struct {
    int64_t version; /* The records' version, at most RECORD_VERSION. */
    int64_t created; /* Unix time. */
    Words asked;     /* The command's options, "--tc=N=1000", with which the match can be played
                        again; empty: not known. */
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
    int64_t plies;   /* Plies of each opening that are played at most; 0: all. */
    char *win_adj;   /* The adjudication rules as the user gave them. */
    char *draw_adj;
    int64_t moves_max; /* Limit of each side's moves in a game; 0: no limit. */
    char *syzygy;      /* NULL: no tables. */
    int64_t syzygy_men;
    bool sprt; /* Whether `rule` is set. */
    SprtRule rule;
    int64_t games; /* The value of --games; 0: not given. */
    /* The score of earlier games of the match, whose journals are elsewhere (results/scorelist.h).
     * `games` and the SPRT's verdict count them too. */
    IntList earlier;
    bool restart;       /* The engines are started anew for each game. */
    bool pgn;           /* Pairs have their games' PGN. */
    bool positions;     /* The match writes a file of positions. */
    bool pgn_pv;        /* With `pgn`: moves have principal variations. */
    bool pgn_hashfull;  /* With `pgn`: moves say how full the hash table is. */
    char *pgn_notation; /* Notation of the PGN: "san", "lan" or "uci". */
    RecordTuning tuning;
} RecordHead;

/* In version 1 games had the words of their ending instead of its name. */
enum { RECORD_VERSION = 2 };

/* A run's `games` in a journal that does not tell it: the head's count stands. */
enum { RECORD_GAMES_UNKNOWN = -1 };

typedef struct {
    int64_t started; /* Unix time. */
    char *host;
    char *cpu;
    int64_t cpus; /* Logical CPUs. */
    int64_t concurrency;
    /* What a run may ask for in its own way: from here on both stand in place of the head's. */
    int64_t games; /* RECORD_GAMES_UNKNOWN, or as in the head. */
    Words asked;   /* Empty: not known. */
} RecordRun;

/* The head of a worker's journal: a workload of a server's test. Strings are owned. */
typedef struct {
    int64_t version; /* The records' version, at most WORKLOAD_RECORD_VERSION. */
    int64_t created; /* Unix time. */
    char *id;        /* The journal's random id; NULL in versions 1 and 2. */
    char *server;    /* The server's base URL. */
    char *user;
    char *host; /* The name of the machine that played the games. */
    int64_t test_id;
    int64_t machine_id; /* The machine whose row of the test's counts gets the results. */
    int64_t result_id;  /* The server's number of this row. */
    int64_t book_index;
    char *type; /* The test's type: "SPRT". */
    char *dev;  /* The names of the branches. */
    char *base;
    char *reporting;   /* "", "BATCHED", "BULK". */
    char *upload_pgns; /* "FALSE", "COMPACT", "VERBOSE". */
} RecordWorkload;

/* Version 1 had no records "unproved", "proved" and "dropped". In versions 1 and 2 pairs had no
 * "games", heads had no "id", and each batch was a submission of its own, without "share" and
 * "sum". */
enum { WORKLOAD_RECORD_VERSION = 3 };

typedef enum {
    RECORD_OTHER,
    RECORD_HEAD,     /* The head of a match's journal. */
    RECORD_WORKLOAD, /* The head of a worker's journal. */
    RECORD_RUN,
    RECORD_PAIR,
    RECORD_OVER,   /* In a worker's journal: the test is over. */
    RECORD_DROPPED /* In a worker's journal: an engine's bench was wrong, and no pair counts. */
} RecordKind;

/* A record that was read. Only the field of its kind is filled in. All zero is empty. */
typedef struct {
    RecordKind kind;
    RecordHead head;
    RecordWorkload workload;
    RecordRun run;
    PairResult pair;
} Record;

/* The web pages of the commit that an engine was built from, and of the changes from base's commit
 * to dev's. Allocated. NULL: the repository is not on the web; for the second page also: the
 * engines are not from two different commits of one repository. */
char *record_commit_page(const RecordEngine *engine);
char *record_difference(const RecordHead *head);

/* Appends a match's settings as a JSON object: its head without the time of its beginning and
 * without paths of programs and repositories, but with "page" of each engine and "difference", the
 * addresses above. */
void record_write_settings(const RecordHead *head, Text *out);

/* Appends the record without a line end. */
void record_write_head(const RecordHead *head, Text *out);
void record_write_run(const RecordRun *run, Text *out);
void record_write_workload(const RecordWorkload *workload, Text *out);

/* Reads a record into *out, which must be all zero. The error names the member. The caller frees
 * *out with record_free, also after a failure. */
bool record_read(const char *text, size_t length, Record *out, Error *err);

bool record_is_head(const Record *record);

/* A journal begins with a head, and has no other. first: no record came before this one. */
bool record_check_place(const Record *record, bool first, Error *err);

/* Takes the unit off a time control of older files, which have the unit of clocks behind a time a
 * move too: "MT=100s". */
void record_drop_unit(char *tc);

/* Reads the head of a worker's journal; as record_read, but the caller frees with
 * record_free_workload. */
bool record_read_workload(const cJSON *object, RecordWorkload *workload, Error *err);

void record_free(Record *record);
void record_free_head(RecordHead *head);
void record_free_run(RecordRun *run);
void record_free_workload(RecordWorkload *workload);

/* Whether a match with the settings `now` may continue a journal that was begun with the settings
 * `journal`. The settings that decide how games are played and judged must be equal; others, such
 * as the number of games and of games at a time, may differ. The error names the first setting that
 * differs, and both values. */
bool record_same_match(const RecordHead *journal, const RecordHead *now, Error *err);

/* Makes the tuning that the head describes, at its beginning, in *out; the caller frees *out with
 * tuning_free. False with err set when the head describes no tuning, or its numbers are unsound. */
bool record_tuning(const RecordHead *head, Tuning *out, Error *err);

/* The time that the runs of a match took together, by the journal's records. All zero at the
 * beginning. */
typedef struct {
    int64_t earlier_ms; /* The runs before the latest one. */
    int64_t latest_ms;  /* The latest run, up to its last pair. */
} RecordTime;

/* Adds the next record of the journal, in the journal's order. */
void record_time_add(RecordTime *time, const Record *record);

#endif
