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

#include "base/file.h"
#include "base/memory.h"
#include "base/storage.h"

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

/* Writes the record as a line: the members "back" and "crc" take the place of its closing brace. */
void journal_add(Text *write, const char *record, size_t length) {
    assert(length > 2 && record[0] == '{' && record[length - 1] == '}');
    assert(memchr(record, '\n', length) == NULL);
    size_t start = write->length;
    text_add_bytes(write, record, length - 1);
    if (start > 0)
        text_addf(write, ",\"back\":\"%08zx\"", start);
    text_addf(write, ",\"crc\":\"%08x\"}\n", checksum(write->data + start, write->length - start));
}

/* Does the checksum of this line (without its line end) match, so that the line is a whole
 * record? */
static bool is_whole(const char *line, size_t length) {
    if (length <= SEAL_LENGTH)
        return false;
    size_t body = length - SEAL_LENGTH;
    char seal[SEAL_LENGTH + 1];
    snprintf(seal, sizeof seal, ",\"crc\":\"%08x\"}", checksum(line, body));
    return memcmp(line + body, seal, SEAL_LENGTH) == 0;
}

/* The number of bytes from the beginning of the write to this line, which is a whole record. */
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
    Text buffer; /* Bytes read and not yet taken as lines. */
    size_t start;
    int64_t at; /* The offset of the next line in the file. */
    int64_t line;
    bool end; /* The file has no more bytes. */
} Reader;

/* Reads more bytes into the buffer; sets `end` at the end of the file. */
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

/* Finds the next line and its length without its line end. The length is -1 for bytes at the end of
 * the file without a line end. */
static bool next_line(Reader *r, const char **line, ptrdiff_t *length, Error *err) {
    size_t looked = 0;
    for (;;) {
        size_t left = r->buffer.length - r->start;
        *line = left > 0 ? r->buffer.data + r->start : "";
        const char *end = memchr(*line + looked, '\n', left - looked);
        *length = end != NULL ? end - *line : -1;
        if (end != NULL || r->end)
            return true;
        looked = left;
        if (!read_more(r, err))
            return false;
    }
}

static void pass_line(Reader *r, ptrdiff_t length) {
    r->start += (size_t)length + 1;
    r->at += length + 1;
    r->line++;
}

/* Goes back to the beginning of an earlier line. */
static bool go_back(Reader *r, int64_t at, int64_t line, Error *err) {
    if (lseek(r->fd, (off_t)at, SEEK_SET) < 0)
        return error_set(err, "journal %s: %s", r->path, strerror(errno));
    text_clear(&r->buffer);
    r->start = 0;
    r->at = at;
    r->line = line;
    r->end = false;
    return true;
}

/* Finds in *last the offset where the last write begins. The next line must be the first line that
 * is no whole record. A damaged line before *last was acknowledged; a damaged line from *last on
 * may be torn. Only whole records tell where their write begins; but no write has more than
 * JOURNAL_WRITE_RECORDS lines. Leaves the reader at the line where it was. */
static bool find_last_write(Reader *r, int64_t *last, Error *err) {
    const int64_t first = r->at;
    const int64_t first_line = r->line;
    int64_t whole_line = r->line - 1; /* The last line with a whole record. */
    const char *line;
    ptrdiff_t length;
    *last = first;
    for (;;) {
        if (!next_line(r, &line, &length, err))
            return false;
        if (length < 0)
            break;
        int64_t begin = r->at - back_of(line, (size_t)length);
        if (is_whole(line, (size_t)length)) {
            whole_line = r->line;
            *last = begin > *last ? begin : *last;
        } else if (r->line - whole_line > JOURNAL_WRITE_RECORDS)
            *last = r->at;
        if (r->line - first_line == JOURNAL_WRITE_RECORDS && *last == first)
            *last = first + 1;
        pass_line(r, length);
    }
    return go_back(r, first, first_line, err);
}

/* The callbacks for lines; `damaged` NULL: damage before the last write is refused. */
typedef struct {
    JournalTake take, damaged;
    void *user;
} Taker;

static bool take_damaged(const Reader *r, const Taker *taker, const char *line, ptrdiff_t length,
                         Error *err) {
    if (taker->damaged != NULL)
        return taker->damaged(line, (size_t)length, taker->user, err);
    return error_set(err,
                     "journal %s: line %lld is damaged: its checksum does not match; put back what "
                     "stood there, or keep what is before it (head -n %lld)",
                     r->path, (long long)r->line + 1, (long long)r->line);
}

/* Hands the lines out, up to a torn write. The reader stays before this write. */
static bool read_records(Reader *r, const Taker *taker, Error *err) {
    int64_t last = -1; /* The offset of the last write; below 0: not known yet. */
    const char *line;
    ptrdiff_t length;
    for (;;) {
        if (!next_line(r, &line, &length, err))
            return false;
        if (length < 0)
            return true;
        bool whole = is_whole(line, (size_t)length);
        if (!whole && last < 0) {
            if (r->line == 0)
                return error_set(err,
                                 "journal %s: is not a journal: its first line has no checksum "
                                 "that matches",
                                 r->path);
            /* The line is read anew: it may be whole now, when another process writes. */
            if (!find_last_write(r, &last, err))
                return false;
            continue;
        }
        if (!whole && r->at >= last)
            return true;
        bool ok = whole ? taker->take(line, (size_t)length, taker->user, err)
                        : take_damaged(r, taker, line, length, err);
        if (!ok)
            return whole &&
                   error_prefix(err, "journal %s: line %lld", r->path, (long long)r->line + 1);
        pass_line(r, length);
    }
}

/* Hands out the lines of the open file, and writes the offset of their end to *end. */
static bool read_file(int fd, const char *path, const Taker *taker, int64_t *end, Error *err) {
    struct stat info;
    if (fstat(fd, &info) != 0)
        return error_set(err, "journal %s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return error_set(err, "journal %s: is not a regular file", path);
    Reader reader = {.fd = fd, .path = path};
    bool ok = read_records(&reader, taker, err);
    if (ok && reader.at == 0)
        ok = error_set(err, "journal %s: %s", path,
                       info.st_size == 0 ? "is empty: no record is in it"
                                         : "is not a journal: it ends within its first line");
    *end = reader.at;
    text_free(&reader.buffer);
    return ok;
}

/* ---- Writing ---- */

/* Takes a lock of the open file. fcntl's lock is of the process, and ends when the process closes
 * any other descriptor of the file: a report of the journal would unlock it. */
static bool lock(int fd, const char *path, Error *err) {
    if (file_lock(fd))
        return true;
    if (errno != EWOULDBLOCK)
        return error_set(err, "journal %s: cannot be locked: %s", path, strerror(errno));
    return error_set(err, "journal %s: another process is using it", path);
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
    return storage_sync(fd);
}

bool journal_create(Journal *journal, const char *path, const char *record, size_t length,
                    Error *err) {
    Text line = {0};
    Text fresh = {0};
    journal_add(&line, record, length);
    text_addf(&fresh, "%s" JOURNAL_UNBORN "XXXXXX", path);
    *journal = (Journal){0};
    bool made = false;
    int fd = mkostemp(fresh.data, O_CLOEXEC);
    if (fd < 0)
        error_set(err, "journal %s: cannot be made: %s", path, strerror(errno));
    else if (lock(fd, path, err)) {
        made = fchmod(fd, MODE) == 0 && write_synced(fd, line.data, line.length, 0) &&
               storage_publish(fresh.data, path);
        if (!made)
            error_set(err, "journal %s: cannot be made: %s", path, strerror(errno));
        else if (!file_sync_folder(path)) {
            made = error_set(err, "journal %s: its folder: %s", path, strerror(errno));
            unlink(path);
        }
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

/* Whether the file still has a name. Another process may have removed it and then unlocked it. */
static bool is_there(int fd, const char *path, Error *err) {
    struct stat info;
    if (fstat(fd, &info) == 0 && info.st_nlink > 0)
        return true;
    return error_set(err, "journal %s: another process has just removed it: start again", path);
}

bool journal_open(Journal *journal, const char *path, JournalTake take, void *user, Error *err) {
    *journal = (Journal){0};
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, "journal %s: %s", path, strerror(errno));
    Journal opened = {.path = mem_strdup(path), .fd = fd};
    struct stat info;
    Taker taker = {.take = take, .user = user};
    bool ok = lock(fd, path, err) && is_there(fd, path, err) &&
              read_file(fd, path, &taker, &opened.length, err);
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

static bool read_path(const char *path, const Taker *taker, Error *err) {
    int64_t end;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, "journal %s: %s", path, strerror(errno));
    bool ok = read_file(fd, path, taker, &end, err);
    close(fd);
    return ok;
}

bool journal_read(const char *path, JournalTake take, void *user, Error *err) {
    return read_path(path, &(Taker){.take = take, .user = user}, err);
}

bool journal_read_past_damage(const char *path, JournalTake take, JournalTake damaged, void *user,
                              Error *err) {
    return read_path(path, &(Taker){.take = take, .damaged = damaged, .user = user}, err);
}

/* Copies the first record, and ends the reading by a failure without a cause. */
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
    assert(journal->path != NULL);
    if (journal->spoilt)
        return error_set(err, "journal %s: a record that could not be written may stay at its end",
                         journal->path);
    if (write_synced(journal->fd, write->data, write->length, journal->length)) {
        journal->length += (int64_t)write->length;
        return true;
    }
    int cause = errno;
    /* A whole record may have been written, if only its sync has failed. */
    journal->spoilt =
        ftruncate(journal->fd, (off_t)journal->length) != 0 || !storage_sync(journal->fd);
    return error_set(err, "journal %s: %s%s", journal->path, strerror(cause),
                     journal->spoilt ? "; the record may stay at its end" : "");
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
