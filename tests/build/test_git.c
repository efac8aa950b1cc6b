/* SPDX-License-Identifier: MIT */
/* The address of a repository on the web, by the address that git has of it; the bench in a
 * commit's message; the digest of changes that are not committed. */
#include <check.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/tree.h"
#include "build/git.h"
#include "build/snapshot.h"
#include "runner.h"
#include "tools/temporary.h"

static const struct {
    const char *remote, *wanted; /* NULL: the remote has no such address. */
    bool is_public;
} CASES[] = {
    {"https://github.com/me/engine.git", "https://github.com/me/engine", true},
    {"https://github.com/me/engine", "https://github.com/me/engine", true},
    {"https://github.com/me/engine/", "https://github.com/me/engine", true},
    {"https://me:secret@codeberg.org/me/engine.git/", "https://codeberg.org/me/engine", true},
    {"git@github.com:me/engine.git", "https://github.com/me/engine", true},
    {"github.com:me/engine.git", "https://github.com/me/engine", true},
    {"git@gitlab.com:group/sub/engine.git", "https://gitlab.com/group/sub/engine", true},
    {"git@gitlab.com:/group/engine.git", "https://gitlab.com/group/engine", true},
    {"ssh://git@codeberg.org/me/engine.git", "https://codeberg.org/me/engine", true},
    {"https://git.example.org:8443/me/engine", "https://git.example.org:8443/me/engine", true},
    {"ssh://git@codeberg.org:2222/me/engine", "https://codeberg.org/me/engine", true},
    {"git://git.example.org/engine.git", "https://git.example.org/engine", true},
    {"http://git.example.org:8080/me/engine.git", "http://git.example.org:8080/me/engine", false},
    {"git@server:engine.git", "https://server/engine", false}, /* A name of this network. */
    {"https://localhost/me/engine.v2", "https://localhost/me/engine.v2", false},
    {"/home/me/engine.git", NULL, false},
    {"../engine", NULL, false},
    {"file:///home/me/engine", NULL, false},
    {"C:/engines/mine", NULL, false},
    {"server:engine.git", NULL, false},
    {"https://github.com", NULL, false},
    {"https://github.com/", NULL, false},
    {"https://github.com/.git", NULL, false},
    {"https:///me/engine", NULL, false},
    {"https://github.com/me/\"><script>", NULL, false},
    {"https://git\"hub.com/me/engine", NULL, false},
    {"", NULL, false},
};

START_TEST(the_address_on_the_web_is_found) {
    char *address = git_web_address(CASES[_i].remote);
    ck_assert_msg((address != NULL) == (CASES[_i].wanted != NULL), "%s: %s", CASES[_i].remote,
                  address != NULL ? address : "no address");
    if (address != NULL) {
        ck_assert_str_eq(address, CASES[_i].wanted);
        ck_assert_msg(git_is_public(address) == CASES[_i].is_public, "%s: public or not?", address);
    }
    free(address);
}
END_TEST

enum { WORDS_MAX = 8 };

static void run_all(const GitPlace *place, const char *const commands[][WORDS_MAX], size_t count) {
    Error err = {0};
    for (size_t i = 0; i < count; i++) {
        const char *words[WORDS_MAX + 1] = {NULL};
        for (size_t k = 0; k < WORDS_MAX; k++)
            words[k] = commands[i][k];
        ck_assert_msg(git_run(place, words, NULL, &err), "%s", err.text);
    }
}

/* Writes a file of so many equal lines. */
static void write_lines(const char *in, const char *name, const char *line, int count) {
    Text path = {0};
    text_addf(&path, "%s/%s", in, name);
    FILE *file = fopen(text_string(&path), "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s\n", line);
    ck_assert_int_eq(fclose(file), 0);
    text_free(&path);
}

/* git warns, on stderr, of a branch and a tag of one name, and answers all the same. */
START_TEST(a_warning_is_no_part_of_the_answer) {
    static const char *const COMMANDS[][WORDS_MAX] = {
        {"init", "-q"},
        {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty",
         "--message=a"},
        {"branch", "v1"},
        {"tag", "v1"},
    };
    static const char *const ASK[] = {"rev-parse", "--verify", "v1", NULL};
    static const char *const WRONG[] = {"rev-parse", "--verify", "v2", NULL};
    char folder[TEMPORARY_SIZE];
    temporary_folder(folder, sizeof folder, "test_git");
    const GitPlace place = {.folder = folder};
    Error err = {0};
    run_all(&place, COMMANDS, COUNT(COMMANDS));
    char *head = git_commit(folder, "HEAD", &err);
    char *answer = git_ask(&place, ASK, &err);
    char *commit = git_commit(folder, "v1", &err);
    ck_assert_msg(head != NULL && answer != NULL && commit != NULL, "%s", err.text);
    ck_assert_str_eq(answer, head);
    ck_assert_str_eq(commit, head);
    ck_assert_ptr_null(git_ask(&place, WRONG, &err));
    ck_assert_str_eq(err.text, "git: Needed a single revision");
    free(head);
    free(answer);
    free(commit);
    ck_assert_msg(tree_remove(folder, &err), "%s", err.text);
}
END_TEST

/* A commit is missing only when git says so. */
START_TEST(a_fault_of_git_is_no_missing_commit) {
    static const char *const COMMANDS[][WORDS_MAX] = {{"init", "-q"}};
    static const char *const MISSING[] = {"HEAD", "v1^", "0123456789abcdef", "", "-q"};
    char folder[TEMPORARY_SIZE];
    temporary_folder(folder, sizeof folder, "test_git");
    Error err = {0};
    run_all(&(GitPlace){.folder = folder}, COMMANDS, COUNT(COMMANDS));
    for (size_t i = 0; i < COUNT(MISSING); i++) {
        char *why = text_format("there is no commit '%s' in the repository %s", MISSING[i], folder);
        ck_assert_ptr_null(git_commit(folder, MISSING[i], &err));
        ck_assert_str_eq(err.text, why);
        free(why);
    }
    write_lines(folder, ".git/config", "[", 1);
    char *why = text_format("commit 'HEAD' of the repository %s: git: bad config line 1 in file "
                            ".git/config",
                            folder);
    ck_assert_ptr_null(git_commit(folder, "HEAD", &err));
    ck_assert_str_eq(err.text, why);
    free(why);
    ck_assert_msg(tree_remove(folder, &err), "%s", err.text);
}
END_TEST

/* ssh says why before git says that it failed, and ends its lines with CR LF. */
START_TEST(an_error_of_git_has_the_line_before_it) {
    static const char *const SSH[] = {
        "GIT_SSH_VARIANT=simple",
        "GIT_SSH_COMMAND=refuse() { printf 'ssh: port 22: Connection refused\\r\\n' >&2; exit 255; "
        "}; refuse",
        NULL};
    static const char *const ASK[] = {"ls-remote", "hub:engine.git", NULL};
    Error err = {0};
    ck_assert_ptr_null(git_ask(&(GitPlace){.env = SSH}, ASK, &err));
    ck_assert_str_eq(err.text, "git: Could not read from remote repository. (ssh: port 22: "
                               "Connection refused)");
}
END_TEST

START_TEST(a_machine_without_git_is_told_to_install_it) {
    static const char *const ASK[] = {"--version", NULL};
    char folder[TEMPORARY_SIZE];
    Error err = {0};
    temporary_folder(folder, sizeof folder, "test_git");
    setenv("PATH", folder, 1);
    ck_assert_ptr_null(git_ask(&(GitPlace){0}, ASK, &err));
    ck_assert_str_eq(err.text, "git: no such program on PATH: install git");
}
END_TEST

/* The folder alone chooses the repository. */
START_TEST(git_has_the_users_settings_but_no_other_repository) {
    static const char *const PASSED[] = {"GIT_SSL_CAINFO=/a", "GIT_PROXY_COMMAND=/a",
                                         "GIT_HTTP_USER_AGENT=a", "GIT_SSH_COMMAND=/a",
                                         "https_proxy=http://a.example"};
    static const char *const ASK[] = {"-c", "alias.list=!env", "list", NULL};
    Error err = {0};
    Text out = {0};
    for (size_t i = 0; i < COUNT(PASSED); i++)
        ck_assert_int_eq(putenv((char *)(uintptr_t)PASSED[i]), 0);
    setenv("GIT_DIR", "/nowhere", 1);
    ck_assert_msg(git_run(&(GitPlace){0}, ASK, &out, &err), "%s", err.text);
    for (size_t i = 0; i < COUNT(PASSED); i++)
        ck_assert_msg(strstr(text_string(&out), PASSED[i]) != NULL, "%s is lost in %s", PASSED[i],
                      text_string(&out));
    ck_assert_ptr_null(strstr(text_string(&out), "GIT_DIR=/nowhere"));
    text_free(&out);
}
END_TEST

/* The difference of the many lines alone is longer than what is kept of git's answers. */
START_TEST(the_digest_of_changes_knows_every_change_beside_a_long_one) {
    enum { MANY = 400000 };
    static const char *const COMMANDS[][WORDS_MAX] = {
        {"init", "-q"},
        {"add", "."},
        {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--message=a"},
    };
    static const char *const FEW[] = {"old", "new", "newer", "new"};
    char folder[TEMPORARY_SIZE];
    char *digests[COUNT(FEW)];
    Error err = {0};
    temporary_folder(folder, sizeof folder, "test_git");
    const GitPlace place = {.folder = folder};
    write_lines(folder, "a", FEW[0], 1);
    write_lines(folder, "b", "before", MANY);
    run_all(&place, COMMANDS, COUNT(COMMANDS));
    ck_assert_ptr_null(snapshot_changes(folder));
    write_lines(folder, "b", "behind", MANY);
    for (size_t i = 0; i < COUNT(FEW); i++) {
        write_lines(folder, "a", FEW[i], 1);
        digests[i] = snapshot_changes(folder);
        ck_assert_ptr_nonnull(digests[i]);
    }
    ck_assert_str_ne(digests[0], digests[1]);
    ck_assert_str_ne(digests[1], digests[2]);
    ck_assert_str_eq(digests[1], digests[3]);
    for (size_t i = 0; i < COUNT(FEW); i++)
        free(digests[i]);
    ck_assert_msg(tree_remove(folder, &err), "%s", err.text);
}
END_TEST

/* The list of the many files alone is longer than what is kept of git's answers. */
START_TEST(the_digest_of_a_snapshot_knows_every_file_beside_many) {
    enum { MANY = 5000 };
    static const char *const COMMANDS[][WORDS_MAX] = {
        {"init", "-q"},
        {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty",
         "--message=a"},
    };
    static const char *const FIRST[] = {"old", "new"};
    char folder[TEMPORARY_SIZE];
    Snapshot snapshots[COUNT(FIRST)] = {{0}};
    Error err = {0};
    temporary_folder(folder, sizeof folder, "test_git");
    const GitPlace place = {.folder = folder};
    run_all(&place, COMMANDS, COUNT(COMMANDS));
    for (int i = 0; i < MANY; i++) {
        char *name = text_format("b%0200d", i);
        write_lines(folder, name, "", 1);
        free(name);
    }
    for (size_t i = 0; i < COUNT(FIRST); i++) {
        write_lines(folder, "a", FIRST[i], 1);
        ck_assert_msg(snapshot_take(&snapshots[i], folder, &err), "%s", err.text);
    }
    ck_assert_str_ne(snapshots[0].changes, snapshots[1].changes);
    for (size_t i = 0; i < COUNT(FIRST); i++)
        snapshot_free(&snapshots[i]);
    ck_assert_msg(tree_remove(folder, &err), "%s", err.text);
}
END_TEST

START_TEST(the_last_number_behind_the_word_bench_or_nodes_counts) {
    static const struct {
        const char *message;
        int64_t bench;
    } MESSAGES[] = {
        {"Do it\n\nBench: 123\n", 123},
        {"bench:456", 456},
        {"BENCH 7", 7},
        {"Nodes = 1,234,567", 1234567},
        {"Bench: 1\nBench: 2", 2},
        {"Bench: 1 and nodes: 3", 3},
        {"Run the bench: it is slow", 0},
        {"bench123", 0},
        {"Bench: 99999999999999999999", 0},
        {"", 0},
    };
    for (size_t i = 0; i < COUNT(MESSAGES); i++)
        ck_assert_msg(git_message_bench(MESSAGES[i].message) == MESSAGES[i].bench,
                      "'%s': got %" PRId64 ", wanted %" PRId64, MESSAGES[i].message,
                      git_message_bench(MESSAGES[i].message), MESSAGES[i].bench);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, the_address_on_the_web_is_found, 0, COUNT(CASES));
    tcase_add_test(tests, a_warning_is_no_part_of_the_answer);
    tcase_add_test(tests, a_fault_of_git_is_no_missing_commit);
    tcase_add_test(tests, an_error_of_git_has_the_line_before_it);
    tcase_add_test(tests, a_machine_without_git_is_told_to_install_it);
    tcase_add_test(tests, git_has_the_users_settings_but_no_other_repository);
    tcase_add_test(tests, the_digest_of_changes_knows_every_change_beside_a_long_one);
    tcase_add_test(tests, the_digest_of_a_snapshot_knows_every_file_beside_many);
    tcase_add_test(tests, the_last_number_behind_the_word_bench_or_nodes_counts);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("git", add_tests);
}
