/* SPDX-License-Identifier: MIT */
#include "build/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/tree.h"

/* Makes the folder of the snapshot's objects and index. */
static bool make_folder(Snapshot *s, Error *err) {
    enum { MODE_PRIVATE_FOLDER = 0700 };
    Text objects = {0};
    s->folder = text_format("%s/obworker-tree-XXXXXX", file_temporary_folder());
    if (mkdtemp(s->folder) == NULL) {
        error_set(err, "%s: %s", s->folder, strerror(errno));
        free(s->folder);
        s->folder = NULL;
        return false;
    }
    text_addf(&objects, "%s/objects", s->folder);
    bool ok = mkdir(text_string(&objects), MODE_PRIVATE_FOLDER) == 0 ||
              error_set(err, "%s: %s", text_string(&objects), strerror(errno));
    text_free(&objects);
    return ok;
}

static void add_variable(Words *env, const char *name, const char *folder, const char *rest) {
    words_addf(env, "%s=%s%s", name, folder, rest);
}

/* Adds a path to a list that git splits at colons: quoted as in C where git would split the path or
 * take it for a quoted one. */
static void add_listed(Text *list, const char *path) {
    if (strchr(path, ':') == NULL && path[0] != '"') {
        text_add(list, path);
        return;
    }
    text_add_char(list, '"');
    for (; *path; path++) {
        if (*path == '"' || *path == '\\')
            text_add_char(list, '\\');
        text_add_char(list, *path);
    }
    text_add_char(list, '"');
}

/* Sets git's environment: new objects go to the snapshot's folder, and the repository's objects are
 * only read. */
static bool choose_place(Snapshot *s, Error *err) {
    static const char *const WORDS[] = {"rev-parse", "--git-path", "objects", NULL};
    char *objects = git_ask(&(GitPlace){.folder = s->top}, WORDS, err);
    if (objects == NULL)
        return false;
    char *alternate = text_format("%s%s%s", objects[0] == '/' ? "" : s->top,
                                  objects[0] == '/' ? "" : "/", objects);
    add_variable(&s->env, "GIT_INDEX_FILE", s->folder, "/index");
    add_variable(&s->env, "GIT_OBJECT_DIRECTORY", s->folder, "/objects");
    Text list = {0};
    add_listed(&list, alternate);
    add_variable(&s->env, "GIT_ALTERNATE_OBJECT_DIRECTORIES", text_string(&list), "");
    text_free(&list);
    words_terminate(&s->env);
    s->place = (GitPlace){.folder = s->top, .env = (const char *const *)s->env.items};
    free(alternate);
    free(objects);
    return true;
}

/* The digest of the differences that git lists when it is run with these words, the first of which
 * is its command; *out stays NULL when there are none. The list may be longer than what git_run
 * keeps: git writes it to a file of `folder`. */
static bool digest_differences(const GitPlace *place, const char *folder, const char *const *words,
                               char **out, Error *err) {
    char digest[DIGEST_HEX_MAX];
    struct stat info;
    Words all = {0};
    char *path = text_format("%s/differences", folder);
    words_add(&all, words[0]);
    words_addf(&all, "--output=%s", path);
    for (size_t i = 1; words[i]; i++)
        words_add(&all, words[i]);
    words_terminate(&all);
    bool ok = git_run(place, (const char *const *)all.items, NULL, err);
    ok = ok && (stat(path, &info) == 0 || error_set(err, "%s: %s", path, strerror(errno)));
    if (ok && info.st_size > 0) {
        ok = digest_file(path, digest, err);
        *out = ok ? mem_strdup(digest) : NULL;
    }
    words_free(&all);
    free(path);
    return ok;
}

bool snapshot_take(Snapshot *s, const char *path, Error *err) {
    static const char *const READ[] = {"read-tree", "HEAD", NULL};
    static const char *const ADD[] = {"add", "--all", NULL};
    static const char *const WRITE[] = {"write-tree", NULL};
    s->top = git_top(path, err);
    s->commit = s->top != NULL ? git_commit(s->top, "HEAD", err) : NULL;
    if (s->commit == NULL || !make_folder(s, err) || !choose_place(s, err) ||
        !git_run(&s->place, READ, NULL, err) || !git_run(&s->place, ADD, NULL, err))
        return false;
    s->tree = git_ask(&s->place, WRITE, err);
    if (s->tree == NULL)
        return false;
    const char *const difference[] = {"diff-tree", "-r", "--full-index", "HEAD", s->tree, NULL};
    return digest_differences(&s->place, s->folder, difference, &s->changes, err);
}

void snapshot_free(Snapshot *s) {
    if (s->folder != NULL)
        tree_remove(s->folder, NULL);
    free(s->folder);
    free(s->top);
    free(s->commit);
    free(s->tree);
    free(s->changes);
    words_free(&s->env);
    *s = (Snapshot){0};
}

char *snapshot_changes(const char *folder) {
    static const char *const WORDS[] = {
        "diff", "--full-index", "--no-ext-diff", "--no-textconv", "HEAD", "--", ".", NULL};
    Snapshot s = {0};
    char *changes = NULL;
    if (make_folder(&s, NULL))
        digest_differences(&(GitPlace){.folder = folder}, s.folder, WORDS, &changes, NULL);
    snapshot_free(&s);
    return changes;
}
