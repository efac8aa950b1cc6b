/* SPDX-License-Identifier: MIT */
/* The flag table as text: rows changed, refused, and all of the real ones taken by its generator.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/memory.h"
#include "submit/commitbench.h"
#include "submit/flagtable.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

static const char small[] =
    "# name | kind | default | allowed | texts | needs | meaning\n"
    "\n"
    "KILLER | C | by-weight | ignore exempt by-weight | T0 | - | killer moves\n"
    "UNIT   | C | 1024      | 1 10 1024               | T2 | - | steps\n"
    "W_PV   | W | -1024     | -4096..4096             | T0 | - | PV node\n"
    "TT     | B | 1         | 0..1                    | T0 | - | the table is asked";

static const struct {
    const char *word;
    const char *line; /* of the changed table; NULL: refused */
    const char *error;
} changes[] = {
    {"KILLER=ignore", "KILLER | C | ignore    | ignore exempt", NULL},
    {"KILLER=0", "KILLER | C | ignore    | ignore exempt", NULL},
    {"KILLER=1", "KILLER | C | exempt    | ignore exempt", NULL},
    {"UNIT=10", "UNIT   | C | 10        | 1 10", NULL},
    {"UNIT=1", "UNIT   | C | 1         | 1 10", NULL},
    {"W_PV=-4096", "W_PV   | W | -4096     | -4096..", NULL},
    {"W_PV=0", "W_PV   | W | 0         | -4096..", NULL},
    {"W_PV=00012", "W_PV   | W | 12        | -4096..", NULL},
    {"TT=0", "TT     | B | 0         | 0..1      ", NULL},
    {"KILLR=0", NULL, "unknown row KILLR (did you mean KILLER?)"},
    {"killer=0", NULL, "unknown row killer (did you mean KILLER?)"},
    {"NONSENSE=0", NULL, "unknown row NONSENSE (reductio lmr list and params list name them)"},
    {"name=0", NULL, "unknown row name"},
    {"PRESET=t1", NULL, "PRESET chooses a bundle of rows"},
    {"KILLER=3", NULL, "KILLER=3 is not one of: ignore exempt by-weight"},
    {"KILLER=by-weight", NULL, "KILLER is by-weight already"},
    {"KILLER=2", NULL, "KILLER is by-weight already"},
    {"UNIT=2", NULL, "UNIT=2 is not one of: 1 10 1024"},
    {"W_PV=4097", NULL, "W_PV=4097 is out of range -4096..4096"},
    {"W_PV=-4097", NULL, "W_PV=-4097 is out of range -4096..4096"},
    {"W_PV=1.5", NULL, "W_PV=1.5 is not a whole number in -4096..4096"},
    {"W_PV=99999999999999999999", NULL, "is not a whole number"},
    {"W_PV=", NULL, "W_PV= is not a whole number"},
    {"W_PV=12345678901234567890123456789012345", NULL, "is not a value"},
    {"W_PV", NULL, "\"W_PV\" is not of the form ROW=VALUE"},
    {"=1", NULL, "is not of the form ROW=VALUE"},
};

START_TEST(a_row_is_changed_or_refused) {
    Text table = {0};
    FlagChange change;
    Error err = {0};
    text_add(&table, small);
    bool ok = flagtable_change(&table, changes[_i].word, &change, &err);
    ck_assert_msg(ok == (changes[_i].line != NULL), "%s: %s", changes[_i].word, err.text);
    if (ok) {
        ck_assert_msg(strstr(text_string(&table), changes[_i].line) != NULL, "%s: no \"%s\" in\n%s",
                      changes[_i].word, changes[_i].line, text_string(&table));
        ck_assert_uint_eq(table.length, strlen(small));
    } else {
        ck_assert_msg(strstr(err.text, changes[_i].error) != NULL, "%s: %s", changes[_i].word,
                      err.text);
        ck_assert_str_eq(text_string(&table), small);
    }
    text_free(&table);
}
END_TEST

START_TEST(a_longer_value_moves_the_bar) {
    Text table = {0};
    FlagChange change;
    Error err = {0};
    text_add(&table, "A|I|5|-4096..4096|T0|-|x\n");
    ck_assert_msg(flagtable_change(&table, "A=-4000", &change, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&table), "A|I|-4000 |-4096..4096|T0|-|x\n");
    ck_assert_str_eq(change.before, "5");
    ck_assert_str_eq(change.after, "-4000");
    text_free(&table);
}
END_TEST

/* ---- The real table ---- */

static Text read_real(const char *name) {
    Text path = {0};
    text_addf(&path, "%s/engine/%s", getenv("srcdir"), name);
    Text text = read_whole(text_string(&path));
    text_free(&path);
    return text;
}

/* Another value for a row than the one it has, by what it allows. */
static void other_value(const char *allowed, const char *standard, char out[FLAG_VALUE_MAX]) {
    size_t first = strcspn(allowed, " .");
    bool range = text_starts_with(allowed + first, "..");
    if (strlen(standard) != first || strncmp(standard, allowed, first) != 0)
        snprintf(out, FLAG_VALUE_MAX, "%.*s", (int)first, allowed);
    else if (range)
        snprintf(out, FLAG_VALUE_MAX, "%s", allowed + first + 2);
    else
        snprintf(out, FLAG_VALUE_MAX, "%.*s", (int)strcspn(allowed + first + 1, " "),
                 allowed + first + 1);
}

static char *trimmed(const char *from, size_t length) {
    while (length > 0 && *from == ' ') {
        from++;
        length--;
    }
    while (length > 0 && from[length - 1] == ' ')
        length--;
    return mem_strndup(from, length);
}

/* Changes the row of this line in the table; false when the line is no row. */
static bool change_row(const char *line, Text *table) {
    char *columns[4] = {NULL};
    const char *at = line;
    if (*line == '#' || *line == '\0')
        return false;
    for (int i = 0; i < 4; i++) {
        columns[i] = trimmed(at, strcspn(at, "|"));
        at += strcspn(at, "|") + 1;
    }
    char value[FLAG_VALUE_MAX];
    Text word = {0};
    FlagChange change;
    Error err = {0};
    other_value(columns[3], columns[2], value);
    text_addf(&word, "%s=%s", columns[0], value);
    ck_assert_msg(flagtable_change(table, text_string(&word), &change, &err), "%s: %s",
                  text_string(&word), err.text);
    ck_assert_str_eq(change.before, columns[2]);
    for (int i = 0; i < 4; i++)
        free(columns[i]);
    text_free(&word);
    return true;
}

/* Changes every row of a table of the engine, asks the generator to read the result, whose
 * tables `files` names ($table is the changed one), and returns how many rows were changed. */
static int change_every_row(const char *name, const char *files) {
    Text before = read_real(name);
    Text after = {0};
    Text command = {0};
    char folder[TEMPORARY_SIZE];
    Text path = {0};
    int rows = 0;
    text_add(&after, text_string(&before));
    for (char *line = before.data, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n' ? (*next = '\0', 1) : 0;
        rows += change_row(line, &after);
    }
    temporary_folder(folder, sizeof folder, "rd-flags");
    text_addf(&path, "%s%s", folder, strrchr(name, '/'));
    put_bytes(text_string(&path), after.data, after.length, 0600);
    text_addf(&command,
              "cd '%s/engine' && LMR= RD_CHECK=1 table=%s && "
              "export LMR RD_CHECK && awk -f lmr/flags.awk %s lmr/presets.def",
              getenv("srcdir"), text_string(&path), files);
    ck_assert_int_eq(system(text_string(&command)), 0);
    unlink(text_string(&path));
    rmdir(folder);
    text_free(&path);
    text_free(&before);
    text_free(&after);
    text_free(&command);
    return rows;
}

START_TEST(every_row_of_the_real_tables_can_be_changed_and_their_generator_takes_it) {
    ck_assert_int_gt(change_every_row("lmr/flags.def", "\"$table\" search/params.def"), 80);
    ck_assert_int_gt(change_every_row("search/params.def", "lmr/flags.def \"$table\""), 40);
}
END_TEST

START_TEST(a_row_is_looked_for_in_both_tables) {
    Text flags = read_real("lmr/flags.def");
    Text params = read_real("search/params.def");
    ck_assert(flagtable_has(&flags, "KILLER=0") && !flagtable_has(&params, "KILLER=0"));
    ck_assert(flagtable_has(&params, "LATE_BASE=4") && !flagtable_has(&flags, "LATE_BASE=4"));
    ck_assert(!flagtable_has(&params, "LATE=4"));
    text_free(&flags);
    text_free(&params);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, a_row_is_changed_or_refused, 0, COUNT(changes));
    tcase_add_test(tests, a_longer_value_moves_the_bar);
    tcase_add_test(tests, every_row_of_the_real_tables_can_be_changed_and_their_generator_takes_it);
    tcase_add_test(tests, a_row_is_looked_for_in_both_tables);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("flagtable", add_tests);
}
