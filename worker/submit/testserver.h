/* SPDX-License-Identifier: MIT */
/* The questions of `submit` to a server before a workload (a test, a tuning, a data generation) is
 * created, and the creation of the workload. Blocking. */
#ifndef SUBMIT_TESTSERVER_H
#define SUBMIT_TESTSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "openbench/api.h"
#include "openbench/testform.h"

/* Checks that the server answers and knows the user. */
bool testserver_check_login(const ApiAccount *account, Error *err);

/* Asks which engines and books the server has. Call api_config_free in either case. */
bool testserver_ask_names(const ApiAccount *account, ApiServerConfig *names, Error *err);

/* Checks that these names have the engines and the book in the form; a form's missing names are not
 * checked. account: for the error. */
bool testserver_check_names(const ApiAccount *account, const ApiServerConfig *names,
                            const TestForm *form, Error *err);

/* Gives a form that names no book the server's first one, and says so, when the server lacks the
 * usual one. Call this after testserver_use_config: a preset may name the book. */
void testserver_suggest_book(const ApiServerConfig *names, TestForm *form, Log *log);

/* Suggests to the form the engine's name, the speed of the engine that scale_method names (the base
 * for BOTH; for the scaling of clocks; a speed that the server does not tell is warned of), and the
 * address of the engine's repository when the server keeps the repository itself and `remote` is
 * not on GitHub; applies the preset of this name (NULL: no preset). remote: the repository's
 * address on the web, or another one that git pushes to, which finds the engine where the form has
 * no address; NULL: none. own: the branches change this project's tables, so they are of its
 * engine, whatever the repository is called. *build_path: the folder in which the server builds the
 * engine, allocated; NULL: it is not known.
 * Refused: a repository of no engine, where the form names no engine and the branches are not own.
 * A server without a configuration is refused only when a preset is wanted. */
bool testserver_use_config(const ApiAccount *account, TestForm *form, const char *remote, bool own,
                           const char *preset, char **build_path, Log *log, Error *err);

/* Replaces the names of networks in the form by the server's digits. */
bool testserver_find_networks(const ApiAccount *account, TestForm *form, Error *err);

/* Sends the form: a test's form as a program, other forms as a browser after signing in. Appends
 * the server's reasons for a refusal. The caller frees *response. */
TestFormVerdict testserver_send(const ApiAccount *account, const TestForm *form,
                                HttpResponse *response, Words *reasons);

/* The greatest id among the workloads of the form's kind that the server's index links to; 0: there
 * are none; INT64_MAX: the server does not show its index. */
int64_t testserver_newest(const ApiAccount *account, const TestForm *form);

/* The id of the newest workload that the page links to and that this form created; 0: none. after:
 * testserver_newest before the form was sent, as an older workload may have the same settings.
 * *waits: whether the workload waits until somebody approves it. */
int64_t testserver_find_test(const ApiAccount *account, const TestForm *form, const char *page,
                             int64_t after, bool *waits);

#endif
