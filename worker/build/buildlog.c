/* SPDX-License-Identifier: MIT */
#include "build/buildlog.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"

enum { SHOWN_LINES = 12, MODE_LOG = 0644 };

static const char *line_start(const char *output, const char *at) {
    while (at > output && at[-1] != '\n')
        at--;
    return at;
}

/* The start of the last `count` lines. */
static const char *tail(const char *output, int count) {
    const char *at = output + strlen(output);
    for (int lines = 0; at > output && lines < count; lines++)
        at = line_start(output, at - 1);
    return at;
}

/* The first line in which a compiler, a linker or a generator of sources names an error. */
static const char *first_error(const char *output) {
    static const char *const marks[] = {"error: ", "error[", "undefined reference", "LMR: "};
    const char *first = NULL;
    for (size_t i = 0; i < COUNT(marks); i++) {
        const char *found = strstr(output, marks[i]);
        if (found != NULL && (first == NULL || found < first))
            first = found;
    }
    return first != NULL ? line_start(output, first) : NULL;
}

void buildlog_show(Log *log, const char *output) {
    const char *at = first_error(output);
    if (at == NULL)
        at = tail(output, SHOWN_LINES);
    size_t length;
    const char *line;
    for (int i = 0; i < SHOWN_LINES && (line = text_next_line(&at, &length)) != NULL; i++)
        log_info(log, "  %.*s", (int)length, line);
}

void buildlog_line(const char *output, Text *out) {
    const char *at = first_error(output);
    if (at == NULL)
        at = tail(output, 1);
    text_add_bytes(out, at, strcspn(at, "\n"));
}

bool buildlog_write(const char *path, const char *output, Error *err) {
    char *folder = file_folder_of(path);
    bool ok = file_make_folders(folder, err) &&
              file_write_atomic(path, output, strlen(output), MODE_LOG, err);
    free(folder);
    return ok;
}
