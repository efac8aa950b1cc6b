/* SPDX-License-Identifier: MIT */
#include "submit/proposal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "build/build.h"
#include "build/git.h"
#include "submit/commitbench.h"
#include "submit/tunable.h"

enum { FILE_LIMIT = 1 << 20, SHORT_NAME = 12, SUBJECT_MAX = 72, NAMED_ROWS_MAX = 6 };

/* ---- Pure parts ---- */

static void add_change_to_name(const FlagChange *change, Text *name) {
    const char *value = change->after;
    text_addf(name, "-%s-", change->row);
    if (*value == '-')
        text_add(name, "minus");
    for (value += *value == '-'; *value; value++)
        text_add_char(name, isalnum((unsigned char)*value) || *value == '_' ? *value : '-');
}

static void add_rows_to_name(const Words *rows, Text *name) {
    if (rows->count > NAMED_ROWS_MAX)
        text_addf(name, "-%zu-rows", rows->count);
    for (size_t i = 0; rows->count <= NAMED_ROWS_MAX && i < rows->count; i++)
        text_addf(name, "-%s", rows->items[i]);
}

/* Names a branch after its change: "lmr-killer-ignore", "lmr-w_pv-minus512-div-150",
 * "tune-div-w_pv", "tune-div-w_pv-lmr-killer-0". No letter needs an escape in an address. */
static char *name_branch(const Proposal *p) {
    Text name = {0};
    if (p->tuned->count > 0) {
        text_add(&name, "tune");
        add_rows_to_name(p->tuned, &name);
    }
    if (p->change_count > 0)
        text_addf(&name, "%slmr", name.length > 0 ? "-" : "");
    if (p->change_count > NAMED_ROWS_MAX)
        text_addf(&name, "-%zu-rows", p->change_count);
    for (size_t i = 0; p->change_count <= NAMED_ROWS_MAX && i < p->change_count; i++)
        add_change_to_name(&p->changes[i], &name);
    for (char *c = name.data; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return text_take(&name);
}

/* Writes "Set KILLER to ignore, make DIV and W_PV tunable". */
static void write_subject(const Proposal *p, Text *subject) {
    size_t tuned = p->tuned->count;
    for (size_t i = 0; i < p->change_count; i++)
        text_addf(subject, "%s%s to %s", i ? ", " : "Set ", p->changes[i].row, p->changes[i].after);
    for (size_t i = 0; i < tuned; i++)
        text_addf(subject, "%s%s",
                  i > 0             ? (i + 1 < tuned ? ", " : " and ")
                  : p->change_count ? ", make "
                                    : "Make ",
                  p->tuned->items[i]);
    text_add(subject, tuned > 0 ? " tunable" : "");
    if (subject->length <= SUBJECT_MAX)
        return;
    text_clear(subject);
    if (p->change_count > 0)
        text_addf(subject, "Set %zu reduction flags", p->change_count);
    if (tuned > 0)
        text_addf(subject, "%s %zu rows tunable", p->change_count ? ", make" : "Make", tuned);
}

static void write_message(const WorkClone *work, Proposal *p) {
    Text subject = {0};
    write_subject(p, &subject);
    text_addf(&p->message, "%s\n\nFor a %s %s:\n", text_string(&subject),
              p->tuned->count > 0 ? "tuning that starts from" : "test against",
              work->options.base_branch);
    for (size_t i = 0; i < p->change_count; i++)
        text_addf(&p->message, "%s was %s, is %s\n", p->changes[i].row, p->changes[i].before,
                  p->changes[i].after);
    text_addf(&p->message, "%s\nBench: %" PRId64 "\n", text_string(&p->parameters), p->bench);
    text_free(&subject);
}

/* ---- Git ---- */

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool in_top(const WorkClone *work, const char *const *words, Text *out, Error *err) {
    return git_run(&(GitPlace){.folder = work->top}, words, out, err);
}

static bool in_clone(const WorkClone *work, const char *const *words, Text *out, Error *err) {
    return git_run(&(GitPlace){.folder = work->clone}, words, out, err);
}

static char *branch_ref(const char *branch) {
    return text_format("refs/heads/%s", branch);
}

/* Asks for the commit of the remote's branch of this name: *commit is allocated; NULL: there is no
 * such branch, or no remote. */
static bool ask_remote(const WorkClone *work, const char *branch, char **commit, Error *err) {
    *commit = NULL;
    if (!work->address)
        return true;
    Text list = {0};
    char *ref = branch_ref(branch);
    bool ok = in_top(work, WORDS("ls-remote", "--", work->address, ref), &list, err) ||
              error_prefix(err, "--push %s", work->options.remote);
    if (ok)
        *commit = git_listed(text_string(&list), ref);
    text_free(&list);
    free(ref);
    return ok;
}

/* ---- Opening ---- */

static bool check_head(const WorkClone *work, Error *err) {
    Text changed = {0};
    if (!in_top(work, WORDS("symbolic-ref", "-q", "HEAD"), NULL, NULL))
        return error_set(err,
                         "%s: the head is on no branch: git switch %s, so that it is plain "
                         "what the test starts from",
                         work->top, work->options.base_branch);
    if (!in_top(work, WORDS("status", "--porcelain", "--untracked-files=no"), &changed, err))
        return false;
    const char *line = text_string(&changed);
    bool clean = changed.length == 0 ||
                 error_set(err,
                           "%s: %.*s is changed: commit it or put it away (git stash); a test "
                           "is of what is committed",
                           work->top, (int)strcspn(line + 3, "\n"), line + 3);
    text_free(&changed);
    return clean;
}

static bool find_base(WorkClone *work, Error *err) {
    Error cause = {0};
    char *ref = branch_ref(work->options.base_branch);
    work->base_commit = git_commit(work->top, ref, &cause);
    free(ref);
    return work->base_commit ||
           error_set(err,
                     "the base branch: %s (--base-branch NAME says what the new branch starts "
                     "from)",
                     cause.text);
}

static bool check_remote(WorkClone *work, Error *err) {
    const char *remote = work->options.remote;
    const char *base = work->options.base_branch;
    if (!remote)
        return true;
    char *there;
    work->address = git_push_address(work->top, remote, NULL);
    if (!work->address)
        return error_set(err, "--push: there is no remote '%s' (git remote -v names them)", remote);
    if (!ask_remote(work, base, &there, err))
        return false;
    bool same = there && strcmp(there, work->base_commit) == 0;
    if (!there)
        error_set(err, "--push %s: it has no branch '%s', which the server would test against",
                  remote, base);
    else if (!same)
        error_set(err, "--push %s: its %s is %.*s, here it is %.*s: pull or push it first", remote,
                  base, SHORT_NAME, there, SHORT_NAME, work->base_commit);
    free(there);
    return same;
}

/* Turns git's "Name <address> time zone" into the four variables for a commit's author and
 * committer. */
static bool find_identity(WorkClone *work, Error *err) {
    char *who = git_ask(&(GitPlace){.folder = work->top}, WORDS("var", "GIT_AUTHOR_IDENT"), NULL);
    const char *less = who ? strstr(who, " <") : NULL;
    const char *greater = less ? strchr(less, '>') : NULL;
    if (greater) {
        static const char *const roles[] = {"AUTHOR", "COMMITTER"};
        for (int i = 0; i < 2; i++) {
            words_addf(&work->identity, "GIT_%s_NAME=%.*s", roles[i], (int)(less - who), who);
            words_addf(&work->identity, "GIT_%s_EMAIL=%.*s", roles[i], (int)(greater - less - 2),
                       less + 2);
        }
    } else {
        error_set(err, "git has no name for the commit's author: git config user.name NAME; "
                       "git config user.email ADDRESS");
    }
    free(who);
    return greater != NULL;
}

/* Makes a clone that shares the objects of the user's repository and adds no objects there. */
static bool make_clone(WorkClone *work, Error *err) {
    if (!scratch_open(&work->scratch, err))
        return false;
    work->clone = text_format("%s/clone", work->scratch.path);
    return in_top(work,
                  WORDS("clone", "-q", "--shared", "--no-checkout", "--no-tags", "--single-branch",
                        "--branch", work->options.base_branch, work->top, work->clone),
                  NULL, err);
}

bool workclone_open(WorkClone *work, const WorkCloneOptions *options, Log *log, Error *err) {
    *work = (WorkClone){.options = *options, .log = log};
    work->top = git_top(NULL, err);
    return work->top && check_head(work, err) && find_base(work, err) && check_remote(work, err) &&
           find_identity(work, err) && make_clone(work, err);
}

void workclone_close(WorkClone *work) {
    scratch_close(&work->scratch);
    free(work->top);
    free(work->clone);
    free(work->base_commit);
    words_free(&work->identity);
    free(work->address);
    *work = (WorkClone){0};
}

/* ---- Building and benching ---- */

static bool bench_commit(const WorkClone *work, const char *commit, int64_t *bench, Error *err) {
    BuildOptions options = {.build_path = work->options.build_path, .folder = work->clone};
    return commit_bench(commit, &options, work->scratch.path, bench, err);
}

bool workclone_bench_base(WorkClone *work, Error *err) {
    Text message = {0};
    const char *branch = work->options.base_branch;
    log_info(work->log, "%s (%.*s): building", branch, SHORT_NAME, work->base_commit);
    if (!in_clone(work, WORDS("log", "-1", "--format=%B", work->base_commit), &message, err))
        return false;
    work->said_bench = git_message_bench(text_string(&message));
    text_free(&message);
    if (!bench_commit(work, work->base_commit, &work->base_bench, err))
        return error_prefix(err, "%s", branch);
    if (work->said_bench == 0 || work->said_bench == work->base_bench)
        return true;
    return error_set(err,
                     "%s: its bench is %" PRId64 ", its commit says %" PRId64 ": every worker "
                     "would refuse the test; commit the right Bench line first",
                     branch, work->base_bench, work->said_bench);
}

/* ---- Drafting ---- */

/* "@{-1}" is another name for a branch, but no branch can have it. */
static bool is_valid(const WorkClone *work, const char *branch, const char *ref) {
    return in_top(work, WORDS("check-ref-format", "--branch", branch), NULL, NULL) &&
           in_top(work, WORDS("check-ref-format", ref), NULL, NULL);
}

/* A branch here whose name is the beginning of this one, or begins with this one, before a "/": git
 * cannot have both. Allocated; NULL: none. */
static char *find_obstacle(const WorkClone *work, const char *branch) {
    const GitPlace place = {.folder = work->top};
    char *below = text_format("refs/heads/%s/", branch);
    char *found = git_ask(
        &place, WORDS("for-each-ref", "--count=1", "--format=%(refname:lstrip=2)", below), NULL);
    bool is = found && found[0] != '\0';
    for (const char *end = strchr(branch, '/'); end && !is; end = strchr(end + 1, '/')) {
        free(found);
        found = mem_strndup(branch, (size_t)(end - branch));
        char *ref = branch_ref(found);
        is = in_top(work, WORDS("show-ref", "--verify", "--quiet", ref), NULL, NULL);
        free(ref);
    }
    free(below);
    if (!is)
        free(found);
    return is ? found : NULL;
}

static bool check_name(const WorkClone *work, const char *branch, Error *err) {
    enum { NAME_MAX_BYTES = 200 }; /* It is the name of a file too. */
    if (strcmp(branch, work->options.base_branch) == 0)
        return error_set(
            err, "%s is the base branch: give the new branch another name with --branch", branch);
    if (strlen(branch) > NAME_MAX_BYTES)
        return error_set(err, "--branch: '%.40s...' is longer than %d letters", branch,
                         NAME_MAX_BYTES);
    char *ref = branch_ref(branch);
    if (!is_valid(work, branch, ref)) {
        free(ref);
        return error_set(err, "--branch: '%s' is not a valid name for a branch", branch);
    }
    char *obstacle = find_obstacle(work, branch);
    bool here = in_top(work, WORDS("show-ref", "--verify", "--quiet", ref), NULL, NULL);
    char *there = NULL;
    bool ok = here || obstacle || ask_remote(work, branch, &there, err);
    free(ref);
    if (obstacle)
        error_set(err,
                  "--branch: there is a branch '%s' already, which leaves no room for '%s': give "
                  "another name",
                  obstacle, branch);
    else if (here)
        error_set(err,
                  "there is a branch '%s' already: push it and submit it with --branch %s alone, "
                  "or delete it (git branch -D %s), or give another name with --branch",
                  branch, branch, branch);
    else if (there)
        error_set(err,
                  "--push %s: it has a branch '%s' already: submit it with --branch %s alone, or "
                  "give another name with --branch",
                  work->options.remote, branch, branch);
    ok = ok && !here && !obstacle && !there;
    free(obstacle);
    free(there);
    return ok;
}

/* A file of the engine's folder as the base branch has it. */
typedef struct {
    char *name; /* in the repository */
    Text text;  /* empty: the branch lacks the file */
    bool changed;
} BaseFile;

static void base_file_free(BaseFile *file) {
    free(file->name);
    text_free(&file->text);
}

static char *clone_path(const WorkClone *work, const char *name) {
    return text_format("%s/%s", work->clone, name);
}

/* Checks a file of the base branch out in the clone, and reads the file. */
static bool read_base_file(const WorkClone *work, const char *name, bool required, BaseFile *out,
                           Error *err) {
    *out = (BaseFile){.name = text_format("%s/%s", work->options.build_path, name)};
    if (!in_clone(work, WORDS("checkout-index", "-f", "--", out->name), NULL, NULL))
        return !required ||
               error_set(err,
                         "branch %s has no %s: --flag, --each and --tune change this project's "
                         "tables (--build-path names their engine's folder); another engine's "
                         "branch is submitted with --branch",
                         work->options.base_branch, out->name);
    char *path = clone_path(work, out->name);
    bool ok = file_read(path, FILE_LIMIT, &out->text, err);
    free(path);
    return ok;
}

/* Writes a changed file into the clone and its index. */
static bool write_base_file(const WorkClone *work, const BaseFile *file, Error *err) {
    if (!file->changed)
        return true;
    char *path = clone_path(work, file->name);
    bool ok = file_write_atomic(path, file->text.data, file->text.length, 0644, err) &&
              in_clone(work, WORDS("update-index", "--", file->name), NULL, err);
    free(path);
    return ok;
}

/* The table with the row of `flag`; the first table when the row is unknown. */
static BaseFile *table_of(BaseFile tables[FLAGTABLE_COUNT], const char *flag) {
    for (size_t i = 0; i < FLAGTABLE_COUNT; i++) {
        if (flagtable_has(&tables[i].text, flag))
            return &tables[i];
    }
    return &tables[0];
}

/* Refuses a row to tune that no table has. */
static bool check_tuned(BaseFile tables[FLAGTABLE_COUNT], const Words *rows, Error *err) {
    for (size_t i = 0; i < rows->count; i++)
        if (!flagtable_has(&table_of(tables, rows->items[i])->text, rows->items[i]))
            return error_set(err,
                             "there is no row %s to tune (reductio lmr list and reductio params "
                             "list name them)",
                             rows->items[i]);
    return true;
}

static bool change_tables(const WorkClone *work, const BranchChange *change, Proposal *p,
                          Error *err) {
    const Words *flags = change->flags;
    BaseFile tables[FLAGTABLE_COUNT] = {{0}};
    bool ok = true;
    for (size_t i = 0; ok && i < FLAGTABLE_COUNT; i++)
        ok = read_base_file(work, flagtable_files[i], i == 0, &tables[i], err);
    ok = ok && check_tuned(tables, change->tuned, err);
    p->changes = mem_calloc(flags->count + 1, sizeof *p->changes);
    for (size_t i = 0; ok && i < flags->count; i++) {
        BaseFile *table = table_of(tables, flags->items[i]);
        table->changed = true;
        ok = flagtable_change(&table->text, flags->items[i], &p->changes[p->change_count++], err) ||
             error_prefix(err, "%s's %s", work->options.base_branch, table->name);
    }
    for (size_t i = 0; ok && i < FLAGTABLE_COUNT; i++)
        ok = write_base_file(work, &tables[i], err);
    for (size_t i = 0; i < FLAGTABLE_COUNT; i++)
        base_file_free(&tables[i]);
    return ok;
}

static bool make_tunable(const WorkClone *work, Error *err) {
    BaseFile makefile = {0};
    bool ok = read_base_file(work, "Makefile", true, &makefile, err) &&
              (tunable_makefile(&makefile.text, err) ||
               error_prefix(err, "%s's %s", work->options.base_branch, makefile.name));
    makefile.changed = true;
    ok = ok && write_base_file(work, &makefile, err);
    base_file_free(&makefile);
    return ok;
}

/* Sets the clone's index to the base's files with the changes. */
static bool change_files(const WorkClone *work, const BranchChange *change, Proposal *p,
                         Error *err) {
    return in_clone(work, WORDS("read-tree", work->base_commit), NULL, err) &&
           change_tables(work, change, p, err) &&
           (change->tuned->count == 0 || make_tunable(work, err));
}

/* Commits a tree on top of the base; name NULL: the clone's index. env: as git_run takes env.
 * Allocated; NULL with err set. */
static char *commit_tree(const WorkClone *work, const char *name, const Words *env,
                         const char *message, Error *err) {
    GitPlace place = {.folder = work->clone, .env = (const char *const *)env->items};
    char *tree = name ? mem_strdup(name) : git_ask(&place, WORDS("write-tree"), err);
    char *commit =
        tree ? git_ask(&place, WORDS("commit-tree", tree, "-p", work->base_commit, "-m", message),
                       err)
             : NULL;
    free(tree);
    return commit;
}

/* Makes a commit without a bench. The commit's name depends only on the files and on the base, so
 * that kept builds of the same files are found again. Allocated; NULL with err set. */
static char *commit_trial(const WorkClone *work, Error *err) {
    static const char *const who[] = {
        "GIT_AUTHOR_NAME=obworker",         "GIT_AUTHOR_EMAIL=obworker@localhost",
        "GIT_COMMITTER_NAME=obworker",      "GIT_COMMITTER_EMAIL=obworker@localhost",
        "GIT_AUTHOR_DATE=2000000000 +0000", "GIT_COMMITTER_DATE=2000000000 +0000"};
    Words env = {0};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        words_add(&env, who[i]);
    words_terminate(&env);
    char *commit = commit_tree(work, NULL, &env, "Trial", err);
    words_free(&env);
    return commit;
}

/* Makes the commit with its bench, as a branch of the clone. */
static bool commit_proposal(const WorkClone *work, Proposal *p, Error *err) {
    Words env = {0};
    for (size_t i = 0; i < work->identity.count; i++)
        words_add(&env, work->identity.items[i]);
    words_terminate(&env);
    Text tree = {0};
    text_addf(&tree, "%s^{tree}", p->trial);
    write_message(work, p);
    p->commit = commit_tree(work, text_string(&tree), &env, text_string(&p->message), err);
    text_free(&tree);
    words_free(&env);
    char *ref = branch_ref(p->branch);
    bool ok =
        p->commit && in_clone(work, WORDS("update-ref", ref, p->commit), NULL, err) &&
        in_clone(work, WORDS("diff", "--no-color", "--no-ext-diff", work->base_commit, p->commit),
                 &p->diff, err);
    free(ref);
    return ok;
}

bool workclone_draft(const WorkClone *work, const BranchChange *change, const char *branch,
                     Proposal *out, Error *err) {
    *out = (Proposal){.tuned = change->tuned};
    if (!change_files(work, change, out, err))
        return false;
    out->branch = branch ? mem_strdup(branch) : name_branch(out);
    if (!check_name(work, out->branch, err))
        return false;
    out->trial = commit_trial(work, err);
    return out->trial != NULL;
}

bool workclone_build(const WorkClone *work, Proposal *proposal, Error *err) {
    char path[BUILD_PATH_MAX];
    BuildOptions options = {.build_path = work->options.build_path, .folder = work->clone};
    log_info(work->log, "%s: building", proposal->branch);
    if (!build_commit(proposal->trial, &options, path, err))
        return error_prefix(err, "%s", proposal->branch);
    proposal->binary = mem_strdup(path);
    return true;
}

bool workclone_commit(const WorkClone *work, Proposal *proposal, Error *err) {
    if (!binary_bench(proposal->binary, work->scratch.path, &proposal->bench, err))
        return error_prefix(err, "%s", proposal->branch);
    return commit_proposal(work, proposal, err);
}

/* ---- Publishing ---- */

static bool fetch(const WorkClone *work, const Proposal *p, Error *err) {
    char *ref = branch_ref(p->branch);
    bool ok =
        in_top(work, WORDS("fetch", "-q", "--no-tags", "--no-write-fetch-head", work->clone, ref),
               NULL, err);
    free(ref);
    return ok;
}

static bool push(const WorkClone *work, const Proposal *proposals, size_t count, Error *err) {
    Words words = {0};
    static const char *const start[] = {"push", "-q", "--atomic", "--"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        words_add(&words, start[i]);
    words_add(&words, work->options.remote);
    for (size_t i = 0; i < count; i++) {
        words_addf(&words, "%s:refs/heads/%s", proposals[i].commit, proposals[i].branch);
    }
    words_terminate(&words);
    bool ok = in_top(work, (const char *const *)words.items, NULL, err) ||
              error_prefix(err, "--push %s", work->options.remote);
    words_free(&words);
    return ok;
}

bool workclone_publish(const WorkClone *work, const Proposal *proposals, size_t count, bool *pushed,
                       Error *err) {
    *pushed = false;
    for (size_t i = 0; i < count; i++)
        if (!fetch(work, &proposals[i], err))
            return false;
    if (work->options.remote && !push(work, proposals, count, err))
        return false;
    *pushed = work->options.remote != NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        char *ref = branch_ref(proposals[i].branch);
        /* "": refuse an existing branch. */
        ok = in_top(work, WORDS("update-ref", ref, proposals[i].commit, ""), NULL, err);
        free(ref);
    }
    return ok;
}

void proposal_free(Proposal *proposal) {
    free(proposal->branch);
    free(proposal->trial);
    free(proposal->binary);
    text_free(&proposal->parameters);
    free(proposal->commit);
    free(proposal->changes);
    text_free(&proposal->message);
    text_free(&proposal->diff);
    *proposal = (Proposal){0};
}
