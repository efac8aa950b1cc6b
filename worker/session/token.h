/* SPDX-License-Identifier: MIT */
/* Tokens for the sources of private engines. As with the stock client, they are in a file
 * credentials.<engine's name in lower case without spaces>, in the working folder or the state
 * folder. The first line of the file is a GitHub token. An optional second line is the address of
 * the server that the token is for, if not GitHub (https://git.example). */
#ifndef WORKER_SESSION_TOKEN_H
#define WORKER_SESSION_TOKEN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"

/* The strings are owned; all zero is none. */
typedef struct {
    char *path; /* path of the file */
    char *word;
    char *home; /* address of the token's server; NULL: GitHub */
} Token;

/* Whether this engine has a token file. */
bool token_exists(const char *state_dir, const char *engine);

/* Reads the token file, and warns when others may read it. */
bool token_read(const char *state_dir, const char *engine, Log *log, Token *out, Error *err);

/* Whether the token may be sent to this URL: an https address of GitHub's, or of the token's home.
 */
bool token_is_for(const Token *token, const char *url);

/* Hides the token files that are in the working folder now from builds and engines. Those of the
 * state folder are hidden with that folder. */
void token_hide(Sandbox *sandbox);

/* Wipes the token from memory and frees it. */
void token_free(Token *token);

#endif
