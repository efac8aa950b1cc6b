/* SPDX-License-Identifier: MIT */
/* Proposals: branches for tests and tunings. Each is the base branch with other values in the
 * engine's tables, or with tunable rows. A proposal is built, benched and committed in a temporary
 * clone beside the user's repository. The repository does not change (no file, no index, no branch)
 * before proposals are published. Blocking. */
#ifndef SUBMIT_PROPOSAL_H
#define SUBMIT_PROPOSAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "submit/flagtable.h"
#include "submit/scratch.h"

typedef struct {
    const char *base_branch;
    const char *remote;     /* The remote to push to; NULL: nothing is pushed. */
    const char *build_path; /* The engine's folder in the repository, with its Makefile. */
} WorkCloneOptions;

/* The temporary clone in which proposals are made. All zero before workclone_open. */
typedef struct {
    WorkCloneOptions options;
    Log *log;
    char *top; /* The user's repository. */
    Scratch scratch;
    char *clone;        /* The clone in the scratch folder. */
    char *base_commit;  /* Full name. */
    Words identity;     /* The user's name and address as environment variables of git. */
    char *address;      /* Where branches are pushed to; NULL: no remote. */
    int64_t base_bench; /* Measured. */
    int64_t said_bench; /* From the base's commit message; 0: none. */
} WorkClone;

/* The change of a branch against its base. The caller owns the words, which outlive the proposal.
 */
typedef struct {
    const Words *flags; /* Rows with new values, "KILLER=0". */
    const Words
        *tuned; /* Rows to tune: a plain `make` of the branch has all rows as UCI options. */
} BranchChange;

typedef struct {
    char *branch;
    char *trial;  /* A commit of the branch's files in the clone, without a bench. */
    char *binary; /* The built engine of the trial; NULL: not built yet. */
    char *commit; /* The commit with its bench, in the clone until published. */
    FlagChange *changes;
    size_t change_count;
    const Words *tuned;
    Text parameters; /* A tuning's parameters for the message; set by the caller. */
    int64_t bench;
    Text message;
    Text diff;
} Proposal;

/* Opens a clone of the repository around the working folder. Refuses a repository with uncommitted
 * changes, with a head on no branch, or without the base branch or the remote. With a remote to
 * push to, also refuses a base branch that the remote lacks or has at another commit. Call
 * workclone_close in either case. */
bool workclone_open(WorkClone *work, const WorkCloneOptions *options, Log *log, Error *err);
void workclone_close(WorkClone *work);

/* Builds the base branch and runs its bench. Refuses a base whose commit message has another bench.
 */
bool workclone_bench_base(WorkClone *work, Error *err);

/* Drafts a branch with this change; branch NULL: named after the change. Refuses a branch name that
 * exists here or at the remote or that git cannot create here, rows and values that the tables
 * lack, and tunable rows when the Makefile has no TUNE. Call proposal_free in either case. */
bool workclone_draft(const WorkClone *work, const BranchChange *change, const char *branch,
                     Proposal *out, Error *err);

/* Builds a draft. */
bool workclone_build(const WorkClone *work, Proposal *proposal, Error *err);

/* Runs the bench of a built draft, and commits the draft. */
bool workclone_commit(const WorkClone *work, Proposal *proposal, Error *err);

/* Pushes the proposals' branches, all or none, when the clone has a remote; then creates the
 * branches in the user's repository. *pushed: the remote has the branches, also when a branch could
 * not be created here. */
bool workclone_publish(const WorkClone *work, const Proposal *proposals, size_t count, bool *pushed,
                       Error *err);

void proposal_free(Proposal *proposal);

#endif
