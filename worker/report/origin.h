/* SPDX-License-Identifier: MIT */
/* The sources that a test's engines were built from, for pages, Markdown and JSON. Pure. */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include "base/text.h"
#include "report/result.h"

/* The origin of an engine from a journal's head. Allocated; origin_free frees the strings. */
Origin origin_of(const RecordEngine *engine);
void origin_free(Origin *origin);

/* Append the engines' origins as a section of HTML or a table of Markdown: repository, commit,
 * subject, uncommitted changes, and the link to the difference. Append nothing when no engine's
 * origin is known. */
void origin_section(const Result *result, Text *out);
void origin_markdown(const Result *result, Text *out);

#endif
