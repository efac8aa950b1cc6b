/* SPDX-License-Identifier: MIT */
#include "serve/httpd.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/memory.h"
#include "serve/arriving.h"
#include "serve/streams.h"
#include "serve/visitors.h"

enum {
    CONNECTIONS = 4000, /* At a time, where the system grants so many descriptors, ... */
    OTHER_FILES = 64,   /* ... and these for the threads, the database and programs that run. */
    /* At a time from one address, loopback and proxies excepted: hundreds of workers may share the
     * address of one router. */
    VISITOR_CONNECTIONS = 1024,
    STREAMS = 500,            /* Pages that are followed at a time, ... */
    VISITOR_STREAMS = 50,     /* ... and those of one address, loopback and proxies excepted. */
    IDLE_S = 60,              /* A connection that is silent for so long is closed. */
    CONNECTION_BYTES = 16384, /* A request's line and headers together fill no more. */
    BACKLOG = 1024
};

struct Httpd {
    HttpdSettings settings;
    struct MHD_Daemon *daemon;
    Visitors *visitors;
    Streams *streams;
    ArrivingSpool spool;
    bool local;
    char *url;
    uv_mutex_t mutex; /* Of under_way, and of the log. */
    uv_cond_t all_answered;
    int64_t under_way;
};

/* ---- Who asks ---- */

/* Do the limits of addresses hold for this one? */
static bool is_limited(const Httpd *httpd, const char *address) {
    const Words *proxies = httpd->settings.proxies;
    bool proxy = proxies && words_has(proxies, address);
    return !proxy && !text_starts_with(address, "127.") && strcmp(address, "::1") != 0;
}

static enum MHD_Result on_accept(void *user, const struct sockaddr *address, socklen_t length) {
    (void)length;
    const Httpd *httpd = user;
    char peer[ARRIVING_ADDRESS_MAX];
    arriving_address(address, peer);
    return !is_limited(httpd, peer) || visitors_may_connect(httpd->visitors, peer) ? MHD_YES
                                                                                   : MHD_NO;
}

static void on_connection(void *user, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode code) {
    (void)state;
    const Httpd *httpd = user;
    char peer[ARRIVING_ADDRESS_MAX];
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    arriving_address(info ? info->client_addr : NULL, peer);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        visitors_opened(httpd->visitors, peer);
    else
        visitors_closed(httpd->visitors, peer);
}

/* ---- Answers ---- */

static void add_headers(struct MHD_Response *response, const WebAnswer *answer) {
    /* Charts place their labels by style attributes; no script stands within a page. */
    static const char policy[] =
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'";
    MHD_add_response_header(response, "Content-Type",
                            answer->type ? answer->type : "text/html; charset=utf-8");
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "same-origin");
    for (size_t i = 0; i < answer->headers.names.count; i++)
        MHD_add_response_header(response, answer->headers.names.items[i],
                                answer->headers.values.items[i]);
    if (!web_fields_get_nocase(&answer->headers, "Cache-Control"))
        MHD_add_response_header(response, "Cache-Control", "no-store");
}

static struct MHD_Response *text_response(WebAnswer *answer) {
    size_t length = answer->body.length;
    return MHD_create_response_from_buffer(length, text_take(&answer->body), MHD_RESPMEM_MUST_FREE);
}

static void log_fault(Httpd *httpd, const char *fault) {
    uv_mutex_lock(&httpd->mutex);
    log_error(httpd->settings.log, "%s", fault);
    uv_mutex_unlock(&httpd->mutex);
}

/* A handler names only files that the server has, so one that cannot be read is a fault. */
static struct MHD_Response *file_response(Httpd *httpd, WebAnswer *answer) {
    struct stat status;
    int descriptor = open(answer->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool opened = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (!opened || !S_ISREG(status.st_mode)) {
        char *fault =
            text_format("%s: %s", answer->file, opened ? "is not a regular file" : strerror(errno));
        log_fault(httpd, fault);
        free(fault);
        if (descriptor >= 0)
            close(descriptor);
        web_plain(answer, WEB_UNAVAILABLE, WEB_FAULT_WORDS);
        return text_response(answer);
    }
    return MHD_create_response_from_fd64((uint64_t)status.st_size, descriptor);
}

static struct MHD_Response *make_response(Httpd *httpd, struct MHD_Connection *connection,
                                          const char *client, WebAnswer *answer) {
    if (answer->file)
        return file_response(httpd, answer);
    if (!answer->stream.read)
        return text_response(answer);
    struct MHD_Response *response =
        streams_response(httpd->streams, connection, client, &answer->stream);
    if (response)
        return response;
    web_plain(answer, WEB_UNAVAILABLE, "Too many pages are being followed.");
    return text_response(answer);
}

/* Sends the answer and frees it. client: see streams_response. */
static enum MHD_Result respond(Httpd *httpd, struct MHD_Connection *connection, const char *client,
                               WebAnswer *answer) {
    struct MHD_Response *response = make_response(httpd, connection, client, answer);
    if (!response)
        return MHD_NO;
    add_headers(response, answer);
    unsigned status = answer->status ? answer->status : WEB_OK;
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    web_answer_free(answer);
    return result;
}

static enum MHD_Result refuse(Httpd *httpd, struct MHD_Connection *connection, WebStatus status,
                              const char *cause) {
    WebAnswer answer = {0};
    web_plain(&answer, status, cause);
    if (status == WEB_TOO_MANY)
        web_header_add(&answer, "Retry-After", "10");
    if (status == WEB_BAD_METHOD)
        web_header_add(&answer, "Allow", "GET, HEAD, POST");
    /* The rest of a refused request is not read: where the next one begins is not known. */
    web_header_add(&answer, MHD_HTTP_HEADER_CONNECTION, "close");
    return respond(httpd, connection, NULL, &answer);
}

/* ---- Requests ---- */

static void count(Httpd *httpd, Arriving *arriving, int change) {
    uv_mutex_lock(&httpd->mutex);
    httpd->under_way += change;
    arriving->counted = change > 0;
    if (httpd->under_way == 0)
        uv_cond_broadcast(&httpd->all_answered);
    uv_mutex_unlock(&httpd->mutex);
}

static enum MHD_Result begin(Httpd *httpd, struct MHD_Connection *connection, Arriving *arriving,
                             const char *url, bool post) {
    arriving_begin(arriving, connection, url, post, httpd->settings.proxies);
    const char *peer = arriving->request.peer;
    arriving->limited = arriving->forwarded || is_limited(httpd, peer);
    if (arriving->limited && !visitors_request(httpd->visitors, peer, arriving->began_ns))
        return refuse(httpd, connection, WEB_TOO_MANY,
                      "Too many requests from your address: wait a little.");
    if (post) {
        const WebRoute *route = web_route(&httpd->settings.routes, &arriving->request);
        arriving_expect_body(arriving, connection, route ? route->file : NULL, &httpd->spool);
    }
    return arriving->refused ? refuse(httpd, connection, arriving->refused, arriving->cause)
                             : MHD_YES;
}

/* The answer to a HEAD has the headers of the answer to a GET alone. libmicrohttpd sends the end of
 * a stream's body all the same (0.9.75). */
static void drop_stream(WebAnswer *answer) {
    if (answer->stream.free)
        answer->stream.free(answer->stream.user);
    answer->stream = (WebStream){0};
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state) {
    (void)version;
    Httpd *httpd = user;
    Arriving *arriving = *state;
    if (!arriving) {
        bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
        *state = arriving = mem_calloc(1, sizeof *arriving);
        if (!post && strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
            strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
            return refuse(httpd, connection, WEB_BAD_METHOD, "The server knows GET and POST.");
        return begin(httpd, connection, arriving, url, post);
    }
    if (*size > 0) {
        size_t length = *size;
        *size = 0;
        return arriving_take(arriving, data, length) ? MHD_YES : MHD_NO;
    }
    count(httpd, arriving, 1);
    arriving_end(arriving);
    if (arriving->refused)
        return refuse(httpd, connection, arriving->refused, arriving->cause);
    WebAnswer answer = {0};
    web_dispatch(&httpd->settings.routes, httpd->settings.serve, &arriving->request, &answer);
    if (strcmp(method, MHD_HTTP_METHOD_HEAD) == 0)
        drop_stream(&answer);
    if (answer.stream.read)
        count(httpd, arriving, -1); /* A stream has no end to wait for. */
    char client[VISITORS_NAME_MAX];
    visitors_name(arriving->request.peer, client);
    return respond(httpd, connection, arriving->limited ? client : NULL, &answer);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
    (void)connection;
    (void)code;
    Arriving *arriving = *state;
    if (!arriving)
        return;
    arriving_end(arriving); /* What the client broke off. */
    if (arriving->fault)
        log_fault(user, arriving->fault);
    if (arriving->counted)
        count(user, arriving, -1);
    arriving_free(arriving);
    free(arriving);
    *state = NULL;
}

/* ---- Listening ---- */

/* Splits "host:port" or "[host]:port". */
static bool split_address(const char *listen, char **host, char **port, Error *err) {
    const char *colon = strrchr(listen, ':');
    bool bracket = listen[0] == '[';
    size_t length = colon ? (size_t)(colon - listen) : 0;
    bool closed = bracket && length >= 3 && listen[length - 1] == ']';
    bool plain = !bracket && length > 0 && !memchr(listen, ':', length);
    int64_t number;
    if (!(closed || plain) || !text_to_int(colon + 1, 0, UINT16_MAX, "port", &number, NULL))
        return error_set(err,
                         "--listen %s: is no address with a port, such as 127.0.0.1:8000 or "
                         "[::1]:8000",
                         listen);
    *host = mem_strndup(listen + bracket, length - 2 * (size_t)bracket);
    *port = mem_strdup(colon + 1);
    return true;
}

bool httpd_check_address(const char *listen, Error *err) {
    char *host = NULL;
    char *port = NULL;
    bool ok = split_address(listen, &host, &port, err);
    free(host);
    free(port);
    return ok;
}

static bool bind_error(const char *listen, Error *err) {
    if (errno == EADDRINUSE)
        return error_set(err,
                         "--listen %s: the port is in use: stop the program that listens there, or "
                         "take another port",
                         listen);
    if (errno == EACCES)
        return error_set(err, "--listen %s: this user may not listen there: take a port above 1023",
                         listen);
    return error_set(err, "--listen %s: %s", listen, strerror(errno));
}

/* Opens a listening socket; -1 with err set. */
static int open_socket(const char *listen_at, const struct addrinfo *where, Error *err) {
    int on = 1;
    int descriptor = socket(where->ai_family, SOCK_STREAM, where->ai_protocol);
    if (descriptor >= 0)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (descriptor < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0 ||
        bind(descriptor, where->ai_addr, where->ai_addrlen) != 0 ||
        listen(descriptor, BACKLOG) != 0) {
        bind_error(listen_at, err);
        if (descriptor >= 0)
            close(descriptor);
        return -1;
    }
    return descriptor;
}

/* Writes the address of the socket: whether it is the loopback's, and its URL. */
static void note_address(Httpd *httpd, int descriptor) {
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    char host[ARRIVING_ADDRESS_MAX];
    Text url = {0};
    getsockname(descriptor, (struct sockaddr *)&address, &length);
    arriving_address((struct sockaddr *)&address, host);
    in_port_t port = address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                                   : ((struct sockaddr_in *)&address)->sin_port;
    text_addf(&url, strchr(host, ':') ? "http://[%s]:%u" : "http://%s:%u", host,
              (unsigned)ntohs(port));
    httpd->url = text_take(&url);
    httpd->local = text_starts_with(host, "127.") || strcmp(host, "::1") == 0;
}

static int listen_at(Httpd *httpd, Error *err) {
    const char *address = httpd->settings.listen;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    char *host = NULL;
    char *port = NULL;
    int descriptor = -1;
    if (!split_address(address, &host, &port, err))
        return -1;
    int failure = getaddrinfo(host, port, &hints, &found);
    if (failure != 0)
        error_set(err, "--listen %s: %s", address, gai_strerror(failure));
    else
        descriptor = open_socket(address, found, err);
    if (found)
        freeaddrinfo(found);
    if (descriptor >= 0)
        note_address(httpd, descriptor);
    free(host);
    free(port);
    return descriptor;
}

bool httpd_try_address(const char *listen, Error *err) {
    Httpd tried = {.settings = {.listen = listen}};
    int descriptor = listen_at(&tried, err);
    if (descriptor < 0)
        return false;
    close(descriptor);
    free(tried.url);
    return true;
}

static void on_library_message(void *user, const char *format, va_list arguments) {
    Httpd *httpd = user;
    char line[ERROR_MAX];
    vsnprintf(line, sizeof line, format, arguments);
    line[strcspn(line, "\r\n")] = '\0';
    uv_mutex_lock(&httpd->mutex);
    log_debug(httpd->settings.log, "http: %s", line);
    uv_mutex_unlock(&httpd->mutex);
}

/* How many connections there may be at a time. Without a descriptor for the next one, the threads
 * would try to take it over and over. */
static unsigned count_connections(const Httpd *httpd) {
    unsigned granted = descriptors_allow(2 * CONNECTIONS);
    unsigned left = granted > OTHER_FILES ? granted - OTHER_FILES : 0;
    if (left >= CONNECTIONS)
        return CONNECTIONS;
    if (left < HTTPD_THREADS)
        left = HTTPD_THREADS; /* One for each. */
    log_warn(httpd->settings.log,
             "this server takes %u connections at a time and not %d, because it may open %u files "
             "only: raise the limit (ulimit -Hn; LimitNOFILE= in a unit)",
             left, CONNECTIONS, granted);
    return left;
}

static struct MHD_Daemon *start_daemon(Httpd *httpd, int descriptor) {
    return MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, on_accept,
        httpd, on_request, httpd, MHD_OPTION_EXTERNAL_LOGGER, on_library_message, httpd,
        MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)HTTPD_THREADS,
        MHD_OPTION_CONNECTION_LIMIT, count_connections(httpd), MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, httpd, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, httpd, MHD_OPTION_END);
}

static void release(Httpd *httpd) {
    streams_free(httpd->streams);
    visitors_free(httpd->visitors);
    uv_cond_destroy(&httpd->all_answered);
    uv_mutex_destroy(&httpd->mutex);
    free(httpd->url);
    free(httpd);
}

Httpd *httpd_start(const HttpdSettings *settings, Error *err) {
    Httpd *httpd = mem_calloc(1, sizeof *httpd);
    httpd->settings = *settings;
    httpd->spool.folder = settings->spool;
    httpd->spool.serve = settings->serve;
    httpd->spool.limit = settings->spool_limit ? settings->spool_limit : HTTPD_SPOOL_LIMIT;
    httpd->spool.forms_limit = settings->forms_limit ? settings->forms_limit : HTTPD_FORMS_LIMIT;
    if (uv_mutex_init(&httpd->mutex) != 0 || uv_cond_init(&httpd->all_answered) != 0)
        mem_exhausted(sizeof *httpd); /* They are refused for want of memory alone. */
    int descriptor = listen_at(httpd, err);
    if (descriptor < 0) {
        release(httpd);
        return NULL;
    }
    httpd->visitors = visitors_new(settings->rate > 0 ? settings->rate : (double)HTTPD_RATE,
                                   settings->burst > 0 ? settings->burst : (double)HTTPD_BURST,
                                   VISITOR_CONNECTIONS);
    httpd->streams = streams_new(STREAMS, VISITOR_STREAMS, err);
    if (!httpd->streams) {
        close(descriptor);
        release(httpd);
        return NULL;
    }
    httpd->daemon = start_daemon(httpd, descriptor);
    if (!httpd->daemon) {
        error_set(err, "--listen %s: the HTTP library did not start", settings->listen);
        streams_end(httpd->streams);
        close(descriptor);
        release(httpd);
        return NULL;
    }
    return httpd;
}

const char *httpd_url(const Httpd *httpd) {
    return httpd->url;
}

bool httpd_is_local(const Httpd *httpd) {
    return httpd->local;
}

void httpd_wake(Httpd *httpd) {
    streams_wake(httpd->streams);
}

/* Waits until every request that has come whole is answered, or the time is over. Of a client that
 * went away in the middle of a body the library hears nothing before the connection's idle time is
 * over, and nothing of such a request has been acknowledged. */
static void await_answers(Httpd *httpd) {
    int64_t seconds = httpd->settings.stop_s > 0 ? httpd->settings.stop_s : HTTPD_STOP_S;
    int64_t end_ns = clock_now_ns() + seconds * CLOCK_NS_PER_SECOND;
    int64_t left_ns;
    uv_mutex_lock(&httpd->mutex);
    while (httpd->under_way > 0 && (left_ns = end_ns - clock_now_ns()) > 0)
        uv_cond_timedwait(&httpd->all_answered, &httpd->mutex, (uint64_t)left_ns);
    uv_mutex_unlock(&httpd->mutex);
}

void httpd_stop(Httpd *httpd) {
    if (!httpd)
        return;
    MHD_socket listening = MHD_quiesce_daemon(httpd->daemon);
    streams_end(httpd->streams);
    await_answers(httpd);
    MHD_stop_daemon(httpd->daemon);
    if (listening != MHD_INVALID_SOCKET)
        close(listening);
    release(httpd);
}
