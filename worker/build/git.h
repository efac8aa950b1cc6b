/* SPDX-License-Identifier: MIT */
/* Runs of the git program. Blocking. git has the environment of every child (base/child.h), and the
 * user's variables for git itself, ssh and proxies. */
#ifndef WORKER_BUILD_GIT_H
#define WORKER_BUILD_GIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* The folder and the additional environment of git. */
typedef struct {
    const char *folder;     /* git's working folder; NULL: this process's. */
    const char *const *env; /* More "NAME=value" entries, NULL-terminated; NULL: none. */
    int timeout_ms;         /* git is ended after so long; 0: two minutes. */
    bool keep_start; /* Of a long output the start is kept, and git is ended; else the end. */
} GitPlace;

/* Runs git with these words (NULL-terminated) and appends its output, a megabyte at most, to *out,
 * which may be NULL.
 * False when git failed; err has git's own line about the fault, and the line before it. */
bool git_run(const GitPlace *place, const char *const *words, Text *out, Error *err);

/* Has SIGINT or SIGTERM to this process ended a run of git? Its failure was no answer then. */
bool git_interrupted(void);

/* The first line of git's output, allocated; NULL with err set when git failed. */
char *git_ask(const GitPlace *place, const char *const *words, Error *err);

/* Adds the names of the remotes of the repository in `top` (NULL: the working folder); none where
 * git fails. */
void git_remotes(const char *top, Words *out);

/* The address to which git pushes a remote's branches, where others find them; git may fetch from
 * another one. top: the repository's folder; NULL: the working folder. Allocated; NULL with err set
 * when there is no such remote. */
char *git_push_address(const char *top, const char *remote, Error *err);

/* The top folder of the repository that `folder` (NULL: the working folder) lies in, allocated;
 * NULL with err set when there is no repository. */
char *git_top(const char *folder, Error *err);

/* The full name of the commit `ref`, allocated; NULL with err set when there is no such commit, or
 * when git failed, which err tells apart. */
char *git_commit(const char *top, const char *ref, Error *err);

/* The commit of a ref ("refs/heads/main") in the output of `git ls-remote`, allocated; NULL: the
 * ref is not there. Pure. */
char *git_listed(const char *list, const char *ref);

/* The greatest bench: the numbers of JSON are exact up to here. */
#define GIT_BENCH_MAX (INT64_C(1) << 53)

/* The bench in a commit's message: the last number behind the word "bench" or "nodes" (in any
 * letter case) and blanks, colons or equals signs; commas in the number are left out. 0: none.
 * Pure. Source: OpenBench's server, determine_bench. */
int64_t git_message_bench(const char *message);

/* The web address of a repository, "https://github.com/me/engine", by that of a remote as git has
 * it: https://, http://, ssh:// and git:// addresses, and git@host:path. Leaves out names,
 * passwords and ".git". Allocated; NULL for other remotes, such as folders. Pure. */
char *git_web_address(const char *remote);

/* Whether a web address may be shown to others: https, and not a name of one network. Pure. */
bool git_is_public(const char *address);

/* The web address of a remote, the one that git fetches from or `pushes` to, for the repository
 * that `top` (NULL: the working folder) lies in. Allocated; NULL: it has none, or there is no such
 * remote. */
char *git_web(const char *top, const char *remote, bool pushes);

#endif
