/* SPDX-License-Identifier: MIT */
/* The parts of the server for tests, as they know each other: the server's state, requests and
 * answers. A function that takes a Double is called with the server's mutex locked; double_pass
 * alone locks the mutex itself. Tests use openbench_double.h. The files:
 *   openbench_double.c          starts and stops the server; HTTP
 *   openbench_double_forms.c    fields and files of a request
 *   openbench_double_rows.c     workers: workloads, results, rows and totals
 *   openbench_double_pages.c    users: sessions, pages, forms that create workloads
 *   openbench_double_answers.c  which part answers a request, faults, requests at the same time
 *   openbench_double_tests.c    what tests set and ask */
#ifndef TESTS_TOOLS_OPENBENCH_DOUBLE_PARTS_H
#define TESTS_TOOLS_OPENBENCH_DOUBLE_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <microhttpd.h>

#include "base/text.h"
#include "tools/openbench_double.h"

enum {
    DOUBLE_OK = 200,
    DOUBLE_FIRST_MACHINE = 2,
    DOUBLE_FIRST_TEST = 1000, /* The number of the first workload that is created. */
    DOUBLE_URL_MAX = 64
};

#define DOUBLE_SESSION_COOKIE "sessionid=s1"
#define DOUBLE_CSRF_TOKEN "token-of-the-double"

typedef struct {
    char *method;
    char *path;
    char *authorization;
    char *content_type;
    char *cookies;
    char *referer;
    Words names;
    Words values;
    Text upload; /* the file of a multipart form */
} Request;

/* A workload created through a form. */
typedef struct {
    const char *kind; /* "test", "tune", "datagen" */
    Words names;
    Words values;
} CreatedTest;

typedef struct {
    char *path;
    DoubleMoment moment;
    int status;
    char *body;
    bool used;
} Replacement;

typedef struct {
    char *path;
    char *type;
    char *bytes;
    size_t length;
} File;

typedef struct {
    int64_t test_id;
    int64_t machine_id;
    int64_t result_id; /* 0: not given out. */
    DoubleTotals totals;
    DoubleTotals lost;
} Row;

/* A batch that was received and takes effect later. */
typedef struct {
    int64_t test_id;
    int64_t machine_id;
    DoubleTotals batch;
} Late;

/* A request that is under way. */
typedef struct Passing {
    struct Passing *next;
    const char *path;
    int64_t machine; /* 0: it carries no machine's number. */
    bool locked;     /* It found the database locked. */
    bool held;       /* It waits until its path is held no more. */
    /* The row that a question for work has read. */
    bool writes_back;
    int64_t test_id;
    DoubleTotals totals, lost;
} Passing;

struct Double {
    Passing *passing;
    int64_t overlaps;
    Text overlapped;           /* The first two. */
    const char *held_path;     /* NULL: none is held. */
    bool lose_row;             /* Of the next results. */
    struct MHD_Daemon *daemon; /* NULL while the server is down. */
    uint16_t port;
    bool dying; /* Answers are lost. */
    pthread_mutex_t mutex;
    char url[DOUBLE_URL_MAX];
    char *build_info;
    Words offers;
    size_t offered;
    Request *requests;
    size_t request_count, request_capacity;
    Replacement *replacements;
    size_t replacement_count, replacement_capacity;
    File *files;
    size_t file_count, file_capacity;
    Row *rows;
    size_t row_count, row_capacity;
    DoubleTotals totals;
    CreatedTest *tests;
    size_t test_count, test_capacity;
    bool overtaken;               /* Somebody creates a test before the next page is shown. */
    char *refusal_page, *refusal; /* of the next test */
    char *message;                /* what the next page shows to whom has the cookie */
    bool want_csrf;
    int64_t running_test; /* Created here, but not over; 0: none. */
    bool signed_in;       /* Whoever has the session's cookie is signed in. */
    Late *late;
    size_t late_count, late_capacity;
    uint64_t random;
    int trouble; /* of a hundred requests */
    bool again;
    int64_t stop_at;
    bool knows_batches;
    Words batches; /* The numbers seen. */
    const char *failing_path;
    int64_t failing_test;
    int64_t next_machine;
    int64_t clock_off;
};

/* An answer that is being made. */
typedef struct {
    int status; /* 0: the connection is closed without an answer. */
    const char *type;
    bool cookies; /* The cookies of the session and of the token are set. */
    Text body;
    bool cut;      /* Half of it is sent. */
    bool late;     /* Results take effect later. */
    bool row_lost; /* Results are added to the test's totals alone. */
    int64_t clock_off;
} Answer;

/* ---- Fields of requests ---- */

/* Reads the body of a form, or of a form with a file, into the request. */
void double_parse_form(Request *request, const Text *body);
void double_parse_multipart(Request *request, const Text *body);

/* The value beside a name; NULL: there is none. */
const char *double_value_of(const Words *names, const Words *values, const char *name);

/* A field of the request's form; NULL, or -1: there is none. */
const char *double_form_value(const Request *request, const char *name);
int64_t double_form_int(const Request *request, const char *name);

/* Is the request of the user that the server knows? Else says so in the answer. */
bool double_check_user(const Request *request, Answer *answer);

/* Replaces the answer by this one. */
void double_say_instead(Answer *answer, int status, const char *body);

/* ---- Workers ---- */

void double_do_client_version(Double *d, const Request *request, Answer *answer);
void double_do_build_info(Double *d, const Request *request, Answer *answer);
void double_do_worker_info(Double *d, const Request *request, Answer *answer);
void double_do_get_workload(Double *d, const Request *request, Answer *answer);
void double_do_submit_results(Double *d, const Request *request, Answer *answer);
void double_do_heartbeat(Double *d, const Request *request, Answer *answer);
void double_do_machine_call(Double *d, const Request *request, Answer *answer);

/* What is known of a workload: its rows, or its settings and totals. */
void double_do_workload_api(Double *d, const Request *request, Answer *answer);

/* The row of a test and a machine, made when there is none. Valid until the next row is made. */
Row *double_find_row(Double *d, int64_t test_id, int64_t machine_id);

/* The number after a key in an offer, and where the number begins; 0 and NULL: there is none. */
int64_t double_offer_number(const char *offer, const char *key, const char **at);

/* The late batches of a test take effect: those of one machine, or of all machines with 0. A test
 * of 0 is every test. */
void double_take_effect(Double *d, int64_t test_id, int64_t machine_id);

/* ---- Users ---- */

void double_do_scripts(Double *d, const Request *request, Answer *answer);
void double_do_page(Double *d, const Request *request, Answer *answer);
void double_do_login(Double *d, const Request *request, Answer *answer);
void double_do_tune_form(Double *d, const Request *request, Answer *answer);
void double_do_datagen_form(Double *d, const Request *request, Answer *answer);

/* ---- Answers ---- */

/* The next replacement of a path that was not used; NULL: there is none. */
Replacement *double_find_replacement(Double *d, const char *path);

/* Does what the request asks, in the time that takes, and keeps the request. Locks the mutex. */
void double_pass(Double *d, const Request *request, Answer *answer);

void double_nap_ms(int ms);

#endif
