/* SPDX-License-Identifier: MIT */
#include "results/ending.h"

#include <string.h>

/* The characters in a row's words that stand for the colour and for the detail. */
enum { COLOR_MARK = '@', DETAIL_MARK = '#' };

static const struct {
    const char *words;
    const char *termination;
    const char *name;
    Fault fault;
    const char *server;
} ENDINGS[ENDING_COUNT] = {
    [ENDING_UNKNOWN] = {"", "", "otherwise", FAULT_NONE, ""},
#define ENDING(kind, words, termination, name, fault, server)                                      \
    [ENDING_##kind] = {words, termination, name, FAULT_##fault, server},
#include "results/endings.def"
#undef ENDING
};

const char *ending_name(Ending ending) {
    return ENDINGS[ending].name;
}

const char *ending_termination(Ending ending) {
    return ENDINGS[ending].termination;
}

const char *ending_server_name(Ending ending) {
    return ENDINGS[ending].server;
}

Fault ending_fault(Ending ending) {
    return ENDINGS[ending].fault;
}

Ending ending_named(const char *name) {
    for (int i = ENDING_UNKNOWN + 1; i < ENDING_COUNT; i++)
        if (strcmp(ENDINGS[i].name, name) == 0)
            return (Ending)i;
    return ENDING_UNKNOWN;
}

void ending_write(Ending ending, const char *color, const char *detail, Text *out) {
    for (const char *c = ENDINGS[ending].words; *c; c++) {
        if (*c == COLOR_MARK)
            text_add(out, color);
        else if (*c == DETAIL_MARK)
            text_add(out, detail != NULL ? detail : "");
        else
            text_add_char(out, *c);
    }
}

/* Passes over the mark of a colour in the row's words and over a colour in `text`. True also when
   the row has no mark; false when `text` has no colour there. */
static bool skip_color(const char **row, const char **text) {
    static const char *const COLORS[] = {"White", "Black"};
    for (int i = 0; **row == COLOR_MARK && i < 2; i++) {
        if (!text_starts_with(*text, COLORS[i]))
            continue;
        *row += 1;
        *text += strlen(COLORS[i]);
        return true;
    }
    return **row != COLOR_MARK;
}

/* Whether `text` is the row's words with colour and detail filled in. Appends the detail. */
static bool fits(const char *row, const char *text, Text *detail) {
    if (!skip_color(&row, &text))
        return false;
    size_t fixed = strcspn(row, (char[]){DETAIL_MARK, '\0'});
    if (strncmp(row, text, fixed) != 0)
        return false;
    if (row[fixed] == '\0')
        return text[fixed] == '\0';
    const char *rest = row + fixed + 1;
    size_t length = strlen(text + fixed);
    if (length < strlen(rest) || strcmp(text + fixed + length - strlen(rest), rest) != 0)
        return false;
    text_add_bytes(detail, text + fixed, length - strlen(rest));
    return true;
}

Ending ending_read(const char *words, Text *detail) {
    for (int i = ENDING_UNKNOWN + 1; i < ENDING_COUNT; i++)
        if (fits(ENDINGS[i].words, words, detail))
            return (Ending)i;
    return ENDING_UNKNOWN;
}
