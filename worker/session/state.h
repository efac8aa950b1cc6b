/* SPDX-License-Identifier: MIT */
/* What the parts of a session share. For the files of this room only. */
#ifndef WORKER_SESSION_STATE_H
#define WORKER_SESSION_STATE_H

#include <time.h>

#include "build/toolchain.h"
#include "match/adjudication.h"
#include "match/book.h"
#include "match/match.h"
#include "openbench/api.h"
#include "openbench/workload.h"
#include "session/backoff.h"
#include "base/machine.h"
#include "session/outbox.h"
#include "session/plan.h"
#include "session/prepare.h"
#include "session/session.h"
#include "session/shares.h"
#include "build/verify.h"
#include "stats/stats.h"

/* Where a workload stands. */
typedef enum {
    PHASE_IDLE,    /* There is none. */
    PHASE_PREPARE, /* Book, networks, builds, benches. */
    PHASE_READY,   /* It waits for a place to play at. */
    PHASE_PLAY,
    PHASE_WIND_UP /* Only what is left to report. */
} Phase;

/* How the user wants it to end. */
typedef enum { STOP_NO, STOP_AFTER_GAMES, STOP_GAMES_NOW, STOP_AT_ONCE } StopWish;

/* One exchange with the server. */
typedef struct {
    const char *what; /* for messages: "asking for work" */
    bool registers;   /* part of the registration */
    void (*compose)(Session *, HttpRequest *);
    /* What an answer without an error means; false with err set: it is not one, try again. */
    bool (*answered)(Session *, const ApiAnswer *, Error *err);
    /* The server said no. */
    void (*refused)(Session *, const Error *);
    /* The request may have been carried out, but the answer did not come. NULL: just try again. */
    void (*lost)(Session *);
} Question;

/* A fault to be told to the server by clientSubmitError. */
typedef struct {
    char *error;
    char *logs;
} FaultReport;

/* The --status file; status.c. */
typedef struct StatusFile StatusFile;

/* A workload from its arrival until everything of it is told. While one is played the next is
 * prepared, and begins in the places that fall free at its end. */
typedef struct Job {
    struct Job *next; /* that came after it */
    Session *session;
    Phase phase;
    Workload workload;
    int64_t machine; /* whose counts its results go to */
    Prepare *prepare;
    PrepareContext prepare_context;
    Words others_use;     /* paths that stay while it is prepared */
    Prepared prepared;    /* its strings are ours */
    Plan plan;            /* with no more games at a time than there is memory for */
    int game_threads;     /* that a game takes */
    uint64_t game_memory; /* bytes */
    Match *match;
    Contention contention;
    Syzygy syzygy;                    /* as many men as adjudicate */
    const char *argv[SIDE_COUNT][2];  /* of the engines */
    SandboxPolicy policies[SIDE_COUNT];
    bool abandoned;     /* no more of it is to be played */
    OutboxItem *parcel; /* its results, while it is played; then they are the outbox's alone */
    Verify *verify;     /* benches beside its games */
    bool verify_due;    /* they begin when no clock ticks */
    bool unproved;      /* and nothing of them is told before those are right */
    bool again;         /* they are not: its games are thrown away, and it is prepared anew */
    int64_t games_over;
    int64_t pairs_played;
    int64_t prepare_started; /* by the monotonic clock, as is play_started */
    int64_t play_started;

    /* Reports. */
    bool nps_due;
    char *bench_error;
    FaultReport *faults;
    size_t fault_count;
    size_t fault_capacity;
    size_t faults_noted;
} Job;

struct Session {
    SessionConfig config;
    uv_loop_t *loop;
    Log *log;
    SessionDone done;
    void *user;
    int lock;
    char mac[MACHINE_MAC_MAX];
    Machine machine;
    Toolchain toolchain;
    int threads;
    int syzygy_max;

    /* Registration. */
    ApiAccount account;
    char *secret;
    bool registered;
    int64_t client_version; /* that the server is told */
    bool have_build_info;
    BuildInfo build_info;
    ToolchainProbe *probe;
    int stale_in_a_row;
    int unreachable_in_a_row; /* tries that did not even reach the server */

    /* The one question that is under way, or waits to be asked again. */
    const Question *question;
    Job *asked; /* what it is about; NULL: no workload */
    HttpCall *call;
    uv_timer_t wait_timer;
    Backoff backoff;

    /* The workloads, in the order of their arrival. */
    Job *jobs;
    IntList blacklist;
    Shares shares;
    int64_t longest_prepare; /* milliseconds */
    int64_t speeds_since;    /* none that was measured earlier counts: seconds since 1970 */
    Syzygy syzygy;
    bool syzygy_open;
    bool no_more;           /* with --once: the server has no work, or none that is for here */
    char *engine_dir;       /* where engines run */
    FaultFiles transcripts; /* of engines that failed; the folder's name is ours */

    /* Reports. */
    uv_timer_t report_timer;
    uv_timer_t idle_timer;
    uv_timer_t view_timer;
    bool report_due;
    Outbox *outbox;     /* of results, these workloads' and others'; NULL once it is closed */
    Tally total;        /* acknowledged in this session */
    time_t last_upload; /* of results; 0: none yet */

    /* What the server says of the test, for those who look on. */
    ApiTestInfo info;
    int64_t info_test; /* whose it is; 0: nobody's yet */
    bool info_due;
    uint64_t info_after; /* not to be asked before this time of the loop */
    StatusFile *status_file;

    /* The end. */
    StopWish stop;
    bool after_workload;
    int64_t workloads_done;
    int64_t workloads_failed;
    bool finishing;
    int open_timers;
    int status;
};

/* questions.c */
extern const Question question_version;
extern const Question question_workload;
extern const Question question_nps;
extern const Question question_fault;
extern const Question question_bench_error;
extern const Question question_heartbeat;
extern const Question question_info;

/* The wait is over: asks the present question again, or looks at what is due. */
void session_on_wait(uv_timer_t *timer);

/* The registration is not valid any more: registers anew when nothing else is being asked. */
void session_registration_lost(Session *s, const char *what, const Error *err);

/* Sends it; the question stays under way until it is answered or refused. */
void session_ask(Session *s, const Question *question, Job *about);

/* play.c */

/* Starts the match of a prepared workload, so many games at a time; false with err set when it
 * cannot be played. */
bool job_play(Job *job, int at_once, Error *err);
void job_free_play(Job *job);
/* No more pairs of it come. */
void job_close_parcel(Job *job);

/* job.c */

/* A new one, behind the others. */
Job *job_new(Session *s);
/* Whether its games have not begun. */
bool job_is_waiting(const Job *job);
/* Begins to prepare its workload, which has been filled in. */
void job_prepare(Job *job);
/* Begins its games if it is prepared and there is a place to play at. */
void job_start_if_free(Job *job);
/* Its games are over. */
void job_games_over(Job *job);
/* Other workloads' games have begun or ended: what may be done beside them may have changed. */
void jobs_look_around(Session *s);
/* Stops working on it. What is finished of it is the outbox's. */
void job_abandon(Job *job);
/* The same for all of this test. */
void jobs_abandon_test(Session *s, int64_t test_id);
/* Those whose games have not begun are dropped. */
void jobs_drop_waiting(Session *s);
void job_note_fault(Job *job, const char *error, const char *logs);
/* Everything of it is reported. */
void job_end(Job *job);
/* Takes it from the list and frees it; nothing of it may be running. */
void job_free(Job *job);
/* The one to show: the last that is played, else the first. NULL: none. */
Job *jobs_shown(const Session *s);
/* What the machine is at. */
Spell jobs_spell(const Session *s);
/* Whether the server is to be asked for a workload now. */
bool jobs_want_more(const Session *s);

/* status.c */

/* Draws how things stand on the terminal. */
void status_draw(const Session *s);
/* Keeps the file as the session is, from now on. */
StatusFile *status_open(Session *s, const char *path);
/* Whether it is being written; session_finish is called again when it was. */
bool status_busy(const StatusFile *file);
/* Writes the last state and frees. NULL is allowed. */
void status_close(StatusFile *file);

/* session.c */

/* Looks at what is due and asks the next question, or moves on. To be called after every event. */
void session_pump(Session *s);
void session_enter_idle_wait(Session *s);
/* No more work of this test: it is told with the next question for work. */
void session_blacklist(Session *s, int64_t test_id);
/* Ends the session: cancels what runs; done follows. */
void session_finish(Session *s, int status);

#endif
