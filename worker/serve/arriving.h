/* SPDX-License-Identifier: MIT */
/* A request that arrives in pieces: its address, headers, cookies and query at first, then the body
 * of a form, with files that go to the spool folder. Sees libmicrohttpd for httpd.c. */
#ifndef SERVE_ARRIVING_H
#define SERVE_ARRIVING_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdio.h>

#include "serve/web.h"

enum { ARRIVING_FIELDS = 4096 /* Fields of a form, and headers, at most. */ };

/* What is arriving in all requests together: files, in a folder, and forms, in memory. */
typedef struct {
    const char *folder;
    Serve *serve;   /* For WebFile.may_send. */
    uint64_t limit; /* Bytes of files at a time. */
    atomic_uint_least64_t bytes;
    uint64_t forms_limit; /* Bytes of forms at a time; of each form the first 16 KB are free. */
    atomic_uint_least64_t form_bytes;
} ArrivingSpool;

/* All zero: nothing has arrived. */
typedef struct {
    WebRequest request;
    bool forwarded;       /* request.peer is what a trusted proxy wrote. */
    uint64_t limit;       /* Bytes of the body at most. */
    uint64_t held;        /* Bytes of the form that stay in memory: all but files. */
    const WebFile *takes; /* The file that the form may bring; NULL: none. */
    ArrivingSpool *spool;
    uint64_t spooled;  /* Bytes of this request in spool->bytes. */
    WebStatus refused; /* 0: no fault. Else the answer's status; the rest of the body is dropped. */
    const char *cause; /* For people, with `refused`. Lives on. */
    char *fault;       /* Why the file could not be stored, for the log; NULL: nothing failed. */
    int64_t began_ns;  /* clock_now_ns at the first piece. */
    uint64_t received;
    struct MHD_PostProcessor *reader; /* Of a multipart form; else NULL. */
    bool encoded;                     /* The body is a urlencoded form, ... */
    Text body;                        /* ... which is read when it is whole. */
    char *name;                       /* The field whose value is arriving, or NULL. */
    Text value;
    FILE *file;   /* The file that is arriving, which is the one of request.uploads; or NULL. */
    bool filed;   /* The form's file has begun. */
    bool dropped; /* Its sender may send none: the bytes are read and forgotten, ... */
    uint64_t drop_count; /* ... so many so far. */
    bool counted;        /* Of httpd.c: the request is one of those under way. */
    bool limited;        /* Of httpd.c: the limits of addresses hold for the client. */
} Arriving;

/* Takes all but the body. proxies: addresses whose X-Forwarded headers are believed; or NULL. */
void arriving_begin(Arriving *arriving, struct MHD_Connection *connection, const char *url,
                    bool post, const Words *proxies);

/* Prepares for the body: at most WEB_BODY_LIMIT bytes beside a file, and one file at most, as
 * `takes` says (NULL: none). Refuses a length that is announced above. */
void arriving_expect_body(Arriving *arriving, struct MHD_Connection *connection,
                          const WebFile *takes, ArrivingSpool *spool);

/* Takes a piece of the body. False when the sender is not to be waited for: too slow, or a refused
 * body has no end. */
bool arriving_take(Arriving *arriving, const char *bytes, size_t length);

/* Completes the form after the last piece. */
void arriving_end(Arriving *arriving);

void arriving_free(Arriving *arriving);

/* The client's numeric address; IPv4 within IPv6 as IPv4. */
enum { ARRIVING_ADDRESS_MAX = 46 };
void arriving_address(const struct sockaddr *address, char out[ARRIVING_ADDRESS_MAX]);

/* The same for an address in words, a proxy's. False: `word` is none. */
bool arriving_read_address(const char *word, char out[ARRIVING_ADDRESS_MAX]);

#endif
