/* SPDX-License-Identifier: MIT */
/* A text of which a piece is wanted now and then: kept compressed, in blocks that are unpacked one
 * at a time. */
#ifndef MATCH_PACKEDTEXT_H
#define MATCH_PACKEDTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef struct {
    uint32_t start;  /* Of the block in the text, ... */
    uint32_t packed; /* ... and in what is kept of it. */
} PackedBlock;

/* All zero is an empty text. At most 4 GB. */
typedef struct {
    Text bytes;
    PackedBlock *blocks;
    size_t count;
    size_t capacity;
    size_t length; /* Of the text. */
} PackedText;

/* Adds a block to the text's end. */
void packed_text_add(PackedText *packed, const char *block, size_t length);

/* The block that holds the text's byte `at`, which there is, in place of what `out` held; where in
 * it that byte is. */
size_t packed_text_block(const PackedText *packed, size_t at, Text *out);

void packed_text_free(PackedText *packed);

#endif
