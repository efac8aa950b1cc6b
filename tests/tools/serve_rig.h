/* SPDX-License-Identifier: MIT */
/* A server without a socket: its parts in a folder of their own, a clock that the test moves, and a
 * browser that keeps cookies. */
#ifndef TESTS_TOOLS_SERVE_RIG_H
#define TESTS_TOOLS_SERVE_RIG_H

#include <stdio.h>

#include "base/log.h"
#include "serve/serve.h"
#include "serve/web.h"
#include "tools/temporary.h"

#define RIG_USER "ada"
#define RIG_PASSWORD "correct horse"

typedef struct {
    char folder[TEMPORARY_SIZE];
    Serve serve;
    int64_t now;
    WebRoutes routes;
    WebFields cookies; /* Of the browser. */
    WebAnswer answer;  /* The last. */
    Log log;           /* The server's. */
    FILE *log_file;    /* What the server has logged. */
} ServeRig;

/* Adds the user, who is an administrator. The server has listened for a day. tables: of routes;
 * they live on. Aborts on faults. */
void rig_start(ServeRig *rig, const WebRoute *const *tables, size_t count);
void rig_stop(ServeRig *rig);

/* The server began to listen so long ago, and some machine was heard just now. */
void rig_set_began(ServeRig *rig, int64_t seconds);

/* So much time passes, by every clock; some machine was heard meanwhile. `now` alone is moved where
 * the clock is set. */
void rig_pass(ServeRig *rig, int64_t seconds);

/* Gives the server a kept repository in place of those that it has: of this name, with one commit
 * ("Begin", "Bench: 77") on the branch, and with all that the shell script then does in its
 * upstream. */
void rig_add_repository(ServeRig *rig, const char *name, const char *branch, const char *script);

/* Writes a file of the server's configuration, "Engines/NAME.json", for the next catalog_open. */
void rig_configure(const ServeRig *rig, const char *name, const char *text);

/* Gives the request, which has none, a file as the server's HTTP keeps uploads. */
void rig_add_upload(const ServeRig *rig, WebRequest *request, const char *name,
                    const char *file_name, const char *content);

/* Answers the request, with the browser's cookies added, and frees the request. */
void rig_ask(ServeRig *rig, WebRequest *request);

/* GET of a path, which may end in "?query" without escapes. */
void rig_get(ServeRig *rig, const char *path);

/* POST of a form, "name=value&name=value" without escapes, with the token of the visit. */
void rig_post(ServeRig *rig, const char *path, const char *form);

/* As rig_post, of fields. Takes over the fields. */
void rig_send(ServeRig *rig, const char *path, WebFields *form);

/* Signs in with the login's form. */
void rig_sign_in(ServeRig *rig, const char *name, const char *password);

/* The page; "" for none. */
const char *rig_page(const ServeRig *rig);

/* Where the answer leads; "" for nowhere. */
const char *rig_location(const ServeRig *rig);

/* A test with every text set, `text` in each text that people choose; for rig_add_test. */
Test rig_test(const char *kind, const char *text);

/* Adds the test to the database, and frees its texts. Returns the test's number. */
int64_t rig_add_test(ServeRig *rig, Test *test);

/* Adds a machine of the user that works on the test; its number. */
int64_t rig_add_machine(ServeRig *rig, int64_t test, const char *text);

/* Adds two games a pair of the machine to the test, one of which crashed; the row's number. Dev
 * wins half of the pairs, the others are even. */
int64_t rig_add_results(ServeRig *rig, int64_t test, int64_t machine, int64_t pairs, double llr);

/* Adds a parameter from 0 to 100 to the tuning, which has none yet. */
void rig_add_parameter(ServeRig *rig, int64_t test, const char *name, double start, double value);

/* Adds an error that the machine reported. */
void rig_add_error(ServeRig *rig, int64_t test, int64_t machine, const char *summary,
                   const char *log);

/* The number that the database answers, 0 for none. Fails when the question does. */
int64_t rig_number(const ServeRig *rig, const char *sql);

/* Runs a statement that gives no rows. */
void rig_change(const ServeRig *rig, const char *sql);

/* Fail unless the page has the words, and where the page has them. */
void rig_expect(const ServeRig *rig, const char *words);
void rig_expect_not(const ServeRig *rig, const char *words);

/* Fails unless the log has the words. */
void rig_expect_logged(const ServeRig *rig, const char *words);

/* Fails unless the answer says that the server's files fail, and nothing else, and the log has the
 * words about the cause. */
void rig_expect_fault(const ServeRig *rig, const char *words);

#endif
