/* SPDX-License-Identifier: MIT */
#include "report/labclaims.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/estimate.h"

/* ---- Reading ---- */

/* The text between blanks, allocated. */
static char *trimmed(const char *text, size_t length) {
    while (length > 0 && strchr(" \t", *text) != NULL) {
        text++;
        length--;
    }
    while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
        length--;
    return mem_strndup(text, length);
}

/* Reads "FIRST<word>SECOND", two numbers above 0. */
static bool read_two(const char *text, const char *word, double *first, double *second) {
    static const double MOST = 10000;
    const char *at = strstr(text, word);
    if (at == NULL)
        return false;
    char *number = mem_strndup(text, (size_t)(at - text));
    bool ok = text_to_double(number, 0, MOST, "Elo", first, NULL) &&
              text_to_double(at + strlen(word), 0, MOST, "Elo", second, NULL);
    free(number);
    return ok;
}

static bool read_elo(LabClaim *claim, Error *err) {
    static const struct {
        const char *text;
        ClaimKind kind;
    } SIGNS[] = {{"", CLAIM_NONE}, {"+", CLAIM_STRONGER}, {"-", CLAIM_WEAKER}, {"0", CLAIM_EQUAL}};
    double value;
    double margin;
    for (size_t i = 0; i < COUNT(SIGNS); i++)
        if (strcmp(claim->elo, SIGNS[i].text) == 0) {
            claim->kind = SIGNS[i].kind;
            return true;
        }
    claim->kind = CLAIM_RANGE;
    if (read_two(claim->elo, "..", &claim->low, &claim->high) && claim->low > 0 &&
        claim->high >= claim->low)
        return true;
    if (read_two(claim->elo, " +- ", &value, &margin) && value > margin) {
        claim->low = value - margin;
        claim->high = value + margin;
        return true;
    }
    return error_set(err, "'%.40s' is no claimed Elo; expected +, -, 0, LOW..HIGH or ELO +- MARGIN",
                     claim->elo);
}

/* Reads "SUITE/NAME" and frees the text. */
static bool read_comparison(char *text, char **suite, char **name, Error *err) {
    const char *slash = strchr(text, '/');
    bool ok = slash != NULL && slash > text && slash[1] != '\0' && strpbrk(text, " \t") == NULL;
    if (ok) {
        *suite = mem_strndup(text, (size_t)(slash - text));
        *name = mem_strdup(slash + 1);
    } else
        error_set(err, "expected SUITE/NAME, or SUITE/NAME less SUITE/NAME, instead of '%.60s'",
                  text);
    free(text);
    return ok;
}

/* Reads "SUITE/NAME" or "SUITE/NAME less SUITE/NAME". */
static bool read_comparisons(const char *text, LabClaim *claim, Error *err) {
    static const char LESS[] = " less ";
    const char *less = strstr(text, LESS);
    size_t length = less != NULL ? (size_t)(less - text) : strlen(text);
    const char *other = less != NULL ? less + strlen(LESS) : NULL;
    return read_comparison(trimmed(text, length), &claim->suite, &claim->name, err) &&
           (other == NULL || read_comparison(trimmed(other, strlen(other)), &claim->less_suite,
                                             &claim->less_name, err));
}

bool labclaims_is_of(const LabClaim *claim, const char *suite, const char *name) {
    return claim->less_name == NULL && strcmp(claim->suite, suite) == 0 &&
           strcmp(claim->name, name) == 0;
}

bool labclaims_same(const LabClaim *claim, const LabClaim *other) {
    return strcmp(claim->suite, other->suite) == 0 && strcmp(claim->name, other->name) == 0 &&
           text_same(claim->less_suite, other->less_suite) &&
           text_same(claim->less_name, other->less_name);
}

bool labclaims_is_repeated(const LabClaims *claims, size_t from, size_t index) {
    for (size_t i = from; i < index; i++)
        if (labclaims_same(&claims->claims[i], &claims->claims[index]))
            return true;
    return false;
}

/* A difference is of two comparisons that earlier rows have: a wrong name would leave the row out
 * for ever. */
static bool check_difference(const LabClaims *claims, Error *err) {
    const LabClaim *last = &claims->claims[claims->claim_count - 1];
    const char *const names[][2] = {{last->suite, last->name}, {last->less_suite, last->less_name}};
    if (last->less_name == NULL)
        return true;
    if (strcmp(last->suite, last->less_suite) == 0 && strcmp(last->name, last->less_name) == 0)
        return error_set(err, "%.60s/%.60s less itself is nothing", last->suite, last->name);
    for (size_t i = 0; i < COUNT(names); i++) {
        bool known = false;
        for (const LabClaim *claim = claims->claims; claim < last && !known; claim++)
            known = labclaims_is_of(claim, names[i][0], names[i][1]);
        if (!known)
            return error_set(err, "no row above is of %.60s/%.60s", names[i][0], names[i][1]);
    }
    return true;
}

static bool add_claim(LabClaims *claims, const char *line, Error *err) {
    const char *bar = strchr(line, '|');
    const char *second = bar != NULL ? strchr(bar + 1, '|') : NULL;
    LabClaim claim = {0};
    if (bar == NULL)
        return error_set(err, "expected SUITE/NAME | claim | Elo");
    if (claims->table_count == 0)
        return error_set(err, "expected = TITLE before the first comparison");
    char *names = trimmed(line, (size_t)(bar - line));
    bool ok = read_comparisons(names, &claim, err);
    claim.claim = trimmed(bar + 1, second != NULL ? (size_t)(second - bar - 1) : strlen(bar + 1));
    claim.elo = trimmed(second != NULL ? second + 1 : "", second != NULL ? strlen(second + 1) : 0);
    MEM_ADD(claims->claims, claims->claim_count, claims->claim_capacity, claim);
    claims->tables[claims->table_count - 1].count++;
    size_t first = claims->tables[claims->table_count - 1].first;
    ok = ok && check_difference(claims, err) &&
         (!labclaims_is_repeated(claims, first, claims->claim_count - 1) ||
          error_set(err, "%.120s stands in this table twice", names)) &&
         read_elo(&claims->claims[claims->claim_count - 1], err);
    free(names);
    return ok;
}

static void add_table(LabClaims *claims, const char *title, bool question) {
    MEM_ADD(claims->tables, claims->table_count, claims->table_capacity,
            (LabTable){.title = trimmed(title, strlen(title)),
                       .about = mem_strdup(""),
                       .question = question,
                       .first = claims->claim_count});
}

static bool add_about(LabTable *table, const char *line, Error *err) {
    Text about = {0};
    if (table->count > 0) /* A row whose "|" was forgotten. */
        return error_set(err, "expected SUITE/NAME | claim | Elo, or = TITLE");
    text_addf(&about, "%s%s%s", table->about, table->about[0] != '\0' ? " " : "", line);
    free(table->about);
    table->about = text_take(&about);
    return true;
}

static bool read_line(char *line, int number, void *user, Error *err) {
    LabClaims *claims = user;
    (void)number;
    if (line[0] == '=')
        add_table(claims, line + (line[1] == '?' ? 2 : 1), line[1] == '?');
    else if (strchr(line, '|') != NULL || claims->table_count == 0)
        return add_claim(claims, line, err);
    else
        return add_about(&claims->tables[claims->table_count - 1], line, err);
    return true;
}

bool labclaims_read(const char *path, LabClaims *claims, Error *err) {
    enum { CLAIMS_FILE_MAX = 1 << 20 };
    return file_read_lines(path, CLAIMS_FILE_MAX, read_line, claims, err);
}

void labclaims_free(LabClaims *claims) {
    for (size_t i = 0; i < claims->table_count; i++) {
        free(claims->tables[i].title);
        free(claims->tables[i].about);
    }
    for (size_t i = 0; i < claims->claim_count; i++) {
        free(claims->claims[i].suite);
        free(claims->claims[i].name);
        free(claims->claims[i].less_suite);
        free(claims->claims[i].less_name);
        free(claims->claims[i].claim);
        free(claims->claims[i].elo);
    }
    free(claims->tables);
    free(claims->claims);
    *claims = (LabClaims){0};
}

/* ---- Findings ---- */

/* The games that a finding rests on. */
typedef struct {
    int64_t games;
    bool over;       /* An SPRT without a verdict has played all the games that it may. */
    bool unfinished; /* labclaims_unfinished, of one of the matches */
} Played;

static void say(const char *finding, const Played *played, Text *out) {
    text_addf(out, "%s%s", finding, played->unfinished ? " so far" : "");
}

static const char *undecided(const Played *played, Text *out) {
    text_addf(out,
              played->over         ? "no decision after %" PRId64 " games"
              : played->unfinished ? "undecided: %" PRId64 " games so far"
                                   : "undecided after %" PRId64 " games",
              played->games);
    return "open";
}

bool labclaims_unfinished(const Report *report, int64_t limit) {
    bool left = tally_games_counted(&report->tally) < limit;
    return report->sprt ? report_verdict(report) == VERDICT_NONE && (left || limit == 0) : left;
}

/* Pairs of one score. False: too few, or of several scores. */
static bool interval_of_equal_pairs(const Penta *penta, EloInterval *elo) {
    static const double RULE_OF_THREE = 3;
    double pairs = (double)penta_pairs(penta);
    int cell = 0;
    while (cell < PENTA_CELLS && penta->n[cell] != penta_pairs(penta))
        cell++;
    if (cell == PENTA_CELLS || pairs <= RULE_OF_THREE)
        return false;
    double score = cell / (PENTA_CELLS - 1.0);
    double different = RULE_OF_THREE / pairs;
    *elo = (EloInterval){.lower = elo_of_score(score - different * score),
                         .value = elo_of_score(score),
                         .upper = elo_of_score(score + different * (1 - score))};
    return true;
}

static bool find_interval(const Report *report, EloInterval *elo) {
    bool decided = report->sprt && report_verdict(report) != VERDICT_NONE;
    return interval_of_equal_pairs(&report->tally.penta, elo) ||
           (decided && sprt_estimate(&report->rule, &report->tally, elo)) ||
           report_elo(report, elo);
}

bool labclaims_interval(const Report *report, EloInterval *elo) {
    if (!find_interval(report, elo))
        return false;
    elo_open_ends(elo);
    return true;
}

EloInterval labclaims_less(const EloInterval *elo, const EloInterval *other) {
    double value = elo->value - other->value;
    double below = hypot(elo->value - elo->lower, other->upper - other->value);
    double above = hypot(elo->upper - elo->value, other->value - other->lower);
    return (EloInterval){.lower = value - below, .value = value, .upper = value + above};
}

/* No sign is claimed. */
static const char *find_sign(const EloInterval *elo, const char *more, const char *less,
                             const Played *played, Text *out) {
    if (elo->lower <= 0 && elo->upper >= 0 && fmax(-elo->lower, elo->upper) >= FINDING_SMALL)
        return undecided(played, out);
    say(elo->lower > 0 ? more : elo->upper < 0 ? less : "no difference seen", played, out);
    return "open";
}

static const char *find_equality(const EloInterval *elo, const Played *played, Text *out) {
    if (elo->lower > 0 || elo->upper < 0) {
        say("not so: a difference", played, out);
        return "bad";
    }
    if (fmax(-elo->lower, elo->upper) >= FINDING_SMALL)
        return undecided(played, out);
    say("true here", played, out);
    return "good";
}

/* A gain is claimed. verdict: of an SPRT; VERDICT_NONE: the interval alone decides. */
static const char *find_gain(const LabClaim *claim, const EloInterval *elo, Verdict verdict,
                             const Played *played, Text *out) {
    bool range = claim->kind == CLAIM_RANGE;
    if (elo->upper < 0) {
        say("the opposite", played, out);
        return "bad";
    }
    if (verdict != VERDICT_H1 && elo->lower <= 0 &&
        elo->upper < (range ? claim->low : FINDING_SMALL)) {
        say("not seen", played, out);
        return "bad";
    }
    /* The bounds may lie below what the text claims. */
    if (verdict == VERDICT_H0 && elo->lower <= 0) {
        text_add(out, "no gain seen, and the claim not excluded");
        return "open";
    }
    if (verdict == VERDICT_NONE && elo->lower <= 0)
        return undecided(played, out);
    bool smaller = range && elo->upper < claim->low;
    bool larger = range && elo->lower > claim->high;
    say(smaller  ? "right sign, but smaller"
        : larger ? "right sign, but larger"
                 : "true here",
        played, out);
    return smaller || larger ? "open" : "good";
}

/* By the interval alone. claim: not NULL. */
static const char *find(const LabClaim *claim, const EloInterval *elo, const Played *played,
                        Text *out) {
    bool less = claim->less_name != NULL;
    EloInterval turned = {-elo->upper, -elo->value, -elo->lower};
    if (claim->kind == CLAIM_NONE)
        return find_sign(elo, less ? "gains more" : "stronger", less ? "gains less" : "weaker",
                         played, out);
    if (claim->kind == CLAIM_EQUAL)
        return find_equality(elo, played, out);
    return find_gain(claim, claim->kind == CLAIM_WEAKER ? &turned : elo, VERDICT_NONE, played, out);
}

const char *labclaims_finding(const LabClaim *claim, const Report *report, int64_t limit,
                              Text *out) {
    static const LabClaim NO_CLAIM = {.kind = CLAIM_NONE};
    EloInterval elo;
    int64_t games = tally_games_counted(&report->tally);
    Verdict verdict = report_verdict(report);
    bool unfinished = labclaims_unfinished(report, limit);
    Played played = {.games = games,
                     .over = report->sprt && verdict == VERDICT_NONE && !unfinished,
                     .unfinished = unfinished};
    claim = claim != NULL ? claim : &NO_CLAIM;
    if (!labclaims_interval(report, &elo))
        return undecided(&played, out);
    bool gain = claim->kind == CLAIM_STRONGER || claim->kind == CLAIM_RANGE;
    bool asked = report->sprt && report->rule.elo0 >= 0; /* An SPRT from -5 finds no gain. */
    if (!asked || !gain)
        return find(claim, &elo, &played, out);
    if (verdict != VERDICT_NONE || (!unfinished && elo.lower <= 0))
        return find_gain(claim, &elo, verdict, &played, out);
    const char *class = undecided(&played, out);
    if (claim->kind == CLAIM_RANGE && elo.upper < claim->low)
        text_add(out, ", and less than claimed");
    return class;
}

const char *labclaims_finding_less(const LabClaim *claim, const EloInterval *elo, int64_t games,
                                   bool unfinished, Text *out) {
    return find(claim, elo, &(Played){.games = games, .unfinished = unfinished}, out);
}
