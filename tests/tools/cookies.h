/* SPDX-License-Identifier: MIT */
/* The cookies of a browser. */
#ifndef TESTS_TOOLS_COOKIES_H
#define TESTS_TOOLS_COOKIES_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "serve/web.h"

/* Keeps the cookies that the answer sets, in place of those of the same names. */
static inline void keep_cookies(WebFields *cookies, const WebAnswer *answer) {
    for (size_t i = 0; i < answer->headers.names.count; i++) {
        if (strcmp(answer->headers.names.items[i], "Set-Cookie") != 0)
            continue;
        const char *set = answer->headers.values.items[i];
        size_t name_length = strcspn(set, "=");
        char *name = mem_strndup(set, name_length);
        char *value = mem_strndup(set + name_length + 1, strcspn(set + name_length + 1, ";"));
        WebFields kept = {0};
        for (size_t k = 0; k < cookies->names.count; k++)
            if (strcmp(cookies->names.items[k], name) != 0)
                web_fields_add(&kept, cookies->names.items[k], cookies->values.items[k]);
        if (value[0] != '\0')
            web_fields_add(&kept, name, value);
        web_fields_free(cookies);
        *cookies = kept;
        free(name);
        free(value);
    }
}

#endif
