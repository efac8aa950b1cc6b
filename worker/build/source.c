/* SPDX-License-Identifier: MIT */
#include "build/source.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/text.h"
#include "base/tree.h"
#include "build/archive.h"

enum { MODE_PRIVATE_FOLDER = 0700 };

void source_safe_name(const char *name, char *out, size_t size) {
    size_t length = 0;
    for (const char *c = name; *c && length + 1 < size; c++) {
        bool fine =
            isalnum((unsigned char)*c) || *c == '_' || (length > 0 && (*c == '.' || *c == '-'));
        out[length++] = fine ? *c : '_';
    }
    out[length] = '\0';
}

bool source_path_stays(const char *path) {
    if (strlen(path) >= PATH_MAX / 4)
        return false;
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        if (length == 2 && strncmp(part, "..", 2) == 0)
            return false;
        part += length;
        part += strspn(part, "/");
    }
    for (const char *c = path; *c; c++)
        if (iscntrl((unsigned char)*c) || *c == '\\')
            return false;
    return true;
}

/* The real path of `folder` below tree/top, allocated; NULL when there is no such folder or a link
 * leads out of the tree. */
static char *find_folder(const char *tree, const char *top, const char *folder) {
    struct stat status;
    char *path = text_format("%s/%s/%s", tree, top, folder);
    char *found = realpath(path, NULL);
    char *real = realpath(tree, NULL);
    size_t length = real != NULL ? strlen(real) : 0;
    if (found == NULL || real == NULL || strncmp(found, real, length) != 0 ||
        found[length] != '/' || stat(found, &status) != 0 || !S_ISDIR(status.st_mode)) {
        free(found);
        found = NULL;
    }
    free(real);
    free(path);
    return found;
}

bool source_unpack(const char *zip, const char *tree, const char *aside, const char *folder,
                   char **build_dir, Error *err) {
    char top[ARCHIVE_NAME_MAX];
    Error notice;
    *build_dir = NULL;
    if (!tree_make_room(tree, aside, &notice, err))
        return false;
    if (mkdir(tree, MODE_PRIVATE_FOLDER) != 0)
        return error_set(err, "%s: %s", tree, strerror(errno));
    if (!archive_unpack(zip, tree, NULL, top, err))
        return false;
    *build_dir = find_folder(tree, top, folder);
    return true;
}

static bool has_any(const char *words, const char *const *phrases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strstr(words, phrases[i]) != NULL)
            return true;
    return false;
}

bool source_lacks_room(const char *words) {
    static const char *const phrases[] = {"No space left on device", "Disk quota exceeded"};
    return has_any(words, phrases, COUNT(phrases));
}

bool source_lacks_memory(const char *words) {
    static const char *const phrases[] = {
        "Resource temporarily unavailable",  /* fork: make, gcc, rustc */
        "Cannot allocate memory",            /* ENOMEM */
        "out of memory",                     /* cc1, clang */
        "memory exhausted",                  /* ld */
        "Killed signal terminated program",  /* gcc, of cc1 */
        "terminated with signal 9",          /* gcc, of ld */
        "unable to execute command: Killed", /* clang */
        "signal: 9, SIGKILL",                /* cargo */
    };
    return has_any(words, phrases, COUNT(phrases));
}
