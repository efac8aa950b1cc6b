/* SPDX-License-Identifier: MIT */
/* The ways of a result to the user: standard output, a page's file, the log. */
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

/* Of tables on standard output: as wide as the terminal, elsewhere 120 columns; never colored. */
ProgressStyle output_style(void);

/* Write a page to the file `path`, --html's value; NULL: write nothing. */
bool output_page(const Text *page, const char *path, Error *err);
bool output_result_page(const Result *result, const char *path, Error *err);

/* Fills the row's link, spec and difference, which are strings of the result. `html`, the file of
 * the table's page, makes a test of this machine write its own page beside the table's,
 * "table-killers.html" for the name "killers", and the row links to that page; NULL: no page is
 * written. */
bool output_row(Result *result, const char *html, const char *name, CompareRow *row, Error *err);

/* Logs which pairs are not counted, and why, and which games the verdict counts besides. */
void output_warning(const Result *result, Log *log);

/* Logs that the test waits until somebody approves it. */
void output_approval(const Result *result, Log *log);

/* Logs the texts of output_approval and output_warning, and the engines' faults, for which the
 * block has no line. */
void output_faults(const Result *result, Log *log);

#endif
