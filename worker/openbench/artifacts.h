/* SPDX-License-Identifier: MIT */
/* What a private engine's builds are: the answer of GitHub's "list workflow run artifacts", and
 * which of them this machine should run. Pure. Source: GitHub's REST documentation; that the names
 * tell systems and CPU features is the custom of the engines that are tested so. */
#ifndef WORKER_OPENBENCH_ARTIFACTS_H
#define WORKER_OPENBENCH_ARTIFACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* One build of the list. */
typedef struct {
    char *name; /* "engine-linux-avx2-pext" */
    char *url;  /* of a zip */
    bool expired;
} ArtifactEntry;

typedef struct {
    ArtifactEntry *items;
    size_t count;
} Artifacts;

/* Whether the text begins as JSON does, not as a zip. */
bool artifacts_maybe(const char *text);

/* Reads the answer. artifacts_free it in either case. */
bool artifacts_parse(const char *text, size_t length, Artifacts *out, Error *err);
void artifacts_free(Artifacts *artifacts);

/* The one that asks most of the CPU and gets it: none for another system, none that needs what the
 * flags ("AVX2", "BMI2", ...) do not have; `slow_pext`: BMI2 is there, but no gain. NULL: none. */
const ArtifactEntry *artifacts_best(const Artifacts *artifacts, const Words *cpu_flags,
                                    bool slow_pext);

#endif
