/* SPDX-License-Identifier: MIT */
#include "match/faultfiles.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/datadir.h"
#include "base/file.h"
#include "base/text.h"

enum { STAMP_LENGTH = 15 }; /* 20261122-013000 */

static const char ENDING[] = ".txt";

/* Whether this module has written the file. No other file is ever removed. */
static bool is_ours(const char *name) {
    size_t length = strlen(name);
    if (length < STAMP_LENGTH + strlen(ENDING) || !text_ends_with(name, ENDING) ||
        name[STAMP_LENGTH] != '-')
        return false;
    for (int i = 0; i < STAMP_LENGTH; i++)
        if (i == 8 ? name[i] != '-' : !isdigit((unsigned char)name[i]))
            return false;
    return true;
}

/* Removes the oldest files, so that one more fits. Their names begin with the time. */
static void make_room(const FaultFiles *files) {
    int most = files->most > 0 ? files->most : FAULTFILES_MAX;
    Words names = {0};
    file_list(files->folder, &names, NULL);
    for (size_t i = names.count; i-- > 0;) {
        if (!is_ours(names.items[i]) || --most > 0)
            continue;
        char *path = text_format("%s/%s", files->folder, names.items[i]);
        unlink(path);
        free(path);
    }
    words_free(&names);
}

/* "FOLDER/20261122-013000-123456-LABEL.txt", in UTC to the microsecond: the order of the names is
 * the order of time. */
static void make_path(const FaultFiles *files, const char *label, Text *path) {
    char stamp[STAMP_LENGTH + 1];
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", gmtime_r(&now.tv_sec, &utc));
    text_clear(path);
    text_addf(path, "%s/%s-%06ld-", files->folder, stamp, now.tv_nsec / 1000);
    for (size_t i = 0; i < FAULTFILES_LABEL_MAX && label[i] != '\0'; i++)
        text_add_char(path, isalnum((unsigned char)label[i]) ? label[i] : '-');
    text_add(path, ENDING);
}

/* Makes a new file. Returns the descriptor, or -1 with errno set. The loop is for names that
 * another worker has taken. */
static int open_new(const FaultFiles *files, const char *label, Text *path) {
    int fd;
    do {
        make_path(files, label, path);
        fd = open(text_string(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    } while (fd < 0 && errno == EEXIST);
    return fd;
}

bool faultfiles_write(const FaultFiles *files, const char *label, const char *text, char **path,
                      Error *err) {
    *path = NULL;
    if ((files->state != NULL && !statedir_make(files->state, err)) ||
        !file_make_folders(files->folder, err))
        return false;
    make_room(files);
    Text name = {0};
    int fd = open_new(files, label, &name);
    size_t length = strlen(text);
    bool good = fd >= 0 && file_write_all(fd, text, length);
    if (!good)
        error_set(err, "%s: cannot be written: %s", text_string(&name), strerror(errno));
    if (fd >= 0)
        close(fd);
    if (good)
        *path = text_take(&name);
    else if (fd >= 0)
        unlink(text_string(&name));
    text_free(&name);
    return good;
}
