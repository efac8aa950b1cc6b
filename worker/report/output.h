/* SPDX-License-Identifier: MIT */
/* A result on its way to the user: to standard output, to a page's file, to the log. */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "report/compare.h"
#include "report/result.h"

typedef enum { OUTPUT_BLOCK, OUTPUT_JSON, OUTPUT_MARKDOWN } OutputFormat;

/* Prints the result to standard output. */
void output_result(const Result *result, OutputFormat format);

/* Writes a page to the file that --html names. path NULL: none is wanted. */
bool output_page(const Text *page, const char *path, Error *err);
bool output_result_page(const Result *result, const char *path, Error *err);

/* What a table tells of the test besides its report: SPEC and difference go into the row, as
 * strings of the result. Where `html` names the page of the table, the test's own page is written
 * beside it, "table-killers.html" for the name "killers", and the row links to it; NULL: no page is
 * wanted. */
bool output_row(Result *result, const char *html, const char *name, CompareRow *row, Error *err);

/* Says in the log which pairs are in no count, and why. */
void output_warning(const Result *result, Log *log);

/* Says that, and the engines' faults, in the log: the block has no line for them. */
void output_faults(const Result *result, Log *log);

#endif
