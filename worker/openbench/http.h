/* SPDX-License-Identifier: MIT */
/* HTTP as the worker needs it: form posts, downloads into a file, limits on time and size. The only
 * user of libcurl. A request is plain data; http_perform blocks, http_start runs the same in
 * libuv's thread pool and calls back on the loop.
 *
 * Redirects are followed for GET, and for forms that a browser would send (`page`), at most
 * HTTP_MAX_REDIRECTS times, never from https to http, and a token is sent to no host, port or
 * scheme but the first one. Certificates are checked. */
#ifndef WORKER_OPENBENCH_HTTP_H
#define WORKER_OPENBENCH_HTTP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"

enum {
    HTTP_TIMEOUT_MS = 30000,            /* Of a call to the server; of silence in a download. */
    HTTP_DOWNLOAD_TIMEOUT_MS = 1800000, /* Of a whole download. */
    HTTP_UPLOAD_TIMEOUT_MS = 600000,    /* Of a whole upload of games. */
    HTTP_MAX_REDIRECTS = 10,
    HTTP_ANSWER_LIMIT = 16 << 20 /* Bytes of an answer kept in memory. */
};

/* A field of a multipart form. Allocated and owned. */
typedef struct {
    char *name;
    char *value;    /* With `filename`: the path of the file whose bytes are sent. */
    char *filename; /* What the server is told that the file is called; NULL: a plain field. */
} HttpPart;

typedef struct {
    HttpPart *items;
    size_t count;
    size_t capacity;
} HttpParts;

/* All strings are allocated and owned; an all-zero request is a GET of nothing. */
typedef struct {
    char *url;
    char *form;      /* application/x-www-form-urlencoded body: makes it a POST; NULL: GET. */
    HttpParts parts; /* multipart/form-data body, when there are any: a POST too. */
    char *token; /* Sent as "Authorization: token ..." to the URL's own host only; NULL: none. */
    bool page;   /* As a browser does: cookies are kept on the way, a form names its own address as
                    its referrer, and the redirect that answers a form is followed by a GET, within
                    the form's host, port and scheme. */
    Words cookies;  /* With `page`: cookies to begin with, as HttpResponse has them. */
    char *file;     /* The body of a 200 answer goes to a new file of this name; NULL: memory. */
    uint64_t limit; /* Refuse bodies of more bytes; 0: HTTP_ANSWER_LIMIT. */
    int timeout_ms; /* The whole call; 0: HTTP_TIMEOUT_MS, or the download's when `file` is set. */
    int silence_ms; /* Downloads: give up after so long without a byte; 0: HTTP_TIMEOUT_MS. */
} HttpRequest;

typedef enum {
    HTTP_DONE,        /* There is an answer, whatever its status. */
    HTTP_UNREACHABLE, /* No connection, a broken one, a timeout, an answer that is too long: worth
                         another try. */
    HTTP_REFUSED,     /* A redirect that is not followed, a bad certificate, a bad URL, a file that
                         is too long. */
    HTTP_FILE_FAULT,  /* The file could not be written. */
    HTTP_CANCELLED
} HttpOutcome;

enum { HTTP_OK = 200 }; /* The status of an answer that holds what was asked for. */

typedef struct {
    HttpOutcome outcome;
    int status;         /* Of the last answer, e.g. 200; 0 when there was none. */
    bool sent;          /* The request, or a part of it, may have reached the server. */
    char *content_type; /* Or NULL. */
    char *url;          /* Where the last redirect led. */
    Words cookies;      /* With `page`: all cookies at the end, each with its host and path, as
                           HttpRequest takes them. */
    int64_t date;       /* By the server's clock, in seconds since 1970; 0: it does not say. */
    Text body;          /* NUL-terminated; empty when it went to a file. */
    uint64_t file_size; /* Bytes written to the file, and their hash. */
    char sha256[DIGEST_HEX_MAX];
    Error error; /* What happened, unless HTTP_DONE. */
} HttpResponse;

typedef struct HttpCall HttpCall;
typedef void (*HttpDone)(HttpResponse *response, void *user);

/* Once in main, before any thread; http_cleanup at the end. */
bool http_init(Error *err);
void http_cleanup(void);

/* Does it now. `response` need not be initialised; http_response_free it. `cancel`, when not NULL,
 * is polled: the call ends soon after it turned true. A file is only there when the outcome is
 * HTTP_DONE with status 200: it is written under a temporary name and renamed. */
void http_perform(const HttpRequest *request, const atomic_bool *cancel, HttpResponse *response);

/* Starts it in the thread pool; takes the request over (and zeroes it). `done` comes on the loop,
 * exactly once, also after http_cancel; it may change but not keep the response. */
HttpCall *http_start(uv_loop_t *loop, HttpRequest *request, HttpDone done, void *user);

/* Ends the call soon. NULL is allowed. The call is gone once its `done` has come. */
void http_cancel(HttpCall *call);

void http_request_free(HttpRequest *request);
void http_response_free(HttpResponse *response);

/* Adds a field of a multipart form; filename as in HttpPart. */
void http_part_add(HttpParts *parts, const char *name, const char *value, const char *filename);

/* Appends "&name=value", percent-encoded (without the "&" when `form` is empty). */
void http_form_add(Text *form, const char *name, const char *value);

/* What a user gave as a server's address, as a base URL that ends in one "/": adds "http://" for a
 * loopback host and "https://" for others when no scheme was given; refuses what is no http(s) URL
 * and one with a user, a query or a fragment. `*plain` says that passwords will cross the network
 * unencrypted: plain http and a host that is not loopback. Allocated; NULL with err set on failure.
 */
char *http_base_url(const char *text, bool *plain, Error *err);

/* Whether a request may be redirected from `url` to `target` as hop number `hop` (from 0): a form
 * only to the page that its own server answers with, and never from https to http. */
bool http_may_follow(const HttpRequest *request, const char *url, const char *target, int hop,
                     Error *err);

/* Whether two URLs have the same scheme, host and port. */
bool http_same_origin(const char *a, const char *b);

#endif
