/* SPDX-License-Identifier: MIT */
/* The UCI options of one engine: defaults, and what the user sets over them. */
#ifndef LOCAL_UCIOPTIONS_H
#define LOCAL_UCIOPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "match/engine.h"

/* All zero is empty. The strings are its own. */
typedef struct {
    MatchOption *items;
    size_t count;
    size_t capacity;
} UciOptions;

/* Threads=1 and Hash=16, which an engine need not have. */
void ucioptions_add_defaults(UciOptions *list);

/* Sets "NAME=VALUE", in the place of an option of that name. Refuses what is not of this form. */
bool ucioptions_set(UciOptions *list, const char *text, Error *err);

/* The option's value, "" when it has none. */
const char *ucioptions_value(const UciOptions *list, const char *name);

/* Do both lists set the same options to the same values? */
bool ucioptions_equal(const UciOptions *a, const UciOptions *b);

void ucioptions_free(UciOptions *list);

#endif
