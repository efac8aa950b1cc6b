/* SPDX-License-Identifier: MIT */
#include "match/uci.h"

#include <string.h>

/* A word within a line. */
typedef struct {
    const char *text;
    size_t length;
} Word;

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* The next word; false at the end of the line. */
static bool next_word(const char **at, Word *out) {
    const char *p = skip_blanks(*at);
    out->text = p;
    while (*p != '\0' && *p != ' ' && *p != '\t')
        p++;
    out->length = (size_t)(p - out->text);
    *at = p;
    return out->length > 0;
}

static bool word_is(const Word *word, const char *text) {
    return strncmp(word->text, text, word->length) == 0 && text[word->length] == '\0';
}

/* Reads a whole number within +-INT64_MAX. False for any other word. */
static bool word_number(const Word *word, int64_t *out) {
    size_t i = word->text[0] == '-' || word->text[0] == '+' ? 1 : 0;
    size_t first = i;
    int64_t value = 0;
    for (; i < word->length; i++) {
        int digit = word->text[i] - '0';
        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (i == first)
        return false;
    *out = word->text[0] == '-' ? -value : value;
    return true;
}

static int to_int(int64_t value) {
    enum { LIMIT = 1000000000 };
    return (int)(value > LIMIT ? LIMIT : value < -LIMIT ? -LIMIT : value);
}

const char *uci_message(const char *line, const char *word) {
    const char *p = skip_blanks(line);
    size_t length = strlen(word);
    if (strncmp(p, word, length) != 0)
        return NULL;
    p += length;
    return *p == '\0' || *p == ' ' || *p == '\t' ? skip_blanks(p) : NULL;
}

/* An `info` line while it is read. */
typedef struct {
    UciInfo info;
    int64_t multipv;
} InfoLine;

/* The words of an `info` line that may stand behind the moves of a pv. */
static bool is_info_word(const Word *word) {
    static const char *const WORDS[] = {"cpuload", "currline", "currmove",   "currmovenumber",
                                        "depth",   "hashfull", "multipv",    "nodes",
                                        "nps",     "pv",       "sbhits",     "score",
                                        "string",  "tbhits",   "refutation", "seldepth",
                                        "time",    "wdl"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (word_is(word, WORDS[i]))
            return true;
    return false;
}

bool uci_take_pv(const char *rest, Text *pv) {
    Word word;
    text_clear(pv);
    for (const char *at = rest; next_word(&at, &word) && !word_is(&word, "string");) {
        if (!word_is(&word, "pv"))
            continue;
        while (next_word(&at, &word) && !is_info_word(&word))
            text_addf(pv, "%s%.*s", pv->length > 0 ? " " : "", (int)word.length, word.text);
        return true;
    }
    return false;
}

static void read_score(const char **at, InfoLine *line) {
    Word word;
    int64_t value;
    if (!next_word(at, &word))
        return;
    bool is_mate = word_is(&word, "mate");
    if ((!is_mate && !word_is(&word, "cp")) || !next_word(at, &word) || !word_number(&word, &value))
        return;
    line->info.kind = UCI_EXACT;
    line->info.is_mate = is_mate;
    line->info.score = to_int(value);
}

static void read_info(const char *rest, InfoLine *line) {
    Word word;
    const char *at = rest;
    while (next_word(&at, &word)) {
        int64_t value;
        Word number;
        if (word_is(&word, "string")) /* Only free text follows. */
            return;
        if (word_is(&word, "score")) {
            read_score(&at, line);
            continue;
        }
        /* Other words may stand between the score and its bound: wdl and its numbers. */
        if ((word_is(&word, "lowerbound") || word_is(&word, "upperbound")) &&
            line->info.kind == UCI_EXACT)
            line->info.kind = UCI_BOUND;
        const char *after = at;
        if (!next_word(&after, &number) || !word_number(&number, &value))
            continue;
        if (word_is(&word, "depth"))
            line->info.depth = to_int(value);
        else if (word_is(&word, "seldepth"))
            line->info.seldepth = to_int(value);
        else if (word_is(&word, "nodes"))
            line->info.nodes = value;
        else if (word_is(&word, "hashfull"))
            line->info.hashfull = to_int(value);
        else if (word_is(&word, "multipv"))
            line->multipv = value;
        else
            continue;
        at = after;
    }
}

int64_t uci_take_info(UciInfo *best, const char *rest, Text *pv) {
    InfoLine line = {.info = {.nodes = -1}, .multipv = 1};
    read_info(rest, &line);
    if (line.multipv != 1 || line.info.kind == UCI_NO_SCORE || line.info.kind < best->kind)
        return line.info.nodes;
    *best = line.info;
    if (pv != NULL)
        uci_take_pv(rest, pv);
    return line.info.nodes;
}

static const struct {
    const char *word;
    UciOptionType type;
} OPTION_TYPES[] = {{"check", UCI_CHECK},
                    {"spin", UCI_SPIN},
                    {"combo", UCI_COMBO},
                    {"button", UCI_BUTTON},
                    {"string", UCI_STRING}};

static bool read_type(const Word *word, UciOptionType *out) {
    for (size_t i = 0; i < sizeof OPTION_TYPES / sizeof *OPTION_TYPES; i++) {
        if (word_is(word, OPTION_TYPES[i].word)) {
            *out = OPTION_TYPES[i].type;
            return true;
        }
    }
    return false;
}

static bool is_attribute(const Word *word) {
    return word_is(word, "default") || word_is(word, "min") || word_is(word, "max") ||
           word_is(word, "var");
}

/* Appends the words before the next attribute as one value of a combo. */
static void read_var(const char **at, UciOption *out) {
    Word word;
    const char *start = skip_blanks(*at);
    const char *end = start;
    for (const char *p = start; next_word(&p, &word) && !is_attribute(&word); end = *at)
        *at = p;
    size_t used = strlen(out->values);
    size_t length = (size_t)(end - start);
    if (used + length + 3 > UCI_VALUES_MAX) {
        out->cut = true;
        return;
    }
    if (used == 0)
        out->values[used++] = '\n';
    memcpy(out->values + used, start, length);
    memcpy(out->values + used + length, "\n", 2);
}

bool uci_parse_option(const char *rest, UciOption *out) {
    *out = (UciOption){.min = INT64_MIN, .max = INT64_MAX};
    const char *name = uci_message(rest, "name");
    if (name == NULL)
        return false;
    /* The name may hold blanks: the word `type` ends the name. */
    Word word;
    const char *at = name;
    const char *end = name;
    bool typed = false;
    while (next_word(&at, &word)) {
        if (word_is(&word, "type")) {
            typed = next_word(&at, &word) && read_type(&word, &out->type);
            break;
        }
        end = at;
    }
    size_t length = (size_t)(end - name);
    if (!typed || length == 0 || length >= UCI_NAME_MAX)
        return false;
    memcpy(out->name, name, length);
    while (next_word(&at, &word)) {
        int64_t *bound = word_is(&word, "min")   ? &out->min
                         : word_is(&word, "max") ? &out->max
                                                 : NULL;
        Word number;
        if (bound != NULL && next_word(&at, &number) && word_number(&number, bound))
            continue;
        if (word_is(&word, "var") && out->type == UCI_COMBO)
            read_var(&at, out);
    }
    return true;
}

static bool check_spin(const UciOption *option, const char *value, Error *err) {
    Word word = {.text = value, .length = strlen(value)};
    int64_t number;
    if (!word_number(&word, &number))
        return error_set(err, "%s=%s: not a whole number", option->name, value);
    if (number < option->min || number > option->max)
        return error_set(err, "%s=%s: out of its range %lld to %lld", option->name, value,
                         (long long)option->min, (long long)option->max);
    return true;
}

static bool check_combo(const UciOption *option, const char *value, Error *err) {
    size_t length = strlen(value);
    for (const char *p = option->values; *p == '\n' && p[1] != '\0';) {
        const char *end = strchr(p + 1, '\n');
        if ((size_t)(end - p - 1) == length && strncmp(p + 1, value, length) == 0)
            return true;
        p = end;
    }
    Text values = {0};
    for (const char *p = option->values; *p != '\0'; p++)
        if (*p != '\n')
            text_add_char(&values, *p);
        else if (values.length > 0 && p[1] != '\0')
            text_add(&values, ", ");
    error_set(err, "%s=%s: not one of its values: %.300s", option->name, value,
              text_string(&values));
    text_free(&values);
    return false;
}

bool uci_check_value(const UciOption *option, const char *value, Error *err) {
    if (option->type == UCI_BUTTON)
        return value == NULL || value[0] == '\0' || strcmp(value, "true") == 0 ||
               strcmp(value, "false") == 0 ||
               error_set(err, "%s=%s: is a button: nothing or true presses it, false does not",
                         option->name, value);
    if (value == NULL)
        return error_set(err, "%s: needs a value", option->name);
    switch (option->type) {
    case UCI_SPIN:
        return check_spin(option, value, err);
    case UCI_COMBO:
        return option->cut || check_combo(option, value, err);
    case UCI_CHECK:
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ||
               error_set(err, "%s=%s: not true or false", option->name, value);
    default:
        return true;
    }
}

void uci_add_setoption(Text *out, const char *name, const char *value) {
    if (value == NULL)
        text_addf(out, "setoption name %s\n", name);
    else
        text_addf(out, "setoption name %s value %s\n", name, value);
}

void uci_add_value(Text *out, const UciOption *option, const char *value) {
    bool button = option->type == UCI_BUTTON;
    if (!button || !text_same(value, "false"))
        uci_add_setoption(out, option->name, button ? NULL : value);
}

static long long left_of(const GameClock *clock) {
    return clock->left_ms > 1 ? (long long)clock->left_ms : 1;
}

void uci_add_go(Text *out, const GameClock *white, const GameClock *black, bool white_to_move) {
    const GameClock *own = white_to_move ? white : black;
    switch (own->tc.kind) {
    case TC_NODES:
        text_addf(out, "go nodes %lld\n", (long long)own->tc.nodes);
        return;
    case TC_DEPTH:
        text_addf(out, "go depth %d\n", own->tc.depth);
        return;
    case TC_MOVETIME:
        text_addf(out, "go movetime %lld\n", left_of(own));
        return;
    case TC_CLOCK:
        break;
    }
    /* To an opponent with a clock, a side without one has the same time. */
    const GameClock *w = white->tc.kind == TC_CLOCK ? white : own;
    const GameClock *b = black->tc.kind == TC_CLOCK ? black : own;
    text_addf(out, "go wtime %lld btime %lld winc %lld binc %lld", left_of(w), left_of(b),
              (long long)w->tc.inc_ms, (long long)b->tc.inc_ms);
    if (own->moves_to_go > 0)
        text_addf(out, " movestogo %d", own->moves_to_go);
    text_add(out, "\n");
}
