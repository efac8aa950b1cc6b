/* SPDX-License-Identifier: MIT */
#include "report/origin.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/html.h"

/* ---- An engine's ---- */

/* "me/engine" from the address on the web, else the folder's name. */
static char *repository_name(const RecordEngine *engine) {
    const char *name = engine->web;
    if (name != NULL && text_starts_with(name, "https://")) {
        name += strlen("https://");
        name += strcspn(name, "/");
        return mem_strdup(name + (*name == '/'));
    }
    return engine->repository != NULL ? mem_strdup(file_name_of(engine->repository)) : NULL;
}

Origin origin_of(const RecordEngine *engine) {
    if (engine->commit == NULL)
        return (Origin){0};
    return (Origin){.repository = repository_name(engine),
                    .commit = mem_strdup(engine->commit),
                    .subject = mem_strdup(engine->subject),
                    .changes = mem_strdup(engine->changes),
                    .page = record_commit_page(engine)};
}

void origin_free(Origin *origin) {
    free(origin->repository);
    free(origin->commit);
    free(origin->subject);
    free(origin->changes);
    free(origin->page);
    *origin = (Origin){0};
}

/* ---- What people read ---- */

/* A row of the table of origins. */
typedef struct {
    const char *name;
    size_t offset; /* The offset of a string in Origin. */
    bool links;    /* The text links to the commit's page. */
} Row;

static const Row ROWS[] = {{"repository", offsetof(Origin, repository), false},
                           {"commit", offsetof(Origin, commit), true},
                           {"subject", offsetof(Origin, subject), false},
                           {"changes not committed, SHA-256", offsetof(Origin, changes), false}};

/* The row's text; NULL: the origin lacks the text. */
static const char *text_of(const Origin *origin, const Row *row) {
    return *(char *const *)((const char *)origin + row->offset);
}

static bool is_known(const Origin origins[SIDE_COUNT], const Row *row) {
    return text_of(&origins[SIDE_DEV], row) != NULL || text_of(&origins[SIDE_BASE], row) != NULL;
}

static bool any_known(const Origin origins[SIDE_COUNT]) {
    return origins[SIDE_DEV].commit != NULL || origins[SIDE_BASE].commit != NULL;
}

static void add_html_cell(const Origin *origin, const Row *row, Text *out) {
    const char *text = text_of(origin, row);
    bool links = row->links && origin->page != NULL;
    text_add(out, "<td>");
    if (links) {
        text_add(out, "<a href=\"");
        html_add(out, origin->page);
        text_add(out, "\">");
    }
    html_add_name(out, text != NULL ? text : "none");
    text_add(out, links ? "</a></td>" : "</td>");
}

void origin_section(const Result *result, Text *out) {
    const Origin *origins = result->origins;
    if (!any_known(origins))
        return;
    text_add(out,
             "<section aria-labelledby=\"h-origin\"><h2 id=\"h-origin\">What was measured</h2>\n"
             "<table class=\"settings origin\"><thead><tr><th scope=\"col\"><span class=\"sr\">name"
             "</span></th><th scope=\"col\">dev</th><th scope=\"col\">base</th></tr></thead>"
             "<tbody>\n");
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        if (!is_known(origins, &ROWS[i]))
            continue;
        text_addf(out, "<tr><th scope=\"row\">%s</th>", ROWS[i].name);
        for (int side = 0; side < SIDE_COUNT; side++)
            add_html_cell(&origins[side], &ROWS[i], out);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table>\n");
    if (result->changes != NULL) {
        text_add(out, "<p><a href=\"");
        html_add(out, result->changes);
        text_add(out, "\">All that dev changes</a></p>\n");
    }
    text_add(out, "</section>\n");
}

static void add_markdown_cell(const Origin *origin, const Row *row, Text *out) {
    const char *text = text_of(origin, row);
    bool links = row->links && origin->page != NULL;
    text_add(out, links ? " [" : " ");
    markdown_add(out, text != NULL ? text : "none");
    if (links) {
        text_add(out, "](");
        markdown_add_address(out, origin->page);
        text_add_char(out, ')');
    }
    text_add(out, " |");
}

void origin_markdown(const Result *result, Text *out) {
    const Origin *origins = result->origins;
    if (!any_known(origins))
        return;
    text_add(out, "\n| | dev | base |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        if (!is_known(origins, &ROWS[i]))
            continue;
        text_addf(out, "| %s |", ROWS[i].name);
        for (int side = 0; side < SIDE_COUNT; side++)
            add_markdown_cell(&origins[side], &ROWS[i], out);
        text_add_char(out, '\n');
    }
}
