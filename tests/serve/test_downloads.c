/* SPDX-License-Identifier: MIT */
/* The files that workers fetch from a server: a commit as a zip, a book as a zip, and nothing else.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/tree.h"
#include "runner.h"
#include "serve/downloads.h"
#include "serve/serve.h"

enum { PATH_SIZE = 256, COMMAND_SIZE = 1024 };

static char folder[PATH_SIZE];
static Serve serve;
static SourceCommit commit;

static void setup(void) {
    char command[COMMAND_SIZE];
    char books[2 * PATH_SIZE];
    Words repos = {0};
    Error err = {0};
    snprintf(folder, sizeof folder, "/tmp/rd-downloads-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(
        command, sizeof command,
        "cd %s && mkdir books && echo abc >'books/a b.epd' && git init -q -b main up && cd up &&"
        " git -c user.name=A -c user.email=a@localhost commit -q --allow-empty -m 'Bench: 1'",
        folder);
    ck_assert_int_eq(system(command), 0);
    snprintf(command, sizeof command, "mine=%s/up", folder);
    words_add(&repos, command);
    serve = (Serve){.data = folder};
    serve.sources = sources_open(&(SourcesSpec){.data = folder, .repos = &repos}, &err);
    ck_assert_msg(serve.sources != NULL, "%s", err.text);
    snprintf(books, sizeof books, "%s/books", folder);
    CatalogSpec spec = {.data = folder, .books = books, .sources = serve.sources};
    ck_assert_msg(catalog_open(&spec, &serve.catalog, &err), "%s", err.text);
    ck_assert_msg(sources_resolve(serve.sources, "mine", "main", NULL, &commit, &err), "%s",
                  err.text);
    words_free(&repos);
}

static void teardown(void) {
    source_commit_free(&commit);
    catalog_free(&serve.catalog);
    sources_free(serve.sources);
    ck_assert(tree_remove(folder, NULL));
}

/* The status of the answer to a GET; *answer is the caller's. */
static WebStatus get(const char *path, WebAnswer *answer) {
    const WebRoute *const tables[] = {DOWNLOADS};
    WebRoutes routes = {.tables = tables, .count = COUNT(tables)};
    WebRequest request = {.path = mem_strdup(path)};
    *answer = (WebAnswer){0};
    web_dispatch(&routes, &serve, &request, answer);
    web_request_free(&request);
    return answer->status ? answer->status : WEB_OK;
}

static void expect_zip(const char *path) {
    WebAnswer answer;
    WebStatus status = get(path, &answer);
    ck_assert_msg(status == WEB_OK, "%s: status %d: %s", path, (int)status,
                  text_string(&answer.body));
    ck_assert_str_eq(answer.type, "application/zip");
    ck_assert_msg(file_exists(answer.file), "%s: no file %s", path, answer.file);
    web_answer_free(&answer);
}

static void expect_missing(const char *path) {
    WebAnswer answer;
    WebStatus status = get(path, &answer);
    ck_assert_msg(status == WEB_NOT_FOUND, "%s: status %d", path, (int)status);
    ck_assert_ptr_null(answer.file);
    web_answer_free(&answer);
}

START_TEST(a_tests_commit_and_a_book_can_be_fetched) {
    expect_zip(commit.source);
    expect_zip(catalog_book(&serve.catalog, "reductio.epd")->source);
    /* The address of a name with a blank is written with %20, and comes decoded. */
    ck_assert_str_eq(catalog_book(&serve.catalog, "a b.epd")->source, "/book/a%20b.epd.zip");
    expect_zip("/book/a b.epd.zip");
}
END_TEST

START_TEST(nothing_else_can_be_fetched) {
    char path[2 * PATH_SIZE];
    expect_missing("/source/mine/main.zip");
    expect_missing("/source/mine/0123456789012345678901234567890123456789.zip");
    expect_missing("/source/mine/.zip");
    expect_missing("/book/.zip");
    expect_missing("/book/reductio.epd");
    expect_missing("/book/../config.zip");
    snprintf(path, sizeof path, "/source/other/%s.zip", commit.sha);
    expect_missing(path);
    snprintf(path, sizeof path, "/source/../%s.zip", commit.sha);
    expect_missing(path);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_tests_commit_and_a_book_can_be_fetched);
    tcase_add_test(tests, nothing_else_can_be_fetched);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("downloads", add_tests);
}
