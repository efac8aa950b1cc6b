/* SPDX-License-Identifier: MIT */
#include "openbench/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <curl/curl.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/memory.h"

enum { HTTP_FIRST_REDIRECT = 300, HTTP_FIRST_ERROR = 400 };

/* One running transfer and the place of its bytes. */
typedef struct {
    const HttpRequest *request;
    const atomic_bool *cancel;
    HttpResponse *response;
    CURL *curl;
    uint64_t received;
    uint64_t limit;
    FILE *file;
    char *temporary;
    bool too_long;
    int write_error; /* The errno of a failed write to the file; 0: none has failed. */
} Transfer;

bool http_init(Error *err) {
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK)
        return error_set(err, "libcurl does not start: %s", curl_easy_strerror(code));
    return true;
}

void http_cleanup(void) {
    curl_global_cleanup();
}

/* ---- URLs ---- */

static char *url_part(CURLU *url, CURLUPart part, unsigned flags) {
    char *text = NULL;
    return curl_url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

/* Is this part of both URLs equal, in any letter case? */
static bool same_part(CURLU *a, CURLU *b, CURLUPart part) {
    char *x = url_part(a, part, CURLU_DEFAULT_PORT);
    char *y = url_part(b, part, CURLU_DEFAULT_PORT);
    bool same = x && y && strcasecmp(x, y) == 0;
    curl_free(x);
    curl_free(y);
    return same;
}

bool http_same_origin(const char *a, const char *b) {
    CURLU *x = curl_url();
    CURLU *y = curl_url();
    bool same = x && y && curl_url_set(x, CURLUPART_URL, a, 0) == CURLUE_OK &&
                curl_url_set(y, CURLUPART_URL, b, 0) == CURLUE_OK &&
                same_part(x, y, CURLUPART_SCHEME) && same_part(x, y, CURLUPART_HOST) &&
                same_part(x, y, CURLUPART_PORT);
    curl_url_cleanup(x);
    curl_url_cleanup(y);
    return same;
}

static bool is_loopback(const char *host) {
    struct in_addr bytes;
    bool is_127 = inet_pton(AF_INET, host, &bytes) == 1 && ntohl(bytes.s_addr) >> 24 == 127;
    return strcasecmp(host, "localhost") == 0 || is_127 || strcmp(host, "[::1]") == 0 ||
           strcmp(host, "::1") == 0 || text_ends_with_nocase(host, ".localhost");
}

/* Checks a base URL's parts. *plain: the URL is plain http across the network. */
static bool check_base(CURLU *url, const char *text, bool *plain, Error *err) {
    static const struct {
        CURLUPart part;
        const char *name;
    } unwanted[] = {
        {CURLUPART_USER, "a user name (use --username)"},
        {CURLUPART_PASSWORD, "a password (use --password-file)"},
        {CURLUPART_QUERY, "a query"},
        {CURLUPART_FRAGMENT, "a fragment"},
    };
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        char *part = url_part(url, unwanted[i].part, 0);
        if (part) {
            curl_free(part);
            return error_set(err, "the server's address has %s in it", unwanted[i].name);
        }
    }
    char *scheme = url_part(url, CURLUPART_SCHEME, 0);
    char *host = url_part(url, CURLUPART_HOST, 0);
    bool http = scheme && strcasecmp(scheme, "http") == 0;
    bool https = scheme && strcasecmp(scheme, "https") == 0;
    *plain = http && host && !is_loopback(host);
    bool ok = host && host[0] && (http || https);
    curl_free(scheme);
    curl_free(host);
    return ok || error_set(err, "%s is not the address of an http or https server", text);
}

/* Adds the scheme that the user left out. Allocated. */
static char *with_scheme(const char *text) {
    if (strstr(text, "://"))
        return mem_strdup(text);
    bool bracketed = text[0] == '['; /* An address with colons in it. */
    size_t host = bracketed ? strcspn(text, "]") + 1 : strcspn(text, ":/");
    char *name = mem_strndup(text, host);
    bool local = is_loopback(name);
    free(name);
    return text_format("%s%s", local ? "http://" : "https://", text);
}

char *http_base_url(const char *text, bool *plain, Error *err) {
    CURLU *url = curl_url();
    char *full = with_scheme(text);
    Text base = {0};
    if (!url || curl_url_set(url, CURLUPART_URL, full, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
        error_set(err, "%s is not the address of an http or https server", text);
    else if (check_base(url, text, plain, err)) {
        char *whole = url_part(url, CURLUPART_URL, 0);
        text_add(&base, whole ? whole : "");
        curl_free(whole);
        while (base.length > 0 && base.data[base.length - 1] == '/')
            base.data[--base.length] = '\0';
        text_add_char(&base, '/');
    }
    curl_url_cleanup(url);
    free(full);
    return base.length ? text_take(&base) : NULL;
}

void http_form_add(Text *form, const char *name, const char *value) {
    if (form->length)
        text_add_char(form, '&');
    text_add(form, name);
    text_add_char(form, '=');
    for (;;) {
        size_t length = strcspn(value, " ");
        text_add_percent(form, value, length);
        value += length;
        if (*value == '\0')
            return;
        text_add_char(form, '+'); /* A blank. */
        value++;
    }
}

void http_part_add(HttpParts *parts, const char *name, const char *value, const char *filename) {
    MEM_ADD(parts->items, parts->count, parts->capacity,
            (HttpPart){.name = mem_strdup(name),
                       .value = mem_strdup(value),
                       .filename = mem_strdup(filename)});
}

/* ---- One transfer ---- */

/* Makes libcurl's form of the parts; the caller frees the form after the transfer. NULL: no parts.
 */
static curl_mime *make_mime(CURL *curl, const HttpParts *parts) {
    if (!parts->count)
        return NULL;
    curl_mime *mime = curl_mime_init(curl);
    for (size_t i = 0; i < parts->count; i++) {
        const HttpPart *part = &parts->items[i];
        curl_mimepart *out = curl_mime_addpart(mime);
        curl_mime_name(out, part->name);
        if (part->filename) {
            curl_mime_filedata(out, part->value);
            curl_mime_filename(out, part->filename);
            curl_mime_type(out, "application/octet-stream");
        } else {
            curl_mime_data(out, part->value, CURL_ZERO_TERMINATED);
        }
    }
    curl_easy_setopt(curl, CURLOPT_MIMEPOST, mime);
    return mime;
}

/* Whether the body is kept in memory: also the words about a file that is not there. */
static bool keeps_in_memory(const Transfer *t) {
    long status = 0;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    return !t->file || status != HTTP_OK;
}

static uint64_t limit_of(const Transfer *t) {
    return t->file && keeps_in_memory(t) ? HTTP_ANSWER_LIMIT : t->limit;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *user) {
    Transfer *t = user;
    size_t length = size * count;
    t->received += length;
    if (t->received > limit_of(t)) {
        t->too_long = true;
        return 0;
    }
    if (keeps_in_memory(t)) {
        text_add_bytes(&t->response->body, bytes, length);
        return length;
    }
    if (fwrite(bytes, 1, length, t->file) != length) {
        t->write_error = errno != 0 ? errno : EIO;
        return 0;
    }
    return length;
}

/* Keeps the server's time from the Date header. */
static size_t take_header(char *bytes, size_t size, size_t count, void *user) {
    static const char date[] = "Date:";
    Transfer *t = user;
    if (size * count > sizeof date && strncasecmp(bytes, date, sizeof date - 1) == 0) {
        char *text = mem_strndup(bytes + sizeof date - 1, size * count - sizeof date + 1);
        time_t when = curl_getdate(text, NULL);
        t->response->date = when > 0 ? (int64_t)when : 0;
        free(text);
    }
    return size * count;
}

static int watch(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    const Transfer *t = user;
    return t->cancel && atomic_load(t->cancel);
}

static void set_limits(CURL *curl, const HttpRequest *request) {
    long total = request->timeout_ms > 0 ? request->timeout_ms
                 : request->file         ? HTTP_DOWNLOAD_TIMEOUT_MS
                                         : HTTP_TIMEOUT_MS;
    const long silence = HTTP_TIMEOUT_MS;
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, total);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, total < silence ? total : silence);
    /* Files take longer, but bytes have to flow. */
    if (request->file || request->parts.count > 0) {
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME,
                         (silence + CLOCK_MS_PER_SECOND - 1) / CLOCK_MS_PER_SECOND);
    }
}

/* Sets the form. Only the first hop has a body; the page that a form is redirected to is fetched by
 * GET. */
static void set_body(Transfer *t) {
    CURL *curl = t->curl;
    if (!t->request->form)
        return;
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(t->request->form));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, t->request->form);
}

static void set_options(Transfer *t, const char *url) {
    CURL *curl = t->curl;
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "obworker");
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, t);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    set_limits(curl, t->request);
}

/* What a server without TLS does: its first bytes are no TLS, in OpenSSL's words or GnuTLS's; or it
 * resets the connection, which may overtake these bytes. */
static const char *tls_hint(CURLcode code, const char *why) {
    if (code != CURLE_SSL_CONNECT_ERROR)
        return "";
    if (strstr(why, "wrong version number") || strstr(why, "unexpected TLS packet"))
        return " (the server does not speak TLS there: is its address http://...?)";
    if (strstr(why, "SSL_ERROR_SYSCALL") || strstr(why, "reset by peer") ||
        strstr(why, "unexpected eof"))
        return " (the server ended the connection before TLS began: is its address http://...?)";
    return "";
}

/* The outcome of a transfer that libcurl ended with `code`. */
static void judge(Transfer *t, CURLcode code, const char *detail) {
    HttpResponse *response = t->response;
    const char *why = detail[0] ? detail : curl_easy_strerror(code);
    if (code == CURLE_OK) {
        response->outcome = HTTP_DONE;
    } else if (t->cancel && atomic_load(t->cancel)) {
        response->outcome = HTTP_CANCELLED;
        error_set(&response->error, "cancelled");
    } else if (t->too_long) {
        response->outcome = keeps_in_memory(t) ? HTTP_UNREACHABLE : HTTP_REFUSED;
        error_set(&response->error, "longer than %llu bytes", (unsigned long long)limit_of(t));
    } else if (t->write_error != 0) {
        response->outcome = HTTP_FILE_FAULT;
        error_set(&response->error, "%s: %s", t->temporary, strerror(t->write_error));
    } else {
        response->untrusted =
            code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
        bool refused = response->untrusted || code == CURLE_URL_MALFORMAT ||
                       code == CURLE_UNSUPPORTED_PROTOCOL;
        response->outcome = refused ? HTTP_REFUSED : HTTP_UNREACHABLE;
        error_set(&response->error, "%s%s", why, tls_hint(code, why));
    }
}

static struct curl_slist *add_header(struct curl_slist *headers, const char *name,
                                     const char *value) {
    char *line = text_format("%s%s", name, value);
    headers = curl_slist_append(headers, line);
    free(line);
    return headers;
}

static void take_cookies(CURL *curl, Words *cookies) {
    struct curl_slist *list = NULL;
    curl_easy_getinfo(curl, CURLINFO_COOKIELIST, &list);
    for (struct curl_slist *c = list; c; c = c->next)
        words_add(cookies, c->data);
    curl_slist_free_all(list);
}

/* Resets the options of the last hop. For a `page` only the method is reset, because a full reset
 * would turn the cookies off. */
static void start_hop(Transfer *t, bool first) {
    if (first || !t->request->page)
        curl_easy_reset(t->curl);
    if (!t->request->page)
        return;
    if (!first) {
        curl_easy_setopt(t->curl, CURLOPT_HTTPGET, 1L);
        return;
    }
    curl_easy_setopt(t->curl, CURLOPT_COOKIEFILE, ""); /* "": keep cookies, read no file */
    for (size_t i = 0; i < t->request->cookies.count; i++)
        curl_easy_setopt(t->curl, CURLOPT_COOKIELIST, t->request->cookies.items[i]);
}

/* Sends one request to `url` without following redirects. token: NULL, or sent along. Only the
 * first hop has a body. */
static void transfer_once(Transfer *t, const char *url, const char *token, bool first) {
    char detail[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = NULL;
    start_hop(t, first);
    set_options(t, url);
    curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, detail);
    /* Without this, a form of more than a megabyte would wait for a "100 Continue". */
    headers = curl_slist_append(headers, "Expect:");
    if (token)
        headers = add_header(headers, "Authorization: token ", token);
    if (first && t->request->page && t->request->form)
        headers = add_header(headers, "Referer: ", url);
    curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
    if (first)
        set_body(t);
    curl_mime *mime = first ? make_mime(t->curl, &t->request->parts) : NULL;
    CURLcode code = curl_easy_perform(t->curl);
    long status = 0;
    const char *type = NULL;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(t->curl, CURLINFO_CONTENT_TYPE, &type);
    t->response->status = (int)status;
    long request_bytes = 0;
    curl_easy_getinfo(t->curl, CURLINFO_REQUEST_SIZE, &request_bytes);
    t->response->sent = t->response->sent || request_bytes > 0;
    free(t->response->content_type);
    t->response->content_type = mem_strdup(type);
    judge(t, code, detail);
    curl_mime_free(mime);
    curl_slist_free_all(headers);
}

bool http_may_follow(const HttpRequest *request, const char *url, const char *target, int hop,
                     Error *err) {
    bool form = request->form || request->parts.count;
    if (form && (!request->page || !http_same_origin(request->url, target)))
        return error_set(err, "redirected to %s: give the server's part of that address instead",
                         target);
    if (hop == HTTP_MAX_REDIRECTS)
        return error_set(err, "redirected more than %d times", HTTP_MAX_REDIRECTS);
    if (strncasecmp(url, "https:", 6) == 0 && strncasecmp(target, "https:", 6) != 0)
        return error_set(err, "redirected from https to %s: not followed", target);
    return true;
}

/* Follows redirects by hand, to control which host a token is sent to. */
static void transfer_all(Transfer *t) {
    const HttpRequest *request = t->request;
    HttpResponse *response = t->response;
    char *url = mem_strdup(request->url ? request->url : "");
    for (int hop = 0;; hop++) {
        bool home = http_same_origin(url, request->url);
        transfer_once(t, url, home ? request->token : NULL, hop == 0);
        if (response->outcome != HTTP_DONE || response->status < HTTP_FIRST_REDIRECT ||
            response->status >= HTTP_FIRST_ERROR)
            break;
        char *target = NULL;
        curl_easy_getinfo(t->curl, CURLINFO_REDIRECT_URL, &target);
        if (!target)
            break;
        if (!http_may_follow(request, url, target, hop, &response->error)) {
            response->outcome = HTTP_REFUSED;
            break;
        }
        free(url);
        url = mem_strdup(target);
        text_clear(&response->body);
        t->received = 0;
    }
    response->url = url;
    if (request->page)
        take_cookies(t->curl, &response->cookies);
}

static bool open_temporary(Transfer *t) {
    t->temporary = text_format("%s.part-XXXXXX", t->request->file);
    int fd = mkstemp(t->temporary);
    t->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (t->file)
        return true;
    t->response->outcome = HTTP_FILE_FAULT;
    error_set(&t->response->error, "%s: %s", t->temporary, strerror(errno));
    if (fd >= 0) {
        close(fd);
        unlink(t->temporary);
    }
    return false;
}

/* Renames a complete file to its final name, and removes an incomplete file. */
static void close_temporary(Transfer *t) {
    HttpResponse *response = t->response;
    bool whole = response->outcome == HTTP_DONE && response->status == HTTP_OK;
    bool closed = fclose(t->file) == 0;
    if (whole && !closed) {
        whole = error_set(&response->error, "%s: %s", t->temporary, strerror(errno));
    } else if (whole) {
        whole = digest_file(t->temporary, response->sha256, &response->error);
        if (whole && rename(t->temporary, t->request->file) != 0)
            whole = error_set(&response->error, "%s: %s", t->request->file, strerror(errno));
    }
    if (!whole && response->outcome == HTTP_DONE && response->status == HTTP_OK)
        response->outcome = HTTP_FILE_FAULT;
    if (!whole)
        unlink(t->temporary);
    else
        response->file_size = t->received;
}

void http_perform(const HttpRequest *request, const atomic_bool *cancel, HttpResponse *response) {
    *response = (HttpResponse){.outcome = HTTP_UNREACHABLE};
    Transfer t = {.request = request,
                  .cancel = cancel,
                  .response = response,
                  .limit = request->limit ? request->limit : HTTP_ANSWER_LIMIT};
    t.curl = curl_easy_init();
    if (!t.curl) {
        error_set(&response->error, "libcurl gives no handle");
        return;
    }
    if (!request->file) {
        transfer_all(&t);
    } else if (open_temporary(&t)) {
        transfer_all(&t);
        close_temporary(&t);
    }
    free(t.temporary);
    curl_easy_cleanup(t.curl);
}

/* ---- A transfer in the thread pool ---- */

struct HttpCall {
    uv_work_t work;
    HttpRequest request;
    HttpResponse response;
    HttpDone done;
    void *user;
    atomic_bool cancel;
};

static void perform_work(uv_work_t *work) {
    HttpCall *call = work->data;
    http_perform(&call->request, &call->cancel, &call->response);
}

static void finish_work(uv_work_t *work, int status) {
    HttpCall *call = work->data;
    if (status != 0) {
        call->response.outcome = HTTP_CANCELLED;
        error_set(&call->response.error, "cancelled");
    }
    call->done(&call->response, call->user);
    http_request_free(&call->request);
    http_response_free(&call->response);
    free(call);
}

HttpCall *http_start(uv_loop_t *loop, HttpRequest *request, HttpDone done, void *user) {
    HttpCall *call = mem_calloc(1, sizeof *call);
    call->work.data = call;
    call->request = *request;
    *request = (HttpRequest){0};
    call->done = done;
    call->user = user;
    uv_queue_work(loop, &call->work, perform_work, finish_work);
    return call;
}

void http_cancel(HttpCall *call) {
    if (!call)
        return;
    atomic_store(&call->cancel, true);
    uv_cancel((uv_req_t *)&call->work);
}

void http_request_free(HttpRequest *request) {
    free(request->url);
    free(request->form);
    for (size_t i = 0; i < request->parts.count; i++) {
        free(request->parts.items[i].name);
        free(request->parts.items[i].value);
        free(request->parts.items[i].filename);
    }
    free(request->parts.items);
    free(request->token);
    words_free(&request->cookies);
    free(request->file);
    *request = (HttpRequest){0};
}

void http_response_free(HttpResponse *response) {
    free(response->content_type);
    free(response->url);
    words_free(&response->cookies);
    text_free(&response->body);
    *response = (HttpResponse){0};
}
