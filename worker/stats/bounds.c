/* SPDX-License-Identifier: MIT */
#include "stats/bounds.h"

#include <string.h>

#include "base/text.h"

enum { FIELD_MAX = 64, FORM_MAX = 2 * FIELD_MAX + 2 };

/* More games than any test will have. */
static const int64_t COUNT_MAX = INT64_C(1) << 36;

bool counts_are_sound(const int64_t *counts, size_t count, const char *where, Error *err) {
    for (size_t i = 0; i < count; i++)
        if (counts[i] < 0 || counts[i] > COUNT_MAX)
            return error_set(err, "%s: %lld is no count of games", where, (long long)counts[i]);
    return true;
}

/* Copies the next field of a comma-separated list without the blanks around the field. *list
 * becomes NULL behind the last field. False when the list has no more fields, or the field is too
 * long. */
static bool next_field(const char **list, char field[FIELD_MAX]) {
    if (!*list)
        return false;
    const char *start = *list + strspn(*list, " ");
    size_t length = strcspn(start, ",");
    *list = start[length] ? start + length + 1 : NULL;
    while (length && start[length - 1] == ' ')
        length--;
    if (length >= FIELD_MAX)
        return false;
    memcpy(field, start, length);
    field[length] = '\0';
    return true;
}

static bool has_brackets(const char *text) {
    size_t length = strlen(text);
    return length >= 2 && text[0] == '[' && text[length - 1] == ']';
}

/* The list in "[a, b]", written to `out`, or the text itself where it has no brackets. */
static const char *without_brackets(const char *text, char out[FORM_MAX]) {
    size_t length = strlen(text);
    if (!has_brackets(text) || length - 2 >= FORM_MAX)
        return text;
    memcpy(out, text + 1, length - 2);
    out[length - 2] = '\0';
    return out;
}

/* Reads `count` counts with commas between them. The error shows the form by `example`. */
static bool parse_counts(const char *text, int count, const char *example, const char *what,
                         int64_t *out, Error *err) {
    char inner[FORM_MAX];
    const char *list = without_brackets(text, inner);
    char field[FIELD_MAX];
    for (int i = 0; i < count; i++) {
        if (!next_field(&list, field))
            return error_set(err, "%s: '%.80s' are not %s", what, text, example);
        if (!text_to_int(field, 0, COUNT_MAX, what, &out[i], err))
            return false;
    }
    if (list)
        return error_set(err, "%s: '%.80s' has more numbers than %s", what, text, example);
    return true;
}

bool penta_parse(const char *text, Penta *out, const char *what, Error *err) {
    return parse_counts(text, PENTA_CELLS, "five counts, as in 16,557,1220,653,31", what, out->n,
                        err);
}

bool tri_parse(const char *text, Tally *out, const char *what, Error *err) {
    int64_t n[TRI_CELLS];
    if (!parse_counts(text, TRI_CELLS, "losses, draws and wins, as in 1045,2738,1171", what, n,
                      err))
        return false;
    out->losses = n[0];
    out->draws = n[1];
    out->wins = n[2];
    return true;
}

static bool parse_two(const char *text, double min, double max, const char *what, double *first,
                      double *second, Error *err) {
    const char *list = text;
    char fields[2][FIELD_MAX];
    if (!next_field(&list, fields[0]) || !next_field(&list, fields[1]) || list)
        return error_set(err, "%s: '%.80s' are not two numbers with a comma between", what, text);
    return text_to_double(fields[0], min, max, what, first, err) &&
           text_to_double(fields[1], min, max, what, second, err);
}

bool sprt_parse_bounds(const char *text, SprtRule *rule, const char *what, Error *err) {
    char inner[FORM_MAX];
    if (!parse_two(without_brackets(text, inner), -SPRT_ELO_MAX, SPRT_ELO_MAX, what, &rule->elo0,
                   &rule->elo1, err))
        return false;
    if (rule->elo0 >= rule->elo1)
        return error_set(err, "%s: %.80s: the first must be below the second", what, text);
    return true;
}

bool sprt_parse_confidence(const char *text, SprtRule *rule, const char *what, Error *err) {
    if (!parse_two(text, SPRT_ERROR_MIN, 1 - SPRT_ERROR_MIN, what, &rule->alpha, &rule->beta, err))
        return false;
    if (rule->alpha + rule->beta >= 1)
        return error_set(err, "%s: %.80s: together they must be below 1", what, text);
    return true;
}

static bool check_brackets(const char *text, const char *what, Error *err) {
    return has_brackets(text) ||
           error_set(err, "%s: '%.80s' are not two numbers as in [0.05, 0.10]", what, text);
}

bool sprt_parse_form(const char *bounds, const char *confidence, SprtRule *rule, Error *err) {
    static const char BOUNDS[] = "SPRT Bounds";
    static const char CONFIDENCE[] = "Confidence Bounds";
    char inner[FORM_MAX];
    SprtRule swapped = {0}; /* Alpha and beta. */
    if (!check_brackets(bounds, BOUNDS, err) ||
        !sprt_parse_bounds(without_brackets(bounds, inner), rule, BOUNDS, err) ||
        !check_brackets(confidence, CONFIDENCE, err) ||
        !sprt_parse_confidence(without_brackets(confidence, inner), &swapped, CONFIDENCE, err))
        return false;
    rule->alpha = swapped.beta;
    rule->beta = swapped.alpha;
    return true;
}

bool sprt_parse_model(const char *text, SprtRule *rule, const char *what, Error *err) {
    for (int model = SPRT_NORMALIZED; model <= SPRT_BAYES; model++) {
        if (strcmp(text, sprt_model_name((SprtModel)model)) == 0) {
            rule->model = (SprtModel)model;
            return true;
        }
    }
    return error_set(err, "%s: '%.80s' is not a model of an SPRT", what, text);
}

bool sprt_rule_is_sound(const SprtRule *rule) {
    bool ordered =
        rule->elo0 >= -SPRT_ELO_MAX && rule->elo0 < rule->elo1 && rule->elo1 <= SPRT_ELO_MAX;
    return ordered && rule->alpha >= SPRT_ERROR_MIN && rule->beta >= SPRT_ERROR_MIN &&
           rule->alpha + rule->beta < 1;
}
