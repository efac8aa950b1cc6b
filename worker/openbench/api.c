/* SPDX-License-Identifier: MIT */
#include "openbench/api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "stats/bounds.h"

/* The file name of the games in an upload. */
static const char PGN_FILE_NAME[] = "games.pgn";

enum {
    NOT_FOUND = 404,
    TOO_MANY = 429,
    FIRST_SERVER_ERROR = 500,
    NUMBER_MAX = 32,
    SERVER_WORDS_MAX = 300
};

/* ---- Versions ---- */

/* The supported versions of the client protocol. A version is added when its exchanges are
 * recorded, or compared with the recorded ones. */
static const int64_t spoken[] = {49};

bool api_speaks(int64_t client_version) {
    for (size_t i = 0; i < COUNT(spoken); i++)
        if (spoken[i] == client_version)
            return true;
    return false;
}

void api_spoken(Text *out) {
    for (size_t i = 0; i < COUNT(spoken); i++)
        text_addf(out, "%s%" PRId64, i ? ", " : "", spoken[i]);
}

/* ---- Requests ---- */

typedef enum { AUTH_NONE, AUTH_USER, AUTH_MACHINE } Auth;

typedef enum {
    FORM_TEXT,     /* const char *; NULL: the field is omitted */
    FORM_INT,      /* int64_t */
    FORM_INTS3,    /* int64_t[3], with spaces between */
    FORM_INTS5,    /* int64_t[5], with spaces between */
    FORM_EACH_INT, /* IntList: the field is repeated for each number */
    FORM_FILE,     /* const char *, a path: the first field of a multipart form */
} FormType;

typedef struct {
    const char *name;
    FormType type;
    size_t offset;
} FormField;

typedef struct {
    const char *path;
    Auth auth;
    const FormField *fields;
    size_t field_count;
} Endpoint;

/* A form being filled: as urlencoded text, or as multipart parts. */
typedef struct {
    Text text;
    HttpParts parts;
    bool multipart;
} Form;

static void add_text(Form *form, const char *name, const char *value) {
    if (form->multipart)
        http_part_add(&form->parts, name, value, NULL);
    else
        http_form_add(&form->text, name, value);
}

static void add_int(Form *form, const char *name, int64_t value) {
    char number[NUMBER_MAX];
    snprintf(number, sizeof number, "%" PRId64, value);
    add_text(form, name, number);
}

static void add_ints(Form *form, const char *name, const int64_t *values, size_t count) {
    Text words = {0};
    for (size_t i = 0; i < count; i++)
        text_addf(&words, "%s%" PRId64, i ? " " : "", values[i]);
    add_text(form, name, text_string(&words));
    text_free(&words);
}

static void add_field(Form *form, const FormField *field, const void *data) {
    const void *slot = (const char *)data + field->offset;
    switch (field->type) {
    case FORM_TEXT:
        if (*(const char *const *)slot)
            add_text(form, field->name, *(const char *const *)slot);
        break;
    case FORM_FILE:
        http_part_add(&form->parts, field->name, *(const char *const *)slot, PGN_FILE_NAME);
        break;
    case FORM_INT:
        add_int(form, field->name, *(const int64_t *)slot);
        break;
    case FORM_INTS3:
        add_ints(form, field->name, slot, 3);
        break;
    case FORM_INTS5:
        add_ints(form, field->name, slot, 5);
        break;
    case FORM_EACH_INT: {
        const IntList *list = slot;
        for (size_t i = 0; i < list->count; i++)
            add_int(form, field->name, list->items[i]);
        break;
    }
    }
}

static char *join_url(const ApiAccount *account, const char *path) {
    return text_format("%s%s", account->base_url, path);
}

static void compose(const ApiAccount *account, const Endpoint *endpoint, const void *data,
                    HttpRequest *request) {
    *request = (HttpRequest){.url = join_url(account, endpoint->path)};
    if (endpoint->auth == AUTH_NONE)
        return;
    Form form = {.multipart = endpoint->field_count && endpoint->fields[0].type == FORM_FILE};
    if (endpoint->auth == AUTH_USER) {
        add_text(&form, "username", account->username);
        add_text(&form, "password", account->password);
    } else {
        add_int(&form, "machine_id", account->machine_id);
        add_text(&form, "secret", account->secret ? account->secret : "");
    }
    for (size_t i = 0; i < endpoint->field_count; i++)
        add_field(&form, &endpoint->fields[i], data);
    request->parts = form.parts;
    request->form = form.multipart ? NULL : text_take(&form.text);
}

void api_client_version(const ApiAccount *account, HttpRequest *request) {
    static const Endpoint endpoint = {"clientVersionRef/", AUTH_USER, NULL, 0};
    compose(account, &endpoint, NULL, request);
}

void api_runner_version(const ApiAccount *account, HttpRequest *request) {
    static const Endpoint endpoint = {"clientMatchRunnerVersionRef/", AUTH_USER, NULL, 0};
    compose(account, &endpoint, NULL, request);
}

void api_build_info(const ApiAccount *account, HttpRequest *request) {
    static const Endpoint endpoint = {"clientGetBuildInfo/", AUTH_NONE, NULL, 0};
    compose(account, &endpoint, NULL, request);
}

void api_worker_info(const ApiAccount *account, const char *system_info, HttpRequest *request) {
    static const FormField fields[] = {{"system_info", FORM_TEXT, 0}};
    static const Endpoint endpoint = {"clientWorkerInfo/", AUTH_USER, fields, COUNT(fields)};
    compose(account, &endpoint, &system_info, request);
}

void api_get_workload(const ApiAccount *account, const IntList *blacklist, HttpRequest *request) {
    static const FormField fields[] = {{"blacklist", FORM_EACH_INT, 0}};
    static const Endpoint endpoint = {"clientGetWorkload/", AUTH_MACHINE, fields, COUNT(fields)};
    compose(account, &endpoint, blacklist, request);
}

void api_submit_nps(const ApiAccount *account, const ApiNps *nps, HttpRequest *request) {
    static const FormField fields[] = {
        {"nps", FORM_INT, offsetof(ApiNps, nps)},
        {"dev_nps", FORM_INT, offsetof(ApiNps, dev_nps)},
        {"base_nps", FORM_INT, offsetof(ApiNps, base_nps)},
    };
    static const Endpoint endpoint = {"clientSubmitNPS/", AUTH_MACHINE, fields, COUNT(fields)};
    compose(account, &endpoint, nps, request);
}

void api_submit_results(const ApiAccount *account, const ApiResults *results,
                        HttpRequest *request) {
    _Static_assert(offsetof(ApiResults, wins) == offsetof(ApiResults, losses) + 2 * sizeof(int64_t),
                   "the trinomial is three numbers in a row");
    static const FormField fields[] = {
        {"test_id", FORM_INT, offsetof(ApiResults, test_id)},
        {"result_id", FORM_INT, offsetof(ApiResults, result_id)},
        {"trinomial", FORM_INTS3, offsetof(ApiResults, losses)},
        {"pentanomial", FORM_INTS5, offsetof(ApiResults, penta)},
        {"crashes", FORM_INT, offsetof(ApiResults, crashes)},
        {"timelosses", FORM_INT, offsetof(ApiResults, timelosses)},
        {"illegals", FORM_INT, offsetof(ApiResults, illegals)},
        {"spsa_delta", FORM_TEXT, offsetof(ApiResults, spsa_delta)},
        {"batch", FORM_TEXT, offsetof(ApiResults, batch)},
    };
    static const Endpoint endpoint = {"clientSubmitResults/", AUTH_MACHINE, fields, COUNT(fields)};
    compose(account, &endpoint, results, request);
}

void api_heartbeat(const ApiAccount *account, int64_t test_id, HttpRequest *request) {
    static const FormField fields[] = {{"test_id", FORM_INT, 0}};
    static const Endpoint endpoint = {"clientHeartbeat/", AUTH_MACHINE, fields, COUNT(fields)};
    compose(account, &endpoint, &test_id, request);
}

static const FormField fault_fields[] = {
    {"test_id", FORM_INT, offsetof(ApiFault, test_id)},
    {"error", FORM_TEXT, offsetof(ApiFault, error)},
    {"logs", FORM_TEXT, offsetof(ApiFault, logs)},
};

void api_bench_error(const ApiAccount *account, const ApiFault *fault, HttpRequest *request) {
    static const Endpoint endpoint = {"clientBenchError/", AUTH_MACHINE, fault_fields,
                                      COUNT(fault_fields)};
    compose(account, &endpoint, fault, request);
}

void api_submit_error(const ApiAccount *account, const ApiFault *fault, HttpRequest *request) {
    static const Endpoint endpoint = {"clientSubmitError/", AUTH_MACHINE, fault_fields,
                                      COUNT(fault_fields)};
    compose(account, &endpoint, fault, request);
}

void api_submit_pgn(const ApiAccount *account, const ApiPgn *pgn, HttpRequest *request) {
    static const FormField fields[] = {
        {"file", FORM_FILE, offsetof(ApiPgn, file)},
        {"test_id", FORM_INT, offsetof(ApiPgn, test_id)},
        {"result_id", FORM_INT, offsetof(ApiPgn, result_id)},
        {"book_index", FORM_INT, offsetof(ApiPgn, book_index)},
    };
    static const Endpoint endpoint = {"clientSubmitPGN/", AUTH_MACHINE, fields, COUNT(fields)};
    compose(account, &endpoint, pgn, request);
    request->timeout_ms = HTTP_UPLOAD_TIMEOUT_MS;
}

/* Composes the request for a page for people. The server may show the page only after a login. */
static void compose_page(const ApiAccount *account, const char *path, HttpRequest *request) {
    const Endpoint endpoint = {path, account->username ? AUTH_USER : AUTH_NONE, NULL, 0};
    compose(account, &endpoint, NULL, request);
}

static void compose_about_test(const ApiAccount *account, const char *kind, int64_t test_id,
                               const char *page, HttpRequest *request) {
    char path[NUMBER_MAX + 32];
    snprintf(path, sizeof path, "api/%s/%" PRId64 "/%s/", kind, test_id, page);
    compose_page(account, path, request);
}

void api_config(const ApiAccount *account, HttpRequest *request) {
    compose_page(account, "api/config/", request);
}

void api_all_configs(const ApiAccount *account, HttpRequest *request) {
    compose_page(account, "api/buildinfo/", request);
}

void api_test_info(const ApiAccount *account, int64_t test_id, HttpRequest *request) {
    compose_about_test(account, "workload", test_id, "info", request);
}

void api_test_results(const ApiAccount *account, int64_t test_id, HttpRequest *request) {
    compose_about_test(account, "workload", test_id, "results", request);
}

void api_spsa_digest(const ApiAccount *account, int64_t test_id, HttpRequest *request) {
    compose_about_test(account, "spsa", test_id, "digest", request);
}

void api_test_summary(const ApiAccount *account, int64_t test_id, HttpRequest *request) {
    compose_about_test(account, "workload", test_id, "summary", request);
}

void api_config_engine(const ApiAccount *account, const char *engine, HttpRequest *request) {
    Text path = {0};
    text_add(&path, "api/config/");
    text_add_percent(&path, engine, strlen(engine));
    text_add_char(&path, '/');
    compose_page(account, text_string(&path), request);
    text_free(&path);
}

/* network NULL: the list of the engine's networks. */
static void compose_networks(const ApiAccount *account, const char *engine, const char *network,
                             HttpRequest *request) {
    Text path = {0};
    text_add(&path, "api/networks/");
    text_add_percent(&path, engine, strlen(engine));
    text_add_char(&path, '/');
    if (network) {
        text_add_percent(&path, network, strlen(network));
        text_add_char(&path, '/');
    }
    const Endpoint endpoint = {text_string(&path), AUTH_USER, NULL, 0};
    compose(account, &endpoint, NULL, request);
    text_free(&path);
}

void api_network(const ApiAccount *account, const char *engine, const char *network,
                 HttpRequest *request) {
    compose_networks(account, engine, network, request);
}

void api_networks(const ApiAccount *account, const char *engine, HttpRequest *request) {
    compose_networks(account, engine, NULL, request);
}

/* ---- Answers ---- */

static const char NO_WORDS[] = "an error without words";

/* The beginning of the error about a wrong version of the protocol. */
static const char VERSION_PREFIX[] = "Bad Client Version";

static void judge_error(const char *words, ApiAnswer *answer) {
    static const struct {
        const char *words;
        ApiVerdict verdict;
    } stale[] = {{"Bad Machine Id", API_UNKNOWN_MACHINE},
                 {"Invalid Secret Token", API_REGISTER},
                 {"Server Configuration Changed", API_REGISTER}};
    static const char expected[] = "Expected ";
    bool silent = words[strspn(words, " \t\r\n")] == '\0';
    error_set(&answer->error, "%.*s", SERVER_WORDS_MAX, silent ? NO_WORDS : words);
    answer->verdict = API_REFUSED;
    if (!text_starts_with(words, VERSION_PREFIX))
        return;
    for (size_t i = 0; i < COUNT(stale); i++)
        if (strstr(words, stale[i].words))
            answer->verdict = stale[i].verdict;
    const char *number = strstr(words, expected);
    if (answer->verdict == API_REFUSED && number) {
        answer->verdict = API_WRONG_VERSION;
        answer->expected_version = strtoll(number + sizeof expected - 1, NULL, 10);
    }
}

/* Judges an object that may hold an error, in the usual shape or as {"error": ["..."]}. */
static void judge_object(ApiAnswer *answer) {
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(answer->json, "error");
    if (!error) {
        answer->verdict = API_OK;
        return;
    }
    if (cJSON_IsArray(error))
        error = cJSON_GetArrayItem(error, 0);
    if (cJSON_IsString(error) && error->valuestring) {
        judge_error(error->valuestring, answer);
    } else {
        answer->verdict = API_REFUSED;
        error_set(&answer->error, "%s", NO_WORDS);
    }
}

/* False: the transfer failed, and the verdict is set. */
static bool judge_transfer(const HttpResponse *response, ApiAnswer *answer) {
    *answer = (ApiAnswer){.verdict = API_RETRY};
    if (response->outcome == HTTP_REFUSED)
        answer->verdict = API_REFUSED;
    if (response->outcome != HTTP_DONE) {
        answer->error = response->error;
        return false;
    }
    if (response->status == TOO_MANY) {
        const char *words = text_string(&response->body);
        size_t length = strcspn(words, "\r\n");
        return error_set(&answer->error, "the server answers with HTTP status %d%s%.*s", TOO_MANY,
                         length > 0 ? ": " : "",
                         length < SERVER_WORDS_MAX ? (int)length : SERVER_WORDS_MAX, words);
    }
    return response->status < FIRST_SERVER_ERROR ||
           error_set(&answer->error, "the server answers with HTTP status %d", response->status);
}

/* A good answer also needs HTTP status 200. */
static void judge_status(const HttpResponse *response, ApiAnswer *answer) {
    if (answer->verdict != API_OK || response->status == HTTP_OK)
        return;
    answer->verdict = API_RETRY;
    error_set(&answer->error, "the server answers with HTTP status %d", response->status);
}

void api_judge(const HttpResponse *response, ApiAnswer *answer) {
    if (!judge_transfer(response, answer))
        return;
    answer->json = json_parse(text_string(&response->body), response->body.length, &answer->error);
    if (!answer->json && response->status == NOT_FOUND) {
        error_set(&answer->error,
                  "the server does not know this request (HTTP status %d): --server is the address "
                  "of an OpenBench server, without a page's path such as /index/",
                  response->status);
        return;
    }
    if (!answer->json) {
        error_prefix(&answer->error, "the server's answer (HTTP status %d)", response->status);
        return;
    }
    if (!cJSON_IsObject(answer->json))
        error_set(&answer->error, "the server's answer is not a JSON object");
    else
        judge_object(answer);
    judge_status(response, answer);
}

void api_judge_text(const HttpResponse *response, ApiAnswer *answer) {
    if (!judge_transfer(response, answer))
        return;
    answer->verdict = API_OK;
    judge_status(response, answer);
}

void api_answer_free(ApiAnswer *answer) {
    cJSON_Delete(answer->json);
    *answer = (ApiAnswer){0};
}

bool api_read_client_version(const ApiAnswer *answer, int64_t *version, Error *err) {
    static const JsonField fields[] = {{"client_version", JSON_INT, JSON_REQUIRED, 0}};
    return json_read(answer->json, "answer", fields, COUNT(fields), version, err);
}

bool api_read_runner_version(const ApiAnswer *answer, char **version, Error *err) {
    static const JsonField fields[] = {{"fastchess_min_version", JSON_TEXT, JSON_REQUIRED, 0}};
    *version = NULL;
    return json_read(answer->json, "answer", fields, COUNT(fields), version, err);
}

bool api_knows_batches(const ApiAnswer *answer) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer->json, "batches"));
}

bool api_read_registration(const ApiAnswer *answer, int64_t *machine_id, char **secret,
                           Error *err) {
    typedef struct {
        int64_t machine_id;
        char *secret;
    } Registration;
    static const JsonField fields[] = {
        {"machine_id", JSON_INT, JSON_REQUIRED, offsetof(Registration, machine_id)},
        {"secret", JSON_TEXT, JSON_REQUIRED, offsetof(Registration, secret)},
    };
    Registration registration = {0};
    if (!json_read(answer->json, "answer", fields, COUNT(fields), &registration, err)) {
        json_free_fields(fields, COUNT(fields), &registration);
        return false;
    }
    *machine_id = registration.machine_id;
    *secret = registration.secret;
    return true;
}

bool api_read_row(const cJSON *row, int64_t *machine_id, Penta *penta, Error *err) {
    typedef struct {
        int64_t machine;
        Penta penta;
    } Row;
    static const JsonField fields[] = {
        {"machine__id", JSON_INT, JSON_REQUIRED, offsetof(Row, machine)},
        {"LL", JSON_INT, JSON_REQUIRED, offsetof(Row, penta.n[0])},
        {"LD", JSON_INT, JSON_REQUIRED, offsetof(Row, penta.n[1])},
        {"DD", JSON_INT, JSON_REQUIRED, offsetof(Row, penta.n[2])},
        {"DW", JSON_INT, JSON_REQUIRED, offsetof(Row, penta.n[3])},
        {"WW", JSON_INT, JSON_REQUIRED, offsetof(Row, penta.n[4])},
    };
    Row found = {0};
    if (!json_read(row, "answer.results", fields, COUNT(fields), &found, err) ||
        !counts_are_sound(found.penta.n, PENTA_CELLS, "answer.results", err))
        return false;
    *machine_id = found.machine;
    *penta = found.penta;
    return true;
}

bool api_read_test_results(const ApiAnswer *answer, int64_t machine_id, ApiTestCounts *counts,
                           Error *err) {
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(answer->json, "results");
    if (!cJSON_IsArray(rows))
        return error_set(err, "answer.results: expected a list");
    *counts = (ApiTestCounts){0};
    const cJSON *item;
    cJSON_ArrayForEach(item, rows) {
        int64_t machine;
        Penta penta;
        if (!api_read_row(item, &machine, &penta, err))
            return false;
        penta_add(machine == machine_id ? &counts->own : &counts->others, &penta);
    }
    return true;
}

/* Reads a test's list of `count` counts. */
static bool read_counts(const ApiAnswer *answer, const char *key, size_t count, int64_t *out,
                        Error *err) {
    IntList list = {0};
    const JsonField field = {key, JSON_INT_LIST, JSON_REQUIRED, 0};
    const cJSON *info = json_object(answer->json, "answer", "info", err);
    bool ok = info && json_read(info, "answer.info", &field, 1, &list, err);
    if (ok && list.count != count)
        ok = error_set(err, "answer.info.%s: expected %zu numbers, found %zu", key, count,
                       list.count);
    ok = ok && counts_are_sound(list.items, count, "answer.info", err);
    if (ok)
        memcpy(out, list.items, count * sizeof *out);
    json_free_fields(&field, 1, &list);
    return ok;
}

bool api_read_test_pairs(const ApiAnswer *answer, Penta *penta, Error *err) {
    return read_counts(answer, "penta", PENTA_CELLS, penta->n, err);
}

bool api_read_test_games(const ApiAnswer *answer, Tally *tally, Error *err) {
    int64_t tri[TRI_CELLS] = {0};
    bool ok = read_counts(answer, "tri", TRI_CELLS, tri, err);
    tally->losses = tri[0];
    tally->draws = tri[1];
    tally->wins = tri[2];
    return ok;
}

bool api_read_config(const ApiAnswer *answer, ApiServerConfig *config, Error *err) {
    static const JsonField fields[] = {
        {"engines", JSON_TEXT_LIST, JSON_REQUIRED, offsetof(ApiServerConfig, engines)}};
    *config = (ApiServerConfig){0};
    const cJSON *books = json_object(answer->json, "answer", "books", err);
    if (!books || !json_read(answer->json, "answer", fields, COUNT(fields), config, err))
        return false;
    const cJSON *book;
    cJSON_ArrayForEach(book, books) words_add(&config->books, book->string ? book->string : "");
    return true;
}

void api_config_free(ApiServerConfig *config) {
    words_free(&config->engines);
    words_free(&config->books);
}

bool api_read_networks(const ApiAnswer *answer, ApiNetworks *networks, Error *err) {
    static const JsonField fields[] = {
        {"name", JSON_TEXT, JSON_REQUIRED, offsetof(ApiNetwork, name)},
        {"sha256", JSON_TEXT, JSON_REQUIRED, offsetof(ApiNetwork, sha256)}};
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(answer->json, "networks");
    const cJSON *item;
    *networks = (ApiNetworks){0};
    if (!cJSON_IsArray(list))
        return error_set(err, "answer.networks: expected a list");
    cJSON_ArrayForEach(item, list) {
        ApiNetwork network = {0};
        if (!json_read(item, "answer.networks", fields, COUNT(fields), &network, err)) {
            json_free_fields(fields, COUNT(fields), &network);
            return false;
        }
        MEM_ADD(networks->items, networks->count, networks->capacity, network);
    }
    return true;
}

void api_networks_free(ApiNetworks *networks) {
    for (size_t i = 0; i < networks->count; i++) {
        free(networks->items[i].name);
        free(networks->items[i].sha256);
    }
    free(networks->items);
    *networks = (ApiNetworks){0};
}

bool api_read_test_info(const ApiAnswer *answer, ApiTestInfo *info, Error *err) {
    typedef struct {
        ApiTestInfo info;
        char *mode;
    } Read;
    static const JsonField fields[] = {
        {"games", JSON_INT, JSON_REQUIRED, offsetof(Read, info.games)},
        {"currentllr", JSON_REAL, JSON_REQUIRED, offsetof(Read, info.llr)},
        {"lowerllr", JSON_REAL, JSON_REQUIRED, offsetof(Read, info.llr_lower)},
        {"upperllr", JSON_REAL, JSON_REQUIRED, offsetof(Read, info.llr_upper)},
        {"test_mode", JSON_TEXT, JSON_REQUIRED, offsetof(Read, mode)},
    };
    Read read = {0};
    const cJSON *object = json_object(answer->json, "answer", "info", err);
    bool ok = object && json_read(object, "answer.info", fields, COUNT(fields), &read, err);
    if (ok) {
        *info = read.info;
        info->sprt = strcmp(read.mode, "SPRT") == 0;
    }
    json_free_fields(fields, COUNT(fields), &read);
    return ok;
}

/* The member's text; "": there is none. */
static const char *text_member(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

void api_read_test_names(const ApiAnswer *answer, ApiTestNames *names) {
    const cJSON *info = cJSON_GetObjectItemCaseSensitive(answer->json, "info");
    names->mode = text_member(info, "test_mode");
    names->dev = text_member(cJSON_GetObjectItemCaseSensitive(info, "dev"), "name");
    names->base = text_member(cJSON_GetObjectItemCaseSensitive(info, "base"), "name");
}

bool api_is_receipt(const ApiAnswer *answer) {
    return !answer->json->child ||
           cJSON_IsBool(cJSON_GetObjectItemCaseSensitive(answer->json, "stop"));
}

bool api_read_stop(const ApiAnswer *answer) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer->json, "stop"));
}
