/* SPDX-License-Identifier: MIT */
/* A workload from its arrival until everything of it is told to the server. A job is always in one
 * state, and job_next says where each event leads. An empty field: the event changes nothing there.
 *
 *   state                turn       prepared  unprepared  started    started    bench
 *                                                                    unproved
 *   queued               preparing
 *   preparing                       ready     reporting
 *   ready                                     reporting   playing    play+due
 *   playing, bench due                                                          play+bench
 *   bench due                                                                   benching
 *   cancelling                      dropped   dropped
 *
 *   state                proved     wrong     games over  drop
 *   queued                                                dropped
 *   preparing                                             cancelling
 *   ready                                                 dropped
 *   playing                                   reporting   stopping
 *   playing, bench due                        bench due   stopping
 *   playing, benching    playing    redoing   benching    stopping
 *   bench due                                             dropped
 *   benching             reporting  queued                dropped
 *   redoing                                   queued      stopping
 *   reporting                                             dropped
 *   stopping                                  dropped
 */
#ifndef WORKER_SESSION_JOB_H
#define WORKER_SESSION_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "build/toolchain.h"
#include "build/verify.h"
#include "openbench/api.h"
#include "openbench/workload.h"
#include "session/host.h"
#include "session/outbox.h"
#include "session/plan.h"
#include "session/play.h"
#include "session/prepare.h"

typedef enum {
    JOB_NONE,              /* In job_next: the event changes nothing. */
    JOB_QUEUED,            /* To be prepared, now or once more. */
    JOB_PREPARING,         /* Book, networks, builds and benches are being made. */
    JOB_READY,             /* Prepared: waits for a place to play at. */
    JOB_PLAYING,           /* The games of engines that are proved, by benches before or beside. */
    JOB_PLAYING_BENCH_DUE, /* Benches are to run beside the games, as soon as no clock ticks. */
    JOB_PLAYING_BENCHING,  /* Benches run beside the games. Nothing is told of the games yet. */
    JOB_BENCH_DUE,         /* The games are over, and the benches have not begun. */
    JOB_BENCHING,          /* The games are over, and the benches run. */
    JOB_REDOING,           /* A bench was wrong: the games are being stopped and are thrown away. */
    JOB_REPORTING,         /* The reports that are left are sent. */
    JOB_CANCELLING,        /* Dropped: its preparation is being cancelled. */
    JOB_STOPPING,          /* Dropped: its games are being stopped. */
    JOB_DROPPED,           /* Dropped: nothing of it runs, and nothing is reported. */
    JOB_STATES
} JobState;

typedef enum {
    JOB_TURN,             /* Its preparation has begun. */
    JOB_PREPARED,         /* The preparation ended well, ... */
    JOB_UNPREPARED,       /* ... or the workload cannot be played here. */
    JOB_STARTED,          /* Its games have begun, ... */
    JOB_STARTED_UNPROVED, /* ... with an engine whose bench has not been run. */
    JOB_BENCH,            /* The benches have begun. */
    JOB_PROVED,           /* The benches are right, ... */
    JOB_WRONG,            /* ... or are not. */
    JOB_GAMES_OVER,
    JOB_DROP, /* Nothing more of it is to be played or told but the pairs that are finished. */
    JOB_EVENTS
} JobEvent;

/* The state after the event; JOB_NONE: the same one. Pure. */
JobState job_next(JobState state, JobEvent event);

/* The word for people: "playing". */
const char *job_state_name(JobState state);

typedef struct Job Job;

/* What a job tells whoever has the list of jobs. */
typedef enum {
    JOB_TELLS_PAIR,       /* A pair is with the outbox. */
    JOB_TELLS_FEWER,      /* Fewer games are in play. */
    JOB_TELLS_MOVED,      /* The state has changed. */
    JOB_TELLS_GAMES_OVER, /* The state has changed because the games are over. */
    JOB_TELLS_UNPLAYABLE, /* No more workloads of this test can be played here. */
    JOB_TELLS_LATER       /* The workload could not be prepared for now. */
} JobNews;

/* What the jobs of a session share. */
typedef struct {
    const Host *host;
    Toolchain *toolchain;
    const ApiAccount *account;
    Outbox *outbox;
    PlayTables tables;
    int64_t speeds_since;    /* No speed counts that was measured earlier: seconds since 1970. */
    int64_t longest_prepare; /* Milliseconds. */
    bool stopped;            /* The user wants the end: nothing is prepared once more. */
    /* From the loop. The job may be freed during JOB_TELLS_MOVED and JOB_TELLS_GAMES_OVER. */
    void (*tell)(Job *job, JobNews news, void *user);
    void *user;
} JobSite;

/* A fault that clientSubmitError tells the server. */
typedef struct {
    char *error;
    char *logs;
} FaultReport;

/* What is to be told to the server beside results. */
typedef struct {
    bool nps;
    char *bench_error; /* NULL: none. */
    FaultReport *faults;
    size_t fault_count;
    size_t fault_capacity;
} JobReports;

struct Job {
    Job *next; /* That came later. */
    JobSite *site;
    JobState state;
    Workload workload;
    int64_t machine; /* The machine's number, by which the server counts the results. */
    Prepare *prepare;
    PrepareContext prepare_context;
    Words others_use; /* Paths of other workloads, which stay while this one is prepared. */
    int preparations; /* Begun. From the second on no bench runs beside games. */
    int64_t prepare_started;
    Prepared prepared;
    Plan plan;
    int game_threads; /* Threads of a game. */
    Play play;
    int64_t pairs_played;
    OutboxItem *parcel; /* The results while they may grow; then they are the outbox's alone. */
    Verify *verify;
    JobReports reports;
};

/* A new job, queued, which takes the workload over. The caller links the job. */
Job *job_new(JobSite *site, Workload *workload, int64_t machine);
/* Checks the workload of a new job before anything is fetched. A workload that this version cannot
 * play makes the job one to report, and is told as JOB_TELLS_UNPLAYABLE. */
void job_check(Job *job);
/* Cancels and frees; no preparation may be under way. */
void job_free(Job *job);

/* Begins to prepare a queued job. `others_use` has been filled in. */
void job_prepare(Job *job, MachineLoad load);
/* Begins the games of a ready job, so many at a time at first. Other games will soon free so much
 * memory (bytes). */
void job_start(Job *job, int at_once, uint64_t memory_soon);
/* Begins the benches that are due. */
void job_bench(Job *job);
/* Stops working on the job. Its finished pairs are the outbox's. */
void job_drop(Job *job);

bool job_is_waiting(const Job *job);   /* Its games have not begun. */
bool job_is_playing(const Job *job);   /* Its games are in play, perhaps the last ones. */
bool job_is_bench_due(const Job *job); /* job_bench is to be called. */
bool job_is_benching(const Job *job);  /* Benches run beside games, or after them. */
bool job_is_dropped(const Job *job);
bool job_is_busy(const Job *job);    /* A preparation or a match is under way. */
bool job_may_report(const Job *job); /* Its engines are not in doubt. */
bool job_is_done(const Job *job);    /* Everything is told. */

/* The report was told, or refused. */
void job_nps_told(Job *job);
void job_fault_told(Job *job);
void job_bench_error_told(Job *job);

#endif
