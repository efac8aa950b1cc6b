/* SPDX-License-Identifier: MIT */
/* Scripts that were written for OpenBench: they send a form with a password to /scripts/, follow
 * the redirect with the cookies, and print what stands in the page's boxes. Also the removal of
 * networks that scripts ask for, and the networks' files. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "runner.h"
#include "serve/clientroutes.h"
#include "serve/pages.h"
#include "tools/files.h"
#include "tools/serve_rig.h"

#define ABC_DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC_SHA "BA7816BF"

static const WebRoute *const tables[] = {API_ROUTES, LIST_PAGES, FORM_PAGES, PEOPLE_PAGES,
                                         STOCK_PAGES};
static ServeRig rig;
static const char *engine;

static void set_up(void) {
    rig_start(&rig, tables, COUNT(tables));
    engine = rig.serve.catalog.engines[0].name;
}

static void tear_down(void) {
    rig_stop(&rig);
}

/* ---- The script ---- */

typedef struct {
    const char *action, *name, *password;
    const char *engine; /* NULL: the server's. */
    const char *content;
} Upload;

/* Fills the request with the form's fields, in the order of the stock script: before the file. */
static void add_fields(WebRequest *request, const Upload *upload) {
    *request = (WebRequest){
        .post = true, .path = mem_strdup("/scripts/"), .peer = mem_strdup("127.0.0.1")};
    web_fields_add(&request->form, "username", RIG_USER);
    web_fields_add(&request->form, "password", upload->password);
    web_fields_add(&request->form, "engine", upload->engine ? upload->engine : engine);
    web_fields_add(&request->form, "name", upload->name);
    web_fields_add(&request->form, "action", upload->action);
}

/* Stores the file as the socket does: only when the route lets the sender bring a file. */
static void add_file(WebRequest *request, const char *content) {
    const WebRoute *route = web_route(&rig.routes, request);
    ck_assert_msg(route->file != NULL, "the route takes no file");
    if (!route->file->may_send(&rig.serve, request))
        return;
    rig_add_upload(&rig, request, "netfile", "any.nn", content);
}

/* Sends the form, and follows the redirect with the cookies of the answer. */
static void run_script(const Upload *upload) {
    WebRequest request;
    add_fields(&request, upload);
    if (upload->content)
        add_file(&request, upload->content);
    rig_ask(&rig, &request);
    char *location = mem_strdup(rig_location(&rig));
    if (rig.answer.status == WEB_FOUND)
        rig_get(&rig, location);
    free(location);
}

/* The text of the page's box of this class, as the stock scripts look for the box; "" for none.
 * Allocated. */
static char *box_text(const char *class) {
    char start[64];
    snprintf(start, sizeof start, "<div class=\"%s\"><pre>", class);
    const char *from = strstr(rig_page(&rig), start);
    const char *to = from ? strstr(from, "</pre></div>") : NULL;
    return to ? mem_strndup(from + strlen(start), (size_t)(to - from) - strlen(start))
              : mem_strdup("");
}

static void expect_box(const char *class, const char *expected) {
    char *text = box_text(class);
    ck_assert_str_eq(text, expected);
    free(text);
}

/* The script uploads, and prints this error. */
static void expect_error(Upload upload, const char *expected) {
    upload.action = upload.action ? upload.action : "UPLOAD_NETWORK";
    upload.password = upload.password ? upload.password : RIG_PASSWORD;
    upload.name = upload.name ? upload.name : "first.nn";
    run_script(&upload);
    expect_box("error-message", expected);
    expect_box("status-message", "");
}

static void upload_first(void) {
    run_script(&(Upload){.action = "UPLOAD_NETWORK",
                         .name = "first.nn",
                         .password = RIG_PASSWORD,
                         .content = "abc"});
}

static bool file_is_kept(const char *digest) {
    Text path = {0};
    text_addf(&path, "%s/networks/%s", rig.folder, digest);
    bool kept = file_exists(text_string(&path));
    text_free(&path);
    return kept;
}

static int64_t count_networks(void) {
    return rig_number(&rig, "SELECT count(*) FROM networks");
}

/* ---- UPLOAD_NETWORK ---- */

START_TEST(a_script_uploads_a_network_and_reads_so) {
    char expected[128];
    snprintf(expected, sizeof expected, "first.nn is kept as a network of %s.", engine);
    upload_first();
    expect_box("status-message", expected);
    expect_box("error-message", "");
    ck_assert_int_eq(count_networks(), 1);
    ck_assert(file_is_kept(ABC_DIGEST));
}
END_TEST

START_TEST(a_script_reads_why_a_network_was_not_taken) {
    char taken[128];
    snprintf(taken, sizeof taken, "%s has a network of this name or content already.", engine);
    expect_error((Upload){0}, "The form has no file, or an empty one.");
    expect_error((Upload){.name = "a b", .content = "abc"},
                 "A network name has 1 to 64 letters, digits and . _ - and does not begin with a "
                 "dot.");
    expect_error((Upload){.engine = "Nobody", .content = "abc"}, "This server has no such engine.");
    ck_assert_int_eq(count_networks(), 0);
    upload_first();
    expect_error((Upload){.content = "abd"}, taken);
    expect_error((Upload){.name = "second.nn", .content = "abc"}, taken);
    ck_assert_int_eq(count_networks(), 1);
}
END_TEST

START_TEST(a_script_with_a_wrong_password_brings_no_file_and_reads_so) {
    expect_error((Upload){.password = "not this one", .content = "abc"},
                 "Unable to Authenticate User");
    ck_assert_int_eq(count_networks(), 0);
    ck_assert(!file_is_kept(ABC_DIGEST));
}
END_TEST

START_TEST(a_script_that_guesses_passwords_reads_that_it_has_to_wait) {
    char password[32];
    for (int i = 0; i < 100 && rig.answer.status != WEB_TOO_MANY; i++) {
        snprintf(password, sizeof password, "guess number %d", i);
        run_script(&(Upload){.action = "CREATE_TEST", .name = "", .password = password});
    }
    ck_assert_int_eq(rig.answer.status, WEB_TOO_MANY);
    expect_box("error-message", PEOPLE_WAIT_WORDS);
}
END_TEST

/* Else a worker takes its right password for a wrong one, and ends. */
START_TEST(who_guesses_passwords_at_the_networks_is_told_to_wait) {
    char path[128], form[128];
    snprintf(path, sizeof path, "/clientGetNetwork/%s/first.nn/", engine);
    snprintf(form, sizeof form, "username=%s&password=guess", RIG_USER);
    rig_post(&rig, path, form);
    ck_assert_str_eq(rig_page(&rig),
                     "{\"error\":\"API requires authentication for this endpoint\"}");
    for (int i = 0; i < 100 && rig.answer.status != WEB_TOO_MANY; i++) {
        snprintf(form, sizeof form, "username=%s&password=guess%d", RIG_USER, i);
        rig_post(&rig, path, form);
    }
    ck_assert_int_eq(rig.answer.status, WEB_TOO_MANY);
    ck_assert_ptr_nonnull(strstr(rig_page(&rig), PEOPLE_WAIT_WORDS));
    ck_assert_msg(!strstr(rig_page(&rig), "error"), "workers end at %s", rig_page(&rig));
}
END_TEST

START_TEST(a_database_that_cannot_be_read_is_no_wrong_password) {
    char path[128], form[128];
    snprintf(path, sizeof path, "/clientGetNetwork/%s/first.nn/", engine);
    snprintf(form, sizeof form, "username=%s&password=%s", RIG_USER, RIG_PASSWORD);
    rig_change(&rig, "ALTER TABLE users RENAME TO away");
    rig_post(&rig, path, form);
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    expect_error((Upload){.content = "abc"}, WEB_FAULT_WORDS);
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    rig_expect_logged(&rig, "the database: no such table: users");
    rig_get(&rig, "/login/");
    rig_post(&rig, "/login/", form);
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    rig_change(&rig, "ALTER TABLE away RENAME TO users");
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    ck_assert_str_eq(rig_location(&rig), "/index/");
}
END_TEST

/* The protocol's error would say that the test or the network does not exist. */
START_TEST(a_database_that_cannot_be_read_has_not_lost_a_thing) {
    static const struct {
        const char *table, *path;
    } CASES[] = {{"tests", "/api/spsa/1/digest/"},
                 {"tests", "/api/pgns/1/"},
                 {"tests", "/api/workload/1/info/"},
                 {"parameters", "/api/spsa/1/digest/"},
                 {"networks", "/api/buildinfo/"},
                 {"networks", "/api/networks/%s/"},
                 {"networks", "/api/networks/%s/first.nn/"},
                 {"events", "/event/1/"},
                 {"sessions", "/profile/"}};
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char path[128], change[64];
        snprintf(path, sizeof path, CASES[i].path, engine);
        snprintf(change, sizeof change, "ALTER TABLE %s RENAME TO away", CASES[i].table);
        rig_change(&rig, change);
        rig_get(&rig, path);
        ck_assert_msg(rig.answer.status == WEB_UNAVAILABLE, "%s: %s", path, rig_page(&rig));
        snprintf(change, sizeof change, "ALTER TABLE away RENAME TO %s", CASES[i].table);
        rig_change(&rig, change);
        rig_get(&rig, path);
        ck_assert_msg(rig.answer.status != WEB_UNAVAILABLE, "%s: %s", path, rig_page(&rig));
    }
}
END_TEST

START_TEST(a_form_makes_a_network_the_default_or_deletes_it_and_nothing_else) {
    char path[128];
    upload_first();
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    snprintf(path, sizeof path, "/networks/%s/" ABC_SHA "/", engine);
    rig_post(&rig, path, "action=bogus");
    ck_assert_int_eq(rig.answer.status, WEB_BAD_REQUEST);
    ck_assert_int_eq(rig_number(&rig, "SELECT sum(is_default) FROM networks"), 0);
    rig_post(&rig, path, "action=default");
    ck_assert_str_eq(rig_location(&rig), "/networks/");
    ck_assert_int_eq(rig_number(&rig, "SELECT sum(is_default) FROM networks"), 1);
}
END_TEST

START_TEST(a_script_of_nobody_is_told_so_and_leaves_no_session) {
    rig_post(&rig, "/scripts/", "action=CREATE_TEST&username=" RIG_USER "&password=not this one");
    ck_assert_str_eq(rig_location(&rig), "/login/");
    ck_assert_int_eq(rig_number(&rig, "SELECT count(*) FROM sessions"), 0);
    rig_get(&rig, "/login/");
    ck_assert_msg(strstr(rig_page(&rig), "Only enabled users can create tests") != NULL, "%s",
                  rig_page(&rig));
}
END_TEST

START_TEST(another_action_is_refused_and_brings_no_file) {
    WebRequest request;
    add_fields(&request, &(Upload){.action = "CREATE_TEST", .name = "x", .password = RIG_PASSWORD});
    ck_assert(!web_route(&rig.routes, &request)->file->may_send(&rig.serve, &request));
    web_request_free(&request);
    expect_error((Upload){.action = "DANCE"},
                 "The actions of scripts are CREATE_TEST and UPLOAD_NETWORK.");
}
END_TEST

START_TEST(a_form_of_another_site_signs_nobody_in) {
    static const struct {
        const char *origin;
        bool refused;
    } rows[] = {{"http://evil.example", true},
                {"null", true},
                {"http://127.0.0.1:8000", false},
                {NULL, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        WebRequest request;
        add_fields(&request, &(Upload){.action = "x", .name = "", .password = RIG_PASSWORD});
        web_fields_add(&request.headers, "Host", "127.0.0.1:8000");
        if (rows[i].origin)
            web_fields_add(&request.headers, "Origin", rows[i].origin);
        rig_ask(&rig, &request);
        bool signed_in = false;
        for (size_t k = 0; k < rig.answer.headers.names.count; k++)
            signed_in |= strstr(rig.answer.headers.values.items[k], "sessionid=") != NULL;
        ck_assert_msg(signed_in != rows[i].refused, "Origin: %s", rows[i].origin);
        if (rows[i].refused)
            ck_assert_int_eq(rig.answer.status, WEB_FORBIDDEN);
    }
}
END_TEST

/* ---- Reading ---- */

static const char WANTS_USER[] = "{\"error\":\"API requires authentication for this endpoint\"}";

START_TEST(a_networks_bytes_go_to_users_alone) {
    char path[128], form[128];
    upload_first();
    web_fields_free(&rig.cookies);
    snprintf(path, sizeof path, "/clientGetNetwork/%s/first.nn/", engine);
    rig_post(&rig, path, "");
    ck_assert_str_eq(rig_page(&rig), WANTS_USER);
    rig_post(&rig, path, "username=" RIG_USER "&password=another one");
    ck_assert_str_eq(rig_page(&rig), WANTS_USER);
    ck_assert_ptr_null(rig.answer.file);
    snprintf(form, sizeof form, "username=%s&password=%s", RIG_USER, RIG_PASSWORD);
    rig_post(&rig, path, form);
    ck_assert_ptr_nonnull(rig.answer.file);
    Text bytes = read_whole(rig.answer.file);
    ck_assert_str_eq(text_string(&bytes), "abc");
    text_free(&bytes);
}
END_TEST

/* Where the server wants a login to look. */
START_TEST(every_document_can_want_a_login) {
    static const char *const paths[] = {
        "/api/config/",          "/api/config/%s/",     "/api/buildinfo/", "/api/networks/%s/",
        "/api/workload/1/info/", "/api/spsa/1/inputs/", "/api/pgns/1/"};
    static const char refusal[] = "{\"error\":\"API requires authentication for this server\"}";
    char path[128];
    Test test = rig_test("SPSA", "x");
    rig_add_test(&rig, &test);
    rig.serve.catalog.settings.require_login_to_view = true;
    for (size_t i = 0; i < 2 * COUNT(paths); i++) {
        bool signed_in = i >= COUNT(paths);
        if (i == COUNT(paths))
            rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
        snprintf(path, sizeof path, paths[i % COUNT(paths)], engine);
        rig_get(&rig, path);
        ck_assert_msg((strcmp(rig_page(&rig), refusal) != 0) == signed_in, "%s: %s", path,
                      rig_page(&rig));
    }
}
END_TEST

/* ---- Games ---- */

static char *games_folder(int64_t test) {
    return text_format("%s/games/%lld", rig.folder, (long long)test);
}

/* Adds a file of games to the test. */
static void add_games(int64_t test, int64_t row, int64_t book_index) {
    Error err = {{0}};
    char *folder = games_folder(test);
    char *path = text_format("%s/%lld.%lld.%lld.pgn.bz2", folder, (long long)test, (long long)row,
                             (long long)book_index);
    ck_assert_msg(file_make_folders(folder, &err), "%s", err.text);
    put_text(path, "BZh");
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_note_games(
        t, &(StoredGames){
               .test_id = test, .row_id = row, .book_index = book_index, .created = rig.now});
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    free(path);
    free(folder);
}

/* Gives the server a test with one machine, and with one file of games; its number is 1. */
static int64_t add_test_with_games(void) {
    Error err = {{0}};
    Test test = rig_test("GAMES", "x");
    int64_t id = rig_add_test(&rig, &test);
    char *spool = text_format("%s/spool", rig.folder);
    ck_assert_msg(file_make_folders(spool, &err), "%s", err.text);
    free(spool);
    add_games(id, rig_add_results(&rig, id, rig_add_machine(&rig, id, "box"), 1, 0), 1);
    return id;
}

/* As add_test_with_games; the test is over, and its machine has gone. */
static int64_t add_played_test(void) {
    int64_t id = add_test_with_games();
    rig_change(&rig, "UPDATE tests SET finished = 1");
    rig.now += 121;
    return id;
}

/* Asks for the games of the test 1, which must be these files, a name in each line. */
static void expect_games(const char *names) {
    char found[256];
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_msg(rig.answer.file != NULL, "%s", rig_page(&rig));
    char *command = text_format("tar -tf %s", rig.answer.file);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    found[fread(found, 1, sizeof found - 1, pipe)] = '\0';
    pclose(pipe);
    ck_assert_str_eq(found, names);
    free(command);
}

START_TEST(games_are_handed_out_when_the_test_and_its_machines_have_ended) {
    add_test_with_games();
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_ptr_nonnull(strstr(rig_page(&rig), "while the Workload is active"));
    rig_change(&rig, "UPDATE tests SET finished = 1");
    rig.now += 119;
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_ptr_nonnull(strstr(rig_page(&rig), "Some machines are still on this Workload"));
    rig.now += 2; /* A machine is active for two minutes. */
    expect_games("1.1.1.pgn.bz2\n");
}
END_TEST

START_TEST(a_machine_of_a_fast_clock_has_gone_when_the_clock_is_set_back) {
    add_test_with_games();
    rig_change(&rig, "UPDATE tests SET finished = 1");
    rig.now -= 121;
    rig_get(&rig, "/machines/");
    rig_expect(&rig, "0 active now");
    rig_get(&rig, "/api/workload/1/results/");
    rig_expect_not(&rig, "\"active\":true");
    expect_games("1.1.1.pgn.bz2\n");
    rig.now++; /* It could have been seen by a clock that was right a moment ago. */
    rig_get(&rig, "/api/pgns/1/");
    rig_expect(&rig, "Some machines are still on this Workload");
}
END_TEST

START_TEST(games_that_lack_a_file_are_not_handed_out) {
    int64_t id = add_played_test();
    char *folder = games_folder(id);
    char *file = text_format("%s/1.1.1.pgn.bz2", folder);
    char *away = text_format("%s/away", folder);
    add_games(id, 1, 2);
    ck_assert_int_eq(rename(file, away), 0);
    rig_get(&rig, "/api/pgns/1/");
    rig_expect_fault(&rig, "1.1.1.pgn.bz2: No such file or directory");
    ck_assert_int_eq(rename(away, file), 0);
    expect_games("1.1.1.pgn.bz2\n1.1.2.pgn.bz2\n");
    free(away);
    free(file);
    free(folder);
}
END_TEST

START_TEST(one_request_packs_games_at_a_time) {
    add_played_test();
    pthread_mutex_lock(&rig.serve.packing);
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    rig_expect(&rig, "ask again later");
    pthread_mutex_unlock(&rig.serve.packing);
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_msg(rig.answer.file != NULL, "%s", rig_page(&rig));
    pthread_mutex_lock(&rig.serve.packing); /* A tar that is there is sent meanwhile. */
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_msg(rig.answer.file != NULL, "%s", rig_page(&rig));
    pthread_mutex_unlock(&rig.serve.packing);
}
END_TEST

START_TEST(one_tar_of_a_test_stays_on_the_disk) {
    int64_t id = add_played_test();
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_msg(rig.answer.file != NULL, "%s", rig_page(&rig));
    char *first = mem_strdup(rig.answer.file);
    ck_assert(file_exists(first));
    add_games(id, 1, 2);
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_msg(rig.answer.file != NULL, "%s", rig_page(&rig));
    ck_assert_str_ne(rig.answer.file, first);
    ck_assert(file_exists(rig.answer.file));
    ck_assert_msg(!file_exists(first), "%s is left", first);
    free(first);
    first = mem_strdup(rig.answer.file);
    rig.now++;
    add_games(id, 1, 2); /* In place of the earlier file. */
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_str_ne(rig.answer.file, first);
    free(first);
    first = mem_strdup(rig.answer.file);
    rig_change(&rig, "UPDATE pgns SET bytes = bytes + 1"); /* In place of it in the same second. */
    rig_get(&rig, "/api/pgns/1/");
    ck_assert_str_ne(rig.answer.file, first);
    free(first);
}
END_TEST

/* ---- Removal ---- */

/* Asks for the removal as delete_networks.py does; the answer is {"WORD": "TEXT"}. */
static void expect_removal(const char *name, const char *password, const char *word,
                           const char *text) {
    char path[128], expected[256];
    WebFields form = {0};
    snprintf(path, sizeof path, "/api/networks/%s/%s/delete/", engine, name);
    snprintf(expected, sizeof expected, "{\"%s\":\"%s\"}", word, text);
    web_fields_add(&form, "username", RIG_USER);
    web_fields_add(&form, "password", password);
    rig_send(&rig, path, &form);
    ck_assert_str_eq(rig_page(&rig), expected);
}

START_TEST(a_script_removes_a_network_with_its_file) {
    char removed[128];
    snprintf(removed, sizeof removed, "Removed first.nn for %s", engine);
    upload_first();
    expect_removal("first.nn", "not this one", "error",
                   "API requires authentication for this endpoint");
    expect_removal("other.nn", RIG_PASSWORD, "error", "There is no such network.");
    ck_assert_int_eq(count_networks(), 1);
    expect_removal("first.nn", RIG_PASSWORD, "success", removed);
    ck_assert_int_eq(count_networks(), 0);
    ck_assert(!file_is_kept(ABC_DIGEST));
}
END_TEST

/* Else the test would get no machine, and nobody would know why. */
START_TEST(a_network_of_a_test_that_is_not_over_is_not_removed) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        Test test = rig_test("GAMES", "x");
        char sql[160], text[128];
        rig_add_test(&rig, &test);
        upload_first();
        snprintf(sql, sizeof sql, "UPDATE tests SET %s_engine = '%s', %s_network = '" ABC_SHA "'",
                 side_name(side), engine, side_name(side));
        rig_change(&rig, sql);
        expect_removal("first.nn", RIG_PASSWORD, "error",
                       "Test 1 plays with first.nn: stop the test first, or wait for its end.");
        ck_assert(file_is_kept(ABC_DIGEST));
        rig_change(&rig, "UPDATE tests SET finished = 1");
        snprintf(text, sizeof text, "Removed first.nn for %s", engine);
        expect_removal("first.nn", RIG_PASSWORD, "success", text);
        rig_change(&rig, "DELETE FROM tests");
    }
}
END_TEST

START_TEST(a_signed_in_browser_alone_removes_no_network_by_the_api) {
    upload_first(); /* The script has signed in, and its cookies are kept. */
    expect_removal("first.nn", "", "error", "API requires authentication for this endpoint");
    ck_assert_int_eq(count_networks(), 1);
}
END_TEST

START_TEST(a_script_removes_no_network_that_is_or_was_the_default) {
    static const char *const marks[] = {"is_default", "was_default"};
    for (size_t i = 0; i < COUNT(marks); i++) {
        char sql[64], refused[160];
        snprintf(sql, sizeof sql, "UPDATE networks SET %s = 1", marks[i]);
        snprintf(refused, sizeof refused,
                 "first.nn is or was the default network of %s: only the page of networks removes "
                 "such a network.",
                 engine);
        upload_first();
        rig_change(&rig, sql);
        expect_removal("first.nn", RIG_PASSWORD, "error", refused);
        ck_assert_int_eq(count_networks(), 1);
        rig_change(&rig, "DELETE FROM networks");
    }
}
END_TEST

/* ---- Files of networks ---- */

/* Another engine's network of the same content. */
static void add_twin(void) {
    rig_change(&rig,
               "INSERT INTO networks (engine, name, sha, digest, author, created, is_default, "
               "was_default) VALUES ('Other', 'twin.nn', '" ABC_SHA "', '" ABC_DIGEST
               "', 'bob', 0, 0, 0)");
}

/* From now on the database takes no network of the name first.nn. */
static void refuse_first(void) {
    rig_change(&rig, "CREATE TRIGGER refusal BEFORE INSERT ON networks WHEN new.name = 'first.nn' "
                     "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
}

START_TEST(a_network_that_the_database_refuses_leaves_no_file) {
    refuse_first();
    upload_first();
    char *error = box_text("error-message");
    ck_assert_str_eq(error, WEB_FAULT_WORDS);
    free(error);
    rig_expect_logged(&rig, "the disk is full");
    ck_assert_int_eq(count_networks(), 0);
    ck_assert(!file_is_kept(ABC_DIGEST));
}
END_TEST

START_TEST(a_refused_network_leaves_the_file_of_another_with_its_content) {
    add_twin();
    refuse_first();
    upload_first();
    ck_assert_int_eq(count_networks(), 1);
    ck_assert(file_is_kept(ABC_DIGEST));
}
END_TEST

START_TEST(a_removed_network_leaves_the_file_of_another_with_its_content) {
    char removed[128];
    snprintf(removed, sizeof removed, "Removed first.nn for %s", engine);
    upload_first();
    add_twin();
    expect_removal("first.nn", RIG_PASSWORD, "success", removed);
    ck_assert_int_eq(count_networks(), 1);
    ck_assert(file_is_kept(ABC_DIGEST));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_script_uploads_a_network_and_reads_so);
    tcase_add_test(tests, a_script_reads_why_a_network_was_not_taken);
    tcase_add_test(tests, a_script_with_a_wrong_password_brings_no_file_and_reads_so);
    tcase_add_test(tests, a_script_that_guesses_passwords_reads_that_it_has_to_wait);
    tcase_add_test(tests, who_guesses_passwords_at_the_networks_is_told_to_wait);
    tcase_add_test(tests, a_database_that_cannot_be_read_is_no_wrong_password);
    tcase_add_test(tests, a_database_that_cannot_be_read_has_not_lost_a_thing);
    tcase_add_test(tests, a_form_makes_a_network_the_default_or_deletes_it_and_nothing_else);
    tcase_add_test(tests, a_script_of_nobody_is_told_so_and_leaves_no_session);
    tcase_add_test(tests, another_action_is_refused_and_brings_no_file);
    tcase_add_test(tests, a_form_of_another_site_signs_nobody_in);
    tcase_add_test(tests, a_networks_bytes_go_to_users_alone);
    tcase_add_test(tests, every_document_can_want_a_login);
    tcase_add_test(tests, games_are_handed_out_when_the_test_and_its_machines_have_ended);
    tcase_add_test(tests, a_machine_of_a_fast_clock_has_gone_when_the_clock_is_set_back);
    tcase_add_test(tests, games_that_lack_a_file_are_not_handed_out);
    tcase_add_test(tests, one_request_packs_games_at_a_time);
    tcase_add_test(tests, one_tar_of_a_test_stays_on_the_disk);
    tcase_add_test(tests, a_script_removes_a_network_with_its_file);
    tcase_add_test(tests, a_network_of_a_test_that_is_not_over_is_not_removed);
    tcase_add_test(tests, a_signed_in_browser_alone_removes_no_network_by_the_api);
    tcase_add_test(tests, a_script_removes_no_network_that_is_or_was_the_default);
    tcase_add_test(tests, a_network_that_the_database_refuses_leaves_no_file);
    tcase_add_test(tests, a_refused_network_leaves_the_file_of_another_with_its_content);
    tcase_add_test(tests, a_removed_network_leaves_the_file_of_another_with_its_content);
}

int main(void) {
    return run_tests("scripts", add_tests);
}
