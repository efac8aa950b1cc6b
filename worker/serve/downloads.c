/* SPDX-License-Identifier: MIT */
#include "serve/downloads.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "serve/serve.h"

static const char SUFFIX[] = ".zip";
static const char TYPE[] = "application/zip";

/* The file's name without ".zip", allocated; NULL with the answer set when the ending is another.
 */
static char *stem_of(const char *file, WebAnswer *answer) {
    size_t length = strlen(file);
    if (length > strlen(SUFFIX) && strcmp(file + length - strlen(SUFFIX), SUFFIX) == 0)
        return mem_strndup(file, length - strlen(SUFFIX));
    web_plain(answer, WEB_NOT_FOUND, "There is no such file.");
    return NULL;
}

static void get_source(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Error err = {0};
    char *sha = stem_of(request->arguments[1], answer);
    if (!sha)
        return;
    answer->file = sources_zip(serve->sources, request->arguments[0], sha, &err);
    if (answer->file)
        answer->type = TYPE;
    else
        web_plain(answer, WEB_NOT_FOUND, err.text);
    free(sha);
}

static void get_book(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    char *name = stem_of(request->arguments[0], answer);
    if (!name)
        return;
    const CatalogBook *book = catalog_book(&serve->catalog, name);
    if (book && book->zip) {
        answer->file = mem_strdup(book->zip);
        answer->type = TYPE;
    } else {
        web_plain(answer, WEB_NOT_FOUND, "This server keeps no book of this name.");
    }
    free(name);
}

const WebRoute DOWNLOADS[] = {
    {"/source/{name}/{name}", get_source, NULL, NULL},
    {"/book/{name}", get_book, NULL, NULL},
    {0},
};
