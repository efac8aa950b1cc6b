/* SPDX-License-Identifier: MIT */
#include "local/spec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/program.h"
#include "build/git.h"
#include "build/owntree.h"
#include "build/snapshot.h"

/* ---- Sources ---- */

/* A kind of sources. rest: the SPEC behind the prefix. */
typedef struct {
    const char *prefix;
    bool in_build_path; /* The sources are built in the folder of --build-path. */
    bool (*check)(const char *rest, const BuildOptions *how, Error *err);
    bool (*build)(const char *rest, const BuildOptions *how, char *path, Error *err);
    bool (*origin)(const char *rest, SpecCommit *out, Error *err);
} SourceKind;

static bool origin_of_variant(const char *flags, SpecCommit *out, Error *err);
static bool origin_of_commit(const char *ref, SpecCommit *out, Error *err);
static bool origin_of_tree(const char *folder, SpecCommit *out, Error *err);

static const SourceKind KINDS[] = {
    {"lmr:", false, build_variant_check, build_variant, origin_of_variant},
    {"git:", true, build_commit_check, build_commit, origin_of_commit},
    {"tree:", true, build_tree_check, build_tree, origin_of_tree}};

/* NULL: the SPEC names a program. */
static const SourceKind *kind_of(const char *spec) {
    for (size_t i = 0; i < COUNT(KINDS); i++)
        if (text_starts_with(spec, KINDS[i].prefix))
            return &KINDS[i];
    return NULL;
}

/* ---- Programs ---- */

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* A program in the current folder needs no "./". */
static bool find_program(const char *name, char path[PROGRAM_PATH_MAX], Error *err) {
    char *here = text_format("./%s", name);
    bool is_here = strchr(name, '/') == NULL && is_program(here);
    bool found = program_find(is_here ? here : name, path, err);
    free(here);
    return found;
}

/* Does the repository of this folder have a commit of this name? */
static bool is_commit(const char *name) {
    char *top = git_top(NULL, NULL);
    char *commit = top != NULL ? git_commit(top, name, NULL) : NULL;
    bool found = commit != NULL;
    free(commit);
    free(top);
    return found;
}

/* A SPEC that is a program's path as a whole may have blanks. */
static bool check_program(const char *spec, Words *argv, Error *err) {
    char path[PROGRAM_PATH_MAX];
    if (strpbrk(spec, " \t") != NULL && is_program(spec))
        words_add(argv, spec);
    else if (!words_split(argv, spec, err))
        return false;
    if (argv->count == 0)
        return error_set(err, "no program is named");
    bool found = find_program(argv->items[0], path, err);
    if (!found && strncasecmp(argv->items[0], "lmr", strlen("lmr")) == 0)
        return error_set(err,
                         "%s is no program; this project's engine is lmr: or lmr:ROW=VALUE,... in "
                         "small letters",
                         spec);
    if (!found && strchr(spec, '=') != NULL && strpbrk(spec, " \t/") == NULL)
        return error_set(err, "%s is no program; a row of this project's engine is lmr:%s", spec,
                         spec);
    if (!found && is_commit(spec)) {
        Error cause = *err;
        return error_set(err, "%s (a commit is named git:%s)", cause.text, spec);
    }
    if (!found)
        return false;
    free(argv->items[0]);
    argv->items[0] = mem_strdup(path);
    return true;
}

/* ---- Any SPEC ---- */

/* What follows from a run of git that was interrupted is void. */
static bool unless_interrupted(bool ok, Error *err) {
    return git_interrupted() ? error_set(err, "interrupted") : ok;
}

bool spec_is_source(const char *spec) {
    return kind_of(spec) != NULL;
}

bool spec_has_build_path(const char *spec) {
    const SourceKind *kind = spec != NULL ? kind_of(spec) : NULL;
    return kind != NULL && kind->in_build_path;
}

bool spec_check_build_path(const char *build_path, bool useful, Error *err) {
    bool given = strcmp(build_path, SPEC_BUILD_PATH) != 0;
    const OptionUse use = {"build-path", given, useful,
                           "is for engines of git: or tree:; a SPEC without a prefix is a program"};
    return options_check_uses(&use, 1, err);
}

bool spec_check(const char *spec, const BuildOptions *how, Words *argv, Error *err) {
    const SourceKind *kind = kind_of(spec);
    if (kind == NULL)
        return check_program(spec, argv, err);
    return unless_interrupted(kind->check(spec + strlen(kind->prefix), how, err), err);
}

bool spec_build(const char *spec, const BuildOptions *how, Words *argv, Error *err) {
    const SourceKind *kind = kind_of(spec);
    char path[BUILD_PATH_MAX];
    if (!unless_interrupted(kind->build(spec + strlen(kind->prefix), how, path, err), err))
        return false;
    words_add(argv, path);
    return true;
}

/* ---- Origins of sources ---- */

static bool origin_of_commit(const char *ref, SpecCommit *out, Error *err) {
    out->repository = git_top(NULL, err);
    if (out->repository != NULL)
        out->commit = git_commit(out->repository, ref, err);
    return out->commit != NULL;
}

static bool origin_of_tree(const char *folder, SpecCommit *out, Error *err) {
    Snapshot snapshot = {0};
    bool ok = snapshot_take(&snapshot, folder[0] != '\0' ? folder : NULL, err);
    if (ok) {
        out->repository = mem_strdup(snapshot.top);
        out->commit = mem_strdup(snapshot.commit);
        out->changes = mem_strdup(snapshot.changes);
    }
    snapshot_free(&snapshot);
    return ok;
}

/* Sources outside any repository, or where git fails, have only a folder. */
static bool origin_of_variant(const char *flags, SpecCommit *out, Error *err) {
    (void)flags;
    out->repository = owntree_engine(err);
    if (out->repository == NULL)
        return false;
    char *top = git_top(out->repository, NULL);
    out->commit = top != NULL ? git_commit(top, "HEAD", NULL) : NULL;
    out->changes = out->commit != NULL ? snapshot_changes(out->repository) : NULL;
    free(top);
    return true;
}

bool spec_commit(const char *spec, SpecCommit *out, Error *err) {
    *out = (SpecCommit){0};
    const SourceKind *kind = kind_of(spec);
    if (kind == NULL)
        return true;
    if (!unless_interrupted(kind->origin(spec + strlen(kind->prefix), out, err), err))
        return false;
    if (out->commit == NULL)
        return true;
    const char *const words[] = {"log", "-1", "--format=%s", out->commit, NULL};
    out->subject = git_ask(&(GitPlace){.folder = out->repository}, words, err);
    char *web = git_web(out->repository, "origin", false);
    if (web != NULL && git_is_public(web))
        out->web = web;
    else
        free(web);
    return unless_interrupted(out->subject != NULL, err);
}

void spec_commit_free(SpecCommit *commit) {
    free(commit->repository);
    free(commit->commit);
    free(commit->subject);
    free(commit->changes);
    free(commit->web);
    *commit = (SpecCommit){0};
}
