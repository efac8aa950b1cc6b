/* SPDX-License-Identifier: MIT */
/* Words as a shell's user writes them. Nothing is expanded: no variables, no patterns, no
 * commands. */
#ifndef BASE_SHELLWORDS_H
#define BASE_SHELLWORDS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Appends the words of a command: between blanks and line ends, with 'single quotes', "double
 * quotes" and backslashes as a POSIX shell reads them (a backslash before a line end joins the
 * lines). Fails on a quote left open. */
bool shell_split(const char *command, Words *out, Error *err);

/* Appends a word as it can be pasted into a shell: as it is, or between single quotes. */
void shell_quote(const char *word, Text *out);

#endif
