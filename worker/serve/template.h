/* SPDX-License-Identifier: MIT */
/* Pages out of templates and values. A template is HTML with these places, as in Mustache:
 *
 *   {{name}}                   the value, escaped for HTML
 *   {{~name}}                  the same, and lines may break within its words (html_add_name): for
 *                              paths, addresses and names, outside of attributes
 *   {{{name}}}                 the value as is: for HTML that this program made
 *   {{#name}} ... {{/name}}    for each item of a list; once for another value that is not empty
 *   {{^name}} ... {{/name}}    when the value is missing, null, false, 0, "" or an empty list
 *   {{>name}}                  another template
 *
 * A name is sought in the innermost item, then in those around it; "." is the item itself. A value
 * that is missing is an error, so that a misspelt name is found. Pure. */
#ifndef SERVE_TEMPLATE_H
#define SERVE_TEMPLATE_H

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

/* A template as it is compiled in: its lines, ended by NULL. */
typedef struct {
    const char *name; /* "index.html" */
    const char *const *lines;
} Template;

typedef struct {
    const Template *items;
    size_t count;
} Templates;

/* Appends the template with the object's values. An error names the template, the line and the
 * place; then out holds a part of the page. */
bool template_render(const Templates *templates, const char *name, const cJSON *values, Text *out,
                     Error *err);

/* Appends a template's text as is: a style sheet, a script. False: there is none of this name. */
bool template_text(const Templates *templates, const char *name, Text *out);

#endif
