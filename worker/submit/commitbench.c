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

static const struct {
    const char *branch, *bench, *repo, *network;
} sides[] = {{"dev_branch", "dev_bench", "dev_repo", "dev_network"},
             {"base_branch", "base_bench", "base_repo", "base_network"}};

/* Is this a repository that the server keeps, by its address there or by its bare name? A server
 * that is not asked, whose base_url is NULL, may be at any address. */
static bool is_kept(const char *repository, const char *base_url) {
    const char *path =
        base_url ? repository_path(repository, base_url) : strstr(repository, "/repo/");
    return text_starts_with(path ? path : repository, "/repo/") || !strchr(repository, '/');
}

/* How like the form's repository a remote is. UNKNOWN: its address, such as a folder, does not
 * tell. */
typedef enum { UNLIKE, UNKNOWN, NAMESAKE, SAME } Likeness;

/* Compares a remote's address with the form's repository. A repository NAME that the server keeps
 * takes pushes as the folder repositories/NAME.git; its upstream often has the same name. */
static Likeness compare(const char *url, const char *repository, const char *base_url) {
    char *address = git_web_address(url);
    bool same = address && repository_is_same(address, repository);
    bool namesake = is_kept(repository, base_url) && repository_is_namesake(url, repository);
    Likeness likeness = namesake ? NAMESAKE : address ? UNLIKE : UNKNOWN;
    free(address);
    return same || (namesake && strstr(url, "repositories/")) ? SAME : likeness;
}

/* The remote that is most like the form's repository; `usual` before its equals. Only `usual` may
 * be UNKNOWN. Allocated; NULL: none is like it. */
static char *find_remote(const char *top, const char *usual, const char *repository,
                         const char *base_url) {
    Words remotes = {0};
    Likeness likeness = UNLIKE;
    char *found = NULL;
    words_add(&remotes, usual);
    git_remotes(top, &remotes);
    for (size_t i = 0; i < remotes.count; i++) {
        char *url = git_push_address(top, remotes.items[i], NULL);
        Likeness own = url ? compare(url, repository, base_url) : UNLIKE;
        if (own > likeness && (i == 0 || own > UNKNOWN)) {
            likeness = own;
            free(found);
            found = mem_strdup(remotes.items[i]);
        }
        free(url);
    }
    words_free(&remotes);
    return found;
}

/* The commit that a branch or tag has at the remote now. A remote that does not answer is told of,
 * and its branch as fetched last is taken. Allocated; NULL: the commit is not known. *answered: the
 * remote told what it has. */
static char *ask_remote(const char *top, const char *remote, const char *branch, bool *answered,
                        Log *log) {
    char *refs[] = {text_format("refs/heads/%s", branch), text_format("refs/tags/%s^{}", branch),
                    text_format("refs/tags/%s", branch)};
    Text list = {0};
    Error err = {0};
    char *commit = NULL;
    char *address = git_push_address(top, remote, &err);
    const char *const ask[] = {"ls-remote", "--", address, refs[0], refs[1], refs[2], NULL};
    *answered = address && git_run(&(GitPlace){.folder = top}, ask, &list, &err);
    if (!*answered && !git_interrupted()) {
        char *fetched = text_format("refs/remotes/%s/%s", remote, branch);
        commit = git_commit(top, fetched, NULL);
        log_warn(log, "%s: %s does not tell its commit (%s): this takes the one %s", branch, remote,
                 err.text, commit ? "fetched last" : "that is here");
        free(fetched);
    }
    for (size_t i = 0; i < COUNT(refs); i++) {
        commit = commit ? commit : git_listed(text_string(&list), refs[i]);
        free(refs[i]);
    }
    free(address);
    text_free(&list);
    return commit;
}

/* Finds here what the remote does not have: the digits of a commit, or a tag. A branch would be
 * refused by the server, but a remote that has not answered may have it. Allocated; NULL, which is
 * told: there is none. remote: NULL: none is known. answered: the remote told what it has. */
static char *find_here(const char *top, const char *remote, const char *branch, bool answered,
                       Log *log) {
    Error cause = {0};
    char *ref = text_format("refs/heads/%s", branch);
    char *head = answered ? git_commit(top, ref, NULL) : NULL;
    char *commit = head ? NULL : git_commit(top, branch, &cause);
    if (head)
        log_warn(log,
                 "%s: is here, but not at %s: push it first (git push %s %s): its bench is left to "
                 "the server",
                 branch, remote, remote, branch);
    else if (!commit && answered)
        log_warn(log, "%s: %s; %s has none either: its bench is left to the server", branch,
                 cause.text, remote);
    else if (!commit)
        log_warn(log, "%s: %s: its bench is left to the server", branch, cause.text);
    free(head);
    free(ref);
    return commit;
}

/* Warns where the branch here has commits that the remote's, at the commit `there`, lacks. */
static void warn_of_unpushed(const char *top, const char *remote, const char *branch,
                             const char *there, Log *log) {
    char *ref = text_format("refs/heads/%s", branch);
    char *here = git_commit(top, ref, NULL);
    const char *const is_behind[] = {"merge-base", "--is-ancestor", here, there, NULL};
    if (here && !git_run(&(GitPlace){.folder = top}, is_behind, NULL, NULL) && !git_interrupted())
        log_warn(log,
                 "%s: %s has %.*s, which is tested; here it is %.*s, with commits that %s lacks: "
                 "push it first (git push %s %s)",
                 branch, remote, SHORT_NAME, there, SHORT_NAME, here, remote, remote, branch);
    free(here);
    free(ref);
}

/* Finds the commit that the server will test as a side's branch: the one that the form's repository
 * has, whose remote is written to *remote, allocated. A name that the remote lacks is looked for
 * here, and *remote is NULL; so is every name of a form without a repository, as a dry run's may
 * be. Allocated; NULL: the commit is not known, or not here, which is told. */
static char *find_commit(const char *top, const char *usual, const char *base_url,
                         const TestForm *form, size_t side, char **remote, Log *log) {
    const char *branch = testform_get(form, sides[side].branch);
    const char *repository = testform_text(form, sides[side].repo);
    bool answered;
    *remote = find_remote(top, usual, repository, base_url);
    if (git_interrupted())
        return NULL;
    if (!*remote && repository[0] == '\0')
        return find_here(top, NULL, branch, false, log);
    if (!*remote) {
        log_info(log, "%s: no remote here is %s: its bench is left to the server", branch,
                 repository);
        return NULL;
    }
    char *commit = ask_remote(top, *remote, branch, &answered, log);
    if (git_interrupted())
        return commit;
    if (!commit) {
        commit = find_here(top, *remote, branch, answered, log);
        free(*remote);
        *remote = NULL;
        return commit;
    }
    char *here = git_commit(top, commit, NULL);
    if (!here)
        log_warn(log,
                 "%s of %s (%.*s): this commit is not here (git fetch %s): its bench is left to "
                 "the server",
                 branch, *remote, SHORT_NAME, commit, *remote);
    else
        warn_of_unpushed(top, *remote, branch, here, log);
    free(commit);
    return here;
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

/* Builds the commit and runs its bench. branch, remote (NULL: none): for messages. */
static bool bench_branch(const char *branch, const char *remote, const char *commit,
                         const BuildOptions *options, int64_t *bench, Log *log, Error *err) {
    log_info(log, "%s%s%s (%.*s): its commit says no bench: building", branch, remote ? " of " : "",
             remote ? remote : "", SHORT_NAME, commit);
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

bool form_check_networks(const TestForm *form, Error *err) {
    for (size_t i = 0; i < COUNT(sides); i++)
        if (form_says(form, sides[i].network))
            return error_set(err,
                             "%s: a branch made here is benched without a network: push the branch "
                             "with its Bench line, and submit it with --branch alone",
                             sides[i].network);
    return true;
}

bool form_bench_branches(TestForm *form, const char *remote, const char *base_url,
                         const char *build_path, Log *log, Error *err) {
    char *top = git_top(NULL, NULL);
    char *benched = NULL; /* The commit with the bench `bench`; NULL: none yet. */
    int64_t bench = 0;
    BuildOptions options = {.build_path = build_path, .folder = top};
    bool ok = true;
    for (size_t i = 0; top && ok && i < COUNT(sides); i++) {
        const char *branch = testform_get(form, sides[i].branch);
        if (!branch || form_says(form, sides[i].bench))
            continue;
        char *from;
        char *commit = find_commit(top, remote, base_url, form, i, &from, log);
        /* Servers know a commit by all of its digits alone. */
        if (commit && !from && text_starts_with(commit, branch)) {
            testform_set(form, sides[i].branch, commit);
            branch = testform_get(form, sides[i].branch);
        }
        bool left = !commit || has_bench(top, commit);
        if (git_interrupted())
            ok = error_set(err, "interrupted");
        if (left || !ok) {
            free(commit);
            free(from);
            continue;
        }
        if (form_says(form, sides[i].network))
            ok = error_set(err,
                           "%s: its commit says no bench, and a bench with the network %s is not "
                           "made here: put a Bench line into the commit, or %s into --from",
                           branch, testform_get(form, sides[i].network), sides[i].bench);
        /* When both sides are at one commit, the bench runs once. */
        else if (!benched || strcmp(commit, benched) != 0)
            ok = bench_branch(branch, from, commit, &options, &bench, log, err);
        if (ok)
            set_number(form, sides[i].bench, bench);
        free(from);
        free(benched);
        benched = commit;
    }
    free(benched);
    free(top);
    return ok;
}
