/* SPDX-License-Identifier: MIT */
#include "report/labclaims.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
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

/* Has an earlier row of the last table the comparison of the last claim? */
static bool is_repeated(const LabClaims *claims) {
    const LabTable *table = &claims->tables[claims->table_count - 1];
    const LabClaim *last = &claims->claims[claims->claim_count - 1];
    for (const LabClaim *claim = &claims->claims[table->first]; claim < last; claim++)
        if (strcmp(claim->suite, last->suite) == 0 && strcmp(claim->name, last->name) == 0)
            return true;
    return false;
}

static bool add_claim(LabClaims *claims, const char *line, Error *err) {
    const char *slash = strchr(line, '/');
    const char *bar = strchr(line, '|');
    const char *second = bar != NULL ? strchr(bar + 1, '|') : NULL;
    if (slash == NULL || slash > bar)
        return error_set(err, "expected SUITE/NAME | claim | Elo");
    if (claims->table_count == 0)
        return error_set(err, "expected = TITLE before the first comparison");
    LabClaim claim = {
        .suite = trimmed(line, (size_t)(slash - line)),
        .name = trimmed(slash + 1, (size_t)(bar - slash - 1)),
        .claim = trimmed(bar + 1, second != NULL ? (size_t)(second - bar - 1) : strlen(bar + 1)),
        .elo = trimmed(second != NULL ? second + 1 : "", second != NULL ? strlen(second + 1) : 0)};
    claims->claims = mem_grow(claims->claims, &claims->claim_capacity, claims->claim_count + 1,
                              sizeof *claims->claims);
    claims->claims[claims->claim_count++] = claim;
    claims->tables[claims->table_count - 1].count++;
    if (is_repeated(claims))
        return error_set(err, "%.60s/%.60s stands in this table twice", claim.suite, claim.name);
    return read_elo(&claims->claims[claims->claim_count - 1], err);
}

static void add_table(LabClaims *claims, const char *title, bool question) {
    claims->tables = mem_grow(claims->tables, &claims->table_capacity, claims->table_count + 1,
                              sizeof *claims->tables);
    claims->tables[claims->table_count++] = (LabTable){.title = trimmed(title, strlen(title)),
                                                       .about = mem_strdup(""),
                                                       .question = question,
                                                       .first = claims->claim_count};
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
        free(claims->claims[i].claim);
        free(claims->claims[i].elo);
    }
    free(claims->tables);
    free(claims->claims);
    *claims = (LabClaims){0};
}

/* ---- Findings ---- */

static const char *undecided(const Report *report, int64_t limit, Text *out) {
    int64_t games = tally_games_counted(&report->tally);
    bool over = report->sprt && limit > 0 && games >= limit;
    text_addf(out,
              over ? "no decision after %" PRId64 " games" : "undecided: %" PRId64 " games so far",
              games);
    return "open";
}

bool labclaims_interval(const Report *report, EloInterval *elo) {
    static const double RULE_OF_THREE = 3;
    const Penta *penta = &report->tally.penta;
    double pairs = (double)penta_pairs(penta);
    if (report->sprt && report_verdict(report) != VERDICT_NONE &&
        sprt_estimate(&report->rule, &report->tally, elo))
        return true;
    if (report_elo(report, elo))
        return true;
    if (pairs <= RULE_OF_THREE || penta->n[PENTA_CELLS / 2] != penta_pairs(penta))
        return false;
    double most = RULE_OF_THREE / pairs / 2; /* Of the score above a half. */
    *elo = (EloInterval){.upper = 400 * log10((0.5 + most) / (0.5 - most))};
    elo->lower = -elo->upper;
    return true;
}

/* No sign is claimed. */
static const char *find_difference(const EloInterval *elo, const Report *report, int64_t limit,
                                   Text *out) {
    if (elo->lower > 0 || elo->upper < 0) {
        text_add(out, elo->lower > 0 ? "stronger" : "weaker");
        return "open";
    }
    if (fmax(-elo->lower, elo->upper) >= FINDING_SMALL)
        return undecided(report, limit, out);
    text_add(out, "no difference seen");
    return "open";
}

static const char *find_equality(const EloInterval *elo, const Report *report, int64_t limit,
                                 Text *out) {
    if (elo->lower > 0 || elo->upper < 0) {
        text_add(out, "not so: a difference");
        return "bad";
    }
    if (fmax(-elo->lower, elo->upper) >= FINDING_SMALL)
        return undecided(report, limit, out);
    text_add(out, "true here");
    return "good";
}

const char *labclaims_finding(const LabClaim *claim, const Report *report, int64_t limit,
                              Text *out) {
    EloInterval elo;
    ClaimKind kind = claim != NULL ? claim->kind : CLAIM_NONE;
    if (!labclaims_interval(report, &elo))
        return undecided(report, limit, out);
    if (kind == CLAIM_NONE)
        return find_difference(&elo, report, limit, out);
    if (kind == CLAIM_EQUAL)
        return find_equality(&elo, report, limit, out);
    if (kind == CLAIM_WEAKER)
        elo = (EloInterval){-elo.upper, -elo.value, -elo.lower};
    double claimed = kind == CLAIM_RANGE ? claim->low : FINDING_SMALL;
    bool sprt = report->sprt && kind != CLAIM_WEAKER; /* An SPRT asks for a gain, not for a loss. */
    Verdict verdict = sprt ? report_verdict(report) : VERDICT_NONE;
    if (sprt && (verdict == VERDICT_NONE || !sprt_estimate(&report->rule, &report->tally, &elo)))
        return undecided(report, limit, out);
    if (elo.upper < 0) {
        text_add(out, "the opposite");
        return "bad";
    }
    if (verdict != VERDICT_H1 && elo.lower <= 0 && elo.upper < claimed) {
        text_add(out, "not seen");
        return "bad";
    }
    if (verdict == VERDICT_H0) { /* The bounds may lie below what the text claims. */
        text_add(out, "no gain seen, and the claim not excluded");
        return "open";
    }
    if (verdict == VERDICT_NONE && elo.lower <= 0)
        return undecided(report, limit, out);
    bool smaller = kind == CLAIM_RANGE && elo.upper < claim->low;
    bool larger = kind == CLAIM_RANGE && elo.lower > claim->high;
    text_add(out, smaller  ? "right sign, but smaller"
                  : larger ? "right sign, but larger"
                           : "true here");
    return smaller || larger ? "open" : "good";
}
