/* SPDX-License-Identifier: MIT */
#include "local/ucioptions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/memory.h"

static void free_option(MatchOption *option) {
    free((char *)(uintptr_t)option->name);
    free((char *)(uintptr_t)option->value);
}

static MatchOption *find(const UciOptions *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcasecmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

static void set(UciOptions *list, const char *text, bool optional) {
    const char *equals = strchr(text, '=');
    MatchOption option = {.name = mem_strndup(text, (size_t)(equals - text)),
                          .value = mem_strdup(equals + 1),
                          .optional = optional};
    MatchOption *place = find(list, option.name);
    if (place == NULL) {
        MEM_ADD(list->items, list->count, list->capacity, option);
        return;
    }
    free_option(place);
    *place = option;
}

void ucioptions_add_defaults(UciOptions *list) {
    static const char *const DEFAULTS[] = {"Threads=1", "Hash=16"};
    for (size_t i = 0; i < COUNT(DEFAULTS); i++)
        set(list, DEFAULTS[i], true);
}

bool ucioptions_set(UciOptions *list, const char *text, Error *err) {
    if (text[0] == '=' || strchr(text, '=') == NULL || strchr(text, '\n') != NULL)
        return error_set(err, "'%s' is not NAME=VALUE (NAME= presses a button)", text);
    set(list, text, false);
    return true;
}

const char *ucioptions_value(const UciOptions *list, const char *name) {
    const MatchOption *option = find(list, name);
    return option != NULL ? option->value : "";
}

bool ucioptions_same_name(const char *a, const char *b) {
    size_t length = strcspn(a, "=");
    return strcspn(b, "=") == length && strncasecmp(a, b, length) == 0;
}

bool ucioptions_equal(const UciOptions *a, const UciOptions *b) {
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++) {
        const MatchOption *other = find(b, a->items[i].name);
        equal = other != NULL && strcmp(a->items[i].value, other->value) == 0;
    }
    return equal;
}

void ucioptions_free(UciOptions *list) {
    for (size_t i = 0; i < list->count; i++)
        free_option(&list->items[i]);
    free(list->items);
    *list = (UciOptions){0};
}
