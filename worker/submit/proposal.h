/* SPDX-License-Identifier: MIT */
/* Branches for tests: each is the base branch with other rows in the engine's flag table, built,
 * benched and committed in a temporary clone beside the user's repository. In that nothing changes
 * (no file, no index, no branch) before proposals are published. Blocking. */
#ifndef SUBMIT_PROPOSAL_H
#define SUBMIT_PROPOSAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "submit/flagtable.h"

typedef struct {
    const char *base_branch;
    const char *remote;     /* To push to; NULL: nothing is pushed. */
    const char *build_path; /* The engine's folder in the repository, with its Makefile. */
} DeskOptions;

/* Where proposals are made. All zero before desk_open. */
typedef struct {
    DeskOptions options;
    Log *log;
    char *top;          /* The user's repository, ... */
    char *folder;       /* ... the temporary one's folder ... */
    char *clone;        /* ... and itself. */
    char *base_commit;  /* Full name. */
    Words identity;     /* The user's name and address as git's environment has them. */
    Text remote_heads;  /* What `git ls-remote` says. */
    int64_t base_bench; /* As measured. */
    int64_t said_bench; /* As the base's commit message says; 0: it does not. */
} Desk;

typedef struct {
    char *branch;
    char *trial;  /* A commit of its files in the clone, without a bench. */
    char *commit; /* The one with a bench; in the clone until it is published. */
    FlagChange *changes;
    size_t change_count;
    int64_t bench;
    Text message;
    Text diff;
} Proposal;

/* Opens one for the repository that the working folder lies in. Refuses one whose files are
 * changed, whose head is on no branch, that lacks the base branch or the remote, and, when
 * something is to be pushed, a base branch that the remote has not or has otherwise. desk_close it
 * in either case. */
bool desk_open(Desk *desk, const DeskOptions *options, Log *log, Error *err);
void desk_close(Desk *desk);

/* Builds the base branch and runs its bench. Refuses when the commit's message says another. */
bool desk_bench_base(Desk *desk, Error *err);

/* Lays out a branch with these rows ("KILLER=0"); branch NULL: it is named after them. Refuses a
 * name that is taken, here or at the remote, and rows and values that the table does not have.
 * proposal_free it in either case. */
bool desk_draft(const Desk *desk, const Words *flags, const char *branch, Proposal *out,
                Error *err);

/* Builds a draft, runs its bench and commits it. Refuses what cannot be built or benched. */
bool desk_commit(const Desk *desk, Proposal *proposal, Error *err);

/* Pushes the proposals' branches, when there is a remote, all or none, and makes them in the user's
 * repository. */
bool desk_publish(const Desk *desk, const Proposal *proposals, size_t count, Error *err);

void proposal_free(Proposal *proposal);

/* A repository's address as servers want it, from the one that git pushes to: https, without user
 * and ".git". Allocated; NULL for a folder. Pure. */
char *repository_address(const char *remote);

/* The bench that a commit's message says: the last "Bench: N"; 0: none. Pure. */
int64_t message_bench(const char *message);

#endif
