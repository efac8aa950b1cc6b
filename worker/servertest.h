/* SPDX-License-Identifier: MIT */
/* Reads a test on a server as a result. Blocking. */
#ifndef SERVERTEST_H
#define SERVERTEST_H

#include "openbench/api.h"
#include "report/result.h"

/* Asks the server for the test's settings, counts and parts. *result must be all zero; the caller
 * frees it with result_free in either case. *again (may be NULL) is set when the fault may pass.
 * account: without a username no secret is sent. */
bool servertest_read(const ApiAccount *account, int64_t id, Result *result, bool *again,
                     Error *err);

#endif
