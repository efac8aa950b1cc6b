/* SPDX-License-Identifier: MIT */
#include "tools/openbench_double_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static char *decode(const char *text, size_t length) {
    Text out = {0};
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '+') {
            text_add_char(&out, ' ');
        } else if (text[i] == '%' && i + 2 < length && hex_value(text[i + 1]) >= 0 &&
                   hex_value(text[i + 2]) >= 0) {
            text_add_char(&out, (char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
            i += 2;
        } else {
            text_add_char(&out, text[i]);
        }
    }
    return text_take(&out);
}

void double_parse_form(Request *request, const Text *body) {
    const char *at = text_string(body);
    while (*at) {
        size_t length = strcspn(at, "&");
        const char *equals = memchr(at, '=', length);
        size_t name_length = equals ? (size_t)(equals - at) : length;
        char *name = decode(at, name_length);
        char *value = equals ? decode(equals + 1, length - name_length - 1) : mem_strdup("");
        words_add(&request->names, name);
        words_add(&request->values, value);
        free(name);
        free(value);
        at += length + (at[length] == '&');
    }
}

/* The value of name="..." in a part's header; allocated, NULL when it is not there. */
static char *part_attribute(const char *header, const char *name) {
    Text key = {0};
    text_addf(&key, " %s=\"", name);
    const char *at = strstr(header, text_string(&key));
    char *value = at ? mem_strndup(at + key.length, strcspn(at + key.length, "\"")) : NULL;
    text_free(&key);
    return value;
}

/* One part, from its header on: a field, or the file. */
static void parse_part(Request *request, const char *part, size_t length) {
    const char *body = memmem(part, length, "\r\n\r\n", 4);
    if (!body)
        return;
    char *header = mem_strndup(part, (size_t)(body - part));
    char *name = part_attribute(header, "name");
    char *filename = part_attribute(header, "filename");
    size_t size = length - (size_t)(body + 4 - part);
    char *value = filename ? mem_strdup(filename) : mem_strndup(body + 4, size);
    words_add(&request->names, name ? name : "");
    words_add(&request->values, value);
    if (filename)
        text_add_bytes(&request->upload, body + 4, size);
    free(header);
    free(name);
    free(filename);
    free(value);
}

void double_parse_multipart(Request *request, const Text *body) {
    static const char key[] = "boundary=";
    const char *boundary = strstr(request->content_type, key);
    Text mark = {0};
    text_addf(&mark, "\r\n--%s", boundary ? boundary + sizeof key - 1 : "?");
    /* The first boundary has no line before it. */
    const char *at = text_string(body) + mark.length - 2;
    const char *end = text_string(body) + body->length;
    while (at < end) {
        const char *next = memmem(at, (size_t)(end - at), mark.data, mark.length);
        if (!next)
            break;
        parse_part(request, at, (size_t)(next - at));
        at = next + mark.length;
    }
    text_free(&mark);
}

const char *double_value_of(const Words *names, const Words *values, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return values->items[i];
    return NULL;
}

const char *double_form_value(const Request *request, const char *name) {
    return double_value_of(&request->names, &request->values, name);
}

int64_t double_form_int(const Request *request, const char *name) {
    const char *value = double_form_value(request, name);
    return value ? strtoll(value, NULL, 10) : -1;
}

bool double_check_user(const Request *request, Answer *answer) {
    const char *user = double_form_value(request, "username");
    const char *password = double_form_value(request, "password");
    if (user && password && strcmp(user, "tester") == 0 && strcmp(password, "secret") == 0)
        return true;
    text_add(&answer->body, "{\"error\": \"Bad Credentials\"}");
    return false;
}
