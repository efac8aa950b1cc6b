/* SPDX-License-Identifier: MIT */
/* Zip files for tests. */
#ifndef TESTS_TOOLS_ZIP_H
#define TESTS_TOOLS_ZIP_H

#include "base/text.h"

/* An entry: a file with its text, a link (text is its target), a folder, or a copy of a program
 * (text is its path). */
typedef enum { ZIP_FILE, ZIP_PROGRAM, ZIP_LINK, ZIP_FOLDER, ZIP_COPY } ZipKind;
typedef struct {
    const char *name;
    ZipKind kind;
    const char *text;
} ZipEntry;

/* The bytes of a zip of these entries, to be freed with text_free. Fails the test on a fault. */
Text zip_make(const ZipEntry *entries, size_t count);

/* Writes such a zip to a file. */
void zip_write(const char *path, const ZipEntry *entries, size_t count);

#endif
