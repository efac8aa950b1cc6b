/* SPDX-License-Identifier: MIT */
#include "report/labpage.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/compare.h"
#include "report/html.h"
#include "stats/shrinkage.h"
#include "stats/stats.h"

static const char TITLE[] = "The lab: reductions of the texts, measured";

/* Explanations, for both forms. */
static const char *const ABOUT[] = {
    "Elo is what the row's engine (dev) gained against the other (base), with its 95 % interval. "
    "In most rows dev has the technique, and base is the same engine without it. The column \"dev "
    "against base\" has the rows of engine/lmr/flags.def that each side sets, and the time "
    "control: "
    "N=25000 is 25,000 nodes a move.",
    "How sure a row is: 800 games give about ± 16 Elo, 1,600 about ± 11, and 3,200 about ± 8. A "
    "difference of less than that is seen only by luck. Every comparison plays at least 800 games; "
    "those whose interval then still holds 0 get more, the most undecided first. So a row of many "
    "games was looked at more than once: if its interval only just leaves 0, doubt it. Where an "
    "SPRT is played, it decides when the games end.",
    "Why there is a corrected value: of a hundred intervals of 95 %, about five miss the truth by "
    "chance, and the most striking rows are the likeliest to be lucky. The corrected value takes "
    "the rows of a table as one family (a normal-normal model, empirical Bayes). The rows "
    "themselves tell the family's mean and how much its members really differ. Each row is drawn "
    "towards the mean: much where its games are few, little where they are many. Read the "
    "corrected value before you rely on a single row. The finding does not use it.",
    "Findings: \"true here\" says that the whole interval has the claimed sign, and does not lie "
    "beside a claimed range. \"The opposite\" says that it has the other sign. \"Not seen\" says "
    "that the interval holds 0 and lies below the claimed Elo (below 5 where the text claims a "
    "sign alone). Where a gain is claimed and an SPRT was played, nothing is said before its "
    "verdict. The Elo of a decided SPRT is corrected for its early end, which favours extremes. "
    "All else is undecided: more games would tell.",
    "To repeat it: make lab, or make lab TEXT=t4 for one text (docs/authors.md, \"The lab\"). It "
    "can be stopped and goes on where it was. One core plays about 1,000 games of 40,000 nodes a "
    "move in an hour, so a comparison of 800 games at 25,000 nodes takes a quarter of an hour on "
    "two cores, all 175 that have no SPRT about 50 hours, and the four that have one at most 50 "
    "more. make lab says how long each suite takes. make lab-report then makes this table, and a "
    "page with a page for each comparison: its block, curves, settings and games.",
};

/* ---- A table's rows ---- */

/* One table; the rows point into the other members. */
typedef struct {
    const char *title, *about;
    bool question; /* The rows are no family: they come from other tables. */
    CompareRow *rows;
    EloInterval *intervals;
    const LabComparison **comparisons;
    char **names, **claims, **corrected, **findings, **differences;
    size_t count;
} Table;

static Table table_new(const char *title, const char *about, size_t room) {
    return (Table){.title = title,
                   .about = about,
                   .rows = mem_calloc(room + 1, sizeof(CompareRow)),
                   .intervals = mem_calloc(room + 1, sizeof(EloInterval)),
                   .comparisons = mem_calloc(room + 1, sizeof(LabComparison *)),
                   .names = mem_calloc(room + 1, sizeof(char *)),
                   .claims = mem_calloc(room + 1, sizeof(char *)),
                   .corrected = mem_calloc(room + 1, sizeof(char *)),
                   .findings = mem_calloc(room + 1, sizeof(char *)),
                   .differences = mem_calloc(room + 1, sizeof(char *))};
}

static void free_all(char **texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

static void table_free(Table *table) {
    free(table->rows);
    free(table->intervals);
    free(table->comparisons);
    free_all(table->names, table->count);
    free_all(table->claims, table->count);
    free_all(table->corrected, table->count);
    free_all(table->findings, table->count);
    free_all(table->differences, table->count);
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
    else if (claim->kind != CLAIM_NONE)
        text_addf(&text, "%s%s", text.length > 0 ? ": " : "",
                  claim->kind == CLAIM_STRONGER ? "stronger"
                  : claim->kind == CLAIM_WEAKER ? "weaker"
                                                : "no difference");
    return text.data != NULL ? text_take(&text) : mem_strdup("");
}

static void table_add(Table *table, const LabComparison *comparison, const LabClaim *claim) {
    size_t at = table->count++;
    CompareRow *row = &table->rows[at];
    Text text = {0};
    Report report = lab_report(comparison);
    text_addf(&text, "%s/%s", comparison->suite, comparison->name);
    table->names[at] = text_take(&text);
    table->claims[at] = claim_words(claim);
    text_addf(&text, "%s against %s, %s", comparison->dev, comparison->base, comparison->tc);
    table->differences[at] = text_take(&text);
    const char *kind = labclaims_finding(claim, &report, comparison->limit, &text);
    table->findings[at] = text_take(&text);
    table->comparisons[at] = comparison;
    *row = (CompareRow){.name = table->names[at],
                        .link = comparison->link,
                        .difference = table->differences[at],
                        .claim = table->claims[at],
                        .finding = table->findings[at],
                        .finding_kind = kind,
                        .report = report};
    if (labclaims_interval(&report, &table->intervals[at]))
        row->interval = &table->intervals[at];
}

/* The estimate of a row. False without an interval. */
static bool estimate_of(const CompareRow *row, Estimate *estimate) {
    const EloInterval *elo = row->interval;
    if (elo == NULL)
        return false;
    *estimate = (Estimate){.value = elo->value, .error = (elo->upper - elo->lower) / 2 / ERRORS_95};
    return estimate->error > 0;
}

/* Fills the corrected values of a table. */
static void correct(Table *table) {
    Estimate *estimates = mem_calloc(table->count + 1, sizeof *estimates);
    EffectFamily family;
    size_t known = 0;
    for (size_t i = 0; i < table->count; i++)
        known += estimate_of(&table->rows[i], &estimates[known]);
    bool fits = shrinkage_fit(estimates, known, &family);
    for (size_t i = 0; i < table->count && fits; i++) {
        Estimate estimate;
        Text text = {0};
        if (!estimate_of(&table->rows[i], &estimate))
            continue;
        estimate = shrinkage_correct(&family, estimate);
        text_addf(&text, "%+.1f ± %.1f", unsigned_zero(estimate.value, 1),
                  ERRORS_95 * estimate.error);
        table->corrected[i] = text_take(&text);
        table->rows[i].corrected = table->corrected[i];
    }
    free(estimates);
}

/* Has any table of the claims a row for the comparison? */
static bool is_claimed(const LabClaims *claims, const LabComparison *comparison) {
    for (size_t i = 0; i < claims->claim_count; i++)
        if (strcmp(claims->claims[i].suite, comparison->suite) == 0 &&
            strcmp(claims->claims[i].name, comparison->name) == 0)
            return true;
    return false;
}

/* The table of that index, or behind the last the comparisons that no table names. The caller frees
 * the table. */
static Table make_table(const Lab *lab, const LabClaims *claims, size_t index) {
    bool rest = index == claims->table_count;
    const LabTable *plan = rest ? NULL : &claims->tables[index];
    Table table = rest ? table_new("Further comparisons", "", lab->count)
                       : table_new(plan->title, plan->about, plan->count);
    for (size_t i = 0; !rest && i < plan->count; i++) {
        const LabClaim *claim = &claims->claims[plan->first + i];
        const LabComparison *comparison = lab_find(lab, claim->suite, claim->name);
        if (comparison != NULL)
            table_add(&table, comparison, claim);
    }
    for (size_t i = 0; rest && i < lab->count; i++)
        if (!is_claimed(claims, &lab->items[i]))
            table_add(&table, &lab->items[i], NULL);
    table.question = !rest && plan->question;
    if (!table.question)
        correct(&table);
    return table;
}

/* ---- What all rows share ---- */

/* Appends one sentence about the openings. */
static void add_openings(const Lab *lab, Text *out) {
    const LabComparison *first = lab->items;
    bool same = lab->count > 0;
    for (size_t i = 1; i < lab->count; i++)
        same = same && strcmp(lab->items[i].openings, first->openings) == 0 &&
               lab->items[i].seed == first->seed && lab->items[i].start == first->start;
    if (same)
        text_addf(out, "All comparisons play the same openings: %s, seed %" PRId64 ".", first->book,
                  first->seed);
    else if (lab->count > 0)
        text_add(out, "Not all comparisons play the same openings.");
}

/* Appends one sentence about the engines, for each commit that played. */
static void add_engines(const Lab *lab, Text *out) {
    enum { COMMIT_SHOWN = 12 };
    for (size_t i = 0; i < lab->count; i++) {
        const LabComparison *one = &lab->items[i];
        int64_t games = 0;
        bool before = false;
        for (size_t k = 0; k < lab->count; k++) {
            const LabComparison *other = &lab->items[k];
            bool same = text_same(one->commit, other->commit) && one->bench == other->bench &&
                        text_same(one->changes, other->changes);
            before |= same && k < i;
            games += same ? other->games : 0;
        }
        if (before)
            continue;
        text_addf(out, "Engine: commit %.*s%s, ", COMMIT_SHOWN,
                  one->commit ? one->commit : "not known",
                  one->changes != NULL ? " with changes that were not committed" : "");
        if (one->bench > 0)
            text_addf(out, "Bench %" PRId64, one->bench);
        else
            text_add(out, "bench not known");
        text_addf(out, "; %" PRId64 " games. ", games);
    }
    add_openings(lab, out);
}

/* ---- Markdown ---- */

static void add_markdown_table(Table *table, Text *out) {
    text_add(out, "\n## ");
    markdown_add(out, table->title);
    text_add(out, "\n\n");
    if (table->about[0] != '\0') {
        markdown_add(out, table->about);
        text_add(out, "\n\n");
    }
    compare_markdown(table->rows, table->count, out);
}

void labpage_markdown(const Lab *lab, const LabClaims *claims, Text *out) {
    Text engines = {0};
    add_engines(lab, &engines);
    text_addf(out, "# %s\n\nMade by `obworker report --lab`; do not edit.\n\n", TITLE);
    markdown_add(out, text_string(&engines));
    text_add(out, "\n\n");
    markdown_add(out, ABOUT[0]);
    text_add(out, " The last section says how to read the tables and how to repeat them.\n");
    for (size_t i = 0; i <= claims->table_count; i++) {
        Table table = make_table(lab, claims, i);
        if (table.count > 0)
            add_markdown_table(&table, out);
        table_free(&table);
    }
    labstats_markdown(&lab->statistics, out);
    text_add(out, "\n## How to read this\n");
    for (size_t i = 1; i < COUNT(ABOUT); i++) {
        text_add(out, "\n");
        markdown_add(out, ABOUT[i]);
        text_add(out, "\n");
    }
    text_free(&engines);
}

/* ---- The page ---- */

/* Links to the tables of the page. */
static void add_contents(const Lab *lab, const LabClaims *claims, Text *out) {
    text_add(out, "<nav class=\"contents\"><ul>\n");
    for (size_t i = 0; i < claims->table_count; i++) {
        const LabTable *plan = &claims->tables[i];
        bool any = false;
        for (size_t k = plan->first; k < plan->first + plan->count; k++)
            any = any || lab_find(lab, claims->claims[k].suite, claims->claims[k].name) != NULL;
        if (!any)
            continue;
        text_addf(out, "<li><a href=\"#table-%zu\">", i + 1);
        html_add(out, plan->title);
        text_add(out, "</a></li>\n");
    }
    text_add(out, "</ul></nav>\n");
}

static void add_html_table(const Table *table, size_t index, Text *out) {
    text_addf(out, "<h2 class=\"lab\" id=\"table-%zu\">", index + 1);
    html_add_title(out, table->title);
    text_add(out, "</h2>\n");
    if (table->about[0] != '\0') {
        text_add(out, "<p>");
        html_add(out, table->about);
        text_add(out, "</p>\n");
    }
    compare_html(table->rows, table->count, out);
}

void labpage_html(const Lab *lab, const LabClaims *claims, Text *out) {
    Text engines = {0};
    add_engines(lab, &engines);
    html_begin(out, TITLE, 0);
    text_add(out, "<header><h1>");
    html_add_title(out, TITLE);
    text_add(out, "</h1>\n<p class=\"source\">");
    html_add(out, text_string(&engines));
    text_add(out, "</p></header>\n");
    add_contents(lab, claims, out);
    for (size_t i = 0; i <= claims->table_count; i++) {
        Table table = make_table(lab, claims, i);
        if (table.count > 0)
            add_html_table(&table, i, out);
        table_free(&table);
    }
    labstats_html(&lab->statistics, out);
    text_add(out, "<section><h2>How to read this</h2>\n");
    for (size_t i = 0; i < COUNT(ABOUT); i++) {
        text_add(out, "<p>");
        html_add(out, ABOUT[i]);
        text_add(out, "</p>\n");
    }
    text_add(out, "</section>\n");
    html_end(out);
    text_free(&engines);
}
