/* SPDX-License-Identifier: MIT */
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { ALL_RIGHTS = 07777 };

/* ---- Removing ---- */

/* The identity of a folder, which does not depend on its name. */
typedef struct {
    dev_t device;
    ino_t inode;
} FolderId;

typedef struct {
    FolderId *items;
    size_t count;
    size_t capacity;
} FolderIds;

/* The removal of one tree. Only one folder is open at a time, so that deep trees exhaust neither
 * descriptors, the stack nor the length of a path. */
typedef struct {
    DIR *folder;     /* The open folder. */
    FolderIds above; /* The folders from the tree's top down to the one above the open folder. */
    FolderIds stuck; /* Folders that cannot be emptied. */
    char first[NAME_MAX + 1]; /* The first entry left in place, ... */
    int cause;                /* ... and its errno; 0: there is none. */
} Removal;

/* The contents of a folder after the removal of every entry removable at once. */
typedef enum { FOLDER_EMPTY, FOLDER_STUCK, FOLDER_HAS_SUBFOLDER } FolderState;

static void add_folder(FolderIds *ids, FolderId id) {
    MEM_ADD(ids->items, ids->count, ids->capacity, id);
}

static FolderId folder_id(const struct stat *status) {
    return (FolderId){status->st_dev, status->st_ino};
}

static bool is_same_folder(FolderId a, FolderId b) {
    return a.device == b.device && a.inode == b.inode;
}

static bool has_folder(const FolderIds *ids, FolderId id) {
    for (size_t i = 0; i < ids->count; i++)
        if (is_same_folder(ids->items[i], id))
            return true;
    return false;
}

static void note_failure(Removal *r, const char *name, int cause) {
    if (r->cause != 0)
        return;
    r->cause = cause;
    snprintf(r->first, sizeof r->first, "%s", name);
}

/* Opens the folder `name` of the folder `parent` without following a link. The owner first gets
 * back rights to the folder that a build may have taken away. -1 with errno set on failure. */
static int open_folder(int parent, const char *name) {
    struct stat status;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if ((status.st_mode & S_IRWXU) != S_IRWXU)
        fchmodat(parent, name, (status.st_mode & ALL_RIGHTS) | S_IRWXU, AT_SYMLINK_NOFOLLOW);
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Makes `descriptor` the open folder and closes the old one. False with errno set: the old folder
 * stays open. */
static bool change_folder(Removal *r, int descriptor) {
    DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (folder == NULL) {
        int cause = errno;
        if (descriptor >= 0)
            close(descriptor);
        errno = cause;
        return false;
    }
    if (r->folder != NULL)
        closedir(r->folder);
    r->folder = folder;
    return true;
}

/* Goes down into the subfolder `name`. False: the subfolder cannot be opened, and is noted as
 * stuck. */
static bool enter_subfolder(Removal *r, const char *name) {
    struct stat here;
    struct stat subfolder;
    int parent = dirfd(r->folder);
    if (fstat(parent, &here) == 0 && change_folder(r, open_folder(parent, name))) {
        add_folder(&r->above, folder_id(&here));
        return true;
    }
    note_failure(r, name, errno);
    if (fstatat(parent, name, &subfolder, AT_SYMLINK_NOFOLLOW) == 0)
        add_folder(&r->stuck, folder_id(&subfolder));
    return false;
}

/* Goes up to the folder above. False: the open folder was moved, and ".." may lead out of the
 * tree. */
static bool leave_subfolder(Removal *r) {
    struct stat above;
    int parent = openat(dirfd(r->folder), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    FolderId expected = r->above.items[--r->above.count];
    if (parent >= 0 &&
        (fstat(parent, &above) != 0 || !is_same_folder(folder_id(&above), expected))) {
        close(parent);
        parent = -1;
        errno = ESTALE;
    }
    if (change_folder(r, parent))
        return true;
    note_failure(r, "..", errno);
    return false;
}

/* Removes files, links and empty folders of the open folder. Writes to `subfolder` the name of the
 * first folder in it that has to be emptied first. */
static FolderState empty_folder(Removal *r, char subfolder[NAME_MAX + 1]) {
    FolderState state = FOLDER_EMPTY;
    int here = dirfd(r->folder);
    rewinddir(r->folder);
    for (const struct dirent *entry; (entry = readdir(r->folder)) != NULL;) {
        const char *name = entry->d_name;
        struct stat status;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            fstatat(here, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bool is_folder = S_ISDIR(status.st_mode);
        if (unlinkat(here, name, is_folder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT)
            continue;
        bool full = is_folder && (errno == ENOTEMPTY || errno == EEXIST);
        if (full && !has_folder(&r->stuck, folder_id(&status))) {
            snprintf(subfolder, NAME_MAX + 1, "%s", name);
            return FOLDER_HAS_SUBFOLDER;
        }
        note_failure(r, name, errno);
        state = FOLDER_STUCK;
    }
    return state;
}

/* Empties the tree whose top is the open folder. A folder is read again from its start after each
 * of its subfolders, and the emptied subfolder is then removed. */
static void empty_tree(Removal *r) {
    for (;;) {
        char subfolder[NAME_MAX + 1];
        struct stat here;
        FolderState state = empty_folder(r, subfolder);
        if (state == FOLDER_HAS_SUBFOLDER) {
            enter_subfolder(r, subfolder);
            continue;
        }
        if (state == FOLDER_STUCK && fstat(dirfd(r->folder), &here) == 0)
            add_folder(&r->stuck, folder_id(&here));
        if (r->above.count == 0 || !leave_subfolder(r))
            return;
    }
}

bool tree_remove(const char *path, Error *err) {
    struct stat status;
    Removal r = {0};
    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    int cause = errno;
    if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return error_set(err, "%s: cannot be removed: %s", path, strerror(cause));
    if (change_folder(&r, open_folder(AT_FDCWD, path)))
        empty_tree(&r);
    bool removed = rmdir(path) == 0;
    if (!removed && r.cause != 0)
        error_set(err, "%s: cannot be removed: %s in it: %s", path, r.first, strerror(r.cause));
    else if (!removed)
        error_set(err, "%s: cannot be removed: %s", path, strerror(errno));
    if (r.folder != NULL)
        closedir(r.folder);
    free(r.above.items);
    free(r.stuck.items);
    return removed;
}

/* ---- Making room ---- */

/* Moves `path` into a new folder of `aside`. Writes the new folder's path to `place`. */
static bool move_aside(const char *path, const char *aside, char place[PATH_MAX], Error *err) {
    if (!file_make_folders(aside, err))
        return false;
    if (snprintf(place, PATH_MAX, "%s/XXXXXX", aside) >= PATH_MAX)
        return error_set(err, "%s: the path is too long", aside);
    if (mkdtemp(place) == NULL)
        return error_set(err, "%s: no folder can be made in it: %s", aside, strerror(errno));
    char *target = text_format("%s/%s", place, file_name_of(path));
    bool moved = rename(path, target) == 0 ||
                 error_set(err, "%s: cannot be moved to %s: %s", path, place, strerror(errno));
    if (!moved)
        rmdir(place);
    free(target);
    return moved;
}

bool tree_make_room(const char *path, const char *aside, Error *notice, Error *err) {
    char place[PATH_MAX];
    Error cause = {0};
    *notice = (Error){0};
    if (tree_remove(path, &cause))
        return true;
    if (!move_aside(path, aside, place, err))
        return error_prefix(err, "%s", cause.text);
    error_set(notice, "%s; the rest of it was moved to %s", cause.text, place);
    return true;
}

/* ---- Digests ---- */

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool matches_any(const char *name, const char *const *patterns) {
    while (*patterns != NULL && fnmatch(*patterns, name, 0) != 0)
        patterns++;
    return *patterns != NULL;
}

bool tree_digest(const char *dir, const char *const *skip, char out[DIGEST_HEX_MAX], Error *err) {
    char *root = mem_strdup(dir);
    char *roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    Text list = {0};
    bool ok = walk != NULL;
    size_t base = strlen(dir);
    for (FTSENT *entry; ok && (entry = fts_read(walk));) {
        if (entry->fts_level > 0 && matches_any(entry->fts_name, skip)) {
            if (entry->fts_info == FTS_D)
                fts_set(walk, entry, FTS_SKIP);
            continue;
        }
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
            ok = error_set(err, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
            break;
        }
        if (entry->fts_info != FTS_F)
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
        ok = error_set(err, "%s: has no files", dir);
    ok = ok && digest_bytes(text_string(&list), list.length, out, err);
    text_free(&list);
    free(root);
    return ok;
}
