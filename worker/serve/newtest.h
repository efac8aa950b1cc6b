/* SPDX-License-Identifier: MIT */
/* New tests, tunings and data generations: one check of the forms of scripts and of pages, and one
 * way into the store. Source: the protocol's sections "Creating a test" and "Tunings and data
 * generation", and the recorded forms. */
#ifndef SERVE_NEWTEST_H
#define SERVE_NEWTEST_H

#include <stdint.h>

#include "base/text.h"
#include "serve/store.h"
#include "serve/web.h"

typedef enum { NEWTEST_TEST, NEWTEST_TUNE, NEWTEST_DATAGEN, NEWTEST_KINDS } NewTestKind;

/* The path of the kind's form: "/test/new/"; and of its tests: "test", as in "/test/12/". */
const char *newtest_form_path(NewTestKind kind);
const char *newtest_word(NewTestKind kind);

/* The kind of form that makes tests like this one. */
NewTestKind newtest_kind(const Test *test);

/* Checks the form, looks up the commits, and adds the test of this author. Returns its number, or 0
 * with the reasons, one a line. The test is approved at once when its author may approve and no
 * second user has to. Blocks while repositories are asked. */
int64_t newtest_create(Serve *serve, const User *author, const WebFields *form, NewTestKind kind,
                       Text *reasons);

#endif
