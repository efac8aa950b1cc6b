/* SPDX-License-Identifier: MIT */
/* The workloads of a session, and how they share the machine: while a workload is played the next
 * one is prepared, and begins in the places that the last games of the first one leave. */
#ifndef WORKER_SESSION_JOBS_H
#define WORKER_SESSION_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "openbench/workload.h"
#include "session/job.h"
#include "session/timeuse.h"

/* Only jobs.c writes the fields. */
typedef struct {
    JobSite site;
    Job *first; /* The jobs, in the order of their arrival. */
    IntList blacklist;
    /* Tests that could not be prepared or played on for now. The server is asked for others, until
     * it has none or the games of one have begun. */
    IntList put_off;
    bool no_more;    /* No more work is to be asked for. */
    uint64_t ask_at; /* The loop's time before which no work is asked for. */
    int64_t done;    /* Workloads that have ended. */
    int64_t failed;
    Activity otherwise; /* The session's activity where no job has one. */
    TimeUse time_use;
    bool closed;
    /* Called from the loop when a job has moved on. */
    void (*changed)(void *user);
    void *user;
} Jobs;

/* Begins with no jobs. `site` needs no `tell`. */
void jobs_open(Jobs *jobs, const JobSite *site, void (*changed)(void *user), void *user);

/* Adds a new workload, and takes over its content. The workload is dropped when no more are wanted.
 * machine: the machine's number on the server. */
void jobs_add(Jobs *jobs, Workload *workload, int64_t machine);

/* Begins the games that can begin, and removes the jobs that are done; but not `asked`, the job of
 * the request under way (NULL: none). */
void jobs_advance(Jobs *jobs, const Job *asked);

/* Asks for no more workloads of the test, and drops its jobs whose games have not begun. */
void jobs_blacklist(Jobs *jobs, int64_t test_id);
bool jobs_has_blacklisted(const Jobs *jobs, int64_t test_id);
/* Whether a workload of the test is refused when the server sends one all the same. With --once
 * that holds of a test that was put off, too: the worker would ask for it without end. */
bool jobs_turn_down(const Jobs *jobs, int64_t test_id);
/* The tests that are not wanted now, on both lists. The caller frees out->items. */
void jobs_unwanted(const Jobs *jobs, IntList *out);
/* Counts a workload that was lost to a refusal of the server, whose results were parked, or that
 * cannot be read. */
void jobs_count_failure(Jobs *jobs);
/* Drops the jobs of the test whose games are not over. */
void jobs_drop_test(Jobs *jobs, int64_t test_id);
/* Drops the jobs whose games have not begun. */
void jobs_drop_waiting(Jobs *jobs);
/* Holds the match of this parcel: no new pairs begin until the call with `hold` false. */
void jobs_hold(const Jobs *jobs, const OutboxItem *parcel, bool hold);
/* Tells every match how long this process was stopped, in nanoseconds (match_excuse). */
void jobs_excuse(const Jobs *jobs, uint64_t ns);

/* Ends the jobs for the user, after the games in play or at once. True when games are in play. */
bool jobs_stop(Jobs *jobs, MatchStop how);
/* Drops all jobs, and logs how the time was spent. Afterwards jobs_are_busy tells whether something
 * still runs; `changed` is called when this changes. */
void jobs_close(Jobs *jobs);
bool jobs_are_busy(const Jobs *jobs);
void jobs_free(Jobs *jobs);

/* Whether all jobs have ended. but_reports: but for reports that the server has not got yet.
 * but_benches: but for benches, when the games are over. */
bool jobs_are_over(const Jobs *jobs, bool but_reports, bool but_benches);

/* Whether benches run or are due. No clocks start beside benches. */
bool jobs_await_benches(const Jobs *jobs);

/* Whether waiting for reports is worth while: a job that has or had games in play is not done. */
bool jobs_are_worth_waiting(const Jobs *jobs);
/* The job to show to the user, and to name in heartbeats: the last one whose games are in play,
 * else the first one whose games have not begun, else the first. NULL: none. */
Job *jobs_shown(const Jobs *jobs);

/* The next question for work waits; with --once there is none. */
void jobs_ask_later(Jobs *jobs);
/* The server has no other tests than those that are not wanted: asks later, for those put off too.
 */
void jobs_note_no_work(Jobs *jobs);
void jobs_ask_no_more(Jobs *jobs);
/* Whether no more work will come: no work is asked for, or the wished number of workloads has come.
 */
bool jobs_are_ending(const Jobs *jobs);
/* Whether the server is to be asked for work, apart from the time (ask_at). */
bool jobs_want_work(const Jobs *jobs);

/* Notes the present activity. `otherwise` counts while no job does anything. */
void jobs_note_time(Jobs *jobs, Activity otherwise);

#endif
