/* SPDX-License-Identifier: MIT */
/* The form that creates an A/B test on an OpenBench server: its fields, what the server makes of
 * them, and how the new test is found, since no answer names it. Pure but for reading a file.
 * Source: recorded submissions, accepted and refused. */
#ifndef WORKER_OPENBENCH_TESTFORM_H
#define WORKER_OPENBENCH_TESTFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "openbench/api.h"

enum { TESTFORM_FIELDS = 30 };

/* The fields in the order of the server's form; user, password and action are none of them. */
typedef struct {
    char *values[TESTFORM_FIELDS]; /* Allocated; NULL: not said yet. */
} TestForm;

/* The name of a field; index below TESTFORM_FIELDS. */
const char *testform_name(size_t index);

/* Says a field; `name` must be one. value NULL leaves it as it is. */
void testform_set(TestForm *form, const char *name, const char *value);

/* Says a field that says nothing yet, or, called "both_options" or "both_time_control", those of
 * both sides. False: there is none of that name. */
bool testform_suggest(TestForm *form, const char *name, const char *value);

/* What a field says; NULL: nothing yet. */
const char *testform_get(const TestForm *form, const char *name);

/* Reads "field = value" lines; blank ones and those that begin with '#' are passed over. A field
 * that there is not, or that is said twice, is refused by a line that names file and line. */
bool testform_read(TestForm *form, const char *path, Error *err);

/* The usual in a field, of which `name` must be one, and in every field that says nothing yet. */
const char *testform_usual(const char *name);
void testform_fill(TestForm *form);

void testform_copy(const TestForm *from, TestForm *to);
void testform_free(TestForm *form);

/* The request that creates the test. The caller frees it. */
void testform_compose(const ApiAccount *account, const TestForm *form, HttpRequest *request);

typedef enum {
    TESTFORM_CREATED,
    TESTFORM_REFUSED, /* The reasons say why. */
    TESTFORM_FORGED,  /* It wants a token against forged forms, which any of its pages sets. */
    TESTFORM_LOST     /* No answer: the test may be there. */
} TestFormVerdict;

/* Judges the answer, a page. Appends the server's reasons, one a line of its own, without any
 * markup; at least one unless the test was created. */
TestFormVerdict testform_judge(const HttpResponse *response, Words *reasons);

/* The page that a browser would get a token from. */
void testform_login_page(const ApiAccount *account, HttpRequest *request);

/* The tests that a page links to, newest first; the caller frees ids->items. */
void testform_links(const char *page, IntList *ids);

/* Is what the server says of a test what this form asked for, and by this user? */
bool testform_is(const ApiAnswer *info, const TestForm *form, const char *username);

#endif
