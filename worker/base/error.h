/* SPDX-License-Identifier: MIT */
/* Errors as values: a function that can fail returns bool and says why in an Error. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

enum { ERROR_MAX = 512 };

/* One line for a person: what failed, where, and what to do. All-zero means no error. */
typedef struct {
    char text[ERROR_MAX];
} Error;

/* Writes the cause into *err (cut to its size; line breaks become spaces) and returns false, so
   that `return error_set(err, "book %s: line %d: not a position", path, line);` is the whole
   failure path. err may be NULL. Arguments may point into err->text. */
bool error_set(Error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts the text, then ": ", before the cause that is there already. Returns false. err may be NULL.
 */
bool error_prefix(Error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
