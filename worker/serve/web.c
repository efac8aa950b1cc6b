/* SPDX-License-Identifier: MIT */
#include "serve/web.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"

/* ---- Names with values ---- */

void web_fields_add(WebFields *fields, const char *name, const char *value) {
    words_add(&fields->names, name);
    words_add(&fields->values, value);
}

void web_fields_free(WebFields *fields) {
    words_free(&fields->names);
    words_free(&fields->values);
}

const char *web_fields_get(const WebFields *fields, const char *name) {
    for (size_t i = 0; i < fields->names.count; i++)
        if (strcmp(fields->names.items[i], name) == 0)
            return fields->values.items[i];
    return NULL;
}

const char *web_fields_get_nocase(const WebFields *fields, const char *name) {
    for (size_t i = 0; i < fields->names.count; i++)
        if (strcasecmp(fields->names.items[i], name) == 0)
            return fields->values.items[i];
    return NULL;
}

/* ---- Requests ---- */

void web_request_free(WebRequest *request) {
    free(request->path);
    free(request->peer);
    web_fields_free(&request->query);
    web_fields_free(&request->form);
    web_fields_free(&request->cookies);
    web_fields_free(&request->headers);
    for (size_t i = 0; i < request->upload_count; i++) {
        free(request->uploads[i].name);
        free(request->uploads[i].file_name);
        if (request->uploads[i].path)
            unlink(request->uploads[i].path);
        free(request->uploads[i].path);
    }
    free(request->uploads);
    for (size_t k = 0; k < WEB_ARGUMENTS; k++)
        free(request->arguments[k]);
    *request = (WebRequest){0};
}

static const char *or_empty(const char *text) {
    return text ? text : "";
}

const char *web_form(const WebRequest *request, const char *name) {
    return or_empty(web_fields_get(&request->form, name));
}

const char *web_query(const WebRequest *request, const char *name) {
    return or_empty(web_fields_get(&request->query, name));
}

const char *web_cookie(const WebRequest *request, const char *name) {
    return or_empty(web_fields_get(&request->cookies, name));
}

const char *web_header(const WebRequest *request, const char *name) {
    return or_empty(web_fields_get_nocase(&request->headers, name));
}

const WebUpload *web_upload(const WebRequest *request, const char *name) {
    for (size_t i = 0; i < request->upload_count; i++)
        if (strcmp(request->uploads[i].name, name) == 0)
            return &request->uploads[i];
    return NULL;
}

int64_t web_number(const WebRequest *request) {
    return request->arguments[0] ? strtoll(request->arguments[0], NULL, 10) : 0;
}

/* ---- Answers ---- */

void web_answer_free(WebAnswer *answer) {
    text_free(&answer->body);
    free(answer->file);
    if (answer->stream.free)
        answer->stream.free(answer->stream.user);
    web_fields_free(&answer->headers);
    *answer = (WebAnswer){0};
}

void web_header_add(WebAnswer *answer, const char *name, const char *value) {
    web_fields_add(&answer->headers, name, value);
}

void web_redirect(WebAnswer *answer, const char *path) {
    answer->status = WEB_FOUND;
    web_header_add(answer, "Location", path);
}

const char WEB_FAULT_WORDS[] =
    "The server cannot use its files now: its log says why. Try again later.";

void web_plain(WebAnswer *answer, WebStatus status, const char *text) {
    web_answer_free(answer);
    answer->status = status;
    answer->type = "text/plain; charset=utf-8";
    text_addf(&answer->body, "%s\n", text);
}

void web_json_error(WebAnswer *answer, const char *text) {
    cJSON *document = cJSON_CreateObject();
    Text clean = {0};
    text_add_utf8(&clean, text);
    cJSON_AddStringToObject(document, "error", text_string(&clean));
    text_free(&clean);
    web_answer_free(answer);
    answer->type = "application/json";
    json_take(document, &answer->body);
}

void web_set_cookie(const WebRequest *request, WebAnswer *answer, const char *name,
                    const char *value, int64_t max_age) {
    Text cookie = {0};
    text_addf(&cookie, "%s=%s; Path=/; Max-Age=%lld; SameSite=Lax; HttpOnly", name, value,
              (long long)max_age);
    if (request->secure)
        text_add(&cookie, "; Secure");
    web_header_add(answer, "Set-Cookie", text_string(&cookie));
    text_free(&cookie);
}

/* ---- Routes ---- */

/* The end of the text at `at` that the part of the pattern may stand for; NULL: no text fits. */
static const char *part_end(const char *at, const char *part) {
    enum { NUMBER_DIGITS = 18 };
    if (text_starts_with(part, "{path}"))
        return at[0] != '\0' && at[0] != '/' ? at + strlen(at) : NULL;
    bool number = text_starts_with(part, "{number}");
    size_t length = number ? strspn(at, "0123456789") : strcspn(at, "/");
    bool dots = (length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.');
    if (length == 0 || (number ? length > NUMBER_DIGITS : dots))
        return NULL;
    return at + length;
}

/* Does the path fit? Sets `arguments`, which the caller frees in either case. */
static bool pattern_fits(const char *pattern, const char *path, char *arguments[WEB_ARGUMENTS]) {
    size_t count = 0;
    while (*pattern != '\0') {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        const char *end = part_end(path, pattern);
        if (!end || count == WEB_ARGUMENTS)
            return false;
        arguments[count++] = mem_strndup(path, (size_t)(end - path));
        path = end;
        pattern = strchr(pattern, '}') + 1;
    }
    return *path == '\0';
}

static void forget_arguments(char *arguments[WEB_ARGUMENTS]) {
    for (size_t k = 0; k < WEB_ARGUMENTS; k++) {
        free(arguments[k]);
        arguments[k] = NULL;
    }
}

static const WebRoute *find_route(const WebRoutes *routes, const char *path,
                                  char *arguments[WEB_ARGUMENTS]) {
    for (size_t t = 0; t < routes->count; t++)
        for (const WebRoute *route = routes->tables[t]; route->pattern; route++) {
            forget_arguments(arguments);
            if (pattern_fits(route->pattern, path, arguments))
                return route;
        }
    forget_arguments(arguments);
    return NULL;
}

const WebRoute *web_route(const WebRoutes *routes, WebRequest *request) {
    return find_route(routes, request->path, request->arguments);
}

/* The path and the query as an address has them, encoded. Allocated. */
static char *address_of(const char *path, const WebFields *query) {
    Text address = {0};
    text_add_path(&address, path);
    for (size_t i = 0; i < query->names.count; i++) {
        const char *name = query->names.items[i];
        const char *value = query->values.items[i];
        text_add_char(&address, i == 0 ? '?' : '&');
        text_add_percent(&address, name, strlen(name));
        text_add_char(&address, '=');
        text_add_percent(&address, value, strlen(value));
    }
    return text_take(&address);
}

/* Is there a route for the path with a slash behind it? Then the answer leads there. */
static bool add_slash(const WebRoutes *routes, const WebRequest *request, WebAnswer *answer) {
    char *arguments[WEB_ARGUMENTS] = {0};
    char *path = text_format("%s/", request->path);
    /* "//host/" would lead to another server. */
    const WebRoute *route = text_starts_with(request->path, "//") || request->post
                                ? NULL
                                : find_route(routes, path, arguments);
    bool found = route && route->get;
    if (found) {
        char *address = address_of(path, &request->query);
        web_redirect(answer, address);
        free(address);
    }
    forget_arguments(arguments);
    free(path);
    return found;
}

void web_dispatch(const WebRoutes *routes, Serve *serve, WebRequest *request, WebAnswer *answer) {
    const WebRoute *route = web_route(routes, request);
    WebHandler handler = !route ? NULL : request->post ? route->post : route->get;
    if (handler)
        handler(serve, request, answer);
    else if (route) {
        web_plain(answer, WEB_BAD_METHOD, "This address is not asked in this way.");
        web_header_add(answer, "Allow", route->get ? "GET, HEAD" : "POST");
    } else if (!add_slash(routes, request, answer))
        web_plain(answer, WEB_NOT_FOUND, "There is nothing at this address.");
}
