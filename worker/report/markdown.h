/* SPDX-License-Identifier: MIT */
/* A test's report as Markdown. Pure: a result in, text out. */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "base/text.h"
#include "report/result.h"

/* Appends heading, block and tables. */
void markdown_of_result(const Result *result, Text *out);

#endif
