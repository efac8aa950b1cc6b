/* SPDX-License-Identifier: MIT */
/* The HTTP server on a real socket with routes of the test, for tests of requests and answers.
 * Every fault of the rig fails the test. */
#ifndef TESTS_TOOLS_HTTPD_RIG_H
#define TESTS_TOOLS_HTTPD_RIG_H

#include "base/text.h"
#include "serve/httpd.h"
#include "serve/web.h"

enum {
    HTTPD_RIG_SPOOL = 3 << 20, /* Bytes of all files that arrive at a time. */
    HTTPD_RIG_FILE = 300000    /* Bytes of a file that httpd_rig_say_back reads. */
};

typedef struct {
    Httpd *httpd;  /* NULL after a test has stopped the server itself. */
    Text answer;   /* The last. */
    Words proxies; /* The trusted ones; a test may add some while the server runs. */
} HttpdRig;

extern HttpdRig rig;

/* Starts the server. routes: ended by a route without a pattern; they live on. */
void httpd_rig_start(const WebRoute *routes);

/* Ends the server, which must have left no file behind. */
void httpd_rig_stop(void);

/* The settings of the server, for a server that must not start. */
HttpdSettings httpd_rig_settings(void);

/* GET of a path, with further header lines; POST of a urlencoded form; a whole request with
 * "Connection: close". The answer is rig.answer. */
void httpd_rig_get(const char *path, const char *headers);
void httpd_rig_post(const char *path, const char *headers, const char *form);
void httpd_rig_exchange(const char *request, size_t length);

/* The words must be in the answer; the answer must have this status. */
void httpd_rig_expect(const char *words);
void httpd_rig_expect_status(int status);

/* A handler that says back what came: the peer, whether the way was secure, q of the query and the
 * cookie c, each field and each file. */
void httpd_rig_say_back(Serve *serve, const WebRequest *request, WebAnswer *out);

#endif
