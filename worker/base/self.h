/* SPDX-License-Identifier: MIT */
/* This process as the system knows it. libuv answers where all systems answer alike (uv_exepath).
 */
#ifndef BASE_SELF_H
#define BASE_SELF_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path by which this very program can be started again: on Linux also when its file has
 * been replaced since. False when the system does not tell. */
bool self_program(char *path, size_t size);

/* The id by which the parent knows this process, in a process namespace too (there getpid returns
 * another number); 0 when the system does not tell. */
int self_number(void);

/* Keeps the user's other processes from reading this one's memory, and the system from writing it
 * into core files of any kind. Where a system has no such wish: does nothing. */
void self_close_to_others(void);

/* Asks the system to end this process, before the user's other ones, when memory runs out. Where a
 * system takes no such wish: does nothing. */
void self_end_first(void);

/* Large blocks (128 KB and more) go back to the system as soon as they are freed, from now on.
 * glibc otherwise keeps blocks of a size that was freed before. Where a system takes no such wish:
 * does nothing. */
void self_return_memory(void);

/* Closes all descriptors from `first` on. */
void self_close_from(int first);

#endif
