/* SPDX-License-Identifier: MIT */
#include "check/declaration.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

/* The first place of the word, as a whole word, from `at` on; NULL: not found. */
static const char *find_word(const char *at, const char *word) {
    size_t length = strlen(word);
    for (const char *p = at; (p = strstr(p, word)) != NULL; p++)
        if ((p == at || p[-1] == ' ' || p[-1] == '\t') &&
            (p[length] == '\0' || p[length] == ' ' || p[length] == '\t'))
            return p;
    return NULL;
}

/* The text behind `default`: up to the next attribute; of a string option up to the line's end. */
static char *read_default(const char *attributes, UciOptionType type) {
    static const char *const NEXT[] = {"min", "max", "var"};
    static const char WORD[] = "default";
    const char *at = find_word(attributes, WORD);
    if (at == NULL)
        return NULL;
    at += strlen(WORD);
    at += strspn(at, " \t");
    const char *end = at + strlen(at);
    for (size_t i = 0; type != UCI_STRING && i < COUNT(NEXT); i++) {
        const char *next = find_word(at, NEXT[i]);
        if (next != NULL && next < end)
            end = next;
    }
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return mem_strndup(at, (size_t)(end - at));
}

static bool check_attributes(const Declaration *d, Error *err) {
    const UciOption *option = &d->option;
    bool bounded = option->min != INT64_MIN && option->max != INT64_MAX;
    if (option->type == UCI_SPIN && !bounded)
        return error_set(err, "%s: a spin without min and max", option->name);
    if (option->type == UCI_SPIN && option->min > option->max)
        return error_set(err, "%s: min is above max", option->name);
    if (option->type == UCI_COMBO && option->values[0] == '\0' && !option->cut)
        return error_set(err, "%s: a combo without values (var)", option->name);
    if (option->type == UCI_BUTTON || option->type == UCI_STRING)
        return true;
    if (d->fallback == NULL || d->fallback[0] == '\0')
        return error_set(err, "%s: the default is missing", option->name);
    if (!uci_check_value(option, d->fallback, err))
        return error_prefix(err, "the default");
    return true;
}

bool declaration_read(const char *rest, Declaration *out, Error *err) {
    *out = (Declaration){0};
    *err = (Error){0};
    if (!uci_parse_option(rest, &out->option))
        return error_set(
            err, "'option %.80s' declares no option; expected: option name NAME type TYPE ...",
            rest);
    out->fallback = read_default(find_word(rest, "type"), out->option.type);
    check_attributes(out, err);
    return true;
}

void declaration_free(Declaration *declaration) {
    free(declaration->fallback);
    *declaration = (Declaration){0};
}
