/* SPDX-License-Identifier: MIT */
/* Text: a growing string, words with quotes, strict numbers. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* A growing string. All zero is empty; data is NULL or ends with a NUL that length does not count.
   May hold any bytes. */
typedef struct {
    char *data;
    size_t length;
    size_t capacity;
} Text;

void text_add(Text *text, const char *s);
void text_add_bytes(Text *text, const void *bytes, size_t length);
void text_add_char(Text *text, char c);
void text_addf(Text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends a number as programs read it: the shortest that is exactly it. */
void text_add_number(Text *text, double value);

/* Room for `extra` bytes more, to be written at data + length by the caller. */
void text_reserve(Text *text, size_t extra);

/* Drops the first n bytes (all, when there are fewer). */
void text_drop(Text *text, size_t n);

/* The string, "" when empty; it lives until text is changed. */
const char *text_string(const Text *text);

/* Hands the string over to the caller, who frees it; never NULL. text is empty afterwards. */
char *text_take(Text *text);

void text_clear(Text *text); /* empty, keeping the memory */
void text_free(Text *text);  /* empty and zero */

/* Text of a server, an engine or a build, as a terminal may show it: a control character (C0, DEL,
   C1), a mark that turns the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066
   to U+2069) and a byte that is no UTF-8 become \u and four hexadecimal digits, "\u202e". Inside
   the strings of JSON these are JSON's own escapes. */
enum { KEEP_NO_LINES, KEEP_LINES /* Line breaks and tabs stay. */ };
void text_add_visible(Text *text, const char *s, int lines);

/* The same for the character at s, which is not the NUL. Returns its bytes. */
size_t text_add_visible_char(Text *text, const char *s, int lines);

/* Prints s in this form, with its line breaks and tabs. */
void text_print(FILE *out, const char *s);

/* Words of a line. */
typedef struct {
    char **items;
    size_t count;
    size_t capacity;
} Words;

/* Appends the words of line: separated by blanks; "double quotes" keep blanks and may stand
   anywhere in a word; inside them \" and \\ are the characters. Fails on a quote left open. */
bool words_split(Words *words, const char *line, Error *err);
void words_add(Words *words, const char *word);
/* Puts a NULL behind the last word, which is not counted: items is then as execv wants it. */
void words_terminate(Words *words);
void words_free(Words *words);

/* Strict numbers: the whole of s, no blanks, in [min, max]. `what` names the value in the error:
   "--games: 12x is not a whole number". Decimal point whatever the locale; no inf, nan or hex. */
bool text_to_int(const char *s, int64_t min, int64_t max, const char *what, int64_t *out,
                 Error *err);
bool text_to_double(const char *s, double min, double max, const char *what, double *out,
                    Error *err);

bool text_starts_with(const char *s, const char *prefix);

/* What makes a noun fit its count: "" for one, "s" otherwise. */
const char *text_plural(int64_t count);

/* The value to print with so many decimals: 0 in place of one that would be shown as "-0.00". */
double unsigned_zero(double value, int decimals);

/* Equal but for the case of ASCII letters. */
bool text_equal_nocase(const char *a, const char *b);

/* Which of several words was meant by one that is none of them. Set word, the rest to zero. */
typedef struct {
    const char *word;
    const char *best;
    size_t distance;
} TextGuess;

/* Looks at a candidate; it must outlive the guess. */
void text_guess(TextGuess *guess, const char *candidate);

/* The candidate that needs the fewest letters left out, put in, changed or swapped with their
   neighbour (case aside), NULL when none comes near: about a third of the letters. */
const char *text_guessed(const TextGuess *guess);

#endif
