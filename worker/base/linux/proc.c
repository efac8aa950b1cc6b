/* SPDX-License-Identifier: MIT */
#include "base/linux/proc.h"

#include <stdlib.h>
#include <string.h>

uint64_t proc_number(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0)
            return strtoull(line + length, NULL, 10);
    }
    return 0;
}
