/* SPDX-License-Identifier: MIT */
/* Archives: zip files from strangers are unpacked into one folder and never beside it; files for a
 * server are compressed. A zip of more than 100,000 entries is never opened, for its directory
 * would fill the memory. Blocking: for the thread pool. */
#ifndef WORKER_BUILD_ARCHIVE_H
#define WORKER_BUILD_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* The limits of an archive; 0 is the default in brackets. */
typedef struct {
    uint64_t bytes; /* of all files together, unpacked [2 GiB] */
    uint64_t files; /* entries, and folders that are made for them [100,000] */
} ArchiveLimits;

enum { ARCHIVE_NAME_MAX = 256 };

/* Unpacks the zip into the existing folder `dir`. All entries must lie in one top folder, whose
 * name is written to `top`. Refuses absolute names, "..", links that lead outside, devices, two
 * entries of one name and archives beyond the limits; err names the entry. After a refusal the
 * caller removes the entries that were unpacked before. limits may be NULL. */
bool archive_unpack(const char *zip, const char *dir, const ArchiveLimits *limits,
                    char top[ARCHIVE_NAME_MAX], Error *err);

/* Whether the file is a zip whose entries can be read to the end: not a page of HTML, nor a part of
 * a zip. */
bool archive_is_whole(const char *zip);

/* Appends the text of the only file in the zip to *out; refuses more than `limit` bytes. */
bool archive_read_single(const char *zip, uint64_t limit, Text *out, Error *err);

/* Appends the text of a file, which may be compressed by gzip, to *out; refuses more than `limit`
 * bytes. */
bool archive_read_text(const char *path, uint64_t limit, Text *out, Error *err);

/* Writes a zip that holds one file of this name and these bytes, or leaves the old zip: the bytes
 * go to a new file in the same folder, which is synced and then renamed. The same bytes give the
 * same zip. */
bool archive_write_single(const char *zip, const char *name, const char *bytes, size_t length,
                          Error *err);

/* Writes a tar of these files, each under the last part of its path, to the new file `tar`. A file
 * that cannot be read is an error, which leaves no tar. */
bool archive_write_tar(const char *tar, const Words *files, Error *err);

/* Writes the bzip2-compressed bytes of the file `plain` to the new file `packed`. */
bool archive_pack(const char *plain, const char *packed, Error *err);

#endif
