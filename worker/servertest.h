/* SPDX-License-Identifier: MIT */
/* A test on a server as a result to report on. Blocking. */
#ifndef SERVERTEST_H
#define SERVERTEST_H

#include "openbench/api.h"
#include "report/result.h"

/* Asks for the test's settings, counts and parts. *result must be all zero; result_free it in
 * either case. *again (may be NULL): the fault may pass. account: without a username nothing secret
 * is sent. */
bool servertest_read(const ApiAccount *account, int64_t id, Result *result, bool *again,
                     Error *err);

#endif
