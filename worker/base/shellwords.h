/* SPDX-License-Identifier: MIT */
/* Words of a shell command. Variables, patterns and commands in them are not expanded. */
#ifndef BASE_SHELLWORDS_H
#define BASE_SHELLWORDS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Appends the words of a command: between blanks and line ends, with 'single quotes', "double
 * quotes" and backslashes as a POSIX shell reads them (a backslash before a line end joins the
 * lines). Fails on a quote left open. */
bool shell_split(const char *command, Words *out, Error *err);

/* Appends a word in a form that can be pasted into a shell: unchanged, or between single quotes. */
void shell_quote(const char *word, Text *out);

/* The same for each of the words, with a blank before it. */
void shell_quote_words(const Words *words, Text *out);

#endif
