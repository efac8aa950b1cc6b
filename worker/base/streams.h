/* SPDX-License-Identifier: MIT */
/* The standard streams of this process. */
#ifndef BASE_STREAMS_H
#define BASE_STREAMS_H

#include <stdbool.h>

/* Opens /dev/null for each of the descriptors 0 to 2 that the caller of this program has closed;
 * else a file or a pipe opened later would get the number of a standard stream. Reading gives the
 * end of the input, writing to standard output fails, and what is written to standard error is
 * lost. Comes before anything is opened. False with errno set. */
bool streams_open(void);

#endif
