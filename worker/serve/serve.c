/* SPDX-License-Identifier: MIT */
#include "serve/serve.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "serve/store.h"

int64_t serve_now(const Serve *serve) {
    return serve->clock ? serve->clock(serve->clock_user) : (int64_t)time(NULL);
}

void hearing_begin(Hearing *hearing, int64_t now_ns, int64_t now) {
    *hearing = (Hearing){.began_ns = now_ns, .began = now, .last_ns = now_ns};
}

void hearing_note(Hearing *hearing, int64_t now_ns, int64_t now) {
    int64_t silent_ms = clock_elapsed_ms(hearing->last_ns, now_ns);
    int64_t passed_s = clock_elapsed_ms(hearing->began_ns, now_ns) / CLOCK_MS_PER_SECOND;
    int64_t apart_s = now - hearing->began - passed_s;
    hearing->last_ns = now_ns;
    if (silent_ms >= MACHINE_VANISHED_SECONDS * CLOCK_MS_PER_SECOND ||
        apart_s >= MACHINE_ACTIVE_SECONDS || apart_s <= -MACHINE_ACTIVE_SECONDS)
        hearing_begin(hearing, now_ns, now);
}

bool hearing_has_lasted(const Hearing *hearing, int64_t now_ns) {
    return clock_elapsed_ms(hearing->began_ns, now_ns) >
           MACHINE_VANISHED_SECONDS * CLOCK_MS_PER_SECOND;
}

char *serve_base(const Serve *serve, const WebRequest *request) {
    const char *host = web_header(request, "Host");
    size_t length = strlen(host);
    bool usable = length > 0 && strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789.-_:[]") == length;
    Text base = {0};
    if (!usable)
        text_add(&base, serve->httpd ? httpd_url(serve->httpd) : "http://127.0.0.1");
    else
        text_addf(&base, "%s://%s", request->secure ? "https" : "http", host);
    return text_take(&base);
}

void serve_wake(const Serve *serve) {
    if (serve->httpd)
        httpd_wake(serve->httpd);
}

enum { LINE_MAX_BYTES = 1024 };

void serve_log_error(Serve *serve, const char *fmt, ...) {
    char line[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(line, sizeof line, fmt, arguments);
    va_end(arguments);
    pthread_mutex_lock(&serve->log_mutex);
    log_error(serve->log, "%s", line);
    pthread_mutex_unlock(&serve->log_mutex);
}
