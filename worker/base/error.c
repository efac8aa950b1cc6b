/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Makes an error one line, whatever text it quotes. Other control characters stay: the code that
 * prints an error makes them visible (text_add_visible). */
static void make_one_line(char *text) {
    for (; *text; text++) {
        if (strchr("\n\r\t\v\f", *text))
            *text = ' ';
    }
}

bool error_set(Error *err, const char *fmt, ...) {
    if (!err)
        return false;
    char text[ERROR_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    make_one_line(text);
    memcpy(err->text, text, sizeof text);
    return false;
}

bool error_prefix(Error *err, const char *fmt, ...) {
    if (!err)
        return false;
    char text[ERROR_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    make_one_line(text);

    size_t used = strlen(text);
    const char *parts[] = {": ", err->text};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(parts[i]);
        if (length > sizeof text - 1 - used)
            length = sizeof text - 1 - used;
        memcpy(text + used, parts[i], length);
        used += length;
    }
    text[used] = '\0';
    memcpy(err->text, text, sizeof text);
    return false;
}
