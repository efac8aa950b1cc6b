/* SPDX-License-Identifier: MIT */
/* Requests and answers of the web, as values: handlers get one and fill the other, and see no HTTP
 * library. Also the table of routes, which finds the handler of a path. Pure. */
#ifndef SERVE_WEB_H
#define SERVE_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The server's parts that handlers need: its store, its sources, its settings. */
typedef struct Serve Serve;

typedef enum {
    WEB_OK = 200,
    WEB_FOUND = 302, /* A redirect, as forms are answered. */
    WEB_BAD_REQUEST = 400,
    WEB_FORBIDDEN = 403,
    WEB_NOT_FOUND = 404,
    WEB_BAD_METHOD = 405,
    WEB_TOO_LARGE = 413,
    WEB_TOO_MANY = 429,
    WEB_FAULT = 500,
    WEB_UNAVAILABLE = 503
} WebStatus;

/* ---- Names with values ---- */

/* Names and values of a query, a form, cookies or headers, in their order; a name may occur several
 * times. No value holds a NUL. Owns the texts. All zero: empty. */
typedef struct {
    Words names;
    Words values; /* As many as names. */
} WebFields;

void web_fields_add(WebFields *fields, const char *name, const char *value);
void web_fields_free(WebFields *fields);

/* The first value of the name; NULL when there is none. */
const char *web_fields_get(const WebFields *fields, const char *name);

/* As web_fields_get, for the names of headers, whose case does not matter. */
const char *web_fields_get_nocase(const WebFields *fields, const char *name);

/* ---- Requests ---- */

/* A file of a multipart form. */
typedef struct {
    char *name;      /* The form's field. */
    char *file_name; /* As the sender named the file: hostile text, never a path to use. */
    char *path;      /* Where the bytes are now. The file is removed after the handler, which may
                      * move the file away. */
    uint64_t length;
} WebUpload;

enum { WEB_ARGUMENTS = 4 };

/* All zero: GET of nothing. Owns everything. */
typedef struct {
    bool post;  /* POST; else GET. */
    char *path; /* Decoded, without the query: "/test/12/". */
    char *peer; /* The client's address; behind a trusted proxy the address that the proxy names. */
    bool secure; /* The client uses https: known from a trusted proxy alone. */
    WebFields query;
    WebFields form;
    WebFields cookies;
    WebFields headers;
    WebUpload *uploads;
    size_t upload_count;
    char *arguments[WEB_ARGUMENTS]; /* The path's parts that stand for {number} or {name}. */
} WebRequest;

void web_request_free(WebRequest *request);

/* The first value of a form's field, of a query's name, of a cookie, of a header; "" when there is
 * none. */
const char *web_form(const WebRequest *request, const char *name);
const char *web_query(const WebRequest *request, const char *name);
const char *web_cookie(const WebRequest *request, const char *name);
const char *web_header(const WebRequest *request, const char *name);

/* The file that the form sent under this name, or NULL. */
const WebUpload *web_upload(const WebRequest *request, const char *name);

/* The path's first argument as a number; the pattern's {number} has checked the digits. 0 without
 * an argument. */
int64_t web_number(const WebRequest *request);

/* ---- Answers ---- */

/* A body that grows while the client reads. */
typedef struct {
    /* Appends what is new, or nothing to wait for httpd_wake. False ends the body. Called on any
     * thread, never twice at a time. */
    bool (*read)(void *user, Text *out);
    void (*free)(void *user); /* Called once, also when the client has gone. */
    void *user;
} WebStream;

/* All zero: 200 with an empty page. Owns everything. */
typedef struct {
    WebStatus status; /* 0: 200. */
    const char *type; /* Lives on. NULL: an HTML page. */
    Text body;
    char *file;        /* The path of a file to send in place of body, or NULL. */
    WebStream stream;  /* In place of body when its `read` is set. */
    WebFields headers; /* Further headers: Location, Set-Cookie, ... */
} WebAnswer;

void web_answer_free(WebAnswer *answer);
void web_header_add(WebAnswer *answer, const char *name, const char *value);

/* Sends the client to another page of this server: "/index/". */
void web_redirect(WebAnswer *answer, const char *path);

/* What strangers read of a fault of the server's own, whose cause is in its log. */
extern const char WEB_FAULT_WORDS[];

/* Makes the answer a short plain text. Frees what the answer held before. */
void web_plain(WebAnswer *answer, WebStatus status, const char *text);

/* Makes the answer the JSON document {"error": "..."}, with status 200 as the protocol has it. The
 * text may be cut within a character. */
void web_json_error(WebAnswer *answer, const char *text);

/* Sets a cookie for the whole site, SameSite=Lax. max_age: seconds; 0 removes the cookie. Scripts
 * do not see the cookie. Secure when the request came over https. */
void web_set_cookie(const WebRequest *request, WebAnswer *answer, const char *name,
                    const char *value, int64_t max_age);

/* ---- Routes ---- */

typedef void (*WebHandler)(Serve *serve, const WebRequest *request, WebAnswer *answer);

/* The file that the forms of a route may bring. */
typedef struct {
    uint64_t limit; /* Bytes of such a form with its file. */
    /* May this sender bring a file? Asked when the file begins, with the fields before the file:
     * others' files never reach the disk, and the handler sees the form without its file. */
    bool (*may_send)(Serve *serve, const WebRequest *request);
} WebFile;

/* A path's pattern: "/test/{number}/". {number}: 1 to 18 digits. {name}: any characters but '/',
 * and not "." or "..". {path}, only at the end: all that is left, which is not empty
 * and begins with no '/'. get, post: NULL: this method is refused. */
typedef struct {
    const char *pattern;
    WebHandler get, post;
    const WebFile *file; /* NULL: forms bring no file. */
} WebRoute;

enum { WEB_BODY_LIMIT = 1 << 20 /* Bytes of a form without a file. */ };

/* Tables of routes, each ended by a route without a pattern. The first that fits counts. */
typedef struct {
    const WebRoute *const *tables;
    size_t count;
} WebRoutes;

/* The route of the request's path, whose arguments are set; NULL when none fits. */
const WebRoute *web_route(const WebRoutes *routes, WebRequest *request);

/* Answers the request by its route: 404 and 405 too; a GET without the last slash is sent to the
 * path with the slash. */
void web_dispatch(const WebRoutes *routes, Serve *serve, WebRequest *request, WebAnswer *answer);

#endif
