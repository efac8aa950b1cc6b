/* SPDX-License-Identifier: MIT */
/* How games end, by the words of their record's reason. */
#ifndef REPORT_ENDINGS_H
#define REPORT_ENDINGS_H

#include <stdbool.h>

enum { ENDING_KINDS = 13 }; /* That are told apart. */

/* The kind, from 0, that these words tell of; -1: none that is known. */
int ending_of(const char *reason);

/* "mate", "threefold repetition", ... */
const char *ending_name(int kind);

/* Did an engine fail? */
bool ending_is_fault(int kind);

#endif
