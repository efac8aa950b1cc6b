/* SPDX-License-Identifier: MIT */
#include "serve/catalog.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/datadir.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "build/archive.h"
#include "openbench/testform.h"

enum { JSON_LIMIT = 1 << 20, TOKEN_LIMIT = 4096, NAME_MAX_LENGTH = 100 };
static const uint64_t BOOK_LIMIT = UINT64_C(1) << 29;

/* What every server has unless config.json says otherwise. */
static const char OWN_ENGINE[] = "Reductio";
static const char *const OWN_ENGINE_JSON[] = {
/* lines */
#include "serve/reductio_json.h"
};
static const char OWN_BOOK[] = "reductio.epd";
static const char OWN_BOOK_FILE[] = "openings/reductio.epd.gz";

/* What is read, and the two lists of config.json, NULL where config.json has none. */
typedef struct {
    const CatalogSpec *spec;
    Catalog *catalog;
    char *folder; /* The configuration's folder; NULL: there is none. */
    cJSON *config;
    const cJSON *engines, *books;
} Reader;

/* ---- Names and files ---- */

/* Can this name stand in a path, and in an address between two slashes? */
static bool is_name(const char *name) {
    return text_is_name(name, NAME_MAX_LENGTH, " ._+-");
}

static cJSON *read_json(const char *path, Error *err) {
    Text text = {0};
    cJSON *document = NULL;
    if (file_read(path, JSON_LIMIT, &text, err) &&
        !(document = json_parse(text_string(&text), text.length, err)))
        error_prefix(err, "%s", path);
    text_free(&text);
    return document;
}

/* Does config.json's list, when there is one, have the name? */
static bool is_listed(const cJSON *list, const char *name) {
    const cJSON *item;
    if (!list)
        return true;
    cJSON_ArrayForEach(item, list) {
        if (strcmp(item->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* ---- config.json ---- */

#define TEXT_SETTING(key)                                                                          \
    { #key, JSON_TEXT, JSON_OPTIONAL, offsetof(CatalogSettings, key) }
#define BOOL_SETTING(key)                                                                          \
    { #key, JSON_BOOL, JSON_OPTIONAL, offsetof(CatalogSettings, key) }
static const JsonField SETTINGS[] = {
    {"client_version", JSON_INT, JSON_OPTIONAL, offsetof(CatalogSettings, client_version)},
    TEXT_SETTING(client_repo_url),
    TEXT_SETTING(client_repo_ref),
    TEXT_SETTING(fastchess_min_version),
    TEXT_SETTING(fastchess_repo_url),
    TEXT_SETTING(fastchess_repo_ref),
    BOOL_SETTING(use_cross_approval),
    BOOL_SETTING(require_login_to_view),
    BOOL_SETTING(balance_engine_throughputs),
};

/* The values of OpenBench's public server, which its stock client expects. */
enum { CLIENT_VERSION = 49 };

static void set_default(char **text, const char *value) {
    if (!*text)
        *text = mem_strdup(value);
}

static void fill_settings(CatalogSettings *settings) {
    if (settings->client_version == 0)
        settings->client_version = CLIENT_VERSION;
    set_default(&settings->client_repo_url, "https://github.com/AndyGrant/OpenBench");
    set_default(&settings->client_repo_ref, "master");
    set_default(&settings->fastchess_min_version, "1.8.1");
    set_default(&settings->fastchess_repo_url, "https://github.com/AndyGrant/fastchess");
    set_default(&settings->fastchess_repo_ref, "master");
}

/* A list of names in config.json; *list stays NULL when there is none. */
static bool read_list(const cJSON *config, const char *key, const cJSON **list, Error *err) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(config, key);
    const cJSON *item;
    if (!found)
        return true;
    if (!cJSON_IsArray(found))
        return error_set(err, "config.%s: expected a list", key);
    cJSON_ArrayForEach(item, found) {
        if (!cJSON_IsString(item) || !is_name(item->valuestring))
            return error_set(err, "config.%s: an entry is not a name", key);
    }
    *list = found;
    return true;
}

/* Is this a member of config.json that means something here, or, for the last, on OpenBench alone?
 * Users of this server are always added by hand. */
static bool is_setting(const char *name) {
    static const char *const OTHERS[] = {"engines", "books", "require_manual_registration"};
    bool known = false;
    for (size_t i = 0; i < COUNT(SETTINGS); i++)
        known = known || strcmp(SETTINGS[i].key, name) == 0;
    for (size_t i = 0; i < COUNT(OTHERS); i++)
        known = known || strcmp(OTHERS[i], name) == 0;
    return known;
}

/* A misspelt require_login_to_view would leave the pages open to strangers in silence. */
static void warn_of_settings(const Reader *reader, const char *path) {
    const cJSON *item;
    cJSON_ArrayForEach(item, reader->config) {
        if (!is_setting(item->string))
            log_warn(reader->spec->log, "%s: the setting '%s' is not known and changes nothing",
                     path, item->string);
    }
}

static bool read_settings(Reader *reader, Error *err) {
    char *path = reader->folder ? text_format("%s/config.json", reader->folder) : NULL;
    bool ok = true;
    if (path && file_exists(path)) {
        reader->config = read_json(path, err);
        ok = reader->config && ((json_read(reader->config, "config", SETTINGS, COUNT(SETTINGS),
                                           &reader->catalog->settings, err) &&
                                 read_list(reader->config, "engines", &reader->engines, err) &&
                                 read_list(reader->config, "books", &reader->books, err)) ||
                                error_prefix(err, "%s", path));
        if (ok)
            warn_of_settings(reader, path);
    }
    fill_settings(&reader->catalog->settings);
    free(path);
    return ok;
}

/* ---- Engines ---- */

#define ENGINE_FIELD(key, type, member)                                                            \
    { key, type, JSON_REQUIRED, offsetof(CatalogEngine, member) }
static const JsonField ENGINE[] = {
    ENGINE_FIELD("private", JSON_BOOL, is_private),
    ENGINE_FIELD("nps", JSON_INT, nps),
    ENGINE_FIELD("source", JSON_TEXT, source),
};
static const JsonField BUILD[] = {
    ENGINE_FIELD("path", JSON_TEXT, build_path),
    ENGINE_FIELD("compilers", JSON_TEXT_LIST, compilers),
    ENGINE_FIELD("cpuflags", JSON_TEXT_LIST, cpuflags),
    ENGINE_FIELD("systems", JSON_TEXT_LIST, systems),
};

/* Each kind of presets needs one that is called "default". */
static void complete_presets(cJSON *document) {
    for (int kind = 0; kind < TESTFORM_KINDS; kind++) {
        const char *list = testform_names((TestFormKind)kind)->presets;
        cJSON *presets = cJSON_GetObjectItemCaseSensitive(document, list);
        if (!cJSON_IsObject(presets)) {
            cJSON_DeleteItemFromObjectCaseSensitive(document, list);
            presets = cJSON_AddObjectToObject(document, list);
        }
        if (!cJSON_GetObjectItemCaseSensitive(presets, "default"))
            cJSON_AddObjectToObject(presets, "default");
    }
}

/* The GitHub token of a private engine is the first line of credentials.NAME, without blanks around
 * it. */
static bool read_token(const Reader *reader, CatalogEngine *engine, Error *err) {
    Text path = {0};
    Text token = {0};
    if (!engine->is_private)
        return true;
    text_addf(&path, "%s/credentials.", reader->folder ? reader->folder : ".");
    for (const char *at = engine->name; *at; at++)
        if (*at != ' ')
            text_add_char(&path, (char)tolower((unsigned char)*at));
    const char *file = text_string(&path);
    bool ok = file_read(file, TOKEN_LIMIT, &token, err) ||
              error_prefix(err, "the engine %s is private", engine->name);
    if (ok) {
        const char *line = text_string(&token) + strspn(text_string(&token), " \t");
        engine->token = mem_strndup(line, strcspn(line, " \t\r\n"));
        ok = engine->token[0] != '\0' || error_set(err, "%s: the first line is not a token", file);
        mem_wipe(token.data, token.length);
    }
    if (ok)
        file_warn_of_readers(file, reader->spec->log);
    text_free(&path);
    text_free(&token);
    return ok;
}

/* Takes the document over. */
static bool add_engine(Reader *reader, const char *name, cJSON *document, Error *err) {
    Catalog *catalog = reader->catalog;
    catalog->engines =
        mem_resize(catalog->engines, catalog->engine_count + 1, sizeof *catalog->engines);
    CatalogEngine *engine = &catalog->engines[catalog->engine_count++];
    *engine = (CatalogEngine){.name = mem_strdup(name), .document = document};
    const cJSON *build = NULL;
    bool ok = json_read(document, name, ENGINE, COUNT(ENGINE), engine, err) &&
              (build = json_object(document, name, "build", err)) &&
              json_read(build, "build", BUILD, COUNT(BUILD), engine, err) &&
              (engine->nps > 0 || error_set(err, "%s.nps: is not above 0", name)) &&
              read_token(reader, engine, err);
    if (!ok)
        return false;
    complete_presets(document);
    const Sources *sources = reader->spec->sources;
    const char *kept = sources ? sources_kept(sources, engine->name) : NULL;
    if (kept) {
        Text source = {0};
        text_addf(&source, "/repo/%s", kept);
        free(engine->source);
        engine->source = text_take(&source);
    }
    return true;
}

static bool add_own_engine(Reader *reader, Error *err) {
    if (catalog_engine(reader->catalog, OWN_ENGINE) || !is_listed(reader->engines, OWN_ENGINE))
        return true;
    Text text = {0};
    for (size_t i = 0; i < COUNT(OWN_ENGINE_JSON); i++)
        text_add(&text, OWN_ENGINE_JSON[i]);
    cJSON *document = json_parse(text_string(&text), text.length, err);
    text_free(&text);
    return document && add_engine(reader, OWN_ENGINE, document, err);
}

static bool check_listed(const Reader *reader, Error *err) {
    const cJSON *item;
    cJSON_ArrayForEach(item, reader->engines) {
        if (!catalog_engine(reader->catalog, item->valuestring))
            return error_set(err, "%s/config.json: config.engines: there is no Engines/%s.json",
                             reader->folder, item->valuestring);
    }
    cJSON_ArrayForEach(item, reader->books) {
        if (!catalog_book(reader->catalog, item->valuestring))
            return error_set(err,
                             "%s/config.json: config.books: there is neither Books/%s.json nor a "
                             "file of this name in the folder of books",
                             reader->folder, item->valuestring);
    }
    return true;
}

/* Hands each file NAME.json of a folder of the configuration to `add`, which takes the document
 * over, where config.json's list, when there is one, has the name. what: the kind of file, in
 * words. */
static bool read_files(Reader *reader, const char *folder, const char *what, const cJSON *listed,
                       bool (*add)(Reader *reader, const char *name, cJSON *document, Error *err),
                       Error *err) {
    if (!reader->folder)
        return true;
    char *whole = text_format("%s/%s", reader->folder, folder);
    Words files = {0};
    bool ok = file_list(whole, &files, err) || errno == ENOENT;
    for (size_t i = 0; ok && i < files.count; i++) {
        const char *file = files.items[i];
        if (file[0] == '.' || !text_ends_with(file, ".json"))
            continue;
        char *name = mem_strndup(file, strlen(file) - strlen(".json"));
        char *path = text_format("%s/%s", whole, file);
        cJSON *document = NULL;
        if (!is_name(name))
            ok = error_set(
                err, "%s: is not a valid name for %s; allowed: letters, digits, blanks and ._+-",
                path, what);
        else if (is_listed(listed, name))
            ok = (document = read_json(path, err)) &&
                 (add(reader, name, document, err) || error_prefix(err, "%s", path));
        free(name);
        free(path);
    }
    words_free(&files);
    free(whole);
    return ok;
}

/* ---- Books ---- */

static CatalogBook *add_book(Catalog *catalog, const char *name) {
    catalog->books = mem_resize(catalog->books, catalog->book_count + 1, sizeof *catalog->books);
    CatalogBook *book = &catalog->books[catalog->book_count++];
    *book = (CatalogBook){.name = mem_strdup(name)};
    return book;
}

/* A book elsewhere. */
typedef struct {
    char *sha, *source;
} BookFile;
static const JsonField BOOK[] = {
    {"sha", JSON_TEXT, JSON_REQUIRED, offsetof(BookFile, sha)},
    {"source", JSON_TEXT, JSON_REQUIRED, offsetof(BookFile, source)},
};

/* Takes the document over. */
static bool add_listed_book(Reader *reader, const char *name, cJSON *document, Error *err) {
    BookFile read = {0};
    bool ok = json_read(document, name, BOOK, COUNT(BOOK), &read, err) &&
              (text_is_hex(read.sha, DIGEST_HEX_MAX - 1, DIGEST_HEX_MAX - 1) ||
               error_set(err, "%s.sha: is not a SHA-256 of 64 hexadecimal digits", name));
    if (ok) {
        CatalogBook *book = add_book(reader->catalog, name);
        snprintf(book->sha, sizeof book->sha, "%s", read.sha);
        book->source = mem_strdup(read.source);
    }
    json_free_fields(BOOK, COUNT(BOOK), &read);
    cJSON_Delete(document);
    return ok;
}

/* A book that is kept here: its text is put into a zip whose name has its digest, so a changed book
 * gets a new zip. */
static bool keep_book(Reader *reader, const char *name, const char *path, Error *err) {
    Text text = {0};
    Text zip = {0};
    Text source = {0};
    char sha[DIGEST_HEX_MAX];
    bool zipped = text_ends_with(path, ".zip");
    bool ok = (zipped ? archive_read_single(path, BOOK_LIMIT, &text, err)
                      : archive_read_text(path, BOOK_LIMIT, &text, err)) &&
              digest_text(text_string(&text), text.length, sha, err);
    if (ok) {
        text_addf(&zip, "%s/books/%s-%s.zip", reader->spec->data, name, sha);
        ok = file_exists(text_string(&zip)) ||
             archive_write_single(text_string(&zip), name, text_string(&text), text.length, err);
    }
    if (ok) {
        CatalogBook *book = add_book(reader->catalog, name);
        text_add(&source, "/book/");
        for (const char *at = name; *at; at++)
            text_add(&source, *at == ' ' ? "%20" : (char[]){*at, '\0'});
        text_add(&source, ".zip");
        snprintf(book->sha, sizeof book->sha, "%s", sha);
        book->source = text_take(&source);
        book->zip = text_take(&zip);
    }
    text_free(&text);
    text_free(&zip);
    return ok;
}

/* Could a person take the file for a book, by a name such as "UHO.EPD" or "uho.epd.xz"? */
static bool looks_like_book(const char *file, bool packed) {
    return file[0] != '.' && (packed || strcasestr(file, ".epd") || strcasestr(file, ".pgn"));
}

/* The texts of the folder of books; a book of this name in the configuration goes before them. */
static bool read_books(Reader *reader, Error *err) {
    const char *folder = reader->spec->books;
    Words files = {0};
    bool ok = !folder || file_list(folder, &files, NULL) ||
              error_set(err, "--books %s: %s", folder, strerror(errno));
    for (size_t i = 0; ok && i < files.count; i++) {
        const char *file = files.items[i];
        size_t packed = text_ends_with(file, ".gz")    ? strlen(".gz")
                        : text_ends_with(file, ".zip") ? strlen(".zip")
                                                       : 0;
        char *name = mem_strndup(file, strlen(file) - packed);
        char *path = text_format("%s/%s", folder, file);
        bool is_text = text_ends_with(name, ".epd") || text_ends_with(name, ".pgn");
        if (is_text && is_name(name)) {
            if (is_listed(reader->books, name) && !catalog_book(reader->catalog, name))
                ok = keep_book(reader, name, path, err);
        } else if (looks_like_book(file, packed > 0)) {
            log_warn(reader->spec->log,
                     "%s: is no book's name, so the file is not served; a book is called NAME.epd "
                     "or NAME.pgn, with .gz or .zip behind it when packed; NAME has letters, "
                     "digits, blanks and ._+-",
                     path);
        }
        free(name);
        free(path);
    }
    words_free(&files);
    return ok;
}

static bool add_own_book(Reader *reader, Error *err) {
    if (catalog_book(reader->catalog, OWN_BOOK) || !is_listed(reader->books, OWN_BOOK))
        return true;
    char *path = datadir_find(OWN_BOOK_FILE, err);
    bool ok = path && keep_book(reader, OWN_BOOK, path, err);
    free(path);
    return ok;
}

/* The presets of this project's engine name a book of the public servers. Where that book is not
 * served, they name the project's own. */
static void give_own_book(Catalog *catalog) {
    const CatalogEngine *engine = catalog_engine(catalog, OWN_ENGINE);
    if (!engine || !catalog_book(catalog, OWN_BOOK))
        return;
    for (int kind = 0; kind < TESTFORM_KINDS; kind++) {
        const char *list = testform_names((TestFormKind)kind)->presets;
        cJSON *preset;
        cJSON_ArrayForEach(preset, cJSON_GetObjectItemCaseSensitive(engine->document, list)) {
            cJSON *book = cJSON_GetObjectItemCaseSensitive(preset, "book_name");
            if (cJSON_IsString(book) && !catalog_book(catalog, book->valuestring))
                cJSON_SetValuestring(book, OWN_BOOK);
        }
    }
}

/* ---- All of it ---- */

static bool make_checksum(Catalog *catalog, Error *err) {
    Text text = {0};
    json_take(catalog_build_answer(catalog), &text);
    bool ok = digest_bytes(text_string(&text), text.length, catalog->checksum, err);
    text_free(&text);
    return ok;
}

/* The folder of the configuration: the one that was asked for, which must exist, or the data
 * folder's, which may be missing. */
static bool find_folder(Reader *reader, Error *err) {
    const CatalogSpec *spec = reader->spec;
    char *folder = spec->folder ? mem_strdup(spec->folder) : text_format("%s/config", spec->data);
    if (access(folder, R_OK | X_OK) == 0) {
        reader->folder = folder;
        return true;
    }
    int cause = errno;
    bool ok = (!spec->folder && cause == ENOENT) ||
              error_set(err, "the configuration %s: %s", folder, strerror(cause));
    free(folder);
    return ok;
}

bool catalog_open(const CatalogSpec *spec, Catalog *catalog, Error *err) {
    *catalog = (Catalog){0};
    Reader reader = {.spec = spec, .catalog = catalog};
    char *books = text_format("%s/books", spec->data);
    bool ok = file_make_folders(books, err) && find_folder(&reader, err) &&
              read_settings(&reader, err) &&
              read_files(&reader, "Engines", "an engine", reader.engines, add_engine, err) &&
              add_own_engine(&reader, err) &&
              read_files(&reader, "Books", "a book", reader.books, add_listed_book, err) &&
              read_books(&reader, err) && add_own_book(&reader, err) &&
              check_listed(&reader, err) && make_checksum(catalog, err);
    if (ok)
        give_own_book(catalog);
    else
        catalog_free(catalog);
    cJSON_Delete(reader.config);
    free(reader.folder);
    free(books);
    return ok;
}

void catalog_free(Catalog *catalog) {
    json_free_fields(SETTINGS, COUNT(SETTINGS), &catalog->settings);
    for (size_t i = 0; i < catalog->engine_count; i++) {
        CatalogEngine *engine = &catalog->engines[i];
        json_free_fields(ENGINE, COUNT(ENGINE), engine);
        json_free_fields(BUILD, COUNT(BUILD), engine);
        free(engine->name);
        free(engine->token);
        cJSON_Delete(engine->document);
    }
    for (size_t i = 0; i < catalog->book_count; i++) {
        free(catalog->books[i].name);
        free(catalog->books[i].source);
        free(catalog->books[i].zip);
    }
    free(catalog->engines);
    free(catalog->books);
    *catalog = (Catalog){0};
}

const CatalogEngine *catalog_engine(const Catalog *catalog, const char *name) {
    for (size_t i = 0; i < catalog->engine_count; i++)
        if (strcmp(catalog->engines[i].name, name) == 0)
            return &catalog->engines[i];
    return NULL;
}

const CatalogBook *catalog_book(const Catalog *catalog, const char *name) {
    for (size_t i = 0; i < catalog->book_count; i++)
        if (strcmp(catalog->books[i].name, name) == 0)
            return &catalog->books[i];
    return NULL;
}

/* ---- Answers ---- */

char *catalog_address(const char *base, const char *source) {
    return text_format("%s%s", source[0] == '/' ? base : "", source);
}

static void add_source(cJSON *object, const char *base, const char *source) {
    char *address = catalog_address(base, source);
    cJSON_DeleteItemFromObjectCaseSensitive(object, "source");
    cJSON_AddStringToObject(object, "source", address);
    free(address);
}

cJSON *catalog_config_answer(const Catalog *catalog, const char *base) {
    cJSON *answer = cJSON_CreateObject();
    cJSON *engines = cJSON_AddArrayToObject(answer, "engines");
    cJSON *books = cJSON_AddObjectToObject(answer, "books");
    for (size_t i = 0; i < catalog->engine_count; i++)
        cJSON_AddItemToArray(engines, cJSON_CreateString(catalog->engines[i].name));
    for (size_t i = 0; i < catalog->book_count; i++) {
        cJSON *book = cJSON_AddObjectToObject(books, catalog->books[i].name);
        cJSON_AddStringToObject(book, "sha", catalog->books[i].sha);
        add_source(book, base, catalog->books[i].source);
    }
    return answer;
}

cJSON *catalog_engine_answer(const CatalogEngine *engine, const char *base) {
    cJSON *answer = cJSON_Duplicate(engine->document, true);
    add_source(answer, base, engine->source);
    return answer;
}

cJSON *catalog_engines_answer(const Catalog *catalog, const char *base) {
    cJSON *answer = cJSON_CreateObject();
    for (size_t i = 0; i < catalog->engine_count; i++)
        cJSON_AddItemToObject(answer, catalog->engines[i].name,
                              catalog_engine_answer(&catalog->engines[i], base));
    return answer;
}

cJSON *catalog_build_answer(const Catalog *catalog) {
    cJSON *answer = cJSON_CreateObject();
    for (size_t i = 0; i < catalog->engine_count; i++) {
        const CatalogEngine *engine = &catalog->engines[i];
        cJSON *build =
            cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(engine->document, "build"), true);
        cJSON_AddBoolToObject(build, "private", engine->is_private);
        cJSON_AddItemToObject(answer, engine->name, build);
    }
    return answer;
}
