/* SPDX-License-Identifier: MIT */
#include "base/shellwords.h"

#include <string.h>

/* Adds the character that a backslash before *at quotes, or the backslash where it quotes nothing,
 * and moves *at past the character. */
static void take_escaped(const char **at, bool quoted, Text *word) {
    const char *special = quoted ? "$`\"\\\n" : NULL;
    char c = **at;
    if (c == '\0' || (special != NULL && strchr(special, c) == NULL)) {
        text_add_char(word, '\\');
        return;
    }
    if (c != '\n')
        text_add_char(word, c);
    (*at)++;
}

/* Adds the text between quotes, and moves *at from behind the opening quote to behind the closing
 * one. False when the closing quote is missing. */
static bool take_quoted(const char **at, char quote, Text *word) {
    while (**at != '\0' && **at != quote) {
        char c = *(*at)++;
        if (c == '\\' && quote == '"')
            take_escaped(at, true, word);
        else
            text_add_char(word, c);
    }
    if (**at == '\0')
        return false;
    (*at)++;
    return true;
}

/* Skips blanks and joined lines. */
static const char *skip_blanks(const char *at) {
    for (;;) {
        if (text_is_blank(*at))
            at++;
        else if (at[0] == '\\' && at[1] == '\n')
            at += 2;
        else
            return at;
    }
}

bool shell_split(const char *command, Words *out, Error *err) {
    Text word = {0};
    bool closed = true;
    for (const char *at = skip_blanks(command); closed && *at != '\0'; at = skip_blanks(at)) {
        text_clear(&word);
        while (closed && *at != '\0' && !text_is_blank(*at)) {
            char c = *at++;
            if (c == '\\')
                take_escaped(&at, false, &word);
            else if (c == '\'' || c == '"')
                closed = take_quoted(&at, c, &word);
            else
                text_add_char(&word, c);
        }
        words_add(out, text_string(&word));
    }
    text_free(&word);
    return closed || error_set(err, "a quote is left open");
}

void shell_quote(const char *word, Text *out) {
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    if (word[0] != '\0' && word[strspn(word, PLAIN)] == '\0') {
        text_add(out, word);
        return;
    }
    text_add_char(out, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *word);
    }
    text_add_char(out, '\'');
}

void shell_quote_words(const Words *words, Text *out) {
    for (size_t i = 0; i < words->count; i++) {
        text_add_char(out, ' ');
        shell_quote(words->items[i], out);
    }
}
