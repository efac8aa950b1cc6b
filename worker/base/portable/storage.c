/* SPDX-License-Identifier: MIT */
#include "base/storage.h"

#include <fcntl.h>
#include <unistd.h>

/* macOS's fsync leaves the bytes in the disk's cache; its file systems that know no F_FULLFSYNC
 * take fsync. */
bool storage_sync(int fd) {
#ifdef F_FULLFSYNC
    if (fcntl(fd, F_FULLFSYNC) == 0)
        return true;
#endif
    return fsync(fd) == 0;
}

bool storage_publish(const char *from, const char *to) {
    if (link(from, to) != 0)
        return false;
    unlink(from);
    return true;
}
