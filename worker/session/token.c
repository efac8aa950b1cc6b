/* SPDX-License-Identifier: MIT */
#include "session/token.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "openbench/http.h"

enum { FILE_LIMIT = 4096 };

#define BEGINNING "credentials." /* of a token file's name */

static const char *const github[] = {"https://api.github.com/", "https://github.com/"};

/* The name of the engine's token file; empty when the engine's name cannot be part of a file's
   name. */
static Text file_name(const char *engine) {
    Text name = {0};
    text_add(&name, BEGINNING);
    for (const char *c = engine; *c; c++) {
        if (*c == '/') {
            text_clear(&name);
            return name;
        }
        if (*c != ' ')
            text_add_char(&name, (char)tolower((unsigned char)*c));
    }
    return name;
}

/* The path of the token file, allocated; NULL without a file. */
static char *find(const char *state_dir, const char *engine) {
    Text name = file_name(engine);
    char *path = text_format("%s/%s", state_dir, text_string(&name));
    char *found = NULL;
    if (name.length && file_exists(text_string(&name)))
        found = mem_strdup(text_string(&name));
    else if (name.length && file_exists(path))
        found = mem_strdup(path);
    text_free(&name);
    free(path);
    return found;
}

bool token_exists(const char *state_dir, const char *engine) {
    char *path = find(state_dir, engine);
    bool found = path != NULL;
    free(path);
    return found;
}

/* The next line without blanks at its ends; NULL when the line is empty. Allocated. */
static char *take_line(const char **at) {
    size_t length;
    const char *line = text_next_line(at, &length);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    while (length > 0 && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    return length ? mem_strndup(line, length) : NULL;
}

bool token_read(const char *state_dir, const char *engine, Log *log, Token *out, Error *err) {
    Text text = {0};
    *out = (Token){.path = find(state_dir, engine)};
    if (!out->path) {
        Text name = file_name(engine);
        if (name.length > 0)
            error_set(err,
                      "%s is a private engine, and there is no file %s with a token for it in the "
                      "working folder or in %s",
                      engine, text_string(&name), state_dir);
        else
            error_set(err,
                      "%s is a private engine, and no file with a token can be named after it: a "
                      "file's name has no '/'",
                      engine);
        text_free(&name);
        return false;
    }
    if (!file_read(out->path, FILE_LIMIT, &text, err))
        return false;
    file_warn_of_readers(out->path, log);
    const char *at = text_string(&text);
    out->word = take_line(&at);
    out->home = take_line(&at);
    mem_wipe(text.data, text.length);
    text_free(&text);
    if (!out->word || strpbrk(out->word, " \t\r"))
        return error_set(err, "%s: the first line is not a token", out->path);
    return true;
}

bool token_is_for(const Token *token, const char *url) {
    if (token->home)
        return http_same_origin(token->home, url);
    for (size_t i = 0; i < sizeof github / sizeof *github; i++)
        if (http_same_origin(github[i], url))
            return true;
    return false;
}

void token_hide(Sandbox *sandbox) {
    glob_t found;
    if (glob(BEGINNING "*", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        sandbox_hide(sandbox, found.gl_pathv[i]);
    globfree(&found);
}

void token_free(Token *token) {
    if (token->word)
        mem_wipe(token->word, strlen(token->word));
    free(token->path);
    free(token->word);
    free(token->home);
    *token = (Token){0};
}
