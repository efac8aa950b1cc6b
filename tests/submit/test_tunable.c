/* SPDX-License-Identifier: MIT */
/* Tunings and data generations: branches whose rows can be tuned, their forms, what is refused. */
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/text.h"
#include "tools/openbench_double.h"
#include "tools/recordings.h"
#include "tools/submit_rig.h"

#define TUNE_FORM "/tune/new/"
#define DATAGEN_FORM "/datagen/new/"

static const struct {
    const char *recording, *path, *said;
} recorded_others[] = {
    {"../forms/49-create-tune.json", TUNE_FORM, "tuning 1000: lmr-killer: http://127.0.0.1:"},
    {"../forms/52-create-datagen.json", DATAGEN_FORM,
     "data generation 1000: lmr-killer against master: http://127.0.0.1:"},
};

/* Signed in first; then the page of the form is shown, and its form sent. */
START_TEST(a_recorded_tuning_and_data_generation_are_sent_as_they_were) {
    if (!recordings_available()) {
        fprintf(stderr, "submit: no recordings here: forms are not compared with them\n");
        return;
    }
    cJSON *recording = recording_load(recorded_others[_i].recording);
    const char *path = recorded_others[_i].path;
    write_form(recording_form(recording));
    SUBMIT(0, "--from", "../form");
    expect_fields(recording_form(recording), path, 1);
    expect_in("out", recorded_others[_i].said);
    ck_assert_uint_eq(double_count(submit_server, path), 2);
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
    expect_field_of("/login/", 0, "@Method", "GET");
    cJSON *login = recording_load("../forms/47-login.json");
    expect_fields(recording_form(login), "/login/", 1);
    cJSON_Delete(login);
    cJSON_Delete(recording);
}
END_TEST

/* The server's reasons, as the recorded answer has them. */
START_TEST(a_refused_tuning_is_told_in_the_servers_words) {
    double_refuse_test(
        submit_server, TUNE_FORM,
        "Max does not exceed Min, for DIV\nValue must be within [Min, Max], for DIV");
    SUBMIT(1, "--tune", "W_PV", REPO);
    expect_in("log", "refuses the tuning of tune-w_pv: Max does not exceed Min, for DIV\n");
    expect_in("log", "refuses the tuning of tune-w_pv: Value must be within [Min, Max], for DIV\n");
    expect_in("log", "obworker submit --params FILE (its commit has the lines) --branch tune-w_pv");
    expect_in("log", " but --flag, --each, --tune, --base-branch and --push\n");
    char *lines = answer("git log -1 --format=%B tune-w_pv | grep ^W_PV >../rows; cat ../rows");
    ck_assert_str_eq(lines, "W_PV, int, -1024, -4096, 4096, 409.6, 0.002");
    free(lines);
    SUBMIT(0, "--params", "../rows", "--branch", "tune-w_pv", REPO);
    expect_in("out", "tuning 1000: tune-w_pv: ");
    expect_field_of(TUNE_FORM, 4, "spsa_inputs", "W_PV, int, -1024, -4096, 4096, 409.6, 0.002");
}
END_TEST

/* What the recorded server refused is refused before anything is sent. */
START_TEST(a_parameter_with_bounds_reversed_is_refused_at_once) {
    write_file("rows", "DIV, int, 170, 300, 100, 10, 0.002\n");
    REFUSE_USAGE("--params: ../rows: line 1: DIV, int, 170, 300, 100, 10, 0.002: min is not below "
                 "max",
                 "--params", "../rows", REPO);
    ck_assert_uint_eq(double_count(submit_server, TUNE_FORM), 0);
}
END_TEST

START_TEST(rows_become_a_branch_whose_plain_build_has_them_as_options) {
    char *before = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    SUBMIT(0, "--tune", "W_PV", "--tune", "LATE_BASE", REPO, "--push", "origin");
    expect_in("out", "tuning 1000: tune-w_pv-late_base: http://127.0.0.1:");
    expect_in("out", "/tune/1000/\n");
    char *after = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    ck_assert_str_eq(before, after);
    expect_answer("git diff --numstat main tune-w_pv-late_base", "1\t1\tengine/Makefile");
    expect_answer("mkdir ../t && git archive tune-w_pv-late_base | tar x -C ../t && "
                  "make -s -C ../t/engine EXE=e >/dev/null && ../t/engine/e 'lmr spsa LATE_BASE'",
                  "LATE_BASE, int, 8, 0, 64, 3.20, 0.0020");
    /* The parameters, and the bench, which is the base's. */
    char *message = answer("git log -1 --format=%B tune-w_pv-late_base");
    char *bench = answer("cat ../bench");
    Text wanted = {0};
    text_addf(&wanted,
              "Make W_PV and LATE_BASE tunable\n\nFor a tuning that starts from main:\n"
              "W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
              "LATE_BASE, int, 8, 0, 64, 3.2, 0.002\n\nBench: %s",
              bench);
    ck_assert_str_eq(message, text_string(&wanted));
    expect_answer("git --git-dir ../origin.git rev-parse tune-w_pv-late_base >../a; "
                  "git rev-parse tune-w_pv-late_base | cmp - ../a && echo same",
                  "same");
    expect_field_of(TUNE_FORM, 1, "dev_branch", "tune-w_pv-late_base");
    expect_field_of(TUNE_FORM, 1, "dev_bench", "");
    expect_field_of(TUNE_FORM, 1, "spsa_inputs",
                    "W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
                    "LATE_BASE, int, 8, 0, 64, 3.2, 0.002");
    text_free(&wanted);
    free(message);
    free(bench);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_tuning_may_start_from_other_values) {
    SUBMIT(0, "--tune", "W_PV", "--flag", "LATE_BASE=4", REPO);
    expect_answer("git diff --numstat main tune-w_pv-lmr-late_base-4 | tr '\\n' ' '",
                  "1\t1\tengine/Makefile 1\t1\tengine/search/params.def ");
    expect_answer("git log -1 --format=%s tune-w_pv-lmr-late_base-4",
                  "Set LATE_BASE to 4, make W_PV tunable");
}
END_TEST

START_TEST(every_field_of_a_tuning_is_an_option_or_in_a_file) {
    write_file("rows", "W_PV, int, -1000, -2000, 1000, 150, 0.004\n");
    write_file("form", "priority = 3\nthroughput = 500\n");
    SUBMIT(0, "--params", "../rows", "--from", "../form", REPO, "--iterations", "500",
           "--pairs-per", "4", "--alpha", "0.5", "--gamma", "0.2", "--a-ratio", "0.05",
           "--reporting", "bulk", "--distribution", "multiple", "--tc", "N=2000", "--option",
           "Hash=8", "--book", "8moves_v3.epd", "--info", "Three rows", "--branch", "mine");
    static const char *const said[][2] = {{"spsa_iterations", "500"},
                                          {"spsa_pairs_per", "4"},
                                          {"spsa_alpha", "0.5"},
                                          {"spsa_gamma", "0.2"},
                                          {"spsa_A_ratio", "0.05"},
                                          {"spsa_reporting_type", "BULK"},
                                          {"spsa_distribution_type", "MULTIPLE"},
                                          {"dev_time_control", "N=2000"},
                                          {"dev_options", "Threads=1 Hash=8"},
                                          {"book_name", "8moves_v3.epd"},
                                          {"info", "Three rows"},
                                          {"priority", "3"},
                                          {"throughput", "500"},
                                          {"dev_branch", "mine"},
                                          {"spsa_inputs", "W_PV, int, -1000, -2000, 1000, 150, "
                                                          "0.004"}};
    for (size_t i = 0; i < COUNT(said); i++)
        expect_field_of(TUNE_FORM, 1, said[i][0], said[i][1]);
}
END_TEST

START_TEST(a_dry_run_of_a_tuning_is_a_file_for_the_next_run) {
    char *before = state_of_things();
    ck_assert_int_eq(
        run_submit((const char *const[]){"--tune", "W_PV,LATE_BASE", REPO, "--dry-run", NULL},
                   NULL),
        0);
    expect_in("out", "+TUNE ?= 1\n");
    expect_in("out", "spsa_inputs = W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
                     "spsa_inputs = LATE_BASE, int, 8, 0, 64, 3.2, 0.002\n");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    free(answer("grep '^[a-zA-Z_]* = ' ../out >../form"));
    SUBMIT(0, "--from", "../form");
    expect_field_of(TUNE_FORM, 1, "dev_branch", "tune-w_pv-late_base");
    expect_field_of(TUNE_FORM, 1, "spsa_inputs",
                    "W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
                    "LATE_BASE, int, 8, 0, 64, 3.2, 0.002");
    free(before);
    free(after);
}
END_TEST

START_TEST(a_tuning_has_presets_of_its_own) {
    serve("/api/config/Reductio/",
          "{\"source\": \"\", \"nps\": 5, \"test_presets\": {}, \"tune_presets\": {\"default\": "
          "{\"spsa_pairs_per\": 16}, \"SPSA\": {\"dev_time_control\": \"N=7\", \"both_options\": "
          "\"Threads=1 Hash=4\"}}}");
    SUBMIT(0, "--tune", "W_PV", REPO, "--engine", "Reductio", "--preset", "spsa");
    expect_field_of(TUNE_FORM, 1, "dev_time_control", "N=7");
    expect_field_of(TUNE_FORM, 1, "dev_options", "Threads=1 Hash=4");
    expect_field_of(TUNE_FORM, 1, "spsa_pairs_per", "16");
    expect_field_of(TUNE_FORM, 1, "scale_nps", "5");
}
END_TEST

START_TEST(what_cannot_be_tuned_is_refused) {
    REFUSE("KILLER cannot be tuned: it is a choice of words", "--tune", "W_PV,KILLER", REPO);
    REFUSE("there is no row W_PW to tune", "--tune", "W_PW", REPO);
    write_file("rows", "W_PV, int, 0, -5000, 100, 10, 0.002\n");
    REFUSE("--params: W_PV: -5000 to 100 goes beyond the row's -4096 to 4096", "--params",
           "../rows", REPO);
    write_file("rows", "W_PV, float, -1000, -2000, 1000, 150, 0.004\n");
    REFUSE("--params: W_PV takes whole numbers: its type is int", "--params", "../rows", REPO);
    REFUSE_USAGE("--base-branch: a tuning of an existing branch has none", "--params", "../rows",
                 "--branch", "mine", "--base-branch", "main", REPO);
    REFUSE_USAGE("--tune: 'W PV' is not a valid name of a row", "--tune", "W PV", REPO);
    REFUSE_USAGE("--tune: W_PV is given twice", "--tune", "W_PV,W_PV", REPO);
    REFUSE_USAGE("--params: cannot stand beside --tune", "--tune", "W_PV", "--params", "../rows",
                 REPO);
    write_file("form", "spsa_inputs = W_PV, int, -1000, -2000, 1000, 150, 0.004\n");
    REFUSE_USAGE("--from: cannot stand beside --tune", "--tune", "W_PV", "--from", "../form", REPO);
    REFUSE_USAGE("--bounds: a tuning has none", "--tune", "W_PV", "--bounds", "0,5", REPO);
    REFUSE_USAGE("--games: a tuning has none", "--tune", "W_PV", "--games", "100", REPO);
    REFUSE("spsa_gamma: has to be more than 0", "--tune", "W_PV", "--gamma", "0", REPO, "--push",
           "origin");
    write_file("form", "spsa_pairs_per = 10001\n");
    REFUSE("spsa_pairs_per: 10001 is not between 1 and 10000", "--tune", "W_PV", "--from",
           "../form", REPO, "--push", "origin");
    serve("/api/config/Reductio/", "{\"source\": \"\", \"nps\": 5, \"tune_presets\": "
                                   "{\"default\": {}, \"LTC\": {\"spsa_alpha\": -1}}}");
    REFUSE("spsa_alpha: -1 is not between 0 and 2", "--tune", "W_PV", REPO, "--engine", "Reductio",
           "--preset", "LTC", "--push", "origin");
    REFUSE_USAGE("--pairs-per", "--tune", "W_PV", "--pairs-per", "10001", REPO);
    REFUSE_USAGE("--iterations: a test has none", "--flag", "W_PV=0", "--iterations", "9", REPO);
    REFUSE_USAGE("--datagen: cannot stand beside --tune", "--tune", "W_PV", "--datagen", REPO);
    REFUSE_USAGE("--branch: is missing: the branch whose engine plays the games", "--datagen",
                 "--games", "12", REPO);
    REFUSE_USAGE("--each: makes several tests", "--tune", "W_PV", "--each", "KILLER=0", REPO);
    shell("sed -i /^TUNE/d engine/Makefile && git commit -qam 'No tuning' && git push -q origin "
          "main");
    REFUSE("main's engine/Makefile: has no line TUNE ?= 0", "--tune", "W_PV", REPO);
    ck_assert_uint_eq(double_count(submit_server, TUNE_FORM), 0);
}
END_TEST

START_TEST(an_engine_that_lists_other_rows_is_refused) {
    write_file("rows", "W_PV, int, -1000, -2000, 1000, 150, 0.004\n");
    shell("sed -i \"s/'W_PV, int/'W_PW, int/\" engine/rows.sh && git commit -qam 'Another row'");
    REFUSE("--params: the engine has no row W_PV", "--params", "../rows", REPO);
    shell("sed -i 's/W_PV) echo.*/W_PV) ;;/' engine/rows.sh && git commit -qam 'No row'");
    REFUSE("asked for \"lmr spsa W_PV LATE_BASE\": the engine lists 1 of these rows, expected 2",
           "--tune", "W_PV,LATE_BASE", REPO);
}
END_TEST

START_TEST(a_makefile_may_begin_and_end_with_the_line) {
    static const char *const SCRIPTS_OF_MAKEFILES[] = {
        "sed -i '/^TUNE/d' engine/Makefile && sed -i '1i TUNE ?= 0' engine/Makefile",
        "sed -i '/^TUNE/d' engine/Makefile && printf 'TUNE ?= 0' >>engine/Makefile"};
    shell(SCRIPTS_OF_MAKEFILES[_i]);
    shell("git commit -qam 'Move a line'");
    SUBMIT(0, "--tune", "W_PV", REPO);
    expect_answer("git show tune-w_pv:engine/Makefile | grep ^TUNE", "TUNE ?= 1");
}
END_TEST

START_TEST(a_tunable_branch_that_plays_otherwise_is_warned_of) {
    shell("sed -i 's|[*]/[*][.]def|& Makefile|' engine/Makefile && git commit -qam 'Count it too'");
    SUBMIT(0, "--tune", "W_PV", REPO);
    expect_in("log", "warning: tune-w_pv: its bench is not the base's: this build plays otherwise");
}
END_TEST

/* The server knows the user, who may not create anything there. */
START_TEST(a_user_who_may_not_create_is_told_so) {
    double_replace(submit_server, TUNE_FORM, DOUBLE_INSTEAD, 302, "/login/");
    SUBMIT(1, "--tune", "W_PV", REPO);
    expect_in("log", "refuses the tuning of tune-w_pv: it shows http://127.0.0.1:");
    expect_in("log", "/login/ and says no reason\n");
}
END_TEST

START_TEST(a_data_generation_has_its_fields) {
    SUBMIT(0, "--datagen", "--branch", "x", "--games", "1000", "--genfens", "depth 4", "--reverses",
           REPO);
    static const char *const said[][2] = {{"dev_branch", "x"},
                                          {"base_branch", "main"},
                                          {"datagen_max_games", "1000"},
                                          {"datagen_custom_genfens", "depth 4"},
                                          {"datagen_play_reverses", "YES"},
                                          {"book_name", "NONE"},
                                          {"dev_time_control", "N=5000"},
                                          {"base_time_control", "N=5000"}};
    for (size_t i = 0; i < COUNT(said); i++)
        expect_field_of(DATAGEN_FORM, 1, said[i][0], said[i][1]);
    expect_in("out", "data generation 1000: x against main: http://127.0.0.1:");
    expect_in("out", "/datagen/1000/\n");
}
END_TEST

START_TEST(a_tuning_and_a_data_generation_can_be_waited_for) {
    static const char digest[] = "Name,Curr,Start,Min,Max,C,C_end,R,R_end\n"
                                 "W_PV,-1030.2500,-1024,-4096,4096,410.0000,409.6000,0.0021,0.0020";
    double_serve(submit_server, "/api/spsa/1000/digest/", "text/plain", digest, sizeof digest - 1);
    SUBMIT(0, "--tune", "W_PV", REPO, "--wait");
    expect_in("out", "tuning 1000: tune-w_pv: ");
    expect_in("out", "W_PV");
    expect_in("out", "-1030.25");
    SUBMIT(0, "--datagen", "--branch", "x", "--games", "12", REPO, "--wait");
    expect_in("out", "data generation 1001: x against main: ");
    expect_in("out", "Games | N: 12 W: 5 L: 3 D: 4\n");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, a_recorded_tuning_and_data_generation_are_sent_as_they_were, 0,
                        COUNT(recorded_others));
    tcase_add_test(tests, a_refused_tuning_is_told_in_the_servers_words);
    tcase_add_test(tests, a_parameter_with_bounds_reversed_is_refused_at_once);
    tcase_add_test(tests, rows_become_a_branch_whose_plain_build_has_them_as_options);
    tcase_add_test(tests, a_tuning_may_start_from_other_values);
    tcase_add_test(tests, every_field_of_a_tuning_is_an_option_or_in_a_file);
    tcase_add_test(tests, a_dry_run_of_a_tuning_is_a_file_for_the_next_run);
    tcase_add_test(tests, a_tuning_has_presets_of_its_own);
    tcase_add_test(tests, what_cannot_be_tuned_is_refused);
    tcase_add_test(tests, an_engine_that_lists_other_rows_is_refused);
    tcase_add_loop_test(tests, a_makefile_may_begin_and_end_with_the_line, 0, 2);
    tcase_add_test(tests, a_tunable_branch_that_plays_otherwise_is_warned_of);
    tcase_add_test(tests, a_user_who_may_not_create_is_told_so);
    tcase_add_test(tests, a_data_generation_has_its_fields);
    tcase_add_test(tests, a_tuning_and_a_data_generation_can_be_waited_for);
}

int main(int argc, char **argv) {
    return run_submit_tests(argc, argv, "tunable", add_tests);
}
