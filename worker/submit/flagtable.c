/* SPDX-License-Identifier: MIT */
#include "submit/flagtable.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { COLUMNS = 7, NAME = 0, KIND = 1, STANDARD = 2, ALLOWED = 3 };

/* A column of a line of the table: the position of its text, without the blanks around. */
typedef struct {
    size_t at;
    size_t length;
    size_t end; /* The position of the bar behind the column. */
} Column;

const char *const flagtable_files[FLAGTABLE_COUNT] = {"lmr/flags.def", "search/params.def"};

/* ---- Reading ---- */

/* Reads the columns of the line at `start`; false: the line is no row. */
static bool read_row(const char *table, size_t start, size_t length, Column columns[COLUMNS]) {
    size_t at = start;
    if (length == 0 || table[start] == '#')
        return false;
    for (int i = 0; i < COLUMNS; i++) {
        size_t rest = start + length - at;
        const char *bar = memchr(table + at, '|', rest);
        size_t end = bar ? (size_t)(bar - table) : start + length;
        if (!bar && i + 1 < COLUMNS)
            return false;
        columns[i] = (Column){.at = at, .end = end};
        size_t last = end;
        while (columns[i].at < last && isblank((unsigned char)table[columns[i].at]))
            columns[i].at++;
        while (last > columns[i].at && isspace((unsigned char)table[last - 1]))
            last--;
        columns[i].length = last - columns[i].at;
        at = end + 1;
    }
    return true;
}

static bool is_column(const char *table, const Column *column, const char *text, size_t length) {
    return column->length == length && strncmp(table + column->at, text, length) == 0;
}

/* Finds the row of this name. The error for an unknown name suggests a similar one. */
static bool find_row(const Text *table, const char *name, Column columns[COLUMNS], Error *err) {
    Words names = {0};
    TextGuess guess = {.word = name};
    const char *text = text_string(table);
    bool found = false;
    for (size_t at = 0; !found && at < table->length;) {
        size_t length = strcspn(text + at, "\n");
        found = read_row(text, at, length, columns);
        if (found) {
            char *row = mem_strndup(text + columns[NAME].at, columns[NAME].length);
            words_add(&names, row);
            found = strcmp(row, name) == 0;
            free(row);
        }
        at += length + 1;
    }
    for (size_t i = 0; !found && i < names.count; i++)
        text_guess(&guess, names.items[i]);
    if (!found && strcmp(name, "PRESET") == 0)
        error_set(err, "PRESET chooses a bundle of rows when the engine is built: a branch changes "
                       "rows, name them");
    else if (!found)
        error_set(err, "unknown row %.40s%s", name,
                  guess.best ? text_guess_hint(&guess)
                             : " (reductio lmr list and params list name them)");
    words_free(&names);
    return found;
}

/* ---- Values ---- */

static bool is_digits(const char *text) {
    return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* Finds a choice by its name or by its number. The number of a choice is its place among the words,
 * or, when the words are numbers, the word. */
static bool find_choice(const Words *words, const char *value, const char **out) {
    bool numbered = words->count > 0 && is_digits(words->items[0]);
    for (size_t i = 0; i < words->count; i++) {
        char number[FLAG_VALUE_MAX];
        snprintf(number, sizeof number, "%zu", i);
        if (strcmp(words->items[i], value) == 0 || (!numbered && strcmp(number, value) == 0)) {
            *out = words->items[i];
            return true;
        }
    }
    return false;
}

static bool check_choice(const char *row, const char *allowed, const char *value,
                         char out[FLAG_VALUE_MAX], Error *err) {
    Words words = {0};
    const char *name = NULL;
    bool ok = words_split(&words, allowed, err);
    if (ok && !find_choice(&words, value, &name))
        ok = error_set(err, "%s=%s is not one of: %s", row, value, allowed);
    if (ok)
        snprintf(out, FLAG_VALUE_MAX, "%s", name);
    words_free(&words);
    return ok;
}

/* allowed: "lo..hi" */
static bool check_number(const char *row, const char *allowed, const char *value,
                         char out[FLAG_VALUE_MAX], Error *err) {
    int64_t number;
    char *end;
    long long low = strtoll(allowed, &end, 10);
    long long high = text_starts_with(end, "..") ? strtoll(end + 2, NULL, 10) : low;
    if (!text_to_int(value, INT32_MIN, INT32_MAX, row, &number, NULL))
        return error_set(err, "%s=%s is not a whole number in %s", row, value, allowed);
    if (number < low || number > high)
        return error_set(err, "%s=%s is out of range %s", row, value, allowed);
    snprintf(out, FLAG_VALUE_MAX, "%" PRId64, number);
    return true;
}

/* ---- Changing ---- */

/* Writes the value into the column. The bar behind the column stays in place when the value fits.
 */
static void replace(Text *table, const Column *column, const char *value) {
    Text out = {0};
    const char *text = text_string(table);
    size_t room = column->end - column->at;
    size_t length = strlen(value);
    text_add_bytes(&out, text, column->at);
    text_add(&out, value);
    for (size_t i = length; i < room; i++)
        text_add_char(&out, ' ');
    if (length >= room)
        text_add_char(&out, ' ');
    text_add_bytes(&out, text + column->end, table->length - column->end);
    text_free(table);
    *table = out;
}

bool flagtable_has(const Text *table, const char *word) {
    Column columns[COLUMNS];
    char *name = mem_strndup(word, strcspn(word, "="));
    bool found = find_row(table, name, columns, NULL);
    free(name);
    return found;
}

bool flagtable_change(Text *table, const char *word, FlagChange *change, Error *err) {
    Column columns[COLUMNS];
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || (size_t)(equals - word) >= sizeof change->row)
        return error_set(err, "\"%.80s\" is not of the form ROW=VALUE", word);
    snprintf(change->row, sizeof change->row, "%.*s", (int)(equals - word), word);
    if (strlen(equals + 1) >= sizeof change->after)
        return error_set(err, "%s: %.60s is not a value", change->row, equals + 1);
    if (!find_row(table, change->row, columns, err))
        return false;
    const char *text = text_string(table);
    char *allowed = mem_strndup(text + columns[ALLOWED].at, columns[ALLOWED].length);
    bool choice = is_column(text, &columns[KIND], "C", 1);
    bool ok = choice ? check_choice(change->row, allowed, equals + 1, change->after, err)
                     : check_number(change->row, allowed, equals + 1, change->after, err);
    free(allowed);
    if (!ok)
        return false;
    snprintf(change->before, sizeof change->before, "%.*s", (int)columns[STANDARD].length,
             text + columns[STANDARD].at);
    if (strcmp(change->before, change->after) == 0)
        return error_set(err, "%s is %s already", change->row, change->after);
    replace(table, &columns[STANDARD], change->after);
    return true;
}
