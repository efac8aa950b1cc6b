/* SPDX-License-Identifier: MIT */
/* Branches that are made from flags: their commits, and what is refused before there is one. */
#include <stdlib.h>

#include "tools/openbench_double.h"
#include "tools/submit_rig.h"

START_TEST(flags_become_a_branch_with_its_bench_and_a_test) {
    char *before = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    SUBMIT(0, "--flag", "KILLER=0", "--flag", "W_PV=-512", REPO, "--push", "origin");
    expect_in("out", "test 1000: lmr-killer-ignore-w_pv-minus512 against main: http://127.0.0.1:");
    expect_in("out", "/test/1000/\n");
    /* The files and the index are as they were, and no branch was switched to. */
    char *after = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    ck_assert_str_eq(before, after);
    /* One commit on top of main, with the two rows and the bench that its own build has. */
    const char branch[] = "lmr-killer-ignore-w_pv-minus512";
    expect_answer("git rev-list --count main..lmr-killer-ignore-w_pv-minus512", "1");
    expect_answer("git diff --numstat main lmr-killer-ignore-w_pv-minus512",
                  "2\t2\tengine/lmr/flags.def");
    expect_answer("git log -1 --format='%an %ae|%s' lmr-killer-ignore-w_pv-minus512",
                  "Ada L ada@localhost|Set KILLER to ignore, W_PV to -512");
    expect_answer("git worktree list | wc -l", "1");
    expect_answer("mkdir ../t && git archive lmr-killer-ignore-w_pv-minus512 | tar x -C ../t && "
                  "make -s -C ../t/engine EXE=e >/dev/null && echo \"Bench: $(../t/engine/e | cut "
                  "-d' ' -f1)\" "
                  ">../wanted && git log -1 --format=%B lmr-killer-ignore-w_pv-minus512 | "
                  "grep Bench: | cmp - ../wanted && echo same",
                  "same");
    expect_answer("git --git-dir ../origin.git rev-parse lmr-killer-ignore-w_pv-minus512 >../a; "
                  "git rev-parse lmr-killer-ignore-w_pv-minus512 | cmp - ../a && echo same",
                  "same");
    expect_answer("ls .. | grep obworker-", "");
    expect_field(0, "dev_branch", branch);
    expect_field(0, "base_branch", "main");
    expect_field(0, "dev_bench", "");
    expect_field(0, "base_bench", "");
    expect_field(0, "dev_engine", "Reductio");
    expect_field(0, "dev_repo", "https://git.example/a/b");
    free(before);
    free(after);
}
END_TEST

START_TEST(a_branch_may_change_flags_and_the_numbers_of_the_search) {
    REFUSE("LATE_BASE=65 is out of range 0..64", "--flag", "LATE_BASE=65", REPO);
    SUBMIT(0, "--flag", "KILLER=0", "--flag", "LATE_BASE=4", REPO, "--push", "origin");
    expect_answer("git diff --numstat main lmr-killer-ignore-late_base-4 | tr '\\n' ' '",
                  "1\t1\tengine/lmr/flags.def 1\t1\tengine/search/params.def ");
}
END_TEST

START_TEST(an_older_engine_has_the_table_of_the_flags_alone) {
    free(answer("git rm -q engine/search/params.def && git commit -qm 'Second' && "
                "git push -q origin main"));
    REFUSE("unknown row LATE_BASE", "--flag", "LATE_BASE=4", REPO);
    SUBMIT(0, "--flag", "W_PV=0", REPO, "--push", "origin");
    expect_answer("git diff --numstat main lmr-w_pv-0", "1\t1\tengine/lmr/flags.def");
}
END_TEST

START_TEST(flags_that_change_nothing_are_warned_of) {
    SUBMIT(0, "--flag", "STATS=1", REPO);
    expect_in("log",
              "warning: lmr-stats-1: its bench is the base's: these rows may change nothing");
}
END_TEST

/* ---- What is refused ---- */

START_TEST(a_dirty_tree_is_refused) {
    shell("echo more >>notes");
    REFUSE("notes is changed: commit it or put it away", "--flag", "KILLER=0", REPO);
}
END_TEST

START_TEST(a_detached_head_is_refused) {
    shell("git checkout -q --detach");
    REFUSE("the head is on no branch: git switch main", "--flag", "KILLER=0", REPO);
}
END_TEST

START_TEST(a_user_without_a_name_is_refused) {
    shell("git config --unset user.name && git config --unset user.email && "
          "git config user.useConfigOnly true");
    REFUSE("git has no name for the commit's author: git config user.name NAME", "--flag",
           "KILLER=0", REPO);
}
END_TEST

START_TEST(a_branch_that_exists_is_refused) {
    shell("git branch lmr-killer-ignore && git branch mine");
    REFUSE("there is a branch 'lmr-killer-ignore' already", "--flag", "KILLER=0", REPO);
    REFUSE("there is a branch 'mine' already", "--flag", "KILLER=0", "--branch", "mine", REPO);
    REFUSE("main is the base branch: give the new branch another name with --branch", "--flag",
           "KILLER=0", "--branch", "main", REPO);
    shell("git push -q origin mine && git branch -qD mine");
    REFUSE("--push origin: it has a branch 'mine' already", "--flag", "KILLER=0", "--branch",
           "mine", REPO, "--push", "origin");
}
END_TEST

START_TEST(a_remote_that_is_missing_or_behind_is_refused) {
    REFUSE("--push: there is no remote 'upstream'", "--flag", "KILLER=0", REPO, "--push",
           "upstream");
    shell("git remote add gone ../gone.git");
    REFUSE("--push gone: git: '../gone.git' does not appear to be a git repository", "--flag",
           "KILLER=0", REPO, "--push", "gone");
    shell("git commit -q --allow-empty -m Ahead");
    REFUSE("--push origin: its main is ", "--flag", "KILLER=0", REPO, "--push", "origin");
    shell("git --git-dir ../origin.git branch -m main trunk");
    REFUSE("--push origin: it has no branch 'main'", "--flag", "KILLER=0", REPO, "--push",
           "origin");
    REFUSE("--repo: is missing", "--flag", "KILLER=0");
}
END_TEST

START_TEST(what_cannot_be_built_or_benched_is_refused) {
    REFUSE("lmr-broken-1: make exited with status 2: ", "--flag", "BROKEN=1", REPO);
    REFUSE("BROKEN is 1", "--flag", "BROKEN=1", REPO);
    REFUSE("lmr-silent-1: its bench failed: it prints no node count", "--flag", "SILENT=1", REPO);
    REFUSE("main has no src/lmr/flags.def: --flag, --each and --tune change this project's tables "
           "(--build-path names their engine's folder); another engine's branch is submitted with "
           "--branch",
           "--flag", "KILLER=0", REPO, "--build-path", "src");
}
END_TEST

START_TEST(a_flag_that_there_is_not_is_refused) {
    REFUSE("main's engine/lmr/flags.def: unknown row KILLR (did you mean KILLER?)", "--flag",
           "KILLR=0", REPO);
    REFUSE("W_PV=9999 is out of range -4096..4096", "--flag", "W_PV=9999", REPO);
    REFUSE("KILLER is by-weight already", "--flag", "KILLER=2", REPO);
    REFUSE("--each: lmr-w_pv-0 is asked for twice", "--each", "W_PV=0", "--each", "W_PV=00", REPO);
    REFUSE_USAGE("KILLER is given twice", "--flag", "KILLER=0,KILLER=1", REPO);
    REFUSE_USAGE("\"KILLER\" is not of the form ROW=VALUE", "--flag", "KILLER", REPO);
    REFUSE_USAGE("--each: KILLER is given twice", "--each", "KILLER=0,KILLER=1", REPO);
    REFUSE_USAGE("--each: KILLER is given twice", "--flag", "KILLER=0", "--each", "KILLER=1", REPO);
    REFUSE_USAGE("--flag: \"KILLER\" is not of the form", "--flag", "KILLER", "--each", "W_PV=0",
                 REPO);
    REFUSE_USAGE(
        "what is to be tested? Give one of --flag ROW=VALUE, --each, --branch, --tune, --params",
        REPO);
    REFUSE_USAGE("--each: names no row", "--each", "", REPO);
}
END_TEST

START_TEST(a_remote_is_asked_where_it_is_pushed_to) {
    shell("git push -q origin main:mine && git init -q --bare ../upstream.git && "
          "git remote set-url origin ../upstream.git && "
          "git remote set-url --push origin ../origin.git");
    REFUSE("--push origin: it has a branch 'mine' already", "--flag", "KILLER=0", "--branch",
           "mine", REPO, "--push", "origin");
    SUBMIT(0, "--flag", "KILLER=0", REPO, "--push", "origin");
}
END_TEST

/* The names of all branches are longer than an answer of git that is kept. */
START_TEST(a_remote_may_have_thousands_of_branches) {
    shell("awk -v sha=$(git rev-parse main) 'BEGIN { while (i++ < 6000) "
          "printf \"%s refs/heads/z-%0180d\\n\", sha, i }' >>../origin.git/packed-refs && "
          "git push -q origin main:aaa");
    REFUSE("--push origin: it has a branch 'aaa' already", "--flag", "KILLER=0", "--branch", "aaa",
           REPO, "--push", "origin");
    SUBMIT(0, "--flag", "KILLER=0", REPO, "--push", "origin");
}
END_TEST

START_TEST(a_name_that_git_cannot_create_is_refused) {
    shell("git branch killer && git branch mine/one && git switch -q killer && "
          "git switch -q main");
    REFUSE("--branch: there is a branch 'killer' already, which leaves no room for 'killer/a/b'",
           "--flag", "KILLER=0", "--branch", "killer/a/b", REPO);
    REFUSE("--branch: there is a branch 'mine/one' already, which leaves no room for 'mine'",
           "--flag", "KILLER=0", "--branch", "mine", REPO);
    REFUSE("--branch: '@{-1}' is not a valid name for a branch", "--flag", "KILLER=0", "--branch",
           "@{-1}", REPO);
    SUBMIT(0, "--flag", "KILLER=0", "--branch", "mine/two", REPO);
}
END_TEST

/* Whoever is interrupted gets no test. Answers that git did not give are taken for none. */
START_TEST(an_interrupt_of_git_ends_the_command) {
    static const char *const RUNS[] = {"symbolic-ref",
                                       "remote get-url",
                                       "rev-parse --show-toplevel",
                                       "rev-parse --verify",
                                       "for-each-ref",
                                       "ls-remote",
                                       "var",
                                       "check-ref-format",
                                       "checkout-index",
                                       "show-ref",
                                       "commit-tree"};
    interrupt_git(RUNS[_i]);
    REFUSE("error: interrupted\n", "--flag", "KILLER=0", REPO, "--push", "origin");
}
END_TEST

/* The branch is at the remote; here, it came into being meanwhile. */
START_TEST(a_fault_behind_the_push_tells_the_way_on) {
    shell("printf '#!/bin/sh\\ngit branch lmr-killer-ignore\\n' >.git/hooks/pre-push && "
          "chmod +x .git/hooks/pre-push");
    SUBMIT(1, "--flag", "KILLER=0", REPO, "--push", "origin");
    expect_in("log", "the branch lmr-killer-ignore is made; once the reason is gone: obworker "
                     "submit --branch lmr-killer-ignore, with");
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
}
END_TEST

START_TEST(a_push_that_fails_leaves_no_branch) {
    char *before = state_of_things();
    shell("printf '#!/bin/sh\\nexit 1\\n' >../origin.git/hooks/pre-receive && "
          "chmod +x ../origin.git/hooks/pre-receive");
    SUBMIT(1, "--flag", "KILLER=0", REPO, "--push", "origin");
    expect_in("log", "error: --push origin: git: ");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
    free(before);
    free(after);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, flags_become_a_branch_with_its_bench_and_a_test);
    tcase_add_test(tests, a_branch_may_change_flags_and_the_numbers_of_the_search);
    tcase_add_test(tests, an_older_engine_has_the_table_of_the_flags_alone);
    tcase_add_test(tests, flags_that_change_nothing_are_warned_of);
    tcase_add_test(tests, a_dirty_tree_is_refused);
    tcase_add_test(tests, a_detached_head_is_refused);
    tcase_add_test(tests, a_user_without_a_name_is_refused);
    tcase_add_test(tests, a_branch_that_exists_is_refused);
    tcase_add_test(tests, a_remote_that_is_missing_or_behind_is_refused);
    tcase_add_test(tests, what_cannot_be_built_or_benched_is_refused);
    tcase_add_test(tests, a_flag_that_there_is_not_is_refused);
    tcase_add_test(tests, a_remote_is_asked_where_it_is_pushed_to);
    tcase_add_test(tests, a_remote_may_have_thousands_of_branches);
    tcase_add_test(tests, a_name_that_git_cannot_create_is_refused);
    tcase_add_loop_test(tests, an_interrupt_of_git_ends_the_command, 0, 11);
    tcase_add_test(tests, a_fault_behind_the_push_tells_the_way_on);
    tcase_add_test(tests, a_push_that_fails_leaves_no_branch);
}

int main(int argc, char **argv) {
    return run_submit_tests(argc, argv, "proposal", add_tests);
}
