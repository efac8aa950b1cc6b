/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
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
            value_time(item, "created", network.created, page.now);
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

enum { NETWORK_NAME_LONGEST = 64, NETWORK_DIGITS = 8 };

static bool is_network_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    size_t length = strlen(name);
    return length > 0 && length <= NETWORK_NAME_LONGEST && strspn(name, letters) == length &&
           name[0] != '.';
}

/* Moves the uploaded file to NETWORKS/DIGEST in the data folder. */
static bool keep_file(const Serve *serve, const WebUpload *upload, const char *digest, Error *err) {
    Text path = {0};
    text_addf(&path, "%s/networks", serve->data);
    bool kept = file_make_folders(text_string(&path), err);
    text_addf(&path, "/%s", digest);
    kept = kept && file_install(upload->path, text_string(&path), err);
    text_free(&path);
    return kept;
}

/* Notes the network and keeps its file. False with err set: there is one of this name or content,
 * or the file cannot be kept. */
static bool note_network(Page *page, const WebUpload *upload, const char *engine, const char *name,
                         const char *digest, Error *err) {
    char sha[NETWORK_DIGITS + 1] = {0};
    Network known;
    for (int i = 0; i < NETWORK_DIGITS; i++)
        sha[i] = (char)(digest[i] >= 'a' ? digest[i] - 'a' + 'A' : digest[i]);
    Transaction *t = page_write(page);
    bool taken = store_network(t, engine, sha, &known);
    if (taken)
        store_free_network(&known);
    else if ((taken = store_network(t, engine, name, &known)))
        store_free_network(&known);
    if (taken) {
        transaction_cancel(t);
        return error_set(err, "%s has a network of this name or content already.", engine);
    }
    if (!keep_file(page->serve, upload, digest, err)) {
        transaction_cancel(t);
        return false;
    }
    store_add_network(t, &(Network){.engine = (char *)engine,
                                    .name = (char *)name,
                                    .sha = sha,
                                    .digest = (char *)digest,
                                    .author = page->visit.user.name,
                                    .created = page->now});
    return transaction_end(t, err);
}

static void upload_network(Page *page) {
    const WebRequest *request = page->request;
    const WebUpload *upload = web_upload(request, "netfile");
    const char *name = web_form(request, "name");
    const char *engine = web_form(request, "engine");
    char digest[DIGEST_HEX_MAX];
    Error err = {{0}};
    if (!upload || upload->length == 0)
        page_return(page, "/networks/", "The form has no file, or an empty one.");
    else if (!is_network_name(name))
        page_return(page, "/networks/",
                    "A network's name has 1 to 64 letters, digits and . _ - and does not begin "
                    "with a dot.");
    else if (!catalog_engine(&page->serve->catalog, engine))
        page_return(page, "/networks/", "This server has no such engine.");
    /* The file is put on the disk before the transaction, which others wait for. */
    else if (digest_file(upload->path, digest, &err) && file_sync(upload->path, &err) &&
             note_network(page, upload, engine, name, digest, &err))
        web_redirect(page->answer, "/networks/");
    else
        page_return(page, "/networks/", err.text);
}

static void take_network(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Networks");
    if (page_wants_form(&page))
        upload_network(&page);
    page_close(&page);
}

static void change_network(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Networks");
    if (page_wants_form(&page)) {
        Network network;
        bool remove = strcmp(web_form(request, "action"), "delete") == 0;
        Transaction *t = page_write(&page);
        bool found = store_network(t, request->arguments[0], request->arguments[1], &network);
        bool allowed = found && (page.visit.user.admin || page.visit.user.approver ||
                                 strcmp(network.author, page.visit.user.name) == 0);
        if (allowed && remove)
            store_delete_network(t, network.id);
        else if (allowed)
            store_set_default_network(t, &network);
        if (page_end(&page, t) && allowed)
            web_redirect(answer, "/networks/");
        else if (!answer->status)
            page_refuse(&page, found ? WEB_FORBIDDEN : WEB_NOT_FOUND, "%s",
                        found ? "Only the author, an approver or an administrator may do this."
                              : "There is no such network.");
        if (found)
            store_free_network(&network);
    }
    page_close(&page);
}

static bool is_of_user(Serve *serve, const WebRequest *request) {
    return visit_is_user(serve->people, request, serve_now(serve));
}

static const WebFile NETWORK_FILE = {512 << 20, is_of_user};

const WebRoute STOCK_PAGES[] = {{"/engines/", show_engines, NULL, NULL},
                                {"/books/", show_books, NULL, NULL},
                                {"/networks/", show_networks, take_network, &NETWORK_FILE},
                                {"/networks/{name}/{name}/", NULL, change_network, NULL},
                                {0}};
