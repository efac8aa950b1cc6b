/* SPDX-License-Identifier: MIT */
/* The UCI options of one engine: defaults, overridden by the user's values. */
#ifndef LOCAL_UCIOPTIONS_H
#define LOCAL_UCIOPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "match/engine.h"

/* All zero is an empty list. The list owns the strings. */
typedef struct {
    MatchOption *items;
    size_t count;
    size_t capacity;
} UciOptions;

/* Adds Threads=1 and Hash=16, each of which an engine may lack. */
void ucioptions_add_defaults(UciOptions *list);

/* Sets "NAME=VALUE" in place of an option of the same name. Refuses a text of another form. */
bool ucioptions_set(UciOptions *list, const char *text, Error *err);

/* The option's value; "" when the list lacks the option. */
const char *ucioptions_value(const UciOptions *list, const char *name);

/* Do two texts "NAME=VALUE" have the same name? UCI names are the same in either case. */
bool ucioptions_same_name(const char *a, const char *b);

/* Do both lists set the same options to the same values? */
bool ucioptions_equal(const UciOptions *a, const UciOptions *b);

void ucioptions_free(UciOptions *list);

#endif
