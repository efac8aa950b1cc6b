/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char DEFAULT_PATH[] = "/usr/local/bin:/usr/bin:/bin";

/* Why `path` cannot be run, or NULL. */
static const char *why_not(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR ? "no such file" : strerror(errno);
    if (S_ISDIR(st.st_mode))
        return "it is a folder";
    if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0)
        return "not executable";
    return NULL;
}

static bool make_absolute(const char *path, char out[PROGRAM_PATH_MAX], Error *err) {
    char cwd[PROGRAM_PATH_MAX];
    if (path[0] != '/' && getcwd(cwd, sizeof cwd) == NULL)
        return error_set(err, "%s: the current folder is gone: %s", path, strerror(errno));
    int n = path[0] == '/' ? snprintf(out, PROGRAM_PATH_MAX, "%s", path)
                           : snprintf(out, PROGRAM_PATH_MAX, "%s/%s", cwd, path);
    if (n < 0 || n >= PROGRAM_PATH_MAX)
        return error_set(err, "%s: the path is too long", path);
    return true;
}

bool program_find(const char *program, char path[PROGRAM_PATH_MAX], Error *err) {
    if (program[0] == '\0')
        return error_set(err, "no program is named");
    if (strchr(program, '/') != NULL) {
        const char *why = why_not(program);
        if (why != NULL)
            return error_set(err, "%s: %s", program, why);
        return make_absolute(program, path, err);
    }
    const char *list = getenv("PATH");
    if (list == NULL)
        list = DEFAULT_PATH;
    for (const char *p = list; p != NULL;) {
        const char *end = strchr(p, ':');
        size_t length = end != NULL ? (size_t)(end - p) : strlen(p);
        char candidate[PROGRAM_PATH_MAX];
        int n = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, length > 0 ? p : ".",
                         program);
        if (length == 0)
            n = snprintf(candidate, sizeof candidate, "./%s", program);
        if (n > 0 && n < PROGRAM_PATH_MAX && why_not(candidate) == NULL)
            return make_absolute(candidate, path, err);
        p = end != NULL ? end + 1 : NULL;
    }
    struct stat here;
    bool folder = stat(program, &here) == 0 && S_ISDIR(here.st_mode);
    return error_set(err, "%s: %s", program, folder ? "is a folder" : "no such program on PATH");
}
