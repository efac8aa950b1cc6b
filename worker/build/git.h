/* SPDX-License-Identifier: MIT */
/* Git, asked through its own program. Blocking; what a person's git needs of the environment (ssh,
 * proxies, configuration) it has, and nothing else. */
#ifndef WORKER_BUILD_GIT_H
#define WORKER_BUILD_GIT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Where and how it runs. */
typedef struct {
    const char *folder;     /* NULL: the working folder. */
    const char *const *env; /* "NAME=value" besides, NULL-terminated; NULL: none. */
} GitPlace;

/* Runs git with these words (NULL-terminated) and appends what it printed to *out, which may be
 * NULL. False when it failed, err being its own line about what is wrong. */
bool git_run(const GitPlace *place, const char *const *words, Text *out, Error *err);

/* The first line that git answers, allocated; NULL with err set. */
char *git_ask(const GitPlace *place, const char *const *words, Error *err);

/* The top folder of the repository that `folder` (NULL: the working folder) lies in; allocated. */
char *git_top(const char *folder, Error *err);

/* The full name of a commit, allocated; NULL with err set when there is none of that name. */
char *git_commit(const char *top, const char *ref, Error *err);

#endif
