/* SPDX-License-Identifier: MIT */
/* The engines, books and settings that a server offers, and the answers that tell of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/memory.h"
#include "base/tree.h"
#include "build/archive.h"
#include "serve/catalog.h"
#include "tools/files.h"
#include "tools/recordings.h"
#include "tools/temporary.h"
#include "tools/zip.h"
#include "runner.h"

enum { PATH_SIZE = 256 };

static const char BASE[] = "http://127.0.0.1:8000";
static const char ENGINE[] =
    "{\"private\": false, \"nps\": 1090000, \"source\": \"https://github.com/TerjeKir/weiss\","
    " \"build\": {\"path\": \"src\", \"compilers\": [\"gcc\"], \"cpuflags\": [\"POPCNT\"],"
    " \"systems\": [\"Windows\", \"Linux\"]},"
    " \"test_presets\": {\"default\": {\"base_branch\": \"master\"}, \"STC\": {}}}";
/* The SHA-256 of "abc\n". */
static const char ABC[] = "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb";

static char folder[PATH_SIZE];

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-catalog");
}

static void teardown(void) {
    ck_assert(tree_remove(folder, NULL));
}

/* Writes a file of the test's folder, and the folders above it. */
static void put(const char *name, const char *text) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    put_text(path, text);
}

static bool open_catalog(const char *books, const Sources *sources, Catalog *catalog, Error *err) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, books ? books : "");
    CatalogSpec spec = {.data = folder, .books = books ? path : NULL, .sources = sources};
    return catalog_open(&spec, catalog, err);
}

static Catalog must_open(const char *books) {
    Catalog catalog;
    Error err = {0};
    ck_assert_msg(open_catalog(books, NULL, &catalog, &err), "%s", err.text);
    return catalog;
}

static void must_refuse(const char *why) {
    Catalog catalog;
    Error err = {0};
    ck_assert_msg(!open_catalog(NULL, NULL, &catalog, &err), "taken: wanted '%s'", why);
    ck_assert_msg(strstr(err.text, why), "'%s' says nothing of '%s'", err.text, why);
}

START_TEST(a_server_without_configuration_has_the_projects_engine_and_book) {
    Catalog catalog = must_open(NULL);
    ck_assert_uint_eq(catalog.engine_count, 1);
    const CatalogEngine *engine = catalog_engine(&catalog, "Reductio");
    ck_assert_ptr_nonnull(engine);
    ck_assert_str_eq(engine->build_path, "engine");
    ck_assert_int_eq(engine->nps, 1000000);
    ck_assert_uint_eq(catalog.book_count, 1);
    const CatalogBook *book = catalog_book(&catalog, "reductio.epd");
    ck_assert_ptr_nonnull(book);
    ck_assert_str_eq(book->source, "/book/reductio.epd.zip");
    ck_assert_int_eq(catalog.settings.client_version, 49);
    /* The presets name a book that is served. */
    const cJSON *preset = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(engine->document, "test_presets"), "default");
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(preset, "book_name")->valuestring,
                     "reductio.epd");
    catalog_free(&catalog);
}
END_TEST

/* The digest of a book is that of its text with CR LF read as LF: a worker checks the text that
 * it finds in the zip by the digest. */
START_TEST(a_book_is_handed_out_as_a_zip_with_the_digest_of_its_text) {
    put("texts/crlf.epd", "abc\r\n");
    put("texts/plain.pgn", "abc\n");
    put("texts/notes.txt", "no book");
    Catalog catalog = must_open("texts");
    Error err = {0};
    ck_assert_uint_eq(catalog.book_count, 3); /* With the project's own. */
    const CatalogBook *book = catalog_book(&catalog, "crlf.epd");
    ck_assert_str_eq(book->sha, ABC);
    ck_assert_str_eq(catalog_book(&catalog, "plain.pgn")->sha, ABC);
    Text text = {0};
    ck_assert_msg(archive_read_single(book->zip, 100, &text, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&text), "abc\r\n");
    text_free(&text);
    catalog_free(&catalog);
}
END_TEST

START_TEST(a_zipped_book_of_the_folder_is_handed_out_like_a_plain_one) {
    char path[2 * PATH_SIZE];
    put("texts/notes.txt", "no book");
    snprintf(path, sizeof path, "%s/texts/x.epd.zip", folder);
    zip_write(path, &(ZipEntry){"other name.epd", ZIP_FILE, "abc\r\n"}, 1);
    Catalog catalog = must_open("texts");
    const CatalogBook *book = catalog_book(&catalog, "x.epd");
    ck_assert_ptr_nonnull(book);
    ck_assert_str_eq(book->sha, ABC);
    ck_assert_str_eq(book->source, "/book/x.epd.zip");
    catalog_free(&catalog);
}
END_TEST

START_TEST(a_file_that_looks_like_a_book_and_is_not_served_is_named) {
    Error err = {0};
    char path[2 * PATH_SIZE];
    char said[4096] = "";
    FILE *out = tmpfile();
    Log log;
    put("texts/my(book).epd", "abc\n");
    put("texts/other.zip", "a name that tells no book");
    put("texts/UHO.EPD", "abc\n");
    put("texts/uho.epd.xz", "packed by another program");
    put("texts/notes.txt", "no book");
    put("texts/good.epd", "abc\n");
    snprintf(path, sizeof path, "%s/texts", folder);
    log_init(&log, out, LOG_NORMAL);
    CatalogSpec spec = {.data = folder, .books = path, .log = &log};
    Catalog catalog;
    ck_assert_msg(catalog_open(&spec, &catalog, &err), "%s", err.text);
    ck_assert_uint_eq(catalog.book_count, 2); /* With the project's own. */
    rewind(out);
    ck_assert_uint_gt(fread(said, 1, sizeof said - 1, out), 0);
    ck_assert_msg(strstr(said, "my(book).epd: is no book's name") != NULL, "%s", said);
    ck_assert_msg(strstr(said, "other.zip: is no book's name") != NULL, "%s", said);
    ck_assert_msg(strstr(said, "UHO.EPD: is no book's name") != NULL, "%s", said);
    ck_assert_msg(strstr(said, "uho.epd.xz: is no book's name") != NULL, "%s", said);
    ck_assert_msg(strstr(said, "notes") == NULL && strstr(said, "good") == NULL, "%s", said);
    log_free(&log);
    fclose(out);
    catalog_free(&catalog);
}
END_TEST

START_TEST(a_setting_that_is_not_known_is_named_and_changes_nothing) {
    Error err = {0};
    char said[1024] = "";
    FILE *out = tmpfile();
    Log log;
    put("config/config.json",
        "{\"require_login_to_veiw\": true, \"require_manual_registration\": true,"
        " \"use_cross_approval\": true, \"engines\": [\"Reductio\"], \"books\": []}");
    log_init(&log, out, LOG_NORMAL);
    CatalogSpec spec = {.data = folder, .log = &log};
    Catalog catalog;
    ck_assert_msg(catalog_open(&spec, &catalog, &err), "%s", err.text);
    ck_assert(!catalog.settings.require_login_to_view);
    ck_assert(catalog.settings.use_cross_approval);
    rewind(out);
    ck_assert_uint_gt(fread(said, 1, sizeof said - 1, out), 0);
    ck_assert_msg(strstr(said, "config.json: the setting 'require_login_to_veiw' is not known"),
                  "%s", said);
    ck_assert_msg(strchr(said, '\n')[1] == '\0', "more than one line: %s", said);
    log_free(&log);
    fclose(out);
    catalog_free(&catalog);
}
END_TEST

START_TEST(the_projects_book_is_unpacked_for_its_zip) {
    Catalog catalog = must_open(NULL);
    Text text = {0};
    Error err = {0};
    char sha[DIGEST_HEX_MAX];
    const CatalogBook *book = catalog_book(&catalog, "reductio.epd");
    ck_assert_msg(archive_read_single(book->zip, 1 << 24, &text, &err), "%s", err.text);
    ck_assert(digest_text(text_string(&text), text.length, sha, NULL));
    ck_assert_str_eq(book->sha, sha);
    ck_assert_ptr_nonnull(strstr(text_string(&text), " w "));
    text_free(&text);
    catalog_free(&catalog);
}
END_TEST

START_TEST(the_folder_of_an_openbench_server_is_read) {
    Text book = {0};
    text_addf(&book, "{\"sha\": \"%s\", \"source\": \"https://books.example/x.zip\"}", ABC);
    put("config/config.json", "{\"client_version\": 50, \"use_cross_approval\": true,"
                              " \"engines\": [\"Weiss\"], \"books\": [\"x.epd\"]}");
    put("config/Engines/Weiss.json", ENGINE);
    put("config/Engines/Unlisted.json", "not even JSON");
    put("config/Books/x.epd.json", text_string(&book));
    Catalog catalog = must_open(NULL);
    ck_assert_uint_eq(catalog.engine_count, 1);
    ck_assert_str_eq(catalog.engines[0].name, "Weiss");
    ck_assert_uint_eq(catalog.book_count, 1);
    ck_assert_str_eq(catalog.books[0].source, "https://books.example/x.zip");
    ck_assert_ptr_null(catalog.books[0].zip);
    ck_assert_int_eq(catalog.settings.client_version, 50);
    ck_assert(catalog.settings.use_cross_approval);
    ck_assert(!catalog.settings.require_login_to_view);
    text_free(&book);
    catalog_free(&catalog);
}
END_TEST

START_TEST(an_engine_of_a_kept_repository_comes_from_there) {
    Words repos = {0};
    Error err = {0};
    Catalog catalog;
    put("config/Engines/Weiss.json", ENGINE);
    words_add(&repos, "weiss");
    Sources *sources = sources_open(&(SourcesSpec){.data = folder, .repos = &repos}, &err);
    ck_assert_msg(sources != NULL, "%s", err.text);
    ck_assert_msg(open_catalog(NULL, sources, &catalog, &err), "%s", err.text);
    ck_assert_str_eq(catalog_engine(&catalog, "Weiss")->source, "/repo/weiss");
    cJSON *answer = catalog_engine_answer(catalog_engine(&catalog, "Weiss"), BASE);
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(answer, "source")->valuestring,
                     "http://127.0.0.1:8000/repo/weiss");
    cJSON_Delete(answer);
    catalog_free(&catalog);
    sources_free(sources);
    words_free(&repos);
}
END_TEST

/* A worker that registered for other builds has to register again. */
START_TEST(the_checksum_changes_with_a_build_alone) {
    put("config/Engines/Weiss.json", ENGINE);
    Catalog first = must_open(NULL);
    Text other = {0};
    text_add(&other, ENGINE);
    char *nps = strstr(other.data, "1090000");
    memcpy(nps, "2090000", strlen("2090000"));
    put("config/Engines/Weiss.json", text_string(&other));
    Catalog faster = must_open(NULL);
    ck_assert_str_eq(faster.checksum, first.checksum);
    memcpy(strstr(other.data, "POPCNT"), "SSE4A_", strlen("SSE4A_"));
    put("config/Engines/Weiss.json", text_string(&other));
    Catalog changed = must_open(NULL);
    ck_assert_str_ne(changed.checksum, first.checksum);
    text_free(&other);
    catalog_free(&first);
    catalog_free(&faster);
    catalog_free(&changed);
}
END_TEST

static const struct {
    const char *file, *text, *why;
} BAD_FILES[] = {
    {"config/config.json", "{", "config.json: "},
    {"config/config.json", "{\"client_version\": \"49\"}", "config.client_version: expected"},
    {"config/config.json", "{\"engines\": [\"Weiss\"]}",
     "config.json: config.engines: there is no Engines/Weiss.json"},
    {"config/config.json", "{\"engines\": [\"../x\"]}", "config.engines: an entry is not a name"},
    {"config/config.json", "{\"books\": [\"x.epd\"]}",
     "config.json: config.books: there is neither Books/x.epd.json nor"},
    {"config/Engines/A.json", "{}", "A.json: A.private is missing"},
    {"config/Engines/A.json",
     "{\"private\": false, \"nps\": 0, \"source\": \"x\", \"build\": {\"path\": \"\","
     " \"compilers\": [], \"cpuflags\": [], \"systems\": []}}",
     "A.nps: is not above 0"},
    {"config/Engines/A.json",
     "{\"private\": true, \"nps\": 1, \"source\": \"x\", \"build\": {\"path\": \"\","
     " \"compilers\": [], \"cpuflags\": [], \"systems\": []}}",
     "the engine A is private"},
    {"config/Engines/-A.json", ENGINE, "is not a valid name for an engine"},
    {"config/Books/x.epd.json", "{\"sha\": \"12\", \"source\": \"y\"}", "is not a SHA-256"},
};

START_TEST(a_faulty_file_is_named) {
    put(BAD_FILES[_i].file, BAD_FILES[_i].text);
    must_refuse(BAD_FILES[_i].why);
}
END_TEST

START_TEST(a_private_engine_has_its_token_in_a_file) {
    put("config/Engines/My Engine.json",
        "{\"private\": true, \"nps\": 1, \"source\": \"x\", \"build\": {\"path\": \"\","
        " \"compilers\": [], \"cpuflags\": [], \"systems\": []}}");
    put("config/credentials.myengine", "\nsecret\n");
    must_refuse("config/credentials.myengine: the first line is not a token");
    put("config/credentials.myengine", " secret \r\nmore\n");
    Catalog catalog = must_open(NULL);
    ck_assert_str_eq(catalog_engine(&catalog, "My Engine")->token, "secret");
    catalog_free(&catalog);
}
END_TEST

START_TEST(a_token_that_others_may_read_is_told) {
    static const mode_t MODES[] = {0600, 0644};
    put("config/Engines/Own.json",
        "{\"private\": true, \"nps\": 1, \"source\": \"x\", \"build\": {\"path\": \"\","
        " \"compilers\": [], \"cpuflags\": [], \"systems\": []}}");
    for (size_t i = 0; i < COUNT(MODES); i++) {
        Error err = {0};
        char path[2 * PATH_SIZE];
        char said[1024] = "";
        FILE *out = tmpfile();
        Log log;
        snprintf(path, sizeof path, "%s/config/credentials.own", folder);
        put_bytes(path, "secret", strlen("secret"), MODES[i]);
        log_init(&log, out, LOG_NORMAL);
        CatalogSpec spec = {.data = folder, .log = &log};
        Catalog catalog;
        ck_assert_msg(catalog_open(&spec, &catalog, &err), "%s", err.text);
        rewind(out);
        said[fread(said, 1, sizeof said - 1, out)] = '\0';
        bool told = strstr(said, "warning: others may read ") != NULL;
        ck_assert_msg(told == (MODES[i] != 0600), "mode %o: '%s'", (unsigned)MODES[i], said);
        log_free(&log);
        fclose(out);
        catalog_free(&catalog);
    }
}
END_TEST

/* ---- The recorded answers of an OpenBench server ---- */

static cJSON *recorded_answer(const char *name) {
    cJSON *recording = recording_load(name);
    const cJSON *response = cJSON_GetObjectItemCaseSensitive(recording, "response");
    cJSON *body = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(response, "body"), true);
    cJSON_Delete(recording);
    return body;
}

/* Writes the configuration that the recorded server had. */
static void put_recorded_configuration(void) {
    cJSON *engines = recorded_answer("38-api-buildinfo.json");
    cJSON *config = recorded_answer("36-api-config.json");
    const cJSON *books = cJSON_GetObjectItemCaseSensitive(config, "books");
    char *engine = cJSON_Print(cJSON_GetObjectItemCaseSensitive(engines, "Weiss"));
    char *book = cJSON_Print(cJSON_GetObjectItemCaseSensitive(books, "8moves_v3.epd"));
    put("config/config.json", "{\"engines\": [\"Weiss\"], \"books\": [\"8moves_v3.epd\"]}");
    put("config/Engines/Weiss.json", engine);
    put("config/Books/8moves_v3.epd.json", book);
    free(engine);
    free(book);
    cJSON_Delete(engines);
    cJSON_Delete(config);
}

START_TEST(the_answers_are_those_of_openbench) {
    if (!recordings_available()) {
        fprintf(stderr, "left out: the recordings are not on this machine\n");
        return;
    }
    put_recorded_configuration();
    Catalog catalog = must_open(NULL);
    const struct {
        const char *name;
        cJSON *answer;
    } ANSWERS[] = {
        {"38-api-buildinfo.json", catalog_engines_answer(&catalog, BASE)},
        {"37-api-config-engine.json",
         catalog_engine_answer(catalog_engine(&catalog, "Weiss"), BASE)},
        {"36-api-config.json", catalog_config_answer(&catalog, BASE)},
        {"01-build-info.json", catalog_build_answer(&catalog)},
    };
    for (size_t i = 0; i < COUNT(ANSWERS); i++) {
        cJSON *wanted = recorded_answer(ANSWERS[i].name);
        char *got = cJSON_Print(ANSWERS[i].answer);
        ck_assert_msg(cJSON_Compare(ANSWERS[i].answer, wanted, true), "%s: got %s", ANSWERS[i].name,
                      got);
        free(got);
        cJSON_Delete(wanted);
        cJSON_Delete(ANSWERS[i].answer);
    }
    catalog_free(&catalog);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_server_without_configuration_has_the_projects_engine_and_book);
    tcase_add_test(tests, a_book_is_handed_out_as_a_zip_with_the_digest_of_its_text);
    tcase_add_test(tests, a_zipped_book_of_the_folder_is_handed_out_like_a_plain_one);
    tcase_add_test(tests, a_file_that_looks_like_a_book_and_is_not_served_is_named);
    tcase_add_test(tests, a_setting_that_is_not_known_is_named_and_changes_nothing);
    tcase_add_test(tests, the_projects_book_is_unpacked_for_its_zip);
    tcase_add_test(tests, the_folder_of_an_openbench_server_is_read);
    tcase_add_test(tests, an_engine_of_a_kept_repository_comes_from_there);
    tcase_add_test(tests, the_checksum_changes_with_a_build_alone);
    tcase_add_loop_test(tests, a_faulty_file_is_named, 0, COUNT(BAD_FILES));
    tcase_add_test(tests, a_private_engine_has_its_token_in_a_file);
    tcase_add_test(tests, a_token_that_others_may_read_is_told);
    tcase_add_test(tests, the_answers_are_those_of_openbench);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("catalog", add_tests);
}
