/* SPDX-License-Identifier: MIT */
#include "build/owntree.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/datadir.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* Does the folder have the file by which the engine's sources are known? */
static bool is_top(const char *folder) {
    char *path = text_format("%s/engine/lmr/flags.def", folder);
    bool found = file_exists(path);
    free(path);
    return found;
}

char *owntree_top(void) {
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder) == NULL)
        return NULL;
    for (;;) {
        if (is_top(folder))
            return mem_strdup(folder[0] != '\0' ? folder : "/");
        char *slash = strrchr(folder, '/');
        if (slash == NULL)
            return NULL;
        *slash = '\0';
    }
}

char *owntree_top_engine(void) {
    char *top = owntree_top();
    if (top == NULL)
        return NULL;
    char *engine = text_format("%s/engine", top);
    free(top);
    return engine;
}

char *owntree_engine(Error *err) {
    const char *chosen = getenv("OBWORKER_DATADIR");
    char *found = chosen == NULL || chosen[0] == '\0' ? owntree_top_engine() : NULL;
    if (found == NULL)
        found = datadir_find("engine", err);
    if (found == NULL)
        return NULL;
    char *real = realpath(found, NULL);
    if (real == NULL)
        error_set(err, "%s: %s", found, strerror(errno));
    free(found);
    return real;
}
