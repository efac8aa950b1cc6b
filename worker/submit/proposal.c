/* SPDX-License-Identifier: MIT */
#include "submit/proposal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/tree.h"
#include "build/build.h"
#include "build/errand.h"
#include "build/git.h"
#include "openbench/engineconfig.h"

enum { TABLE_LIMIT = 1 << 20, SHORT_NAME = 12, SUBJECT_MOST = 72, BENCH_COPIES = 2 };

/* The tables of rows in the engine's folder: the reductions' flags, and the search's own numbers,
 * which older engines do not have. */
static const char *const TABLES[] = {"lmr/flags.def", "search/params.def"};
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

/* ---- Pure parts ---- */

int64_t message_bench(const char *message) {
    static const char word[] = "bench:";
    int64_t bench = 0;
    for (const char *at = message; *at; at++) {
        if (strncasecmp(at, word, sizeof word - 1) != 0)
            continue;
        const char *number = at + sizeof word - 1;
        while (isblank((unsigned char)*number))
            number++;
        if (isdigit((unsigned char)*number))
            bench = strtoll(number, NULL, 10);
    }
    return bench;
}

char *repository_address(const char *remote) {
    Text out = {0};
    const char *scheme_end = strstr(remote, "://");
    const char *rest = scheme_end ? scheme_end + 3 : remote;
    bool web = text_starts_with(remote, "http://") || text_starts_with(remote, "https://");
    bool ssh = text_starts_with(remote, "ssh://") ||
               (!scheme_end && strchr(remote, ':') && strcspn(remote, ":") < strcspn(remote, "/"));
    if (!web && !ssh)
        return NULL;
    const char *at = memchr(rest, '@', strcspn(rest, "/"));
    rest = at ? at + 1 : rest;
    size_t host = strcspn(rest, web ? "/" : ":/");
    text_addf(&out, "%s%.*s", text_starts_with(remote, "http://") ? "http://" : "https://",
              (int)host, rest);
    rest += host;
    if (!web && scheme_end && *rest == ':') /* ssh's port is not the web's */
        rest += strcspn(rest, "/");
    rest += *rest == ':' || *rest == '/';
    text_addf(&out, "/%s", rest);
    out.data[repository_length(out.data)] = '\0';
    return text_take(&out);
}

/* "lmr-killer-ignore", "lmr-w_pv-minus512-div-150": letters that need no escape in an address. */
static char *name_branch(const FlagChange *changes, size_t count) {
    Text name = {0};
    text_add(&name, "lmr");
    for (size_t i = 0; i < count; i++) {
        text_addf(&name, "-%s-", changes[i].row);
        const char *value = changes[i].after;
        if (*value == '-')
            text_add(&name, "minus");
        for (value += *value == '-'; *value; value++)
            text_add_char(&name, isalnum((unsigned char)*value) || *value == '_' ? *value : '-');
    }
    for (char *c = name.data; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return text_take(&name);
}

static void write_message(const Desk *desk, Proposal *p) {
    Text subject = {0};
    for (size_t i = 0; i < p->change_count; i++)
        text_addf(&subject, "%s%s to %s", i ? ", " : "Set ", p->changes[i].row,
                  p->changes[i].after);
    if (subject.length > SUBJECT_MOST) {
        text_clear(&subject);
        text_addf(&subject, "Set %zu reduction flags", p->change_count);
    }
    text_addf(&p->message, "%s\n\nFor a test against %s:\n", text_string(&subject),
              desk->options.base_branch);
    for (size_t i = 0; i < p->change_count; i++)
        text_addf(&p->message, "%s was %s, is %s\n", p->changes[i].row, p->changes[i].before,
                  p->changes[i].after);
    text_addf(&p->message, "\nBench: %" PRId64 "\n", p->bench);
    text_free(&subject);
}

/* ---- Git ---- */

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool in_top(const Desk *desk, const char *const *words, Text *out, Error *err) {
    return git_run(&(GitPlace){.folder = desk->top}, words, out, err);
}

static bool in_clone(const Desk *desk, const char *const *words, Text *out, Error *err) {
    return git_run(&(GitPlace){.folder = desk->clone}, words, out, err);
}

static char *branch_ref(const char *branch) {
    Text ref = {0};
    text_addf(&ref, "refs/heads/%s", branch);
    return text_take(&ref);
}

/* The commit that the remote has a branch at, allocated; NULL: it has none of that name. */
static char *remote_commit(const Desk *desk, const char *branch) {
    Text line = {0};
    char *commit = NULL;
    text_addf(&line, "\trefs/heads/%s\n", branch);
    const char *heads = text_string(&desk->remote_heads);
    const char *found = strstr(heads, text_string(&line));
    if (found) {
        const char *start = found;
        while (start > heads && start[-1] != '\n')
            start--;
        commit = mem_strndup(start, (size_t)(found - start));
    }
    text_free(&line);
    return commit;
}

/* ---- Opening ---- */

static bool check_head(const Desk *desk, Error *err) {
    Text changed = {0};
    if (!in_top(desk, WORDS("symbolic-ref", "-q", "HEAD"), NULL, NULL))
        return error_set(err,
                         "%s: the head is on no branch: git switch %s, so that it is plain "
                         "what the test starts from",
                         desk->top, desk->options.base_branch);
    if (!in_top(desk, WORDS("status", "--porcelain", "--untracked-files=no"), &changed, err))
        return false;
    const char *line = text_string(&changed);
    bool clean = changed.length == 0 ||
                 error_set(err,
                           "%s: %.*s is changed: commit it or put it away (git stash); a test "
                           "is of what is committed",
                           desk->top, (int)strcspn(line + 3, "\n"), line + 3);
    text_free(&changed);
    return clean;
}

static bool find_base(Desk *desk, Error *err) {
    char *ref = branch_ref(desk->options.base_branch);
    desk->base_commit = git_commit(desk->top, ref, NULL);
    free(ref);
    return desk->base_commit ||
           error_set(err, "--base-branch: there is no branch '%s' in the repository %s",
                     desk->options.base_branch, desk->top);
}

static bool check_remote(Desk *desk, Error *err) {
    const char *remote = desk->options.remote;
    const char *base = desk->options.base_branch;
    if (!remote)
        return true;
    if (!in_top(desk, WORDS("remote", "get-url", "--push", "--", remote), NULL, NULL))
        return error_set(err, "--push: there is no remote '%s' (git remote -v names them)", remote);
    if (!in_top(desk, WORDS("ls-remote", "--heads", "--", remote), &desk->remote_heads, err))
        return error_prefix(err, "--push %s", remote);
    char *there = remote_commit(desk, base);
    bool same = there && strcmp(there, desk->base_commit) == 0;
    if (!there)
        error_set(err, "--push %s: it has no branch '%s', which the server would test against",
                  remote, base);
    else if (!same)
        error_set(err, "--push %s: its %s is %.*s, here it is %.*s: pull or push it first", remote,
                  base, SHORT_NAME, there, SHORT_NAME, desk->base_commit);
    free(there);
    return same;
}

/* "Name <address> time zone" as the four variables that commits are made with. */
static bool find_identity(Desk *desk, Error *err) {
    char *who = git_ask(&(GitPlace){.folder = desk->top}, WORDS("var", "GIT_AUTHOR_IDENT"), err);
    const char *less = who ? strstr(who, " <") : NULL;
    const char *greater = less ? strchr(less, '>') : NULL;
    if (greater) {
        static const char *const roles[] = {"AUTHOR", "COMMITTER"};
        for (int i = 0; i < 2; i++) {
            Text entry = {0};
            text_addf(&entry, "GIT_%s_NAME=%.*s", roles[i], (int)(less - who), who);
            words_add(&desk->identity, text_string(&entry));
            text_clear(&entry);
            text_addf(&entry, "GIT_%s_EMAIL=%.*s", roles[i], (int)(greater - less - 2), less + 2);
            words_add(&desk->identity, text_string(&entry));
            text_free(&entry);
        }
    } else if (who) {
        error_set(err, "git tells no name for commits: git config user.name and user.email");
    }
    free(who);
    return greater != NULL;
}

/* Shares the objects of the user's repository and adds none to it. */
static bool make_clone(Desk *desk, Error *err) {
    const char *place = getenv("TMPDIR");
    Text path = {0};
    text_addf(&path, "%s/obworker-submit-XXXXXX", place && place[0] == '/' ? place : "/tmp");
    if (!mkdtemp(path.data)) {
        error_set(err, "%s: %s", path.data, strerror(errno));
        text_free(&path);
        return false;
    }
    desk->folder = mem_strdup(path.data);
    text_add(&path, "/clone");
    desk->clone = text_take(&path);
    return in_top(desk,
                  WORDS("clone", "-q", "--shared", "--no-checkout", "--no-tags", "--single-branch",
                        "--branch", desk->options.base_branch, desk->top, desk->clone),
                  NULL, err);
}

bool desk_open(Desk *desk, const DeskOptions *options, Log *log, Error *err) {
    *desk = (Desk){.options = *options, .log = log};
    desk->top = git_top(NULL, err);
    return desk->top && check_head(desk, err) && find_base(desk, err) && check_remote(desk, err) &&
           find_identity(desk, err) && make_clone(desk, err);
}

void desk_close(Desk *desk) {
    if (desk->folder)
        tree_remove(desk->folder, NULL);
    free(desk->top);
    free(desk->folder);
    free(desk->clone);
    free(desk->base_commit);
    words_free(&desk->identity);
    text_free(&desk->remote_heads);
    *desk = (Desk){0};
}

/* ---- Building and benching ---- */

static bool bench_commit(const Desk *desk, const char *commit, int64_t *bench, Error *err) {
    char path[BUILD_PATH_MAX];
    Errand errand = {0};
    CommitOptions options = {.build_path = desk->options.build_path, .folder = desk->clone};
    if (!build_commit(commit, &options, path, err))
        return false;
    BenchSpec spec = {.binary = path, .dir = desk->folder, .copies = BENCH_COPIES};
    bool ok = errand_bench(&spec, bench, &errand);
    if (!ok)
        *err = errand.error;
    errand_free(&errand);
    return ok;
}

bool desk_bench_base(Desk *desk, Error *err) {
    Text message = {0};
    const char *branch = desk->options.base_branch;
    log_info(desk->log, "%s (%.*s): building", branch, SHORT_NAME, desk->base_commit);
    if (!in_clone(desk, WORDS("log", "-1", "--format=%B", desk->base_commit), &message, err))
        return false;
    desk->said_bench = message_bench(text_string(&message));
    text_free(&message);
    if (!bench_commit(desk, desk->base_commit, &desk->base_bench, err))
        return error_prefix(err, "%s", branch);
    if (desk->said_bench == 0 || desk->said_bench == desk->base_bench)
        return true;
    return error_set(err,
                     "%s: its bench is %" PRId64 ", its commit says %" PRId64 ": every worker "
                     "would refuse the test; commit the right Bench line first",
                     branch, desk->base_bench, desk->said_bench);
}

/* ---- Drafting ---- */

static bool check_name(const Desk *desk, const char *branch, Error *err) {
    if (!in_top(desk, WORDS("check-ref-format", "--branch", branch), NULL, NULL))
        return error_set(err, "--branch: '%s' is no name for a branch", branch);
    char *ref = branch_ref(branch);
    bool here = in_top(desk, WORDS("show-ref", "--verify", "--quiet", ref), NULL, NULL);
    char *there = remote_commit(desk, branch);
    free(ref);
    if (here)
        error_set(err,
                  "there is a branch '%s' already: --branch gives another name, and alone "
                  "submits the one that is there",
                  branch);
    else if (there)
        error_set(err,
                  "--push %s: it has a branch '%s' already: --branch gives another name, and "
                  "alone submits the one that is there",
                  desk->options.remote, branch);
    free(there);
    return !here && !there;
}

/* A table of rows as the base branch has it. */
typedef struct {
    char *name; /* in the repository */
    Text text;  /* empty: the branch has no such table */
    bool changed;
} BaseTable;

static void base_tables_free(BaseTable tables[TABLE_COUNT]) {
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        free(tables[i].name);
        text_free(&tables[i].text);
    }
}

static char *clone_path(const Desk *desk, const char *name) {
    Text path = {0};
    text_addf(&path, "%s/%s", desk->clone, name);
    return text_take(&path);
}

/* Reads the tables of the base branch, of which the first has to be there. They lie in the clone
 * then, whose index is that of the base. */
static bool read_tables(const Desk *desk, BaseTable tables[TABLE_COUNT], Error *err) {
    if (!in_clone(desk, WORDS("read-tree", desk->base_commit), NULL, err))
        return false;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        Text name = {0};
        text_addf(&name, "%s/%s", desk->options.build_path, TABLES[i]);
        tables[i].name = text_take(&name);
        if (!in_clone(desk, WORDS("checkout-index", "-f", "--", tables[i].name), NULL, NULL)) {
            if (i == 0)
                return error_set(err, "branch %s has no %s: --build-path names the engine's folder",
                                 desk->options.base_branch, tables[i].name);
            continue;
        }
        char *path = clone_path(desk, tables[i].name);
        bool ok = file_read(path, TABLE_LIMIT, &tables[i].text, err);
        free(path);
        if (!ok)
            return false;
    }
    return true;
}

/* The table that has the row of `flag`; the first one when none has. */
static BaseTable *table_of(BaseTable tables[TABLE_COUNT], const char *flag) {
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (flagtable_has(&tables[i].text, flag))
            return &tables[i];
    }
    return &tables[0];
}

/* Writes a changed table into the clone and its index. */
static bool write_table(const Desk *desk, const BaseTable *table, Error *err) {
    char *path = clone_path(desk, table->name);
    bool ok = file_write_atomic(path, table->text.data, table->text.length, 0644, err) &&
              in_clone(desk, WORDS("update-index", "--", table->name), NULL, err);
    free(path);
    return ok;
}

static bool change_tables(const Desk *desk, const Words *flags, Proposal *p, Error *err) {
    BaseTable tables[TABLE_COUNT] = {{0}};
    bool ok = read_tables(desk, tables, err);
    p->changes = mem_calloc(flags->count + 1, sizeof *p->changes);
    for (size_t i = 0; ok && i < flags->count; i++) {
        BaseTable *table = table_of(tables, flags->items[i]);
        table->changed = true;
        ok = flagtable_change(&table->text, flags->items[i], &p->changes[p->change_count++], err) ||
             error_prefix(err, "%s's %s", desk->options.base_branch, table->name);
    }
    for (size_t i = 0; ok && i < TABLE_COUNT; i++)
        ok = !tables[i].changed || write_table(desk, &tables[i], err);
    base_tables_free(tables);
    return ok;
}

/* Commits a tree on top of the base, the clone's index when it is NULL; env as git_run has it.
 * Allocated, or NULL. */
static char *commit_tree(const Desk *desk, const char *name, const Words *env, const char *message,
                         Error *err) {
    GitPlace place = {.folder = desk->clone, .env = (const char *const *)env->items};
    char *tree = name ? mem_strdup(name) : git_ask(&place, WORDS("write-tree"), err);
    char *commit =
        tree ? git_ask(&place, WORDS("commit-tree", tree, "-p", desk->base_commit, "-m", message),
                       err)
             : NULL;
    free(tree);
    return commit;
}

/* A commit without a bench whose name depends on nothing but its files and the base, so that what
 * is built from it is found again. Allocated, or NULL. */
static char *commit_trial(const Desk *desk, Error *err) {
    static const char *const who[] = {
        "GIT_AUTHOR_NAME=obworker",         "GIT_AUTHOR_EMAIL=obworker@localhost",
        "GIT_COMMITTER_NAME=obworker",      "GIT_COMMITTER_EMAIL=obworker@localhost",
        "GIT_AUTHOR_DATE=2000000000 +0000", "GIT_COMMITTER_DATE=2000000000 +0000"};
    Words env = {0};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        words_add(&env, who[i]);
    words_terminate(&env);
    char *commit = commit_tree(desk, NULL, &env, "Trial", err);
    words_free(&env);
    return commit;
}

/* The commit with its bench, as a branch of the clone. */
static bool commit_proposal(const Desk *desk, Proposal *p, Error *err) {
    Words env = {0};
    for (size_t i = 0; i < desk->identity.count; i++)
        words_add(&env, desk->identity.items[i]);
    words_terminate(&env);
    Text tree = {0};
    text_addf(&tree, "%s^{tree}", p->trial);
    write_message(desk, p);
    p->commit = commit_tree(desk, text_string(&tree), &env, text_string(&p->message), err);
    text_free(&tree);
    words_free(&env);
    char *ref = branch_ref(p->branch);
    bool ok =
        p->commit && in_clone(desk, WORDS("update-ref", ref, p->commit), NULL, err) &&
        in_clone(desk, WORDS("diff", "--no-color", "--no-ext-diff", desk->base_commit, p->commit),
                 &p->diff, err);
    free(ref);
    return ok;
}

bool desk_draft(const Desk *desk, const Words *flags, const char *branch, Proposal *out,
                Error *err) {
    *out = (Proposal){0};
    if (!change_tables(desk, flags, out, err))
        return false;
    out->branch = branch ? mem_strdup(branch) : name_branch(out->changes, out->change_count);
    if (!check_name(desk, out->branch, err))
        return false;
    out->trial = commit_trial(desk, err);
    return out->trial != NULL;
}

bool desk_commit(const Desk *desk, Proposal *proposal, Error *err) {
    log_info(desk->log, "%s: building", proposal->branch);
    if (!bench_commit(desk, proposal->trial, &proposal->bench, err))
        return error_prefix(err, "%s", proposal->branch);
    return commit_proposal(desk, proposal, err);
}

/* ---- Publishing ---- */

static bool fetch(const Desk *desk, const Proposal *p, Error *err) {
    char *ref = branch_ref(p->branch);
    bool ok =
        in_top(desk, WORDS("fetch", "-q", "--no-tags", "--no-write-fetch-head", desk->clone, ref),
               NULL, err);
    free(ref);
    return ok;
}

static bool push(const Desk *desk, const Proposal *proposals, size_t count, Error *err) {
    Words words = {0};
    static const char *const start[] = {"push", "-q", "--atomic", "--"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        words_add(&words, start[i]);
    words_add(&words, desk->options.remote);
    for (size_t i = 0; i < count; i++) {
        Text spec = {0};
        text_addf(&spec, "%s:refs/heads/%s", proposals[i].commit, proposals[i].branch);
        words_add(&words, text_string(&spec));
        text_free(&spec);
    }
    words_terminate(&words);
    bool ok = in_top(desk, (const char *const *)words.items, NULL, err) ||
              error_prefix(err, "--push %s", desk->options.remote);
    words_free(&words);
    return ok;
}

bool desk_publish(const Desk *desk, const Proposal *proposals, size_t count, Error *err) {
    for (size_t i = 0; i < count; i++)
        if (!fetch(desk, &proposals[i], err))
            return false;
    if (desk->options.remote && !push(desk, proposals, count, err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        char *ref = branch_ref(proposals[i].branch);
        /* "": there must be none. */
        ok = in_top(desk, WORDS("update-ref", ref, proposals[i].commit, ""), NULL, err);
        free(ref);
    }
    return ok;
}

void proposal_free(Proposal *proposal) {
    free(proposal->branch);
    free(proposal->trial);
    free(proposal->commit);
    free(proposal->changes);
    text_free(&proposal->message);
    text_free(&proposal->diff);
    *proposal = (Proposal){0};
}
