#include "report/block.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* "dev" where both sides agree, else "dev / base". */
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

/* Those of whole pairs, or those that came without. */
static int64_t games_counted(const Tally *tally) {
    int64_t pairs = penta_pairs(&tally->penta);
    return pairs > 0 ? 2 * pairs : tally_games(tally);
}

void report_block(const Report *report, Text *out) {
    const Penta *penta = &report->tally.penta;
    Outcomes outcomes = outcomes_of(&report->tally);
    EloInterval elo = outcomes_elo(&outcomes, INTERVAL_STUDENT);
    text_addf(out, "Elo   | %.2f +- %.2f (95%%)\n", elo.value, elo_margin(&elo));
    if (report->setup)
        text_addf(out, "%s | %s\n", report->sprt ? "SPRT " : "Conf ", report->setup);
    if (report->sprt) {
        LlrLimits limits = sprt_limits(&report->rule);
        text_addf(out, "LLR   | %.2f (%.2f, %.2f) [%.2f, %.2f]\n",
                  sprt_llr(&report->rule, &report->tally), limits.lower, limits.upper,
                  report->rule.elo0, report->rule.elo1);
    }
    text_addf(out, "Games | N: %lld", (long long)games_counted(&report->tally));
    if (report->games_known)
        text_addf(out, " W: %lld L: %lld D: %lld", (long long)report->tally.wins,
                  (long long)report->tally.losses, (long long)report->tally.draws);
    text_add_char(out, '\n');
    if (outcomes.cells == PENTA_CELLS)
        text_addf(out, "Penta | [%lld, %lld, %lld, %lld, %lld]\n", (long long)penta->n[0],
                  (long long)penta->n[1], (long long)penta->n[2], (long long)penta->n[3],
                  (long long)penta->n[4]);
}

/* Adds the number, or null when it is not known. */
static void add_number(cJSON *object, const char *name, bool known, double value) {
    if (known)
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

/* Six decimals say all that a simulation of this size knows, and keep the text short. */
static double rounded(double value) {
    return round(value * 1e6) / 1e6;
}

static void add_statistics(cJSON *object, const Report *report) {
    Outcomes outcomes = outcomes_of(&report->tally);
    EloInterval elo = outcomes_elo(&outcomes, INTERVAL_STUDENT);
    add_number(object, "elo", true, rounded(elo.value));
    add_number(object, "elo_lower", true, rounded(elo.lower));
    add_number(object, "elo_upper", true, rounded(elo.upper));
    double llr = 0;
    LlrLimits limits = {0, 0};
    Verdict verdict = VERDICT_NONE;
    if (report->sprt) {
        llr = sprt_llr(&report->rule, &report->tally);
        limits = sprt_limits(&report->rule);
        verdict = sprt_verdict(llr, limits);
    }
    add_number(object, "llr", report->sprt, rounded(llr));
    add_number(object, "llr_lower", report->sprt, rounded(limits.lower));
    add_number(object, "llr_upper", report->sprt, rounded(limits.upper));
    cJSON_AddStringToObject(object, "verdict", verdict_name(verdict));
}

/* SIDE_depth and SIDE_nps. */
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
        add_number(object, text_string(&name), known, rounded(value));
        text_free(&name);
    }
}

void report_add_to_json(const Report *report, cJSON *object) {
    const Tally *tally = &report->tally;
    bool known = report->games_known;
    add_number(object, "games", true, (double)games_counted(tally));
    add_number(object, "wins", known, (double)tally->wins);
    add_number(object, "losses", known, (double)tally->losses);
    add_number(object, "draws", known, (double)tally->draws);
    cJSON *cells = cJSON_AddArrayToObject(object, "penta");
    for (int i = 0; i < PENTA_CELLS; i++)
        cJSON_AddItemToArray(cells, cJSON_CreateNumber((double)tally->penta.n[i]));
    add_statistics(object, report);
    add_number(object, "crashes", known, (double)tally->crashes);
    add_number(object, "timelosses", known, (double)tally->timelosses);
    add_number(object, "illegals", known, (double)tally->illegals);
    add_number(object, "plies", known, (double)tally->plies);
    add_work(object, "dev", &tally->work[TALLY_DEV]);
    add_work(object, "base", &tally->work[TALLY_BASE]);
    add_number(object, "seconds", known, round(report->seconds * 1e3) / 1e3);
    bool waits = report->waits_known;
    add_number(object, "cpu_waited", waits && report->cpu_waited >= 0, rounded(report->cpu_waited));
    add_number(object, "cpu_stolen", waits && report->cpu_stolen >= 0, rounded(report->cpu_stolen));
}

void report_json(const Report *report, Text *out) {
    cJSON *object = cJSON_CreateObject();
    report_add_to_json(report, object);
    char *text = cJSON_PrintUnformatted(object);
    if (text)
        text_add(out, text);
    text_add_char(out, '\n');
    cJSON_free(text);
    cJSON_Delete(object);
}
