/* SPDX-License-Identifier: MIT */
#include "serve/serve.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t serve_now(const Serve *serve) {
    return serve->clock ? serve->clock(serve->clock_user) : (int64_t)time(NULL);
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
