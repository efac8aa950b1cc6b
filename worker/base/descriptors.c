/* SPDX-License-Identifier: MIT */
#include "base/descriptors.h"

#include <sys/resource.h>

unsigned descriptors_allow(unsigned count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count)
        return count;
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < count ? limit.rlim_max : count;
    return (unsigned)(setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before);
}
