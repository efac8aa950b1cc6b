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
#include "base/backoff.h"
#include "base/machine.h"
#include "session/outbox.h"
#include "session/plan.h"
#include "session/prepare.h"
#include "session/queue.h"
#include "session/session.h"
#include "session/timeuse.h"
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

/* How far the registration has come: what is to be asked next. */
typedef enum {
    REGISTRATION_VERSION, /* Nothing is known. */
    REGISTRATION_BUILD_INFO,
    REGISTRATION_PROBE, /* Compilers are looked for. */
    REGISTRATION_WORKER_INFO,
    REGISTRATION_DONE
} Registration;

/* The session's own kinds of requests; requests.c. */
typedef enum {
    ROW_VERSION,
    ROW_BUILD_INFO,
    ROW_WORKER_INFO,
    ROW_FAULT,
    ROW_BENCH_ERROR,
    ROW_NPS,
    ROW_WORKLOAD,
    ROW_HEARTBEAT,
    ROW_INFO,
    SESSION_ROWS
} SessionRowName;

enum { SESSION_REQUESTS = SESSION_ROWS + 3 /* The outbox's. */ };

/* Tells a row of the queue's table whose it is, and by its place which. */
typedef struct {
    Session *session;
} SessionRowOwner;

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
    Syzygy syzygy;                   /* as many men as adjudicate */
    const char *argv[SIDE_COUNT][2]; /* of the engines */
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
    Registration registration;
    uint64_t register_at;   /* Not before this time of the loop. */
    int64_t client_version; /* that the server is told */
    BuildInfo build_info;
    ToolchainProbe *probe;
    Backoff stale; /* Registrations lost in a row. */

    /* Requests. */
    RequestQueue *queue; /* NULL once it is closed. */
    Request table[SESSION_REQUESTS];
    SessionRowOwner rows[SESSION_ROWS];
    Job *asked; /* What the session's request under way is about; NULL: no workload, or none. */

    /* The workloads, in the order of their arrival. */
    Job *jobs;
    IntList blacklist;
    TimeUse time_use;
    int64_t longest_prepare; /* milliseconds */
    int64_t speeds_since;    /* none that was measured earlier counts: seconds since 1970 */
    Syzygy syzygy;
    bool syzygy_open;
    bool no_more;           /* with --once: the server has no work, or none that is for here */
    char *engine_dir;       /* where engines run */
    FaultFiles transcripts; /* of engines that failed; the folder's name is ours */

    /* Reports. */
    uv_timer_t view_timer;
    uint64_t ask_at;    /* Not to ask for work before this time of the loop. */
    uint64_t report_at; /* Results are due then, or a heartbeat. */
    bool report_due;    /* A heartbeat is. */
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
    int status;
};

/* requests.c */

/* Fills the queue's table, the most important row first; the outbox is open. */
void session_fill_table(Session *s);

/* As in QueueEvents; false: the session ends. */
bool session_unreachable(const Request *request, const Error *err, int times, bool trusted,
                         void *session);

/* The registration is not valid any more: registers anew. */
void session_registration_lost(Session *s, const char *name, const Error *err);

/* Whether the question for work is under way. */
bool session_is_asking_for_work(const Session *s);

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
Activity jobs_activity(const Session *s);
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

/* Moves on, and sends what is due. To be called after every event. */
void session_pump(Session *s);
bool session_is_registered(const Session *s);
/* Whether the server may be asked for work now, but for the time. */
bool session_wants_work(const Session *s);
/* There is no work: the next question for some waits. */
void session_ask_after_idle(Session *s);
/* No more work of this test: it is told with the next question for work. */
void session_blacklist(Session *s, int64_t test_id);
/* Ends the session: cancels what runs; done follows. */
void session_finish(Session *s, int status);

#endif
