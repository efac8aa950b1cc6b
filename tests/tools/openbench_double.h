/* SPDX-License-Identifier: MIT */
/* A small OpenBench server for tests, over real HTTP on the loopback: it registers workers, hands
 * out the workloads it was given, adds up results, serves files, and keeps every request. Answers
 * can be replaced, before or after the request took effect, to play a server in trouble.
 * Its own threads serve; every function may be called from the test's.
 *
 * A real server does not bear two requests of one machine at a time, and this one imitates both
 * faults. clientGetWorkload reads the row of its test and machine when it comes and writes the row
 * back when it is answered: results that were added in between stay in the test's totals and are
 * lost from the row. Any other request that comes while one is under way is answered with status
 * 500, as by a locked database, and does nothing. Each such overlap is counted. */
#ifndef TESTS_TOOLS_OPENBENCH_DOUBLE_H
#define TESTS_TOOLS_OPENBENCH_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Double Double;

/* What was added from submitted results. */
typedef struct {
    int64_t tri[3]; /* losses, draws, wins */
    int64_t penta[5];
    int64_t crashes, timelosses, illegals;
    double delta; /* of the first SPSA parameter */
    int64_t submissions;
} DoubleTotals;

/* What was added for one machine of a test. */
typedef struct {
    int64_t test_id;
    int64_t machine_id;
    DoubleTotals totals;
    DoubleTotals lost; /* In the test's totals, but not in the row any more. */
} DoubleRow;

/* When a replaced answer is given: instead of doing what was asked, or after it was done. */
typedef enum { DOUBLE_INSTEAD, DOUBLE_AFTERWARDS } DoubleMoment;

/* Listens on a free port of 127.0.0.1. User "tester", password "secret". Never NULL: it aborts. */
Double *double_start(void);

/* Frees. Aborts, with the two requests named on stderr, when requests of a worker have overlapped.
 */
void double_stop(Double *d);

/* Waits until no client has a connection: the requests of a worker that was killed are over then,
 * and meet none of the next one's. Aborts after 20 seconds. */
void double_settle(Double *d);

/* From now on requests of this path wait before they take effect; NULL: none waits any more.
 * double_wait_asked waits until a worker has sent such a request: false after `seconds`. */
void double_hold(Double *d, const char *path);
bool double_wait_asked(Double *d, int seconds);

/* "http://127.0.0.1:PORT"; lives as long as the double. */
const char *double_url(const Double *d);

/* The answer of clientGetBuildInfo. */
void double_set_build_info(Double *d, const char *json);

/* From now on its clock is so many seconds ahead. */
void double_set_clock(Double *d, int64_t seconds);

/* Hands the workload (JSON, {"workload": ...}) out once, after those offered before. */
void double_offer(Double *d, const char *json);

/* Hands out all offers again, in the same order, when they have run out. */
void double_offer_again(Double *d, bool again);

/* Serves a file. */
void double_serve(Double *d, const char *path, const char *type, const void *bytes, size_t length);

/* Answers the next request of `path` that has no replacement yet with this status and body; status
 * 0 closes the connection without a word. */
void double_replace(Double *d, const char *path, DoubleMoment moment, int status, const char *body);

/* From now on requests of `path` about this test do nothing, and their answer is status 500. One at
 * a time; 0: none. `path` must live on. */
void double_fail(Double *d, const char *path, int64_t test_id);

/* Drops what is left of the replacements of a path. */
void double_forgive(Double *d, const char *path);

/* From now on so many of a hundred requests meet trouble, by this seed, before or after they took
 * effect: the connection closed without a word, the answer cut short, doubled, empty, a page of
 * HTML, status 500 or 502. Results also take effect late (with an answer or without, but once the
 * row has been read, or before the next ones for it), or in the test's totals alone. 0: no more
 * trouble, and what was late takes effect. */
void double_trouble(Double *d, uint64_t seed, int percent);

/* From now on the server says at a registration that it knows the numbers of batches, and adds a
 * batch whose number it has seen no second time. */
void double_know_batches(Double *d);

/* From the nth submission of results on, {stop: true} is the answer. */
void double_stop_at(Double *d, int64_t submission);

/* The server goes down, in two steps: for so many milliseconds requests take effect and their
 * answers are lost; then connections are closed, and refused. */
void double_go_down(Double *d, int dying_ms);

/* The server is there again, on its port, with all that it had. */
void double_come_back(Double *d);

/* Workloads created through the server's forms are numbered from 1000 on; /index/ links to them and
 * to others. The next one is refused with these reasons (as HTML, one a line) on the page `path`.
 */
void double_refuse_test(Double *d, const char *path, const char *reasons);

/* The workload of this number that was created here is not over, as the others are. */
void double_keep_running(Double *d, int64_t id);

/* From now on the form of a test is only taken with the token of the server's pages. The forms of a
 * tuning and of a data generation always need the token, and a user who is signed in. */
void double_want_csrf(Double *d);

DoubleTotals double_totals(Double *d);

/* The next results, while they are not answered, are added to the test's totals and not to the
 * machine's row: the row's update is lost. */
void double_lose_row(Double *d);

/* The index-th row; false when there are no more. */
bool double_row(Double *d, size_t index, DoubleRow *row);

/* How many requests of `path` have come; waits until there are `count`: false after `seconds`. */
size_t double_count(Double *d, const char *path);
bool double_wait(Double *d, const char *path, size_t count, int seconds);

/* The value of a form field, or of a header as "@Name", of the index-th request of `path`;
 * allocated; NULL when it has none. `nth` counts fields of one name. */
char *double_field(Double *d, const char *path, size_t index, const char *name, size_t nth);

/* The file in the index-th upload of `path`: its bytes; allocated, NULL when there is none. */
char *double_upload(Double *d, const char *path, size_t index, size_t *length);

/* The names of its form fields, in order, with ',' after each. Allocated. */
char *double_field_names(Double *d, const char *path, size_t index);

#endif
