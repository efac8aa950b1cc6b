/* SPDX-License-Identifier: MIT */
/* The sequence of steps of a preparation, and the common parts of the steps. Only for the files
 * with steps: prepare.c, and prepare_engine.c with the steps that make an engine. preparing.c also
 * has prepared_free and prepare_load of prepare.h. */
#ifndef WORKER_SESSION_PREPARING_H
#define WORKER_SESSION_PREPARING_H

#include "base/task.h"
#include "base/text.h"
#include "build/bench.h"
#include "build/build.h"
#include "build/genfens.h"
#include "session/fetch.h"
#include "session/prepare.h"
#include "session/token.h"

enum { PREPARE_EXE_MAX = 160, LISTED_NAME_MAX = 128 };

/* One side's engine while it is made. */
typedef struct {
    const WorkloadSide *workload;
    PreparedEngine *engine; /* The engine in the result. */
    char exe[PREPARE_EXE_MAX];
    char compiler[TOOLCHAIN_NAME_MAX]; /* "": this machine has none. */
    Token token;                       /* The token of a private engine. */
    char *source;                      /* Path of the kept source; NULL: the source is not kept. */
    bool listed;                       /* A private engine's source is a list of builds, ... */
    char *listed_url;                  /* ... from which this build was chosen. */
    char listed_name[LISTED_NAME_MAX]; /* The name of the chosen build. */
    bool slowly; /* make runs one job at a time, because many were too much for this machine. */
    bool fresh;  /* The engine was built in this preparation, not kept from before. */
    int benches; /* Number of benches run so far. */
} PreparedSide;

/* The kinds of steps. */
typedef enum {
    STEP_FOLDER,
    STEP_BOOK,
    STEP_COMPILERS,
    STEP_NETWORK,
    STEP_BUILD,
    STEP_BENCH,
    STEP_OPENINGS, /* Openings that the engine makes, for DATAGEN. */
    STEP_ORDER,    /* The order of the openings. */
    STEP_TRIM,     /* The trimming of the kept files. */
    STEP_READY
} PrepareStep;

/* A step of the sequence in prepare.c. The last step ends the preparation. */
typedef struct {
    PrepareStep step;
    Side side;
    void (*begin)(Prepare *);
} PrepareStage;

struct Prepare {
    PrepareContext context;
    const Workload *workload;
    PrepareDone done;
    void *user;
    const PrepareStage *stages; /* The sequence, ... */
    size_t next;                /* ... and the index of the next step. */
    PreparedSide sides[SIDE_COUNT];
    PreparedSide *side; /* The side of the present step. */
    char *folder;       /* Folder for half-done work, */
    char *download;     /* for example the present download. */
    char *tree;         /* The unpacked source, */
    char *build_dir;    /* the folder of its Makefile, */
    char *built;        /* and the binary, where make left it. */
    char *full;         /* The folder that had no room for the build, and why; NULL: none. */
    char *book;         /* Path of the downloaded book; NULL: the test has none. */
    char *made_book;    /* Path of the book that the engine makes, for DATAGEN. */
    Text openings;      /* The text of the made book. */
    Prepared result;
    bool cancelled;
    bool made_room; /* The disk was full: no kept file stays that is not in use. */

    /* The work under way: at most one of these at a time. */
    uv_timer_t timer; /* Runs out when the next step begins. */
    Task task;
    bool (*run)(Prepare *, Error *); /* The work of the task, */
    void (*then)(Prepare *, bool);   /* and the function called afterwards. */
    void (*held)(Prepare *);         /* Called when the machine's load ... */
    MachineLoad held_load;           /* ... is no more than this. */
    int64_t held_since;              /* The time (clock_now_ns) at which the wait began. */
    Fetch *fetch;
    ToolchainProbe *probe;
    Build *build;
    Bench *bench;
    Genfens *genfens;
};

/* Ends the present step and begins the next one of the sequence. */
void preparing_next(Prepare *p);
/* Goes back: the latest step of this kind and of the present side begins once more, followed by the
 * steps after that one. */
void preparing_go_back(Prepare *p, PrepareStep step);
/* Ends the present step and the whole preparation. */
void preparing_end(Prepare *p, PrepareOutcome outcome);
void preparing_end_with(Prepare *p, PrepareOutcome outcome, const Error *err);
/* Ends the present step, which may succeed later. When the state folder's disk is full for the
 * first time, the kept files that are not in use are removed, and the step begins once more; else
 * ends the whole preparation with PREPARE_LATER. */
void preparing_later(Prepare *p, const Error *err);

/* Runs `run` in the thread pool, then `then` on the loop. After a failure p->task.error is the
 * cause. */
void preparing_task(Prepare *p, bool (*run)(Prepare *, Error *), void (*then)(Prepare *, bool));

/* Calls `then` as soon as the machine's load is no more than `most`. */
void preparing_when_load(Prepare *p, MachineLoad most, void (*then)(Prepare *));

/* Starts p->fetch; the artifact's user is the preparation. */
void preparing_fetch(Prepare *p, Artifact *artifact, FetchDone done);

/* To be called first in every FetchDone. True when the file has arrived; else the step has been
 * ended. */
bool preparing_fetched(Prepare *p, FetchOutcome outcome, const Error *err);

/* The path of a name in a folder of the state folder. Allocated. */
char *preparing_path(const Prepare *p, const char *folder, const char *name);

/* Folders of the state folder. */
#define PREPARING_ENGINES "engines"
#define PREPARING_SOURCES "sources"
#define PREPARING_BENCHES "benches"
#define PREPARING_LOGS "logs"           /* Logs of failed builds. */
#define PREPARING_UNREMOVED "unremoved" /* See base/tree.h, tree_make_room. */

#endif
