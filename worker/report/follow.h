/* SPDX-License-Identifier: MIT */
/* Stays with a test until it is over, or until the user interrupts: shows how it stands, keeps its
 * page up to date, and ends with its report. Blocking. */
#ifndef REPORT_FOLLOW_H
#define REPORT_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "report/output.h"
#include "report/result.h"

/* What is followed, and how. */
typedef struct {
    /* Reads how the test stands into *result, which is all zero and is freed in either case.
     * *again: the fault may pass, and the test is read again after a while. */
    bool (*read)(Result *result, bool *again, void *user, Error *err);
    void *user;
    int64_t every;    /* Seconds between two readings. */
    const char *html; /* The page's file, or NULL. */
    OutputFormat format;
    Log *log;
} Follow;

/* False: the test cannot be read, or the page cannot be written. */
bool follow_test(const Follow *follow, Error *err);

#endif
