/* SPDX-License-Identifier: MIT */
/* A workload from its arrival until the server has all its results and reports. A job is always in
 * one state, and job_next gives the next state for each event. An empty field: the event does not
 * change the state.
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
 *   stopping                                  dropped */
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
    JOB_READY,             /* Prepared: waits for free places. */
    JOB_PLAYING,           /* Games of engines that benches have proved, before or beside them. */
    JOB_PLAYING_BENCH_DUE, /* Benches are to run beside the games, as soon as no clocks run. */
    JOB_PLAYING_BENCHING,  /* Benches run beside the games. No pair is told of yet. */
    JOB_BENCH_DUE,         /* The games are over, and the benches have not begun. */
    JOB_BENCHING,          /* The games are over, and the benches run. */
    JOB_REDOING,           /* A bench was wrong: the games are being stopped, and are dropped. */
    JOB_REPORTING,         /* The last reports are being sent. */
    JOB_CANCELLING,        /* Dropped: its preparation is being cancelled. */
    JOB_STOPPING,          /* Dropped: its games are being stopped. */
    JOB_DROPPED,           /* Dropped: nothing of the job runs, and nothing is reported. */
    JOB_STATES
} JobState;

typedef enum {
    JOB_TURN,             /* The preparation has begun. */
    JOB_PREPARED,         /* The preparation ended well, ... */
    JOB_UNPREPARED,       /* ... or the workload cannot be played on this machine. */
    JOB_STARTED,          /* The games have begun, ... */
    JOB_STARTED_UNPROVED, /* ... with an engine whose bench has not been run. */
    JOB_BENCH,            /* The benches have begun. */
    JOB_PROVED,           /* The benches are right, ... */
    JOB_WRONG,            /* ... or one is not. */
    JOB_GAMES_OVER,
    JOB_DROP, /* No more of the job is played, and only its finished pairs are told. */
    JOB_EVENTS
} JobEvent;

/* The state after the event; JOB_NONE: the state does not change. Pure. */
JobState job_next(JobState state, JobEvent event);

/* The state's name for people: "playing". */
const char *job_state_name(JobState state);

typedef struct Job Job;

/* The news from a job to the owner of the list of jobs. */
typedef enum {
    JOB_TELLS_PAIR,       /* The outbox has got a pair. */
    JOB_TELLS_MOVED,      /* The state has changed, or fewer games are in play. */
    JOB_TELLS_GAMES_OVER, /* The state has changed because the games are over. */
    JOB_TELLS_UNPLAYABLE, /* No more workloads of this test can be played on this machine. */
    /* The workload could not be prepared, benched or played on now; a later try may succeed. */
    JOB_TELLS_LATER
} JobNews;

/* The common part of a session's jobs. */
typedef struct {
    const Host *host;
    Toolchain *toolchain;
    const ApiAccount *account;
    Outbox *outbox;
    Syzygy tables;        /* All zero until a play opens them. */
    int64_t speeds_since; /* Speeds measured earlier do not count: seconds since 1970. */
    /* The longest preparation so far without its waits for other games, in milliseconds. */
    int64_t longest_prepare;
    bool stopped; /* The user wants the end: no workload is prepared again. */
    /* Called from the loop. The job may be freed during JOB_TELLS_MOVED and JOB_TELLS_GAMES_OVER.
     */
    void (*tell)(Job *job, JobNews news, void *user);
    void *user;
} JobSite;

/* A fault, to be told to the server by clientSubmitError. */
typedef struct {
    char *error;
    char *logs;
} FaultReport;

/* The reports for the server besides results. */
typedef struct {
    bool nps;
    char *bench_error; /* Words of a wrong bench, for clientBenchError; NULL: none. */
    FaultReport *faults;
    size_t fault_count;
    size_t fault_capacity;
} JobReports;

struct Job {
    Job *next; /* The next job in the order of arrival. */
    JobSite *site;
    JobState state;
    Workload workload;
    int64_t machine; /* The machine's number on the server, under which the results count. */
    Prepare *prepare;
    PrepareContext prepare_context;
    Words others_use; /* Paths that other workloads use: they stay during this preparation. */
    int preparations; /* Preparations begun. From the second on no bench runs beside games. */
    int64_t prepare_started;
    Prepared prepared;
    Plan plan;
    int game_threads; /* Threads of one game. */
    Play play;
    int64_t pairs_played;
    OutboxItem *parcel; /* The results, while pairs may come. NULL: the outbox's alone. */
    Verify *verify;
    JobReports reports;
};

/* Makes a queued job, which takes over the workload. The caller links the job. */
Job *job_new(JobSite *site, Workload *workload, int64_t machine);
/* Checks the workload of a new job before anything is fetched. With a workload that this version
 * cannot play, the job only has to report, and tells JOB_TELLS_UNPLAYABLE. */
void job_check(Job *job);
/* Cancels and frees the job. No preparation may be under way. */
void job_free(Job *job);

/* Begins to prepare a queued job. `others_use` has been filled in. */
void job_prepare(Job *job, MachineLoad load);
/* Begins the games of a ready job, at first `at_once` at a time. memory_soon: bytes that other
 * games will soon free. */
void job_start(Job *job, int at_once, uint64_t memory_soon);
/* Begins the benches that are due. */
void job_bench(Job *job);
/* Stops working on the job. The outbox keeps its finished pairs. */
void job_drop(Job *job);

bool job_is_waiting(const Job *job);   /* The games have not begun. */
bool job_is_playing(const Job *job);   /* The games are in play, perhaps the last ones. */
bool job_is_bench_due(const Job *job); /* job_bench is to be called. */
bool job_is_benching(const Job *job);  /* Benches run, beside games or after them. */
bool job_only_benches(const Job *job); /* The games are over: only the benches are left to run. */
bool job_is_dropped(const Job *job);
bool job_is_reporting(const Job *job); /* Nothing but its last reports is left. */
bool job_is_busy(const Job *job);      /* A preparation or a match is under way. */
bool job_may_report(const Job *job);   /* The engines are not in doubt. */
bool job_is_done(const Job *job);      /* The server has all results and reports. */

/* Each: the server has taken the report, or refused the report. */
void job_nps_told(Job *job);
void job_fault_told(Job *job);
void job_bench_error_told(Job *job);

#endif
