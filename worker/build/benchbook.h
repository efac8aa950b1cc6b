/* SPDX-License-Identifier: MIT */
/* What benches have told of kept engines: a small file for each, which says of which bytes it
 * speaks. Blocking, but for the pure parts. */
#ifndef WORKER_BUILD_BENCHBOOK_H
#define WORKER_BUILD_BENCHBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

typedef struct {
    char sha256[DIGEST_HEX_MAX]; /* of the engine's bytes */
    int64_t bench;               /* the node count that it was found to have */
    int64_t nps;                 /* its speed then */
    /* When the speed was measured with nothing but benches on the machine, in seconds since 1970;
     * 0: beside games, which is good enough to tell it but not to scale clocks by. */
    int64_t measured;
    int64_t copies; /* that ran at once then */
    int64_t mhz;    /* the CPUs' clock then; 0: not known */
} BenchRecord;

/* Under what a speed must have been measured to count. */
typedef struct {
    int64_t now;   /* seconds since 1970 */
    int64_t since; /* not earlier than this */
    int64_t age_s; /* not longer ago than this */
    int64_t copies;
    int64_t mhz; /* about this clock, where both are known */
} BenchTerms;

/* The record in the file `path`; false when there is none, or none that can be read. */
bool benchbook_read(const char *path, BenchRecord *out);
bool benchbook_write(const char *path, const BenchRecord *record, Error *err);

/* Gives every record in a folder to `take`. */
void benchbook_each(const char *folder, void (*take)(const BenchRecord *record, void *user),
                    void *user);

/* Whether its speed may scale clocks. Pure. */
bool benchbook_is_recent(const BenchRecord *record, const BenchTerms *terms);

/* The mean clock of the CPUs in MHz, by the text of /proc/cpuinfo; 0: it does not say. Pure. */
int64_t benchbook_parse_mhz(const char *cpuinfo);
/* That of this machine now. */
int64_t benchbook_mhz(void);

#endif
