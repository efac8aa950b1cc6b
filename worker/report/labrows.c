/* SPDX-License-Identifier: MIT */
#include "report/labrows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/shrinkage.h"
#include "stats/stats.h"

static LabRows table_new(const char *title, const char *about, size_t room) {
    return (LabRows){.title = title,
                     .about = about,
                     .rows = mem_calloc(room + 1, sizeof(CompareRow)),
                     .parts = mem_calloc(room + 1, sizeof(LabRowParts))};
}

void labrows_free(LabRows *table) {
    for (size_t i = 0; i < table->count; i++) {
        free(table->parts[i].name);
        free(table->parts[i].less);
        free(table->parts[i].words);
        free(table->parts[i].corrected);
        free(table->parts[i].finding);
        free(table->parts[i].difference);
    }
    text_free(&table->missing);
    free(table->rows);
    free(table->parts);
    *table = (LabRows){0};
}

/* "killers one ply less: 16.22 ± 7.29 Elo"; "" without a claim. */
static char *claim_words(const LabClaim *claim) {
    Text text = {0};
    if (claim == NULL)
        return mem_strdup("");
    text_add(&text, claim->claim);
    const char *margin = strstr(claim->elo, "+-");
    if (claim->kind == CLAIM_RANGE && margin != NULL)
        text_addf(&text, "%s%.*s±%s Elo", text.length > 0 ? ": " : "", (int)(margin - claim->elo),
                  claim->elo, margin + 2);
    else if (claim->kind == CLAIM_RANGE)
        text_addf(&text, "%s%s Elo", text.length > 0 ? ": " : "", claim->elo);
    else if (claim->kind != CLAIM_NONE) {
        bool less = claim->less_name != NULL;
        text_addf(&text, "%s%s", text.length > 0 ? ": " : "",
                  claim->kind == CLAIM_STRONGER ? (less ? "gains more" : "stronger")
                  : claim->kind == CLAIM_WEAKER ? (less ? "gains less" : "weaker")
                                                : "no difference");
    }
    return text_take(&text);
}

static char *name_of(const LabComparison *comparison) {
    return text_format("%s/%s", comparison->suite, comparison->name);
}

static void add_comparison(LabRows *table, const LabComparison *comparison, const LabClaim *claim) {
    LabRowParts *parts = &table->parts[table->count];
    CompareRow *row = &table->rows[table->count++];
    Text text = {0};
    Report report = lab_report(comparison);
    parts->claim = claim;
    parts->name = name_of(comparison);
    parts->words = claim_words(claim);
    text_addf(&text, "%s against %s, %s", comparison->dev, comparison->base, comparison->tc);
    if (comparison->base_tc != NULL)
        text_addf(&text, " against %s", comparison->base_tc);
    parts->difference = text_take(&text);
    const char *kind = labclaims_finding(claim, &report, comparison->limit, &text);
    parts->finding = text_take(&text);
    *row = (CompareRow){.name = parts->name,
                        .link = comparison->link,
                        .difference = parts->difference,
                        .claim = parts->words,
                        .claimed_low = claim != NULL ? claim->low : 0,
                        .claimed_high = claim != NULL ? claim->high : 0,
                        .finding = parts->finding,
                        .finding_kind = kind,
                        .report = report};
    if (labclaims_interval(&report, &parts->interval))
        row->interval = &parts->interval;
}

/* Adds nothing while one of the two has no interval. */
static void add_difference(LabRows *table, const LabComparison *comparison,
                           const LabComparison *other, const LabClaim *claim) {
    LabRowParts *parts = &table->parts[table->count];
    Report report = lab_report(comparison);
    Report less = lab_report(other);
    EloInterval elo;
    EloInterval less_elo;
    Text text = {0};
    if (!labclaims_interval(&report, &elo) || !labclaims_interval(&less, &less_elo))
        return;
    Report both = {.games_known = true, .faults_unknown = true, .details_unknown = true};
    tally_add(&both.tally, &report.tally);
    tally_add(&both.tally, &less.tally);
    parts->claim = claim;
    parts->name = name_of(comparison);
    parts->less = name_of(other);
    parts->words = claim_words(claim);
    parts->interval = labclaims_less(&elo, &less_elo);
    const char *kind =
        labclaims_finding_less(claim, &parts->interval, tally_games_counted(&both.tally),
                               labclaims_unfinished(&report, comparison->limit) ||
                                   labclaims_unfinished(&less, other->limit),
                               &text);
    parts->finding = text_take(&text);
    table->rows[table->count++] = (CompareRow){.name = parts->name,
                                               .link = comparison->link,
                                               .less = parts->less,
                                               .less_link = other->link,
                                               .claim = parts->words,
                                               .claimed_low = claim->low,
                                               .claimed_high = claim->high,
                                               .finding = parts->finding,
                                               .finding_kind = kind,
                                               .interval = &parts->interval,
                                               .report = both};
}

/* A comparison without a result is missing; a difference waits for both of its comparisons. */
static void add_claim(LabRows *table, const Lab *lab, const LabClaim *claim) {
    bool difference = claim->less_name != NULL;
    const LabComparison *comparison = lab_find(lab, claim->suite, claim->name);
    const LabComparison *other =
        difference ? lab_find(lab, claim->less_suite, claim->less_name) : NULL;
    if (comparison != NULL && other != NULL)
        add_difference(table, comparison, other, claim);
    else if (comparison != NULL && !difference)
        add_comparison(table, comparison, claim);
    else if (!difference)
        text_addf(&table->missing, "%s%s/%s", table->missing.length > 0 ? ", " : "", claim->suite,
                  claim->name);
}

/* The estimate of a row. False of a difference, without an interval, and where the interval is cut
 * off at the end of the scale, so that half of the interval is no standard error. */
static bool estimate_of(const CompareRow *row, Estimate *estimate) {
    const EloInterval *elo = row->less != NULL ? NULL : row->interval;
    if (elo == NULL || elo_reaches_end(elo))
        return false;
    /* Half of a decided SPRT's interval is 1.96 standard errors. Other intervals are Student's,
     * whose halves are more where pairs are few. */
    EloInterval normal = *elo;
    if (!row->report.sprt || report_verdict(&row->report) == VERDICT_NONE) {
        Outcomes outcomes = outcomes_of(&row->report.tally);
        normal = outcomes_elo(&outcomes, INTERVAL_NORMAL);
    }
    *estimate =
        (Estimate){.value = elo->value, .error = (normal.upper - normal.lower) / 2 / ERRORS_95};
    return estimate->error > 0;
}

/* Fills the corrected values of a table. */
static void correct(LabRows *table) {
    Estimate *estimates = mem_calloc(table->count + 1, sizeof *estimates);
    Estimate *corrected = mem_calloc(table->count + 1, sizeof *corrected);
    Estimate unused;
    size_t known = 0;
    for (size_t i = 0; i < table->count; i++)
        known += estimate_of(&table->rows[i], &estimates[known]);
    bool fits = shrinkage_correct(estimates, known, corrected);
    size_t at = 0;
    for (size_t i = 0; i < table->count && fits; i++) {
        if (table->rows[i].interval != NULL)
            table->rows[i].corrected = "–"; /* Unless there is an estimate. */
        if (!estimate_of(&table->rows[i], &unused))
            continue;
        table->parts[i].corrected = text_format(
            "%+.1f ± %.1f", unsigned_zero(corrected[at].value, 1), ERRORS_95 * corrected[at].error);
        table->rows[i].corrected = table->parts[i].corrected;
        at++;
    }
    free(estimates);
    free(corrected);
}

/* The claim of a comparison, of a text's table before that of a question. NULL: no table names it.
 */
static const LabClaim *claim_of(const LabClaims *claims, const LabComparison *comparison) {
    const LabClaim *asked = NULL;
    for (size_t i = 0; i < claims->table_count; i++) {
        const LabTable *table = &claims->tables[i];
        for (size_t k = table->first; k < table->first + table->count; k++) {
            const LabClaim *claim = &claims->claims[k];
            if (!labclaims_is_of(claim, comparison->suite, comparison->name))
                continue;
            if (!table->question)
                return claim;
            asked = asked != NULL ? asked : claim;
        }
    }
    return asked;
}

LabRows labrows_of_table(const Lab *lab, const LabClaims *claims, size_t index) {
    bool rest = index == claims->table_count;
    const LabTable *plan = rest ? NULL : &claims->tables[index];
    LabRows table = rest ? table_new("Further comparisons", "", lab->count)
                         : table_new(plan->title, plan->about, plan->count);
    for (size_t i = 0; !rest && i < plan->count; i++)
        add_claim(&table, lab, &claims->claims[plan->first + i]);
    for (size_t i = 0; rest && i < lab->count; i++)
        if (claim_of(claims, &lab->items[i]) == NULL)
            add_comparison(&table, &lab->items[i], NULL);
    if (rest || !plan->question)
        correct(&table);
    return table;
}

/* Has the table the difference already? */
static bool has_difference(const LabRows *table, const LabClaim *claim) {
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].less != NULL && labclaims_same(table->parts[i].claim, claim))
            return true;
    return false;
}

LabRows labrows_of_all(const Lab *lab, const LabClaims *claims) {
    LabRows table = table_new("", "", lab->count + claims->claim_count);
    for (size_t i = 0; i < lab->count; i++)
        add_comparison(&table, &lab->items[i], claim_of(claims, &lab->items[i]));
    for (size_t i = 0; i < claims->claim_count; i++)
        if (claims->claims[i].less_name != NULL && !has_difference(&table, &claims->claims[i]))
            add_claim(&table, lab, &claims->claims[i]);
    return table;
}
