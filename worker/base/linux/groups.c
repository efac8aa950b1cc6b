/* SPDX-License-Identifier: MIT */
#include "base/linux/groups.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

/* "0::/path" names the group in the single hierarchy of version 2. The first step of the walk cuts
 * off the slash that is put behind a path; the path of the top group is that slash alone. */
void groups_parse(const char *cgroup, Groups *out) {
    static const char mark[] = "0::";
    const char *line = strstr(cgroup, "0::/");
    const char *path = line != NULL ? line + strlen(mark) : "";
    size_t length = strcspn(path, "\n");
    snprintf(out->name, sizeof out->name, "%.*s%s", (int)length, path, length > 1 ? "/" : "");
}

void groups_begin(Groups *out) {
    char text[GROUP_TEXT_MAX];
    file_read_start("/proc/self/cgroup", text, sizeof text);
    groups_parse(text, out);
}

bool groups_next(Groups *groups) {
    char *last = strrchr(groups->name, '/');
    if (last == NULL)
        return false;
    *last = '\0';
    return true;
}

void groups_read(const Groups *groups, const char *file, char out[GROUP_TEXT_MAX]) {
    char path[2 * GROUP_TEXT_MAX];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", groups->name, file);
    file_read_start(path, out, GROUP_TEXT_MAX);
}
