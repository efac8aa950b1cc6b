/* SPDX-License-Identifier: MIT */
#include "base/cpuinfo.h"

#include "base/file.h"

bool cpuinfo_read(Text *out) {
    enum { LIMIT = 16 << 20 };
    return file_read("/proc/cpuinfo", LIMIT, out, NULL);
}
