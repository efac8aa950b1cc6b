/* SPDX-License-Identifier: MIT */
/* How many files, pipes and sockets this process may have open. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

/* Raises this process's limit of open descriptors to `count`, as far as the system lets the
 * process. A higher limit stays. Returns the limit, `count` for higher ones and unknown ones. */
unsigned descriptors_allow(unsigned count);

#endif
