/* SPDX-License-Identifier: MIT */
#include "tools/zip.h"

#include <check.h>
#include <string.h>
#include <archive.h>
#include <archive_entry.h>

#include "base/file.h"

enum { ROOM = 16 << 20 };

static void add_entry(struct archive *archive, const ZipEntry *given) {
    static const mode_t kinds[] = {[ZIP_FILE] = AE_IFREG,
                                   [ZIP_PROGRAM] = AE_IFREG,
                                   [ZIP_LINK] = AE_IFLNK,
                                   [ZIP_FOLDER] = AE_IFDIR,
                                   [ZIP_COPY] = AE_IFREG};
    struct archive_entry *entry = archive_entry_new();
    Text bytes = {0};
    Error err = {0};
    bool file = kinds[given->kind] == AE_IFREG;
    if (given->kind == ZIP_COPY)
        ck_assert_msg(file_read(given->text, ROOM, &bytes, &err), "%s", err.text);
    else if (file && given->text)
        text_add(&bytes, given->text);
    size_t length = bytes.length;
    archive_entry_set_pathname(entry, given->name);
    archive_entry_set_filetype(entry, kinds[given->kind]);
    archive_entry_set_perm(entry, given->kind == ZIP_FILE ? 0644 : 0755);
    archive_entry_set_size(entry, file ? (la_int64_t)length : 0);
    if (given->kind == ZIP_LINK)
        archive_entry_set_symlink(entry, given->text);
    ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
    if (file)
        ck_assert_int_eq(archive_write_data(archive, text_string(&bytes), length), (int)length);
    text_free(&bytes);
    archive_entry_free(entry);
}

Text zip_make(const ZipEntry *entries, size_t count) {
    Text out = {0};
    size_t used = 0;
    struct archive *archive = archive_write_new();
    ck_assert_int_eq(archive_write_set_format_zip(archive), ARCHIVE_OK);
    text_reserve(&out, ROOM);
    ck_assert_int_eq(archive_write_open_memory(archive, out.data, ROOM, &used), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++)
        add_entry(archive, &entries[i]);
    ck_assert_int_eq(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    out.length = used;
    out.data[used] = '\0';
    return out;
}

void zip_write(const char *path, const ZipEntry *entries, size_t count) {
    Text zip = zip_make(entries, count);
    Error err = {0};
    ck_assert_msg(file_write_atomic(path, zip.data, zip.length, 0644, &err), "%s", err.text);
    text_free(&zip);
}
