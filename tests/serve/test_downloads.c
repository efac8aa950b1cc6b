/* SPDX-License-Identifier: MIT */
/* The files that workers and scripts fetch from a server: a commit, a branch or a tag as a zip, a
 * book as a zip, and nothing else. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "runner.h"
#include "serve/downloads.h"
#include "tools/serve_rig.h"

enum { PATH_SIZE = 256 };

static ServeRig rig;
static SourceCommit commit; /* Of the branch main; a test has named the commit. */

/* The repository "mine": main has two commits, of which the tag v1 is at the first, and
 * feature/killer has one commit more. */
static const char BRANCHES[] =
    "git tag v1 && git commit -q --allow-empty -m 'Go on' &&"
    " git checkout -q -b feature/killer && git commit -q --allow-empty -m 'Killers' &&"
    " git commit -q --allow-empty -m 'More killers'";

static void setup(void) {
    static const WebRoute *const tables[] = {DOWNLOADS};
    char books[PATH_SIZE], book[2 * PATH_SIZE];
    Error err = {0};
    rig_start(&rig, tables, COUNT(tables));
    rig_add_repository(&rig, "mine", "main", BRANCHES);
    snprintf(books, sizeof books, "%s/books", rig.folder);
    snprintf(book, sizeof book, "%s/a b.epd", books);
    ck_assert(file_make_folders(books, &err));
    ck_assert(file_write_atomic(book, "abc\n", 4, 0644, &err));
    catalog_free(&rig.serve.catalog);
    CatalogSpec spec = {.data = rig.folder, .books = books, .sources = rig.serve.sources};
    ck_assert_msg(catalog_open(&spec, &rig.serve.catalog, &err), "%s", err.text);
    ck_assert_msg(sources_resolve(rig.serve.sources, "mine", "main", NULL, &commit, &err), "%s",
                  err.text);
}

static void teardown(void) {
    source_commit_free(&commit);
    rig_stop(&rig);
}

/* Asks for the file; rig.answer is the answer. Returns the status. */
static int get(const char *path) {
    rig_get(&rig, path);
    return rig.answer.status ? (int)rig.answer.status : WEB_OK;
}

static void expect_zip(const char *path) {
    int status = get(path);
    ck_assert_msg(status == WEB_OK, "%s: status %d: %s", path, status, rig_page(&rig));
    ck_assert_str_eq(rig.answer.type, "application/zip");
    ck_assert_msg(file_exists(rig.answer.file), "%s: no file %s", path, rig.answer.file);
}

/* The forty digits of the commit which git calls `revision`. Valid until the next call. */
static const char *sha_of(const char *revision) {
    static char sha[SOURCES_SHA_MAX];
    char command[PATH_SIZE];
    snprintf(command, sizeof command, "git -C %s/upstream rev-parse '%s'", rig.folder, revision);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(fgets(sha, sizeof sha, pipe));
    pclose(pipe);
    return sha;
}

static void expect_zip_of(const char *path, const char *revision) {
    const char *sha = sha_of(revision);
    expect_zip(path);
    ck_assert_msg(strstr(rig.answer.file, sha) != NULL, "%s is not of %s", rig.answer.file, sha);
}

static void expect_refusal(const char *path, WebStatus wanted, const char *words) {
    int status = get(path);
    ck_assert_msg(status == (int)wanted, "%s: status %d", path, status);
    ck_assert_ptr_null(rig.answer.file);
    ck_assert_msg(strstr(rig_page(&rig), words) != NULL, "%s: %s", path, rig_page(&rig));
}

static void expect_missing(const char *path) {
    expect_refusal(path, WEB_NOT_FOUND, "");
}

START_TEST(a_tests_commit_and_a_book_can_be_fetched) {
    expect_zip(commit.source);
    expect_zip(catalog_book(&rig.serve.catalog, "reductio.epd")->source);
    /* The address of a name with a blank is written with %20, and comes decoded. */
    ck_assert_str_eq(catalog_book(&rig.serve.catalog, "a b.epd")->source, "/book/a%20b.epd.zip");
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

START_TEST(a_script_fetches_branches_tags_and_commits_as_from_github) {
    char path[2 * PATH_SIZE];
    expect_zip_of("/repo/mine/archive/main.zip/", "main");
    expect_zip_of("/repo/mine/archive/main.zip", "main");
    expect_zip_of("/repo/MINE/archive/feature/killer.zip/", "feature/killer");
    expect_zip_of("/repo/mine/archive/v1.zip/", "v1");
    snprintf(path, sizeof path, "/repo/mine/archive/%s.zip/", commit.sha);
    expect_zip_of(path, commit.sha);
}
END_TEST

START_TEST(an_archive_is_of_a_branch_that_the_upstream_has_now) {
    char command[PATH_SIZE];
    snprintf(command, sizeof command, "git -C %s/upstream branch later feature/killer^",
             rig.folder);
    ck_assert_int_eq(system(command), 0);
    expect_zip_of("/repo/mine/archive/later.zip/", "later");
}
END_TEST

START_TEST(an_archive_of_a_bad_name_is_not_found) {
    static const char no_such[] = "there is no branch or tag";
    expect_refusal("/repo/mine/archive/nobody.zip/", WEB_NOT_FOUND, no_such);
    expect_refusal("/repo/mine/archive/feature.zip/", WEB_NOT_FOUND, no_such);
    expect_refusal("/repo/mine/archive/--output=x.zip/", WEB_NOT_FOUND, no_such);
    expect_refusal("/repo/mine/archive/../../config.zip/", WEB_NOT_FOUND, no_such);
    expect_refusal("/repo/mine/archive/main^{tree}.zip/", WEB_NOT_FOUND, no_such);
    expect_refusal("/repo/mine/archive/main.tar.gz/", WEB_NOT_FOUND, "There is no such file.");
    expect_refusal("/repo/mine/archive//", WEB_NOT_FOUND, "nothing at this address");
    expect_refusal("/repo/other/archive/main.zip/", WEB_NOT_FOUND, "keeps no repository");
}
END_TEST

/* Whoever asks for all commits of a repository, one after the other, would fill the disk. */
START_TEST(an_archive_of_an_old_commit_is_not_made) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/repo/mine/archive/%s.zip/", sha_of("feature/killer^"));
    expect_refusal(path, WEB_NOT_FOUND, "no test has named the commit");
}
END_TEST

START_TEST(one_archive_that_no_test_has_named_stays_on_the_disk) {
    char first[2 * PATH_SIZE];
    expect_zip(commit.source);
    char *kept = mem_strdup(rig.answer.file);
    expect_zip_of("/repo/mine/archive/feature/killer.zip", "feature/killer");
    snprintf(first, sizeof first, "%s", rig.answer.file);
    expect_zip_of("/repo/mine/archive/feature/killer.zip", "feature/killer");
    ck_assert_str_eq(rig.answer.file, first);
    expect_zip_of("/repo/mine/archive/main.zip", "main");
    ck_assert(file_exists(first));
    expect_zip_of("/repo/mine/archive/v1.zip", "v1");
    ck_assert(!file_exists(first));
    ck_assert(file_exists(kept));
    free(kept);
}
END_TEST

static void shell(const char *script) {
    char command[2 * PATH_SIZE];
    snprintf(command, sizeof command, "cd %s && %s", rig.folder, script);
    ck_assert_int_eq(system(command), 0);
}

/* A worker that is told of a missing file leaves the test for good. */
START_TEST(a_fault_of_the_disk_is_no_missing_file) {
    shell("rm -r zips && touch zips");
    get(commit.source);
    rig_expect_fault(&rig, "zips: is not a folder");
    get("/repo/mine/archive/main.zip");
    rig_expect_fault(&rig, "zips: is not a folder");
    shell("rm zips");
    expect_zip(commit.source); /* The folder is made again. */
}
END_TEST

START_TEST(a_fault_of_git_is_no_missing_file) {
    shell("mv repositories/mine.git away");
    get(commit.source);
    rig_expect_fault(&rig, "the repository mine: git: ");
    shell("mv away repositories/mine.git");
    expect_zip(commit.source);
}
END_TEST

START_TEST(a_server_for_its_users_gives_archives_to_them_alone) {
    rig.serve.catalog.settings.require_login_to_view = true;
    expect_refusal("/repo/mine/archive/main.zip/", WEB_FORBIDDEN, "sign in first");
    expect_zip(commit.source); /* Workers have no session: the digits are their password. */
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_tests_commit_and_a_book_can_be_fetched);
    tcase_add_test(tests, nothing_else_can_be_fetched);
    tcase_add_test(tests, a_script_fetches_branches_tags_and_commits_as_from_github);
    tcase_add_test(tests, an_archive_is_of_a_branch_that_the_upstream_has_now);
    tcase_add_test(tests, an_archive_of_a_bad_name_is_not_found);
    tcase_add_test(tests, an_archive_of_an_old_commit_is_not_made);
    tcase_add_test(tests, one_archive_that_no_test_has_named_stays_on_the_disk);
    tcase_add_test(tests, a_fault_of_the_disk_is_no_missing_file);
    tcase_add_test(tests, a_fault_of_git_is_no_missing_file);
    tcase_add_test(tests, a_server_for_its_users_gives_archives_to_them_alone);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("downloads", add_tests);
}
