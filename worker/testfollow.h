/* SPDX-License-Identifier: MIT */
/* Following a test on a server, as `report --follow` and `submit --wait` do. Blocking. */
#ifndef TESTFOLLOW_H
#define TESTFOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "openbench/api.h"
#include "report/output.h"

/* The way of following. every: seconds between two readings; 0: a minute. html: the page's file, or
 * NULL. *left is set when the user interrupts; NULL: not wanted. */
typedef struct {
    int64_t every;
    const char *html;
    OutputFormat format;
    bool *left;
} TestFollowOptions;

/* Follows the test until it is over or the user interrupts, then prints its report. */
bool testfollow(const ApiAccount *account, int64_t id, const TestFollowOptions *options, Log *log,
                Error *err);

#endif
