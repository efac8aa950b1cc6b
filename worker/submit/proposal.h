/* SPDX-License-Identifier: MIT */
/* Branches for tests and tunings: each is the base branch with other rows in the engine's tables,
 * or with rows that can be tuned, built, benched and committed in a temporary clone beside the
 * user's repository. Nothing changes in the repository (no file, no index, no branch) before
 * proposals are published. Blocking. */
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
} WorkCloneOptions;

/* Where proposals are made. All zero before workclone_open. */
typedef struct {
    WorkCloneOptions options;
    Log *log;
    char *top;          /* The user's repository, ... */
    char *folder;       /* ... the temporary one's folder ... */
    char *clone;        /* ... and itself. */
    char *base_commit;  /* Full name. */
    Words identity;     /* The user's name and address as git's environment has them. */
    Text remote_heads;  /* What `git ls-remote` says. */
    int64_t base_bench; /* As measured. */
    int64_t said_bench; /* As the base's commit message says; 0: it does not. */
} WorkClone;

/* What a branch changes of its base. The words are the caller's, and outlive the proposal. */
typedef struct {
    const Words *flags; /* Rows with other values, "KILLER=0". */
    const Words
        *tuned; /* Rows to tune: a plain `make` of the branch has all rows as UCI options. */
} BranchChange;

typedef struct {
    char *branch;
    char *trial;  /* A commit of its files in the clone, without a bench. */
    char *binary; /* What the trial builds; NULL: it is not built yet. */
    char *commit; /* The one with a bench; in the clone until it is published. */
    FlagChange *changes;
    size_t change_count;
    const Words *tuned;
    Text parameters; /* Of a tuning, a line each, for the message; the caller's to fill. */
    int64_t bench;
    Text message;
    Text diff;
} Proposal;

/* Opens one for the repository that the working folder lies in. Refuses one whose files are
 * changed, whose head is on no branch, that lacks the base branch or the remote, and, when
 * something is to be pushed, a base branch that the remote has not or has otherwise.
 * workclone_close it in either case. */
bool workclone_open(WorkClone *work, const WorkCloneOptions *options, Log *log, Error *err);
void workclone_close(WorkClone *work);

/* Builds the base branch and runs its bench. Refuses when the commit's message says another. */
bool workclone_bench_base(WorkClone *work, Error *err);

/* Lays out a branch with this change; branch NULL: it is named after the change. Refuses a name
 * that is taken, here or at the remote, rows and values that the tables do not have, and to tune
 * where the Makefile has no TUNE. proposal_free it in either case. */
bool workclone_draft(const WorkClone *work, const BranchChange *change, const char *branch,
                     Proposal *out, Error *err);

/* Builds a draft. Refuses what cannot be built. */
bool workclone_build(const WorkClone *work, Proposal *proposal, Error *err);

/* Runs the bench of a draft that is built, and commits it. Refuses what cannot be benched. */
bool workclone_commit(const WorkClone *work, Proposal *proposal, Error *err);

/* Pushes the proposals' branches, when there is a remote, all or none, and makes them in the user's
 * repository. */
bool workclone_publish(const WorkClone *work, const Proposal *proposals, size_t count, Error *err);

void proposal_free(Proposal *proposal);

/* A repository's address as servers want it, from the one that git pushes to: https, without user
 * and ".git". Allocated; NULL for a folder. Pure. */
char *repository_address(const char *remote);

/* The same of a remote of the repository that the working folder lies in; NULL also where there is
 * no such remote. Blocking. */
char *remote_address(const char *remote);

#endif
