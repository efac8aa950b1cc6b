/* SPDX-License-Identifier: MIT */
#include "submit/testserver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/memory.h"
#include "openbench/engineconfig.h"
#include "openbench/http.h"
#include "submit/form.h"

enum { LOOK_MAX = 25 }; /* Tests of a page that are asked for. */

/* Asks it for one thing. False with err set when the answer is of no use. */
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

/* Whether the server is there and knows the user, before anything else is asked or made. */
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
    if (json_list_has(names, name))
        return true;
    for (size_t i = 0; i < names->count; i++)
        text_guess(&guess, names->items[i]);
    const char *meant = text_guessed(&guess);
    if (!meant && names->count == 1)
        meant = names->items[0];
    return error_set(err, "the server has no %s '%s'%s%s%s", what, name,
                     meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
}

/* Whether the server has the engines and the book that the form names so far. */
bool testserver_check_names(const ApiAccount *account, const TestForm *form, Error *err) {
    HttpRequest request;
    ApiAnswer answer;
    ApiServerConfig config;
    api_config(account, &request);
    if (!ask(account, &request, &answer, err))
        return false;
    bool ok = api_read_config(&answer, &config, err);
    const struct {
        const char *field, *what;
        const Words *names;
    } named[] = {{"dev_engine", "engine", &config.engines},
                 {"base_engine", "engine", &config.engines},
                 {"book_name", "book", &config.books}};
    for (size_t i = 0; ok && i < COUNT(named); i++)
        ok = !form_says(form, named[i].field) ||
             is_listed(named[i].names, testform_get(form, named[i].field), named[i].what, err);
    if (!ok)
        error_prefix(err, "%s", account->base_url);
    api_config_free(&config);
    api_answer_free(&answer);
    return ok;
}

/* Asks for the engine that the form names, or, where it names none, for the one whose repository it
 * is. *answer is the configuration's, to be freed after it. */
static bool ask_config(const ApiAccount *account, const TestForm *form, EngineConfig *config,
                       ApiAnswer *answer, Error *err) {
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
    bool ok = engine ? engineconfig_read(answer, engine, config, err)
                     : engineconfig_find(answer, testform_get(form, "dev_repo"),
                                         testform_usual("dev_engine"), config, err);
    if (ok && !config->name)
        ok = error_set(err, "no engine there has this repository; --engine names one");
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

/* The engine's name, the speed that its clocks are scaled by, and the preset, from the server. One
 * that does not tell them matters only where a preset is wanted. */
bool testserver_use_config(const ApiAccount *account, TestForm *form, const char *preset, Log *log,
                           Error *err) {
    EngineConfig config;
    ApiAnswer answer;
    Error why = {0};
    char nps[32];
    bool found = ask_config(account, form, &config, &answer, &why);
    bool ok = found || !preset;
    if (found) {
        testform_suggest(form, "dev_engine", config.name);
        testform_suggest(form, "base_engine", config.name);
        ok = !preset || apply_preset(account, form, &config, preset, log, err);
        snprintf(nps, sizeof nps, "%" PRId64, config.nps);
        if (strcmp(testform_get(form, "base_engine"), config.name) == 0)
            testform_suggest(form, "scale_nps", nps);
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

/* A network that the form calls by its name or its digits, as the form has it: the server's own
 * digits. */
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

/* Both sides' networks; of one engine the server is asked once. */
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

/* Sends the form; once more with a token when the server wants one. The caller frees *response. */
TestFormVerdict testserver_send(const ApiAccount *account, const TestForm *form,
                                HttpResponse *response, Words *reasons) {
    HttpRequest request;
    HttpResponse login;
    testform_compose(account, form, &request);
    http_perform(&request, NULL, response);
    http_request_free(&request);
    TestFormVerdict verdict = testform_judge(response, reasons);
    if (verdict != TESTFORM_FORGED)
        return verdict;
    testform_login_page(account, &request);
    http_perform(&request, NULL, &login);
    http_request_free(&request);
    if (login.csrf) {
        words_free(reasons);
        http_response_free(response);
        testform_compose(account, form, &request);
        request.csrf = mem_strdup(login.csrf);
        http_perform(&request, NULL, response);
        http_request_free(&request);
        verdict = testform_judge(response, reasons);
    }
    http_response_free(&login);
    return verdict;
}

/* The newest test among those of the page that is the one asked for; 0: none. */
int64_t testserver_find_test(const ApiAccount *account, const TestForm *form, const char *page) {
    IntList ids;
    int64_t found = 0;
    testform_links(page, &ids);
    for (size_t i = 0; i < ids.count && i < LOOK_MAX && !found; i++) {
        HttpRequest request;
        ApiAnswer answer;
        api_test_info(account, ids.items[i], &request);
        if (!ask(account, &request, &answer, NULL))
            continue;
        if (testform_is(&answer, form, account->username))
            found = ids.items[i];
        api_answer_free(&answer);
    }
    free(ids.items);
    return found;
}
