/* SPDX-License-Identifier: MIT */
/* The system calls that a confined child may not make, as a program for the kernel's seccomp. Calls
 * for computing, and for reading and writing files, are allowed: base/confine.h restricts files. */
#ifndef BASE_FILTER_H
#define BASE_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

/* Groups of calls that are refused on request. Always refused are: new namespaces, mounts, tracing,
 * kernel administration, io_uring, leaving the process group, priorities of groups and users, files
 * in memory, watching folders, pairs of sockets that can be addressed, hiding descriptors from the
 * worker. */
enum {
    FILTER_SOCKETS = 1 << 0,       /* Every socket. */
    FILTER_LOCAL_SOCKETS = 1 << 1, /* Every socket but those of the Internet. */
    FILTER_METADATA = 1 << 2,      /* Modes, owners, times and attributes of files. */
    FILTER_TRUNCATION = 1 << 3,    /* Cutting files that are not open for writing. */
    FILTER_SIGNALS = 1 << 4,       /* Signals to any other process. */
    FILTER_SCHEDULING = 1 << 5, /* CPUs, policy and priority of any thread but the calling one. */
    FILTER_INSTRUCTIONS_MAX = 1024, /* Most instructions of a program. */
};

/* Writes the program for the process `pid`, which has to install it, and returns the number of its
 * instructions; 0 where the machine's system calls are not known. The filter kills a program of
 * another architecture (32 bits, say) at its first call. Pure. */
size_t filter_make(unsigned refused, int pid, struct sock_filter out[FILTER_INSTRUCTIONS_MAX]);

#endif
