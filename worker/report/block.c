/* SPDX-License-Identifier: MIT */
#include "report/block.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "stats/estimate.h"

/* Appends the sides' values: one when they are equal, else "dev / base". */
static void add_sides(Text *out, const char *label, const char *dev, const char *base,
                      const char *unit) {
    text_addf(out, "%s%s%s", label, dev, unit);
    if (strcmp(dev, base) != 0)
        text_addf(out, " / %s%s", base, unit);
}

void report_setup(Text *out, const char *dev_tc, const char *base_tc, const char *dev_threads,
                  const char *base_threads, const char *dev_hash, const char *base_hash) {
    add_sides(out, "", dev_tc, base_tc, "");
    add_sides(out, " Threads=", dev_threads, base_threads, "");
    add_sides(out, " Hash=", dev_hash, base_hash, "MB");
}

bool report_elo(const Report *report, EloInterval *elo) {
    Outcomes outcomes = outcomes_of(&report->tally);
    bool known = report->purpose == PURPOSE_TEST && outcomes_no_interval(&outcomes) == NULL;
    *elo = known ? outcomes_elo(&outcomes, INTERVAL_STUDENT) : (EloInterval){0, 0, 0};
    return known;
}

double report_llr(const Report *report) {
    Tally all = report->tally;
    tally_add(&all, &report->earlier);
    return report->sprt ? sprt_llr(&report->rule, &all) : 0;
}

Verdict report_verdict(const Report *report) {
    return report->sprt ? sprt_verdict(report_llr(report), sprt_limits(&report->rule))
                        : VERDICT_NONE;
}

bool report_estimate(const Report *report, EloInterval *elo) {
    return report->sprt && tally_games(&report->earlier) == 0 &&
           sprt_estimate(&report->rule, &report->tally, elo);
}

void report_hypotheses(const SprtRule *rule, Text *out) {
    text_addf(out, "[%.2f, %.2f]", unsigned_zero(rule->elo0, 2), unsigned_zero(rule->elo1, 2));
    if (rule->model != SPRT_NORMALIZED)
        text_addf(out, " %s", sprt_model_name(rule->model));
}

void report_accepted(const SprtRule *rule, Verdict verdict, Text *out) {
    bool h1 = verdict == VERDICT_H1;
    text_addf(out, "accepts %s: %.2f rather than %.2f %s", verdict_name(verdict),
              unsigned_zero(h1 ? rule->elo1 : rule->elo0, 2),
              unsigned_zero(h1 ? rule->elo0 : rule->elo1, 2), sprt_model_unit(rule->model));
}

void report_block(const Report *report, Text *out) {
    const Penta *penta = &report->tally.penta;
    Outcomes outcomes = outcomes_of(&report->tally);
    EloInterval elo;
    if (report_elo(report, &elo))
        text_addf(out, "Elo   | %.2f +- %.2f (95%%)\n", unsigned_zero(elo.value, 2),
                  elo_margin(&elo));
    else if (report->purpose == PURPOSE_TEST)
        text_addf(out, "Elo   | no interval yet (%s)\n", outcomes_no_interval(&outcomes));
    if (report->setup)
        text_addf(out, "%s | %s\n", report->sprt ? "SPRT " : "Conf ", report->setup);
    if (report->sprt) {
        LlrLimits limits = sprt_limits(&report->rule);
        text_addf(out, "LLR   | %.2f (%.2f, %.2f) ", unsigned_zero(report_llr(report), 2),
                  limits.lower, limits.upper);
        report_hypotheses(&report->rule, out);
        if (tally_games(&report->earlier) > 0)
            text_addf(out, ", with %lld earlier games", (long long)tally_games(&report->earlier));
        text_add_char(out, '\n');
    }
    text_addf(out, "Games | N: %lld", (long long)tally_games_counted(&report->tally));
    if (report->games_known)
        text_addf(out, " W: %lld L: %lld D: %lld", (long long)report->tally.wins,
                  (long long)report->tally.losses, (long long)report->tally.draws);
    text_add_char(out, '\n');
    if (outcomes.cells == PENTA_CELLS)
        text_addf(out, "Penta | [%lld, %lld, %lld, %lld, %lld]\n", (long long)penta->n[0],
                  (long long)penta->n[1], (long long)penta->n[2], (long long)penta->n[3],
                  (long long)penta->n[4]);
}

bool report_fault(const Tally *tally, int kind, const char *before, Text *out) {
    static const struct {
        const char *one, *many;
    } NAMES[FAULT_KINDS] = {
        {"crash", "crashes"}, {"time loss", "time losses"}, {"illegal move", "illegal moves"}};
    int64_t count = (const int64_t[]){tally->crashes, tally->timelosses, tally->illegals}[kind];
    if (count > 0)
        text_addf(out, "%s%lld %s", before, (long long)count,
                  count == 1 ? NAMES[kind].one : NAMES[kind].many);
    return count > 0;
}

void report_faults(const Tally *tally, Text *out) {
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        report_fault(tally, kind, out->length > 0 ? ", " : "", out);
}

/* Adds the number; not known: null. */
static void add_number(cJSON *object, const char *name, bool known, double value) {
    if (known)
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

/* Adds the members that are computed from the tally. */
static void add_more(cJSON *object, const Report *report) {
    const Penta *penta = &report->tally.penta;
    Outcomes outcomes = outcomes_of(&report->tally);
    EloInterval estimate;
    double value = 0;
    EloInterval elo;
    bool interval = report_elo(report, &elo);
    if (interval && report_estimate(report, &estimate)) {
        cJSON *list = cJSON_AddArrayToObject(object, "elo_corrected");
        const double values[] = {estimate.lower, estimate.value, estimate.upper};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            cJSON_AddItemToArray(list, cJSON_CreateNumber(json_rounded(values[i])));
    } else
        cJSON_AddNullToObject(object, "elo_corrected");
    EloInterval normalized = outcomes_normalized_elo(&outcomes, INTERVAL_STUDENT);
    add_number(object, "normalized_elo", interval, json_rounded(normalized.value));
    add_number(object, "los", interval, json_rounded(outcomes_los(&outcomes)));
    bool known = stats_draw_ratio(penta, &value);
    add_number(object, "draw_ratio", known, json_rounded(value));
    known = stats_pair_ratio(penta, &value);
    add_number(object, "pair_ratio", known, json_rounded(value));
}

static void add_statistics(cJSON *object, const Report *report) {
    EloInterval elo;
    bool interval = report_elo(report, &elo);
    add_number(object, "elo", interval, json_rounded(elo.value));
    add_number(object, "elo_lower", interval, json_rounded(elo.lower));
    add_number(object, "elo_upper", interval, json_rounded(elo.upper));
    LlrLimits limits = report->sprt ? sprt_limits(&report->rule) : (LlrLimits){0, 0};
    add_number(object, "llr", report->sprt, json_rounded(report_llr(report)));
    add_number(object, "llr_lower", report->sprt, json_rounded(limits.lower));
    add_number(object, "llr_upper", report->sprt, json_rounded(limits.upper));
    cJSON_AddStringToObject(object, "verdict", verdict_name(report_verdict(report)));
    add_more(object, report);
}

/* Adds SIDE_depth and SIDE_nps. */
static void add_work(cJSON *object, const char *side, const EngineWork *work) {
    static const struct {
        const char *name;
        bool (*average)(const EngineWork *work, double *value);
    } AVERAGES[] = {{"depth", work_depth}, {"nps", work_nps}};
    for (size_t i = 0; i < sizeof AVERAGES / sizeof *AVERAGES; i++) {
        Text name = {0};
        double value = 0;
        bool known = AVERAGES[i].average(work, &value);
        text_addf(&name, "%s_%s", side, AVERAGES[i].name);
        add_number(object, text_string(&name), known, json_rounded(value));
        text_free(&name);
    }
}

/* ---- A tuning ---- */

static const char *const PARAMETER_COLUMNS[REPORT_PARAMETER_COLUMNS] = {
    "name", "value", "start", "min", "max", "c", "c_end", "r", "r_end"};

void report_parameter_number(double value, char room[REPORT_PARAMETER_CELL]) {
    static const double LONG = 999999.5; /* Rounds to seven digits. */
    static const double TOO_LONG = 1e15;
    bool is_long = fabs(value) >= LONG && fabs(value) < TOO_LONG;
    snprintf(room, REPORT_PARAMETER_CELL, is_long ? "%.0f" : "%.6g", value);
}

const char *report_parameter_cell(const TunedParameter *parameter, int column,
                                  char room[REPORT_PARAMETER_CELL]) {
    if (parameter == NULL)
        return PARAMETER_COLUMNS[column];
    if (column == 0)
        return parameter->name;
    report_parameter_number(parameter->numbers[column - 1], room);
    return room;
}

/* The parameter of a line of the table; NULL: the first line, which has the headings. */
static const TunedParameter *line_of(const Report *report, size_t line) {
    return line > 0 ? &report->parameters.items[line - 1] : NULL;
}

void report_parameters(const Report *report, Text *out) {
    size_t lines = report->parameters.count > 0 ? report->parameters.count + 1 : 0;
    size_t widths[REPORT_PARAMETER_COLUMNS] = {0};
    char room[REPORT_PARAMETER_CELL];
    for (size_t i = 0; i < lines; i++)
        for (int k = 0; k < REPORT_PARAMETER_COLUMNS; k++) {
            size_t length = strlen(report_parameter_cell(line_of(report, i), k, room));
            widths[k] = length > widths[k] ? length : widths[k];
        }
    for (size_t i = 0; i < lines; i++) {
        const TunedParameter *parameter = line_of(report, i);
        text_addf(out, "%-*s", (int)widths[0], report_parameter_cell(parameter, 0, room));
        for (int k = 1; k < REPORT_PARAMETER_COLUMNS; k++)
            text_addf(out, "  %*s", (int)widths[k], report_parameter_cell(parameter, k, room));
        text_add_char(out, '\n');
    }
}

static void add_parameters(cJSON *object, const Report *report) {
    cJSON *list =
        report->parameters.count > 0 ? cJSON_AddArrayToObject(object, "parameters") : NULL;
    for (size_t i = 0; list && i < report->parameters.count; i++) {
        const TunedParameter *parameter = &report->parameters.items[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, PARAMETER_COLUMNS[0], parameter->name);
        for (int k = 1; k < REPORT_PARAMETER_COLUMNS; k++)
            cJSON_AddNumberToObject(item, PARAMETER_COLUMNS[k], parameter->numbers[k - 1]);
        cJSON_AddItemToArray(list, item);
    }
}

void report_add_to_json(const Report *report, cJSON *object) {
    const Tally *tally = &report->tally;
    bool known = report->games_known;
    bool faults = known && !report->faults_unknown;
    bool details = known && !report->details_unknown;
    add_number(object, "games", true, (double)tally_games_counted(tally));
    add_number(object, "wins", known, (double)tally->wins);
    add_number(object, "losses", known, (double)tally->losses);
    add_number(object, "draws", known, (double)tally->draws);
    bool in_pairs = tally_games(tally) == 0 || penta_pairs(&tally->penta) > 0;
    cJSON *cells =
        in_pairs ? cJSON_AddArrayToObject(object, "penta") : cJSON_AddNullToObject(object, "penta");
    for (int i = 0; in_pairs && i < PENTA_CELLS; i++)
        cJSON_AddItemToArray(cells, cJSON_CreateNumber((double)tally->penta.n[i]));
    add_statistics(object, report);
    add_number(object, "crashes", faults, (double)tally->crashes);
    add_number(object, "timelosses", faults, (double)tally->timelosses);
    add_number(object, "illegals", details, (double)tally->illegals);
    add_number(object, "plies", details, (double)tally->plies);
    add_work(object, "dev", &tally->work[SIDE_DEV]);
    add_work(object, "base", &tally->work[SIDE_BASE]);
    add_number(object, "seconds", details, round(report->seconds * 1e3) / 1e3);
    bool waits = report->waits_known;
    add_number(object, "cpu_waited", waits && report->cpu_waited >= 0,
               json_rounded(report->cpu_waited));
    add_number(object, "cpu_stolen", waits && report->cpu_stolen >= 0,
               json_rounded(report->cpu_stolen));
    add_parameters(object, report);
    if (report->match != NULL)
        cJSON_AddItemToObject(object, "match", cJSON_Parse(report->match));
}

void report_json(const Report *report, Text *out) {
    cJSON *object = cJSON_CreateObject();
    report_add_to_json(report, object);
    json_take(object, out);
    text_add_char(out, '\n');
}
