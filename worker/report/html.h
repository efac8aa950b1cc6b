/* SPDX-License-Identifier: MIT */
/* The frame of a report's page: one file with its style inside, which fetches nothing; light or
 * dark as the reader's system. Also escapes text from elsewhere (names, servers' words). Pure: text
 * out. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdint.h>

#include "base/text.h"

/* Appends text escaped for HTML, in elements and in quoted attributes: markup becomes characters;
 * invalid UTF-8 and control characters become visible text (text_add_visible). */
void html_add(Text *out, const char *text);

/* As html_add, and a line may break behind each of ",;:/=_|": for names without blanks. */
void html_add_name(Text *out, const char *text);

/* As html_add_name, for headings and names of rows: short words break only where the page is
 * narrow. */
void html_add_title(Text *out, const char *text);

/* Appends a table's cell with a number, whose digits are grouped. */
void html_add_number_cell(Text *out, int64_t number);

/* Appends text escaped for a line or a table's cell of Markdown: every character that could be
 * markup gets a backslash, line breaks become spaces. */
void markdown_add(Text *out, const char *text);

/* Appends an address as a link of Markdown: <https://...>. */
void markdown_add_address(Text *out, const char *address);

/* Appends the style sheet of the pages. */
void html_add_style(Text *out);

/* Append the page's start, up to its content, and the page's end. renew_s > 0: the page reloads
 * every renew_s seconds, but not while one of its dialogs is open. */
void html_begin(Text *out, const char *title, int64_t renew_s);
void html_end(Text *out);

#endif
