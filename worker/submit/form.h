/* SPDX-License-Identifier: MIT */
/* Fills a server's form for `submit`: from a file, from options, and from the repository around the
 * working folder. */
#ifndef SUBMIT_FORM_H
#define SUBMIT_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "openbench/testform.h"
#include "stats/spsa.h"
#include "stats/sprt.h"

/* The caller owns the strings; NULL: not given. Numbers below 0: not given. */
typedef struct {
    TestFormKind kind; /* TESTFORM_TEST: the file may decide otherwise. */
    const char *from;  /* A file of fields, which the options override. */
    const char *branch;
    const char *base_branch;
    const char *engine;
    const char *repo;
    const char *tc;
    const char *book;
    const char *info;
    OptionList options; /* UCI options of both engines. */
    SprtRule rule;
    bool bounds;     /* The bounds of `rule` are given. */
    bool confidence; /* The confidence of `rule` is given. */
    int64_t games;   /* 0: not given. */
    SpsaSchedule schedule;
    const char *reporting, *distribution;
    const char *genfens;
    bool reverses; /* Play both games of each opening. */
} FormSettings;

/* Settings in which nothing is given. */
#define FORM_NOTHING                                                                               \
    {                                                                                              \
        .schedule = {.alpha = -1, .gamma = -1, .a_ratio = -1, .iterations = -1, .pairs_per = -1 }  \
    }

/* Fills the form with the given settings. Refuses settings for forms of another kind. Call
 * testform_free in either case. */
bool form_read(TestForm *form, const FormSettings *given, Error *err);

/* Writes a tuning's parameters into the form, one line each. */
void form_set_parameters(TestForm *form, const SpsaParameters *parameters);

/* Refuses a form without an SPRT that does not say how many games there are, or for which a
 * confidence is given. A preset may yet decide both. */
bool form_check_games(const TestForm *form, const FormSettings *given, Error *err);

/* Fills the empty fields with their usual values, and sets the UCI options. Refuses a tuning whose
 * schedule is not within the limits of stats/tuning.h. */
bool form_complete(TestForm *form, const FormSettings *given, Error *err);

/* Has this field of the form a value that is not empty? */
bool form_says(const TestForm *form, const char *field);

/* form_use_address: sets the missing addresses of repositories; NULL leaves them unchanged.
 * form_check_address: refuses a form without such an address. */
void form_use_address(TestForm *form, const char *address);
bool form_check_address(const TestForm *form, const char *remote, Error *err);

#endif
