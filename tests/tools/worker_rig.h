/* SPDX-License-Identifier: MIT */
/* `obworker work` beside a small server, for tests from end to end: engines' sources that really
 * build, a book, workloads, and the worker as a process of its own. One at a time. */
#ifndef TESTS_TOOLS_WORKER_RIG_H
#define TESTS_TOOLS_WORKER_RIG_H

#include <stdint.h>
#include <sys/types.h>
#include <check.h>

#include "base/journal.h"
#include "base/text.h"
#include "tools/openbench_double.h"

/* How long anything may take, in seconds, and the bench of the engines served. */
enum { RIG_PATIENCE_S = 120, RIG_BENCH = 4242 };

extern Double *rig_server;
extern pid_t rig_worker;

/* The text of the book that every workload plays, unless it says otherwise. */
extern const char rig_book[];

/* Words for rig_run: a single round. */
extern const char *const rig_once[];

/* To be asked in main: whether what is needed is in the environment; says what is not. */
bool rig_ready(const char *suite);

/* A new case of the suite whose tests each have the fixture below. */
TCase *rig_case(Suite *suite, const char *name);

/* A test's fixture: a folder, a server with the book and the engine "base.zip". */
void rig_setup(void);
void rig_teardown(void);

/* The path of a name in the test's folder. Allocated. */
char *rig_path(const char *name);

/* Serves an engine's source: a Makefile and a program that knows its bench and plays as the
 * scripted engine does. `words` are that engine's arguments as C strings, with a comma after each;
 * `fault` is put before the compiler's command. */
void rig_serve_engine(const char *path, int bench, const char *words, const char *fault);

/* While held, no bench of these engines ends. */
void rig_hold_benches(bool held);

/* The usual "dev.zip". */
void rig_serve_dev(void);

/* The same, but its games wait: before its first move of each game the engine takes a ticket. It
 * appends what it hears to the file "tickets.log". rig_give_tickets adds so many tickets. */
void rig_serve_dev_with_tickets(int tickets);
void rig_give_tickets(int tickets);

/* Puts the file with the private engine's token into the state folder; home: whose token it is. */
void rig_keep_token(const char *home);

/* Serves this project's own engine, and runs its bench. */
void rig_serve_own(const char *path);
int64_t rig_own_bench(void);

/* A workload; zero fields are the usual ones. */
typedef struct {
    int id;
    const char *type;
    const char *book_sha;
    const char *book; /* the whole "book" object */
    const char *spsa;
    const char *reporting;
    const char *upload_pgns;
    const char *genfens_args;
    const char *extra;   /* in "test" */
    const char *options; /* of dev */
    const char *network; /* of dev */
    const char *path, *time_control, *base_time_control, *base_source, *syzygy_adj;
    const char *dev_source;    /* a whole URL */
    const char *dev_compilers; /* a JSON list */
    bool is_private;           /* dev */
    bool play_reverses;
    int dev_bench, base_bench;
    int runners, rounds;
    int book_index;
} RigOffer;

/* Hands it out after those offered before. */
void rig_offer(const RigOffer *offer);

/* Starts the worker with these words more, which end in NULL, and a file with the password unless
 * they have -P or --config among them. Its stderr goes to the file "log", its stdout to "out". */
void rig_start(const char *const *words);

/* Waits for its end; the exit status. */
int rig_wait(void);

/* Sleeps a hundredth of a second. */
void nap(void);

/* The file of this name in the test's folder, as a whole. */
Text rig_read(const char *name);

/* What it has said so far. */
Text rig_log(void);

/* Waits for its end with this status; its password must not be in what it said. */
void rig_expect_status(int status);

/* rig_start and rig_expect_status. */
void rig_run(const char *const *words, int status);

void rig_expect_log(const char *words);

/* Waits until the worker has said these words. */
void rig_wait_log(const char *words);

/* The field of the index-th request of `path`. */
void rig_expect_field(const char *path, size_t index, const char *name, const char *wanted);

/* Hands each record of the journals in a folder of the test's folder to `take`; returns how many
 * journals there are. NULL: counts them alone. A folder that is missing has none. */
int rig_journals(const char *folder, JournalTake take, void *user);

/* The games of the pairs that the worker's journals have, with --keep-delivered of all that it ever
 * kept: what the server should have in the end. */
int64_t rig_kept_games(void);

/* What the server added is whole pairs, and the two ways of counting agree. */
void rig_expect_games(int64_t games);

#endif
