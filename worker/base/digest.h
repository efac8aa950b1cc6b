/* SPDX-License-Identifier: MIT */
/* SHA-256, as lower-case hexadecimal text. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { DIGEST_HEX_MAX = 65 }; /* 64 digits and the NUL */

/* Of these bytes. */
bool digest_bytes(const void *bytes, size_t length, char out[DIGEST_HEX_MAX], Error *err);

/* Of these bytes with every CR LF read as LF: how an OpenBench server hashes a book. */
bool digest_text(const void *bytes, size_t length, char out[DIGEST_HEX_MAX], Error *err);

/* Of a file's bytes, read in pieces. */
bool digest_file(const char *path, char out[DIGEST_HEX_MAX], Error *err);

/* Is `digest` (64 digits) the one wanted, or does it begin with it? Case does not matter; an empty
   or over-long `wanted`, or one with other characters, never matches. */
bool digest_matches(const char *digest, const char *wanted);

#endif
