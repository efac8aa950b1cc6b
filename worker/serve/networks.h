/* SPDX-License-Identifier: MIT */
/* The networks that users upload. A network is a row of the database and a file
 * DATA/networks/DIGEST, which is shared by the networks of the same content. */
#ifndef SERVE_NETWORKS_H
#define SERVE_NETWORKS_H

#include "serve/page.h"

enum { NETWORKS_FILE_LIMIT = 512 << 20 /* Bytes of a form with a network's file. */ };

/* Adds the network of the page's form: fields "engine" and "name", file "netfile". The author is
 * the page's user. Sends the user to the list of networks, which says what was done, or why nothing
 * was. */
void networks_upload(Page *page);

/* Was the network uploaded just now, by the address of the list? */
bool networks_is_uploaded(const Page *page, const Network *network);

typedef enum {
    NETWORKS_MAKE_DEFAULT,
    NETWORKS_REMOVE,         /* Refuses a network of a test that is not over. */
    NETWORKS_REMOVE_ORDINARY /* Refuses a network that is or was a default, too. */
} NetworksChange;

/* May a user like this make such a change at all? Those who may approve tests, and administrators,
 * may; the author may remove the network. The default network goes into the forms of all users, so
 * the author alone does not make it. user: its id is 0 for a visitor who has not signed in. */
bool networks_may_change(const User *user, const Network *network, NetworksChange change);

/* Changes the engine's network of this sha or name. Removing the last network of a content removes
 * the file too. WEB_OK; or the status of a refusal, with err set: no such network, the user may
 * not, or the database failed. */
WebStatus networks_change(Serve *serve, const User *user, const char *engine,
                          const char *sha_or_name, NetworksChange change, Error *err);

#endif
