/* SPDX-License-Identifier: MIT */
/* The benches of commits and of branches: read from messages, or counted by builds. Blocking. */
#ifndef SUBMIT_COMMITBENCH_H
#define SUBMIT_COMMITBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "build/build.h"
#include "openbench/testform.h"

/* Runs the bench of a built engine. scratch: the engine's working folder. */
bool binary_bench(const char *path, const char *scratch, int64_t *bench, Error *err);

/* Builds a commit and runs its bench. */
bool commit_bench(const char *commit, const BuildOptions *options, const char *scratch,
                  int64_t *bench, Error *err);

/* Fills in the missing benches of existing branches. A server reads a side's bench from the message
 * of the branch's commit. When neither the form nor the message has a bench, the branch is built
 * and benched here, and the form gets the count. The commit is the one that the branch has now at
 * the remote that is the form's repository; `remote` goes before other remotes that may be it.
 * The beginning of a commit's digits becomes all of them. A branch here with commits that the remote
 * lacks is told.
 * base_url: the server's; NULL: it is not asked. Left to the server, and told: a form for a
 * repository that is no remote's, a branch that the remote lacks, and a commit that the repository
 * of the working folder lacks.
 * Refused: a branch that the form gives a network, since benches are counted here without one. */
bool form_bench_branches(TestForm *form, const char *remote, const char *base_url,
                         const char *build_path, Log *log, Error *err);

/* Refuses a form with a network for branches that are made here, whose benches are counted without
 * one. */
bool form_check_networks(const TestForm *form, Error *err);

#endif
