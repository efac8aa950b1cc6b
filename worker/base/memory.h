/* SPDX-License-Identifier: MIT */
/* Allocation without NULL results: when memory is exhausted, mem_exhausted ends the process. The
 * results are released with free(). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* An allocation of `size` bytes, not cleared; 0 bytes too. */
void *mem_alloc(size_t size);

/* An array of count items of size bytes, all zero. */
void *mem_calloc(size_t count, size_t size);

/* Resizes an array to count items of size bytes; added items are not cleared. */
void *mem_resize(void *items, size_t count, size_t size);

/* Makes room for at least `needed` items of size bytes; doubles *capacity when more is needed. */
void *mem_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* Adds the value after the last of `count` items. Names the three variables, and changes them. */
#define MEM_ADD(items, count, capacity, ...)                                                       \
    ((items) = mem_grow((items), &(capacity), (count) + 1, sizeof *(items)),                       \
     (items)[(count)++] = __VA_ARGS__)

/* A copy of the text, NULL of NULL; the second copies at most `length` bytes. */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);

/* Overwrites a secret, also where the compiler sees that nobody reads the bytes again. */
void mem_wipe(void *bytes, size_t size);

/* Reports a failed allocation of `size` bytes, and ends the process. For libraries with allocations
 * of their own too. */
_Noreturn void mem_exhausted(size_t size);

#endif
