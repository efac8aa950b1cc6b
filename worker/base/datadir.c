/* SPDX-License-Identifier: MIT */
#include "base/datadir.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { MODE_CLOSED = 0700 };

/* The file by which the data folder is known. */
static const char MARK[] = "engine/Makefile";

/* The path folder/name, allocated, when it exists and can be read; else NULL. */
static char *join_existing(const char *folder, const char *name) {
    Text path = {0};
    text_addf(&path, "%s/%s", folder, name);
    if (access(path.data, R_OK) == 0)
        return text_take(&path);
    text_free(&path);
    return NULL;
}

/* The folder of this executable, or "" when the system does not tell; allocated. */
static char *executable_folder(void) {
    char path[PATH_MAX] = "";
    size_t length = sizeof path;
    const char *slash = uv_exepath(path, &length) == 0 ? strrchr(path, '/') : NULL;
    return mem_strndup(path, slash ? (size_t)(slash - path) : 0);
}

/* Does the folder have the files of a build tree? */
static bool has_mark(const char *folder) {
    char *mark = *folder ? join_existing(folder, MARK) : NULL;
    free(mark);
    return mark != NULL;
}

char *datadir_find(const char *name, Error *err) {
    const char *given = getenv("OBWORKER_DATADIR");
    char *beside = executable_folder();
    const char *folder = RD_PKGDATADIR;
    if (given && *given)
        folder = given;
    else if (has_mark(beside))
        folder = beside;

    char *path = join_existing(folder, name);
    if (!path)
        error_set(err,
                  "%s/%s: %s (install the program's data, or name its folder in "
                  "OBWORKER_DATADIR)",
                  folder, name, strerror(errno));
    free(beside);
    return path;
}

char *statedir_path(Error *err) {
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    Text path = {0};
    if (state && state[0] == '/')
        text_addf(&path, "%s/obworker", state);
    else if (home && home[0] == '/')
        text_addf(&path, "%s/.local/state/obworker", home);
    else
        error_set(err, "neither XDG_STATE_HOME nor HOME names a folder from the root");
    return path.length ? text_take(&path) : NULL;
}

bool statedir_make(const char *path, Error *err) {
    bool there = access(path, F_OK) == 0;
    return file_make_folders(path, err) && (there || chmod(path, MODE_CLOSED) == 0 ||
                                            error_set(err, "%s: %s", path, strerror(errno)));
}
