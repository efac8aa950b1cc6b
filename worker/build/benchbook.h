/* SPDX-License-Identifier: MIT */
/* Bench records: the results of benches of kept engines, a small file for each engine, with the
 * digest of the engine's bytes. Blocking, but for the pure functions. */
#ifndef WORKER_BUILD_BENCHBOOK_H
#define WORKER_BUILD_BENCHBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

typedef struct {
    char sha256[DIGEST_HEX_MAX]; /* of the engine's bytes */
    int64_t bench;               /* the engine's node count */
    int64_t nps;                 /* the engine's speed */
    /* Seconds since 1970 when the speed was measured with nothing but benches on the machine; 0:
     * the speed was measured beside games, and is good enough to be shown but not to scale
     * clocks. */
    int64_t measured;
    int64_t copies; /* processes at once then */
    int64_t mhz;    /* the CPUs' clock then, in MHz; 0: not known */
} BenchRecord;

/* The conditions under which a measured speed may scale clocks. */
typedef struct {
    int64_t now; /* seconds since 1970 */
    /* Earliest time of the measurement, in seconds since 1970. A time after `now` says nothing: the
     * clock was set back since then. */
    int64_t since;
    int64_t age_s; /* greatest age of the measurement, in seconds */
    int64_t copies;
    int64_t mhz; /* the CPUs' clock now; a known clock of the record must be within 10 % */
} BenchTerms;

/* Reads the record in the file `path`; false when the file is missing or not readable as a
 * record. */
bool benchbook_read(const char *path, BenchRecord *out);
bool benchbook_write(const char *path, const BenchRecord *record, Error *err);

/* Calls `take` for every record in a folder. */
void benchbook_each(const char *folder, void (*take)(const BenchRecord *record, void *user),
                    void *user);

/* May the record's speed scale clocks under these conditions? Pure. */
bool benchbook_is_recent(const BenchRecord *record, const BenchTerms *terms);

/* The mean clock of the CPUs in MHz, from the text of cpuinfo_read (base/cpuinfo.h); 0: the text
 * does not tell. Pure. */
int64_t benchbook_parse_mhz(const char *cpuinfo);
/* The mean clock of this machine's CPUs now, in MHz; 0: not known. */
int64_t benchbook_mhz(void);

#endif
