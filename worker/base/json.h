/* SPDX-License-Identifier: MIT */
/* Strict, table-driven reading of JSON documents into structs, and writing of structs as JSON.
 * Every error names the place in the document ("workload.test.book.sha: expected text, found a
 * number"). No input can crash the reader. */
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
    JSON_INT,       /* int64_t; a whole number from -2^53 to 2^53 */
    JSON_REAL,      /* double, finite */
    JSON_BOOL,      /* bool */
    JSON_TEXT_LIST, /* Words */
    JSON_INT_LIST,  /* IntList */
    JSON_REAL_LIST  /* RealList */
} JsonType;

/* Must the object have the field? A missing optional field, or null in a nullable or optional one,
 * leaves the struct's value as it was. */
typedef enum { JSON_REQUIRED, JSON_NULLABLE, JSON_OPTIONAL } JsonNeed;

typedef struct {
    const char *key;
    JsonType type;
    JsonNeed need;
    size_t offset;
} JsonField;

/* The document in `text` (NUL-terminated, `length` bytes before the NUL). NULL with err set when
 * the text is not one whole JSON value. The caller frees the document with cJSON_Delete. */
cJSON *json_parse(const char *text, size_t length, Error *err);

/* Reads `count` fields of the object `object` into the struct at `out`, which must be zeroed.
 * `where` is the object's own place, for errors. Keys that the table does not name are ignored,
 * because servers add some. After an error too, the caller frees the fields with
 * json_free_fields. */
bool json_read(const cJSON *object, const char *where, const JsonField *fields, size_t count,
               void *out, Error *err);

/* The member `key` of `object`. NULL with err set when the member is missing or no object. */
const cJSON *json_object(const cJSON *object, const char *where, const char *key, Error *err);

/* Adds these fields of the struct at `in` to the object, in the form that json_read reads in the
 * document's text. Texts that are NULL are left out, and so are empty lists of numbers that are
 * optional. Whole numbers are raw items: cJSON_IsNumber is false for them. */
void json_write(cJSON *object, const JsonField *fields, size_t count, const void *in);

/* Appends the document on one line, without a line end, and frees the document. */
void json_take(cJSON *document, Text *out);

/* The number as documents tell measured values: with six decimals, and never -0. */
double json_rounded(double value);

/* A new list of the texts; [] when there are none. */
cJSON *json_texts(const Words *list);

/* Frees the fields' memory, allocated by json_read, and zeroes the fields. */
void json_free_fields(const JsonField *fields, size_t count, void *out);

#endif
