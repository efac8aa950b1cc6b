/* SPDX-License-Identifier: MIT */
/* Allocation that does not fail: when memory is gone the process says so and ends, here and nowhere
   else. What these return is released with free(). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* size bytes, not cleared. Never NULL, also for 0. */
void *mem_alloc(size_t size);

/* An array of count items of size bytes, all zero. Never NULL. */
void *mem_calloc(size_t count, size_t size);

/* Resizes an array to count items of size bytes; what is added is not cleared. Never NULL. */
void *mem_resize(void *items, size_t count, size_t size);

/* Makes room for at least `needed` items of size bytes, doubling *capacity as it must:
   `list = mem_grow(list, &capacity, count + 1, sizeof *list);` */
void *mem_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* A copy of text; of at most length bytes of it. */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);

/* Says that so many bytes were not to be had, and ends the process: for libraries that allocate by
   themselves. */
_Noreturn void mem_exhausted(size_t size);

#endif
