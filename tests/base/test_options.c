/* SPDX-License-Identifier: MIT */
/* Command lines read from a table. */
#include "../runner.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/text.h"

typedef struct {
    const char *dev;
    const char *sandbox;
    int64_t games;
    double factor;
    bool json;
    const char *journal;
    OptionList option;
    OptionList focus;
    OptionList operands;
    CommonOptions common;
} Given;

#define FIELD(field) offsetof(Given, field)

static const Option rows[] = {
    OPTION_SECTION("Things to give"),
    TEXT_OPTION("dev", "SPEC", FIELD(dev), "one", .letter = 'd'),
    CHOICE_OPTION("sandbox", "on|off|auto", FIELD(sandbox), "two"),
    INTEGER_OPTION("games", "N", FIELD(games), 2, 1000, "three", .letter = 'g',
                   .environment = "TEST_GAMES"),
    NUMBER_OPTION("factor", "X", FIELD(factor), 0, 0, "four"),
    FLAG_OPTION("json", FIELD(json), "five", .letter = 'j'),
    LIST_OPTION("option", "NAME=VALUE", FIELD(option), "six"),
    WORDS_OPTION("focus", "ENGINE...", FIELD(focus), "seven", .letter = 'f'),
    TEXT_OPTION("journal", "FILE", FIELD(journal), "eight"),
    TEXT_OPTION("journal-hidden", "FILE", FIELD(journal), NULL),
    OPTION_COMMON(FIELD(common)),
};

static const OptionTable with_operands = {
    .command = "test",
    .synopsis = "[options]",
    .about = "Tests.",
    .options = rows,
    .count = sizeof rows / sizeof *rows,
    .operands = offsetof(Given, operands),
};

static const Option secret_rows[] = {
    TEXT_OPTION("word", "WORD", FIELD(dev), "one", .environment = "TEST_WORD", .secret = true),
};

static const OptionTable with_secret = {
    .command = "test",
    .options = secret_rows,
    .count = 1,
    .operands = OPTION_NO_OPERANDS,
};

static bool parse(Given *given, Error *err, const char *line) {
    static char kept[4096]; /* the values stay argv's own */
    static char *argv[64];
    snprintf(kept, sizeof kept, "%s", line);
    int argc = 0;
    argv[argc++] = (char[]){"test"};
    for (char *word = strtok(kept, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    bool help;
    memset(given, 0, sizeof *given);
    bool ok = options_parse(&with_operands, argc, argv, given, &help, err);
    if (help)
        error_set(err, "help");
    return ok;
}

START_TEST(every_way_to_write_an_option_is_understood) {
    Given given;
    Error err = {0};
    ck_assert_msg(parse(&given, &err,
                        "--dev=a=b --games 10 -jq --option A=1 --option=B=2 -f X Y Z "
                        "--sandbox auto --factor -1.5e2 - one -- --json -x"),
                  "%s", err.text);
    ck_assert_str_eq(given.dev, "a=b");
    ck_assert_int_eq(given.games, 10);
    ck_assert(given.json && given.common.quiet && !given.common.verbose);
    ck_assert_int_eq(options_log_level(&given.common), LOG_QUIET);
    ck_assert_uint_eq(given.option.count, 2);
    ck_assert_str_eq(given.option.items[1], "B=2");
    ck_assert_uint_eq(given.focus.count, 3);
    ck_assert_str_eq(given.focus.items[2], "Z");
    ck_assert_str_eq(given.sandbox, "auto");
    ck_assert_double_eq(given.factor, -150);
    ck_assert_uint_eq(given.operands.count, 4);
    ck_assert_str_eq(given.operands.items[0], "-");
    ck_assert_str_eq(given.operands.items[2], "--json");
    options_free(&with_operands, &given);

    ck_assert_msg(parse(&given, &err, "-g12 -jd x --ga 14 --jou y"), "%s", err.text);
    ck_assert_str_eq(given.dev, "x");
    ck_assert_str_eq(given.journal, "y");
    ck_assert_int_eq(given.games, 14);
    options_free(&with_operands, &given);
}
END_TEST

START_TEST(each_fault_is_named) {
    static const struct {
        const char *line, *error;
    } faults[] = {
        {"--nothing", "unknown option --nothing"},
        {"--=3", "unknown option --"},
        {"-z", "unknown option -z"},
        {"-jz", "unknown option -z in -jz"},
        {"-html page.html", "unknown option -html"},
        {"-sandbox=on", "unknown option -sandbox (did you mean --sandbox?)"},
        {"-help", "unknown option -help (did you mean --help?)"},
        {"--hepl", "unknown option --hepl (did you mean --help?)"},
        {"--f 1", "--f: may be --factor or --focus"},
        {"--dev", "--dev: SPEC is missing"},
        {"-g", "-g: N is missing"},
        {"-=3", "unknown option -=3"},
        {"--journal-hid x", "unknown option --journal-hid (did you mean --journal?)"},
        {"--journal", "--journal: FILE is missing"},
        {"--journal=", "--journal: FILE is missing"},
        {"--games 1", "--games: 1 is not between 2 and 1000"},
        {"--games=", "--games: '' is not a whole number"},
        {"--json=1", "--json: takes no value"},
        {"--help=1", "--help: takes no value"},
        {"--sandbox o", "--sandbox: 'o' is not one of on|off|auto"},
        {"--sandbox on|off", "--sandbox: 'on|off' is not one of on|off|auto"},
        {"--factor x", "--factor: 'x' is not a number"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        Given given;
        Error err = {0};
        ck_assert_msg(!parse(&given, &err, faults[i].line), "%s was taken", faults[i].line);
        ck_assert_str_eq(err.text, faults[i].error);
        options_free(&with_operands, &given);
    }
}
END_TEST

START_TEST(the_environment_gives_defaults) {
    Given given;
    Error err = {0};
    setenv("TEST_GAMES", "20", 1);
    ck_assert(parse(&given, &err, ""));
    ck_assert_int_eq(given.games, 20);
    ck_assert(parse(&given, &err, "--games 30"));
    ck_assert_int_eq(given.games, 30);
    setenv("TEST_GAMES", "many", 1);
    ck_assert(parse(&given, &err, "--games 30"));
    ck_assert(!parse(&given, &err, ""));
    ck_assert_str_eq(err.text, "TEST_GAMES: 'many' is not a whole number");
}
END_TEST

START_TEST(a_secret_that_is_replaced_is_hidden) {
    Given given;
    Error err = {0};
    char first[] = "--word=first", second[] = "--word=second";
    char *argv[] = {(char[]){"test"}, first, second};
    bool help;
    setenv("TEST_WORD", "third", 1);
    given = (Given){0};
    ck_assert(options_parse(&with_secret, 3, argv, &given, &help, &err));
    ck_assert_str_eq(given.dev, "second");
    ck_assert_str_eq(first, "--word=xxxxx");
    ck_assert_str_eq(getenv("TEST_WORD"), "xxxxx");
    setenv("TEST_WORD", "third", 1);
    given = (Given){0};
    ck_assert(options_parse(&with_secret, 1, argv, &given, &help, &err));
    ck_assert_str_eq(given.dev, "third"); /* It is of use, and so the caller hides it. */
}
END_TEST

START_TEST(help_is_help_and_shows_every_row) {
    Given given;
    Error err = {0};
    static const char *const asked[] = {"--json --help --nonsense", "--hel", "-h", "-jh"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ck_assert(!parse(&given, &err, asked[i]));
        ck_assert_str_eq(err.text, "help");
    }

    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    options_print_help(&with_operands, out);
    fclose(out);
    static const char *const shown[] = {"\nThings to give:\n  -d, --dev SPEC",
                                        "Usage: test [options]", "  -d, --dev SPEC", "--factor X",
                                        "  -q, --quiet"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        ck_assert_msg(strstr(text, shown[i]) != NULL, "'%s' is not in:\n%s", shown[i], text);
    ck_assert_msg(strstr(text, "hidden") == NULL, "%s", text);
    free(text);
}
END_TEST

START_TEST(what_is_written_is_read_as_the_same_options) {
    static const char *const LEFT_OUT[] = {"quiet", NULL};
    char *argv[] = {"test",   "--dev",        "a b", "--games=400", "--factor", "0.1",
                    "--json", "--option=A=1", "-q",  "--option",    "B=2",      "--sandbox=auto"};
    const char *const wanted[] = {"--dev=a b", "--games=400",  "--factor=0.1",
                                  "--json",    "--option=A=1", "--option=B=2"};
    const Given standard = {.sandbox = "auto", .factor = 1};
    Given given = standard;
    Words words = {0};
    bool help;
    Error err = {0};
    ck_assert_msg(options_parse(&with_operands, (int)COUNT(argv), argv, &given, &help, &err), "%s",
                  err.text);
    options_write(&with_operands, &given, &standard, LEFT_OUT, &words);
    ck_assert_uint_eq(words.count, COUNT(wanted));
    for (size_t i = 0; i < words.count; i++)
        ck_assert_str_eq(words.items[i], wanted[i]);
    words_free(&words);
    options_free(&with_operands, &given);
}
END_TEST

START_TEST(names_in_files_are_whole) {
    Error err = {0};
    ck_assert(options_is_whole(&with_operands, "--games=4", &err));
    ck_assert(!options_is_whole(&with_operands, "--game=4", &err));
    ck_assert(options_is_whole(&with_operands, "--json", &err));
    ck_assert(!options_is_whole(&with_operands, "--games", &err)); /* It would eat the next line. */
    ck_assert_str_eq(err.text, "--games: N is missing");
    ck_assert(!options_is_whole(&with_operands, "--", &err)); /* A heading has no name. */
    ck_assert_str_eq(err.text, "--: is no option: names in files are written in full");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, names_in_files_are_whole);
    tcase_add_test(tests, what_is_written_is_read_as_the_same_options);
    tcase_add_test(tests, every_way_to_write_an_option_is_understood);
    tcase_add_test(tests, each_fault_is_named);
    tcase_add_test(tests, the_environment_gives_defaults);
    tcase_add_test(tests, a_secret_that_is_replaced_is_hidden);
    tcase_add_test(tests, help_is_help_and_shows_every_row);
}

int main(void) {
    return run_tests("options", add_tests);
}
