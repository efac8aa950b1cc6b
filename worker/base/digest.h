/* SPDX-License-Identifier: MIT */
/* SHA-256, as lower-case hexadecimal text. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { DIGEST_HEX_MAX = 65 }; /* 64 digits and the NUL */

/* The digest of these bytes. */
bool digest_bytes(const void *bytes, size_t length, char out[DIGEST_HEX_MAX], Error *err);

/* The digest of these bytes with every CR LF read as LF: the digest by which an OpenBench server
 * knows a book. */
bool digest_text(const void *bytes, size_t length, char out[DIGEST_HEX_MAX], Error *err);

/* The digest of a file, which is read in pieces. */
bool digest_file(const char *path, char out[DIGEST_HEX_MAX], Error *err);

/* Is `wanted` the whole or the beginning of `digest` (64 digits)? Case does not matter. An empty
 * `wanted`, one that is too long and one with other characters never match. */
bool digest_matches(const char *digest, const char *wanted);

#endif
