/* SPDX-License-Identifier: MIT */
/* Follows a test until the test is over or the user interrupts: shows its state, keeps its page up
 * to date, and ends with its report. Blocking. */
#ifndef REPORT_FOLLOW_H
#define REPORT_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "report/output.h"
#include "report/result.h"

/* A test's source, and where its results are shown. */
typedef struct {
    /* Reads the test's present state into *result, which is all zero before; follow_test frees
     * *result in either case. *again set: the fault may pass, and follow_test reads again after a
     * while. */
    bool (*read)(Result *result, bool *again, void *user, Error *err);
    /* Asked after a reading whose fault will not pass: has the source gone? follow_test then ends
     * with the latest result, if there is one. NULL: such a fault ends in failure. */
    bool (*gone)(void *user);
    void *user;
    int64_t every;    /* Seconds between two readings. */
    const char *html; /* The page's file, or NULL. */
    OutputFormat format;
    Log *log;
    bool *left; /* Set when the user interrupts. NULL: not wanted. */
} Follow;

/* Returns false when the test cannot be read or the page cannot be written. */
bool follow_test(const Follow *follow, Error *err);

#endif
