/* SPDX-License-Identifier: MIT */
/* Repositories that a server keeps, and GitHub's: commits by branch, tag and digits, zips, pushes,
 * and words that must not reach git. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/tree.h"
#include "build/archive.h"
#include "openbench/http.h"
#include "serve/sources.h"
#include "tools/openbench_double.h"
#include "runner.h"
#include "tools/temporary.h"

enum { PATH_SIZE = 256, COMMAND_SIZE = 2048, THREADS = 4 };

static char folder[PATH_SIZE]; /* Holds upstream/ (a repository) and data/. */
static char data[PATH_SIZE + 16];

static void shell(const char *script) {
    char command[COMMAND_SIZE];
    snprintf(command, sizeof command, "cd %s && { %s\n} >>shell.log 2>&1", folder, script);
    int status = system(command);
    ck_assert_msg(status == 0, "%s: status %d", script, status);
}

/* The one line that the script prints. Valid until the next call. */
static const char *answer(const char *script) {
    static char line[PATH_SIZE];
    char command[COMMAND_SIZE];
    snprintf(command, sizeof command, "cd %s && %s", folder, script);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, pipe));
    pclose(pipe);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-sources");
    snprintf(data, sizeof data, "%s/data", folder);
    ck_assert_int_eq(mkdir(data, 0700), 0);
    shell("git init -q -b main upstream && cd upstream\n"
          "git config user.name Ada && git config user.email ada@localhost\n"
          "mkdir engine && echo all: >engine/Makefile && git add .\n"
          "git commit -qm 'Begin' -m 'Bench: 1,234'\n"
          "git tag v1 && git checkout -qb feature/killer\n"
          "echo 'int a;' >engine/a.c && git add . && git commit -qm 'Killers' -m 'Bench: 99'\n"
          "git checkout -q main");
}

static void teardown(void) {
    ck_assert(tree_remove(folder, NULL));
}

/* Opens the repositories of these words, at most two; the second may be NULL. */
static Sources *open_sources(const char *first, const char *second, const char *github,
                             Error *err) {
    char here[PATH_SIZE];
    Words repos = {0};
    words_add(&repos, first);
    if (second)
        words_add(&repos, second);
    SourcesSpec spec = {.data = data, .repos = &repos, .github = github};
    /* Paths in the words are those of the test's folder. */
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_int_eq(chdir(folder), 0);
    Sources *sources = sources_open(&spec, err);
    ck_assert_int_eq(chdir(here), 0);
    words_free(&repos);
    return sources;
}

static Sources *must_open(const char *first, const char *second) {
    Error err = {0};
    Sources *sources = open_sources(first, second, NULL, &err);
    ck_assert_msg(sources != NULL, "%s", err.text);
    return sources;
}

static SourceCommit must_resolve(Sources *sources, const char *repo, const char *ref) {
    SourceCommit commit;
    Error err = {0};
    bool ok = sources_resolve(sources, repo, ref, NULL, &commit, &err);
    ck_assert_msg(ok, "%s: %s", ref, err.text);
    return commit;
}

static char *must_zip(Sources *sources, const char *sha) {
    char *zip;
    Error err = {0};
    ZipResult result = sources_zip(sources, "mine", sha, &zip, &err);
    ck_assert_msg(result == ZIP_FOUND, "%s: result %d: %s", sha, result, err.text);
    return zip;
}

static void must_refuse(Sources *sources, const char *repo, const char *ref, const char *why) {
    SourceCommit commit;
    Error err = {0};
    bool ok = sources_resolve(sources, repo, ref, NULL, &commit, &err);
    ck_assert_msg(!ok, "%s %s was found", repo, ref);
    ck_assert_msg(strstr(err.text, why), "'%s' says nothing of '%s'", err.text, why);
}

START_TEST(a_branch_a_tag_and_forty_digits_name_a_commit) {
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit branch = must_resolve(sources, "mine", "feature/killer");
    ck_assert_str_eq(branch.sha, answer("git -C upstream rev-parse feature/killer"));
    ck_assert_str_eq(branch.message, "Killers\n\nBench: 99\n\n");
    ck_assert_int_eq(branch.bench, 99);
    SourceCommit tag = must_resolve(sources, "/repo/mine/", "v1");
    ck_assert_str_eq(tag.sha, answer("git -C upstream rev-parse v1"));
    ck_assert_int_eq(tag.bench, 1234);
    SourceCommit digits = must_resolve(sources, "Mine", tag.sha);
    ck_assert_str_eq(digits.sha, tag.sha);
    Text wanted = {0};
    text_addf(&wanted, "/source/mine/%s.zip", tag.sha);
    ck_assert_str_eq(digits.source, text_string(&wanted));
    text_free(&wanted);
    source_commit_free(&branch);
    source_commit_free(&tag);
    source_commit_free(&digits);
    sources_free(sources);
}
END_TEST

START_TEST(a_branch_of_the_upstream_is_read_again_each_time) {
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit before = must_resolve(sources, "mine", "main");
    shell("cd upstream && git commit -q --allow-empty -m 'More' -m 'Bench: 77'");
    SourceCommit after = must_resolve(sources, "mine", "main");
    ck_assert_str_ne(after.sha, before.sha);
    ck_assert_int_eq(after.bench, 77);
    source_commit_free(&before);
    source_commit_free(&after);
    sources_free(sources);
}
END_TEST

START_TEST(an_upstream_may_be_a_shallow_clone) {
    shell("git clone -q --bare --depth 1 --branch feature/killer file://$PWD/upstream shallow");
    Sources *sources = must_open("mine=shallow", NULL);
    SourceCommit branch = must_resolve(sources, "mine", "feature/killer");
    ck_assert_int_eq(branch.bench, 99);
    source_commit_free(&branch);
    sources_free(sources);
}
END_TEST

START_TEST(an_upstream_of_another_user_is_refused_with_the_remedy) {
    Error err = {0};
    char ssh[PATH_SIZE + 16];
    /* git takes the upstream for another user's. */
    shell(
        "printf '%s\\n' '#!/bin/sh' 'for command; do :; done' 'export GIT_CONFIG_SYSTEM=/dev/null'"
        " 'export GIT_CONFIG_GLOBAL=/dev/null GIT_TEST_ASSUME_DIFFERENT_OWNER=1'"
        " 'eval \"$command\"' >ssh && chmod +x ssh");
    snprintf(ssh, sizeof ssh, "%s/ssh", folder);
    setenv("GIT_SSH", ssh, 1);
    char repo[PATH_SIZE + 32];
    snprintf(repo, sizeof repo, "mine=ssh://host%s/upstream", folder);
    Sources *sources = open_sources(repo, NULL, NULL, &err);
    unsetenv("GIT_SSH");
    ck_assert_ptr_null(sources);
    char wanted[2 * PATH_SIZE];
    snprintf(wanted, sizeof wanted, "--add safe.directory '%s/upstream/.git')", folder);
    ck_assert_msg(strstr(err.text, wanted) != NULL, "'%s' is not in: %s", wanted, err.text);
}
END_TEST

START_TEST(a_zip_has_the_commit_in_one_folder) {
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit commit = must_resolve(sources, "mine", "feature/killer");
    Error err = {0};
    char top[ARCHIVE_NAME_MAX];
    char wanted[ARCHIVE_NAME_MAX];
    char *zip = must_zip(sources, commit.sha);
    shell("mkdir unpacked");
    char out[PATH_SIZE + 32];
    snprintf(out, sizeof out, "%s/unpacked", folder);
    ck_assert_msg(archive_unpack(zip, out, NULL, top, &err), "%s", err.text);
    snprintf(wanted, sizeof wanted, "mine-%s", commit.sha);
    ck_assert_str_eq(top, wanted);
    shell("test -f unpacked/*/engine/Makefile && test \"$(cat unpacked/*/engine/a.c)\" = 'int a;'");
    free(zip);
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

/* Two commits of a kept repository, and what the last question for their difference gave. */
typedef struct {
    Sources *sources;
    SourceCommit base, dev;
    Text text;
    Error err;
} Compared;

static Compared compare_open(const char *branch) {
    Compared c = {.sources = must_open("mine=upstream", NULL)};
    c.base = must_resolve(c.sources, "mine", "main");
    c.dev = must_resolve(c.sources, "mine", branch);
    return c;
}

static DifferenceResult compare(Compared *c, const char *base, const char *dev, size_t limit) {
    text_clear(&c->text);
    return sources_difference(c->sources, "mine", base, dev, limit, &c->text, &c->err);
}

static void must_differ(Compared *c, size_t limit) {
    DifferenceResult result = compare(c, c->base.sha, c->dev.sha, limit);
    ck_assert_msg(result == DIFFERENCE_FOUND, "result %d: %s", result, c->err.text);
}

static void compare_close(Compared *c) {
    text_free(&c->text);
    source_commit_free(&c->base);
    source_commit_free(&c->dev);
    sources_free(c->sources);
}

START_TEST(two_commits_differ_by_commits_and_lines) {
    Compared c = compare_open("feature/killer");
    must_differ(&c, 1 << 16);
    ck_assert_ptr_nonnull(strstr(text_string(&c.text), " Killers\n"));
    ck_assert_ptr_nonnull(strstr(text_string(&c.text), "\n+int a;\n"));
    ck_assert_int_eq(compare(&c, "--output=x", c.dev.sha, 10), DIFFERENCE_REFUSED);
    ck_assert_int_eq(compare(&c, c.base.sha, "0123456789012345678901234567890123456789", 10),
                     DIFFERENCE_REFUSED);
    ck_assert_str_eq(c.err.text, "this server keeps no such commits");
    compare_close(&c);
}
END_TEST

START_TEST(of_a_long_difference_the_start_is_shown_and_the_cut_said) {
    /* Longer than what is kept of git's output. */
    shell("cd upstream && git checkout -q -b long main && seq -f 'line %.0f of a long file' 60000 "
          ">long.txt && git add -A && git commit -q -m 'Add a long file' && git checkout -q main");
    Compared c = compare_open("long");
    must_differ(&c, 100000);
    ck_assert_ptr_nonnull(strstr(text_string(&c.text), " Add a long file\n"));
    ck_assert_ptr_nonnull(strstr(text_string(&c.text), "\n+line 1 of a long file\n"));
    static const char cut[] = "... (the rest is left out: more than 100000 bytes)\n";
    ck_assert_uint_le(c.text.length, 100000 + sizeof cut);
    const char *last = text_string(&c.text) + c.text.length - (sizeof cut - 1);
    ck_assert_str_eq(last, cut);
    ck_assert_int_eq(last[-1], '\n');
    compare_close(&c);
}
END_TEST

START_TEST(a_difference_is_looked_for_once) {
    Compared c = compare_open("feature/killer");
    must_differ(&c, 5000);
    char *first = text_take(&c.text);
    shell("mv data/repositories/mine.git away"); /* git would fail now. */
    must_differ(&c, 5000);
    ck_assert_str_eq(text_string(&c.text), first);
    ck_assert_int_eq(compare(&c, c.dev.sha, c.base.sha, 5000), DIFFERENCE_FAULT);
    free(first);
    compare_close(&c);
}
END_TEST

/* From now on git is this script. The tests' files are at $TOP, and git itself is $GIT. */
static void put_git(const char *script) {
    Text text = {0};
    text_addf(&text,
              "mkdir other && cat >other/git <<END && chmod +x other/git\n"
              "#!/bin/sh\nTOP='$PWD'\nGIT='$(command -v git)'\nEND\n"
              "cat >>other/git <<'END'\n%s\nEND\n",
              script);
    shell(text_string(&text));
    text_clear(&text);
    text_addf(&text, "%s/other:%s", folder, getenv("PATH"));
    setenv("PATH", text_string(&text), 1);
    text_free(&text);
}

START_TEST(git_is_ended_when_no_more_is_shown) {
    Compared c = compare_open("feature/killer");
    put_git("if [ \"$1\" = diff ]; then exec yes '+a line'; fi; exec \"$GIT\" \"$@\"");
    must_differ(&c, 5000);
    ck_assert_ptr_nonnull(strstr(text_string(&c.text), "\n+a line\n... (the rest is left out"));
    compare_close(&c);
}
END_TEST

START_TEST(a_git_that_fails_has_not_said_that_no_difference_is_kept) {
    Compared c = compare_open("feature/killer");
    put_git("[ \"$1\" != diff ] && exec \"$GIT\" \"$@\"");
    ck_assert_int_eq(compare(&c, c.base.sha, c.dev.sha, 5000), DIFFERENCE_FAULT);
    ck_assert_msg(strstr(c.err.text, "the repository mine: git"), "%s", c.err.text);
    compare_close(&c);
}
END_TEST

/* A question of another thread. */
typedef struct {
    Sources *sources;
    const char *base, *dev;
    DifferenceResult result;
} Asking;

static void *ask_difference(void *user) {
    Asking *asking = user;
    Text text = {0};
    asking->result =
        sources_difference(asking->sources, "mine", asking->base, asking->dev, 5000, &text, NULL);
    text_free(&text);
    return NULL;
}

START_TEST(git_looks_for_one_difference_at_a_time) {
    Compared c = compare_open("feature/killer");
    put_git("touch \"$TOP/began\"; while [ ! -e \"$TOP/go\" ]; do sleep 0.05; done; exec \"$GIT\" "
            "\"$@\"");
    Asking first = {c.sources, c.base.sha, c.dev.sha, DIFFERENCE_REFUSED};
    Asking second = {c.sources, c.dev.sha, c.base.sha, DIFFERENCE_REFUSED};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, ask_difference, &first), 0);
    shell("while [ ! -e began ]; do sleep 0.05; done");
    ask_difference(&second);
    ck_assert_int_eq(second.result, DIFFERENCE_BUSY);
    shell("touch go");
    pthread_join(thread, NULL);
    ck_assert_int_eq(first.result, DIFFERENCE_FOUND);
    ask_difference(&second);
    ck_assert_int_eq(second.result, DIFFERENCE_FOUND);
    compare_close(&c);
}
END_TEST

static void *ask_ref_zip(void *sources) {
    char *zip;
    ck_assert_int_eq(sources_ref_zip(sources, "mine", "main", &zip, NULL), ZIP_FOUND);
    return zip;
}

START_TEST(one_stranger_asks_for_a_branch_at_a_time) {
    Sources *sources = must_open("mine=upstream", NULL);
    Error err = {0};
    pthread_t thread;
    char *none;
    void *zip;
    put_git("touch \"$TOP/began\"; while [ ! -e \"$TOP/go\" ]; do sleep 0.05; done; exec \"$GIT\" "
            "\"$@\"");
    ck_assert_int_eq(pthread_create(&thread, NULL, ask_ref_zip, sources), 0);
    shell("while [ ! -e began ]; do sleep 0.05; done");
    ck_assert_int_eq(sources_ref_zip(sources, "mine", "main", &none, &err), ZIP_BUSY);
    ck_assert_ptr_null(none);
    ck_assert_ptr_nonnull(strstr(err.text, "ask again later"));
    shell("touch go");
    pthread_join(thread, &zip);
    ck_assert_ptr_nonnull(zip);
    ck_assert(file_exists(zip));
    sources_free(sources);
    /* The zip is not the next server's. */
    sources = must_open("mine=upstream", NULL);
    ck_assert(!file_exists(zip));
    free(zip);
    sources_free(sources);
}
END_TEST

/* The stranger's fetch is cut after its ten seconds. The user's has a minute. */
START_TEST(a_slow_upstream_that_a_stranger_asked_for_is_asked_again_for_a_user) {
    Sources *sources = must_open("mine=upstream", NULL);
    char *zip;
    put_git(
        "for word; do while [ \"$word\" = fetch ] && [ ! -e \"$TOP/go\" ]; do sleep 0.05; done; "
        "done; exec \"$GIT\" \"$@\"");
    ck_assert_int_eq(sources_ref_zip(sources, "mine", "main", &zip, NULL), ZIP_FOUND);
    free(zip);
    shell("touch go && cd upstream && git checkout -q -b new");
    SourceCommit commit = must_resolve(sources, "mine", "new");
    ck_assert_msg(!commit.doubt, "%s", commit.doubt);
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

/* git tidies where objects are many, which it guesses by the folder 17: this repository has two
 * there. Tidying a large repository takes longer than a fetch may. */
START_TEST(git_tidies_a_repository_at_the_start_alone) {
    static const char PACKS[] = "ls data/repositories/mine.git/objects/pack | grep -c 'pack$'";
    Sources *sources = must_open("mine=upstream", NULL);
    shell("cd data/repositories/mine.git && git config gc.auto 1\n"
          "for text in 263 410; do echo $text | git hash-object -w --stdin; done\n"
          "test $(ls objects/17 | wc -l) -ge 2\n"
          "cd ../../../upstream && git commit -q --allow-empty -m 'More' -m 'Bench: 77'");
    SourceCommit commit = must_resolve(sources, "mine", "main");
    ck_assert_int_eq(commit.bench, 77);
    source_commit_free(&commit);
    ck_assert_str_eq(answer(PACKS), "0");
    sources_free(sources);
    sources = must_open("mine=upstream", NULL);
    ck_assert_str_eq(answer(PACKS), "1");
    sources_free(sources);
}
END_TEST

START_TEST(no_program_of_a_repository_s_configuration_is_run) {
    Sources *sources = must_open("mine=upstream", NULL);
    shell("printf '#!/bin/sh\\ntouch %s/ran\\n' \"$PWD\" >spy && chmod +x spy");
    shell("cd data/repositories/mine.git && git config diff.external ../../../spy && "
          "git config core.pager ../../../spy && git config gpg.program ../../../spy && "
          "git config log.showSignature true && git config core.fsmonitor ../../../spy && "
          "mkdir -p hooks && cp ../../../spy hooks/reference-transaction && "
          "git config diff.spied.textconv ../../../spy && mkdir -p info && "
          "echo '*.c diff=spied' >info/attributes");
    SourceCommit base = must_resolve(sources, "mine", "main");
    SourceCommit dev = must_resolve(sources, "mine", "feature/killer");
    Text text = {0};
    Error err = {0};
    bool ok = sources_difference(sources, "mine", base.sha, dev.sha, 1 << 16, &text, &err) ==
              DIFFERENCE_FOUND;
    ck_assert_msg(ok, "%s", err.text);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "\n+int a;\n"));
    char *zip = must_zip(sources, dev.sha);
    shell("test ! -e ran");
    /* A git that is asked otherwise runs the program. */
    shell("git -C data/repositories/mine.git diff main feature/killer && test -e ran");
    free(zip);
    text_free(&text);
    source_commit_free(&base);
    source_commit_free(&dev);
    sources_free(sources);
}
END_TEST

/* Strangers may ask for zips, so only commits of tests are packed. */
START_TEST(no_zip_is_made_of_a_commit_that_no_test_named) {
    Sources *sources = must_open("mine=upstream", NULL);
    Error err = {0};
    char sha[SOURCES_SHA_MAX];
    snprintf(sha, sizeof sha, "%s", answer("git -C upstream rev-parse main"));
    char *zip;
    ck_assert_int_eq(sources_zip(sources, "mine", sha, &zip, &err), ZIP_REFUSED);
    ck_assert_ptr_null(zip);
    ck_assert_ptr_nonnull(strstr(err.text, "no test has named this commit"));
    static const char *const BAD[] = {"main", "", "../../../etc/passwd", "--output=/tmp/x", "HEAD"};
    for (size_t i = 0; i < COUNT(BAD); i++)
        ck_assert_int_eq(sources_zip(sources, "mine", BAD[i], &zip, &err), ZIP_REFUSED);
    ck_assert_int_eq(sources_zip(sources, "../mine", sha, &zip, &err), ZIP_REFUSED);
    ck_assert_ptr_nonnull(strstr(err.text, "keeps no repository"));
    sources_free(sources);
}
END_TEST

START_TEST(a_tested_commit_stays_when_its_branch_goes) {
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit commit = must_resolve(sources, "mine", "feature/killer");
    shell("git -C upstream branch -qD feature/killer\n"
          "git -C data/repositories/mine.git branch -qD feature/killer");
    must_refuse(sources, "mine", "feature/killer", "no branch or tag 'feature/killer'");
    shell("git -C data/repositories/mine.git reflog expire --expire=now --all\n"
          "git -C data/repositories/mine.git gc -q --prune=now");
    char *zip = must_zip(sources, commit.sha);
    free(zip);
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

START_TEST(a_git_that_fails_has_not_said_that_a_commit_is_missing) {
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit commit = must_resolve(sources, "mine", "main");
    Error err = {0};
    char *zip;
    shell("mv data/repositories/mine.git away");
    ck_assert_int_eq(sources_zip(sources, "mine", commit.sha, &zip, &err), ZIP_FAULT);
    ck_assert_int_eq(sources_ref_zip(sources, "mine", "main", &zip, &err), ZIP_FAULT);
    ck_assert_int_eq(sources_ref_zip(sources, "mine", commit.sha, &zip, &err), ZIP_FAULT);
    shell("mv away data/repositories/mine.git");
    put_git("[ \"$1 $2\" != 'for-each-ref --count=1' ] && exec \"$GIT\" \"$@\"");
    ck_assert_int_eq(sources_ref_zip(sources, "mine", commit.sha, &zip, &err), ZIP_FOUND);
    free(zip);
    ck_assert_int_eq(sources_ref_zip(sources, "mine",
                                     answer("git -C upstream rev-parse feature/killer"), &zip,
                                     &err),
                     ZIP_FAULT);
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

/* git ends well, and finds no commit. */
START_TEST(a_damaged_repository_does_not_say_that_no_test_has_named_a_commit) {
    static const char *const DAMAGES[] = {
        ": >refs/kept/$SHA",
        "mv objects gone && mkdir -p objects/pack",
        "git pack-refs --all && mv objects gone && mkdir -p objects/pack",
        "rm -r refs/kept && touch refs/kept",
    };
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit commit = must_resolve(sources, "mine", "main");
    shell("cp -r data/repositories/mine.git whole");
    for (size_t i = 0; i < COUNT(DAMAGES); i++) {
        Error err = {0};
        char *zip;
        char *script = text_format("cd data/repositories/mine.git && SHA=%s && { %s; }", commit.sha,
                                   DAMAGES[i]);
        shell(script);
        free(script);
        ZipResult result = sources_zip(sources, "mine", commit.sha, &zip, &err);
        ck_assert_msg(result == ZIP_FAULT, "%s: result %d: %s", DAMAGES[i], result, err.text);
        ck_assert_msg(strstr(err.text, "the repository mine: "), "%s", err.text);
        shell("rm -r data/repositories/mine.git && cp -r whole data/repositories/mine.git");
    }
    free(must_zip(sources, commit.sha));
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

START_TEST(a_repository_without_an_upstream_takes_pushes) {
    Sources *sources = must_open("mine", NULL);
    must_refuse(sources, "mine", "main", "no branch or tag 'main'");
    Text push = {0};
    text_addf(&push, "git -C upstream push -q %s main feature/killer",
              sources_folder(sources, "mine"));
    shell(text_string(&push));
    SourceCommit commit = must_resolve(sources, "mine", "feature/killer");
    ck_assert_int_eq(commit.bench, 99);
    source_commit_free(&commit);
    sources_free(sources);
    /* The repository is the same one when the server starts again. */
    sources = must_open("mine", NULL);
    commit = must_resolve(sources, "mine", "main");
    ck_assert_int_eq(commit.bench, 1234);
    source_commit_free(&commit);
    sources_free(sources);
    text_free(&push);
}
END_TEST

/* A clone of the upstream can push to the kept repository: both have the same branches. */
START_TEST(a_pushed_branch_stays_beside_those_of_the_upstream) {
    Sources *sources = must_open("mine=upstream", NULL);
    Text push = {0};
    text_addf(&push, "git -C upstream push -q %s feature/killer:pushed",
              sources_folder(sources, "mine"));
    shell(text_string(&push));
    shell("git -C data/repositories/mine.git config fetch.prune true"); /* As many a user has it. */
    for (int i = 0; i < 2; i++) {
        SourceCommit commit = must_resolve(sources, "mine", "pushed");
        ck_assert_int_eq(commit.bench, 99);
        source_commit_free(&commit);
        SourceCommit main_branch = must_resolve(sources, "mine", "main");
        source_commit_free(&main_branch);
    }
    const char *kept_main = answer("git -C data/repositories/mine.git rev-parse main");
    char expected[SOURCES_SHA_MAX];
    snprintf(expected, sizeof expected, "%s", kept_main);
    ck_assert_str_eq(answer("git -C upstream rev-parse main"), expected);
    text_free(&push);
    sources_free(sources);
}
END_TEST

/* git cannot keep `a` beside `a/b`. */
START_TEST(a_branch_makes_way_for_one_below_its_name_or_above) {
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit commit;
    for (int i = 0; i < 2; i++) {
        shell(i == 0 ? "git -C upstream branch -qm feature/killer feature"
                     : "git -C upstream branch -qm feature feature/of/mine");
        commit = must_resolve(sources, "mine", i == 0 ? "feature" : "feature/of/mine");
        ck_assert_int_eq(commit.bench, 99);
        ck_assert_ptr_null(commit.doubt);
        source_commit_free(&commit);
    }
    commit = must_resolve(sources, "mine", "main");
    ck_assert_ptr_null(commit.doubt);
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

/* Words that git would read as options, other refs or paths. */
static const char *const BAD_REFS[] = {
    "",           "-h",        "--upload-pack=touch /tmp/x",
    "main..v1",   "main^",     "main~1",
    "HEAD@{1}",   ":/Killers", "refs/../../x",
    "a b",        "a\nb",      "feature/killer.lock",
    "feature//x", "/main",     "main/",
    ".hidden",    "a/.b",      "*",
    "a.lock/b",   "@",         "a.",
};

START_TEST(a_branch_has_any_name_that_git_takes) {
    static const char *const NAMES[] = {"smp.lockless", "joe@fix", "50%", "a#1", "curly{1}", "@x"};
    Sources *sources = must_open("mine=upstream", NULL);
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        char *command = text_format("git -C upstream branch '%s' main", NAMES[i]);
        shell(command);
        free(command);
        SourceCommit commit = must_resolve(sources, "mine", NAMES[i]);
        ck_assert_int_eq(commit.bench, 1234);
        source_commit_free(&commit);
    }
    sources_free(sources);
}
END_TEST

START_TEST(a_ref_that_is_none_never_reaches_git) {
    Sources *sources = must_open("mine=upstream", NULL);
    for (size_t i = 0; i < COUNT(BAD_REFS); i++)
        must_refuse(sources, "mine", BAD_REFS[i],
                    "is not a valid name of a branch, a tag or a commit");
    sources_free(sources);
}
END_TEST

START_TEST(an_unknown_commit_is_said_to_be_unknown) {
    Sources *sources = must_open("mine=upstream", NULL);
    must_refuse(sources, "mine", "missing", "no branch or tag 'missing'");
    must_refuse(sources, "mine", "0123456789012345678901234567890123456789", "there is no commit");
    must_refuse(sources, "other", "main", "Sources must be found on https://github.com/");
    must_refuse(sources, "file:///etc", "main", "Sources must be found on https://github.com/");
    must_refuse(sources, "https://github.com/../x", "main", "Sources must be found");
    must_refuse(sources, "https://github.com.evil.example/a/b", "main", "Sources must be found");
    must_refuse(sources, "https://github.com/a/b?x=y", "main", "Sources must be found");
    sources_free(sources);
}
END_TEST

static const struct {
    const char *word, *why;
} BAD_REPOS[] = {
    {"../mine=upstream", "is no name for a repository"},
    {"=upstream", "is no name for a repository"},
    {"-x=upstream", "is no name for a repository"},
    {"a/b=upstream", "is no name for a repository"},
    {"mine=", "is not the address of a repository"},
    {"mine=--upload-pack=true", "is not the address of a repository"},
    {"mine=nowhere", "nowhere: No such file or directory"},
    {"mine=data", "does not appear to be a git repository"},
    {"mine=ext::sh -c true", "transport 'ext' not allowed"},
};

START_TEST(a_repository_that_is_none_is_refused_at_the_start) {
    for (size_t i = 0; i < COUNT(BAD_REPOS); i++) {
        Error err = {0};
        const char *word = BAD_REPOS[i].word;
        Sources *sources = open_sources(word, NULL, NULL, &err);
        ck_assert_msg(sources == NULL, "--repo %s was taken", word);
        ck_assert_msg(strstr(err.text, BAD_REPOS[i].why), "--repo %s: '%s' says nothing of '%s'",
                      word, err.text, BAD_REPOS[i].why);
    }
}
END_TEST

/* Users read the fault of a fetch, and the address has the server's own token. */
START_TEST(the_fault_of_a_fetch_tells_no_password) {
    Error err = {0};
    ck_assert_ptr_null(
        open_sources("mine=http://me:token@127.0.0.1:1/engine.git", NULL, NULL, &err));
    ck_assert_msg(strstr(err.text, "the repository mine: git: "), "%s", err.text);
    ck_assert_msg(!strstr(err.text, "token"), "%s", err.text);
    ck_assert_msg(!strstr(err.text, "me:"), "%s", err.text);
}
END_TEST

/* The server starts, and branches are those that were fetched last or pushed here. */
START_TEST(an_upstream_that_is_away_holds_nothing_up) {
    Sources *sources = must_open("mine=upstream", NULL);
    sources_free(sources);
    sources = must_open("mine=http://127.0.0.1:1/engine.git", NULL);
    SourceCommit commit = must_resolve(sources, "mine", "feature/killer");
    ck_assert_int_eq(commit.bench, 99);
    ck_assert_msg(commit.doubt && strstr(commit.doubt, "the repository mine: git: "), "%s",
                  commit.doubt);
    SourceCommit digits = must_resolve(sources, "mine", commit.sha);
    ck_assert_ptr_null(digits.doubt); /* A commit does not move. */
    source_commit_free(&digits);
    must_refuse(sources, "mine", "missing", "the repository mine: git: ");
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

START_TEST(a_name_stands_for_one_repository) {
    Error err = {0};
    ck_assert_ptr_null(open_sources("mine=upstream", "Mine", NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "the name Mine stands twice"));
}
END_TEST

typedef struct {
    Sources *sources;
    const char *sha;
    char *zip;
    bool resolved;
} Asker;

static void *ask_often(void *user) {
    Asker *asker = user;
    SourceCommit commit;
    asker->resolved = sources_resolve(asker->sources, "mine", "main", NULL, &commit, NULL);
    if (asker->resolved)
        source_commit_free(&commit);
    sources_zip(asker->sources, "mine", asker->sha, &asker->zip, NULL);
    return NULL;
}

START_TEST(threads_share_the_repositories) {
    Sources *sources = must_open("mine=upstream", NULL);
    SourceCommit commit = must_resolve(sources, "mine", "main");
    pthread_t threads[THREADS];
    Asker askers[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        askers[i] = (Asker){.sources = sources, .sha = commit.sha};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_often, &askers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_msg(askers[i].resolved, "thread %d found no commit", i);
        ck_assert_msg(askers[i].zip != NULL, "thread %d got no zip", i);
        free(askers[i].zip);
    }
    source_commit_free(&commit);
    sources_free(sources);
}
END_TEST

enum { WAITING = 3, CROWD = 6 };

typedef struct {
    Sources *sources;
    const char *repo;
    atomic_int *answered;
    SourceCommit commit;
    bool found;
} Waiter;

static void *wait_for_upstream(void *user) {
    Waiter *waiter = user;
    waiter->found =
        sources_resolve(waiter->sources, waiter->repo, "main", NULL, &waiter->commit, NULL);
    atomic_fetch_add(waiter->answered, 1);
    return NULL;
}

/* The server's threads are few, and others' requests need one too. Nobody answers for GitHub, which
 * is told of a repository that is asked for alone. */
START_TEST(a_few_requests_alone_wait_for_all_upstreams_and_github) {
    static const char ON_GITHUB[] = "https://github.com/ada/engine";
    static const char REFUSAL[] = "3 requests wait for upstreams or for GitHub";
    Error err = {0};
    Sources *sources = open_sources("mine=upstream", "own=upstream", "http://127.0.0.1:1", &err);
    ck_assert_msg(sources != NULL, "%s", err.text);
    pthread_t threads[CROWD];
    Waiter waiters[CROWD] = {0};
    atomic_int answered = 0;
    int doubts = 0;
    put_git("for word; do while [ \"$word\" = fetch ] && [ ! -e \"$TOP/go\" ]; do sleep 0.05; "
            "done; done; exec \"$GIT\" \"$@\"");
    for (int i = 0; i < CROWD; i++) {
        waiters[i] =
            (Waiter){.sources = sources, .repo = i % 2 ? "mine" : "own", .answered = &answered};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_upstream, &waiters[i]), 0);
    }
    while (atomic_load(&answered) < CROWD - WAITING)
        usleep(10000);
    must_refuse(sources, ON_GITHUB, "main", REFUSAL);
    shell("touch go");
    for (int i = 0; i < CROWD; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_msg(waiters[i].found, "thread %d found no commit", i);
        const char *doubt = waiters[i].commit.doubt;
        ck_assert_msg(!doubt || strstr(doubt, REFUSAL), "%s", doubt);
        doubts += doubt != NULL;
        source_commit_free(&waiters[i].commit);
    }
    ck_assert_int_eq(doubts, CROWD - WAITING);
    for (int i = 0; i <= WAITING; i++) /* What has been answered waits no longer. */
        must_refuse(sources, ON_GITHUB, "main", "http://127.0.0.1:1/repos/ada/engine/");
    sources_free(sources);
}
END_TEST

/* ---- GitHub ---- */

static const char GITHUB_BRANCH[] =
    "{\"commit\": {\"sha\": \"0123456789abcdef0123456789abcdef01234567\","
    " \"commit\": {\"message\": \"Do it\\n\\nBench: 5\"}}}";
static const char GITHUB_COMMIT[] = "{\"sha\": \"fedcba9876543210fedcba9876543210fedcba98\","
                                    " \"commit\": {\"message\": \"Tagged\"}}";

START_TEST(a_commit_on_github_is_asked_for_by_its_api) {
    static const char REPO[] = "https://github.com/ada/engine/";
    Double *github = double_start();
    double_serve(github, "/repos/ada/engine/branches/main", "application/json", GITHUB_BRANCH,
                 strlen(GITHUB_BRANCH));
    double_serve(github, "/repos/ada/engine/commits/v1", "application/json", GITHUB_COMMIT,
                 strlen(GITHUB_COMMIT));
    double_serve(github, "/repos/ada/engine/branches/broken", "application/json", "[]", 2);
    double_serve(github, "/repos/ada/engine/branches/proxy", "text/html", "<html>", 6);
    char *api = mem_strndup(double_url(github), strlen(double_url(github)));
    api[strcspn(api + strlen("http://"), "/") + strlen("http://")] = '\0';
    Error err = {0};
    Sources *sources = open_sources("mine", NULL, api, &err);
    ck_assert_msg(sources != NULL, "%s", err.text);

    SourceCommit branch = must_resolve(sources, REPO, "main");
    ck_assert_str_eq(branch.sha, "0123456789abcdef0123456789abcdef01234567");
    ck_assert_int_eq(branch.bench, 5);
    Text zip = {0};
    text_addf(&zip, "%s/repos/ada/engine/zipball/%s", api, branch.sha);
    ck_assert_str_eq(branch.source, text_string(&zip));
    SourceCommit tag = must_resolve(sources, REPO, "v1");
    ck_assert_str_eq(tag.sha, "fedcba9876543210fedcba9876543210fedcba98");
    ck_assert_int_eq(tag.bench, 0);
    double_replace(github, "/repos/ada/engine/branches/limit", DOUBLE_INSTEAD, 403,
                   "{\"message\": \"API rate limit exceeded for 192.0.2.1.\"}");
    must_refuse(sources, REPO, "limit",
                "status 403: API rate limit exceeded for 192.0.2.1. (try again later, or keep the "
                "repository here: --repo NAME=URL)");
    double_replace(github, "/repos/ada/engine/branches/limit", DOUBLE_INSTEAD, 429, "slow down");
    must_refuse(sources, REPO, "limit", "status 429 (try again later");
    double_replace(github, "/repos/ada/engine/branches/token", DOUBLE_INSTEAD, 401,
                   "{\"message\": \"Bad credentials\"}");
    must_refuse(sources, REPO, "token", "status 401: Bad credentials");
    must_refuse(sources, REPO, "missing", "missing could not be found");
    must_refuse(sources, REPO, "broken", "GitHub's answer describes no commit");
    must_refuse(sources, REPO, "proxy", "/repos/ada/engine/branches/proxy: not JSON");

    text_free(&zip);
    source_commit_free(&branch);
    source_commit_free(&tag);
    sources_free(sources);
    free(api);
    double_stop(github);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_branch_a_tag_and_forty_digits_name_a_commit);
    tcase_add_test(tests, a_branch_of_the_upstream_is_read_again_each_time);
    tcase_add_test(tests, an_upstream_may_be_a_shallow_clone);
    tcase_add_test(tests, an_upstream_of_another_user_is_refused_with_the_remedy);
    tcase_add_test(tests, a_zip_has_the_commit_in_one_folder);
    tcase_add_test(tests, two_commits_differ_by_commits_and_lines);
    tcase_add_test(tests, of_a_long_difference_the_start_is_shown_and_the_cut_said);
    tcase_add_test(tests, a_difference_is_looked_for_once);
    tcase_add_test(tests, git_is_ended_when_no_more_is_shown);
    tcase_add_test(tests, a_git_that_fails_has_not_said_that_no_difference_is_kept);
    tcase_add_test(tests, git_looks_for_one_difference_at_a_time);
    tcase_add_test(tests, one_stranger_asks_for_a_branch_at_a_time);
    tcase_add_test(tests, a_slow_upstream_that_a_stranger_asked_for_is_asked_again_for_a_user);
    tcase_add_test(tests, git_tidies_a_repository_at_the_start_alone);
    tcase_add_test(tests, no_program_of_a_repository_s_configuration_is_run);
    tcase_add_test(tests, no_zip_is_made_of_a_commit_that_no_test_named);
    tcase_add_test(tests, a_tested_commit_stays_when_its_branch_goes);
    tcase_add_test(tests, a_git_that_fails_has_not_said_that_a_commit_is_missing);
    tcase_add_test(tests, a_damaged_repository_does_not_say_that_no_test_has_named_a_commit);
    tcase_add_test(tests, a_repository_without_an_upstream_takes_pushes);
    tcase_add_test(tests, a_pushed_branch_stays_beside_those_of_the_upstream);
    tcase_add_test(tests, a_branch_makes_way_for_one_below_its_name_or_above);
    tcase_add_test(tests, a_branch_has_any_name_that_git_takes);
    tcase_add_test(tests, a_ref_that_is_none_never_reaches_git);
    tcase_add_test(tests, an_unknown_commit_is_said_to_be_unknown);
    tcase_add_test(tests, a_repository_that_is_none_is_refused_at_the_start);
    tcase_add_test(tests, the_fault_of_a_fetch_tells_no_password);
    tcase_add_test(tests, an_upstream_that_is_away_holds_nothing_up);
    tcase_add_test(tests, a_name_stands_for_one_repository);
    tcase_add_test(tests, threads_share_the_repositories);
    tcase_add_test(tests, a_few_requests_alone_wait_for_all_upstreams_and_github);
    tcase_add_test(tests, a_commit_on_github_is_asked_for_by_its_api);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    Error err = {0};
    if (!http_init(&err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    int status = run_tests("sources", add_tests);
    http_cleanup();
    return status;
}
