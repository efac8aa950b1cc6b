/* SPDX-License-Identifier: MIT */
/* Tokens for the sources of private engines. They are kept as the stock client keeps them: in a
 * file credentials.<engine's name in lower case without spaces>, in the working folder or the state
 * folder. Its first line is a GitHub token; a second line, if there is one, is the address of the
 * server that the token is for instead (https://git.example). */
#ifndef WORKER_SESSION_TOKEN_H
#define WORKER_SESSION_TOKEN_H

#include <stdbool.h>

#include "base/error.h"

/* All allocated; all zero is none. */
typedef struct {
    char *path; /* of the file */
    char *word;
    char *home; /* NULL: GitHub */
} Token;

/* Whether there is a file for this engine. */
bool token_exists(const char *state_dir, const char *engine);

/* Reads it. `*open_to_others`: others may read the file. */
bool token_read(const char *state_dir, const char *engine, Token *out, bool *open_to_others,
                Error *err);

/* Whether it may be sent to this URL: an https address of GitHub's, or the token's home. */
bool token_is_for(const Token *token, const char *url);

/* Wipes and frees. */
void token_free(Token *token);

#endif
