/* SPDX-License-Identifier: MIT */
/* The benches that a form has: what commits say, and what is measured here when they say none. */
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "tools/submit_rig.h"

START_TEST(a_base_without_a_bench_line_is_given_one_in_the_form) {
    shell("git commit -q --allow-empty -m 'Nothing said'");
    SUBMIT(0, "--flag", "KILLER=0", REPO);
    char *bench = answer("cat ../bench");
    expect_field(0, "base_bench", bench);
    free(bench);
}
END_TEST

/* The commit of main says its bench; that of the branch, which is at the remote, does not. */
static const char make_silent_branch[] =
    "git switch -q -c quiet && sed -i 's/-1024 /-512 /' engine/lmr/flags.def && "
    "git commit -qam 'Reduce less' && git push -q origin quiet && git switch -q main";

START_TEST(a_branch_without_a_bench_line_is_benched_here) {
    shell(make_silent_branch);
    SUBMIT(0, "--branch", "quiet", REPO);
    char *bench = answer("git switch -q quiet && make -s -C engine EXE=$PWD/../quiet >/dev/null && "
                         "git switch -q main && ../quiet | cut -d' ' -f1");
    expect_field(0, "dev_bench", bench);
    expect_field(0, "base_bench", "");
    expect_in("log", "its commit says no bench: building");
    free(bench);
}
END_TEST

/* The form has the address as the server spells it. */
START_TEST(a_remote_whose_address_is_spelt_otherwise_is_the_same) {
    shell(make_silent_branch);
    shell("git remote set-url --push origin ssh://GIT.example/A/b.git");
    SUBMIT(0, "--branch", "quiet", REPO);
    expect_in("log", "its commit says no bench: building");
}
END_TEST

START_TEST(a_repository_that_the_server_keeps_is_the_one_that_is_pushed_to) {
    static const char *const OTHERS[] = {"another", "https://git.example/repo/mine"};
    char *address = text_format("%s/repo/mine", double_url(submit_server));
    const char *const kept[] = {address, "/repo/mine", "mine"};
    shell(make_silent_branch);
    shell("git remote set-url --push origin u@192.0.2.1:server/repositories/mine.git");
    for (size_t i = 0; i < COUNT(kept); i++) {
        SUBMIT(0, "--branch", "quiet", "--repo", kept[i]);
        expect_in("log", "its commit says no bench: building");
    }
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        SUBMIT(0, "--branch", "quiet", "--repo", OTHERS[i]);
        expect_field(COUNT(kept) + i, "dev_bench", "");
    }
    free(address);
}
END_TEST

/* Adds another rule to the branch "quiet" of the repository in which the script runs. */
#define MOVE_ON                                                                                    \
    "git switch -q quiet && sed -i 's/-512 /-256 /' engine/lmr/flags.def && "                      \
    "git -c user.name=a -c user.email=b commit -qam 'Reduce still less'"

/* The branch stands at origin too, at another commit. */
START_TEST(the_commit_of_the_repository_in_the_form_is_benched) {
    char *address = text_format("%s/repo/mine", double_url(submit_server));
    const char *const kept[] = {address, "mine"};
    shell(make_silent_branch);
    shell("git init -q --bare ../repositories/mine.git && "
          "git init -q --bare ../upstreams/mine.git && "
          "git remote add another ../upstreams/mine.git && "
          "git remote add hub ../repositories/mine.git");
    shell(MOVE_ON " && git push -q hub main quiet && git switch -q main");
    char *bench = answer("git switch -q quiet && make -s -C engine EXE=$PWD/../quiet >/dev/null && "
                         "git switch -q main && ../quiet | cut -d' ' -f1");
    for (size_t i = 0; i < COUNT(kept); i++) {
        SUBMIT(0, "--branch", "quiet", "--repo", kept[i]);
        expect_field(i, "dev_bench", bench);
        expect_in("log", "quiet of hub (");
    }
    free(address);
    free(bench);
}
END_TEST

/* Servers fetch from where branches are pushed to. */
START_TEST(a_remote_is_asked_where_it_is_pushed_to) {
    shell(make_silent_branch);
    shell("git clone -q --bare ../origin.git ../upstream.git && "
          "git remote set-url origin ../upstream.git && "
          "git remote set-url --push origin ../origin.git");
    shell(MOVE_ON " && git push -q origin quiet && git switch -q main");
    char *bench = answer("git switch -q quiet && make -s -C engine EXE=$PWD/../quiet >/dev/null && "
                         "git switch -q main && ../quiet | cut -d' ' -f1");
    SUBMIT(0, "--branch", "quiet", REPO);
    expect_field(0, "dev_bench", bench);
    free(bench);
}
END_TEST

START_TEST(a_branch_that_is_only_here_is_left_to_the_server) {
    shell(make_silent_branch);
    shell("git push -q origin :quiet");
    SUBMIT(0, "--branch", "quiet", REPO);
    expect_field(0, "dev_bench", "");
    expect_in("log", "warning: quiet: is here, but not at origin: push it first (git push origin "
                     "quiet): its bench is left to the server\n");
}
END_TEST

/* Both sides, whether their commits say benches or not. */
START_TEST(a_branch_with_commits_that_are_not_pushed_is_told) {
    shell(make_silent_branch);
    char *pushed = answer("git rev-parse --short=12 quiet");
    shell(MOVE_ON " && git switch -q main && git commit -q --allow-empty -m 'Bench: 1'");
    char *here = answer("git rev-parse --short=12 quiet");
    char *warning = text_format("warning: quiet: origin has %s, which is tested; here it is %s, "
                                "with commits that origin lacks: push it first (git push origin "
                                "quiet)\n",
                                pushed, here);
    SUBMIT(0, "--branch", "quiet", REPO);
    expect_in("log", warning);
    expect_in("log", "(git push origin main)\n");
    free(warning);
    free(here);
    free(pushed);
}
END_TEST

/* Its commits are at the remote, so nothing is forgotten. */
START_TEST(a_branch_that_is_behind_the_remote_is_not_told) {
    shell(make_silent_branch);
    shell(MOVE_ON
          " && git push -q origin quiet && git reset -q --hard HEAD^ && git switch -q main");
    SUBMIT(0, "--branch", "quiet", REPO);
    Text log = read_file("log");
    ck_assert_msg(!strstr(text_string(&log), "warning: quiet: origin has"), "%s", log.data);
    text_free(&log);
}
END_TEST

START_TEST(a_dry_run_without_a_remote_benches_what_is_here) {
    static const char *const quiet[] = {"--branch", "quiet", "--dry-run", NULL};
    static const char *const loud[] = {"--branch", "loud", "--dry-run", NULL};
    shell(make_silent_branch);
    shell("git remote remove origin");
    ck_assert_int_eq(run_submit(quiet, NULL), 0);
    expect_in("log", "quiet (");
    expect_in("log", "its commit says no bench: building");
    ck_assert_int_eq(run_submit(loud, NULL), 0);
    expect_in("log", "warning: loud: there is no commit 'loud' in the repository ");
}
END_TEST

START_TEST(a_commit_that_no_branch_names_is_benched_here) {
    shell(make_silent_branch);
    char *commit = answer("git rev-parse quiet");
    char *beginning = text_format("%.9s", commit);
    SUBMIT(0, "--branch", commit, REPO);
    expect_in("log", "its commit says no bench: building");
    SUBMIT(0, "--branch", beginning, REPO);
    expect_field(1, "dev_branch", commit);
    free(beginning);
    free(commit);
}
END_TEST

START_TEST(an_interrupt_of_git_ends_the_search_for_a_bench) {
    static const char *const RUNS[] = {"remote get-url", "rev-parse --show-toplevel", "ls-remote",
                                       "rev-parse --verify", "log"};
    shell(make_silent_branch);
    interrupt_git(RUNS[_i]);
    REFUSE("error: interrupted\n", "--branch", "quiet", REPO);
}
END_TEST

START_TEST(a_branch_that_has_moved_on_elsewhere_is_left_to_the_server) {
    shell(make_silent_branch);
    shell("git clone -q ../origin.git ../other && cd ../other && " MOVE_ON
          " && git push -q origin quiet");
    SUBMIT(0, "--branch", "quiet", REPO);
    expect_field(0, "dev_bench", "");
    expect_in("log",
              "): this commit is not here (git fetch origin): its bench is left to the server");
}
END_TEST

START_TEST(a_branch_that_nobody_has_is_told) {
    SUBMIT(0, "--branch", "nosuch", REPO);
    expect_in("log", "warning: nosuch: there is no commit 'nosuch' in the repository ");
    expect_in("log", "; origin has none either: its bench is left to the server");
}
END_TEST

START_TEST(a_remote_that_does_not_answer_is_told) {
    shell(make_silent_branch);
    shell("mv ../origin.git ../away.git");
    SUBMIT(0, "--branch", "quiet", REPO);
    expect_in("log", "warning: quiet: origin does not tell its commit (git: ");
    expect_in("log", "quiet of origin (");
}
END_TEST

START_TEST(an_engine_at_the_top_of_its_repository_is_benched) {
    shell("git switch -q -c top && git mv engine/* . && git commit -qam 'All at the top' && "
          "git push -q origin top && git switch -q main");
    REFUSE("has no engine/Makefile: --build-path names the folder", "--branch", "top", REPO);
    SUBMIT(0, "--branch", "top", "--build-path", ".", REPO);
    char *bench = answer("cat ../bench");
    expect_field(0, "dev_bench", bench);
    free(bench);
}
END_TEST

START_TEST(a_branch_is_built_where_the_server_builds_its_engine) {
    static const char *const PATHS[] = {"", "src", "/src/"};
    shell("git switch -q -c top && git mv engine/* . && git commit -qam 'All at the top' && "
          "git push -q origin top && git switch -q -c deep main && git mv engine src && "
          "git commit -qam 'All in src' && git push -q origin deep && git switch -q main");
    char *bench = answer("cat ../bench");
    for (size_t i = 0; i < COUNT(PATHS); i++) {
        char *config = text_format("{\"Weiss\": {\"source\": \"https://git.example/a/b\", "
                                   "\"nps\": 7, \"build\": {\"path\": \"%s\"}}}",
                                   PATHS[i]);
        const char *branch = i == 0 ? "top" : "deep";
        double_replace(submit_server, "/api/buildinfo/", DOUBLE_INSTEAD, 200, config);
        SUBMIT(0, "--branch", branch, REPO);
        expect_field(i, "dev_bench", bench);
        free(config);
    }
    free(bench);
}
END_TEST

START_TEST(a_branch_against_itself_is_benched_once) {
    shell("git commit -q --allow-empty -m 'Nothing said' && git push -q origin main");
    SUBMIT(0, "--branch", "main", REPO);
    char *bench = answer("cat ../bench");
    char *builds = answer("grep -c ': building' ../log");
    expect_field(0, "dev_bench", bench);
    expect_field(0, "base_bench", bench);
    ck_assert_str_eq(builds, "1");
    free(bench);
    free(builds);
}
END_TEST

START_TEST(a_bench_that_the_form_says_is_not_measured) {
    shell(make_silent_branch);
    write_file("form", "dev_bench = 17\n");
    SUBMIT(0, "--branch", "quiet", "--from", "../form", REPO);
    expect_field(0, "dev_bench", "17");
}
END_TEST

/* Workers build with the network, and would count other nodes. */
START_TEST(no_bench_is_measured_for_a_form_with_a_network) {
    static const char *const sides[] = {"dev", "base"};
    char fields[64];
    shell(make_silent_branch);
    for (size_t i = 0; i < COUNT(sides); i++) {
        snprintf(fields, sizeof fields, "%s_network = 9F86D081\n", sides[i]);
        write_file("form", fields);
        REFUSE("_network: a branch made here is benched without a network", "--dry-run", "--flag",
               "KILLER=0", "--from", "../form", REPO);
    }
    REFUSE("quiet: its commit says no bench, and a bench with the network 9F86D081 is not made "
           "here: put a Bench line into the commit, or base_bench into --from",
           "--dry-run", "--branch", "main", "--base-branch", "quiet", "--from", "../form", REPO);
    write_file("form", "dev_network = 9F86D081\ndev_bench = 17\n");
    SUBMIT(0, "--dry-run", "--branch", "quiet", "--from", "../form", REPO);
}
END_TEST

START_TEST(a_branch_without_a_bench_that_does_not_build_is_refused) {
    shell("git switch -q -c broken && sed -i '/^BROKEN/s/0  /1  /' engine/lmr/flags.def && "
          "git commit -qam 'Break' && git push -q origin broken && git switch -q main");
    REFUSE("broken: its commit says no bench, and here: ", "--branch", "broken", REPO);
}
END_TEST

START_TEST(a_wrong_bench_of_the_base_is_refused) {
    write_file("form", "base_bench = 17\n");
    REFUSE("base_bench: is 17 in the form, but main's bench is ", "--flag", "KILLER=0", REPO,
           "--from", "../form");
    shell("git commit -q --allow-empty -m Wrong -m 'Bench: 12345'");
    REFUSE(", its commit says 12345: every worker would refuse the test", "--flag", "KILLER=0",
           REPO);
}
END_TEST

START_TEST(a_wrong_bench_of_the_new_branch_is_refused) {
    write_file("form", "dev_bench = 17\n");
    REFUSE("dev_bench: is 17 in the form, but lmr-killer-ignore's bench is ", "--flag", "KILLER=0",
           REPO, "--from", "../form");
    REFUSE("dev_bench: is 17 in the form, but tune-w_pv's bench is ", "--tune", "W_PV", REPO,
           "--from", "../form");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_base_without_a_bench_line_is_given_one_in_the_form);
    tcase_add_test(tests, a_branch_without_a_bench_line_is_benched_here);
    tcase_add_test(tests, a_remote_whose_address_is_spelt_otherwise_is_the_same);
    tcase_add_test(tests, a_repository_that_the_server_keeps_is_the_one_that_is_pushed_to);
    tcase_add_test(tests, the_commit_of_the_repository_in_the_form_is_benched);
    tcase_add_test(tests, a_remote_is_asked_where_it_is_pushed_to);
    tcase_add_test(tests, a_branch_that_is_only_here_is_left_to_the_server);
    tcase_add_test(tests, a_branch_with_commits_that_are_not_pushed_is_told);
    tcase_add_test(tests, a_branch_that_is_behind_the_remote_is_not_told);
    tcase_add_test(tests, a_dry_run_without_a_remote_benches_what_is_here);
    tcase_add_test(tests, a_commit_that_no_branch_names_is_benched_here);
    tcase_add_loop_test(tests, an_interrupt_of_git_ends_the_search_for_a_bench, 0, 5);
    tcase_add_test(tests, a_branch_that_has_moved_on_elsewhere_is_left_to_the_server);
    tcase_add_test(tests, a_branch_that_nobody_has_is_told);
    tcase_add_test(tests, a_remote_that_does_not_answer_is_told);
    tcase_add_test(tests, an_engine_at_the_top_of_its_repository_is_benched);
    tcase_add_test(tests, a_branch_is_built_where_the_server_builds_its_engine);
    tcase_add_test(tests, a_branch_against_itself_is_benched_once);
    tcase_add_test(tests, a_bench_that_the_form_says_is_not_measured);
    tcase_add_test(tests, no_bench_is_measured_for_a_form_with_a_network);
    tcase_add_test(tests, a_branch_without_a_bench_that_does_not_build_is_refused);
    tcase_add_test(tests, a_wrong_bench_of_the_base_is_refused);
    tcase_add_test(tests, a_wrong_bench_of_the_new_branch_is_refused);
}

int main(int argc, char **argv) {
    return run_submit_tests(argc, argv, "commitbench", add_tests);
}
