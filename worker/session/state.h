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
#include "session/gamefile.h"
#include "session/machine.h"
#include "session/plan.h"
#include "session/prepare.h"
#include "session/session.h"
#include "stats/stats.h"

/* Where the present workload stands. */
typedef enum {
    PHASE_IDLE,    /* There is none. */
    PHASE_PREPARE, /* Book, networks, builds, benches. */
    PHASE_READY,   /* Its speed is to be told before the games begin. */
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

/* What a server has acknowledged of a test for one machine. */
typedef struct {
    int64_t test_id;
    int64_t machine_id;
    Tally tally;
} Acknowledged;

/* The --status file; status.c. */
typedef struct StatusFile StatusFile;

/* Finding out whether a batch was added whose answer was lost. */
typedef struct {
    bool due;      /* it must be found out before anything else is reported */
    int readings;  /* equal ones in a row */
    int64_t games; /* that the last one said */
} Verification;

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
    Syzygy syzygy;
    bool syzygy_open;

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
    HttpCall *call;
    uv_timer_t wait_timer;
    Backoff backoff;

    /* The workload. */
    Phase phase;
    Workload workload;
    int64_t workload_machine; /* whose counts its results go to */
    IntList blacklist;
    Prepare *prepare;
    PrepareContext prepare_context;
    Prepared prepared; /* its strings are ours */
    Plan plan;
    Book book;
    Match *match;
    FaultFiles transcripts;           /* of engines that failed; the folder's name is ours */
    Contention contention;            /* in this workload */
    const char *argv[MATCH_SIDES][2]; /* of the engines */
    char *engine_dir;                 /* where they run */
    SandboxPolicy policies[MATCH_SIDES];
    bool abandoned;  /* no result of it is to be reported any more */
    GameFile games;  /* for an upload, if the test wants one */
    int games_tries; /* of that upload */
    int64_t pairs_played;
    int64_t play_started; /* by the monotonic clock */

    /* Reports. */
    uv_timer_t report_timer;
    uv_timer_t idle_timer;
    bool report_due;
    bool nps_due;
    char *bench_error;
    FaultReport *faults;
    size_t fault_count;
    size_t fault_capacity;
    size_t faults_noted;    /* in this workload */
    Tally pending;          /* finished, not yet in a batch */
    Tally sending;          /* the batch under way */
    double *pending_deltas; /* the same of SPSA parameters, in the order of the workload */
    double *sending_deltas;
    Verification verification;
    Acknowledged *acknowledged;
    size_t acknowledged_count;
    size_t acknowledged_capacity;
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
extern const Question question_results;
extern const Question question_totals;
extern const Question question_fault;
extern const Question question_bench_error;
extern const Question question_heartbeat;
extern const Question question_games;
extern const Question question_info;

/* The wait is over: asks the present question again, or looks at what is due. */
void session_on_wait(uv_timer_t *timer);

/* Sends it; the question stays under way until it is answered or refused. */
void session_ask(Session *s, const Question *question);

/* play.c */

/* Starts the match of a prepared workload; false with err set when it cannot be played. */
bool session_play(Session *s, Error *err);
void session_free_play(Session *s);

/* status.c */

/* Keeps the file as the session is, from now on. */
StatusFile *status_open(Session *s, const char *path);
/* Whether it is being written; session_finish is called again when it was. */
bool status_busy(const StatusFile *file);
/* Writes the last state and frees. NULL is allowed. */
void status_close(StatusFile *file);

/* session.c */

/* Looks at what is due and asks the next question, or moves on. To be called after every event. */
void session_pump(Session *s);
void session_enter_prepare(Session *s);
void session_enter_wind_up(Session *s);
void session_enter_idle_wait(Session *s);
/* Stops working on the present workload; what is not reported is dropped. */
void session_abandon(Session *s);
/* No games are to be uploaded, or no more. */
void session_drop_games(Session *s);
void session_blacklist(Session *s, int64_t test_id);
void session_note_fault(Session *s, const char *error, const char *logs);
/* The acknowledged counts of the workload's test and machine. */
Tally *session_acknowledged(Session *s);
/* Ends the session: cancels what runs; done follows. */
void session_finish(Session *s, int status);

#endif
