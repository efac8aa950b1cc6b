/* SPDX-License-Identifier: MIT */
#include "base/descriptors.h"

#include <sys/resource.h>

void descriptors_allow(unsigned count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count)
        return;
    limit.rlim_cur = limit.rlim_max < count ? limit.rlim_max : count;
    setrlimit(RLIMIT_NOFILE, &limit);
}
