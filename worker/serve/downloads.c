/* SPDX-License-Identifier: MIT */
#include "serve/downloads.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "serve/reply.h"
#include "serve/serve.h"
#include "serve/visit.h"

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

/* Sends the zip, whose path is taken over; without a zip err says why. Workers take a 404 for
 * good, so a fault of this machine is none. */
static void answer_zip(Serve *serve, WebAnswer *answer, ZipResult result, char *zip,
                       const Error *err) {
    switch (result) {
    case ZIP_FOUND:
        answer->file = zip;
        answer->type = TYPE;
        break;
    case ZIP_REFUSED:
        web_plain(answer, WEB_NOT_FOUND, err->text);
        break;
    case ZIP_BUSY:
        web_plain(answer, WEB_UNAVAILABLE, err->text);
        break;
    case ZIP_FAULT:
        reply_fault(serve, answer, err);
        break;
    }
}

static void get_source(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Error err = {0};
    char *zip;
    char *sha = stem_of(request->arguments[1], answer);
    if (!sha)
        return;
    ZipResult result = sources_zip(serve->sources, request->arguments[0], sha, &zip, &err);
    answer_zip(serve, answer, result, zip, &err);
    free(sha);
}

/* With an address like those of GitHub: the name of a branch, which may hold '/', a tag or a
 * commit. OpenBench's bench_all.py asks so, with a slash at the end. Branches are easier to guess
 * than the digits of a commit, so a server whose pages want a user wants one here too. */
static void get_archive(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (serve->catalog.settings.require_login_to_view &&
        !visit_is_user(serve->people, request, serve_now(serve))) {
        web_plain(answer, WEB_FORBIDDEN, "This server wants you to sign in first.");
        return;
    }
    const char *file = request->arguments[1];
    size_t length = strlen(file);
    char *plain = mem_strndup(file, file[length - 1] == '/' ? length - 1 : length);
    char *ref = stem_of(plain, answer);
    if (ref) {
        Error err = {0};
        char *zip;
        ZipResult result = sources_ref_zip(serve->sources, request->arguments[0], ref, &zip, &err);
        answer_zip(serve, answer, result, zip, &err);
    }
    free(ref);
    free(plain);
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
    {"/repo/{name}/archive/{path}", get_archive, NULL, NULL},
    {"/book/{name}", get_book, NULL, NULL},
    {0},
};
