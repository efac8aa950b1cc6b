/* SPDX-License-Identifier: MIT */
/* Asking the user at the terminal. */
#ifndef BASE_PROMPT_H
#define BASE_PROMPT_H

#include <stdbool.h>

#include "base/error.h"

/* Whether there is somebody to ask: standard input is a terminal. */
bool prompt_possible(void);

/* Shows the question on the terminal and reads a line that is not shown while it is typed.
 * Allocated; NULL with err set when nothing comes. */
char *prompt_hidden(const char *question, Error *err);

#endif
