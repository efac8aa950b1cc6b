/* SPDX-License-Identifier: MIT */
#include "local/pairfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/appendfile.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- Going on after an interruption ---- */

bool pairfile_resume(PairFile *file, Error *err) {
    if (file->path == NULL)
        return true;
    int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* A pipe has nothing to find. */
    struct stat info = {0};
    bool ok = fd >= 0 && fstat(fd, &info) == 0;
    if (ok && S_ISREG(info.st_mode) && info.st_size > 0) {
        void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = map != MAP_FAILED;
        file->found = ok ? map : NULL;
        file->mapped = file->found_length = ok ? (size_t)info.st_size : 0;
    }
    ok = ok || errno == ENOENT || error_set(err, "%s: %s", file->path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return ok;
}

static void forget_found(PairFile *file) {
    if (file->found != NULL)
        munmap((void *)(uintptr_t)file->found, file->mapped);
    file->found = NULL;
    file->mapped = file->found_length = 0;
}

/* The offset where the file's incomplete end begins; found_length when the file's end is whole. A
 * power cut may leave zeros: those at the end, of any number of pairs, belong to no text; others
 * match any byte. Before the zeros at the end stands the longest end that is a beginning of this
 * text. */
static size_t find_torn(const PairFile *file, const char *text, size_t length) {
    size_t end = file->found_length;
    while (end > file->matched && file->found[end - 1] == '\0')
        end--;
    size_t at = file->matched;
    if (end - at > length)
        at = end - length;
    for (; at < end; at++) {
        size_t i = at;
        while (i < end && (file->found[i] == text[i - at] || file->found[i] == '\0'))
            i++;
        if (i == end)
            break;
    }
    return at;
}

/* Finds the text behind the one that was found last, or, since the pairs that close a gap stand
 * behind later ones, a unique text before it. NULL: not found. */
static const char *find(const PairFile *file, const char *text, size_t length) {
    if (file->found == NULL)
        return NULL;
    const char *there =
        memmem(file->found + file->cursor, file->found_length - file->cursor, text, length);
    return there == NULL && file->shared ? memmem(file->found, file->cursor, text, length) : there;
}

/* Finds in *end the offset where the content ends that stays in the file: the journal's pairs, and
 * in a shared file also the whole texts behind them. False: a file that is not shared begins with
 * something else than the match's first text. */
static bool find_end(const PairFile *file, const char *text, size_t length, size_t *end,
                     Error *err) {
    size_t torn = find_torn(file, text, length);
    *end = file->shared ? torn : file->matched;
    return file->shared || file->matched > 0 || torn == 0 ||
           error_set(err, "%s: does not begin with the journal's games; name a new file",
                     file->path);
}

/* Writes a pair whose turn has come, unless the file has it. */
static bool put(PairFile *file, const char *text, Error *err) {
    size_t length = strlen(text);
    if (file->found != NULL && !file->appends) {
        const char *there = find(file, text, length);
        if (there != NULL) {
            file->cursor = (size_t)(there - file->found) + length;
            if (file->cursor > file->matched)
                file->matched = file->cursor;
            return true;
        }
        size_t end;
        if (!find_end(file, text, length, &end, err))
            return false;
        file->appends = true;
        if (end < file->found_length && !appendfile_cut(file->path, file->found_length, end, err))
            return false;
        file->found_length = end; /* Pages behind the file's end cannot be read. */
    }
    return appendfile_add(file->path, text, length, err);
}

/* Drops the texts of waiting pairs that the file has. */
static void leave_found(PairFile *file) {
    for (size_t i = 0; i < file->waiting_count; i++) {
        WaitingPair *w = &file->waiting[i];
        if (find(file, w->text, strlen(w->text)) == NULL)
            continue;
        free(w->text);
        w->text = NULL;
    }
}

const char *pairfile_behind(const PairFile *file, size_t *length) {
    bool any = file->matched > 0 && !file->appends;
    *length = any ? file->found_length - file->matched : 0;
    return *length > 0 ? file->found + file->matched : NULL;
}

/* A stopped match has also written the pairs after a gap. When they stand at the end of the file,
 * they are removed and written again after the pairs that close the gap. */
bool pairfile_go_on(PairFile *file, Error *err) {
    Text rest = {0};
    for (size_t i = 0; i < file->waiting_count; i++)
        text_add(&rest, file->waiting[i].text);
    size_t end = file->found_length;
    bool ok = file->appends || find_end(file, text_string(&rest), rest.length, &end, err);
    if (ok && end < file->found_length)
        ok = appendfile_cut(file->path, file->found_length, end, err);
    else if (ok)
        leave_found(file);
    text_free(&rest);
    forget_found(file);
    return ok;
}

/* ---- Pairs ---- */

static void keep(PairFile *file, int64_t index, const char *const texts[2]) {
    file->waiting = mem_grow(file->waiting, &file->waiting_capacity, file->waiting_count + 1,
                             sizeof *file->waiting);
    size_t at = file->waiting_count++;
    for (; at > 0 && file->waiting[at - 1].index > index; at--)
        file->waiting[at] = file->waiting[at - 1];
    Text text = {0};
    for (int i = 0; i < 2; i++)
        text_add(&text, texts[i] != NULL ? texts[i] : "");
    file->waiting[at] = (WaitingPair){.index = index, .text = text_take(&text)};
}

/* Writes the pairs whose turn has come; with `all`, the pairs after a gap too. After a failure
 * nothing is written: --resume writes the rest. */
static bool write_due(PairFile *file, bool all, Error *err) {
    size_t taken = 0;
    bool ok = true;
    if (file->failed)
        return true;
    while (ok && taken < file->waiting_count && (all || file->waiting[taken].index == file->next)) {
        WaitingPair *w = &file->waiting[taken++];
        ok = w->text == NULL || put(file, w->text, err);
        free(w->text);
        file->next = w->index + 1;
    }
    file->waiting_count -= taken;
    if (taken > 0)
        memmove(file->waiting, file->waiting + taken, file->waiting_count * sizeof *file->waiting);
    file->failed = !ok;
    return ok;
}

bool pairfile_enter(PairFile *file, int64_t index, const char *const texts[2], Error *err) {
    if (file->path == NULL)
        return true;
    keep(file, index, texts);
    return write_due(file, false, err);
}

bool pairfile_close(PairFile *file, Error *err) {
    return write_due(file, true, err);
}

void pairfile_free(PairFile *file) {
    for (size_t i = 0; i < file->waiting_count; i++)
        free(file->waiting[i].text);
    free(file->waiting);
    forget_found(file);
    *file = (PairFile){0};
}
