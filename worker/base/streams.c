/* SPDX-License-Identifier: MIT */
#include "base/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Standard output can only be read: output that is lost must not look like success. */
static const int MODES[] = {
    [STDIN_FILENO] = O_RDONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};

/* open gives the lowest free number: that of the stream, since the lower ones are open. */
bool streams_open(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", MODES[fd]) < 0)
            return false;
    return true;
}
