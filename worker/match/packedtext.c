/* SPDX-License-Identifier: MIT */
#include "match/packedtext.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

void packed_text_add(PackedText *packed, const char *block, size_t length) {
    Text *bytes = &packed->bytes;
    uLongf size = compressBound(length);
    MEM_ADD(packed->blocks, packed->count, packed->capacity,
            (PackedBlock){.start = (uint32_t)packed->length, .packed = (uint32_t)bytes->length});
    text_reserve(bytes, size);
    int status = compress2((Bytef *)bytes->data + bytes->length, &size, (const Bytef *)block,
                           length, Z_BEST_SPEED);
    if (status != Z_OK)
        mem_exhausted(size);
    bytes->length += size;
    packed->length += length;
}

size_t packed_text_block(const PackedText *packed, size_t at, Text *out) {
    assert(at < packed->length);
    size_t first = 0;
    size_t end = packed->count;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        *(packed->blocks[middle].start <= at ? &first : &end) = middle;
    }
    const PackedBlock *block = &packed->blocks[first];
    bool last = first + 1 == packed->count;
    uLongf length = (last ? packed->length : block[1].start) - block->start;
    size_t size = (last ? packed->bytes.length : block[1].packed) - block->packed;
    text_clear(out);
    text_reserve(out, length);
    int status = uncompress((Bytef *)out->data, &length,
                            (const Bytef *)packed->bytes.data + block->packed, size);
    if (status != Z_OK)
        mem_exhausted(length);
    out->length = length;
    out->data[length] = '\0';
    return at - block->start;
}

void packed_text_free(PackedText *packed) {
    text_free(&packed->bytes);
    free(packed->blocks);
    *packed = (PackedText){0};
}
