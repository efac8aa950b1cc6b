/* SPDX-License-Identifier: MIT */
#include "tools/openbench_double_parts.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"

enum { MAX_BODY = 8 << 20 };

/* A request whose body is still coming. */
typedef struct {
    Text body;
} Arriving;

void double_nap_ms(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / CLOCK_MS_PER_SECOND,
                                 .tv_nsec = ms % CLOCK_MS_PER_SECOND * 1000000L},
              NULL);
}

/* ---- HTTP ---- */

static char *copy_header(struct MHD_Connection *connection, const char *name) {
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value ? mem_strdup(value) : NULL;
}

/* Half an answer, and then the connection is closed. */
static ssize_t read_half(void *text, uint64_t at, char *out, size_t most) {
    const Text *body = text;
    size_t half = body->length / 2;
    if (at >= half)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t size = half - (size_t)at < most ? half - (size_t)at : most;
    memcpy(out, body->data + at, size);
    return (ssize_t)size;
}

static void free_half(void *text) {
    text_free(text);
    free(text);
}

static struct MHD_Response *cut_response(Answer *answer) {
    Text *body = mem_calloc(1, sizeof *body);
    text_add(body, text_string(&answer->body));
    return MHD_create_response_from_callback(body->length, 4096, read_half, body, free_half);
}

/* Without it the library says the time itself. */
static void add_date(struct MHD_Response *response, int64_t clock_off) {
    static const char form[] = "%a, %d %b %Y %H:%M:%S GMT";
    char date[64];
    struct tm tm;
    time_t now = time(NULL) + (time_t)clock_off;
    if (!clock_off)
        return;
    strftime(date, sizeof date, form, gmtime_r(&now, &tm));
    MHD_add_response_header(response, "Date", date);
}

static enum MHD_Result respond(struct MHD_Connection *connection, Answer *answer) {
    if (answer->status == 0)
        return MHD_NO;
    struct MHD_Response *response =
        answer->cut ? cut_response(answer)
                    : MHD_create_response_from_buffer(answer->body.length,
                                                      (void *)text_string(&answer->body),
                                                      MHD_RESPMEM_MUST_COPY);
    /* For a status that redirects, the body is the address. */
    if (answer->status >= 300 && answer->status < 400)
        MHD_add_response_header(response, "Location", text_string(&answer->body));
    MHD_add_response_header(response, "Content-Type", answer->type);
    add_date(response, answer->clock_off);
    if (answer->cookies) {
        Text cookie = {0};
        text_addf(&cookie, "%s; HttpOnly; Path=/", DOUBLE_SESSION_COOKIE);
        MHD_add_response_header(response, "Set-Cookie", text_string(&cookie));
        text_clear(&cookie);
        text_addf(&cookie, "csrftoken=%s; Path=/; SameSite=Lax", DOUBLE_CSRF_TOKEN);
        MHD_add_response_header(response, "Set-Cookie", text_string(&cookie));
        text_free(&cookie);
    }
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state) {
    (void)version;
    Double *d = user;
    Arriving *arriving = *state;
    if (!arriving) {
        *state = mem_calloc(1, sizeof *arriving);
        return MHD_YES;
    }
    if (*size > 0) {
        if (arriving->body.length + *size < MAX_BODY)
            text_add_bytes(&arriving->body, data, *size);
        *size = 0;
        return MHD_YES;
    }
    Answer answer = {.status = DOUBLE_OK, .type = "application/json"};
    Request request = {.method = mem_strdup(method),
                       .path = mem_strdup(url),
                       .authorization = copy_header(connection, "Authorization"),
                       .content_type = copy_header(connection, "Content-Type"),
                       .cookies = copy_header(connection, "Cookie"),
                       .referer = copy_header(connection, "Referer")};
    if (request.content_type && text_starts_with(request.content_type, "multipart/form-data"))
        double_parse_multipart(&request, &arriving->body);
    else
        double_parse_form(&request, &arriving->body);
    double_pass(d, &request, &answer);
    enum MHD_Result result = respond(connection, &answer);
    text_free(&answer.body);
    return result;
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
    (void)user;
    (void)connection;
    (void)code;
    Arriving *arriving = *state;
    if (!arriving)
        return;
    text_free(&arriving->body);
    free(arriving);
    *state = NULL;
}

/* Listens on this port, or on a free one for 0. */
static void listen_on(Double *d, uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    d->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0,
                                 NULL, NULL, on_request, d, MHD_OPTION_SOCK_ADDR, &address,
                                 MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        d->daemon ? MHD_get_daemon_info(d->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        fprintf(stderr, "the double cannot listen on 127.0.0.1, port %u (0: any)\n", port);
        abort();
    }
    d->port = info->port;
}

Double *double_start(void) {
    Double *d = mem_calloc(1, sizeof *d);
    pthread_mutex_init(&d->mutex, NULL);
    d->next_machine = DOUBLE_FIRST_MACHINE;
    listen_on(d, 0);
    snprintf(d->url, sizeof d->url, "http://127.0.0.1:%u", (unsigned)d->port);
    return d;
}

static void set_dying(Double *d, bool dying) {
    pthread_mutex_lock(&d->mutex);
    d->dying = dying;
    pthread_mutex_unlock(&d->mutex);
}

void double_go_down(Double *d, int dying_ms) {
    set_dying(d, true);
    double_nap_ms(dying_ms);
    MHD_stop_daemon(d->daemon);
    d->daemon = NULL;
}

void double_settle(Double *d) {
    enum { SETTLE_S = 20, SETTLE_NAP_MS = 2 };
    int64_t began = clock_now_ns();
    while (d->daemon &&
           MHD_get_daemon_info(d->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections >
               0 &&
           clock_elapsed_ms(began, clock_now_ns()) < SETTLE_S * CLOCK_MS_PER_SECOND)
        double_nap_ms(SETTLE_NAP_MS);
    if (clock_elapsed_ms(began, clock_now_ns()) < SETTLE_S * CLOCK_MS_PER_SECOND)
        return;
    fprintf(stderr, "double: a client still has a connection after %d seconds\n", SETTLE_S);
    abort();
}

void double_come_back(Double *d) {
    set_dying(d, false);
    listen_on(d, d->port);
}

void double_stop(Double *d) {
    if (d->daemon)
        MHD_stop_daemon(d->daemon);
    if (d->overlaps > 0) {
        fprintf(stderr, "%" PRId64 " requests of a worker overlapped, first: %s\n", d->overlaps,
                text_string(&d->overlapped));
        abort();
    }
    text_free(&d->overlapped);
    for (size_t i = 0; i < d->request_count; i++) {
        Request *request = &d->requests[i];
        free(request->method);
        free(request->path);
        free(request->authorization);
        free(request->content_type);
        free(request->cookies);
        free(request->referer);
        words_free(&request->names);
        words_free(&request->values);
        text_free(&request->upload);
    }
    for (size_t i = 0; i < d->replacement_count; i++) {
        free(d->replacements[i].path);
        free(d->replacements[i].body);
    }
    for (size_t i = 0; i < d->file_count; i++) {
        free(d->files[i].path);
        free(d->files[i].type);
        free(d->files[i].bytes);
    }
    for (size_t i = 0; i < d->test_count; i++) {
        words_free(&d->tests[i].names);
        words_free(&d->tests[i].values);
    }
    free(d->tests);
    free(d->refusal_page);
    free(d->refusal);
    free(d->message);
    words_free(&d->offers);
    words_free(&d->batches);
    free(d->requests);
    free(d->replacements);
    free(d->files);
    free(d->rows);
    free(d->late);
    free(d->build_info);
    pthread_mutex_destroy(&d->mutex);
    free(d);
}
