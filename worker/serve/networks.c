/* SPDX-License-Identifier: MIT */
#include "serve/networks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"

enum { NAME_LONGEST = 64, SHA_DIGITS = 8 };

/* ---- Files ---- */

static char *file_of(const Serve *serve, const char *digest) {
    return text_format("%s/networks/%s", serve->data, digest);
}

/* Moves the uploaded file to its place in the data folder. */
static bool keep_file(const Serve *serve, const WebUpload *upload, const char *digest, Error *err) {
    char *folder = text_format("%s/networks", serve->data);
    char *path = file_of(serve, digest);
    bool kept = file_make_folders(folder, err) && file_install(upload->path, path, err);
    free(path);
    free(folder);
    return kept;
}

/* Removes the file of this content, unless a network has the content. The transaction keeps out an
 * upload of the same content, which installs its file within a transaction of its own. */
static void drop_unused_file(const Serve *serve, const char *digest) {
    Transaction *t = transaction_begin(serve->database, TRANSACTION_WRITE);
    bool used = store_has_content(t, digest);
    char *path = file_of(serve, digest);
    if (transaction_ok(t) && !used)
        unlink(path);
    free(path);
    transaction_cancel(t);
}

/* ---- Uploads ---- */

static bool is_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    size_t length = strlen(name);
    return length > 0 && length <= NAME_LONGEST && strspn(name, letters) == length &&
           name[0] != '.';
}

/* Has the engine a network of this sha or name? */
static bool is_taken(Transaction *t, const char *engine, const char *sha_or_name) {
    Network known = {0};
    bool taken = store_network(t, engine, sha_or_name, &known);
    store_free_network(&known);
    return taken;
}

/* Adds the network and keeps its file: both or neither. Returns the network's id; 0 with err set:
 * the engine has a network of this name or content, or with fault set: the disk or the database
 * failed. */
static int64_t add_network(const Page *page, const WebUpload *upload, const Network *network,
                           Error *err, Error *fault) {
    Transaction *t = page_write(page);
    if (is_taken(t, network->engine, network->sha) || is_taken(t, network->engine, network->name)) {
        transaction_cancel(t);
        error_set(err, "%s has a network of this name or content already.", network->engine);
        return 0;
    }
    if (!keep_file(page->serve, upload, network->digest, fault)) {
        transaction_cancel(t);
        return 0;
    }
    int64_t id = store_add_network(t, network);
    if (transaction_end(t, fault))
        return id;
    drop_unused_file(page->serve, network->digest);
    return 0;
}

/* Reads the form, and adds its network. Returns the network's id; 0 with err or fault set. */
static int64_t take_form(const Page *page, Error *err, Error *fault) {
    const WebRequest *request = page->request;
    const WebUpload *upload = web_upload(request, "netfile");
    const char *name = web_form(request, "name");
    const char *engine = web_form(request, "engine");
    char digest[DIGEST_HEX_MAX], sha[SHA_DIGITS + 1] = {0};
    if (!upload || upload->length == 0)
        error_set(err, "The form has no file, or an empty one.");
    else if (!is_name(name))
        error_set(err, "A network name has 1 to 64 letters, digits and . _ - and does not begin "
                       "with a dot.");
    else if (!catalog_engine(&page->serve->catalog, engine))
        error_set(err, "This server has no such engine.");
    /* The file is put on the disk before the transaction, which others wait for. */
    else if (digest_file(upload->path, digest, fault) && file_sync(upload->path, fault)) {
        for (int i = 0; i < SHA_DIGITS; i++)
            sha[i] = (char)(digest[i] >= 'a' ? digest[i] - 'a' + 'A' : digest[i]);
        Network network = {.engine = (char *)engine,
                           .name = (char *)name,
                           .sha = sha,
                           .digest = digest,
                           .author = page->visit.user.name,
                           .created = page->now};
        return add_network(page, upload, &network, err, fault);
    }
    return 0;
}

void networks_upload(Page *page) {
    Error err = {{0}}, fault = {{0}};
    char path[64];
    int64_t id = take_form(page, &err, &fault);
    snprintf(path, sizeof path, "/networks/?uploaded=%" PRId64, id);
    if (id)
        web_redirect(page->answer, path);
    else if (fault.text[0] != '\0')
        page_refuse_fault(page, &fault);
    else
        page_return(page, "/networks/", err.text);
}

bool networks_is_uploaded(const Page *page, const Network *network) {
    char id[32];
    snprintf(id, sizeof id, "%" PRId64, network->id);
    return strcmp(web_query(page->request, "uploaded"), id) == 0;
}

/* ---- Changes ---- */

bool networks_may_change(const User *user, const Network *network, NetworksChange change) {
    bool author = user->id && strcmp(network->author, user->name) == 0;
    return user->admin || user->approver || (author && change != NETWORKS_MAKE_DEFAULT);
}

/* WEB_OK when the user may make the change, or the status of the refusal with err set. */
static WebStatus judge(Transaction *t, const User *user, const Network *network,
                       NetworksChange change, Error *err) {
    int64_t test = change == NETWORKS_MAKE_DEFAULT
                       ? 0
                       : store_test_of_network(t, network->engine, network->sha);
    if (!networks_may_change(user, network, change))
        error_set(err, "Only %san approver or an administrator may do this.",
                  change == NETWORKS_MAKE_DEFAULT ? "" : "the author, ");
    else if (change == NETWORKS_REMOVE_ORDINARY && (network->is_default || network->was_default))
        error_set(err,
                  "%s is or was the default network of %s: only the page of networks removes "
                  "such a network.",
                  network->name, network->engine);
    else if (test)
        error_set(err, "Test %" PRId64 " plays with %s: stop the test first, or wait for its end.",
                  test, network->name);
    else
        return WEB_OK;
    return WEB_FORBIDDEN;
}

WebStatus networks_change(Serve *serve, const User *user, const char *engine,
                          const char *sha_or_name, NetworksChange change, Error *err) {
    Network network = {0};
    Error fault = {{0}};
    WebStatus status = WEB_NOT_FOUND;
    Transaction *t = transaction_begin(serve->database, TRANSACTION_WRITE);
    if (store_network(t, engine, sha_or_name, &network))
        status = judge(t, user, &network, change, err);
    else
        error_set(err, "There is no such network.");
    bool remove = status == WEB_OK && change != NETWORKS_MAKE_DEFAULT;
    if (remove)
        store_delete_network(t, network.id);
    else if (status == WEB_OK)
        store_set_default_network(t, &network);
    if (!transaction_end(t, &fault)) {
        serve_log_error(serve, "%s", fault.text);
        error_set(err, "%s", WEB_FAULT_WORDS);
        status = WEB_UNAVAILABLE;
    } else if (remove)
        drop_unused_file(serve, network.digest);
    store_free_network(&network);
    return status;
}
