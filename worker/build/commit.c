/* SPDX-License-Identifier: MIT */
/* Engines from a commit of a git repository, or from its working tree: see build_commit and
 * build_tree in build.h. */
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "build/archive.h"
#include "build/blocking.h"
#include "build/git.h"
#include "build/snapshot.h"
#include "build/buildcache.h"

static const char EXE[] = "engine-under-test";

/* ---- The commit ---- */

/* Checks that the commit or tree has a Makefile in the folder. what: "commit", for the error. */
static bool check_makefile(const GitPlace *place, const char *what, const char *commit,
                           const char *folder, Error *err) {
    static const char *const NAMES[] = {"Makefile", "makefile", "GNUmakefile"};
    enum { COUNT = sizeof NAMES / sizeof *NAMES };
    Text paths[COUNT] = {{0}};
    const char *words[COUNT + 5] = {"ls-tree", "--name-only", commit, "--"};
    for (size_t i = 0; i < COUNT; i++) {
        text_addf(&paths[i], "%s/%s", folder, NAMES[i]);
        words[4 + i] = text_string(&paths[i]);
    }
    char *found = git_ask(place, words, err);
    if (found != NULL && found[0] == '\0')
        error_set(err, "%s %.12s has no %s: --build-path names the folder to run make in", what,
                  commit, text_string(&paths[0]));
    bool ok = found != NULL && found[0] != '\0';
    free(found);
    for (size_t i = 0; i < COUNT; i++)
        text_free(&paths[i]);
    return ok;
}

/* ---- Building ---- */

/* Unpacks the commit's files into a folder of the cache, as `git archive` gives them. */
static bool export_commit(const BuildCache *cache, const GitPlace *place, const char *commit,
                          Error *err) {
    Text zip = {0};
    Text output = {0};
    char name[ARCHIVE_NAME_MAX];
    text_addf(&zip, "%s/source.zip", cache->making);
    text_addf(&output, "--output=%s", text_string(&zip));
    const char *words[] = {
        "archive", "--format=zip", "--prefix=source/", text_string(&output), commit, NULL};
    bool ok = git_run(place, words, NULL, err) &&
              archive_unpack(text_string(&zip), cache->making, NULL, name, err);
    text_free(&zip);
    text_free(&output);
    return ok;
}

static bool make_commit(BuildCache *cache, const GitPlace *place, const char *commit,
                        const BuildOptions *options, Error *err) {
    Text folder = {0};
    Text executable = {0};
    BlockingResult result = {0};
    bool ok = build_cache_open(cache, err) && export_commit(cache, place, commit, err);
    if (ok) {
        text_addf(&folder, "%s/source/%s", cache->making, options->build_path);
        text_addf(&executable, "%s/%s", text_string(&folder), EXE);
        BuildSpec spec = {.dir = text_string(&folder), .exe = EXE, .compiler = cache->compiler};
        ok =
            (build_blocking(&spec, &result) || build_cache_explain(cache, options, &result, err)) &&
            build_cache_take(cache, text_string(&executable), err);
    }
    blocking_free(&result);
    text_free(&folder);
    text_free(&executable);
    return ok;
}

/* Checks that the path is a folder below the repository's top, or the top. */
static bool check_build_path(const char *path, Error *err) {
    bool leaves = path[0] == '/' || strcmp(path, "..") == 0 || text_starts_with(path, "../") ||
                  strstr(path, "/../") != NULL || text_ends_with(path, "/..");
    if (path[0] == '\0' || leaves)
        return error_set(
            err, "--build-path '%s' is not a folder inside a repository (. is its top)", path);
    return true;
}

/* Finds the repository's top folder and the commit's full name, both allocated, and checks that the
 * commit has a Makefile. */
static bool find_commit(const char *ref, const BuildOptions *options, char **top, char **commit,
                        Error *err) {
    *top = check_build_path(options->build_path, err) ? git_top(options->folder, err) : NULL;
    *commit = *top ? git_commit(*top, ref, err) : NULL;
    return *commit &&
           check_makefile(&(GitPlace){.folder = *top}, "commit", *commit, options->build_path, err);
}

bool build_commit_check(const char *ref, const BuildOptions *options, Error *err) {
    char *top;
    char *commit;
    bool ok = find_commit(ref, options, &top, &commit, err);
    free(commit);
    free(top);
    return ok;
}

/* Takes the executable of a commit or a tree from the cache, or builds it. prefix, name: the SPEC,
 * for the log. */
static bool find_or_make(const GitPlace *place, const char *commit, const char *prefix,
                         const char *name, const BuildOptions *options, char path[BUILD_PATH_MAX],
                         Error *err) {
    BuildCache cache = {0};
    char *sources = text_format("commit %s\nfolder %s", commit, options->build_path);
    bool ok = build_cache_find(&cache, options->cache_dir, "git", sources, err);
    if (ok) {
        build_cache_tell(&cache, options->log, options->label, prefix, name);
        ok = build_cache_has(&cache) || make_commit(&cache, place, commit, options, err);
    }
    build_cache_close(&cache, ok ? path : NULL);
    free(sources);
    return ok;
}

bool build_commit(const char *ref, const BuildOptions *options, char path[BUILD_PATH_MAX],
                  Error *err) {
    char *top;
    char *commit;
    bool ok = find_commit(ref, options, &top, &commit, err) &&
              find_or_make(&(GitPlace){.folder = top}, commit, "git:", ref, options, path, err);
    free(commit);
    free(top);
    return ok;
}

/* ---- The working tree ---- */

static bool find_tree(const char *folder, const BuildOptions *options, Snapshot *snapshot,
                      Error *err) {
    return check_build_path(options->build_path, err) &&
           snapshot_take(snapshot, folder[0] != '\0' ? folder : NULL, err) &&
           check_makefile(&snapshot->place, "the tree", snapshot->tree, options->build_path, err);
}

bool build_tree_check(const char *folder, const BuildOptions *options, Error *err) {
    Snapshot snapshot = {0};
    bool ok = find_tree(folder, options, &snapshot, err);
    snapshot_free(&snapshot);
    return ok;
}

bool build_tree(const char *folder, const BuildOptions *options, char path[BUILD_PATH_MAX],
                Error *err) {
    Snapshot snapshot = {0};
    bool ok = find_tree(folder, options, &snapshot, err) &&
              find_or_make(&snapshot.place, snapshot.tree, "tree:", folder, options, path, err);
    snapshot_free(&snapshot);
    return ok;
}
