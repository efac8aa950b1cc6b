/* SPDX-License-Identifier: MIT */
/* What a local match makes of its settings: UCI options, and programs that SPECs name. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/text.h"
#include "base/tree.h"
#include "local/spec.h"
#include "local/ucioptions.h"
#include "runner.h"
#include "tools/temporary.h"

/* ---- UCI options ---- */

START_TEST(an_option_takes_the_place_of_the_default_whatever_its_letters) {
    UciOptions list = {0};
    ucioptions_add_defaults(&list);
    ck_assert_str_eq(ucioptions_value(&list, "Hash"), "16");
    ck_assert(list.items[0].optional && list.items[1].optional);
    ck_assert(ucioptions_set(&list, "hash=64", NULL));
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(ucioptions_value(&list, "HASH"), "64");
    ck_assert(!list.items[1].optional);
    ck_assert_str_eq(ucioptions_value(&list, "Contempt"), "");
    ucioptions_free(&list);
}
END_TEST

START_TEST(an_option_without_a_value_is_refused_and_a_button_has_an_empty_one) {
    UciOptions list = {0};
    Error err = {0};
    ck_assert(!ucioptions_set(&list, "Hash", &err));
    ck_assert_str_eq(err.text, "'Hash' is not NAME=VALUE (NAME= presses a button)");
    ck_assert(!ucioptions_set(&list, "=1", &err));
    ck_assert(!ucioptions_set(&list, "A=1\nquit", &err));
    ck_assert_uint_eq(list.count, 0);
    ck_assert(ucioptions_set(&list, "Clear Hash=", &err));
    ck_assert_str_eq(ucioptions_value(&list, "Clear Hash"), "");
    ucioptions_free(&list);
}
END_TEST

START_TEST(lists_are_equal_whatever_their_order) {
    UciOptions a = {0};
    UciOptions b = {0};
    ck_assert(ucioptions_set(&a, "Hash=8", NULL) && ucioptions_set(&a, "Style=Shy", NULL));
    ck_assert(ucioptions_set(&b, "style=Shy", NULL) && ucioptions_set(&b, "Hash=8", NULL));
    ck_assert(ucioptions_equal(&a, &b));
    ck_assert(ucioptions_set(&b, "Hash=16", NULL));
    ck_assert(!ucioptions_equal(&a, &b));
    ucioptions_free(&a);
    ucioptions_free(&b);
}
END_TEST

/* ---- Programs ---- */

static char folder[TEMPORARY_SIZE];

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-spec");
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("with space", 0700), 0);
    ck_assert_int_eq(symlink("/bin/true", "with space/engine"), 0);
    ck_assert_int_eq(symlink("/bin/true", "mine"), 0);
    ck_assert_int_eq(symlink("/bin/true", "with"), 0);
}

static void teardown(void) {
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert(tree_remove(folder, NULL));
}

static const struct {
    const char *spec;
    const char *program; /* NULL: it is refused, with this ... */
    const char *second;  /* ... error; else the second word. */
} programs[] = {
    {"with space/engine", "with space/engine", NULL},
    {"./with engine", "./with", "engine"},
    {"mine --threads 2", "./mine", "--threads"},
    {"\"with space/engine\" -x", "with space/engine", "-x"},
    {"/no/such/engine", NULL, "no such file"},
    {"LMR:KILLER=0", NULL, "in small letters"},
    {"KILLER=0,W_PV=1", NULL, "a row of this project's engine is lmr:KILLER=0,W_PV=1"},
    {"", NULL, "no program is named"},
};

START_TEST(a_spec_names_a_program_and_its_arguments) {
    Words argv = {0};
    Error err = {0};
    bool ok = spec_check(programs[_i].spec, &(BuildOptions){.build_path = "engine"}, &argv, &err);
    ck_assert_msg(ok == (programs[_i].program != NULL), "%s: %s", programs[_i].spec, err.text);
    if (ok) {
        const char *path = argv.items[0];
        size_t length = strlen(path);
        size_t wanted = strlen(programs[_i].program);
        ck_assert_msg(length >= wanted && strcmp(path + length - wanted, programs[_i].program) == 0,
                      "%s: got %s", programs[_i].spec, path);
        ck_assert_uint_eq(argv.count > 1, programs[_i].second != NULL);
        if (argv.count > 1)
            ck_assert_str_eq(argv.items[1], programs[_i].second);
    } else
        ck_assert_msg(strstr(err.text, programs[_i].second) != NULL, "got: %s", err.text);
    words_free(&argv);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_option_takes_the_place_of_the_default_whatever_its_letters);
    tcase_add_test(tests, an_option_without_a_value_is_refused_and_a_button_has_an_empty_one);
    tcase_add_test(tests, lists_are_equal_whatever_their_order);
    tcase_add_loop_test(tests, a_spec_names_a_program_and_its_arguments, 0,
                        (int)(sizeof programs / sizeof *programs));
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("settings", add_tests);
}
