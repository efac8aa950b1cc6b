/* SPDX-License-Identifier: MIT */
#include "lmr/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROW(name, kind, standard, set, low, high, allowed, texts, needs, meaning)                  \
    {#name, (LmrKind)kind, standard, set, low, high, allowed, texts, needs, meaning},

static const LmrRow rows[LMR_ROW_COUNT] = {LMR_ROWS(ROW)};

#define PRESET_NAME(name, ...) #name,
#define PRESET_VALUES(name, ...) {__VA_ARGS__},

static const char *const preset_names[LMR_PRESET_COUNT] = {LMR_PRESETS(PRESET_NAME)};
static const int preset_values[LMR_PRESET_COUNT][LMR_ROW_COUNT] = {LMR_PRESETS(PRESET_VALUES)};

/* The one exception to "no mutable globals": where a row is variable, LMR_<ROW> names a field. */
#if LMR_TUNE
#define VALUE(name, kind, standard, set, low, high, allowed, texts, needs, meaning) .v_##name = set,
LmrValues lmr_values = {.preset = LMR_SET_PRESET, LMR_ROWS(VALUE)};

/* Where the row's variable is; NULL when the row is a constant. */
static int *value_slot(int index) {
#define SLOT(name, kind, standard, set, low, high, allowed, texts, needs, meaning)                 \
    &lmr_values.v_##name,
    static int *const slots[LMR_ROW_COUNT] = {LMR_ROWS(SLOT)};
    return slots[index];
}
#elif LMR_STATS
LmrValues lmr_values = {.v_ENABLE = LMR_SET_ENABLE};

static int *value_slot(int index) {
    return strcmp(rows[index].name, "ENABLE") == 0 ? &lmr_values.v_ENABLE : NULL;
}
#else
static int *value_slot(int index) {
    (void)index;
    return NULL;
}
#endif

LmrRange lmr_table_range(LmrTable table) {
    return table == LMR_TABLE_FLAGS ? (LmrRange){0, LMR_FLAG_COUNT}
                                    : (LmrRange){LMR_FLAG_COUNT, LMR_ROW_COUNT};
}

const LmrRow *lmr_row(int index) {
    return &rows[index];
}

int lmr_row_find(const char *name) {
    for (int i = 0; i < LMR_ROW_COUNT; i++)
        if (strcasecmp(rows[i].name, name) == 0)
            return i;
    return -1;
}

int lmr_row_value(int index) {
    const int *variable = value_slot(index);
    return variable != NULL ? *variable : rows[index].set;
}

/* Cuts the next word off *text, parted by any of `parters`; false at the end. */
static bool next_word(const char **text, const char *parters, const char **word, size_t *length) {
    *word = *text + strspn(*text, parters);
    *length = strcspn(*word, parters);
    *text = *word + *length;
    return *length > 0;
}

/* A choice that is a number stands for itself, another for its place among the choices. */
static int choice_number(const char *word, int place) {
    return word[0] >= '0' && word[0] <= '9' ? atoi(word) : place;
}

bool lmr_row_allows(const LmrRow *row, int value) {
    if (row->kind != LMR_KIND_CHOICE)
        return value >= row->low && value <= row->high;
    const char *rest = row->allowed, *word;
    size_t length;
    for (int place = 0; next_word(&rest, " ", &word, &length); place++)
        if (choice_number(word, place) == value)
            return true;
    return false;
}

void lmr_value_format(const LmrRow *row, int value, char out[LMR_VALUE_TEXT_MAX]) {
    snprintf(out, LMR_VALUE_TEXT_MAX, "%d", value);
    if (row->kind != LMR_KIND_CHOICE)
        return;
    const char *rest = row->allowed, *word;
    size_t length;
    for (int place = 0; next_word(&rest, " ", &word, &length); place++)
        if (choice_number(word, place) == value)
            snprintf(out, LMR_VALUE_TEXT_MAX, "%.*s", (int)length, word);
}

/* The number of the row's choice of that name. */
static bool choice_by_name(const LmrRow *row, const char *name, size_t name_length, int *value) {
    const char *rest = row->allowed, *word;
    size_t length;
    for (int place = 0; next_word(&rest, " ", &word, &length); place++) {
        if (length == name_length && strncasecmp(word, name, length) == 0) {
            *value = choice_number(word, place);
            return true;
        }
    }
    return false;
}

bool lmr_value_parse(const LmrRow *row, const char *text, int *value, char fault[LMR_FAULT_MAX]) {
    int parsed = 0;
    if (row->kind == LMR_KIND_CHOICE && choice_by_name(row, text, strlen(text), value))
        return true;
    if (row->kind == LMR_KIND_BOOLEAN &&
        (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0)) {
        *value = strcasecmp(text, "true") == 0;
        return true;
    }
    /* Nine digits: more than any row allows, and no overflow. */
    const char *digits = text + (*text == '-');
    size_t count = strspn(digits, "0123456789");
    if (count > 0 && count <= 9 && digits[count] == '\0') {
        parsed = atoi(text);
        if (lmr_row_allows(row, parsed)) {
            *value = parsed;
            return true;
        }
    }
    if (fault != NULL)
        snprintf(fault, LMR_FAULT_MAX, "%s=%.24s is not among %s", row->name, text, row->allowed);
    return false;
}

static bool acts(int index, bool asked[LMR_ROW_COUNT]);

/* One condition "ROW=a,b" or "ROW!=a,b", of a row that acts. The generator has checked that its
 * names exist. */
static bool condition_holds(const char *condition, size_t length, bool asked[LMR_ROW_COUNT]) {
    char name[64];
    size_t name_length = strcspn(condition, "!=");
    snprintf(name, sizeof name, "%.*s", (int)name_length, condition);
    int index = lmr_row_find(name);
    bool negated = condition[name_length] == '!';
    const char *rest = condition + name_length + (negated ? 2 : 1), *word;
    const char *end = condition + length;
    size_t word_length;
    bool found = false;
    while (rest < end && next_word(&rest, ", /", &word, &word_length) && word < end) {
        int value = 0;
        if (rows[index].kind != LMR_KIND_CHOICE ||
            !choice_by_name(&rows[index], word, word_length, &value))
            value = atoi(word);
        found = found || value == lmr_row_value(index);
    }
    return asked[index] || (found != negated && acts(index, asked));
}

/* Conditions joined by slashes: one is enough. */
static bool any_condition_holds(const char *conditions, size_t length, bool asked[LMR_ROW_COUNT]) {
    const char *rest = conditions, *word;
    size_t word_length;
    while (rest < conditions + length && next_word(&rest, "/", &word, &word_length)) {
        size_t left = (size_t)(conditions + length - word);
        if (condition_holds(word, word_length < left ? word_length : left, asked))
            return true;
    }
    return false;
}

/* Two rows may need each other: one that is being asked about, `asked`, may have any value. */
static bool acts(int index, bool asked[LMR_ROW_COUNT]) {
    const char *rest = rows[index].needs, *word;
    size_t length;
    if (strcmp(rest, "-") == 0)
        return true;
    asked[index] = true;
    bool all = true;
    while (all && next_word(&rest, " ", &word, &length))
        all = any_condition_holds(word, length, asked);
    asked[index] = false;
    return all;
}

bool lmr_row_acts(int index) {
    bool asked[LMR_ROW_COUNT] = {false};
    return acts(index, asked);
}

bool lmr_row_set(int index, int value) {
    int *variable = value_slot(index);
    if (variable == NULL || !lmr_row_allows(&rows[index], value))
        return false;
    *variable = value;
    return true;
}

const char *lmr_preset_name(int preset) {
    return preset_names[preset];
}

int lmr_preset_find(const char *name) {
    for (int i = 0; i < LMR_PRESET_COUNT; i++)
        if (strcasecmp(preset_names[i], name) == 0)
            return i;
    return -1;
}

int lmr_preset(void) {
#if LMR_TUNE
    return lmr_values.preset;
#else
    return LMR_SET_PRESET;
#endif
}

int lmr_preset_differing(LmrRange range) {
    int differing = 0;
    for (int i = range.first; i < range.end; i++)
        differing += lmr_row_value(i) != preset_values[lmr_preset()][i];
    return differing;
}

bool lmr_preset_set(int preset) {
#if LMR_TUNE
    int stats = lmr_values.v_STATS;
    lmr_values.preset = preset;
    for (int i = 0; i < LMR_ROW_COUNT; i++)
        *value_slot(i) = preset_values[preset][i];
    lmr_values.v_STATS = stats;
    return true;
#else
    (void)preset;
    return false;
#endif
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
enum { FNV_PRIME = 16777619 };
#define FNV_OFFSET 2166136261u

uint32_t lmr_hash(void) {
    uint32_t hash = FNV_OFFSET;
    bool differs = false;
    for (int i = 0; i < LMR_ROW_COUNT; i++) {
        if (lmr_row_value(i) == rows[i].standard)
            continue;
        char word[96], value[LMR_VALUE_TEXT_MAX];
        lmr_value_format(&rows[i], lmr_row_value(i), value);
        snprintf(word, sizeof word, "%s=%s ", rows[i].name, value);
        for (const char *c = word; *c != '\0'; c++)
            hash = (hash ^ (uint8_t)*c) * FNV_PRIME;
        differs = true;
    }
    return !differs ? 0 : hash == 0 ? 1 : hash;
}
