/* SPDX-License-Identifier: MIT */
#include "build/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum {
    BLOCK_BYTES = 65536,
    MAX_FILES = 100000,
    MAX_DEPTH = 64,
    MODE_FOLDER = 0755,
    MODE_PROGRAM = 0755,
    MODE_FILE = 0644,
    ANY_EXECUTE = 0111
};
static const uint64_t MAX_BYTES = UINT64_C(2) << 30;

/* A link in the archive. Links are made after all other entries, so that no entry is written
 * through a link. */
typedef struct {
    char *path;
    char *target;
} Link;

typedef struct {
    struct archive *reader;
    const char *zip;
    int root; /* the folder to unpack into, open */
    ArchiveLimits limits;
    uint64_t bytes;
    uint64_t files; /* entries, and folders that were made */
    char *top;      /* the top folder's name, ARCHIVE_NAME_MAX bytes */
    Link *links;
    size_t link_count;
    size_t link_capacity;
    char *block;
} Unpacker;

/* libarchive's own words of a file that cannot be opened name no cause. */
static bool can_be_read(const char *path, Error *err) {
    return access(path, R_OK) == 0 || error_set(err, "%s: %s", path, strerror(errno));
}

/* Whether the zip has at most MAX_FILES entries, by the marks in its bytes. libarchive keeps the
 * whole directory of a zip in memory before it gives the first entry. The count at the zip's end
 * does not limit it. Each entry of the directory begins with the mark; other bytes are the mark by
 * chance once in four gigabytes. */
static bool has_few_entries(const char *zip, Error *err) {
    static const char MARK[] = {'P', 'K', 1, 2};
    int file = open(zip, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set(err, "%s: %s", zip, strerror(errno));
    char *block = mem_alloc(BLOCK_BYTES);
    size_t held = 0; /* bytes of the block before, which may begin a mark */
    int count = 0;
    ssize_t got;
    while (count <= MAX_FILES && (got = read(file, block + held, BLOCK_BYTES - held)) > 0) {
        const char *at = block;
        const char *end = block + held + got;
        for (const char *mark; (mark = memmem(at, (size_t)(end - at), MARK, sizeof MARK));
             at = mark + sizeof MARK)
            count++;
        held = (size_t)(end - at) < sizeof MARK ? (size_t)(end - at) : sizeof MARK - 1;
        memmove(block, end - held, held);
    }
    free(block);
    close(file);
    return count <= MAX_FILES ||
           error_set(err, "%s: more than %d entries, those of zips in it included", zip, MAX_FILES);
}

static struct archive *open_zip(const char *zip, Error *err) {
    if (!has_few_entries(zip, err))
        return NULL;
    struct archive *reader = archive_read_new();
    if (!reader) {
        error_set(err, "libarchive gives no reader");
        return NULL;
    }
    archive_read_support_format_zip(reader);
    if (archive_read_open_filename(reader, zip, BLOCK_BYTES) != ARCHIVE_OK) {
        const char *why = archive_error_string(reader);
        error_set(err, "%s: not a zip archive: %s", zip, why ? why : "unknown reason");
        archive_read_free(reader);
        return NULL;
    }
    return reader;
}

/* Reads the next entry. 1: there is one; 0: the end of the archive; -1 with err set: a fault. */
static int next_entry(struct archive *reader, const char *zip, struct archive_entry **entry,
                      Error *err) {
    int status = archive_read_next_header(reader, entry);
    if (status == ARCHIVE_EOF)
        return 0;
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
        return 1;
    const char *why = archive_error_string(reader);
    error_set(err, "%s: damaged archive: %s", zip, why ? why : "unknown reason");
    return -1;
}

/* Lets this thread read names as UTF-8 until leave_utf8: in the C locale libarchive gives no name
 * that an archive marks as UTF-8 and that has letters beyond ASCII. Returns the locale for
 * leave_utf8; where the system has no such locale, nothing changes. */
static locale_t enter_utf8(locale_t *before) {
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    *before = utf8 ? uselocale(utf8) : (locale_t)0;
    return utf8;
}

static void leave_utf8(locale_t utf8, locale_t before) {
    if (!utf8)
        return;
    uselocale(before);
    freelocale(utf8);
}

/* The entry's name, in UTF-8 or, if it is none, as it stands in the archive. */
static const char *entry_name(struct archive_entry *entry) {
    const char *name = archive_entry_pathname_utf8(entry);
    return name ? name : archive_entry_pathname(entry);
}

/* Checks that `name` is a relative path without "..", control characters and backslashes. */
static bool check_name(const char *name, Error *err) {
    if (!name || !name[0])
        return error_set(err, "an entry has no name");
    if (name[0] == '/' || name[0] == '\\')
        return error_set(err, "entry %s: an absolute name", name);
    if (strlen(name) >= PATH_MAX / 2)
        return error_set(err, "entry %.60s...: its name is too long", name);
    int depth = 0;
    for (const char *part = name; *part;) {
        size_t length = strcspn(part, "/");
        if (length == 2 && strncmp(part, "..", 2) == 0)
            return error_set(err, "entry %s: \"..\" in its name", name);
        if (length > NAME_MAX || ++depth > MAX_DEPTH)
            return error_set(err, "entry %.60s...: its name is too long or too deep", name);
        part += length;
        part += strspn(part, "/");
    }
    for (const char *c = name; *c; c++)
        if (iscntrl((unsigned char)*c) || *c == '\\')
            return error_set(err, "entry %s: characters in the name that are not allowed", name);
    return true;
}

/* The name without "./", "//" and a slash at the end, allocated; "" for the top of the archive. */
static char *clean_name(const char *name) {
    Text clean = {0};
    for (const char *part = name; *part;) {
        size_t length = strcspn(part, "/");
        if (length > 0 && !(length == 1 && part[0] == '.')) {
            if (clean.length)
                text_add_char(&clean, '/');
            text_add_bytes(&clean, part, length);
        }
        part += length;
        part += strspn(part, "/");
    }
    return text_take(&clean);
}

static bool check_top(Unpacker *u, const char *path, bool folder, Error *err) {
    size_t length = strcspn(path, "/");
    if (length >= ARCHIVE_NAME_MAX)
        return error_set(err, "entry %s: the top folder's name is too long", path);
    if (!path[length] && !folder)
        return error_set(err, "entry %s lies in no folder: expected one top folder", path);
    if (!u->top[0])
        snprintf(u->top, ARCHIVE_NAME_MAX, "%.*s", (int)length, path);
    if (strncmp(u->top, path, length) != 0 || u->top[length])
        return error_set(err, "two top folders, %s and %.*s: expected one", u->top, (int)length,
                         path);
    return true;
}

static bool is_within_limit(const Unpacker *u, Error *err) {
    return u->files <= u->limits.files ||
           error_set(err, "it has more than %llu entries and folders",
                     (unsigned long long)u->limits.files);
}

/* Opens the folder that the first `length` bytes of `path` name. Makes and counts missing folders,
 * and follows no link. -1 with err set on failure. */
static int open_folder(Unpacker *u, const char *path, size_t length, Error *err) {
    int folder = fcntl(u->root, F_DUPFD_CLOEXEC, 0);
    for (size_t at = 0; folder >= 0 && at < length;) {
        size_t part = strcspn(path + at, "/");
        char *name = mem_strndup(path + at, part);
        bool made = mkdirat(folder, name, MODE_FOLDER) == 0;
        u->files += made;
        if (!made && errno != EEXIST) {
            close(folder);
            folder = -1;
        } else {
            int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            int cause = errno;
            close(folder);
            errno = cause;
            folder = next;
        }
        free(name);
        at += part + 1;
    }
    if (folder < 0)
        error_set(err, "folder %.*s: %s", (int)length, path, strerror(errno));
    if (folder < 0 || is_within_limit(u, err))
        return folder;
    close(folder);
    return -1;
}

/* Opens the folder that holds `path`; *name is the last part of `path`. */
static int open_parent(Unpacker *u, const char *path, const char **name, Error *err) {
    *name = file_name_of(path);
    return open_folder(u, path, *name > path ? (size_t)(*name - path - 1) : 0, err);
}

/* Copies the entry's data. Holes in the data are not expected in a zip. */
static bool copy_data(Unpacker *u, int file, const char *path, Error *err) {
    for (;;) {
        la_ssize_t got = archive_read_data(u->reader, u->block, BLOCK_BYTES);
        if (got == 0)
            return true;
        if (got < 0) {
            const char *why = archive_error_string(u->reader);
            return error_set(err, "entry %s is damaged: %s", path, why ? why : "unknown reason");
        }
        u->bytes += (uint64_t)got;
        if (u->bytes > u->limits.bytes)
            return error_set(err, "it unpacks to more than %llu bytes",
                             (unsigned long long)u->limits.bytes);
        if (!file_write_all(file, u->block, (size_t)got))
            return error_set(err, "entry %s: %s", path, strerror(errno));
    }
}

static bool unpack_file(Unpacker *u, const char *path, mode_t mode, Error *err) {
    const char *name;
    int folder = open_parent(u, path, &name, err);
    if (folder < 0)
        return false;
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      mode & ANY_EXECUTE ? MODE_PROGRAM : MODE_FILE);
    int cause = errno;
    close(folder);
    if (file < 0)
        return error_set(err, "entry %s: %s", path, strerror(cause));
    bool ok = copy_data(u, file, path, err);
    if (close(file) != 0 && ok)
        ok = error_set(err, "entry %s: %s", path, strerror(errno));
    return ok;
}

/* Checks that a link stays in the top folder. ".." is allowed only at the start of the target, and
 * not above the top folder: then the link stays inside, even when its target leads through other
 * links. */
static bool check_link(const char *path, const char *target, Error *err) {
    int depth = -1; /* folders between the link and the top folder */
    for (const char *c = path; *c; c++)
        depth += *c == '/';
    bool climbing = true;
    if (!target[0] || target[0] == '/' || target[0] == '\\')
        return error_set(err, "entry %s: a link outside its folder (%s)", path, target);
    for (const char *part = target; *part;) {
        size_t length = strcspn(part, "/");
        bool up = length == 2 && strncmp(part, "..", 2) == 0;
        if (up && (!climbing || --depth < 0))
            return error_set(err, "entry %s: a link outside its folder (%s)", path, target);
        if (!up && !(length == 1 && part[0] == '.'))
            climbing = false;
        part += length;
        part += strspn(part, "/");
    }
    return true;
}

static bool note_link(Unpacker *u, struct archive_entry *entry, const char *path, Error *err) {
    const char *target = archive_entry_symlink_utf8(entry);
    if (!target)
        target = archive_entry_symlink(entry);
    if (!target)
        return error_set(err, "entry %s: is a link that names no target", path);
    if (strlen(target) >= PATH_MAX) /* All targets are kept until the links are made. */
        return error_set(err, "entry %s: a link whose target is too long", path);
    if (!check_link(path, target, err))
        return false;
    MEM_ADD(u->links, u->link_count, u->link_capacity,
            (Link){mem_strdup(path), mem_strdup(target)});
    return true;
}

static bool make_links(Unpacker *u, Error *err) {
    for (size_t i = 0; i < u->link_count; i++) {
        const char *name;
        int folder = open_parent(u, u->links[i].path, &name, err);
        if (folder < 0)
            return false;
        bool made = symlinkat(u->links[i].target, folder, name) == 0;
        int cause = errno;
        close(folder);
        if (!made)
            return error_set(err, "entry %s: %s", u->links[i].path, strerror(cause));
    }
    return true;
}

static bool unpack_entry(Unpacker *u, struct archive_entry *entry, Error *err) {
    u->files++;
    if (!is_within_limit(u, err))
        return false;
    const char *given = entry_name(entry);
    if (!check_name(given, err))
        return false;
    char *path = clean_name(given);
    mode_t kind = archive_entry_filetype(entry);
    bool ok = true;
    if (!path[0]) {
        ok = true; /* "./" */
    } else if (!check_top(u, path, kind == AE_IFDIR, err)) {
        ok = false;
    } else if (archive_entry_hardlink(entry)) {
        ok = error_set(
            err, "entry %s: is a hard link: files, folders and symbolic links alone are unpacked",
            path);
    } else if (kind == AE_IFDIR) {
        int folder = open_folder(u, path, strlen(path), err);
        ok = folder >= 0;
        if (ok)
            close(folder);
    } else if (kind == AE_IFLNK) {
        ok = note_link(u, entry, path, err);
    } else if (kind == AE_IFREG) {
        ok = unpack_file(u, path, archive_entry_perm(entry), err);
    } else {
        ok = error_set(
            err,
            "entry %s: is neither a file, a folder nor a symbolic link: nothing else is unpacked",
            path);
    }
    free(path);
    return ok;
}

static bool unpack_all(Unpacker *u, Error *err) {
    struct archive_entry *entry;
    int more;
    while ((more = next_entry(u->reader, u->zip, &entry, err)) > 0)
        if (!unpack_entry(u, entry, err))
            return error_prefix(err, "%s", u->zip);
    if (more < 0)
        return false;
    if (!u->top[0])
        return error_set(err, "%s: the archive is empty", u->zip);
    return make_links(u, err) || error_prefix(err, "%s", u->zip);
}

bool archive_unpack(const char *zip, const char *dir, const ArchiveLimits *limits,
                    char top[ARCHIVE_NAME_MAX], Error *err) {
    Unpacker u = {.zip = zip, .top = top};
    u.limits.bytes = limits && limits->bytes ? limits->bytes : MAX_BYTES;
    u.limits.files = limits && limits->files ? limits->files : MAX_FILES;
    top[0] = '\0';
    u.root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (u.root < 0)
        return error_set(err, "%s: %s", dir, strerror(errno));
    u.reader = open_zip(zip, err);
    bool ok = u.reader != NULL;
    if (ok) {
        locale_t before, utf8 = enter_utf8(&before);
        u.block = mem_alloc(BLOCK_BYTES);
        ok = unpack_all(&u, err);
        leave_utf8(utf8, before);
        archive_read_free(u.reader);
    }
    for (size_t i = 0; i < u.link_count; i++) {
        free(u.links[i].path);
        free(u.links[i].target);
    }
    free(u.links);
    free(u.block);
    close(u.root);
    return ok;
}

/* Appends an entry's data. */
static bool read_text(struct archive *reader, const char *zip, uint64_t limit, Text *out,
                      Error *err) {
    for (uint64_t total = 0;;) {
        text_reserve(out, BLOCK_BYTES);
        la_ssize_t got = archive_read_data(reader, out->data + out->length, BLOCK_BYTES);
        if (got < 0) {
            const char *why = archive_error_string(reader);
            return error_set(err, "%s: damaged archive: %s", zip, why ? why : "unknown reason");
        }
        total += (uint64_t)got;
        if (total > limit)
            return error_set(err, "%s: unpacks to more than %llu bytes", zip,
                             (unsigned long long)limit);
        out->length += (size_t)got;
        out->data[out->length] = '\0';
        if (got == 0)
            return true;
    }
}

bool archive_is_whole(const char *zip) {
    struct archive_entry *entry;
    struct archive *reader = open_zip(zip, NULL);
    int more = reader != NULL ? 1 : -1;
    while (more > 0)
        if ((more = next_entry(reader, zip, &entry, NULL)) > 0 &&
            archive_read_data_skip(reader) != ARCHIVE_OK)
            more = -1;
    archive_read_free(reader);
    return more == 0;
}

bool archive_read_single(const char *zip, uint64_t limit, Text *out, Error *err) {
    struct archive *reader = open_zip(zip, err);
    if (!reader)
        return false;
    bool ok = true;
    int found = 0;
    struct archive_entry *entry;
    int more = 0;
    while (ok && (more = next_entry(reader, zip, &entry, err)) > 0) {
        if (archive_entry_filetype(entry) != AE_IFREG)
            continue;
        if (++found > 1)
            ok = error_set(err, "%s: more than one file in it: expected one file", zip);
        else
            ok = read_text(reader, zip, limit, out, err);
    }
    if (ok && more == 0 && found == 0)
        ok = error_set(err, "%s: no file in it", zip);
    archive_read_free(reader);
    return ok && more == 0;
}

bool archive_read_text(const char *path, uint64_t limit, Text *out, Error *err) {
    if (!can_be_read(path, err))
        return false;
    struct archive *reader = archive_read_new();
    struct archive_entry *entry;
    archive_read_support_filter_gzip(reader);
    archive_read_support_format_raw(reader);
    archive_read_support_format_empty(reader);
    int status = archive_read_open_filename(reader, path, BLOCK_BYTES);
    if (status == ARCHIVE_OK)
        status = archive_read_next_header(reader, &entry);
    bool ok = status == ARCHIVE_EOF /* An empty file. */ ||
              (status == ARCHIVE_OK ? read_text(reader, path, limit, out, err)
                                    : error_set(err, "%s: %s", path, archive_error_string(reader)));
    archive_read_free(reader);
    return ok;
}

/* Sets the cause of a fault of the writer of the file `path`. Returns false. libarchive's own words
 * of a full disk are "Write error". */
static bool writing_failed(struct archive *writer, const char *path, Error *err) {
    int cause = archive_errno(writer);
    const char *why = cause > 0 ? strerror(cause) : archive_error_string(writer);
    return error_set(err, "%s: %s", path, why ? why : "unknown reason");
}

/* Writes the zip to the file `part`. No time of day stands in the zip. */
static bool write_zip(const char *part, const char *name, const char *bytes, size_t length,
                      Error *err) {
    struct archive *writer = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, MODE_FILE);
    archive_entry_set_size(entry, (la_int64_t)length);
    archive_entry_set_mtime(entry, 0, 0);
    bool ok = archive_write_set_format_zip(writer) == ARCHIVE_OK &&
              archive_write_open_filename(writer, part) == ARCHIVE_OK &&
              archive_write_header(writer, entry) == ARCHIVE_OK &&
              archive_write_data(writer, bytes, length) == (la_ssize_t)length &&
              archive_write_close(writer) == ARCHIVE_OK;
    if (!ok)
        writing_failed(writer, part, err);
    archive_entry_free(entry);
    archive_write_free(writer);
    return ok;
}

bool archive_write_single(const char *zip, const char *name, const char *bytes, size_t length,
                          Error *err) {
    char *part = text_format("%s.part", zip);
    bool ok = write_zip(part, name, bytes, length, err) && file_install(part, zip, err);
    if (!ok)
        unlink(part);
    free(part);
    return ok;
}

/* Copies the file `plain` into the writer of the file `packed`. */
static bool pack_file(struct archive *writer, const char *packed, FILE *in, const char *plain,
                      Error *err) {
    char *block = mem_alloc(BLOCK_BYTES);
    bool ok = true;
    size_t length;
    while (ok && (length = fread(block, 1, BLOCK_BYTES, in)) > 0)
        ok = archive_write_data(writer, block, length) == (la_ssize_t)length ||
             writing_failed(writer, packed, err);
    if (ok && ferror(in))
        ok = error_set(err, "%s: %s", plain, strerror(errno));
    free(block);
    return ok;
}

bool archive_pack(const char *plain, const char *packed, Error *err) {
    FILE *in = fopen(plain, "rb");
    if (!in)
        return error_set(err, "%s: %s", plain, strerror(errno));
    struct archive *writer = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, "games.pgn");
    archive_entry_set_filetype(entry, AE_IFREG);
    bool ok = archive_write_add_filter_bzip2(writer) == ARCHIVE_OK &&
              archive_write_set_format_raw(writer) == ARCHIVE_OK &&
              archive_write_open_filename(writer, packed) == ARCHIVE_OK &&
              archive_write_header(writer, entry) == ARCHIVE_OK;
    if (!ok)
        writing_failed(writer, packed, err);
    ok = ok && pack_file(writer, packed, in, plain, err);
    if (ok && archive_write_close(writer) != ARCHIVE_OK)
        ok = writing_failed(writer, packed, err);
    archive_entry_free(entry);
    archive_write_free(writer);
    fclose(in);
    return ok;
}

static bool add_to_tar(struct archive *writer, const char *tar, FILE *in, const char *path,
                       Error *err) {
    struct stat status;
    if (fstat(fileno(in), &status) != 0 || !S_ISREG(status.st_mode))
        return error_set(err, "%s: not a regular file", path);
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, file_name_of(path));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, MODE_FILE);
    archive_entry_set_size(entry, status.st_size);
    archive_entry_set_mtime(entry, status.st_mtime, 0);
    bool ok =
        (archive_write_header(writer, entry) == ARCHIVE_OK || writing_failed(writer, tar, err)) &&
        pack_file(writer, tar, in, path, err);
    archive_entry_free(entry);
    return ok;
}

bool archive_write_tar(const char *tar, const Words *files, Error *err) {
    struct archive *writer = archive_write_new();
    bool ok = (archive_write_set_format_ustar(writer) == ARCHIVE_OK &&
               archive_write_open_filename(writer, tar) == ARCHIVE_OK) ||
              writing_failed(writer, tar, err);
    for (size_t i = 0; ok && i < files->count; i++) {
        FILE *in = fopen(files->items[i], "rb");
        ok = in ? add_to_tar(writer, tar, in, files->items[i], err)
                : error_set(err, "%s: %s", files->items[i], strerror(errno));
        if (in)
            fclose(in);
    }
    if (ok && archive_write_close(writer) != ARCHIVE_OK)
        ok = writing_failed(writer, tar, err);
    archive_write_free(writer);
    if (!ok)
        unlink(tar);
    return ok;
}
