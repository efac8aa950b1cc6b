/* SPDX-License-Identifier: MIT */
/* This process as the system knows it. libuv answers where all systems answer alike (uv_exepath).
 */
#ifndef BASE_SELF_H
#define BASE_SELF_H

#include <stdbool.h>
#include <stddef.h>

/* Notes the path of this program's file. trampoline_run, the first call in
 * main, calls this: a system may tell no path, or a wrong one, once the file has been replaced by a
 * newer version. */
void self_note_program(void);

/* Writes the path by which this program can be started again. A file that was replaced since the
 * start is started in its old version on Linux, in its new version on other systems. False when the
 * system did not tell the path. */
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
