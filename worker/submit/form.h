/* SPDX-License-Identifier: MIT */
/* The server's form as the user of `submit` fills it: from a file, from options, and from the
 * repository that the working folder lies in. */
#ifndef SUBMIT_FORM_H
#define SUBMIT_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "openbench/testform.h"
#include "stats/spsa.h"
#include "stats/sprt.h"

/* Strings are the caller's; NULL: not given. Numbers below 0: not given. */
typedef struct {
    TestFormKind kind; /* TESTFORM_TEST: the file may say another. */
    const char *from;  /* A file of fields, which count less than the rest. */
    const char *branch;
    const char *base_branch;
    const char *engine;
    const char *repo;
    const char *tc;
    const char *book;
    const char *info;
    OptionList options; /* UCI options of both engines. */
    SprtRule rule;
    bool bounds;     /* The rule's are given. */
    bool confidence; /* So are these. */
    int64_t games;   /* 0: not given. */
    int64_t iterations, pairs_per;
    double alpha, gamma, a_ratio;
    const char *reporting, *distribution;
    const char *genfens;
    bool reverses; /* Both games of each opening. */
} FormSettings;

/* Nothing is given. */
#define FORM_NOTHING                                                                               \
    { .iterations = -1, .pairs_per = -1, .alpha = -1, .gamma = -1, .a_ratio = -1 }

/* Fills the form with what is given. Refuses what is for forms of another kind. testform_free it in
 * either case. */
bool form_read(TestForm *form, const FormSettings *given, Error *err);

/* Says the parameters of a tuning, a line each. */
void form_set_parameters(TestForm *form, const SpsaParameters *parameters);

/* Fills the fields that say nothing yet with the usual, and sets the UCI options. */
bool form_complete(TestForm *form, const FormSettings *given, Error *err);

/* Does the form say anything in this field? */
bool form_says(const TestForm *form, const char *field);

/* Says the repository's address where the form does not: that of the remote, if it is on the web.
 */
void form_find_address(TestForm *form, const char *remote);
bool form_check_address(const TestForm *form, const char *remote, Error *err);

#endif
