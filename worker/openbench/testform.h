/* SPDX-License-Identifier: MIT */
/* The forms that create a workload on an OpenBench server: a test, a tuning by SPSA, a data
 * generation. Their fields, what the server makes of them, and how the new workload is found, since
 * no answer names it. Pure but for reading a file. Source: recorded submissions, accepted and
 * refused. */
#ifndef WORKER_OPENBENCH_TESTFORM_H
#define WORKER_OPENBENCH_TESTFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openbench/api.h"
#include "openbench/formsession.h"

typedef enum { TESTFORM_TEST, TESTFORM_TUNE, TESTFORM_DATAGEN, TESTFORM_KINDS } TestFormKind;

/* A row for each field, in the order of the server's forms; user, password and action are none of
 * them. A form of one kind has some of the rows. */
enum { TESTFORM_ROWS = 45 };

typedef struct {
    TestFormKind kind;
    char *values[TESTFORM_ROWS]; /* Allocated; NULL: not said yet. */
} TestForm;

/* The name of the field in this row, which is below TESTFORM_ROWS; NULL: the form has it not. */
const char *testform_name(const TestForm *form, size_t row);

/* Has a form of this kind the field? `name` must be a field of some kind. */
bool testform_has(const TestForm *form, const char *name);

/* Says a field, unless the form has it not; `name` must be a field of some kind. value NULL leaves
 * the field as it is. */
void testform_set(TestForm *form, const char *name, const char *value);

/* Says a field that says nothing yet, or, called "both_options" or "both_time_control", those of
 * both sides. False: there is none of that name. */
bool testform_suggest(TestForm *form, const char *name, const char *value);

/* What a field says; NULL: nothing yet, or the form has it not. */
const char *testform_get(const TestForm *form, const char *name);

/* Reads "field = value" lines; blank ones and those that begin with '#' are passed over. A field
 * that there is not, or that is said twice, is refused by a line that names file and line. Only
 * spsa_inputs is said as often as there are parameters. */
bool testform_read(TestForm *form, const char *path, Error *err);

/* Sets the form's kind to that of a file of such lines, which has fields of this kind alone. A file
 * without such fields leaves the kind as it is. */
bool testform_find_kind(TestForm *form, const char *path, Error *err);

/* The usual in a field of the form, and in every field that says nothing yet. */
const char *testform_usual(const TestForm *form, const char *name);
void testform_fill(TestForm *form);

void testform_copy(const TestForm *from, TestForm *to);
void testform_free(TestForm *form);

/* The path on the server of the form's page: "tune/new/". */
const char *testform_path(const TestForm *form);

/* The request that creates the workload. The caller frees it. A test's names user and password; for
 * the other two the session has to be signed in and to show the page testform_path. */
void testform_compose(const ApiAccount *account, const FormSession *session, const TestForm *form,
                      HttpRequest *request);

typedef enum {
    TESTFORM_CREATED, /* Or, of a form that signs in: signed in. */
    TESTFORM_REFUSED, /* The reasons say why. */
    TESTFORM_FORGED,  /* It wants a token against forged forms, which any of its pages sets. */
    TESTFORM_LOST     /* No answer: the test may be there. */
} TestFormVerdict;

/* Judges the answer, a page. Appends the server's reasons, one a line of its own, without any
 * markup; at least one unless the verdict is TESTFORM_CREATED. */
TestFormVerdict testform_judge(const HttpResponse *response, Words *reasons);

/* The workloads of the form's kind that a page links to, newest first; the caller frees ids->items.
 */
void testform_links(const TestForm *form, const char *page, IntList *ids);

/* Appends the path of a workload of the form's kind: "tune/12/". */
void testform_add_path(const TestForm *form, int64_t id, Text *out);

/* Is what the server says of a test what this form asked for, and by this user? */
bool testform_is(const ApiAnswer *info, const TestForm *form, const char *username);

#endif
