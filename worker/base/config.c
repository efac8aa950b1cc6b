/* SPDX-License-Identifier: MIT */
#include "base/config.h"

#include <ctype.h>
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
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return error_set(err, "%s: belongs to someone else", path);
    if (status.st_mode & OTHERS_MAY & ~(is_credential(path) ? GROUP_MAY : 0U))
        return error_set(err, "%s: others may read or change it (chmod 600 it)", path);
    return true;
}

static bool is_name(const char *text, size_t length) {
    size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    return length > 0 && letters >= length && text[0] != '-';
}

/* Adds one line of `length` bytes, without blanks around the line. */
static bool add_line(const char *line, size_t length, Words *out, Error *err) {
    if (length == 0 || line[0] == '#')
        return true;
    size_t name = strcspn(line, " \t=");
    if (name > length)
        name = length;
    if (!is_name(line, name))
        return error_set(err, "'%.*s' is not the name of an option", (int)(name < 40 ? name : 40),
                         line);
    size_t value = name;
    while (value < length && isblank((unsigned char)line[value]))
        value++;
    bool equals = value < length && line[value] == '=';
    if (!equals && value < length)
        return error_set(err, "expected '=' after '%.*s'", (int)name, line);
    for (value += equals; value < length && isblank((unsigned char)line[value]); value++)
        ;
    Text word = {0};
    text_add(&word, "--");
    text_add_bytes(&word, line, name);
    if (equals) {
        text_add_char(&word, '=');
        text_add_bytes(&word, line + value, length - value);
    }
    words_add(out, text_string(&word));
    mem_wipe(word.data, word.length);
    text_free(&word);
    return true;
}

bool config_read(const char *path, Words *out, Error *err) {
    Text text = {0};
    if (!check_owner(path, err) || !file_read(path, FILE_LIMIT, &text, err))
        return false;
    const char *at = text_string(&text);
    bool ok = strlen(at) == text.length || error_set(err, "%s: not a text", path);
    for (int number = 1; ok && *at; number++) {
        size_t length = strcspn(at, "\n");
        const char *next = at + length + (at[length] == '\n');
        while (length > 0 && isspace((unsigned char)at[length - 1]))
            length--;
        while (length > 0 && isblank((unsigned char)*at)) {
            at++;
            length--;
        }
        ok = add_line(at, length, out, err) || error_prefix(err, "%s: line %d", path, number);
        at = next;
    }
    if (text.data)
        mem_wipe(text.data, text.length);
    text_free(&text);
    return ok;
}
