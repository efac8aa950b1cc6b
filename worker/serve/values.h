/* SPDX-License-Identifier: MIT */
/* Adds values for templates to an object. Pure. */
#ifndef SERVE_VALUES_H
#define SERVE_VALUES_H

#include "base/json.h"
#include "base/text.h"

/* text NULL is "". */
void value_text(cJSON *object, const char *name, const char *text);
void value_bool(cJSON *object, const char *name, bool value);

/* A whole number, plain, or with its digits grouped. */
void value_number(cJSON *object, const char *name, int64_t number);
void value_grouped(cJSON *object, const char *name, int64_t number);

/* A time in seconds since the epoch: NAME is "2026-11-23 03:20 UTC", NAME_ago "5 min ago"; both ""
 * for 0. */
void value_time(cJSON *object, const char *name, int64_t when, int64_t now);

/* Takes over the text. */
void value_take(cJSON *object, const char *name, Text *text);

/* A new item at the end of the list, which is made when it is missing. */
cJSON *value_item(cJSON *object, const char *list);

#endif
