/* SPDX-License-Identifier: MIT */
/* The machine that goes through the steps of a preparation. For the files that have the steps
 * alone: prepare.c, and prepare_engine.c with the steps that make an engine. preparing.c also has
 * prepared_free and prepare_load of prepare.h. */
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

/* One side's engine on its way. */
typedef struct {
    const WorkloadSide *workload;
    PreparedEngine *engine; /* Of the result. */
    char exe[PREPARE_EXE_MAX];
    char compiler[TOOLCHAIN_NAME_MAX]; /* "": none is here; a private engine may need none. */
    Token token;                       /* Of a private engine. */
    char *source;                      /* Where the source is kept; NULL: it is not. */
    bool listed;                       /* A private engine's source is a list of builds, ... */
    char *listed_url;                  /* ... of which this one is for this machine. */
    char listed_name[LISTED_NAME_MAX]; /* Its name. */
    bool fresh;                        /* Built in this preparation, not kept from before. */
    int benches;                       /* Run so far. */
} PreparedSide;

/* The kinds of steps. */
typedef enum {
    STEP_BOOK,
    STEP_COMPILERS,
    STEP_NETWORK,
    STEP_BUILD,
    STEP_BENCH,
    STEP_OPENINGS, /* That the engine makes, for DATAGEN. */
    STEP_ORDER,    /* Of the openings in play. */
    STEP_TRIM,     /* Of what is kept. */
    STEP_READY
} PrepareStep;

/* A step of the sequence, which is in prepare.c. The last one ends the preparation. */
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
    size_t next;                /* ... and the place of the next step. */
    PreparedSide sides[SIDE_COUNT];
    PreparedSide *side; /* Of the present step. */
    char *folder;       /* For what is half-done, */
    char *download;     /* such as the present download. */
    char *tree;         /* The unpacked source, */
    char *build_dir;    /* the folder of its Makefile, */
    char *built;        /* and the binary, where make left it. */
    char *book;         /* Downloaded; NULL: the test has none. */
    char *made_book;    /* By the engine, for DATAGEN. */
    Text openings;      /* The text of the made book. */
    Prepared result;
    bool cancelled;

    /* What is under way: one of these at a time. */
    uv_timer_t timer; /* Before the next step. */
    Task task;
    bool (*run)(Prepare *, Error *); /* Of the task, */
    void (*then)(Prepare *, bool);   /* and what comes after. */
    void (*held)(Prepare *);         /* Goes on when the machine's load ... */
    MachineLoad held_load;           /* ... is no more than this. */
    Fetch *fetch;
    ToolchainProbe *probe;
    Build *build;
    Bench *bench;
    Genfens *genfens;
};

/* The present step is over, and the next one of the sequence begins. */
void preparing_next(Prepare *p);
/* The present step is over, and the last step of this kind and of the same side begins once more;
 * then follow the steps after that one. */
void preparing_go_back(Prepare *p, PrepareStep step);
/* The present step is over, and so is the whole preparation. */
void preparing_end(Prepare *p, PrepareOutcome outcome);
void preparing_end_with(Prepare *p, PrepareOutcome outcome, const Error *err);

/* Runs `run` in the thread pool, then `then` on the loop; p->task.error is the cause when it
 * failed. */
void preparing_task(Prepare *p, bool (*run)(Prepare *, Error *), void (*then)(Prepare *, bool));

/* Calls `then` as soon as the machine's load is no more than `most`. */
void preparing_when_load(Prepare *p, MachineLoad most, void (*then)(Prepare *));

/* Starts p->fetch; the artifact's user is the preparation. */
void preparing_fetch(Prepare *p, Artifact *artifact, FetchDone done);

/* The first words of every FetchDone: true when the file is there; else the preparation has been
 * ended. */
bool preparing_fetched(Prepare *p, FetchOutcome outcome, const Error *err);

/* The path of a name in a folder of the state folder. Allocated. */
char *preparing_path(const Prepare *p, const char *folder, const char *name);

/* "folder/name", allocated. */
char *preparing_join(const char *folder, const char *name);

/* Folders of the state folder. */
#define PREPARING_ENGINES "engines"
#define PREPARING_SOURCES "sources"
#define PREPARING_BENCHES "benches"
#define PREPARING_LOGS "logs"           /* Of failed builds. */
#define PREPARING_UNREMOVED "unremoved" /* See base/tree.h, tree_make_room. */

#endif
