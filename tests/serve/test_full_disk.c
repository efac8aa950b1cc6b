/* SPDX-License-Identifier: MIT */
/* A server whose disk is full: requests are refused with a clear answer, nothing is half-written,
 * and the server goes on when there is room again. A limit of the size of files stands for the
 * full disk: writes fail in the same places. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "runner.h"
#include "serve/clientroutes.h"
#include "tools/serve_rig.h"

enum { ROOM = 200000, MOST_REQUESTS = 1000, PATH_SIZE = 128 };

static const WebRoute *const tables[] = {CLIENT_ROUTES};

static const char info[] =
    "{\"client_ver\": %lld, \"machine_name\": \"%s\", \"os_name\": \"Linux\", \"concurrency\": 4,"
    " \"sockets\": 1, \"cpu_flags\": [], \"compilers\": {}, \"tokens\": {}}";

static ServeRig rig;

static void set_up(void) {
    rig_start(&rig, tables, COUNT(tables));
}

static void tear_down(void) {
    rig_stop(&rig);
}

/* Files may grow to so many bytes from now on; RLIM_INFINITY: there is room again. */
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
}

static void register_machine(const char *name) {
    WebFields form = {0};
    Text text = {0};
    text_addf(&text, info, (long long)rig.serve.catalog.settings.client_version, name);
    web_fields_add(&form, "username", RIG_USER);
    web_fields_add(&form, "password", RIG_PASSWORD);
    web_fields_add(&form, "system_info", text_string(&text));
    rig_send(&rig, "/clientWorkerInfo/", &form);
    text_free(&text);
}

static int64_t count_machines(void) {
    return rig_number(&rig, "SELECT count(*) FROM machines");
}

START_TEST(a_full_disk_refuses_requests_and_keeps_what_was_acknowledged) {
    char *name = mem_calloc(1, 10001);
    int64_t registered = 0;
    Error err = {0};
    memset(name, 'x', 10000);
    limit_files(ROOM);
    do {
        register_machine(name);
        registered += rig.answer.status != WEB_UNAVAILABLE;
    } while (rig.answer.status != WEB_UNAVAILABLE && registered < MOST_REQUESTS);
    rig_expect_fault(&rig, "error: ");
    ck_assert_int_eq(count_machines(), registered);
    limit_files(RLIM_INFINITY);
    register_machine(name);
    ck_assert_ptr_nonnull(strstr(rig_page(&rig), "\"machine_id\""));
    ck_assert_int_eq(count_machines(), registered + 1);
    ck_assert_msg(database_check(rig.serve.database, &err), "%s", err.text);
    free(name);
}
END_TEST

START_TEST(a_backup_that_does_not_fit_is_refused_and_leaves_no_file) {
    char path[PATH_SIZE];
    struct stat status;
    Error err = {0};
    snprintf(path, sizeof path, "%s/backup", rig.folder);
    limit_files(20000);
    ck_assert(!database_backup(rig.serve.database, path, &err));
    limit_files(RLIM_INFINITY);
    ck_assert_str_ne(err.text, "");
    ck_assert_msg(stat(path, &status) != 0, "%s is left with %lld bytes", path,
                  (long long)status.st_size);
    ck_assert_msg(database_backup(rig.serve.database, path, &err), "%s", err.text);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_full_disk_refuses_requests_and_keeps_what_was_acknowledged);
    tcase_add_test(tests, a_backup_that_does_not_fit_is_refused_and_leaves_no_file);
}

int main(void) {
    return run_tests("full disk", add_tests);
}
