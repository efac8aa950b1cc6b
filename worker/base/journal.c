/* SPDX-License-Identifier: MIT */
#include "base/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

enum {
    READ_CHUNK = 1 << 16,
    SEAL_LENGTH = 18, /* `,"crc":"01234567"}` */
    BACK_LENGTH = 18, /* `,"back":"01234567"` */
    HEX = 16,
    MODE = 0644
};

/* ---- Records ---- */

static uint32_t checksum(const char *bytes, size_t length) {
    return (uint32_t)crc32_z(0, (const unsigned char *)bytes, length);
}

/* The record as a line: what seals it takes the place of its closing brace. */
void journal_add(Text *write, const char *record, size_t length) {
    assert(length > 2 && record[0] == '{' && record[length - 1] == '}');
    assert(memchr(record, '\n', length) == NULL);
    size_t start = write->length;
    text_add_bytes(write, record, length - 1);
    if (start > 0)
        text_addf(write, ",\"back\":\"%08zx\"", start);
    text_addf(write, ",\"crc\":\"%08x\"}\n", checksum(write->data + start, write->length - start));
}

/* Is this line, without its end, a record as it was written? */
static bool is_whole(const char *line, size_t length) {
    if (length <= SEAL_LENGTH)
        return false;
    size_t body = length - SEAL_LENGTH;
    char seal[SEAL_LENGTH + 1];
    snprintf(seal, sizeof seal, ",\"crc\":\"%08x\"}", checksum(line, body));
    return memcmp(line + body, seal, SEAL_LENGTH) == 0;
}

/* How far before this line, a whole record, its write begins. */
static int64_t back_of(const char *line, size_t length) {
    static const char key[] = ",\"back\":\"";
    if (length <= SEAL_LENGTH + BACK_LENGTH)
        return 0;
    const char *member = line + length - SEAL_LENGTH - BACK_LENGTH;
    bool there = memcmp(member, key, sizeof key - 1) == 0 && member[BACK_LENGTH - 1] == '"';
    return there ? strtoll(member + sizeof key - 1, NULL, HEX) : 0;
}

/* ---- Reading ---- */

typedef struct {
    int fd;
    const char *path;
    Text buffer; /* What was read and not taken yet. */
    size_t start;
    int64_t taken; /* Bytes of the whole records. */
    int64_t line;
    bool end; /* There is nothing more to read. */
} Reader;

/* Reads on; at the end of the file `end` is set. */
static bool read_more(Reader *r, Error *err) {
    text_drop(&r->buffer, r->start);
    r->start = 0;
    if (r->buffer.length > JOURNAL_RECORD_MAX)
        return error_set(err, "journal %s: line %lld is too long for a record", r->path,
                         (long long)r->line + 1);
    text_reserve(&r->buffer, READ_CHUNK);
    ssize_t n;
    do
        n = read(r->fd, r->buffer.data + r->buffer.length, READ_CHUNK);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return error_set(err, "journal %s: %s", r->path, strerror(errno));
    r->end = n == 0;
    r->buffer.length += (size_t)n;
    return true;
}

/* The next line's length without its end, in *length; -1 when what is left has no line end. */
static bool next_line(Reader *r, ptrdiff_t *length, Error *err) {
    size_t looked = 0;
    for (;;) {
        size_t left = r->buffer.length - r->start;
        const char *from = left > 0 ? r->buffer.data + r->start : "";
        const char *end = memchr(from + looked, '\n', left - looked);
        *length = end != NULL ? end - from : -1;
        if (end != NULL || r->end)
            return true;
        looked = left;
        if (!read_more(r, err))
            return false;
    }
}

static bool refuse_damage(const Reader *r, Error *err) {
    return error_set(err,
                     "journal %s: line %lld is damaged: its checksum does not match; put back what "
                     "stood there, or keep what is before it (head -n %lld)",
                     r->path, (long long)r->line + 1, (long long)r->line);
}

/* A line that is no record, the next one, is torn when all that follows belongs to the same write:
 * no whole record is of a later one, and there are no more lines than a write has. */
static bool pass_torn(Reader *r, ptrdiff_t length, Error *err) {
    int64_t at = r->taken;
    if (r->line == 0)
        return error_set(err, "%s: is not a journal", r->path);
    for (int lines = 1; length >= 0; lines++) {
        r->start += (size_t)length + 1;
        at += length + 1;
        if (!next_line(r, &length, err))
            return false;
        const char *line = r->buffer.data + r->start;
        if (length < 0)
            break;
        if (lines == JOURNAL_WRITE_RECORDS ||
            (is_whole(line, (size_t)length) && at - back_of(line, (size_t)length) > r->taken))
            return refuse_damage(r, err);
    }
    return true;
}

static bool read_records(Reader *r, JournalTake take, void *user, Error *err) {
    ptrdiff_t length;
    while (next_line(r, &length, err)) {
        const char *line = r->buffer.length > 0 ? r->buffer.data + r->start : "";
        if (length < 0 || !is_whole(line, (size_t)length))
            return pass_torn(r, length, err);
        if (!take(line, (size_t)length, user, err))
            return error_prefix(err, "journal %s: line %lld", r->path, (long long)r->line + 1);
        r->start += (size_t)length + 1;
        r->taken += length + 1;
        r->line++;
    }
    return false;
}

/* Every record of the open file; where they end in *taken. */
static bool read_file(int fd, const char *path, JournalTake take, void *user, int64_t *taken,
                      Error *err) {
    struct stat info;
    if (fstat(fd, &info) != 0)
        return error_set(err, "journal %s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return error_set(err, "journal %s: is not a regular file", path);
    Reader reader = {.fd = fd, .path = path};
    bool ok = read_records(&reader, take, user, err);
    if (ok && reader.taken == 0)
        ok = error_set(err, "%s: is not a journal", path);
    *taken = reader.taken;
    text_free(&reader.buffer);
    return ok;
}

/* ---- Writing ---- */

/* A lock of the process, not of the descriptor: a child that was just forked does not keep it. */
static bool lock(int fd, const char *path, Error *err) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &whole) == 0)
        return true;
    if (errno != EACCES && errno != EAGAIN)
        return error_set(err, "journal %s: cannot be locked: %s", path, strerror(errno));
    if (fcntl(fd, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
        return error_set(err, "journal %s: another process is using it", path);
    return error_set(err, "journal %s: process %ld is using it", path, (long)whole.l_pid);
}

static bool write_synced(int fd, const char *bytes, size_t length, int64_t at) {
    while (length > 0) {
        ssize_t n = pwrite(fd, bytes, length, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        length -= (size_t)n;
        at += n;
    }
    return fsync(fd) == 0;
}

/* The folder's own record of a new name. */
static bool sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL   ? mem_strdup(".")
                   : slash == path ? mem_strdup("/")
                                   : mem_strndup(path, (size_t)(slash - path));
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    int cause = errno;
    if (fd >= 0)
        close(fd);
    free(folder);
    errno = cause;
    return ok;
}

/* Gives the file its name unless that is taken. Some network file systems only know links. */
static bool publish(const char *fresh, const char *path) {
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return true;
    if ((errno != EINVAL && errno != ENOSYS) || link(fresh, path) != 0)
        return false;
    unlink(fresh);
    return true;
}

bool journal_create(Journal *journal, const char *path, const char *record, size_t length,
                    Error *err) {
    Text line = {0};
    Text fresh = {0};
    journal_add(&line, record, length);
    text_addf(&fresh, "%s.XXXXXX", path);
    *journal = (Journal){0};
    bool made = false;
    int fd = mkostemp(fresh.data, O_CLOEXEC);
    if (fd < 0)
        error_set(err, "journal %s: cannot be made: %s", path, strerror(errno));
    else if (lock(fd, path, err)) {
        made = fchmod(fd, MODE) == 0 && write_synced(fd, line.data, line.length, 0) &&
               publish(fresh.data, path);
        if (!made)
            error_set(err, "journal %s: cannot be made: %s", path, strerror(errno));
        else if (!sync_folder(path))
            made = error_set(err, "journal %s: its folder: %s", path, strerror(errno));
    }
    if (made)
        *journal = (Journal){.path = mem_strdup(path), .fd = fd, .length = (int64_t)line.length};
    else if (fd >= 0) {
        unlink(fresh.data);
        close(fd);
    }
    text_free(&line);
    text_free(&fresh);
    return made;
}

bool journal_open(Journal *journal, const char *path, JournalTake take, void *user, Error *err) {
    *journal = (Journal){0};
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, "journal %s: %s", path, strerror(errno));
    Journal opened = {.path = mem_strdup(path), .fd = fd};
    struct stat info;
    bool ok = lock(fd, path, err) && read_file(fd, path, take, user, &opened.length, err);
    if (ok && (fstat(fd, &info) != 0 || ftruncate(fd, (off_t)opened.length) != 0))
        ok = error_set(err, "journal %s: %s", path, strerror(errno));
    if (ok)
        opened.torn = (int64_t)info.st_size - opened.length;
    if (!ok) {
        journal_close(&opened);
        return false;
    }
    *journal = opened;
    return true;
}

bool journal_read(const char *path, JournalTake take, void *user, Error *err) {
    int64_t taken;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, "journal %s: %s", path, strerror(errno));
    bool ok = read_file(fd, path, take, user, &taken, err);
    close(fd);
    return ok;
}

/* Copies the record and wants no more: a failure without a cause. */
static bool take_first(const char *record, size_t length, void *user, Error *err) {
    (void)err;
    text_add_bytes(user, record, length);
    return false;
}

bool journal_first(const char *path, Text *record, Error *err) {
    size_t before = record->length;
    Error fault = {0};
    journal_read(path, take_first, record, &fault);
    return record->length > before || error_set(err, "%s", fault.text);
}

bool journal_write(Journal *journal, const Text *write, Error *err) {
    if (journal->spoilt)
        return error_set(err, "journal %s: a torn record stays at its end", journal->path);
    if (write_synced(journal->fd, write->data, write->length, journal->length)) {
        journal->length += (int64_t)write->length;
        return true;
    }
    error_set(err, "journal %s: %s", journal->path, strerror(errno));
    /* What is left of it would be passed over as torn anyway. */
    journal->spoilt = ftruncate(journal->fd, (off_t)journal->length) != 0;
    if (journal->spoilt)
        error_prefix(err, "a torn record stays at its end");
    return false;
}

bool journal_append(Journal *journal, const char *record, size_t length, Error *err) {
    Text write = {0};
    journal_add(&write, record, length);
    bool ok = journal_write(journal, &write, err);
    text_free(&write);
    return ok;
}

void journal_close(Journal *journal) {
    if (journal->path == NULL)
        return;
    close(journal->fd);
    free(journal->path);
    *journal = (Journal){0};
}
