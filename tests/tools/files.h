/* SPDX-License-Identifier: MIT */
/* Files of tests. What cannot be read or written fails the test with the cause. */
#ifndef TESTS_TOOLS_FILES_H
#define TESTS_TOOLS_FILES_H

#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static inline void put_bytes(const char *path, const void *bytes, size_t length, mode_t mode) {
    Error err = {0};
    ck_assert_msg(file_write_atomic(path, bytes, length, mode, &err), "%s", err.text);
}

/* Makes the folders above the file too. */
static inline void put_text(const char *path, const char *text) {
    Error err = {0};
    char *folder = file_folder_of(path);
    ck_assert_msg(file_make_folders(folder, &err), "%s", err.text);
    free(folder);
    put_bytes(path, text, strlen(text), 0644);
}

static inline Text read_whole(const char *path) {
    Text text = {0};
    Error err = {0};
    ck_assert_msg(file_read(path, SIZE_MAX, &text, &err), "%s", err.text);
    return text;
}

/* How many files and folders are in the folder; 0 where there is none. */
static inline int count_entries(const char *folder) {
    Words names = {0};
    Error err = {0};
    ck_assert_msg(file_list(folder, &names, &err) || errno == ENOENT, "%s", err.text);
    int count = (int)names.count;
    words_free(&names);
    return count;
}

/* How often the words stand in the text. */
static inline int count_of(const char *text, const char *words) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

#endif
