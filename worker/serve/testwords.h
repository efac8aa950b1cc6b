/* SPDX-License-Identifier: MIT */
/* A test in words and values, for lists and pages. Pure. */
#ifndef SERVE_TESTWORDS_H
#define SERVE_TESTWORDS_H

#include "base/json.h"
#include "serve/store.h"

/* The word of the test's kind in addresses: "test", "tune", "datagen". */
const char *test_path(const Test *test);

/* "Test 12", "Tuning 13", "Data generation 14". */
void test_title(const Test *test, Text *out);

/* Whether the test compares two sides. The games of a tuning, and of a data generation whose sides
 * are the same, compare nothing. */
bool test_compares(const Test *test);

/* "dev against base". Sides of one branch are told apart by their commits, sides of two engines by
 * the engines' names. A test that compares nothing: "Tuning in dev", "Training data of dev". */
void test_name(const Test *test, Text *out);

/* "running", "passed", "waits for approval", ... */
const char *test_state(const Test *test);

/* Adds the value "elo": Elo with the margin of its 95 % interval after these games of the test. */
void test_elo_value(cJSON *row, const Test *test, const Tally *tally);

/* Adds the values of test_row.html. machines: that work on the test now. */
void test_row_values(cJSON *row, const Test *test, int64_t machines);

#endif
