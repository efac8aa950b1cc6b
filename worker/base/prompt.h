/* SPDX-License-Identifier: MIT */
/* Asking the user at the terminal. */
#ifndef BASE_PROMPT_H
#define BASE_PROMPT_H

#include <stdbool.h>

#include "base/error.h"

/* Is standard input a terminal, so that a person can be asked? */
bool prompt_possible(void);

/* Shows the question on the terminal and reads an answer without showing its characters. Allocated;
 * NULL with err set when there is no terminal or no answer, or at Ctrl-C ("interrupted"). */
char *prompt_hidden(const char *question, Error *err);

#endif
