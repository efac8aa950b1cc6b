/* SPDX-License-Identifier: MIT */
/* An engine as a server's configuration has it, for those who submit tests of it: where its source
 * is, how fast it is, and the settings that its authors have agreed on for a test of this kind or
 * that. Pure. Source: the recorded answers of api/config/ENGINE/ and api/buildinfo/. */
#ifndef WORKER_OPENBENCH_ENGINECONFIG_H
#define WORKER_OPENBENCH_ENGINECONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openbench/api.h"
#include "openbench/testform.h"

typedef struct {
    char *name;   /* Allocated; NULL: no engine. */
    char *source; /* Its repository's address; allocated. */
    int64_t nps;  /* Nodes a second that tests' clocks are scaled by; > 0. */
    const cJSON *presets[TESTFORM_KINDS]; /* In the answer that they were read from. */
} EngineConfig;

/* The engine that an answer of api_config_engine is about. engineconfig_free it in either case. */
bool engineconfig_read(const ApiAnswer *answer, const char *engine, EngineConfig *out, Error *err);

/* Among all engines, from an answer of api_all_configs: the one whose repository has this address,
 * with or without ".git"; else the one of this name; else out->name is NULL. engineconfig_free it
 * in either case. */
bool engineconfig_find(const ApiAnswer *answer, const char *address, const char *name,
                       EngineConfig *out, Error *err);

/* Says in the fields of the form that say nothing yet what the preset of this name (case aside)
 * says, and after it the one that is called "default". Appends to *unknown the fields that the
 * form has not. A preset that there is not is refused, with those that there are. */
bool engineconfig_apply(const EngineConfig *config, const char *preset, TestForm *form,
                        Words *unknown, Error *err);

void engineconfig_free(EngineConfig *config);

/* How long a repository's address is without what addresses of the same one may differ in at their
 * end: slashes, ".git". */
size_t repository_length(const char *address);

#endif
