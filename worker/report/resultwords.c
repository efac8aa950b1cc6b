/* SPDX-License-Identifier: MIT */
#include "report/resultwords.h"

#include <string.h>

#include "report/tuningview.h"

void result_sentence(const Result *result, Text *out) {
    const Report *report = &result->report;
    const SprtRule *rule = &report->rule;
    Outcomes outcomes = outcomes_of(&report->tally);
    EloInterval elo;
    bool interval = report_elo(report, &elo);
    Verdict verdict = report_verdict(&result->report);
    if (result->tuning != NULL) {
        tuningview_sentence(result->tuning, out);
        return;
    }
    if (report->purpose == PURPOSE_TUNING) {
        text_add(out,
                 "A tuning plays one engine against itself with other values, so the score does "
                 "not tell how strong the engine is.");
        return;
    }
    if (report->purpose == PURPOSE_DATA) {
        text_add(out, "One engine plays against itself and makes training data, so the score "
                      "compares nothing.");
        return;
    }
    if (verdict != VERDICT_NONE) {
        text_add(out, "The SPRT ");
        report_accepted(rule, verdict, out);
        text_add_char(out, '.');
    } else if (report->sprt)
        text_addf(out, "The SPRT has %s between %.2f and %.2f %s%s.",
                  result->over ? "ended without a decision" : "not decided",
                  unsigned_zero(rule->elo0, 2), unsigned_zero(rule->elo1, 2),
                  sprt_model_unit(rule->model), result->over ? "" : " yet");
    else if (!interval)
        text_addf(out, "There is no interval%s: %s.", result->over ? "" : " yet",
                  outcomes_no_interval(&outcomes));
    else if (elo.lower > 0 || elo.upper < 0)
        text_addf(out, "The first is the %s one: the 95 %% interval leaves out 0.",
                  elo.lower > 0 ? "stronger" : "weaker");
    else
        text_add(out, "No difference that these games can tell from chance.");
}

void result_group_faults(const ResultGroup *group, Text *out) {
    Text faults = {0};
    report_faults(&group->tally, &faults);
    text_add(out, !group->faults_known ? "not known"
                  : faults.length == 0 ? "none"
                                       : text_string(&faults));
    text_free(&faults);
}

void result_group_elo(const ResultGroup *group, Text *out) {
    Report report = {.tally = group->tally};
    EloInterval elo;
    if (report_elo(&report, &elo))
        text_addf(out, "%+.1f ± %.1f", unsigned_zero(elo.value, 1), elo_margin(&elo));
    else
        text_add(out, "no interval");
}

void result_difference(const Result *result, Text *out) {
    const Origin *dev = &result->origins[SIDE_DEV];
    const Origin *base = &result->origins[SIDE_BASE];
    for (size_t i = 0; i < result->flag_count; i++)
        text_addf(out, "%s%s: %s → %s", i > 0 ? "; " : "", result->flags[i].name,
                  result->flags[i].base, result->flags[i].dev);
    if (result->flag_count == 0 && dev->subject != NULL &&
        (base->commit == NULL || strcmp(dev->commit, base->commit) != 0))
        text_add(out, dev->subject);
}
