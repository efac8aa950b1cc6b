/* SPDX-License-Identifier: MIT */
/* The forms that create a workload on an OpenBench server (a test, a tuning by SPSA, a data
 * generation): the fields, the server's answer, and the search for the new workload, which no
 * answer names. Pure but for reading a file. Source: recorded submissions, accepted and refused. */
#ifndef WORKER_OPENBENCH_TESTFORM_H
#define WORKER_OPENBENCH_TESTFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openbench/api.h"
#include "openbench/formsession.h"
#include "stats/spsa.h"

typedef enum { TESTFORM_TEST, TESTFORM_TUNE, TESTFORM_DATAGEN, TESTFORM_KINDS } TestFormKind;

/* The names of a kind. */
typedef struct {
    const char *mode;    /* The mode of all workloads of the kind, "SPSA"; NULL: a test's mode is a
                            field of the form. */
    const char *path;    /* In the server's addresses, "tune". */
    const char *page;    /* The path of the form's page, "tune/new/". */
    const char *noun;    /* For people, "tuning". */
    const char *presets; /* The list in an engine's configuration, "tune_presets". */
} TestFormNames;

const TestFormNames *testform_names(TestFormKind kind);

/* The kind of the workloads of this mode. */
TestFormKind testform_kind(const char *mode);

/* One row for each field of any kind of form, in the order of the server's forms, without user,
 * password and action. A form of one kind has some of the rows. */
enum { TESTFORM_ROWS = 45 };

typedef struct {
    TestFormKind kind;
    char *values[TESTFORM_ROWS]; /* Allocated; NULL: no value yet. */
} TestForm;

/* The name of the field in this row (below TESTFORM_ROWS); NULL: the form lacks the field. */
const char *testform_name(const TestForm *form, size_t row);

/* Has a form of this kind the field? `name` must be a field of some kind of form. */
bool testform_has(const TestForm *form, const char *name);

/* Sets a field, unless the form lacks the field. `name` must be a field of some kind of form. value
 * NULL leaves the field unchanged. */
void testform_set(TestForm *form, const char *name, const char *value);

/* Set fields as testform_set does. testform_set_two: to "[0.00, 5.125]", each number with two
 * decimals or as many as needed. testform_set_schedule: the fields of TESTFORM_SCHEDULE; a number
 * below 0 leaves its field unchanged. */
void testform_set_number(TestForm *form, const char *name, double number);
void testform_set_two(TestForm *form, const char *name, double first, double second);
void testform_set_schedule(TestForm *form, const SpsaSchedule *schedule);

/* A number of a tuning's schedule. */
typedef struct {
    const char *field; /* "spsa_alpha" */
    const char *label; /* What a server's messages call the field. */
    size_t offset;     /* In SpsaSchedule. */
    bool whole;        /* An int64_t; else a double. */
    int64_t max;       /* The least is above 0. */
} TestFormNumber;

enum { TESTFORM_SCHEDULE_NUMBERS = 5 };
extern const TestFormNumber TESTFORM_SCHEDULE[TESTFORM_SCHEDULE_NUMBERS];

/* Reads a field's text into *out, within the number's limits. An error begins with `name`. */
bool testform_read_number(const TestFormNumber *number, const char *text, const char *name,
                          SpsaSchedule *out, Error *err);

/* Reads all of TESTFORM_SCHEDULE from a tuning's form. An error begins with the name of the field.
 */
bool testform_read_schedule(const TestForm *form, SpsaSchedule *out, Error *err);

/* Sets a field that has no value yet. The names "both_options" and "both_time_control" stand for
 * the fields of both sides. False: the form has no field of this name. */
bool testform_suggest(TestForm *form, const char *name, const char *value);

/* A field's value; NULL: no value yet, or the form lacks the field. */
const char *testform_get(const TestForm *form, const char *name);

/* The same, but "" for NULL. */
const char *testform_text(const TestForm *form, const char *name);

/* Reads "field = value" lines; blank lines and lines that begin with '#' are skipped. An unknown or
 * repeated field is refused; the error names file and line. Only spsa_inputs and info may be
 * repeated, once for each of their lines. An engine's field without a value is skipped. */
bool testform_read(TestForm *form, const char *path, Error *err);

/* Sets the form's kind to a tuning or a data generation when a line of the file begins with such a
 * form's own prefix, "spsa_" or "datagen_". Any other file leaves the kind unchanged. */
bool testform_find_kind(TestForm *form, const char *path, Error *err);

/* testform_usual: the usual value of a field. testform_fill: sets every field without a value to
 * its usual value. */
const char *testform_usual(const TestForm *form, const char *name);
void testform_fill(TestForm *form);

/* The words that a field may have, separated by blanks; NULL: the field takes any text. */
const char *testform_words(const char *name);

void testform_copy(const TestForm *from, TestForm *to);
void testform_free(TestForm *form);

/* Composes the request that creates the workload. The caller frees `request`. A test's request
 * names user and password. For the other kinds the session has to be signed in and to show the
 * form's page. */
void testform_compose(const ApiAccount *account, const FormSession *session, const TestForm *form,
                      HttpRequest *request);

typedef enum {
    TESTFORM_CREATED, /* Created; for a form that signs in: signed in. */
    TESTFORM_REFUSED, /* Refused, with reasons. */
    TESTFORM_FORGED,  /* The token against forged forms is missing. */
    TESTFORM_LOST     /* No answer, or trouble behind a redirect: the workload may have been
                         created. */
} TestFormVerdict;

/* Judges the answer, a page. Appends the server's reasons, each one line without markup; at least
 * one reason unless the verdict is TESTFORM_CREATED. */
TestFormVerdict testform_judge(const HttpResponse *response, Words *reasons);

/* Finds the workloads of the form's kind that a page links to, newest first. The caller frees
 * ids->items. */
void testform_links(const TestForm *form, const char *page, IntList *ids);

/* Appends the server's path of a workload of the form's kind: "tune/12/". */
void testform_add_path(const TestForm *form, int64_t id, Text *out);

/* Is the workload of an api_test_info answer the one that this form created, for this user? */
bool testform_is(const ApiAnswer *info, const TestForm *form, const char *username);

/* Does this workload, of which testform_is is true, wait until somebody approves it? */
bool testform_waits(const ApiAnswer *info);

#endif
