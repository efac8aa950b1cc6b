/* SPDX-License-Identifier: MIT */
#include "report/labpage.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "report/compare.h"
#include "report/html.h"
#include "report/labrows.h"
#include "results/scorelist.h"

static const char TITLE[] = "The lab: reductions of the texts, measured";

/* What else a row has: in Markdown in a column, on the page below the claim. */
static const char SETTINGS[] = "the rows of engine/lmr/flags.def that each side sets (PRESET is a "
                               "set of them, of engine/lmr/presets.def), and the time control: "
                               "N=25000 is 25,000 nodes a move. Few nodes favour reducing less: "
                               "a rule that reduces less may gain here, and gain nothing at "
                               "100,000 nodes a move or with a clock.";

static const char READING_ID[] = "reading";
static const char READING_TITLE[] = "How to read this";

/* Explanations, for both forms. */
static const char *const ABOUT[] = {
    "Elo is what the row's engine (dev) gained against the other (base), with its 95 % interval. "
    "The number behind ± is the larger half of the interval: near the ends of the scale the other "
    "half is smaller. In most rows dev has the technique, and base is the same engine without it. "
    "T0, T1, T2 and T4 are the texts that engine/lmr/README.md names; \"lmr:\" alone is the "
    "default.",
    "How sure a row is: 800 games give about ± 17 Elo, 1,600 about ± 12, and 3,200 about ± 8. A "
    "true difference of that size is seen in half of such matches, a smaller one in fewer. A row "
    "whose finding says \"so far\" has games left to play. A finished row whose interval still "
    "holds 0 may get more (make lab-more), in each suite the most undecided first. So a row of "
    "many games was looked at more than once: if its interval only just leaves 0, doubt it. Where "
    "an SPRT is played, it decides when the games end, at the limit of its suite at the latest. An "
    "SPRT decides between two Elo, H0 and H1. LLR is the evidence for H1 against H0; the brackets "
    "hold the limits at which one of them is accepted.",
    "Why there is a corrected value: of a hundred intervals of 95 %, about five miss the truth by "
    "chance, and the most striking rows are the likeliest to be lucky. The corrected value takes "
    "the rows of a table as one family (a normal-normal hierarchical model). The rows themselves "
    "tell the family's mean and how much its members really differ; all differences that the rows "
    "allow are averaged. Each row is drawn towards the mean: much where its games are few, little "
    "where they are many. Its interval is one of 95 % too. Read the corrected value before you "
    "rely on a single row. The finding does not use it. Elo ends at ± 1199.83, a score of 99.9 %. "
    "An interval that reaches this end is open there: \"at least\" or \"at most\" stands before "
    "its other end. Such a row has no corrected value, and no part in those of other rows.",
    "A row \"A less B\" is computed from two comparisons: the Elo of A less the Elo of B. Its "
    "games are those of both. Its interval takes the two matches as independent: ± 13 and ± 13 "
    "give ± 18. The row is no measurement of its own, so it has no corrected value, and no part in "
    "those of other rows.",
    "Findings: \"true here\" says that the whole interval has the claimed sign, and does not lie "
    "beside a claimed range. For an SPRT it says that H1 is accepted; the interval may then still "
    "hold 0. \"Right sign, but smaller\" (or larger) says that it lies beside the range. \"The "
    "opposite\" says that it has the other sign. \"Not seen\" says that the interval holds 0 and "
    "lies below the claimed Elo (below 5 where the text claims a sign alone). \"Stronger\" and "
    "\"weaker\" stand where the text claims no result and the interval leaves out 0, \"no "
    "difference seen\" where it holds 0 and lies within 5 of it. For a row \"A less B\" these "
    "words are \"gains more\" and \"gains less\". Where the text claims that nothing changes, "
    "\"true here\" says that the interval holds 0 and lies within 5 of it, and \"not so: a "
    "difference\" that it leaves out 0. \"So far\" says that games are left to play. Where a gain "
    "is claimed and an SPRT was played, no gain is said to be seen before its verdict or its last "
    "game. \"No gain seen, and the claim not excluded\" says that the SPRT accepts H0, and that "
    "the interval still reaches the claimed Elo. \"No decision\" says that the SPRT has had all "
    "its games. \"And less than claimed\" stands behind an SPRT's \"undecided\" or \"no decision\" "
    "where the interval lies below the claimed range. The Elo of a decided SPRT is corrected for "
    "its early end, which favours extremes. An undecided row needs more games.",
    "\"This engine\" means the engine of the bench at the head. Its defaults may have changed "
    "since.",
    "To repeat it: make lab, or make lab TEXT=t4 for one text (docs/authors.md, \"The lab\"). An "
    "engine of another bench than that at the head begins a lab of its own; LAB_ENGINE names the "
    "folder of the engine to measure. It can be stopped and goes on where it was. One core plays "
    "about 1,000 games of 40,000 nodes a move in an hour, so a comparison of 800 games at 25,000 "
    "nodes takes a quarter of an hour on two cores. make lab says how long each suite takes. make "
    "lab-report then makes this table, and a page with a page for each comparison: its block, "
    "curves, settings and games.",
};

/* ---- What all rows share ---- */

static const char NO_GAMES[] = "No comparison has games yet.";

/* Appends one sentence about the openings. */
static void add_openings(const Lab *lab, Text *out) {
    const LabComparison *first = lab->items;
    bool same = lab->count > 0;
    for (const LabComparison *one = first; same && one < lab->items + lab->count; one++)
        same = strcmp(one->openings, first->openings) == 0 && one->seed == first->seed &&
               one->start == first->start && one->sequential == first->sequential &&
               one->plies == first->plies;
    if (same)
        text_addf(out, "All comparisons play the same openings: %s, seed %" PRId64 ".", first->book,
                  first->seed);
    else if (lab->count > 0)
        text_add(out, "Not all comparisons play the same openings.");
    else
        text_add(out, NO_GAMES);
}

static int64_t earlier_games(const LabComparison *comparison) {
    Tally earlier;
    return scorelist_read(&comparison->earlier, &earlier, NULL) ? tally_games(&earlier) : 0;
}

/* The games of the commit that played this comparison last; 0 when a comparison before it
 * has counted them. */
static int64_t games_at_commit(const Lab *lab, const LabComparison *one) {
    int64_t games = 0;
    for (const LabComparison *other = lab->items; other < lab->items + lab->count; other++) {
        if (one->bench != other->bench)
            continue;
        bool same = lab_same_engine(one, other);
        if (same && other < one)
            return 0;
        games += same ? other->games - earlier_games(other) : 0;
        if (one->commit != NULL && one->changes == NULL &&
            text_same(one->commit, other->earlier_commit))
            games += earlier_games(other);
    }
    return games;
}

/* Appends one sentence about the commits of this bench (0: not known); nothing without games. */
static void add_commits(const Lab *lab, int64_t bench, Text *out) {
    enum { COMMIT_SHOWN = 12 };
    bool first = true;
    int64_t left = 0; /* All games of this bench less those told. */
    for (size_t i = 0; i < lab->count; i++) {
        const LabComparison *one = &lab->items[i];
        int64_t games = one->bench == bench ? games_at_commit(lab, one) : 0;
        left += one->bench == bench ? one->games - games : 0;
        if (games == 0)
            continue;
        if (!first)
            text_add(out, ", ");
        else if (bench > 0)
            text_addf(out, "Games of the engine of Bench %" PRId64 ": ", bench);
        else
            text_add(out, "Games of engines whose bench is not known: ");
        text_addf(out, "%" PRId64 " at ", games);
        if (one->commit != NULL)
            text_addf(out, "commit %.*s", COMMIT_SHOWN, one->commit);
        else
            text_add(out, "a commit that is not known");
        text_add(out, one->changes != NULL ? " with changes that were not committed" : "");
        first = false;
    }
    if (left > 0)
        text_addf(out, ", and %" PRId64 " earlier ones at these or other commits", left);
    text_add(out, first ? "" : ". ");
}

/* Appends one sentence when comparisons of the claims have no games. */
static void add_coverage(const Lab *lab, const LabClaims *claims, Text *out) {
    size_t all = 0;
    size_t played = 0;
    for (size_t i = 0; i < claims->claim_count; i++) {
        const LabClaim *claim = &claims->claims[i];
        if (claim->less_name != NULL || labclaims_is_repeated(claims, 0, i))
            continue;
        all++;
        played += lab_find(lab, claim->suite, claim->name) != NULL;
    }
    if (played < all)
        text_addf(out, " %zu of %zu comparisons have games; each table names those that it lacks.",
                  played, all);
}

/* Appends what all rows share: the engines and the openings, and how much was played. */
static void add_engines(const Lab *lab, const LabClaims *claims, Text *out) {
    for (size_t i = 0; i < lab->count; i++) {
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before |= lab->items[k].bench == lab->items[i].bench;
        if (!before)
            add_commits(lab, lab->items[i].bench, out);
    }
    add_openings(lab, out);
    add_coverage(lab, claims, out);
}

static const char MISSING[] = "Not played yet: ";

static bool has_content(const LabRows *table) {
    return table->count > 0 || table->missing.length > 0;
}

/* ---- Markdown ---- */

static void add_markdown_table(const LabRows *table, Text *out) {
    text_add(out, "\n## ");
    markdown_add(out, table->title);
    text_add(out, "\n\n");
    if (table->about[0] != '\0') {
        markdown_add(out, table->about);
        text_add(out, "\n\n");
    }
    if (table->count > 0)
        compare_markdown(table->rows, table->count, out);
    if (table->missing.length > 0) {
        text_addf(out, "%s%s", table->count > 0 ? "\n" : "", MISSING);
        markdown_add(out, text_string(&table->missing));
        text_add(out, ".\n");
    }
}

void labpage_markdown(const Lab *lab, const LabClaims *claims, Text *out) {
    Text engines = {0};
    add_engines(lab, claims, &engines);
    text_addf(out, "# %s\n\nMade by `obworker report --lab`; do not edit.\n\n", TITLE);
    markdown_add(out, text_string(&engines));
    text_add(out, "\n\n");
    markdown_add(out, ABOUT[0]);
    text_add(out, " The column \"dev against base\" has ");
    markdown_add(out, SETTINGS);
    text_add(out, " The last section says how to read the tables and how to repeat them.\n");
    for (size_t i = 0; i <= claims->table_count; i++) {
        LabRows table = labrows_of_table(lab, claims, i);
        if (has_content(&table))
            add_markdown_table(&table, out);
        labrows_free(&table);
    }
    labstats_markdown(&lab->statistics, out);
    text_addf(out, "\n## %s\n", READING_TITLE);
    for (size_t i = 1; i < COUNT(ABOUT); i++) {
        text_add(out, "\n");
        markdown_add(out, ABOUT[i]);
        text_add(out, "\n");
    }
    text_free(&engines);
}

/* ---- All rows ---- */

void labpage_text(const Lab *lab, const LabClaims *claims, const ProgressStyle *style, Text *out) {
    if (lab->count == 0) {
        text_addf(out, "%s\n", NO_GAMES);
        return;
    }
    LabRows table = labrows_of_all(lab, claims);
    compare_text(table.rows, lab->count, style, out);
    if (table.count > lab->count) {
        text_add_char(out, '\n');
        compare_text(table.rows + lab->count, table.count - lab->count, style, out);
    }
    labrows_free(&table);
}

/* Adds a text, or null. */
static void add_json_text(cJSON *object, const char *key, const char *text) {
    bool any = text != NULL && text[0] != '\0';
    cJSON_AddItemToObject(object, key, any ? cJSON_CreateString(text) : cJSON_CreateNull());
}

/* Adds the row's interval, in the place of the report's. An open end is null. */
static void set_interval(const CompareRow *row, cJSON *object) {
    const EloInterval *elo = row->interval;
    if (elo == NULL)
        return;
    const struct {
        const char *key;
        double value;
    } MEMBERS[] = {{"elo", elo->value}, {"elo_lower", elo->lower}, {"elo_upper", elo->upper}};
    for (size_t i = 0; i < COUNT(MEMBERS); i++) {
        cJSON *value = cJSON_CreateNumber(json_rounded(MEMBERS[i].value));
        if (cJSON_HasObjectItem(object, MEMBERS[i].key))
            cJSON_ReplaceItemInObjectCaseSensitive(object, MEMBERS[i].key, value);
        else
            cJSON_AddItemToObject(object, MEMBERS[i].key, value);
    }
}

static cJSON *row_object(const CompareRow *row, const LabClaim *claim) {
    cJSON *object = cJSON_CreateObject();
    Text name = {0};
    text_add(&name, row->name);
    if (row->less != NULL)
        text_addf(&name, " less %s", row->less);
    cJSON_AddStringToObject(object, "name", text_string(&name));
    if (row->less == NULL)
        report_add_to_json(&row->report, object);
    else
        cJSON_AddNumberToObject(object, "games", (double)tally_games_counted(&row->report.tally));
    set_interval(row, object);
    add_json_text(object, "claim", claim != NULL ? claim->claim : NULL);
    add_json_text(object, "claimed", claim != NULL ? claim->elo : NULL);
    cJSON_AddStringToObject(object, "finding", row->finding);
    text_free(&name);
    return object;
}

void labpage_json(const Lab *lab, const LabClaims *claims, Text *out) {
    LabRows table = labrows_of_all(lab, claims);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < table.count; i++)
        cJSON_AddItemToArray(list, row_object(&table.rows[i], table.parts[i].claim));
    json_take(list, out);
    text_add_char(out, '\n');
    labrows_free(&table);
}

/* ---- The page ---- */

/* Links to the parts of the page. */
static void add_contents(const Lab *lab, const LabClaims *claims, Text *out) {
    text_add(out, "<nav class=\"contents\"><ul>\n");
    for (size_t i = 0; i <= claims->table_count; i++) {
        LabRows table = labrows_of_table(lab, claims, i);
        if (has_content(&table)) {
            text_addf(out, "<li><a href=\"#table-%zu\">", i + 1);
            html_add(out, table.title);
            text_add(out, "</a></li>\n");
        }
        labrows_free(&table);
    }
    if (lab->statistics.count > 0)
        text_addf(out, "<li><a href=\"#%s\">%s</a></li>\n", LABSTATS_ID, LABSTATS_TITLE);
    text_addf(out, "<li><a href=\"#%s\">%s</a></li>\n", READING_ID, READING_TITLE);
    text_add(out, "</ul></nav>\n");
}

static void add_html_table(const LabRows *table, size_t index, Text *out) {
    Text id = {0};
    text_addf(&id, "table-%zu", index + 1);
    text_addf(out, "<h2 class=\"lab\" id=\"%s\">", text_string(&id));
    html_add_title(out, table->title);
    text_add(out, "</h2>\n");
    if (table->about[0] != '\0') {
        text_add(out, "<p>");
        html_add(out, table->about);
        text_add(out, "</p>\n");
    }
    if (table->count > 0)
        compare_html(table->rows, table->count, text_string(&id), out);
    if (table->missing.length > 0) {
        text_addf(out, "<p>%s", MISSING);
        html_add_name(out, text_string(&table->missing));
        text_add(out, ".</p>\n");
    }
    text_free(&id);
}

void labpage_html(const Lab *lab, const LabClaims *claims, Text *out) {
    Text engines = {0};
    add_engines(lab, claims, &engines);
    html_begin(out, TITLE, 0);
    text_add(out, "<header><h1>");
    html_add_title(out, TITLE);
    text_add(out, "</h1>\n<p class=\"source\">");
    html_add(out, text_string(&engines));
    text_add(out, "</p></header>\n");
    add_contents(lab, claims, out);
    for (size_t i = 0; i <= claims->table_count; i++) {
        LabRows table = labrows_of_table(lab, claims, i);
        if (has_content(&table))
            add_html_table(&table, i, out);
        labrows_free(&table);
    }
    labstats_html(&lab->statistics, out);
    text_addf(out, "<section><h2 id=\"%s\">%s</h2>\n", READING_ID, READING_TITLE);
    for (size_t i = 0; i < COUNT(ABOUT); i++) {
        text_add(out, "<p>");
        html_add(out, ABOUT[i]);
        if (i == 0)
            text_addf(out,
                      " Below the claim stand %s A shaded band behind an interval is the Elo that "
                      "the text claims.",
                      SETTINGS);
        text_add(out, "</p>\n");
    }
    text_add(out, "</section>\n");
    html_end(out);
    text_free(&engines);
}
