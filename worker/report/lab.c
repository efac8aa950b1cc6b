/* SPDX-License-Identifier: MIT */
#include "report/lab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/shellwords.h"
#include "results/record.h"
#include "results/scorelist.h"
#include "stats/bounds.h"

enum { LAB_VERSION = 1 };

#define FIELD(key, type, need, field)                                                              \
    { key, type, need, offsetof(LabComparison, field) }
static const JsonField FIELDS[] = {
    FIELD("suite", JSON_TEXT, JSON_REQUIRED, suite),
    FIELD("name", JSON_TEXT, JSON_REQUIRED, name),
    FIELD("dev", JSON_TEXT, JSON_REQUIRED, dev),
    FIELD("base", JSON_TEXT, JSON_REQUIRED, base),
    FIELD("tc", JSON_TEXT, JSON_REQUIRED, tc),
    FIELD("base_tc", JSON_TEXT, JSON_OPTIONAL, base_tc),
    FIELD("dev_options", JSON_TEXT_LIST, JSON_OPTIONAL, dev_options),
    FIELD("base_options", JSON_TEXT_LIST, JSON_OPTIONAL, base_options),
    FIELD("book", JSON_TEXT, JSON_REQUIRED, book),
    FIELD("openings_sha256", JSON_TEXT, JSON_REQUIRED, openings),
    FIELD("seed", JSON_INT, JSON_REQUIRED, seed),
    FIELD("start", JSON_INT, JSON_REQUIRED, start),
    FIELD("sequential", JSON_BOOL, JSON_OPTIONAL, sequential),
    FIELD("win_adj", JSON_TEXT, JSON_OPTIONAL, win_adj),
    FIELD("draw_adj", JSON_TEXT, JSON_OPTIONAL, draw_adj),
    FIELD("max_moves", JSON_INT, JSON_OPTIONAL, moves_max),
    FIELD("tables", JSON_BOOL, JSON_OPTIONAL, tables),
    FIELD("plies", JSON_INT, JSON_OPTIONAL, plies),
    FIELD("commit", JSON_TEXT, JSON_OPTIONAL, commit),
    FIELD("changes", JSON_TEXT, JSON_OPTIONAL, changes),
    FIELD("bench", JSON_INT, JSON_REQUIRED, bench),
    FIELD("sprt", JSON_BOOL, JSON_REQUIRED, sprt),
    FIELD("elo0", JSON_REAL, JSON_REQUIRED, rule.elo0),
    FIELD("elo1", JSON_REAL, JSON_REQUIRED, rule.elo1),
    FIELD("alpha", JSON_REAL, JSON_REQUIRED, rule.alpha),
    FIELD("beta", JSON_REAL, JSON_REQUIRED, rule.beta),
    FIELD("model", JSON_TEXT, JSON_REQUIRED, model),
    FIELD("limit", JSON_INT, JSON_OPTIONAL, limit),
    FIELD("games", JSON_INT, JSON_REQUIRED, games),
    FIELD("wins", JSON_INT, JSON_REQUIRED, wins),
    FIELD("losses", JSON_INT, JSON_REQUIRED, losses),
    FIELD("draws", JSON_INT, JSON_REQUIRED, draws),
    FIELD("penta", JSON_INT_LIST, JSON_REQUIRED, penta),
    FIELD("earlier", JSON_INT_LIST, JSON_OPTIONAL, earlier),
    FIELD("earlier_commit", JSON_TEXT, JSON_OPTIONAL, earlier_commit),
};

static void free_comparison(LabComparison *comparison) {
    json_free_fields(FIELDS, COUNT(FIELDS), comparison);
    free(comparison->link);
    *comparison = (LabComparison){0};
}

void lab_free(Lab *lab) {
    for (size_t i = 0; i < lab->count; i++)
        free_comparison(&lab->items[i]);
    free(lab->items);
    labstats_free(&lab->statistics);
    *lab = (Lab){0};
}

LabComparison *lab_find(const Lab *lab, const char *suite, const char *name) {
    for (size_t i = 0; i < lab->count; i++)
        if (strcmp(lab->items[i].suite, suite) == 0 && strcmp(lab->items[i].name, name) == 0)
            return &lab->items[i];
    return NULL;
}

/* Sets suite and name from "FOLDER/NAME.jsonl". */
static bool name_comparison(const char *journal, LabComparison *comparison, Error *err) {
    static const char END[] = ".jsonl";
    size_t length = strlen(journal);
    const char *name = text_find_last(journal, length, '/');
    bool ends = length > strlen(END) && strcmp(journal + length - strlen(END), END) == 0;
    if (!ends || name == NULL || name == journal)
        return error_set(err, "%s: expected SUITE/NAME.jsonl, as obworker match --suite writes it",
                         journal);
    const char *end = name; /* of the folder's name; a path may have several slashes in a row */
    while (end > journal && end[-1] == '/')
        end--;
    const char *folder = text_find_last(journal, (size_t)(end - journal), '/');
    folder = folder != NULL ? folder + 1 : journal;
    comparison->suite = mem_strndup(folder, (size_t)(end - folder));
    name++;
    comparison->name = mem_strndup(name, length - strlen(END) - (size_t)(name - journal));
    return true;
}

LabComparison *lab_find_journal(const Lab *lab, const char *journal) {
    LabComparison named = {0};
    Error err;
    bool ok = name_comparison(journal, &named, &err);
    LabComparison *found = ok ? lab_find(lab, named.suite, named.name) : NULL;
    free_comparison(&named);
    return found;
}

/* Takes over *comparison, and returns its place. */
static LabComparison *add(Lab *lab, LabComparison *comparison) {
    LabComparison *place = lab_find(lab, comparison->suite, comparison->name);
    if (place == NULL) {
        MEM_ADD(lab->items, lab->count, lab->capacity, *comparison);
        return &lab->items[lab->count - 1];
    }
    free_comparison(place);
    *place = *comparison;
    return place;
}

/* ---- Counts ---- */

Report lab_report(const LabComparison *comparison) {
    Report report = {.sprt = comparison->sprt,
                     .rule = comparison->rule,
                     .tally = {.wins = comparison->wins,
                               .losses = comparison->losses,
                               .draws = comparison->draws},
                     .games_known = true,
                     .faults_unknown = true,
                     .details_unknown = true};
    sprt_parse_model(comparison->model, &report.rule, "model", NULL);
    for (size_t i = 0; i < PENTA_CELLS && i < comparison->penta.count; i++)
        report.tally.penta.n[i] = comparison->penta.items[i];
    return report;
}

static const char *base_tc_of(const LabComparison *comparison) {
    return comparison->base_tc != NULL ? comparison->base_tc : comparison->tc;
}

static const char *order_of(const LabComparison *comparison) {
    return comparison->sequential ? "sequential" : "random";
}

/* A text that is not known (NULL) is the same as any. */
static bool same_text(const LabComparison *known, const char *what, const char *before,
                      const char *now, Error *err) {
    return before == NULL || now == NULL || strcmp(before, now) == 0 ||
           error_set(err,
                     "%s is %s, but the results of %s/%s have %s: play as before, or delete that "
                     "line of them",
                     what, now, known->suite, known->name, before);
}

static bool same_number(const LabComparison *known, const char *what, int64_t before, int64_t now,
                        Error *err) {
    return before == now || error_set(err,
                                      "%s is %" PRId64 ", but the results of %s/%s have %" PRId64
                                      ": play as before, or delete that line of them",
                                      what, now, known->suite, known->name, before);
}

void lab_hide_folders(Words *options) {
    for (size_t i = 0; i < options->count; i++) {
        char *word = options->items[i];
        size_t name = strcspn(word, "=");
        const char *slash = strrchr(word + name, '/');
        if (slash != NULL)
            memmove(word + name + 1, slash + 1, strlen(slash + 1) + 1);
    }
}

static bool same_options(const LabComparison *known, Side side, const Words *before,
                         const Words *now, Error *err) {
    Text texts[2] = {{0}, {0}};
    shell_quote_words(before, &texts[0]);
    shell_quote_words(now, &texts[1]);
    bool same = before->count == 0 || now->count == 0 ||
                strcmp(text_string(&texts[0]), text_string(&texts[1])) == 0 ||
                error_set(err, "%s's UCI options are%s, but in the results of %s/%s they are%s",
                          side_name(side), text_string(&texts[1]), known->suite, known->name,
                          text_string(&texts[0]));
    text_free(&texts[0]);
    text_free(&texts[1]);
    return same;
}

bool lab_same_games(const LabComparison *known, const LabComparison *now, Error *err) {
    return same_text(known, "dev", known->dev, now->dev, err) &&
           same_text(known, "base", known->base, now->base, err) &&
           same_text(known, "tc", known->tc, now->tc, err) &&
           same_text(known, "base's tc", base_tc_of(known), base_tc_of(now), err) &&
           same_options(known, SIDE_DEV, &known->dev_options, &now->dev_options, err) &&
           same_options(known, SIDE_BASE, &known->base_options, &now->base_options, err) &&
           same_text(known, "book", known->openings, now->openings, err) &&
           same_text(known, "order of openings", order_of(known), order_of(now), err) &&
           same_number(known, "plies", known->plies, now->plies, err) &&
           same_text(known, "win adjudication", known->win_adj, now->win_adj, err) &&
           same_text(known, "draw adjudication", known->draw_adj, now->draw_adj, err) &&
           same_number(known, "max-moves", known->moves_max, now->moves_max, err) &&
           (known->tables == now->tables ||
            error_set(err, "the results of %s/%s are of games with%s endgame tables (--syzygy)",
                      known->suite, known->name, known->tables ? "" : "out")) &&
           same_number(known, "seed", known->seed, now->seed, err);
}

bool lab_score_before(const LabComparison *comparison, int64_t start, Tally *score, Error *err) {
    Report report = lab_report(comparison);
    Tally none = {0};
    Tally earlier;
    scorelist_read(&comparison->earlier, &earlier, NULL); /* Checked before. */
    const Tally *const SCORES[] = {&none, &earlier, &report.tally};
    for (size_t i = 0; i < COUNT(SCORES); i++)
        if (start == comparison->start + penta_pairs(&SCORES[i]->penta)) {
            *score = *SCORES[i];
            return true;
        }
    return error_set(err,
                     "begins at opening %" PRId64 ", but the results of %s/%s end before opening "
                     "%" PRId64 ": play with these results, or delete that line of them",
                     start, comparison->suite, comparison->name,
                     comparison->start + penta_pairs(&report.tally.penta));
}

static bool check_earlier(const LabComparison *comparison, Error *err) {
    Tally score;
    if (!scorelist_read(&comparison->earlier, &score, err))
        return false;
    bool within = score.wins <= comparison->wins && score.losses <= comparison->losses &&
                  score.draws <= comparison->draws;
    for (size_t i = 0; i < PENTA_CELLS; i++)
        within = within && score.penta.n[i] <= comparison->penta.items[i];
    return within || error_set(err, "has more games than the comparison");
}

/* Refuses counts that no match can have: the counts are written by hand or by another program. */
static bool check(const LabComparison *comparison, Error *err) {
    if (comparison->penta.count != PENTA_CELLS)
        return error_set(err, "penta: %zu counts, expected %d", comparison->penta.count,
                         PENTA_CELLS);
    Report report = lab_report(comparison);
    if (!scorelist_check(&report.tally, err))
        return false;
    if (tally_games(&report.tally) != comparison->games)
        return error_set(err, "games, penta, and wins, losses and draws do not agree");
    if (!check_earlier(comparison, err))
        return error_prefix(err, "earlier");
    if (!sprt_parse_model(comparison->model, &report.rule, "model", err))
        return false;
    if (comparison->sprt && !sprt_rule_is_sound(&report.rule))
        return error_set(err, "elo0, elo1, alpha, beta: are no bounds and rates of an SPRT");
    return true;
}

/* ---- The file ---- */

static bool read_comparison(const cJSON *item, size_t number, Lab *lab, Error *err) {
    LabComparison comparison = {0};
    char where[64];
    snprintf(where, sizeof where, "comparisons[%zu]", number);
    if (!json_read(item, where, FIELDS, COUNT(FIELDS), &comparison, err) ||
        (!check(&comparison, err) && !error_prefix(err, "%s", where)) ||
        (lab_find(lab, comparison.suite, comparison.name) != NULL &&
         !error_set(err, "%s: %.60s/%.60s stands in the file twice", where, comparison.suite,
                    comparison.name))) {
        free_comparison(&comparison);
        return false;
    }
    record_drop_unit(comparison.tc);
    if (comparison.base_tc != NULL)
        record_drop_unit(comparison.base_tc);
    add(lab, &comparison);
    return true;
}

bool lab_read(const char *path, Lab *lab, Error *err) {
    enum { LAB_FILE_MAX = 1 << 24 };
    int64_t version = 0;
    static const JsonField HEAD[] = {{"version", JSON_INT, JSON_REQUIRED, 0}};
    Text text = {0};
    bool read = file_read(path, LAB_FILE_MAX, &text, err);
    cJSON *file = read ? json_parse(text_string(&text), text.length, err) : NULL;
    bool ok = file != NULL && json_read(file, "results", HEAD, COUNT(HEAD), &version, err);
    if (ok && version != LAB_VERSION)
        ok = error_set(err, "is of version %" PRId64 "; this program reads version %d", version,
                       LAB_VERSION);
    const cJSON *list = ok ? cJSON_GetObjectItemCaseSensitive(file, "comparisons") : NULL;
    if (ok && !cJSON_IsArray(list))
        ok = error_set(err, "comparisons: expected a list");
    size_t number = 0;
    for (const cJSON *item = ok ? list->child : NULL; ok && item != NULL; item = item->next)
        ok = read_comparison(item, number++, lab, err);
    if (ok)
        ok = labstats_read(cJSON_GetObjectItemCaseSensitive(file, "statistics"), "statistics",
                           &lab->statistics, err);
    cJSON_Delete(file);
    text_free(&text);
    return ok || (read && error_prefix(err, "%s", path));
}

/* A comparison stands on a line of its own, so that two versions of the file can be compared. */
bool lab_write(const char *path, const Lab *lab, Error *err) {
    enum { FILE_MODE = 0644 };
    Text text = {0};
    text_addf(&text, "{\"version\":%d,\"comparisons\":[", LAB_VERSION);
    for (size_t i = 0; i < lab->count; i++) {
        cJSON *object = cJSON_CreateObject();
        json_write(object, FIELDS, COUNT(FIELDS), &lab->items[i]);
        text_add(&text, i > 0 ? ",\n" : "\n");
        json_take(object, &text);
    }
    text_add(&text, "\n]");
    if (lab->statistics.count > 0) {
        text_add(&text, ",\"statistics\":");
        labstats_write(&lab->statistics, &text);
    }
    text_add(&text, "}\n");
    bool ok = file_write_atomic(path, text_string(&text), text.length, FILE_MODE, err);
    text_free(&text);
    return ok;
}

/* ---- Journals ---- */

/* Takes the settings from the JSON of a match's head. */
static bool read_settings(const Result *result, LabComparison *comparison, Error *err) {
    static const JsonField HEAD[] = {
        FIELD("book", JSON_TEXT, JSON_REQUIRED, book),
        FIELD("book_sha256", JSON_TEXT, JSON_REQUIRED, openings),
        FIELD("seed", JSON_INT, JSON_REQUIRED, seed),
        FIELD("start", JSON_INT, JSON_REQUIRED, start),
        FIELD("sequential", JSON_BOOL, JSON_OPTIONAL, sequential),
        FIELD("win_adj", JSON_TEXT, JSON_OPTIONAL, win_adj),
        FIELD("draw_adj", JSON_TEXT, JSON_OPTIONAL, draw_adj),
        FIELD("max_moves", JSON_INT, JSON_OPTIONAL, moves_max),
        FIELD("plies", JSON_INT, JSON_OPTIONAL, plies),
        FIELD("games", JSON_INT, JSON_OPTIONAL, limit),
    };
    static const JsonField DEV[] = {
        FIELD("spec", JSON_TEXT, JSON_REQUIRED, dev),
        FIELD("tc", JSON_TEXT, JSON_REQUIRED, tc),
        FIELD("options", JSON_TEXT_LIST, JSON_OPTIONAL, dev_options),
        FIELD("commit", JSON_TEXT, JSON_OPTIONAL, commit),
        FIELD("changes", JSON_TEXT, JSON_OPTIONAL, changes),
    };
    static const JsonField BASE[] = {
        FIELD("spec", JSON_TEXT, JSON_REQUIRED, base),
        FIELD("tc", JSON_TEXT, JSON_REQUIRED, base_tc),
        FIELD("options", JSON_TEXT_LIST, JSON_OPTIONAL, base_options),
    };
    cJSON *match = json_parse(result->match, strlen(result->match), err);
    bool ok = match != NULL && json_read(match, "match", HEAD, COUNT(HEAD), comparison, err);
    const cJSON *dev = ok ? json_object(match, "match", "dev", err) : NULL;
    const cJSON *base = dev != NULL ? json_object(match, "match", "base", err) : NULL;
    ok = base != NULL && json_read(dev, "match.dev", DEV, COUNT(DEV), comparison, err) &&
         json_read(base, "match.base", BASE, COUNT(BASE), comparison, err);
    comparison->tables = ok && cJSON_HasObjectItem(match, "syzygy");
    cJSON_Delete(match);
    if (ok && strcmp(comparison->tc, comparison->base_tc) == 0) {
        free(comparison->base_tc);
        comparison->base_tc = NULL;
    }
    lab_hide_folders(&comparison->dev_options);
    lab_hide_folders(&comparison->base_options);
    for (int side = 0; ok && side < SIDE_COUNT; side++) { /* Folders are private. */
        char **spec = side == SIDE_DEV ? &comparison->dev : &comparison->base;
        char *shown = result_shown_spec(*spec);
        free(*spec);
        *spec = shown;
    }
    if (ok) {
        char *file = mem_strdup(file_name_of(comparison->book));
        free(comparison->book);
        comparison->book = file;
    }
    return ok;
}

/* Copies counts and rule; the counts of earlier games are added. */
static void take_counts(const Result *result, const Tally *earlier, LabComparison *comparison) {
    const Report *report = &result->report;
    Tally sum = *earlier;
    tally_add(&sum, &result->before_gap);
    comparison->sprt = report->sprt;
    comparison->rule = report->sprt ? report->rule : (SprtRule){0};
    comparison->model = mem_strdup(sprt_model_name(report->rule.model));
    comparison->wins = sum.wins;
    comparison->losses = sum.losses;
    comparison->draws = sum.draws;
    comparison->games = tally_games(&sum);
    comparison->penta =
        (IntList){.items = mem_calloc(PENTA_CELLS, sizeof(int64_t)), .count = PENTA_CELLS};
    for (int i = 0; i < PENTA_CELLS; i++)
        comparison->penta.items[i] = sum.penta.n[i];
    if (tally_games(earlier) > 0) {
        scorelist_write(earlier, &comparison->earlier);
        comparison->start -= penta_pairs(&earlier->penta);
    }
}

/* All games of a lab are of engines of one bench: other engines answer other questions. */
static bool check_bench(const Lab *lab, const char *journal, int64_t bench, Error *err) {
    for (size_t i = 0; i < lab->count; i++)
        if (bench > 0 && lab->items[i].bench > 0 && lab->items[i].bench != bench)
            return error_set(err,
                             "%s: the engine's bench is %" PRId64 ", but that of %s/%s in the "
                             "results is %" PRId64 "; move the results away to begin anew",
                             journal, bench, lab->items[i].suite, lab->items[i].name,
                             lab->items[i].bench);
    return true;
}

bool lab_same_engine(const LabComparison *one, const LabComparison *other) {
    return text_same(one->commit, other->commit) && text_same(one->changes, other->changes);
}

/* The commit of all games of the comparison; NULL: they are of several, or it is not known. */
static const char *commit_of_all(const LabComparison *comparison) {
    bool one =
        comparison->earlier.count == 0 || text_same(comparison->earlier_commit, comparison->commit);
    return one && comparison->changes == NULL ? comparison->commit : NULL;
}

/* A journal that goes on from earlier games stands behind them: alone it would begin at a later
 * opening. */
static bool check_known(const LabComparison *known, const Result *result, Error *err) {
    int64_t games = tally_games(&result->report.earlier);
    return known != NULL || games == 0 ||
           error_set(err,
                     "goes on from %" PRId64 " games that the results do not have: take the "
                     "journal of these first",
                     games);
}

/* An SPRT that goes on was judged with the score of its earlier games: with another score other
 * pairs would count. */
static bool check_judged(const Result *result, const Tally *earlier, Error *err) {
    bool same = memcmp(&result->report.earlier.penta, &earlier->penta, sizeof earlier->penta) == 0;
    return !result->report.sprt || same ||
           error_set(err, "its SPRT did not begin with the games that the results have before its "
                          "first opening: play it again with --after");
}

/* Does the known comparison go on behind the openings of this journal, which are its own? Another
 * machine has then played on since the journal was taken. */
static bool counts_already(const LabComparison *known, const LabComparison *now,
                           const Result *result) {
    Error unused;
    Report report = lab_report(known);
    int64_t known_end = known->start + penta_pairs(&report.tally.penta);
    int64_t end = now->start + penta_pairs(&result->before_gap.penta);
    return now->start >= known->start && end < known_end && lab_same_games(known, now, &unused);
}

LabComparison *lab_take(Lab *lab, const char *journal, const Result *result, int64_t bench,
                        bool *counted, Error *err) {
    LabComparison comparison = {.bench = bench};
    bool ok = result->match != NULL || error_set(err, "%s: is no match of a suite", journal);
    ok = ok && (result->tuning == NULL ||
                error_set(err, "%s: is a tuning, and no match of a suite", journal));
    ok = ok && (!result->strayed ||
                error_set(err,
                          "%s: its pairs are of other openings than its start says: openings would "
                          "count twice",
                          journal));
    ok = ok && check_bench(lab, journal, bench, err) &&
         name_comparison(journal, &comparison, err) &&
         (read_settings(result, &comparison, err) || error_prefix(err, "%s", journal));
    LabComparison *known = ok ? lab_find(lab, comparison.suite, comparison.name) : NULL;
    Tally earlier = {0};
    *counted = known != NULL && counts_already(known, &comparison, result);
    if (*counted) {
        free_comparison(&comparison);
        return known;
    }
    if (known != NULL)
        ok = (lab_score_before(known, comparison.start, &earlier, err) &&
              (tally_games(&earlier) == 0 || lab_same_games(known, &comparison, err))) ||
             error_prefix(err, "%s", journal);
    ok = ok && ((check_known(known, result, err) && check_judged(result, &earlier, err)) ||
                error_prefix(err, "%s", journal));
    if (ok) {
        take_counts(result, &earlier, &comparison);
        if (known != NULL && known->games > comparison.games)
            ok = error_set(err,
                           "%s: %" PRId64 " games, but the results have %" PRId64
                           " of %s/%s; delete that line of the results to count anew",
                           journal, comparison.games, known->games, comparison.suite,
                           comparison.name);
        /* A journal that is taken again stands behind the same earlier games as before. */
        if (known != NULL && tally_games(&earlier) > 0)
            comparison.earlier_commit =
                mem_strdup(tally_games(&earlier) < known->games ? known->earlier_commit
                                                                : commit_of_all(known));
        if (known != NULL && bench == 0 && lab_same_engine(known, &comparison))
            comparison.bench = known->bench;
    }
    if (!ok) {
        free_comparison(&comparison);
        return NULL;
    }
    return add(lab, &comparison);
}
