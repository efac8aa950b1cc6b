/* SPDX-License-Identifier: MIT */
/* Journals that older versions of the worker left in STATE/outbox, in the forms of records that
 * they wrote: the worker of today delivers each pair once, and a report reads them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "base/journal.h"
#include "base/text.h"
#include "runner.h"
#include "tools/openbench_double.h"
#include "tools/worker_rig.h"

/* The first machine that the scripted server registers, and the tests that the journals are of. */
enum { MACHINE = 2, FIRST_TEST = 11, OUTPUT_MAX = 1 << 16 };

#define PAIR(number, first, second, crashes)                                                       \
    "{\"kind\":\"pair\",\"pair\":" number ",\"points\":" first ",\"reply\":" second                \
    ",\"crashes\":" crashes ",\"timelosses\":0,\"illegals\":0}"
#define BENCH(kind) "{\"kind\":\"" kind "\",\"sha256\":\"01\",\"bench\":4242}"

static const struct {
    int version;
    const char *records[12]; /* After the head. */
    DoubleTotals row;        /* What the server has of the test in the end. */
    int64_t pairs;           /* That the journal has. */
} CASES[] = {
    /* A batch that the server refused, pairs after it, and a pair that stands there twice. */
    {1,
     {PAIR("0", "2", "1", "0"), PAIR("1", "0", "1", "1"),
      "{\"kind\":\"batch\",\"before\":[0,0,0,0,0]}", "{\"kind\":\"withdrawn\"}",
      PAIR("3", "2", "2", "0"), PAIR("2", "1", "1", "0"), PAIR("1", "0", "1", "1")},
     {.tri = {1, 4, 3}, .penta = {0, 1, 1, 1, 1}, .crashes = 1},
     4},
    /* An engine whose bench was proved, and one batch that the server has. */
    {2,
     {BENCH("unproved"), PAIR("0", "2", "2", "0"), BENCH("proved"),
      "{\"kind\":\"batch\",\"before\":[0,0,0,0,0]}", "{\"kind\":\"added\"}",
      PAIR("1", "0", "0", "1"), PAIR("2", "2", "1", "0")},
     {.tri = {2, 1, 1}, .penta = {1, 0, 0, 1, 0}, .crashes = 1},
     3},
    /* A batch that the server never got: its answer was lost with the process. */
    {2,
     {PAIR("0", "2", "2", "0"), PAIR("1", "1", "2", "0"),
      "{\"kind\":\"batch\",\"before\":[0,0,0,0,0]}"},
     {.tri = {0, 1, 3}, .penta = {0, 0, 0, 1, 1}},
     2},
    /* A test that is over: the server wants no more of it. */
    {1, {PAIR("0", "2", "2", "0"), "{\"kind\":\"over\"}"}, {.crashes = 0}, 1},
};

static char *journal_path(int which, const char *folder) {
    char name[64];
    snprintf(name, sizeof name, "state/outbox/%s%d-%d-00001.journal", folder, FIRST_TEST + which,
             MACHINE);
    return rig_path(name);
}

static void append(Journal *journal, const char *record) {
    Error err = {0};
    ck_assert_msg(journal_append(journal, record, strlen(record), &err), "%s", err.text);
}

/* Leaves the journal of a case in the outbox. */
static void leave_a_journal(int which) {
    char *path = journal_path(which, "");
    Journal journal = {0};
    Text head = {0};
    Error err = {0};
    text_addf(&head,
              "{\"kind\":\"head\",\"version\":%d,\"created\":1700000000,\"server\":\"%s/\","
              "\"user\":\"tester\",\"host\":\"here\",\"test\":%d,\"machine\":%d,\"result\":%d,"
              "\"book_index\":1,\"type\":\"SPRT\",\"dev\":\"quicker\",\"base\":\"main\","
              "\"reporting\":\"\",\"upload_pgns\":\"FALSE\"}",
              CASES[which].version, double_url(rig_server), FIRST_TEST + which, MACHINE,
              500 + which);
    ck_assert_msg(journal_create(&journal, path, head.data, head.length, &err), "%s", err.text);
    for (size_t i = 0; CASES[which].records[i] != NULL; i++)
        append(&journal, CASES[which].records[i]);
    journal_close(&journal);
    text_free(&head);
    free(path);
}

static void expect_row(int which) {
    DoubleTotals got = {0};
    DoubleRow row;
    for (size_t i = 0; double_row(rig_server, i, &row); i++)
        if (row.test_id == FIRST_TEST + which && row.machine_id == MACHINE)
            got = row.totals;
    for (int i = 0; i < 3; i++)
        ck_assert_msg(got.tri[i] == CASES[which].row.tri[i], "case %d: tri[%d] is %d, not %d",
                      which, i, (int)got.tri[i], (int)CASES[which].row.tri[i]);
    for (int i = 0; i < 5; i++)
        ck_assert_msg(got.penta[i] == CASES[which].row.penta[i], "case %d: penta[%d] is %d, not %d",
                      which, i, (int)got.penta[i], (int)CASES[which].row.penta[i]);
    ck_assert_int_eq(got.crashes, CASES[which].row.crashes);
}

/* `obworker report --journal` counts the pairs of the journal, those that were sent before too. */
static void expect_report(int which, const char *folder) {
    char *path = journal_path(which, folder);
    char output[OUTPUT_MAX];
    char wanted[32];
    Text command = {0};
    text_addf(&command, "%s report --json --journal %s 2>&1", getenv("OBWORKER"), path);
    FILE *pipe = popen(text_string(&command), "r");
    ck_assert_ptr_nonnull(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    ck_assert_msg(pclose(pipe) == 0, "%s", output);
    snprintf(wanted, sizeof wanted, "{\"games\":%d,", 2 * (int)CASES[which].pairs);
    ck_assert_msg(strstr(output, wanted) != NULL, "%s is not in %s", wanted, output);
    text_free(&command);
    free(path);
}

START_TEST(journals_of_older_versions_are_delivered_once_and_reported) {
    char *outbox = rig_path("state/outbox");
    Error err = {0};
    ck_assert_msg(file_make_folders(outbox, &err), "%s", err.text);
    free(outbox);
    rig_serve_dev();
    for (int i = 0; i < (int)COUNT(CASES); i++) {
        leave_a_journal(i);
        expect_report(i, "");
    }
    /* Twice: the second worker has nothing to deliver but the games of its own workload. */
    for (int round = 0; round < 2; round++) {
        rig_offer(&(RigOffer){.id = 5, .rounds = 2});
        rig_run((const char *const[]){"--once", "--keep-delivered", NULL}, 0);
        for (int i = 0; i < (int)COUNT(CASES); i++)
            expect_row(i);
    }
    for (int i = 0; i < (int)COUNT(CASES); i++) {
        char *path = journal_path(i, "");
        ck_assert_msg(access(path, F_OK) != 0, "%s is still there", path);
        expect_report(i, "delivered/");
        free(path);
    }
}
END_TEST

int main(void) {
    if (!rig_ready("older journals"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("older journals");
    TCase *tc = rig_case(suite, "journals");
    tcase_add_test(tc, journals_of_older_versions_are_delivered_once_and_reported);
    return run_suite(suite);
}
