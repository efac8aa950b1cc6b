/* SPDX-License-Identifier: MIT */
#include "report/outlookblock.h"

#include "base/json.h"

#include <cjson/cJSON.h>
#include <math.h>

/* Further true Elo to tell, in units of the hypotheses' distance, from H0 on. */
static const double OTHERS[] = {-0.5, 0, 0.5, 1, 1.5};
enum { OTHER_COUNT = sizeof OTHERS / sizeof *OTHERS };

static Outlook outlook_of(const OutlookPlan *plan, double elo) {
    return sprt_outlook(&plan->rule, sprt_limits(&plan->rule), &plan->shape, elo);
}

static Outlook other_of(const OutlookPlan *plan, size_t index) {
    double low = sprt_logistic_elo(&plan->rule, &plan->shape, plan->rule.elo0);
    double high = sprt_logistic_elo(&plan->rule, &plan->shape, plan->rule.elo1);
    return outlook_of(plan, low + OTHERS[index] * (high - low));
}

static double outlook_games(const OutlookPlan *plan, const Outlook *outlook) {
    return outlook->pairs * (plan->shape.cells == PENTA_CELLS ? 2 : 1);
}

void outlook_block(const OutlookPlan *plan, Text *out) {
    const SprtRule *rule = &plan->rule;
    LlrLimits limits = sprt_limits(rule);
    LlrLimits exact;
    Outlook asked = outlook_of(plan, plan->elo);
    text_addf(out, "Plan  | true Elo %.2f, normalized %.2f; ", unsigned_zero(plan->elo, 2),
              unsigned_zero(asked.normalized, 2));
    if (plan->draws >= 0)
        text_addf(out, "%.1f %% of games drawn, pairs of independent games\n", 100 * plan->draws);
    else
        text_add(out, "pairs like those counted\n");
    text_addf(out, "SPRT  | (%.2f, %.2f) [%.2f, %.2f] %s\n", limits.lower, limits.upper,
              unsigned_zero(rule->elo0, 2), unsigned_zero(rule->elo1, 2),
              sprt_model_name(rule->model));
    text_addf(out, "Pass  | %.1f %%\n", 100 * asked.pass);
    text_addf(out, "Games | %.0f on average\n", outlook_games(plan, &asked));
    text_add(out, "\n    true Elo  normalized     pass      games\n");
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        Outlook other = other_of(plan, i);
        text_addf(out, "%12.2f%12.2f%8.1f %%%11.0f%s\n", unsigned_zero(other.logistic, 2),
                  unsigned_zero(other.normalized, 2), 100 * other.pass, outlook_games(plan, &other),
                  OTHERS[i] == 0   ? "  H0"
                  : OTHERS[i] == 1 ? "  H1"
                                   : "");
    }
    Outlook h0 = other_of(plan, 1);
    Outlook h1 = other_of(plan, 3);
    text_addf(out,
              "\nErrors are %.2f %% (H1 when H0 is true) and %.2f %%, for the %.2f %% and %.2f %% "
              "asked",
              100 * h0.pass, 100 * (1 - h1.pass), 100 * rule->alpha, 100 * rule->beta);
    if (sprt_exact_limits(rule, &plan->shape, &exact))
        text_addf(out, ";\nlimits of (%.3f, %.3f) would make them exact", exact.lower, exact.upper);
    text_add(out, ".\n");
}

static void add_number(cJSON *object, const char *name, double value) {
    cJSON_AddNumberToObject(object, name, json_rounded(value));
}

static void add_outlook(cJSON *object, const OutlookPlan *plan, const Outlook *outlook) {
    add_number(object, "elo", outlook->logistic);
    add_number(object, "normalized", outlook->normalized);
    add_number(object, "pass", outlook->pass);
    add_number(object, "games", round(outlook_games(plan, outlook)));
}

void outlook_json(const OutlookPlan *plan, Text *out) {
    cJSON *object = cJSON_CreateObject();
    LlrLimits limits = sprt_limits(&plan->rule);
    LlrLimits exact;
    Outlook asked = outlook_of(plan, plan->elo);
    add_outlook(object, plan, &asked);
    add_number(object, "llr_lower", limits.lower);
    add_number(object, "llr_upper", limits.upper);
    if (sprt_exact_limits(&plan->rule, &plan->shape, &exact)) {
        add_number(object, "exact_lower", exact.lower);
        add_number(object, "exact_upper", exact.upper);
    }
    cJSON *others = cJSON_AddArrayToObject(object, "others");
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        Outlook other = other_of(plan, i);
        cJSON *item = cJSON_CreateObject();
        add_outlook(item, plan, &other);
        cJSON_AddItemToArray(others, item);
    }
    json_take(object, out);
    text_add_char(out, '\n');
}
