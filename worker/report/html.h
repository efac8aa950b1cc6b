/* SPDX-License-Identifier: MIT */
/* The frame of the pages that reports are made into: one file, its style inside, nothing fetched
   from anywhere; light and dark as the reader's system has it. And text from elsewhere (names,
   servers' words) made harmless. Pure: text out. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdint.h>

#include "base/text.h"

/* Appends text as HTML shows it, in elements and in quoted attributes alike: markup becomes
   characters, what is no UTF-8 and control characters become text (text_add_visible). */
void html_add(Text *out, const char *text);

/* The same, with leave to break the line behind each of ",;:/=_|": for names that have no blanks.
 */
void html_add_name(Text *out, const char *text);

/* The same for headings and rows' names: where there is room, short words are not broken. */
void html_add_title(Text *out, const char *text);

/* The same for Markdown within a line or a table's cell: every character that could be markup gets
   a backslash, line breaks become spaces. */
void markdown_add(Text *out, const char *text);

/* An address for Markdown's links: <https://...>. */
void markdown_add_address(Text *out, const char *address);

/* Everything up to the page's content, and everything after it. renew_s > 0: the page loads itself
   again every so many seconds, but not while a dialog of it is open. */
void html_begin(Text *out, const char *title, int64_t renew_s);
void html_end(Text *out);

#endif
