/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <openssl/crypto.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROW_FIRST = 16 };

/* A match cannot go on in any useful way after a failed allocation, so the program ends. */
_Noreturn void mem_exhausted(size_t size) {
    fprintf(stderr, "out of memory (%zu bytes asked for)\n", size);
    exit(EXIT_FAILURE);
}

static size_t bytes_of(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mem_exhausted(SIZE_MAX);
    return bytes;
}

void *mem_resize(void *items, size_t count, size_t size) {
    size_t bytes = bytes_of(count, size);
    void *resized = realloc(items, bytes ? bytes : 1);
    if (!resized)
        mem_exhausted(bytes);
    return resized;
}

void *mem_alloc(size_t size) {
    return mem_resize(NULL, size, 1);
}

void *mem_calloc(size_t count, size_t size) {
    size_t bytes = bytes_of(count, size);
    void *items = calloc(1, bytes ? bytes : 1);
    if (!items)
        mem_exhausted(bytes);
    return items;
}

void *mem_grow(void *items, size_t *capacity, size_t needed, size_t size) {
    if (items && needed <= *capacity)
        return items;
    size_t wanted = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    if (wanted < GROW_FIRST)
        wanted = GROW_FIRST;
    if (wanted < needed)
        wanted = needed;
    items = mem_resize(items, wanted, size);
    *capacity = wanted;
    return items;
}

char *mem_strndup(const char *text, size_t length) {
    length = strnlen(text, length);
    char *copy = mem_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *mem_strdup(const char *text) {
    return text != NULL ? mem_strndup(text, SIZE_MAX - 1) : NULL;
}

void mem_wipe(void *bytes, size_t size) {
    OPENSSL_cleanse(bytes, size);
}
