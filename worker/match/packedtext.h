/* SPDX-License-Identifier: MIT */
/* A text that is read in small pieces: kept compressed, in blocks that are unpacked one at a time.
 */
#ifndef MATCH_PACKEDTEXT_H
#define MATCH_PACKEDTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef struct {
    uint32_t start;  /* The block's start in the text, ... */
    uint32_t packed; /* ... and in the compressed bytes. */
} PackedBlock;

/* All zero is an empty text. At most 4 GB. */
typedef struct {
    Text bytes;
    PackedBlock *blocks;
    size_t count;
    size_t capacity;
    size_t length; /* The length of the text in bytes. */
} PackedText;

/* Appends a block to the text. */
void packed_text_add(PackedText *packed, const char *block, size_t length);

/* Unpacks the block that holds byte `at` of the text into `out`, in place of the old content.
 * Returns the offset of byte `at` in the block. `at` must be below the text's length. */
size_t packed_text_block(const PackedText *packed, size_t at, Text *out);

void packed_text_free(PackedText *packed);

#endif
