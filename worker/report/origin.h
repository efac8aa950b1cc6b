/* SPDX-License-Identifier: MIT */
/* Which sources a test's engines were built from, for pages, Markdown and JSON. Pure. */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include "base/text.h"
#include "report/result.h"

/* The origin of an engine as a journal's head has it. Strings are allocated. */
Origin origin_of(const RecordEngine *engine);
void origin_free(Origin *origin);

/* Appends a section, or a table in Markdown: repository, commit, its subject, changes that are not
 * committed, and the link to the difference. Nothing when no engine's origin is known. */
void origin_section(const Result *result, Text *out);
void origin_markdown(const Result *result, Text *out);

#endif
