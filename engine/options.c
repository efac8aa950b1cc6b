/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "lmr/flags.h"
#include "search/search.h"
#include "search/tablebase.h"
#include "words.h"

enum { OVERHEAD_DEFAULT_MS = 10, OVERHEAD_MAX_MS = 5000 };

typedef enum { TYPE_SPIN, TYPE_CHECK, TYPE_BUTTON, TYPE_TEXT } OptionType;

typedef struct {
    const char *name;
    OptionType type;
    int standard, low, high;
    size_t offset; /* in Options, of an int, or of a text; not used by buttons */
    OptionsEffect effect;
} Option;

static const Option table[] = {
    {"Hash", TYPE_SPIN, SEARCH_HASH_DEFAULT, SEARCH_HASH_MIN, SEARCH_HASH_MAX,
     offsetof(Options, hash), OPTIONS_RESIZE_HASH},
    {"Threads", TYPE_SPIN, 1, 1, SEARCH_THREADS_MAX, offsetof(Options, threads),
     OPTIONS_SET_THREADS},
    {"Ponder", TYPE_CHECK, 0, 0, 1, offsetof(Options, ponder), OPTIONS_NOTHING},
    {"MultiPV", TYPE_SPIN, 1, 1, SEARCH_MULTIPV_MAX, offsetof(Options, multipv), OPTIONS_NOTHING},
    {"Move Overhead", TYPE_SPIN, OVERHEAD_DEFAULT_MS, 0, OVERHEAD_MAX_MS,
     offsetof(Options, overhead), OPTIONS_NOTHING},
    {"UCI_Chess960", TYPE_CHECK, 0, 0, 1, offsetof(Options, chess960), OPTIONS_SET_CHESS960},
    {"UCI_ShowWDL", TYPE_CHECK, 0, 0, 1, offsetof(Options, show_wdl), OPTIONS_NOTHING},
    {"Clear Hash", TYPE_BUTTON, 0, 0, 0, 0, OPTIONS_CLEAR_HASH},
    /* Last, so that a build without libfathom leaves them out. */
    {"SyzygyPath", TYPE_TEXT, 0, 0, 0, offsetof(Options, syzygy_path), OPTIONS_OPEN_TABLES},
    {"SyzygyProbeLimit", TYPE_SPIN, TABLEBASE_MEN_MAX, 0, TABLEBASE_MEN_MAX,
     offsetof(Options, syzygy_limit), OPTIONS_LIMIT_TABLES},
};
enum { OPTION_COUNT = sizeof table / sizeof table[0], TABLE_OPTIONS = 2 };

/* The options that this build has. */
static int option_count(void) {
    return tablebase_available() ? OPTION_COUNT : OPTION_COUNT - TABLE_OPTIONS;
}

/* How UCI writes the empty text. */
static const char EMPTY_TEXT[] = "<empty>";

/* In a tunable build: a whole bundle of rows at once. */
static const char PRESET_OPTION[] = "PRESET";

static bool is_number(const Option *option) {
    return option->type == TYPE_SPIN || option->type == TYPE_CHECK;
}

static int *slot(Options *options, const Option *option) {
    return (int *)(void *)((char *)options + option->offset);
}

void options_init(Options *options) {
    *options = (Options){.hash = 0};
    for (int i = 0; i < OPTION_COUNT; i++)
        if (is_number(&table[i]))
            *slot(options, &table[i]) = table[i].standard;
}

static void print_row(FILE *out, const LmrRow *row) {
    char standard[LMR_VALUE_TEXT_MAX];
    lmr_value_format(row, row->set, standard);
    if (row->kind == LMR_KIND_BOOLEAN) {
        fprintf(out, "option name %s type check default %s\n", row->name,
                row->set ? "true" : "false");
    } else if (row->kind == LMR_KIND_CHOICE) {
        fprintf(out, "option name %s type combo default %s", row->name, standard);
        for (int value = row->low; value <= row->high; value++) {
            char text[LMR_VALUE_TEXT_MAX];
            lmr_value_format(row, value, text);
            if (lmr_row_allows(row, value))
                fprintf(out, " var %s", text);
        }
        fprintf(out, "\n");
    } else {
        fprintf(out, "option name %s type spin default %s min %d max %d\n", row->name, standard,
                row->low, row->high);
    }
}

static void print_preset(FILE *out) {
    fprintf(out, "option name %s type combo default %s", PRESET_OPTION,
            lmr_preset_name(LMR_SET_PRESET));
    for (int preset = 0; preset < LMR_PRESET_COUNT; preset++)
        fprintf(out, " var %s", lmr_preset_name(preset));
    fprintf(out, "\n");
}

void options_print(FILE *out) {
    for (int i = 0; i < option_count(); i++) {
        const Option *option = &table[i];
        if (option->type == TYPE_BUTTON)
            fprintf(out, "option name %s type button\n", option->name);
        else if (option->type == TYPE_TEXT)
            fprintf(out, "option name %s type string default %s\n", option->name, EMPTY_TEXT);
        else if (option->type == TYPE_CHECK)
            fprintf(out, "option name %s type check default %s\n", option->name,
                    option->standard ? "true" : "false");
        else
            fprintf(out, "option name %s type spin default %d min %d max %d\n", option->name,
                    option->standard, option->low, option->high);
    }
    if (LMR_TUNE)
        print_preset(out);
    for (int i = 0; LMR_TUNE && i < LMR_ROW_COUNT; i++)
        print_row(out, lmr_row(i));
}

static bool parse_value(const Option *option, const char *text, int *value) {
    if (option->type == TYPE_SPIN)
        return words_number_within(text, option->low, option->high, value);
    bool is_true = strcasecmp(text, "true") == 0;
    if (!is_true && strcasecmp(text, "false") != 0)
        return false;
    *value = is_true;
    return true;
}

/* Sets a text, whose place in Options has OPTIONS_TEXT_MAX bytes. */
static bool set_text(Options *options, const Option *option, const char *value,
                     char fault[OPTIONS_FAULT_MAX]) {
    size_t length = strcmp(value, EMPTY_TEXT) == 0 ? 0 : strlen(value);
    char *text = (char *)options + option->offset;
    if (length >= OPTIONS_TEXT_MAX) {
        snprintf(fault, OPTIONS_FAULT_MAX, "setoption: %s takes at most %d bytes", option->name,
                 OPTIONS_TEXT_MAX - 1);
        return false;
    }
    memcpy(text, value, length);
    text[length] = '\0';
    return true;
}

/* Sets a spin or a check. */
static bool set_number(Options *options, const Option *option, const char *value,
                       char fault[OPTIONS_FAULT_MAX]) {
    if (parse_value(option, value, slot(options, option)))
        return true;
    if (option->type == TYPE_CHECK)
        snprintf(fault, OPTIONS_FAULT_MAX, "setoption: %s is true or false, not \"%.32s\"",
                 option->name, value);
    else
        snprintf(fault, OPTIONS_FAULT_MAX, "setoption: %s is a number from %d to %d, not \"%.32s\"",
                 option->name, option->low, option->high, value);
    return false;
}

static bool set_row(int index, const char *value, OptionsEffect *effect,
                    char fault[OPTIONS_FAULT_MAX]) {
    int number;
    char reason[LMR_FAULT_MAX];
    if (!lmr_value_parse(lmr_row(index), value, &number, reason)) {
        snprintf(fault, OPTIONS_FAULT_MAX, "setoption: %s", reason);
        return false;
    }
    *effect = OPTIONS_RETUNE;
    return lmr_row_set(index, number);
}

/* Sets all rows but STATS, so that those given besides come after it. */
static bool set_preset(const char *value, OptionsEffect *effect, char fault[OPTIONS_FAULT_MAX]) {
    int preset = lmr_preset_find(value);
    if (preset < 0) {
        snprintf(fault, OPTIONS_FAULT_MAX, "setoption: there is no preset \"%.32s\"", value);
        return false;
    }
    *effect = OPTIONS_RETUNE;
    return lmr_preset_set(preset);
}

bool options_is_row(const char *name) {
    return LMR_TUNE && (strcasecmp(name, PRESET_OPTION) == 0 || lmr_row_find(name) >= 0);
}

bool options_set(Options *options, const char *name, const char *value, OptionsEffect *effect,
                 char fault[OPTIONS_FAULT_MAX]) {
    *effect = OPTIONS_NOTHING;
    for (int i = 0; i < option_count(); i++) {
        const Option *option = &table[i];
        if (strcasecmp(option->name, name) != 0)
            continue;
        if (option->type == TYPE_TEXT
                ? !set_text(options, option, value, fault)
                : is_number(option) && !set_number(options, option, value, fault))
            return false;
        *effect = option->effect;
        return true;
    }
    if (LMR_TUNE && strcasecmp(name, PRESET_OPTION) == 0)
        return set_preset(value, effect, fault);
    int index = LMR_TUNE ? lmr_row_find(name) : -1;
    if (index >= 0)
        return set_row(index, value, effect, fault);
    snprintf(fault, OPTIONS_FAULT_MAX, "setoption: there is no option \"%.64s\"", name);
    return false;
}
