/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "serve/networks.h"
#include "serve/page.h"
#include "serve/pages.h"

/* ---- Engines and books ---- */

static void add_engine(Page *page, const CatalogEngine *engine) {
    cJSON *item = value_item(page->values, "engines");
    const struct {
        const char *name;
        const Words *words;
    } lists[] = {{"compilers", &engine->compilers},
                 {"cpuflags", &engine->cpuflags},
                 {"systems", &engine->systems}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        Text text = {0};
        for (size_t k = 0; k < lists[i].words->count; k++)
            text_addf(&text, "%s%s", k ? ", " : "", lists[i].words->items[k]);
        value_take(item, lists[i].name, &text);
    }
    value_text(item, "name", engine->name);
    value_text(item, "source", engine->source);
    value_text(item, "build_path", engine->build_path);
    value_grouped(item, "nps", engine->nps);
    value_bool(item, "is_private", engine->is_private);
}

static void show_engines(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Engines");
    if (page_may_view(&page)) {
        for (size_t i = 0; i < serve->catalog.engine_count; i++)
            add_engine(&page, &serve->catalog.engines[i]);
        for (size_t i = 0; i < sources_count(serve->sources); i++) {
            cJSON *item = value_item(page.values, "repositories");
            const char *name = sources_name(serve->sources, i);
            value_text(item, "repository", name);
            value_text(item, "folder",
                       page.visit.user.id ? sources_folder(serve->sources, name) : "");
        }
        value_bool(page.values, "has", cJSON_HasObjectItem(page.values, "repositories"));
        page_show(&page, "engines.html");
    }
    page_close(&page);
}

static void show_books(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Books");
    if (page_may_view(&page)) {
        for (size_t i = 0; i < serve->catalog.book_count; i++) {
            const CatalogBook *book = &serve->catalog.books[i];
            cJSON *item = value_item(page.values, "books");
            value_text(item, "name", book->name);
            value_text(item, "sha", book->sha);
            value_text(item, "source", book->source);
        }
        value_bool(page.values, "has", cJSON_HasObjectItem(page.values, "books"));
        page_show(&page, "books.html");
    }
    page_close(&page);
}

/* ---- Networks ---- */

static void show_networks(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Networks");
    if (page_may_view(&page)) {
        Network network;
        Transaction *t = page_read(&page);
        Query *query = store_networks(t, "");
        while (store_next_network(query, &network)) {
            cJSON *item = value_item(page.values, "networks");
            value_text(item, "engine", network.engine);
            value_text(item, "name", network.name);
            value_text(item, "sha", network.sha);
            value_text(item, "author", network.author);
            value_bool(item, "is_default", network.is_default);
            value_bool(item, "may_default",
                       networks_may_change(&page.visit.user, &network, NETWORKS_MAKE_DEFAULT));
            value_bool(item, "may_remove",
                       networks_may_change(&page.visit.user, &network, NETWORKS_REMOVE));
            value_time(item, "created", network.created, page.now);
            if (networks_is_uploaded(&page, &network)) {
                cJSON *uploaded = value_item(page.values, "uploaded");
                value_text(uploaded, "network", network.name);
                value_text(uploaded, "engine", network.engine);
            }
            store_free_network(&network);
        }
        query_end(query);
        for (size_t i = 0; i < serve->catalog.engine_count; i++)
            value_text(value_item(page.values, "engines"), "choice",
                       serve->catalog.engines[i].name);
        value_bool(page.values, "has", cJSON_HasObjectItem(page.values, "networks"));
        if (page_end(&page, t))
            page_show(&page, "networks.html");
    }
    page_close(&page);
}

static void take_network(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Networks");
    if (page_wants_form(&page))
        networks_upload(&page);
    page_close(&page);
}

static void change_network(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Networks");
    const char *action = web_form(request, "action");
    bool remove = strcmp(action, "delete") == 0;
    if (!page_wants_form(&page)) {
        /* Answered. */
    } else if (!remove && strcmp(action, "default") != 0) {
        page_refuse(&page, WEB_BAD_REQUEST, "The form asks for nothing that is known.");
    } else {
        Error err = {{0}};
        WebStatus status =
            networks_change(serve, &page.visit.user, request->arguments[0], request->arguments[1],
                            remove ? NETWORKS_REMOVE : NETWORKS_MAKE_DEFAULT, &err);
        if (status == WEB_OK)
            web_redirect(answer, "/networks/");
        else
            page_refuse(&page, status, "%s", err.text);
    }
    page_close(&page);
}

static bool is_of_user(Serve *serve, const WebRequest *request) {
    return visit_is_user(serve->people, request, serve_now(serve));
}

static const WebFile NETWORK_FILE = {NETWORKS_FILE_LIMIT, is_of_user};

const WebRoute STOCK_PAGES[] = {{"/engines/", show_engines, NULL, NULL},
                                {"/books/", show_books, NULL, NULL},
                                {"/networks/", show_networks, take_network, &NETWORK_FILE},
                                {"/networks/{name}/{name}/", NULL, change_network, NULL},
                                {0}};
