/* SPDX-License-Identifier: MIT */
#include "base/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { FILE_LIMIT = 64 * 1024, OTHERS_MAY = 077, GROUP_MAY = 070 };

/* Is the file in the folder of the service's credentials? systemd lets nobody but the service and
 * root into that folder. It may let the service read the file by an access list, which stat shows
 * as a right of the group. */
static bool is_credential(const char *path) {
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    size_t length = folder != NULL ? strlen(folder) : 0;
    return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/' &&
           strchr(path + length + 1, '/') == NULL;
}

static bool check_owner(const char *path, Error *err) {
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(err, "%s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return error_set(err, "%s: is a folder", path);
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return error_set(err, "%s: belongs to someone else (chown it, or copy it)", path);
    if (status.st_mode & OTHERS_MAY & ~(is_credential(path) ? GROUP_MAY : 0U))
        return error_set(err, "%s: others may read or change it (chmod 600 it)", path);
    return true;
}

static bool is_name(const char *text, size_t length) {
    size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    return length > 0 && letters >= length && text[0] != '-';
}

typedef struct {
    bool (*check)(char *word, Error *err);
    Words *out;
} Reading;

static bool add_line(char *line, int number, void *user, Error *err) {
    (void)number;
    const Reading *reading = user;
    size_t name;
    const char *value = text_setting(line, &name);
    if (!is_name(line, name))
        return error_set(err, "'%.*s' is not the name of an option", (int)(name < 40 ? name : 40),
                         line);
    if (value == NULL && line[name] != '\0')
        return error_set(err, "expected '=' after '%.*s'", (int)name, line);
    Text word = {0};
    text_addf(&word, "--%.*s", (int)name, line);
    if (value != NULL)
        text_addf(&word, "=%s", value);
    words_add(reading->out, text_string(&word));
    mem_wipe(word.data, word.length);
    text_free(&word);
    return reading->check(reading->out->items[reading->out->count - 1], err);
}

bool config_read(const char *path, bool (*check)(char *word, Error *err), Words *out, Error *err) {
    Reading reading = {check, out};
    return check_owner(path, err) && file_read_lines(path, FILE_LIMIT, add_line, &reading, err);
}
