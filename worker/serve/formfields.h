/* SPDX-License-Identifier: MIT */
/* The fields of the forms for new tests, for people: labels, choices, help, and the values that a
 * form begins with. The names, their order and their usual values are those of
 * openbench/testform.h. */
#ifndef SERVE_FORMFIELDS_H
#define SERVE_FORMFIELDS_H

#include "base/json.h"
#include "openbench/testform.h"
#include "serve/serve.h"

/* Gives the fields without a value those of the engine's preset of this name (NULL: the default
 * alone), then those that the server knows, then the usual ones. The server's first book stands in
 * for a suggested one that the server lacks. */
void form_suggest(const Serve *serve, Transaction *t, const char *preset, TestForm *form);

/* Sets the fields to those of the test and of its parameters, but for the benches. */
void form_copy(const Test *test, const TestParameters *parameters, TestForm *form);

/* Adds the lists "groups" (of fields with their choices), "presets" and "engines" (the others,
 * whose forms begin otherwise) to the values of a page. */
void form_values(const Serve *serve, Transaction *t, const TestForm *form, cJSON *values);

#endif
