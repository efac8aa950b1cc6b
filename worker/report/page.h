/* SPDX-License-Identifier: MIT */
/* A test's report for people: one self-contained page. Pure: a result in, text out. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/text.h"
#include "report/compare.h"
#include "report/result.h"

/* Appends a page with all facts of the result: the verdict, the LLR's path between its bounds, Elo
 * with its band over games, pairs beside those expected of equal engines, endings, machines,
 * faults, switches, settings, and the block to copy. */
void page_of_result(const Result *result, Text *out);

/* Appends the content of that page without its frame and its scripts. */
void page_add_sections(const Result *result, Text *out);

/* Appends a page with compare_html's table. */
void page_of_comparison(const CompareRow *rows, size_t count, const char *title, Text *out);

#endif
