/* SPDX-License-Identifier: MIT */
#include "submit/testserver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "openbench/engineconfig.h"
#include "openbench/http.h"
#include "submit/form.h"

enum { LOOK_MAX = 25 }; /* Workloads to look at, of a page's links. */

/* Sends a request to the server. False with err set when the answer is useless. */
static bool ask(const ApiAccount *account, HttpRequest *request, ApiAnswer *answer, Error *err) {
    HttpResponse response;
    http_perform(request, NULL, &response);
    api_judge(&response, answer);
    http_response_free(&response);
    http_request_free(request);
    if (answer->verdict == API_OK)
        return true;
    error_set(err, "%s: %s", account->base_url, answer->error.text);
    api_answer_free(answer);
    return false;
}

bool testserver_check_login(const ApiAccount *account, Error *err) {
    HttpRequest request;
    ApiAnswer answer;
    api_client_version(account, &request);
    bool ok = ask(account, &request, &answer, err);
    if (ok)
        api_answer_free(&answer);
    return ok;
}

static bool is_listed(const Words *names, const char *name, const char *what, Error *err) {
    TextGuess guess = {.word = name};
    if (words_has(names, name))
        return true;
    for (size_t i = 0; i < names->count; i++)
        text_guess(&guess, names->items[i]);
    if (!guess.best && names->count == 1)
        guess.best = names->items[0];
    return error_set(err, "the server has no %s '%s'%s", what, name, text_guess_hint(&guess));
}

/* Is the book of a data generation's form "NONE"? */
static bool is_no_book(const TestForm *form, const char *field) {
    return form->kind == TESTFORM_DATAGEN && strcmp(field, "book_name") == 0 &&
           strcmp(testform_get(form, field), "NONE") == 0;
}

bool testserver_ask_names(const ApiAccount *account, ApiServerConfig *names, Error *err) {
    HttpRequest request;
    ApiAnswer answer;
    *names = (ApiServerConfig){0};
    api_config(account, &request);
    if (!ask(account, &request, &answer, err))
        return false;
    bool ok = api_read_config(&answer, names, err) || error_prefix(err, "%s", account->base_url);
    api_answer_free(&answer);
    return ok;
}

void testserver_suggest_book(const ApiServerConfig *names, TestForm *form, Log *log) {
    static const char FIELD[] = "book_name";
    const char *usual = testform_usual(form, FIELD);
    if (form->kind == TESTFORM_DATAGEN || form_says(form, FIELD) || names->books.count == 0 ||
        words_has(&names->books, usual))
        return;
    const char *first = names->books.items[0];
    log_info(log, "the server has no book %s, so this takes %s (--book names another)", usual,
             first);
    testform_set(form, FIELD, first);
}

bool testserver_check_names(const ApiAccount *account, const ApiServerConfig *names,
                            const TestForm *form, Error *err) {
    const struct {
        const char *field, *what;
        const Words *names;
    } named[] = {{"dev_engine", "engine", &names->engines},
                 {"base_engine", "engine", &names->engines},
                 {"book_name", "book", &names->books}};
    for (size_t i = 0; i < COUNT(named); i++)
        if (form_says(form, named[i].field) && !is_no_book(form, named[i].field) &&
            !is_listed(named[i].names, testform_get(form, named[i].field), named[i].what, err))
            return error_prefix(err, "%s", account->base_url);
    return true;
}

/* The address by which the engine is found: the form's, else the remote's, which may be NULL. */
static const char *address_of(const TestForm *form, const char *remote) {
    return form_says(form, "dev_repo") ? testform_get(form, "dev_repo") : remote;
}

/* Reads the configuration of the form's engine. When the form names no engine, finds the engine by
 * the repository's address (NULL: not known); where no engine has it, this project's if the
 * branches are its own, else config->name is NULL. The caller frees *config, then *answer, which
 * *config points into. */
static bool ask_config(const ApiAccount *account, const TestForm *form, const char *address,
                       bool own, EngineConfig *config, ApiAnswer *answer, Error *err) {
    HttpRequest request;
    const char *engine = testform_get(form, "dev_engine");
    *config = (EngineConfig){0};
    *answer = (ApiAnswer){0};
    if (engine)
        api_config_engine(account, engine, &request);
    else
        api_all_configs(account, &request);
    if (!ask(account, &request, answer, err))
        return false;
    bool ok = engine
                  ? engineconfig_read(answer, engine, config, err)
                  : engineconfig_find(answer, address,
                                      own ? testform_usual(form, "dev_engine") : NULL, config, err);
    return ok || error_prefix(err, "%s", account->base_url);
}

static bool apply_preset(const ApiAccount *account, TestForm *form, const EngineConfig *config,
                         const char *preset, Log *log, Error *err) {
    Words unknown = {0};
    bool ok = engineconfig_apply(config, preset, form, &unknown, err) ||
              error_prefix(err, "%s: --preset", account->base_url);
    for (size_t i = 0; i < unknown.count; i++)
        log_warn(log, "the preset says %s, which this program's form has not: left out",
                 unknown.items[i]);
    words_free(&unknown);
    return ok;
}

/* When the server keeps the engine's repository itself, missing addresses are that repository's.
 * Such a server takes sources from GitHub besides, and from nowhere else. */
static void use_kept_repository(const ApiAccount *account, TestForm *form, const char *remote,
                                const EngineConfig *config) {
    const char *path = repository_path(config->source, account->base_url);
    if (path && text_starts_with(path, "/repo/") &&
        !(remote && text_starts_with(remote, "https://github.com/")))
        form_use_address(form, config->source);
}

/* Suggests the speed of the engine that scale_method names (of the base for BOTH, which has one
 * number for both), by which workers scale clocks. `known` is the configuration of one of the
 * form's engines. */
static void suggest_speed(const ApiAccount *account, TestForm *form, const EngineConfig *known,
                          Log *log) {
    bool of_dev = strcmp(testform_text(form, "scale_method"), "DEV") == 0 ||
                  !testform_has(form, "base_engine");
    const char *clocked = testform_get(form, of_dev ? "dev_engine" : "base_engine");
    EngineConfig other = {0};
    ApiAnswer answer = {0};
    HttpRequest request;
    Error why;
    char nps[32];
    if (testform_get(form, "scale_nps"))
        return;
    bool found = strcmp(clocked, known->name) == 0;
    snprintf(nps, sizeof nps, "%" PRId64, known->nps);
    if (!found) {
        api_config_engine(account, clocked, &request);
        found = ask(account, &request, &answer, &why) &&
                engineconfig_read(&answer, clocked, &other, &why);
        snprintf(nps, sizeof nps, "%" PRId64, other.nps);
    }
    if (found)
        testform_suggest(form, "scale_nps", nps);
    else
        log_warn(log,
                 "%s: clocks are scaled for %s nodes a second, and not for the speed of %s "
                 "(scale_nps in --from names another number)",
                 why.text, testform_usual(form, "scale_nps"), clocked);
    engineconfig_free(&other);
    api_answer_free(&answer);
}

/* A server without a configuration matters only when a preset is wanted. With a configuration, a
 * repository of no engine is refused: the test would be of another engine, at its speed. */
bool testserver_use_config(const ApiAccount *account, TestForm *form, const char *remote, bool own,
                           const char *preset, char **build_path, Log *log, Error *err) {
    EngineConfig config;
    ApiAnswer answer;
    Error why = {0};
    *build_path = NULL;
    const char *address = address_of(form, remote);
    bool found = ask_config(account, form, address, own, &config, &answer, &why);
    bool ok = found || !preset;
    if (found && !config.name) {
        ok = address ? error_set(err,
                                 "%s: no engine there has the repository %s (--repo names another; "
                                 "--engine says which engine it is)",
                                 account->base_url, address)
                     : error_set(err,
                                 "%s: which engine is it? No remote here tells the repository: "
                                 "--repo URL|NAME says it, or --engine NAME",
                                 account->base_url);
    } else if (found) {
        testform_suggest(form, "dev_engine", config.name);
        testform_suggest(form, "base_engine", config.name);
        use_kept_repository(account, form, remote, &config);
        *build_path = config.build_path;
        config.build_path = NULL;
        ok = !preset || apply_preset(account, form, &config, preset, log, err);
        if (ok)
            suggest_speed(account, form, &config, log);
    } else if (!ok) {
        *err = why;
    } else {
        log_debug(log, "%s", why.text);
    }
    engineconfig_free(&config);
    api_answer_free(&answer);
    return ok;
}

static bool ask_networks(const ApiAccount *account, const char *engine, ApiNetworks *networks,
                         Error *err) {
    HttpRequest request;
    ApiAnswer answer;
    api_networks(account, engine, &request);
    if (!ask(account, &request, &answer, err))
        return false;
    bool ok =
        api_read_networks(&answer, networks, err) || error_prefix(err, "%s", account->base_url);
    api_answer_free(&answer);
    return ok;
}

/* Replaces a network's name or digits in the form by the server's digits. */
static bool find_network(const ApiAccount *account, TestForm *form, const char *field,
                         const ApiNetworks *networks, Error *err) {
    const char *wanted = testform_get(form, field);
    Words names = {0};
    const char *found = NULL;
    for (size_t i = 0; i < networks->count; i++) {
        const ApiNetwork *network = &networks->items[i];
        words_add(&names, network->name);
        if (text_equal_nocase(network->sha256, wanted) || strcmp(network->name, wanted) == 0)
            found = network->sha256;
    }
    bool ok = found || is_listed(&names, wanted, "network", err) ||
              error_prefix(err, "%s", account->base_url);
    testform_set(form, field, found);
    words_free(&names);
    return ok;
}

/* When both sides have one engine, the server is asked once. */
bool testserver_find_networks(const ApiAccount *account, TestForm *form, Error *err) {
    static const struct {
        const char *engine, *network;
    } sides[] = {{"dev_engine", "dev_network"}, {"base_engine", "base_network"}};
    ApiNetworks networks = {0};
    const char *listed = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < COUNT(sides); i++) {
        const char *engine = testform_get(form, sides[i].engine);
        if (!form_says(form, sides[i].network))
            continue;
        if (!listed || strcmp(listed, engine) != 0) {
            api_networks_free(&networks);
            ok = ask_networks(account, engine, &networks, err);
            listed = engine;
        }
        ok = ok && find_network(account, form, sides[i].network, &networks, err);
    }
    api_networks_free(&networks);
    return ok;
}

/* ---- Creating ---- */

/* Performs the request and keeps the session's data of the answered page. */
static void show(HttpRequest *request, FormSession *session, HttpResponse *response) {
    http_response_free(response);
    http_perform(request, NULL, response);
    http_request_free(request);
    formsession_take(session, response);
}

static void show_page(const ApiAccount *account, const char *path, FormSession *session,
                      HttpResponse *response) {
    HttpRequest request;
    formsession_page(account, session, path, &request);
    show(&request, session, response);
}

static TestFormVerdict send_form(const ApiAccount *account, const TestForm *form,
                                 FormSession *session, HttpResponse *response, Words *reasons) {
    HttpRequest request;
    testform_compose(account, session, form, &request);
    show(&request, session, response);
    return testform_judge(response, reasons);
}

/* Sends a test's form as a program; again with a token when the server wants a token. */
static TestFormVerdict send_test(const ApiAccount *account, const TestForm *form,
                                 FormSession *session, HttpResponse *response, Words *reasons) {
    TestFormVerdict verdict = send_form(account, form, session, response, reasons);
    if (verdict != TESTFORM_FORGED)
        return verdict;
    show_page(account, "login/", session, response);
    if (!session->token)
        return verdict;
    words_free(reasons);
    return send_form(account, form, session, response, reasons);
}

/* Is the answer the requested page, and not a page that the server redirected to? */
static bool is_page(const ApiAccount *account, const char *path, const HttpResponse *response) {
    size_t base = strlen(account->base_url);
    return response->outcome == HTTP_DONE && response->status == HTTP_OK && response->url &&
           strncmp(response->url, account->base_url, base) == 0 &&
           strcmp(response->url + base, path) == 0;
}

/* Gives the reason why the server showed another page. */
static bool refuse_page(const HttpResponse *response, Words *reasons) {
    if (testform_judge(response, reasons) == TESTFORM_CREATED)
        words_add(reasons, "it shows its first page in place of the form");
    return false;
}

/* Signs in, and opens the form's page. Creates no workload in any case. */
static bool open_page(const ApiAccount *account, const TestForm *form, FormSession *session,
                      HttpResponse *response, Words *reasons) {
    const char *page = testform_names(form->kind)->page;
    HttpRequest request;
    show_page(account, "login/", session, response);
    if (!is_page(account, "login/", response))
        return refuse_page(response, reasons);
    formsession_sign_in(account, session, &request);
    show(&request, session, response);
    if (testform_judge(response, reasons) != TESTFORM_CREATED)
        return false;
    show_page(account, page, session, response);
    return is_page(account, page, response) || refuse_page(response, reasons);
}

TestFormVerdict testserver_send(const ApiAccount *account, const TestForm *form,
                                HttpResponse *response, Words *reasons) {
    FormSession session = {0};
    TestFormVerdict verdict = TESTFORM_REFUSED;
    *response = (HttpResponse){0};
    if (form->kind == TESTFORM_TEST)
        verdict = send_test(account, form, &session, response, reasons);
    else if (open_page(account, form, &session, response, reasons))
        verdict = send_form(account, form, &session, response, reasons);
    formsession_free(&session);
    return verdict;
}

static const char INDEX[] = "index/"; /* The page that links to workloads. */

/* Servers may show the index to users alone. */
int64_t testserver_newest(const ApiAccount *account, const TestForm *form) {
    FormSession session = {0};
    HttpResponse response = {0};
    int64_t newest = INT64_MAX;
    show_page(account, INDEX, &session, &response);
    if (is_page(account, "login/", &response)) {
        HttpRequest request;
        formsession_sign_in(account, &session, &request);
        show(&request, &session, &response);
    }
    if (is_page(account, INDEX, &response)) {
        IntList ids;
        testform_links(form, text_string(&response.body), &ids);
        newest = ids.count > 0 ? ids.items[0] : 0;
        free(ids.items);
    }
    formsession_free(&session);
    http_response_free(&response);
    return newest;
}

/* Looks at the page's workloads, the newest first. */
int64_t testserver_find_test(const ApiAccount *account, const TestForm *form, const char *page,
                             int64_t after, bool *waits) {
    IntList ids;
    int64_t found = 0;
    *waits = false;
    testform_links(form, page, &ids);
    for (size_t i = 0; i < ids.count && i < LOOK_MAX && ids.items[i] > after && !found; i++) {
        HttpRequest request;
        ApiAnswer answer;
        api_test_info(account, ids.items[i], &request);
        if (!ask(account, &request, &answer, NULL))
            continue;
        if (testform_is(&answer, form, account->username)) {
            found = ids.items[i];
            *waits = testform_waits(&answer);
        }
        api_answer_free(&answer);
    }
    free(ids.items);
    return found;
}
