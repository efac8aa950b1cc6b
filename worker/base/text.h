/* SPDX-License-Identifier: MIT */
/* Text: a growing string, words with quotes, strict numbers. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* A growing string. All zero: empty. data is NULL or ends with a NUL that length does not count.
 * May hold any bytes. */
typedef struct {
    char *data;
    size_t length;
    size_t capacity;
} Text;

void text_add(Text *text, const char *s);
void text_add_bytes(Text *text, const void *bytes, size_t length);
void text_add_char(Text *text, char c);
void text_addf(Text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_addv(Text *text, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* The formatted text, allocated. */
char *text_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Appends a number with the fewest digits that read back as exactly this number. */
void text_add_number(Text *text, double value);

/* Appends a whole number as people read it: "12,345". */
void text_add_grouped(Text *text, int64_t value);

/* Makes room for `extra` more bytes, which the caller writes at data + length. */
void text_reserve(Text *text, size_t extra);

/* Removes the first n bytes; all bytes when there are fewer. */
void text_drop(Text *text, size_t n);

/* The string, "" when empty. Valid until the text is changed. */
const char *text_string(const Text *text);

/* Returns the string, never NULL, which the caller frees. The text is empty afterwards. */
char *text_take(Text *text);

void text_clear(Text *text); /* empty, keeping the memory */
void text_free(Text *text);  /* empty and zero */

/* Appends the first `most` bytes of s, fewer where they would part a UTF-8 character. Returns the
 * number of bytes that were appended. */
size_t text_add_start(Text *text, const char *s, size_t most);

/* Appends s with U+FFFD in the place of each byte that is no UTF-8. */
void text_add_utf8(Text *text, const char *s);

/* Appends a text of a server, an engine or a build in a form that is safe on a terminal. A control
 * character (C0, DEL, C1), a mark that turns the direction of writing (U+061C, U+200E, U+200F,
 * U+202A to U+202E, U+2066 to U+2069) and a byte that is no UTF-8 become \u and four hexadecimal
 * digits, "\u202e". Inside the strings of JSON these are JSON's own escapes. */
enum { KEEP_NO_LINES, KEEP_LINES /* Line breaks and tabs stay. */ };
void text_add_visible(Text *text, const char *s, int lines);

/* As text_add_visible, for the character at s, which is not the NUL. Returns the number of its
 * bytes in s. */
size_t text_add_visible_char(Text *text, const char *s, int lines);

/* Prints s as text_add_visible writes it, with its line breaks and tabs. */
void text_print(FILE *out, const char *s);

/* A list of words. Owns the words. */
typedef struct {
    char **items;
    size_t count;
    size_t capacity;
} Words;

/* A space, a tab or a line break. */
bool text_is_blank(char c);

/* Appends the words of line: separated by blanks; "double quotes" keep blanks and may stand
   anywhere in a word; inside them \" and \\ are the characters. Fails on a quote left open. */
bool words_split(Words *words, const char *line, Error *err);
void words_add(Words *words, const char *word);
bool words_has(const Words *words, const char *word);
/* The value of the last "NAME=VALUE" of this name, in any letter case, as engines take their
   options; "" when no word has one. Owned by the words. */
const char *words_value(const Words *words, const char *name);
void words_addf(Words *words, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_sort(Words *words);
/* Puts a NULL, which is not counted, behind the last word: execv takes such an array. */
void words_terminate(Words *words);
void words_free(Words *words);

/* Strict numbers: the whole of s, no blanks, in [min, max]. `what` names the value in the error:
 * "--games: 12x is not a whole number". The decimal point is a point in every locale; no inf, nan
 * or hex. */
bool text_to_int(const char *s, int64_t min, int64_t max, const char *what, int64_t *out,
                 Error *err);
bool text_to_double(const char *s, double min, double max, const char *what, double *out,
                    Error *err);

/* The value behind the "=" of "name = value", without blanks before it; NULL: the line has no "="
 * behind its first word. *length: of the name, the line's bytes before the first blank or "=". */
const char *text_setting(const char *line, size_t *length);

/* Appends `length` bytes as a part of a web address: letters, digits and "-._~" unchanged, other
 * bytes as %XX. Source: RFC 3986, section 2. */
void text_add_percent(Text *out, const char *bytes, size_t length);

/* The same of a path: its slashes stay. */
void text_add_path(Text *out, const char *path);

/* Takes the next line of a text off *rest, and returns it: *length bytes, without a line break.
 * NULL, with the length 0: no line is left. */
const char *text_next_line(const char **rest, size_t *length);

/* The last byte c among the first `length` bytes, or NULL. */
const char *text_find_last(const char *bytes, size_t length, char c);

/* Is the text hexadecimal digits alone, at least min and at most max of them? Letters of both cases
 * are digits. */
bool text_is_hex(const char *text, size_t min, size_t max);

/* Is the text a name that can stand in a path, and in an address between two slashes? It has 1 to
 * `max` bytes. The first is a letter or a digit of ASCII, the others may be of `marks` too. */
bool text_is_name(const char *text, size_t max, const char *marks);

bool text_starts_with(const char *s, const char *prefix);

/* The length of the mark that some editors put before UTF-8 (U+FEFF); 0 where s has none. */
size_t text_mark_length(const char *s);

bool text_ends_with(const char *s, const char *ending);

/* Are both NULL, or equal? */
bool text_same(const char *a, const char *b);

/* The columns that UTF-8 text takes on a terminal. Colour codes take none. */
int text_columns(const char *text);

/* The ending of a noun after a count: "" for one, "s" otherwise. */
const char *text_plural(int64_t count);

/* The value to print with so many decimals: 0 instead of a value that would be printed as
 * "-0.00". */
double unsigned_zero(double value, int decimals);

/* Are the texts equal when the case of ASCII letters is ignored? */
bool text_equal_nocase(const char *a, const char *b);

/* Does the text end in `ending`, when the case of ASCII letters is ignored? */
bool text_ends_with_nocase(const char *text, const char *ending);

/* A search for the known word meant by a mistyped word. The caller sets `word`, may set `before`,
 * and leaves the rest zero. */
typedef struct {
    const char *word;
    const char *before; /* Stands before the candidate in the hint, as "--" does; NULL: nothing. */
    const char *best;   /* The answer, see text_guess; NULL: none. The caller may choose another. */
    size_t distance;
    char hint[160];
} TextGuess;

/* Offers a candidate, which must outlive the guess. The best candidate has the smallest number of
 * letters left out, put in, changed or swapped with their neighbour (case is ignored). There is
 * none when this number is more than about a third of the letters for every candidate. */
void text_guess(TextGuess *guess, const char *candidate);

/* " (did you mean BEST?)", kept in the guess; "" when there is no best candidate. */
const char *text_guess_hint(TextGuess *guess);

#endif
