/* SPDX-License-Identifier: MIT */
#include "base/tree.h"

#include <errno.h>
#include <fts.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { OPEN_FOLDERS = 16 };

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)walk;
    if (kind == FTW_DP || kind == FTW_D)
        return rmdir(path);
    return unlink(path);
}

/* A build may have taken away the right to change one of its own folders. */
static int open_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)walk;
    if (kind == FTW_D || kind == FTW_DNR)
        chmod(path, status->st_mode | S_IRWXU);
    return 0;
}

bool tree_remove(const char *path, Error *err) {
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT || error_set(err, "%s: %s", path, strerror(errno));
    if (nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0)
        return true;
    nftw(path, open_entry, OPEN_FOLDERS, FTW_PHYS);
    if (nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0)
        return true;
    return error_set(err, "%s: cannot be removed: %s", path, strerror(errno));
}

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

bool tree_digest(const char *dir, const char *skip, char out[DIGEST_HEX_MAX], Error *err) {
    char *root = mem_strdup(dir);
    char *roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    Text list = {0};
    bool ok = walk != NULL;
    size_t base = strlen(dir);
    for (FTSENT *entry; ok && (entry = fts_read(walk));) {
        bool hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';
        if (entry->fts_info == FTS_D &&
            (hidden || (entry->fts_level > 0 && strcmp(entry->fts_name, skip) == 0))) {
            fts_set(walk, entry, FTS_SKIP);
            continue;
        }
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
            ok = error_set(err, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
            break;
        }
        if (entry->fts_info != FTS_F || hidden)
            continue;
        char hash[DIGEST_HEX_MAX];
        ok = digest_file(entry->fts_path, hash, err);
        text_addf(&list, "%s %s\n", hash, entry->fts_path + base);
    }
    if (!walk)
        error_set(err, "%s: %s", dir, strerror(errno));
    else
        fts_close(walk);
    if (ok && list.length == 0)
        ok = error_set(err, "%s: there are no files in it", dir);
    ok = ok && digest_bytes(text_string(&list), list.length, out, err);
    text_free(&list);
    free(root);
    return ok;
}
