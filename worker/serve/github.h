/* SPDX-License-Identifier: MIT */
/* Commits of repositories on GitHub, by its REST API. Blocking. Source: the requests of OpenBench's
 * server, and GitHub's documentation of "branches" and "commits". */
#ifndef WORKER_SERVE_GITHUB_H
#define WORKER_SERVE_GITHUB_H

#include <stdbool.h>

#include "base/error.h"
#include "serve/sources.h"

/* Finds the commit that `ref` means: forty digits when by_sha, else a branch, else a tag. `repo` is
 * https://github.com/USER/NAME, with or without a slash at the end; `ref` has only characters that
 * may stand in an address. `api` is the base address of the API. `token` may be NULL. The caller
 * frees *out also after a failure. */
bool github_resolve(const char *api, const char *repo, const char *ref, bool by_sha,
                    const char *token, SourceCommit *out, Error *err);

#endif
