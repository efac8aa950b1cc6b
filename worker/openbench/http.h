/* SPDX-License-Identifier: MIT */
/* HTTP for the worker: form posts, downloads into a file, limits on time and size. The only user of
 * libcurl. A request is plain data; http_perform blocks, http_start performs in libuv's thread pool
 * and calls back on the loop.
 *
 * Redirects are followed for GET, and for forms that a browser would send (`page`), at most
 * HTTP_MAX_REDIRECTS times, and never from https to http. A token is sent to no host, port or
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
    HTTP_TIMEOUT_MS = 30000,            /* For a call to the server; for silence in a download. */
    HTTP_DOWNLOAD_TIMEOUT_MS = 1800000, /* For a whole download. */
    HTTP_UPLOAD_TIMEOUT_MS = 600000,    /* For a whole upload of games. */
    HTTP_MAX_REDIRECTS = 10,
    HTTP_ANSWER_LIMIT = 16 << 20 /* Bytes of an answer kept in memory. */
};

/* A field of a multipart form. Allocated and owned. */
typedef struct {
    char *name;
    char *value;    /* With `filename`: the path of the file to send. */
    char *filename; /* The file's name for the server; NULL: a plain field. */
} HttpPart;

typedef struct {
    HttpPart *items;
    size_t count;
    size_t capacity;
} HttpParts;

/* All strings are allocated and owned; an all-zero request is a GET of nothing. */
typedef struct {
    char *url;
    char *form;      /* application/x-www-form-urlencoded body of a POST; NULL: GET. */
    HttpParts parts; /* multipart/form-data body of a POST; empty: no such body. */
    char *token; /* Sent as "Authorization: token ..." to the URL's own host only; NULL: none. */
    /* Behave as a browser: keep cookies between hops, send a form's own address as its referrer,
     * and follow the redirect that answers a form by a GET, within the form's host, port and
     * scheme. */
    bool page;
    Words cookies;  /* With `page`: the cookies at the start, in the form of HttpResponse. */
    char *file;     /* The body of a 200 answer goes to a new file of this name; NULL: memory. */
    uint64_t limit; /* Refuse bodies of more bytes; 0: HTTP_ANSWER_LIMIT. */
    int timeout_ms; /* The whole call; 0: HTTP_TIMEOUT_MS, or the download's when `file` is set. */
} HttpRequest;

typedef enum {
    HTTP_DONE,        /* The server answered, with any status. */
    HTTP_UNREACHABLE, /* No, broken or late answer, or one over the limit: try again. */
    HTTP_REFUSED,     /* A refused redirect, a bad certificate, a bad URL, a file over the limit. */
    HTTP_FILE_FAULT,  /* The file could not be written. */
    HTTP_CANCELLED
} HttpOutcome;

enum { HTTP_OK = 200 }; /* The status of a successful answer. */

typedef struct {
    HttpOutcome outcome;
    /* With HTTP_REFUSED: the cause is the host's certificate, or this machine's file of
     * authorities. */
    bool untrusted;
    int status;         /* HTTP status of the last answer; 0: no answer. */
    bool sent;          /* The request, or a part of it, may have reached the server. */
    char *content_type; /* NULL: not given. */
    char *url;          /* The last URL, after redirects. */
    /* With `page`: all cookies at the end, each with host and path, as HttpRequest takes them. */
    Words cookies;
    int64_t date;       /* The server's time, in seconds since 1970; 0: not given. */
    Text body;          /* NUL-terminated; empty when the body went to a file. */
    uint64_t file_size; /* Bytes written to the file, and their hash. */
    char sha256[DIGEST_HEX_MAX];
    Error error; /* The reason, unless HTTP_DONE. */
} HttpResponse;

typedef struct HttpCall HttpCall;
typedef void (*HttpDone)(HttpResponse *response, void *user);

/* Call once in main, before any thread starts; call http_cleanup at the end. */
bool http_init(Error *err);
void http_cleanup(void);

/* Performs a request and waits for the end. `response` need not be initialised. Call
 * http_response_free. `cancel`, when not NULL, is polled: the call ends soon after *cancel turned
 * true. A downloaded file exists only when the outcome is HTTP_DONE with status 200: its bytes are
 * written under a temporary name, which is renamed. */
void http_perform(const HttpRequest *request, const atomic_bool *cancel, HttpResponse *response);

/* Starts a request in the thread pool. Takes over the request, and zeroes it. `done` is called
 * exactly once, on the loop, after http_cancel too. `done` may change but not keep the response. */
HttpCall *http_start(uv_loop_t *loop, HttpRequest *request, HttpDone done, void *user);

/* Ends the call soon. NULL is allowed. The call is freed after its `done` returned. */
void http_cancel(HttpCall *call);

void http_request_free(HttpRequest *request);
void http_response_free(HttpResponse *response);

/* Adds a field of a multipart form; filename as in HttpPart. */
void http_part_add(HttpParts *parts, const char *name, const char *value, const char *filename);

/* Appends "&name=value", percent-encoded (without the "&" when `form` is empty). */
void http_form_add(Text *form, const char *name, const char *value);

/* Turns a server's address as the user gave it into a base URL that ends in one "/". Without a
 * scheme "http://" is added for a loopback host, else "https://". Refuses another scheme, a user, a
 * query and a fragment. *plain: passwords will cross the network unencrypted (plain http to a host
 * other than loopback). Allocated; NULL with err set on failure. */
char *http_base_url(const char *text, bool *plain, Error *err);

/* May a request be redirected from `url` to `target` as hop number `hop` (from 0)? A form may be
 * redirected only within its own server, and nothing from https to http. */
bool http_may_follow(const HttpRequest *request, const char *url, const char *target, int hop,
                     Error *err);

/* Do two URLs have the same scheme, host and port? */
bool http_same_origin(const char *a, const char *b);

#endif
