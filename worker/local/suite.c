/* SPDX-License-Identifier: MIT */
#include "local/suite.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

enum { FILE_LIMIT = 1 << 20, NAME_LENGTH_MAX = 100 };

/* ---- Reading ---- */

typedef struct {
    MatchSuite *suite;
    bool (*check)(char *word, Error *err);
} Reading;

/* Is this the name of an option? Such names are small letters, digits and dashes; a variant's name
 * like this must not be followed by "=". */
static bool is_option(const char *name, size_t length) {
    return isalpha((unsigned char)name[0]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") >= length;
}

/* A variant's name is also the name of its journal. */
static bool check_name(const MatchSuite *suite, const char *name, Error *err) {
    static const char fit[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=+-.,:@%";
    if (strspn(name, fit) != strlen(name) || name[0] == '.' || name[0] == '-' ||
        strlen(name) > NAME_LENGTH_MAX)
        return error_set(err,
                         "'%.60s' is not a valid name for a variant; allowed: up to %d letters, "
                         "digits and _=+-.,:@%%, the first neither . nor -",
                         name, NAME_LENGTH_MAX);
    for (size_t i = 0; i < suite->count; i++)
        if (strcmp(suite->variants[i].name, name) == 0)
            return error_set(err, "the name %s is that of line %d too", name,
                             suite->variants[i].line);
    return true;
}

/* Splits "SPEC against BASE" at the word between. Leaves *base NULL when the text is one SPEC. */
static bool cut_base(char *spec, char **base, Error *err) {
    static const char WORD[] = "against";
    *base = NULL;
    for (char *at = strstr(spec, WORD); at != NULL; at = strstr(at + 1, WORD)) {
        char *behind = at + strlen(WORD);
        bool starts = at == spec || isblank((unsigned char)at[-1]);
        if (!starts || (*behind != '\0' && !isblank((unsigned char)*behind)))
            continue;
        behind += strspn(behind, " \t");
        if (at == spec || *behind == '\0')
            return error_set(err, "a SPEC is missing %s '%s'; expected NAME SPEC %s SPEC",
                             at == spec ? "before" : "behind", WORD, WORD);
        while (isblank((unsigned char)at[-1]))
            at--;
        *at = '\0';
        *base = behind;
        return true;
    }
    return true;
}

static bool add_variant(MatchSuite *suite, char *line, int number, Error *err) {
    size_t length = strcspn(line, " \t");
    char *spec = line + length + strspn(line + length, " \t");
    if (*spec == '\0')
        return error_set(err, "'%.60s': expected a name and a SPEC, or option = value", line);
    if (*spec == '=')
        return error_set(err,
                         "'%.60s': no option has this name: names of options are small letters, "
                         "digits and dashes",
                         line);
    char *name = mem_strndup(line, length);
    char *base;
    if (!check_name(suite, name, err) || !cut_base(spec, &base, err)) {
        free(name);
        return false;
    }
    MEM_ADD(suite->variants, suite->count, suite->capacity,
            (SuiteVariant){
                .name = name, .spec = mem_strdup(spec), .base = mem_strdup(base), .line = number});
    return true;
}

static bool read_line(char *line, int number, void *user, Error *err) {
    const Reading *reading = user;
    Words *options = &reading->suite->options;
    size_t length;
    const char *value = text_setting(line, &length);
    if (value == NULL || !is_option(line, length))
        return add_variant(reading->suite, line, number, err);
    words_addf(options, "--%.*s=%s", (int)length, line, value);
    return reading->check(options->items[options->count - 1], err);
}

bool suite_read(const char *path, bool (*check)(char *word, Error *err), MatchSuite *suite,
                Error *err) {
    Reading reading = {suite, check};
    if (!file_read_lines(path, FILE_LIMIT, read_line, &reading, err))
        return false;
    return suite->count > 0 ||
           error_set(err,
                     "%s: names no variant; expected a line for each variant: a name and a SPEC",
                     path);
}

void suite_free(MatchSuite *suite) {
    for (size_t i = 0; i < suite->count; i++) {
        free(suite->variants[i].name);
        free(suite->variants[i].spec);
        free(suite->variants[i].base);
    }
    free(suite->variants);
    words_free(&suite->options);
    *suite = (MatchSuite){0};
}

/* ---- Choosing the next variant ---- */

/* A measure of how decided a variant is, for comparisons only; 0: undecided. */
static double decided(const SuiteVariant *variant, const SprtRule *rule) {
    if (rule) {
        LlrLimits limits = sprt_limits(rule);
        return variant->llr > 0 ? variant->llr / limits.upper : variant->llr / limits.lower;
    }
    Outcomes outcomes = outcomes_of_penta(&variant->tally.penta);
    EloInterval elo = outcomes_normalized_elo(&outcomes, INTERVAL_NORMAL);
    double margin = elo_margin(&elo);
    return margin > 0 ? fabs(elo.value) / margin : 0;
}

int suite_next(const MatchSuite *suite, bool in_turn, const SprtRule *rule) {
    int best = SUITE_NONE;
    double best_decided = 0;
    for (size_t i = 0; i < suite->count; i++) {
        const SuiteVariant *variant = &suite->variants[i];
        if (variant->over)
            continue;
        if (in_turn)
            return (int)i;
        double here = decided(variant, rule);
        bool fewer = best != SUITE_NONE && here == best_decided &&
                     tally_games(&variant->tally) < tally_games(&suite->variants[best].tally);
        if (best == SUITE_NONE || here < best_decided || fewer) {
            best = (int)i;
            best_decided = here;
        }
    }
    return best;
}
