/* SPDX-License-Identifier: MIT */
/* Errors as values: a function that can fail returns bool and says why in an Error. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

enum { ERROR_MAX = 512 };

/* One line for a person: the failure, its place, and what to do. All zero: no error. */
typedef struct {
    char text[ERROR_MAX];
} Error;

/* Writes the cause into *err (cut to the size of an Error; line breaks become spaces) and returns
 * false. `return error_set(err, "book %s: line %d: not a position", path, line);` is thus the whole
 * failure path. err may be NULL. Arguments may point into err->text. */
bool error_set(Error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts the text and ": " before the cause that *err holds. Returns false. err may be NULL. */
bool error_prefix(Error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
