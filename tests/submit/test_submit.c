/* SPDX-License-Identifier: MIT */
/* `obworker submit` as a whole: one test or several, a dry run, waiting for a result, and a user or
 * a folder with which nothing can be submitted. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "tools/openbench_double.h"
#include "tools/submit_rig.h"

START_TEST(each_set_is_a_test) {
    SUBMIT(0, "--each", "KILLER=0", "--each", "W_PV=0", "--flag", "STATS=1", REPO, "--json");
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 2);
    expect_field(0, "dev_branch", "lmr-killer-ignore-stats-1");
    expect_field(1, "dev_branch", "lmr-stats-1-w_pv-0");
    expect_in("out", "{\"tests\":[{\"test\":1000,\"address\":\"http://127.0.0.1:");
    expect_in("out", "\"branch\":\"lmr-killer-ignore-stats-1\"");
    expect_in("out", "{\"test\":1001,");
    expect_answer("git branch --format='%(refname:short)'",
                  "lmr-killer-ignore-stats-1\nlmr-stats-1-w_pv-0\nmain");
    /* Nothing was pushed. */
    expect_answer("git --git-dir ../origin.git branch --format='%(refname:short)'", "main");
}
END_TEST

/* All branches were made and pushed before the first form was sent. */
START_TEST(branches_without_a_test_are_all_told) {
    static const int STATUSES[] = {404, 502};
    static const char *const LINES[] = {
        "the branch lmr-killer-ignore is made; once the reason is gone: obworker submit --branch "
        "lmr-killer-ignore, with the other options of this command but --flag, --each, --tune and "
        "--push\n",
        "the branch lmr-killer-ignore is made; if the server has no test of it: obworker submit "};
    double_replace(submit_server, SCRIPTS, DOUBLE_INSTEAD, STATUSES[_i], "<html></html>");
    SUBMIT(1, "--each", "KILLER=0", "--each", "W_PV=0", "--push", "origin", REPO);
    expect_in("log", LINES[_i]);
    expect_in("log", "the branch lmr-w_pv-0 is made; once the reason is gone: obworker submit "
                     "--branch lmr-w_pv-0, with the other options of this command");
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 1);
}
END_TEST

START_TEST(a_dry_run_shows_all_and_changes_nothing) {
    char *before = state_of_things();
    /* Files that git would look at again, and note that it did. */
    shell("touch -d '2001-01-01' notes engine/Makefile");
    char *objects = answer("find .git -type f | sort; cksum <.git/index");
    int status =
        run_submit((const char *const[]){"--flag", "KILLER=ignore", REPO, "--push", "origin",
                                         "--dry-run", "-P", "secret", "-S", "http://h", NULL},
                   NULL);
    ck_assert_int_eq(status, 0);
    static const char *const shown[] = {
        "branch lmr-killer-ignore from main (",
        "-KILLER | C | by-weight |",
        "+KILLER | C | ignore    |",
        "Set KILLER to ignore\n",
        "KILLER was by-weight, is ignore\n",
        "\nBench: ",
        "git push origin lmr-killer-ignore\n",
        "# dev_engine = Reductio (unless the server says another)\n",
        "dev_branch = lmr-killer-ignore\n",
        "test_confidence = [0.05, 0.05]\n"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        expect_in("out", shown[i]);
    char *objects_after = answer("find .git -type f | sort; cksum <.git/index");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    ck_assert_str_eq(objects, objects_after);
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
    Text out = read_file("out");
    ck_assert_ptr_null(strstr(text_string(&out), "secret"));
    text_free(&out);
    free(before);
    free(after);
    free(objects);
    free(objects_after);
}
END_TEST

/* The server may keep the repository. */
START_TEST(a_dry_run_wants_no_address_of_the_repository) {
    ck_assert_int_eq(run_submit((const char *const[]){"--branch", "x", "--dry-run", NULL}, NULL),
                     0);
    expect_in("out", "# dev_repo = (the server says it)\ndev_branch = x\n");
}
END_TEST

/* What the server decides is not taken from a run that did not ask the server. */
START_TEST(a_dry_run_of_a_form_can_be_submitted) {
    static const char *const first[] = {"--branch", "x",          "--tc", "N=100",
                                        "--info",   "Why\nnot #", REPO,   "--base-branch",
                                        "old",      "--dry-run",  NULL};
    ck_assert_int_eq(run_submit(first, NULL), 0);
    expect_in("out", "# form for (no server yet):\n\n"
                     "# dev_engine = (the server says it)\n"
                     "dev_repo = https://git.example/a/b\n");
    expect_in("out", "\n# scale_nps = 1000000 (unless the server says another)\n");
    expect_in("out", "\n# book_name = 8moves_v3.epd (unless the server says another)\n");
    shell("cp ../out ../form");
    ck_assert_int_eq(
        run_submit((const char *const[]){"--from", "../form", REPO, "--dry-run", NULL}, NULL), 0);
    expect_answer("cmp ../out ../form && echo same", "same");
    serve("/api/buildinfo/",
          "{\"Weiss\": {\"source\": \"https://git.example/a/b\", \"nps\": 777000}}");
    double_replace(submit_server, "/api/config/", DOUBLE_INSTEAD, 200,
                   "{\"engines\": [\"Weiss\"], \"books\": {\"own.epd\": {}}}");
    SUBMIT(0, "--from", "../form");
    static const char *const FIELDS[][2] = {
        {"dev_engine", "Weiss"},        {"base_engine", "Weiss"}, {"scale_nps", "777000"},
        {"book_name", "own.epd"},       {"base_branch", "old"},   {"info", "Why\nnot #"},
        {"base_time_control", "N=100"},
    };
    for (size_t i = 0; i < COUNT(FIELDS); i++)
        expect_field(0, FIELDS[i][0], FIELDS[i][1]);
}
END_TEST

START_TEST(a_dry_run_is_shown_to_programs_too) {
    static const char *const words[] = {"--each", "KILLER=0",  "--each", "W_PV=0",
                                        REPO,     "--dry-run", "--json", NULL};
    ck_assert_int_eq(run_submit(words, NULL), 0);
    Text out = read_file("out");
    cJSON *plan = cJSON_Parse(text_string(&out));
    cJSON *tests = cJSON_GetObjectItem(plan, "tests");
    ck_assert_int_eq(cJSON_GetArraySize(tests), 2);
    const cJSON *test = cJSON_GetArrayItem(tests, 1);
    const cJSON *form = cJSON_GetObjectItem(test, "form");
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(test, "branch")), "lmr-w_pv-0");
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(test, "base_branch")), "main");
    ck_assert_double_gt(cJSON_GetNumberValue(cJSON_GetObjectItem(test, "bench")), 0);
    const char *diff = cJSON_GetStringValue(cJSON_GetObjectItem(test, "diff"));
    ck_assert_ptr_nonnull(strstr(diff, "\n+W_PV"));
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(form, "dev_branch")), "lmr-w_pv-0");
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(form, "test_confidence")),
                     "[0.05, 0.05]");
    /* What the server decides is left out. */
    ck_assert_ptr_null(cJSON_GetObjectItem(form, "dev_engine"));
    ck_assert_ptr_null(cJSON_GetObjectItem(form, "scale_nps"));
    ck_assert_ptr_null(cJSON_GetObjectItem(form, "book_name"));
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
    cJSON_Delete(plan);
    text_free(&out);
}
END_TEST

START_TEST(a_submitted_test_can_be_waited_for) {
    SUBMIT(0, "--each", "KILLER=0", "--each", "W_PV=0", REPO, "--wait");
    expect_in("out", "test 1000: lmr-killer-ignore against main");
    expect_in("out", "test 1001: lmr-w_pv-0 against main");
    expect_in("out", "Games | N: 12 W: 5 L: 3 D: 4\n");
    expect_in("out", "Penta | [0, 1, 3, 1, 1]\n");
}
END_TEST

/* Interrupts the command when it has read the first test. */
static void *interrupt_first(void *unused) {
    enum { PATIENCE_S = 60 };
    if (double_wait(submit_server, "/api/workload/1000/summary/", 1, PATIENCE_S))
        kill(submit_pid, SIGINT);
    return unused;
}

START_TEST(an_interrupt_ends_the_wait_for_all_tests) {
    pthread_t thread;
    double_keep_running(submit_server, 1000);
    pthread_create(&thread, NULL, interrupt_first, NULL);
    SUBMIT(0, "--each", "KILLER=0", "--each", "W_PV=0", REPO, "--wait");
    pthread_join(thread, NULL);
    expect_in("out", "test 1001: lmr-w_pv-0 against main");
    expect_in("out", "Games | N: 12 W: 5 L: 3 D: 4\n");
    ck_assert_uint_eq(double_count(submit_server, "/api/workload/1001/summary/"), 0);
}
END_TEST

START_TEST(a_test_that_waits_for_approval_is_told) {
    serve("/api/workload/1000/info/",
          "{\"info\": {\"author\": \"tester\", \"test_mode\": \"SPRT\", \"approved\": false, "
          "\"book_name\": \"8moves_v3.epd\", \"dev_engine\": \"Reductio\", "
          "\"base_engine\": \"Reductio\", \"dev_options\": \"Threads=1 Hash=16\", "
          "\"base_options\": \"Threads=1 Hash=16\", \"dev\": {\"name\": \"x\"}, "
          "\"base\": {\"name\": \"main\"}}}");
    SUBMIT(0, "--branch", "x", REPO);
    expect_in("out", "test 1000: x against main");
    expect_in("log", "no game is played before somebody approves it there\n");
}
END_TEST

START_TEST(a_wrong_password_is_refused_before_anything_is_made) {
    char *before = state_of_things();
    int status = run_submit((const char *const[]){"--flag", "KILLER=0", REPO, "-U", "tester", "-P",
                                                  "wrong", "-S", double_url(submit_server), NULL},
                            NULL);
    ck_assert_int_eq(status, 1);
    expect_in("log", "Bad Credentials");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_folder_outside_of_repositories_is_refused) {
    shell("mv .git ../of-another-name");
    SUBMIT(1, "--flag", "KILLER=0", REPO);
    expect_in("log", submit_repository());
    expect_in("log", " is in no git repository: change to a folder of the engine's (cd) first\n");
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
}
END_TEST

START_TEST(a_refused_test_can_be_submitted_again_from_its_branch) {
    double_refuse_test(submit_server, "/test/new/", "lmr-killer-ignore could not be found");
    SUBMIT(1, "--flag", "KILLER=0", REPO);
    expect_in("log",
              "refuses the test of lmr-killer-ignore: lmr-killer-ignore could not be found\n");
    expect_in("log", "obworker submit --branch lmr-killer-ignore");
    SUBMIT(0, "--branch", "lmr-killer-ignore", REPO);
    expect_in("out", "test 1000: lmr-killer-ignore against main");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, each_set_is_a_test);
    tcase_add_loop_test(tests, branches_without_a_test_are_all_told, 0, 2);
    tcase_add_test(tests, a_dry_run_shows_all_and_changes_nothing);
    tcase_add_test(tests, a_dry_run_wants_no_address_of_the_repository);
    tcase_add_test(tests, a_dry_run_of_a_form_can_be_submitted);
    tcase_add_test(tests, a_dry_run_is_shown_to_programs_too);
    tcase_add_test(tests, a_submitted_test_can_be_waited_for);
    tcase_add_test(tests, an_interrupt_ends_the_wait_for_all_tests);
    tcase_add_test(tests, a_test_that_waits_for_approval_is_told);
    tcase_add_test(tests, a_wrong_password_is_refused_before_anything_is_made);
    tcase_add_test(tests, a_folder_outside_of_repositories_is_refused);
    tcase_add_test(tests, a_refused_test_can_be_submitted_again_from_its_branch);
}

int main(int argc, char **argv) {
    return run_submit_tests(argc, argv, "submit", add_tests);
}
