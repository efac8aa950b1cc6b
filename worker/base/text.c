/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

/* Longer numbers are refused: no limit here needs so many digits. */
enum { NUMBER_MAX = 64 };

void text_add_number(Text *text, double value) {
    enum { DIGITS_MAX = 40, EXACT_DIGITS = 17 };
    static const double EXACT_WHOLE = 1e15; /* Smaller ones are written without an exponent. */
    char number[DIGITS_MAX];
    bool whole = value == trunc(value) && fabs(value) < EXACT_WHOLE;
    snprintf(number, sizeof number, "%.0f", value);
    for (int digits = 1; !whole && digits <= EXACT_DIGITS; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            break;
    }
    text_add(text, number);
}

void text_add_grouped(Text *text, int64_t value) {
    enum { DIGITS_MAX = 24, GROUP = 3 };
    char digits[DIGITS_MAX];
    int length = snprintf(digits, sizeof digits, "%" PRId64, value);
    int start = value < 0;
    for (int i = 0; i < length; i++) {
        if (i > start && (length - i) % GROUP == 0)
            text_add_char(text, ',');
        text_add_char(text, digits[i]);
    }
}

void text_reserve(Text *text, size_t extra) {
    text->data = mem_grow(text->data, &text->capacity, text->length + extra + 1, 1);
}

void text_add_bytes(Text *text, const void *bytes, size_t length) {
    text_reserve(text, length);
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(Text *text, const char *s) {
    text_add_bytes(text, s, strlen(s));
}

void text_add_char(Text *text, char c) {
    text_add_bytes(text, &c, 1);
}

void text_addv(Text *text, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (length > 0) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, fmt, args);
        text->length += (size_t)length;
    }
}

void text_addf(Text *text, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    text_addv(text, fmt, args);
    va_end(args);
}

char *text_format(const char *fmt, ...) {
    Text text = {0};
    va_list args;
    va_start(args, fmt);
    text_addv(&text, fmt, args);
    va_end(args);
    return text_take(&text);
}

void text_drop(Text *text, size_t n) {
    if (n > text->length)
        n = text->length;
    if (!n)
        return;
    memmove(text->data, text->data + n, text->length - n + 1);
    text->length -= n;
}

const char *text_string(const Text *text) {
    return text->data ? text->data : "";
}

char *text_take(Text *text) {
    text_reserve(text, 0);
    text->data[text->length] = '\0';
    char *data = text->data;
    *text = (Text){0};
    return data;
}

void text_clear(Text *text) {
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

void text_free(Text *text) {
    free(text->data);
    *text = (Text){0};
}

/* ---- UTF-8, and safe text for a terminal ---- */

/* The number of bytes of the UTF-8 character at s, and its code point; 0: there is no valid
 * character (overlong forms and surrogates are not valid). */
static size_t utf8_read(const unsigned char *s, unsigned *code) {
    static const struct {
        unsigned char mask, lead;
        size_t length;
        unsigned least;
    } FORMS[] = {{0x80, 0x00, 1, 0},
                 {0xE0, 0xC0, 2, 0x80},
                 {0xF0, 0xE0, 3, 0x800},
                 {0xF8, 0xF0, 4, 0x10000}};
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        if ((s[0] & FORMS[i].mask) != FORMS[i].lead)
            continue;
        *code = s[0] & (unsigned char)~FORMS[i].mask;
        for (size_t k = 1; k < FORMS[i].length; k++) {
            if ((s[k] & 0xC0) != 0x80)
                return 0;
            *code = *code << 6 | (s[k] & 0x3F);
        }
        bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
        return *code < FORMS[i].least || surrogate || *code > 0x10FFFF ? 0 : FORMS[i].length;
    }
    return 0;
}

size_t text_add_start(Text *text, const char *s, size_t most) {
    size_t length = strlen(s);
    size_t end = length < most ? length : most;
    while (end > 0 && end < length && ((unsigned char)s[end] & 0xC0) == 0x80)
        end--;
    text_add_bytes(text, s, end);
    return end;
}

void text_add_utf8(Text *text, const char *s) {
    static const char replacement[] = "\xEF\xBF\xBD";
    while (*s) {
        unsigned code;
        size_t length = utf8_read((const unsigned char *)s, &code);
        if (length > 0)
            text_add_bytes(text, s, length);
        else
            text_add(text, replacement);
        s += length > 0 ? length : 1;
    }
}

/* Is the character a control, or a mark, embedding, override or isolate of bidirectional text? */
static bool is_disturbing(unsigned code) {
    static const struct {
        unsigned first, last;
    } RANGES[] = {{0, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},
                  {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}};
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
        if (code >= RANGES[i].first && code <= RANGES[i].last)
            return true;
    return false;
}

size_t text_add_visible_char(Text *text, const char *s, int lines) {
    unsigned code;
    size_t length = utf8_read((const unsigned char *)s, &code);
    bool kept = lines == KEEP_LINES && (*s == '\n' || *s == '\t');
    if (length > 0 && (kept || !is_disturbing(code))) {
        text_add_bytes(text, s, length);
        return length;
    }
    text_addf(text, "\\u%04x", length > 0 ? code : (unsigned char)*s);
    return length > 0 ? length : 1;
}

void text_add_visible(Text *text, const char *s, int lines) {
    while (*s)
        s += text_add_visible_char(text, s, lines);
}

void text_print(FILE *out, const char *s) {
    Text visible = {0};
    text_add_visible(&visible, s, KEEP_LINES);
    fputs(text_string(&visible), out);
    text_free(&visible);
}

/* ---- Words ---- */

static void words_add_owned(Words *words, char *word) {
    MEM_ADD(words->items, words->count, words->capacity, word);
}

void words_addf(Words *words, const char *fmt, ...) {
    Text word = {0};
    va_list args;
    va_start(args, fmt);
    text_addv(&word, fmt, args);
    va_end(args);
    words_add_owned(words, text_take(&word));
}

void words_add(Words *words, const char *word) {
    words_add_owned(words, mem_strdup(word));
}

bool words_has(const Words *words, const char *word) {
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
}

const char *words_value(const Words *words, const char *name) {
    size_t length = strlen(name);
    const char *value = "";
    for (size_t i = 0; i < words->count; i++)
        if (strncasecmp(words->items[i], name, length) == 0 && words->items[i][length] == '=')
            value = words->items[i] + length + 1;
    return value;
}

bool text_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Reads the word at *line, which is not blank, and moves *line past the word. */
static bool read_word(const char **line, Text *word) {
    bool quoted = false;
    const char *s = *line;
    for (; *s && (quoted || !text_is_blank(*s)); s++) {
        if (*s == '"')
            quoted = !quoted;
        else if (quoted && *s == '\\' && (s[1] == '"' || s[1] == '\\'))
            text_add_char(word, *++s);
        else
            text_add_char(word, *s);
    }
    *line = s;
    return !quoted;
}

bool words_split(Words *words, const char *line, Error *err) {
    const char *s = line;
    for (;;) {
        while (text_is_blank(*s))
            s++;
        if (!*s)
            return true;
        Text word = {0};
        if (!read_word(&s, &word)) {
            text_free(&word);
            return error_set(err, "%s: a quote is not closed", line);
        }
        words_add_owned(words, text_take(&word));
    }
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void words_sort(Words *words) {
    if (words->count > 0)
        qsort(words->items, words->count, sizeof *words->items, by_text);
}

void words_terminate(Words *words) {
    words->items = mem_grow(words->items, &words->capacity, words->count + 1, sizeof *words->items);
    words->items[words->count] = NULL;
}

void words_free(Words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (Words){0};
}

bool text_to_int(const char *s, int64_t min, int64_t max, const char *what, int64_t *out,
                 Error *err) {
    const char *digits = *s == '-' || *s == '+' ? s + 1 : s;
    if (!*digits || digits[strspn(digits, "0123456789")])
        return error_set(err, "%s: '%.40s' is not a whole number", what, s);
    errno = 0;
    long long value = strtoll(s, NULL, 10);
    if (errno == ERANGE || value < min || value > max)
        return error_set(err, "%s: %.40s is not between %lld and %lld", what, s, (long long)min,
                         (long long)max);
    *out = value;
    return true;
}

bool text_to_double(const char *s, double min, double max, const char *what, double *out,
                    Error *err) {
    char *end;
    double value = strtod(s, &end); /* No call of setlocale: strtod expects a point. */
    if (strlen(s) >= NUMBER_MAX || s[strspn(s, "0123456789.eE+-")] || end == s || *end)
        return error_set(err, "%s: '%.40s' is not a number", what, s);
    if (!isfinite(value) || value < min || value > max)
        return error_set(err, "%s: %.40s is not between %.12g and %.12g", what, s, min, max);
    *out = value;
    return true;
}

void text_add_percent(Text *out, const char *bytes, size_t length) {
    static const char UNRESERVED[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (size_t i = 0; i < length; i++)
        if (memchr(UNRESERVED, bytes[i], sizeof UNRESERVED - 1) != NULL)
            text_add_char(out, bytes[i]);
        else
            text_addf(out, "%%%02X", (unsigned)(unsigned char)bytes[i]);
}

void text_add_path(Text *out, const char *path) {
    for (;;) {
        size_t length = strcspn(path, "/");
        text_add_percent(out, path, length);
        if (path[length] == '\0')
            return;
        text_add_char(out, '/');
        path += length + 1;
    }
}

const char *text_next_line(const char **rest, size_t *length) {
    const char *line = *rest;
    *length = strcspn(line, "\n");
    *rest = line + *length + (line[*length] == '\n');
    return *rest > line ? line : NULL;
}

const char *text_find_last(const char *bytes, size_t length, char c) {
    while (length > 0)
        if (bytes[--length] == c)
            return bytes + length;
    return NULL;
}

bool text_is_hex(const char *text, size_t min, size_t max) {
    size_t length = strspn(text, "0123456789abcdefABCDEF");
    return text[length] == '\0' && length >= min && length <= max;
}

bool text_is_name(const char *text, size_t max, const char *marks) {
    size_t length = strlen(text);
    if (length == 0 || length > max || !isalnum((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && strchr(marks, text[i]) == NULL)
            return false;
    return true;
}

bool text_starts_with(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

size_t text_mark_length(const char *s) {
    static const char MARK[] = "\xef\xbb\xbf";
    return text_starts_with(s, MARK) ? strlen(MARK) : 0;
}

bool text_ends_with(const char *s, const char *ending) {
    size_t length = strlen(s);
    size_t wanted = strlen(ending);
    return length >= wanted && strcmp(s + length - wanted, ending) == 0;
}

bool text_same(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

int text_columns(const char *text) {
    int columns = 0;
    bool code = false;
    for (const char *s = text; *s; s++) {
        code = code || *s == '\x1b';
        columns += !code && ((unsigned char)*s & 0xC0) != 0x80;
        code = code && *s != 'm';
    }
    return columns;
}

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

const char *text_plural(int64_t count) {
    return count == 1 ? "" : "s";
}

double unsigned_zero(double value, int decimals) {
    return fabs(value) < 0.5 * pow(10, -decimals) ? 0 : value;
}

bool text_equal_nocase(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

bool text_ends_with_nocase(const char *text, const char *ending) {
    size_t length = strlen(text);
    size_t wanted = strlen(ending);
    return length >= wanted && text_equal_nocase(text + length - wanted, ending);
}

const char *text_setting(const char *line, size_t *length) {
    *length = strcspn(line, " \t=");
    const char *equals = line + *length + strspn(line + *length, " \t");
    return *equals == '=' ? equals + 1 + strspn(equals + 1, " \t") : NULL;
}

/* ---- Guesses ---- */

enum { GUESS_LENGTH_MAX = 40 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The optimal string alignment distance (Damerau's, where swapped neighbours change no further),
 * over three rows of its table. Both words have at most GUESS_LENGTH_MAX letters. */
static size_t edit_distance(const char *a, const char *b) {
    size_t rows[3][GUESS_LENGTH_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        last[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        now[0] = i;
        for (size_t j = 1; j <= width; j++) {
            int x = lower(a[i - 1]);
            int y = lower(b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[width];
}

void text_guess(TextGuess *guess, const char *candidate) {
    size_t length = strlen(guess->word);
    if (length > GUESS_LENGTH_MAX || strlen(candidate) > GUESS_LENGTH_MAX)
        return;
    size_t distance = edit_distance(guess->word, candidate);
    if (3 * distance > length + 1 || (guess->best && distance >= guess->distance))
        return;
    guess->best = candidate;
    guess->distance = distance;
}

const char *text_guess_hint(TextGuess *guess) {
    if (guess->best)
        snprintf(guess->hint, sizeof guess->hint, " (did you mean %s%.100s?)",
                 guess->before ? guess->before : "", guess->best);
    return guess->hint;
}
