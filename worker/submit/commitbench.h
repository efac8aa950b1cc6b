/* SPDX-License-Identifier: MIT */
/* The benches of commits and of branches: what their messages say, and what their builds count.
 * Blocking. */
#ifndef SUBMIT_COMMITBENCH_H
#define SUBMIT_COMMITBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "build/build.h"
#include "openbench/testform.h"

/* The bench that a commit's message says: the last "Bench: N"; 0: none. Pure. */
int64_t message_bench(const char *message);

/* A new folder in $TMPDIR for what is made here, allocated; NULL with err set. */
char *scratch_folder(Error *err);

/* Runs the bench of a built engine. scratch: the engine's working folder. */
bool binary_bench(const char *path, const char *scratch, int64_t *bench, Error *err);

/* Builds a commit and runs its bench. */
bool commit_bench(const char *commit, const CommitOptions *options, const char *scratch,
                  int64_t *bench, Error *err);

/* For a test of branches that are there: a server reads a side's bench from the message of the
 * branch's commit. Where neither the form nor that message says the bench, the branch is built and
 * benched here, and the form says the count. A branch that the repository of the working folder
 * does not have, and a form of another repository than the remote's, are left to the server. */
bool form_bench_branches(TestForm *form, const char *remote, const char *build_path, Log *log,
                         Error *err);

#endif
