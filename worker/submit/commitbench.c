/* SPDX-License-Identifier: MIT */
#include "submit/commitbench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/blocking.h"
#include "build/git.h"
#include "openbench/engineconfig.h"
#include "submit/form.h"
#include "submit/scratch.h"

enum { BENCH_COPIES = 2, SHORT_NAME = 12 };

bool binary_bench(const char *path, const char *scratch, int64_t *bench, Error *err) {
    BlockingResult result = {0};
    BenchSpec spec = {.binary = path, .dir = scratch, .copies = BENCH_COPIES};
    bool ok = bench_blocking(&spec, bench, &result);
    if (!ok)
        *err = result.error;
    blocking_free(&result);
    return ok;
}

bool commit_bench(const char *commit, const BuildOptions *options, const char *scratch,
                  int64_t *bench, Error *err) {
    char path[BUILD_PATH_MAX];
    return build_commit(commit, options, path, err) && binary_bench(path, scratch, bench, err);
}

/* ---- Existing branches ---- */

/* Finds the commit of a branch: the remote's branch as fetched last, else the local branch, else
 * the tag or commit of this name. Allocated; NULL: the repository knows no such name. */
static char *find_commit(const char *top, const char *remote, const char *branch) {
    Text ref = {0};
    text_addf(&ref, "refs/remotes/%s/%s", remote, branch);
    char *commit = git_commit(top, text_string(&ref), NULL);
    text_clear(&ref);
    text_addf(&ref, "refs/heads/%s", branch);
    if (!commit)
        commit = git_commit(top, text_string(&ref), NULL);
    text_free(&ref);
    return commit ? commit : git_commit(top, branch, NULL);
}

/* Does the commit's message contain a bench? */
static bool has_bench(const char *top, const char *commit) {
    const char *const words[] = {"log", "-1", "--format=%B", commit, NULL};
    Text message = {0};
    bool has = git_run(&(GitPlace){.folder = top}, words, &message, NULL) &&
               git_message_bench(text_string(&message)) > 0;
    text_free(&message);
    return has;
}

/* Builds the commit and runs its bench. branch: for messages. */
static bool bench_branch(const char *branch, const char *commit, const BuildOptions *options,
                         int64_t *bench, Log *log, Error *err) {
    log_info(log, "%s (%.*s): its commit says no bench: building", branch, SHORT_NAME, commit);
    Scratch scratch;
    bool ok =
        scratch_open(&scratch, err) && commit_bench(commit, options, scratch.path, bench, err);
    scratch_close(&scratch);
    return ok || error_prefix(err, "%s: its commit says no bench, and here", branch);
}

static void set_number(TestForm *form, const char *field, int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    testform_set(form, field, text);
}

/* Is this a repository that the server keeps, by its address there or by its bare name? */
static bool is_kept(const char *repository) {
    return strstr(repository, "/repo/") || !strchr(repository, '/');
}

/* Does the form name another repository than the remote's? A kept repository has another address
 * for pushes, which ends in the same name. */
static bool is_elsewhere(const TestForm *form, const char *field, const char *remote) {
    char *address = git_web(NULL, remote, true);
    const char *said = testform_get(form, field);
    bool elsewhere = address && said && !repository_is_same(address, said) &&
                     !(is_kept(said) && repository_is_namesake(address, said));
    free(address);
    return elsewhere;
}

static const struct {
    const char *branch, *bench, *repo, *network;
} sides[] = {{"dev_branch", "dev_bench", "dev_repo", "dev_network"},
             {"base_branch", "base_bench", "base_repo", "base_network"}};

bool form_check_networks(const TestForm *form, Error *err) {
    for (size_t i = 0; i < COUNT(sides); i++)
        if (form_says(form, sides[i].network))
            return error_set(err,
                             "%s: a branch made here is benched without a network: push the branch "
                             "with its Bench line, and submit it with --branch alone",
                             sides[i].network);
    return true;
}

bool form_bench_branches(TestForm *form, const char *remote, const char *build_path, Log *log,
                         Error *err) {
    char *top = git_top(NULL, NULL);
    char *benched = NULL; /* The commit with the bench `bench`; NULL: none yet. */
    int64_t bench = 0;
    BuildOptions options = {.build_path = build_path, .folder = top};
    bool ok = true;
    for (size_t i = 0; top && ok && i < COUNT(sides); i++) {
        const char *branch = testform_get(form, sides[i].branch);
        if (!branch || form_says(form, sides[i].bench) || is_elsewhere(form, sides[i].repo, remote))
            continue;
        char *commit = find_commit(top, remote, branch);
        if (!commit || has_bench(top, commit)) {
            free(commit);
            continue;
        }
        if (form_says(form, sides[i].network))
            ok = error_set(err,
                           "%s: its commit says no bench, and a bench with the network %s is not "
                           "made here: put a Bench line into the commit, or %s into --from",
                           branch, testform_get(form, sides[i].network), sides[i].bench);
        /* When both sides are at one commit, the bench runs once. */
        else if (!benched || strcmp(commit, benched) != 0)
            ok = bench_branch(branch, commit, &options, &bench, log, err);
        if (ok)
            set_number(form, sides[i].bench, bench);
        free(benched);
        benched = commit;
    }
    free(benched);
    free(top);
    return ok;
}
