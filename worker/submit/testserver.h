/* SPDX-License-Identifier: MIT */
/* What `submit` asks of a server before a workload (a test, a tuning, a data generation) is
 * created, and how the workload is created there. Blocking. */
#ifndef SUBMIT_TESTSERVER_H
#define SUBMIT_TESTSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "openbench/api.h"
#include "openbench/testform.h"

/* Is the server there, and does it know the user? */
bool testserver_check_login(const ApiAccount *account, Error *err);

/* Has the server the engines and the book that the form names so far? */
bool testserver_check_names(const ApiAccount *account, const TestForm *form, Error *err);

/* Suggests to the form the engine's name and the speed that its clocks are scaled by, and applies
 * the preset of this name (NULL: none). A server that tells no configuration is refused only where
 * a preset is wanted. */
bool testserver_use_config(const ApiAccount *account, TestForm *form, const char *preset, Log *log,
                           Error *err);

/* Turns the networks that the form calls by name into the server's digits. */
bool testserver_find_networks(const ApiAccount *account, TestForm *form, Error *err);

/* Sends the form: of a test as programs do, of the others as a browser does after signing in.
 * Appends the server's reasons for a refusal. The caller frees *response. */
TestFormVerdict testserver_send(const ApiAccount *account, const TestForm *form,
                                HttpResponse *response, Words *reasons);

/* The number of the newest workload that the page links to and that is the one asked for; 0: none.
 */
int64_t testserver_find_test(const ApiAccount *account, const TestForm *form, const char *page);

#endif
