/* SPDX-License-Identifier: MIT */
/* An engine in a server's configuration, for users who submit tests: the repository, the speed, and
 * the authors' presets for each kind of test. Pure. Source: the recorded answers of
 * api/config/ENGINE/ and api/buildinfo/. */
#ifndef WORKER_OPENBENCH_ENGINECONFIG_H
#define WORKER_OPENBENCH_ENGINECONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "openbench/api.h"
#include "openbench/testform.h"

typedef struct {
    char *name;       /* Allocated; NULL: no engine was found. */
    char *source;     /* The address of the engine's repository; allocated. */
    int64_t nps;      /* Nodes a second, the unit of the scaling of tests' clocks; > 0. */
    char *build_path; /* The folder of the repository that `make` runs in, "." for the top;
                       * allocated; NULL: the server does not say it. */
    const cJSON *presets[TESTFORM_KINDS]; /* Owned by the answer. */
} EngineConfig;

/* Reads the engine from an answer of api_config_engine. Call engineconfig_free in either case. */
bool engineconfig_read(const ApiAnswer *answer, const char *engine, EngineConfig *out, Error *err);

/* Finds an engine in an answer of api_all_configs: the engine whose repository has this address
 * (repository_is_same), else the only engine whose repository is its namesake, as that of a fork,
 * else the engine of this name. address and name may be NULL. out->name is NULL when there is no
 * such engine. Call engineconfig_free in either case. */
bool engineconfig_find(const ApiAnswer *answer, const char *address, const char *name,
                       EngineConfig *out, Error *err);

/* Fills the empty fields of the form from the preset of this name (in any letter case), then from
 * the preset "default". Appends to *unknown the preset's fields that the form lacks. The error for
 * an unknown preset lists the known presets. A value that is neither a line nor a number is an
 * error, too; the preset's other fields are filled. */
bool engineconfig_apply(const EngineConfig *config, const char *preset, TestForm *form,
                        Words *unknown, Error *err);

void engineconfig_free(EngineConfig *config);

/* Whether two addresses name the same repository: in any letter case, with or without slashes or
 * ".git" at the end. False for empty addresses. */
bool repository_is_same(const char *address, const char *other);

/* Whether two addresses, or names, end in the same name of a repository, as those of forks do, and
 * those of one repository that is pushed to by another way than it is fetched. */
bool repository_is_namesake(const char *address, const char *other);

/* The path of an address at the server whose base address, with or without a slash at its end, this
 * is: "/repo/NAME" of "http://hub:8000/repo/NAME". The server's letter case does not matter, nor
 * whether https is used, which a proxy may end. NULL: the address is elsewhere. */
const char *repository_path(const char *address, const char *base);

#endif
