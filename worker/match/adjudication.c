/* SPDX-License-Identifier: MIT */
#include "match/adjudication.h"

#include <string.h>

#include "base/text.h"

enum { COUNT_MAX = 1000, SCORE_MAX = 100000, RULE_WORDS_MAX = 3 };

/* One word of a rule: "name=value". */
typedef struct {
    const char *name;
    int least, most;
    int *value;
} RuleWord;

/* Reads one name=value into its row; each name may occur once. */
static bool parse_word(const char *word, const RuleWord *rows, size_t count, bool *seen,
                       Error *err) {
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (size_t i = 0; i < count; i++) {
        if (!equals || strlen(rows[i].name) != length || strncmp(rows[i].name, word, length) != 0)
            continue;
        int64_t value;
        if (seen[i])
            return error_set(err, "%s is given twice", rows[i].name);
        if (!text_to_int(equals + 1, rows[i].least, rows[i].most, rows[i].name, &value, err))
            return false;
        *rows[i].value = (int)value;
        seen[i] = true;
        return true;
    }
    return error_set(err, "'%.60s' is not part of this rule", word);
}

/* Reads all words of a rule; every row must occur. *on is false, and no value set, for "None". */
static bool parse_rule(const char *text, const char *example, const RuleWord *rows, size_t count,
                       bool *on, Error *err) {
    *on = !text_equal_nocase(text, "None");
    if (!*on)
        return true;
    Words words = {0};
    bool seen[RULE_WORDS_MAX] = {false};
    bool ok = words_split(&words, text, err);
    for (size_t i = 0; ok && i < words.count; i++)
        ok = parse_word(words.items[i], rows, count, seen, err);
    for (size_t i = 0; ok && i < count; i++)
        if (!seen[i])
            ok = error_set(err, "%s=N is missing", rows[i].name);
    words_free(&words);
    return ok || error_prefix(err, "'%.80s' is no rule such as \"%s\"", text, example);
}

bool adjudication_parse_resign(const char *text, ResignRule *out, Error *err) {
    ResignRule rule = {0};
    const RuleWord rows[] = {
        {"movecount", 1, COUNT_MAX, &rule.movecount},
        {"score", 0, SCORE_MAX, &rule.score},
    };
    if (!parse_rule(text, "movecount=3 score=400", rows, sizeof rows / sizeof *rows, &rule.on, err))
        return false;
    *out = rule;
    return true;
}

bool adjudication_parse_draw(const char *text, DrawRule *out, Error *err) {
    DrawRule rule = {0};
    const RuleWord rows[] = {
        {"movenumber", 0, COUNT_MAX, &rule.movenumber},
        {"movecount", 1, COUNT_MAX, &rule.movecount},
        {"score", 0, SCORE_MAX, &rule.score},
    };
    if (!parse_rule(text, "movenumber=40 movecount=8 score=10", rows, sizeof rows / sizeof *rows,
                    &rule.on, err))
        return false;
    *out = rule;
    return true;
}

void adjudicator_start(Adjudicator *a, const Adjudication *rules) {
    *a = (Adjudicator){.resign = rules->resign, .draw = rules->draw};
}

static bool is_negative(const MoveScore *score) {
    return score->known && score->value < 0;
}

/* Whether the score is bad enough to count towards resigning. */
static bool is_hopeless(const MoveScore *score, int limit) {
    if (!score->known)
        return false;
    return score->is_mate ? score->value < 0 : score->value <= -limit;
}

static bool is_drawish(const MoveScore *score, int limit) {
    return score->known && !score->is_mate && score->value <= limit && score->value >= -limit;
}

void adjudicator_count(Adjudicator *a, Color mover, const MoveScore *score, bool zeroing) {
    a->resign_count[mover] = is_hopeless(score, a->resign.score) ? a->resign_count[mover] + 1 : 0;
    if (zeroing)
        a->draw_count = 0;
    a->draw_count = is_drawish(score, a->draw.score) ? a->draw_count + 1 : 0;
}

Adjudged adjudicator_verdict(const Adjudicator *a, Color mover, const MoveScore *score,
                             int fullmove) {
    if (a->resign.on && a->resign_count[mover] >= a->resign.movecount && is_negative(score))
        return mover == WHITE ? ADJUDGED_BLACK_WINS : ADJUDGED_WHITE_WINS;
    if (a->draw.on && a->draw_count >= 2 * a->draw.movecount && fullmove - 1 >= a->draw.movenumber)
        return ADJUDGED_DRAW;
    return ADJUDGED_NONE;
}
