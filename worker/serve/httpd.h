/* SPDX-License-Identifier: MIT */
/* The HTTP server: listens, reads requests within limits, calls the routes' handlers on a few
 * threads, and sends answers. Only its parts, arriving and streams, see libmicrohttpd too. */
#ifndef SERVE_HTTPD_H
#define SERVE_HTTPD_H

#include "base/error.h"
#include "base/log.h"
#include "serve/web.h"

typedef struct Httpd Httpd;

enum { HTTPD_THREADS = 8 };

typedef struct {
    const char *listen;   /* "127.0.0.1:8000", "[::1]:8000", "name:8000"; port 0: any free one. */
    const char *spool;    /* The folder of files that are being uploaded; exists. */
    uint64_t spool_limit; /* Bytes of these files at a time; 0: HTTPD_SPOOL_LIMIT. */
    uint64_t forms_limit; /* Bytes of large forms at a time in memory; 0: HTTPD_FORMS_LIMIT. */
    int stop_s;           /* httpd_stop waits so long for answers; 0: HTTPD_STOP_S. */
    const Words *proxies; /* Addresses whose X-Forwarded-For and -Proto are believed; or NULL. */
    double rate;  /* Requests a second from one address, loopback excepted; 0: HTTPD_RATE. */
    double burst; /* Requests at once before the rate counts; 0: HTTPD_BURST. */
    WebRoutes routes;
    Serve *serve; /* For the handlers. */
    Log *log;     /* For faults; may be NULL. The httpd locks its own uses alone. */
} HttpdSettings;

enum {
    HTTPD_RATE = 100,
    HTTPD_BURST = 1000,
    HTTPD_SPOOL_LIMIT = 1 << 30,
    HTTPD_FORMS_LIMIT = 64 << 20,
    HTTPD_STOP_S = 10
};

/* Refuses a text that is no address of HttpdSettings.listen, whoever may listen there. */
bool httpd_check_address(const char *listen, Error *err);

/* Listens at the address for a moment. False where httpd_start could not listen, with its error. */
bool httpd_try_address(const char *listen, Error *err);

/* Starts to listen. NULL with err set: "--listen 127.0.0.1:8000: the port is in use ...". The
 * settings' texts and tables live as long as the server. */
Httpd *httpd_start(const HttpdSettings *settings, Error *err);

/* "http://127.0.0.1:8000"; lives as long as the server. */
const char *httpd_url(const Httpd *httpd);

/* Does the server listen on the loopback alone? */
bool httpd_is_local(const Httpd *httpd);

/* Has every stream asked for more, within half a second. Any thread may call this after something
 * has changed. */
void httpd_wake(Httpd *httpd);

/* Ends the streams, answers the requests that have come, and frees. NULL is allowed. */
void httpd_stop(Httpd *httpd);

#endif
