/* SPDX-License-Identifier: MIT */
/* `obworker submit` beside a small server, in a repository made for each test: what the command
 * sends, makes and says. The repository has a branch main and a bare repository beside it as the
 * remote "origin", at the same commit; all that git reaches by ssh is that repository too. The
 * server's address, user and password are given to every
 * run that names a server. */
#ifndef TESTS_TOOLS_SUBMIT_RIG_H
#define TESTS_TOOLS_SUBMIT_RIG_H

#include <stddef.h>
#include <sys/types.h>
#include <cjson/cJSON.h>
#include <check.h>

#include "base/text.h"
#include "tools/openbench_double.h"

/* The path of the server that the form of a test is sent to. */
#define SCRIPTS "/scripts/"

/* The server of the test that runs. */
extern Double *submit_server;

/* The process of the command that runs. */
extern volatile pid_t submit_pid;

/* Runs the tests that add_tests puts into one case, each with a repository and a server of its own.
 * Returns main's status; 77 when git or the worker is missing. */
int run_submit_tests(int argc, char **argv, const char *name, void (*add_tests)(TCase *tests));

/* ---- The repository ---- */

/* The path of the repository. */
const char *submit_repository(void);

/* Runs a shell script in the repository; fails the test when the script fails. */
void shell(const char *script);

/* What a shell script prints in the repository, without its last line end. Allocated. */
char *answer(const char *script);
void expect_answer(const char *script, const char *wanted);

/* All that a user would miss: branches here and at origin, the index and the files, worktrees.
 * Allocated. */
char *state_of_things(void);

/* Reads and writes a file of the folder that the repository lies in. Whoever reads frees. */
Text read_file(const char *name);
void write_file(const char *name, const char *text);

/* The file has these words. */
void expect_in(const char *name, const char *words);

/* ---- The command ---- */

/* Runs `obworker submit` with these words, which end with NULL; stdout goes to the file "out",
 * stderr to "log". A url of NULL names no server. Returns the exit status. */
int run_submit(const char *const *words, const char *url);

/* The same beside the server: the exit status is the expected one, and no password is told. */
void submit_and_expect(const char *const *words, int status);

/* When the command first runs git with these words at the front, the command gets SIGINT, and that
 * git does not end by itself. Once a test. */
void interrupt_git(const char *words);

/* Refused for this reason, before anything was made or sent. */
void submit_and_expect_refusal(const char *const *words, int status, const char *why);

#define SUBMIT(status, ...) submit_and_expect((const char *const[]){__VA_ARGS__, NULL}, status)
#define REFUSE(why, ...) submit_and_expect_refusal((const char *const[]){__VA_ARGS__, NULL}, 1, why)
#define REFUSE_USAGE(why, ...)                                                                     \
    submit_and_expect_refusal((const char *const[]){__VA_ARGS__, NULL}, 2, why)
#define REPO "--repo", "https://git.example/a/b"

/* ---- The server ---- */

/* The server answers requests of `path` with this JSON. */
void serve(const char *path, const char *body);

/* The index-th form that was sent to `path` is the recorded one, field by field. */
void expect_fields(const cJSON *form, const char *path, size_t index);

/* A field of the index-th form that was sent to `path`, or of the index-th test. */
void expect_field_of(const char *path, size_t index, const char *name, const char *wanted);
void expect_field(size_t index, const char *name, const char *wanted);

/* Writes the recorded form to the file "form" for --from, each line of a field under the field's
 * name. User, password and token are left out: they come from elsewhere. */
void write_form(const cJSON *form);

#endif
