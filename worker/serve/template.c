/* SPDX-License-Identifier: MIT */
#include "serve/template.h"

#include <string.h>

#include "report/html.h"

enum { DEEPEST = 16, NAME_MAX_LENGTH = 64 };

/* A template while it is rendered. */
typedef struct {
    const Templates *templates;
    const char *name;
    const char *start;            /* The whole text, for the numbers of lines. */
    const cJSON *values[DEEPEST]; /* The innermost item last. */
    size_t depth;
    int partials; /* How deep partials stand in each other. */
    Text *out;
    Error *err;
} Rendering;

/* A place: {{kind name}}. */
typedef struct {
    char kind; /* '#', '^', '/', '>', '~', '{' for {{{name}}}, ' ' for {{name}} */
    char name[NAME_MAX_LENGTH];
    const char *at;    /* Its first brace. */
    const char *after; /* Behind its last brace. */
} Place;

static bool fail(const Rendering *r, const char *at, const char *what, const char *name) {
    int line = 1;
    for (const char *c = r->start; c < at; c++)
        line += *c == '\n';
    return error_set(r->err, "%s: line %d: {{%s}} %s", r->name, line, name, what);
}

/* Reads the place at `at`, which begins with "{{". */
static bool read_place(const Rendering *r, const char *at, Place *place) {
    bool raw = at[2] == '{';
    const char *name = at + 2 + raw;
    *place = (Place){.kind = raw ? '{' : ' ', .at = at};
    if (!raw && *name != '\0' && strchr("#^/>~", *name))
        place->kind = *name++;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_.");
    const char *end = name + length;
    snprintf(place->name, sizeof place->name, "%.*s", (int)length, name);
    if (length == 0 || length >= NAME_MAX_LENGTH || !text_starts_with(end, raw ? "}}}" : "}}"))
        return fail(r, at, "is not closed, or has no name", place->name);
    place->after = end + (raw ? 3 : 2);
    return true;
}

/* ---- Values ---- */

static const cJSON *find(const Rendering *r, const char *name) {
    if (strcmp(name, ".") == 0)
        return r->values[r->depth - 1];
    for (size_t i = r->depth; i-- > 0;) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(r->values[i], name);
        if (value)
            return value;
    }
    return NULL;
}

static bool is_empty(const cJSON *value) {
    return !value || cJSON_IsNull(value) || cJSON_IsFalse(value) ||
           (cJSON_IsNumber(value) && value->valuedouble == 0) ||
           (cJSON_IsString(value) && value->valuestring[0] == '\0') ||
           (cJSON_IsArray(value) && !value->child);
}

static bool add_value(Rendering *r, const Place *place) {
    const cJSON *value = find(r, place->name);
    if (cJSON_IsNumber(value))
        text_add_number(r->out, value->valuedouble);
    else if (!cJSON_IsString(value))
        return fail(r, place->at, value ? "is no text" : "has no value", place->name);
    else if (place->kind == '{')
        text_add(r->out, value->valuestring);
    else if (place->kind == '~')
        html_add_name(r->out, value->valuestring);
    else
        html_add(r->out, value->valuestring);
    return true;
}

/* ---- Rendering ---- */

static const char *render_until(Rendering *r, const char *at, const Place *open, bool show);

/* Renders the body of a section for each of its items. Returns the text behind its end, or NULL. */
static const char *render_section(Rendering *r, const Place *open, bool show) {
    const cJSON *value = find(r, open->name);
    bool empty = is_empty(value);
    if (!show || open->kind == '^' || empty)
        return render_until(r, open->after, open, show && (open->kind == '^') == empty);
    if (r->depth == DEEPEST) {
        fail(r, open->at, "stands too deep", open->name);
        return NULL;
    }
    const char *end = NULL;
    bool list = cJSON_IsArray(value);
    for (const cJSON *item = list ? value->child : value; item; item = list ? item->next : NULL) {
        r->values[r->depth++] = item;
        end = render_until(r, open->after, open, true);
        r->depth--;
        if (!end)
            return NULL;
    }
    return end;
}

static bool render_named(Rendering *r, const char *name);

static bool render_partial(Rendering *r, const Place *place) {
    Rendering inner = *r;
    inner.partials++;
    if (inner.partials == DEEPEST)
        return fail(r, place->at, "stands too deep", place->name);
    if (render_named(&inner, place->name))
        return true;
    return r->err->text[0] != '\0' ? false : fail(r, place->at, "is no template", place->name);
}

/* Renders up to the end of the section `open`, or of the text when it is NULL; nothing is written
 * unless `show`. Returns the text behind the end, or NULL with the error set. */
static const char *render_until(Rendering *r, const char *at, const Place *open, bool show) {
    for (;;) {
        const char *next = strstr(at, "{{");
        Place place;
        if (show)
            text_add_bytes(r->out, at, next ? (size_t)(next - at) : strlen(at));
        if (!next && !open)
            return at + strlen(at);
        if (!next) {
            fail(r, open->at, "is not closed", open->name);
            return NULL;
        }
        if (!read_place(r, next, &place))
            return NULL;
        at = place.after;
        if (place.kind == '/') {
            if (open && strcmp(open->name, place.name) == 0)
                return at;
            fail(r, place.at, "closes nothing", place.name);
            return NULL;
        }
        if (place.kind == '#' || place.kind == '^')
            at = render_section(r, &place, show);
        else if (show && !(place.kind == '>' ? render_partial(r, &place) : add_value(r, &place)))
            return NULL;
        if (!at)
            return NULL;
    }
}

bool template_text(const Templates *templates, const char *name, Text *out) {
    for (size_t i = 0; i < templates->count; i++)
        if (strcmp(templates->items[i].name, name) == 0) {
            for (const char *const *line = templates->items[i].lines; *line; line++)
                text_add(out, *line);
            return true;
        }
    return false;
}

/* False without an error: there is no such template. */
static bool render_named(Rendering *r, const char *name) {
    Text text = {0};
    if (!template_text(r->templates, name, &text))
        return false;
    r->name = name;
    r->start = text_string(&text);
    bool done = render_until(r, r->start, NULL, true) != NULL;
    text_free(&text);
    return done;
}

bool template_render(const Templates *templates, const char *name, const cJSON *values, Text *out,
                     Error *err) {
    Error own = {{0}};
    Rendering r = {.templates = templates, .values = {values}, .depth = 1, .out = out, .err = &own};
    if (render_named(&r, name))
        return true;
    return own.text[0] != '\0' ? error_set(err, "%s", own.text)
                               : error_set(err, "%s: there is no such template", name);
}
