/* SPDX-License-Identifier: MIT */
/* The form of a test: from options, from a file, as recorded, and with faults. */
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/text.h"
#include "runner.h"
#include "tools/openbench_double.h"
#include "tools/recordings.h"
#include "tools/submit_rig.h"

/* The index-th form of a test is the recorded one: field by field, in its order. */
static void expect_form(const cJSON *form, size_t index) {
    Text names = {0};
    expect_fields(form, SCRIPTS, index);
    for (const cJSON *field = form->child; field; field = field->next)
        text_addf(&names, "%s,", field->string);
    char *sent = double_field_names(submit_server, SCRIPTS, index);
    ck_assert_str_eq(sent, text_string(&names));
    free(sent);
    text_free(&names);
}

static const struct {
    const char *recording;
    const char *page, *reasons; /* of a refusal */
    int status;
    const char *said[2]; /* in the log, or on stdout */
} recorded[] = {
    {"42-create-test.json", NULL, NULL, 0, {"test 1000: lmr-killer against master", "/test/1000/"}},
    {"43-create-test-bad-branch.json",
     "/test/new/",
     "missing could not be found",
     1,
     {"refuses the test of missing: missing could not be found\n", ""}},
    /* With a wrong password as recorded nothing is sent, since it is asked before; a user who is
     * not enabled gets the same answer. */
    {"44-create-test-bad-password.json",
     "/login/",
     "Only enabled users can create tests",
     1,
     {"refuses the test of lmr-killer: Only enabled users can create tests\n", ""}},
    {"45-create-test-bad-bounds.json",
     "/test/new/",
     "&quot;Threads&quot; needs to be at least 1 for Dev Options\n"
     "SPRT Bounds must be formatted as [float1, float2]",
     1,
     {"refuses the test of lmr-killer: \"Threads\" needs to be at least 1 for Dev Options\n",
      "refuses the test of lmr-killer: SPRT Bounds must be formatted as [float1, float2]\n"}},
};

START_TEST(a_recorded_form_is_sent_as_it_was) {
    if (!recordings_available()) {
        fprintf(stderr, "submit: no recordings here: forms are not compared with them\n");
        return;
    }
    cJSON *recording = recording_load(recorded[_i].recording);
    const cJSON *form = recording_form(recording);
    write_form(form);
    if (recorded[_i].page)
        double_refuse_test(submit_server, recorded[_i].page, recorded[_i].reasons);
    SUBMIT(recorded[_i].status, "--from", "../form");
    expect_form(form, 0);
    for (int i = 0; i < 2; i++)
        expect_in(recorded[_i].page ? "log" : "out", recorded[_i].said[i]);
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 1);
    cJSON_Delete(recording);
}
END_TEST

START_TEST(options_make_the_recorded_form_too) {
    if (!recordings_available()) {
        leave_out("options beside a recorded form", "no recordings here");
        return;
    }
    cJSON *recording = recording_load("42-create-test.json");
    const cJSON *form = recording_form(recording);
    SUBMIT(0, "--branch", "lmr-killer", "--base-branch", "master", "--engine", "Weiss", "--repo",
           "https://github.com/TerjeKir/weiss", "--tc", "8+0.08", "--bounds", "0,5", "--confidence",
           "0.05,0.1", "--option", "Threads=1", "--info", "Reduce killers less");
    expect_form(form, 0);
    cJSON_Delete(recording);
}
END_TEST

START_TEST(games_and_numbers_are_written_as_the_form_has_them) {
    SUBMIT(0, "--branch", "x", REPO, "--games", "4000", "--tc", "MT=100", "--option", "hash=64",
           "--option", "Name=two words");
    expect_field(0, "test_mode", "GAMES");
    expect_field(0, "test_max_games", "4000");
    expect_field(0, "dev_time_control", "MT=100");
    expect_field(0, "dev_options", "Threads=1 Hash=64 \"Name=two words\"");
    expect_field(0, "base_options", "Threads=1 Hash=64 \"Name=two words\"");
    SUBMIT(0, "--branch", "x", REPO, "--bounds", "0,3", "--confidence", "0.025,0.1");
    expect_field(1, "test_confidence", "[0.10, 0.025]");
}
END_TEST

START_TEST(bounds_make_an_sprt_of_a_file_for_fixed_games) {
    write_file("fixed", "test_mode = GAMES\ntest_max_games = 1000\n");
    SUBMIT(0, "--branch", "x", REPO, "--from", "../fixed", "--bounds", "0,3");
    expect_field(0, "test_mode", "SPRT");
}
END_TEST

START_TEST(a_form_of_fixed_games_has_no_confidence) {
    static const char WHY[] =
        "--confidence: is for an SPRT, and this is a test of fixed games: leave it out";
    REFUSE_USAGE(WHY, "--branch", "x", REPO, "--games", "10", "--confidence", "0.05,0.1");
    write_file("fixed", "test_mode = GAMES\ntest_max_games = 1000\n");
    REFUSE_USAGE(WHY, "--branch", "x", REPO, "--from", "../fixed", "--confidence", "0.05,0.1");
    serve("/api/config/Reductio/",
          "{\"source\": \"\", \"nps\": 5, \"test_presets\": {\"default\": {}, \"FIXED\": "
          "{\"test_mode\": \"GAMES\", \"test_max_games\": 1000}}}");
    REFUSE(WHY, "--branch", "x", REPO, "--engine", "Reductio", "--preset", "FIXED", "--confidence",
           "0.05,0.1");
}
END_TEST

START_TEST(a_form_of_fixed_games_says_how_many) {
    write_file("fixed", "test_mode = GAMES\ntest_max_games =\n");
    REFUSE_USAGE("--games: is missing: how many games to play", "--branch", "x", REPO, "--from",
                 "../fixed");
    REFUSE_USAGE("--games: is missing: how many games to generate", "--branch", "x", REPO,
                 "--datagen");
}
END_TEST

START_TEST(the_address_is_that_of_the_remote) {
    shell("git remote set-url --push origin git@git.example:a/b.git");
    SUBMIT(0, "--branch", "x");
    expect_field(0, "dev_repo", "https://git.example/a/b");
    expect_field(0, "base_repo", "https://git.example/a/b");
}
END_TEST

START_TEST(a_form_with_a_fault_is_refused_by_file_and_line) {
    write_file("form", "# fine\ndev_branch = x\nbok_name = y\n");
    REFUSE_USAGE(
        "../form: line 3: the server's form has no field bok_name (did you mean book_name?)",
        "--from", "../form", REPO);
    write_file("form", "dev_branch = x\n\ndev_branch = y\n");
    REFUSE_USAGE("../form: line 3: dev_branch is given twice", "--from", "../form", REPO);
    write_file("form", "dev_branch x\n");
    REFUSE_USAGE("../form: line 1: expected field = value", "--from", "../form", REPO);
    REFUSE_USAGE("--from: ../none: No such file", "--from", "../none", REPO);
    REFUSE_USAGE(
        "--push: is for branches that --flag, --each and --tune make; push an existing one "
        "yourself: git push origin x",
        "--branch", "x", "--push", "origin", REPO);
    REFUSE_USAGE("--branch: is one name, --each asks for 2", "--branch", "x", "--each", "W_PV=0",
                 "--each", "W_PV=1", REPO);
    REFUSE_USAGE("--games: cannot stand beside --bounds", "--branch", "x", "--games", "10",
                 "--bounds", "0,5", REPO);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, a_recorded_form_is_sent_as_it_was, 0, COUNT(recorded));
    tcase_add_test(tests, options_make_the_recorded_form_too);
    tcase_add_test(tests, games_and_numbers_are_written_as_the_form_has_them);
    tcase_add_test(tests, bounds_make_an_sprt_of_a_file_for_fixed_games);
    tcase_add_test(tests, a_form_of_fixed_games_has_no_confidence);
    tcase_add_test(tests, a_form_of_fixed_games_says_how_many);
    tcase_add_test(tests, the_address_is_that_of_the_remote);
    tcase_add_test(tests, a_form_with_a_fault_is_refused_by_file_and_line);
}

int main(int argc, char **argv) {
    return run_submit_tests(argc, argv, "form", add_tests);
}
