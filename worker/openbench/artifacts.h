/* SPDX-License-Identifier: MIT */
/* The builds of a private engine: the answer of GitHub's "list workflow run artifacts", and the
 * choice of a build for this machine. Pure. Source: GitHub's REST documentation. System and CPU
 * features in the builds' names are a custom of the engines tested this way. */
#ifndef WORKER_OPENBENCH_ARTIFACTS_H
#define WORKER_OPENBENCH_ARTIFACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* One build of the list. */
typedef struct {
    char *name; /* "engine-linux-avx2-pext" */
    char *url;  /* URL of a zip */
    bool expired;
} ArtifactEntry;

typedef struct {
    ArtifactEntry *items;
    size_t count;
} Artifacts;

/* Does the text begin like JSON, not like a zip? */
bool artifacts_maybe(const char *text);

/* Reads the answer. Call artifacts_free in either case. */
bool artifacts_parse(const char *text, size_t length, Artifacts *out, Error *err);
void artifacts_free(Artifacts *artifacts);

/* The build with the highest rank among those that this machine can run: for this system, with no
 * more CPU features than the flags ("AVX2", "BMI2", ...). slow_pext: the CPU has BMI2, but PEXT is
 * slow and gains no rank. NULL: no build fits. */
const ArtifactEntry *artifacts_best(const Artifacts *artifacts, const Words *cpu_flags,
                                    bool slow_pext);

#endif
