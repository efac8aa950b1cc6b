/* SPDX-License-Identifier: MIT */
/* The disk space of deleted files. A deleted file keeps its blocks while a process has it open or
 * mapped, and no folder lists the file any more. */
#ifndef BASE_DELETED_H
#define BASE_DELETED_H

#include <stdint.h>

#include "base/text.h"

/* Adds to *bytes the blocks of all deleted files that lay below one of the folders (canonical
 * paths) and that `pid` or one of its descendants still has open. Each file counts
 * once. A file that is mapped and no longer open counts as far as it is mapped, because the kernel
 * tells nobody but root its blocks. Processes that this process may not look into count nothing.
 * Neither do files in a message that nobody has received yet. Systems other than Linux do not tell
 * which files are open: nothing is counted there. Blocking. */
void deleted_count(int pid, const Words *folders, uint64_t *bytes);

#endif
