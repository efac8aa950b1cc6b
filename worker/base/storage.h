/* SPDX-License-Identifier: MIT */
/* What must be on the disk, and must not replace a file: the calls that differ between systems. */
#ifndef BASE_STORAGE_H
#define BASE_STORAGE_H

#include <stdbool.h>

/* Writes everything that was written to the file to the disk itself, not only to the disk's cache.
 * False with errno. */
bool storage_sync(int fd);

/* Gives the file `from` the name `to`, unless a file has this name: then false with errno EEXIST.
 * False with errno for any other fault. */
bool storage_publish(const char *from, const char *to);

#endif
