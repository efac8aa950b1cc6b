/* SPDX-License-Identifier: MIT */
/* The workloads of a session, and how they share the machine: while one is played the next is
 * prepared, and begins in the places that the last games of the first leave. */
#ifndef WORKER_SESSION_JOBS_H
#define WORKER_SESSION_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "openbench/workload.h"
#include "session/host.h"
#include "session/job.h"
#include "session/timeuse.h"

/* Only jobs.c writes the fields; `first` and `blacklist` may be read. */
typedef struct {
    JobSite site;
    Job *first; /* The jobs, in the order of their arrival. */
    IntList blacklist;
    bool no_more;    /* No more work is to be asked for. */
    uint64_t ask_at; /* No question for work before this time of the loop. */
    int64_t done;    /* Workloads that have come to their end. */
    int64_t failed;
    Activity otherwise; /* The session's activity where no job has one. */
    TimeUse time_use;
    bool closed;
    /* From the loop: a job has moved on. */
    void (*changed)(void *user);
    void *user;
} Jobs;

/* `site` without `tell`. */
void jobs_open(Jobs *jobs, const JobSite *site, void (*changed)(void *user), void *user);

/* Takes a new workload over, for the machine of this number. */
void jobs_add(Jobs *jobs, Workload *workload, int64_t machine);

/* Begins the games that can begin, and takes leave of jobs of which everything is told; but not of
 * `asked`, which a request under way is about (NULL: none). */
void jobs_advance(Jobs *jobs, const Job *asked);

/* No more workloads of the test: the next question for work says so. Its jobs whose games have not
 * begun are dropped. */
void jobs_blacklist(Jobs *jobs, int64_t test_id);
/* A workload was lost to a refusal of the server. */
void jobs_count_failure(Jobs *jobs);
/* Drops the jobs of the test whose games are not over. */
void jobs_drop_test(Jobs *jobs, int64_t test_id);
/* Drops the jobs whose games have not begun. */
void jobs_drop_waiting(Jobs *jobs);
/* Lets no new pairs of this parcel's match begin, until `hold` is false. */
void jobs_hold(const Jobs *jobs, const OutboxItem *parcel, bool hold);

/* The user wants the end, after the games in play or at once: true when games are in play. */
bool jobs_stop(Jobs *jobs, MatchStop how);
/* Drops all jobs, and logs what the time went into. jobs_are_busy tells when nothing of them runs
 * any more; `changed` is called. */
void jobs_close(Jobs *jobs);
bool jobs_are_busy(const Jobs *jobs);
void jobs_free(Jobs *jobs);

/* Whether games of a job are or were in play and something of it is to be told. */
bool jobs_are_worth_waiting(const Jobs *jobs);
/* The job to show: the last whose games are in play, else the first. NULL: none. */
Job *jobs_shown(const Jobs *jobs);

/* There is no work: the next question waits, or with --once is not asked. */
void jobs_ask_later(Jobs *jobs);
void jobs_ask_no_more(Jobs *jobs);
/* Whether no more work will come: it is not asked for, or there was as much as was wished. */
bool jobs_are_ending(const Jobs *jobs);
/* Whether the server is to be asked for work, but for the time (ask_at). */
bool jobs_want_work(const Jobs *jobs);

/* Notes what the time goes into. `otherwise` counts while no job does anything. */
void jobs_note_time(Jobs *jobs, Activity otherwise);

#endif
