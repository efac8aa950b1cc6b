/* SPDX-License-Identifier: MIT */
#include "serve/formplan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "match/timecontrol.h"
#include "report/outlookblock.h"
#include "report/progress.h"

/* A usual game between engines of near strength, with the usual adjudication. */
static const double MOVES = 55;          /* Of each side. */
static const double CLOCK_USED = 0.85;   /* Of the time at the start. */
static const double DEPTH_MOVE_S = 0.05; /* A move at fixed depth: a guess. */
static const double DRAWS = 0.55;        /* As `report --plan` takes them. */

static const char *field(const TestForm *form, const char *name) {
    const char *value = testform_get(form, name);
    return value ? value : "";
}

/* Reads "[0.00, 5.00]". */
static bool read_two(const TestForm *form, const char *name, double *first, double *second,
                     Error *err) {
    const char *text = field(form, name);
    int used = 0;
    if (sscanf(text, " [ %lf , %lf ] %n", first, second, &used) != 2 || text[used] != '\0' ||
        !isfinite(*first) || !isfinite(*second))
        return error_set(err, "%s: '%s' is not two numbers, such as [0.00, 5.00]", name, text);
    return true;
}

static bool read_rule(const TestForm *form, SprtRule *rule, Error *err) {
    *rule = (SprtRule){0};
    if (!read_two(form, "test_bounds", &rule->elo0, &rule->elo1, err) ||
        !read_two(form, "test_confidence", &rule->beta, &rule->alpha, err))
        return false;
    if (rule->elo0 >= rule->elo1)
        return error_set(err, "test_bounds: the first has to be below the second");
    if (rule->alpha <= 0 || rule->beta <= 0 || rule->alpha >= 0.5 || rule->beta >= 0.5)
        return error_set(err, "test_confidence: error rates lie between 0 and 0.5");
    return true;
}

/* Seconds of one side's moves in a game. */
static double side_seconds(const TimeControl *tc, double nps) {
    double periods = tc->moves > 0 ? ceil(MOVES / tc->moves) : 1;
    double base = CLOCK_USED * periods * (double)tc->base_ms + MOVES * (double)tc->inc_ms;
    switch (tc->kind) {
    case TC_CLOCK:
        return base / (double)CLOCK_MS_PER_SECOND;
    case TC_MOVETIME:
        return MOVES * (double)tc->movetime_ms / (double)CLOCK_MS_PER_SECOND;
    case TC_NODES:
        return MOVES * (double)tc->nodes / nps;
    case TC_DEPTH:
        break;
    }
    return MOVES * DEPTH_MOVE_S;
}

bool form_game_seconds(const TestForm *form, double nps, double *seconds, Error *err) {
    static const char *const clocks[] = {"dev_time_control", "base_time_control"};
    double scale_nps = 0;
    *seconds = 0;
    if (!text_to_double(field(form, "scale_nps"), 1, 1e12, "scale_nps", &scale_nps, err))
        return false;
    double speed = nps > 0 ? nps : scale_nps;
    for (int side = 0; side < 2; side++) {
        TimeControl tc;
        const char *text = field(form, clocks[side]);
        if (!timecontrol_parse(text[0] != '\0' ? text : field(form, clocks[0]), &tc, err))
            return error_prefix(err, "%s", clocks[side]);
        double factor = timecontrol_is_timed(&tc) ? scale_nps / speed : 1;
        *seconds += factor * side_seconds(&tc, speed);
    }
    return true;
}

/* The mean number of games for this true Elo. */
static double games_of(const SprtRule *rule, const PairShape *shape, double elo) {
    return 2 * sprt_outlook(rule, sprt_limits(rule), shape, elo).pairs;
}

static void add_duration(Text *out, const char *name, double games, double games_per_s) {
    text_addf(out, "%s: ", name);
    progress_duration(out, games / games_per_s);
    text_addf(out, " (%.0f games)\n", games);
}

bool form_plan(const TestForm *form, const Fleet *fleet, Text *out, Error *err) {
    OutlookPlan plan = {.shape = shape_of_draws(DRAWS), .draws = DRAWS};
    double seconds;
    if (!read_rule(form, &plan.rule, err) || !form_game_seconds(form, fleet->nps, &seconds, err))
        return false;
    double low = sprt_logistic_elo(&plan.rule, &plan.shape, plan.rule.elo0);
    double high = sprt_logistic_elo(&plan.rule, &plan.shape, plan.rule.elo1);
    plan.elo = high;
    outlook_block(&plan, out);
    if (fleet->threads == 0) {
        text_addf(out, "\nNo machine is active now; a game takes one thread about %.0f s.\n",
                  fmax(seconds, 1));
        return true;
    }
    double games_per_s = (double)fleet->threads / seconds;
    text_addf(out, "\nOn today's machines (%lld, with %lld threads), about %.0f games an hour:\n",
              (long long)fleet->machines, (long long)fleet->threads, 3600 * games_per_s);
    add_duration(out, "  if H0 is true", games_of(&plan.rule, &plan.shape, low), games_per_s);
    add_duration(out, "  if H1 is true", games_of(&plan.rule, &plan.shape, high), games_per_s);
    add_duration(out, "  halfway, the longest", games_of(&plan.rule, &plan.shape, (low + high) / 2),
                 games_per_s);
    return true;
}
