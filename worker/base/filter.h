/* SPDX-License-Identifier: MIT */
/* Which system calls a confined child may not make, as a program for the kernel's seccomp. What
 * programs need for computing, and for reading and writing files, is not touched: that is for other
 * layers (base/confine.h). */
#ifndef BASE_FILTER_H
#define BASE_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

/* What is refused besides what always is (new namespaces, mounts, tracing, kernel administration,
 * io_uring, leaving the process group, priorities of groups and users, files in memory, watching
 * folders, pairs of sockets that can be addressed, hiding descriptors from the worker). */
enum {
    FILTER_SOCKETS = 1 << 0,        /* Every socket. */
    FILTER_LOCAL_SOCKETS = 1 << 1,  /* All but those of the Internet. */
    FILTER_METADATA = 1 << 2,       /* Modes, owners, times and attributes of files. */
    FILTER_TRUNCATION = 1 << 3,     /* Cutting files that are not open for writing. */
    FILTER_SIGNALS = 1 << 4,        /* Signals to any process but its own. */
    FILTER_SCHEDULING = 1 << 5,     /* CPUs, policy and priority of any thread but the caller. */
    FILTER_INSTRUCTIONS_MAX = 1024, /* Of a whole program. */
};

/* Writes the program for the process `pid`, which is to install it, and returns how many
 * instructions it has; 0 where the machine's system calls are not known. A program of another
 * architecture (32 bits, say) is killed at its first call. Pure. */
size_t filter_make(unsigned refused, int pid, struct sock_filter out[FILTER_INSTRUCTIONS_MAX]);

#endif
