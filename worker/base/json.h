/* SPDX-License-Identifier: MIT */
/* Strict, table-driven reading of JSON documents into structs, and the way back. Every fault names
 * the place in the document ("workload.test.book.sha: expected text, found a number"); no shape of
 * input can crash. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/error.h"
#include "base/text.h"

/* Lists own their items. An all-zero list is empty. */
typedef struct {
    int64_t *items;
    size_t count;
} IntList;
typedef struct {
    double *items;
    size_t count;
} RealList;

typedef enum {
    JSON_TEXT,      /* char *, allocated */
    JSON_INT,       /* int64_t; a number without a fraction, at most 2^53 either way */
    JSON_REAL,      /* double, finite */
    JSON_BOOL,      /* bool */
    JSON_TEXT_LIST, /* Words */
    JSON_INT_LIST,  /* IntList */
    JSON_REAL_LIST  /* RealList */
} JsonType;

/* What may be missing: a missing optional field, or null in a nullable one, leaves the struct's
 * value alone (zero, in a struct that was zeroed first). */
typedef enum { JSON_REQUIRED, JSON_NULLABLE, JSON_OPTIONAL } JsonNeed;

typedef struct {
    const char *key;
    JsonType type;
    JsonNeed need;
    size_t offset;
} JsonField;

/* The document in `text` (NUL-terminated, `length` bytes before the NUL), or NULL with `err` set
 * when it is not one whole JSON value. The caller frees it with cJSON_Delete. */
cJSON *json_parse(const char *text, size_t length, Error *err);

/* Reads `count` fields of the object `object` into the struct at `out`, which must be zeroed.
 * `where` is the object's own place, for messages. Keys that the table does not name are ignored:
 * servers add some. What was read before a fault stays in `out`: free it with json_free_fields. */
bool json_read(const cJSON *object, const char *where, const JsonField *fields, size_t count,
               void *out, Error *err);

/* The member `key` of `object`, an object itself; NULL with `err` set when it is missing or not. */
const cJSON *json_object(const cJSON *object, const char *where, const char *key, Error *err);

/* Adds these fields of the struct at `in` to the object: what json_read reads again. Texts and
 * lists that are NULL are left out. */
void json_write(cJSON *object, const JsonField *fields, size_t count, const void *in);

/* Appends the document on one line, without a line end, and frees it. */
void json_take(cJSON *document, Text *out);

/* Frees what json_read allocated for these fields and zeroes them. */
void json_free_fields(const JsonField *fields, size_t count, void *out);

/* Whether `text` is one of the list's items. */
bool json_list_has(const Words *list, const char *text);

#endif
