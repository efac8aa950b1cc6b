/* SPDX-License-Identifier: MIT */
/* A stored test as a Result, from which reports and pages are made. */
#ifndef SERVE_TESTRESULT_H
#define SERVE_TESTRESULT_H

#include "report/result.h"
#include "serve/store.h"

/* Makes the result of the test, with its course and its parameters. *result must be all zero; the
 * caller frees it with result_free. */
void test_result(Transaction *t, const Test *test, Result *result);

#endif
