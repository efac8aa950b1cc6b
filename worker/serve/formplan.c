/* SPDX-License-Identifier: MIT */
#include "serve/formplan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "match/timecontrol.h"
#include "report/outlookblock.h"
#include "report/progress.h"
#include "serve/newtest.h"
#include "serve/rules.h"
#include "stats/bounds.h"
#include "stats/stats.h"

/* A usual game between engines of near strength, with the usual adjudication. */
static const double MOVES = 55;          /* Of each side. */
static const double CLOCK_USED = 0.85;   /* Of the time at the start. */
static const double DEPTH_MOVE_S = 0.05; /* A move at fixed depth: a guess. */
static const double DRAWS = 0.55;        /* As `report --plan` takes them. */

enum { SECONDS_PER_HOUR = 3600 };

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
    int64_t scale_nps = 0;
    *seconds = 0;
    if (!text_to_int(testform_text(form, "scale_nps"), 1, SCALE_NPS_MAX, "scale_nps", &scale_nps,
                     err))
        return false;
    double speed = nps > 0 ? nps : (double)scale_nps;
    for (int side = 0; side < 2; side++) {
        TimeControl tc;
        const char *text = testform_text(form, clocks[side]);
        if (!timecontrol_parse(text[0] != '\0' ? text : testform_text(form, clocks[0]), &tc, err))
            return error_prefix(err, "%s", clocks[side]);
        double factor = timecontrol_is_timed(&tc) ? (double)scale_nps / speed : 1;
        *seconds += factor * side_seconds(&tc, speed);
    }
    return true;
}

/* ---- Sentences ---- */

/* Ends a sentence: the number of games, and how long the machines take for them. */
static void add_games(Text *out, double games, double games_per_s) {
    text_add_grouped(out, llround(games));
    text_add(out, " games");
    if (games_per_s > 0) {
        text_add(out, ", ");
        progress_duration(out, games / games_per_s);
    }
    text_add(out, ".\n");
}

/* The threads of a game: of the engine with more. */
static int64_t game_threads(const TestForm *form) {
    int64_t dev = rules_option(testform_text(form, "dev_options"), "Threads");
    int64_t base = rules_option(testform_text(form, "base_options"), "Threads");
    int64_t larger = dev > base ? dev : base;
    return larger > 1 ? larger : 1;
}

static void add_machines(Text *out, const Fleet *fleet, int64_t threads, double seconds,
                         double games_per_s) {
    if (fleet->threads == 0) {
        text_add(out, "No machine is active now. A game takes ");
        if (threads == 1)
            text_add(out, "one thread about ");
        else
            text_addf(out, "%" PRId64 " threads about ", threads);
        if (seconds < 1)
            text_addf(out, "%.2g s", seconds);
        else
            progress_duration(out, seconds);
        text_add(out, ".\n");
        return;
    }
    text_addf(out, "These are times of today's machines: %" PRId64 " with %" PRId64 " thread%s, ",
              fleet->machines, fleet->threads, text_plural(fleet->threads));
    text_add_grouped(out, llround((double)SECONDS_PER_HOUR * games_per_s));
    text_add(out, " games an hour.\n");
}

/* ---- An SPRT ---- */

static void add_hypothesis(Text *out, const OutlookPlan *plan, const char *name, double elo,
                           double games_per_s) {
    Outlook outlook = sprt_outlook(&plan->rule, sprt_limits(&plan->rule), &plan->shape, elo);
    text_addf(out,
              "If dev is %+.2f Elo (%s), the test passes in %.1f %% of all cases; on average it "
              "ends after ",
              unsigned_zero(elo, 2), name, 100 * outlook.pass);
    add_games(out, (double)GAMES_PER_PAIR * outlook.pairs, games_per_s);
}

static bool plan_sprt(const TestForm *form, double games_per_s, Text *out, Text *block,
                      Error *err) {
    OutlookPlan plan = {.shape = shape_of_draws(DRAWS), .draws = DRAWS};
    if (!sprt_parse_form(testform_text(form, "test_bounds"), testform_text(form, "test_confidence"),
                         &plan.rule, err) ||
        !sprt_check_outlook(&plan.rule, &plan.shape, err))
        return false;
    double low = sprt_logistic_elo(&plan.rule, &plan.shape, plan.rule.elo0);
    double high = sprt_logistic_elo(&plan.rule, &plan.shape, plan.rule.elo1);
    add_hypothesis(out, &plan, "H0", low, games_per_s);
    add_hypothesis(out, &plan, "H1", high, games_per_s);
    add_hypothesis(out, &plan, "halfway", (low + high) / 2, games_per_s);
    plan.elo = high;
    outlook_block(&plan, block);
    return true;
}

/* ---- A number of games ---- */

/* Half of the 95 % interval of Elo after so many games between near equals. */
static double margin_after(double games) {
    static const double ELO_PER_SCORE = 400 / (M_LN10 * 0.25); /* At a score of one half. */
    double variance = (1 - DRAWS) / 4 / games;
    return ERRORS_95 * sqrt(variance) * ELO_PER_SCORE;
}

/* Reads what the form of a tuning must say, so that no plan is made of a refused one. */
static bool read_tuning_games(const TestForm *form, double *games, Error *err) {
    SpsaSchedule schedule;
    if (!testform_read_schedule(form, &schedule, err))
        return false;
    *games = (double)(GAMES_PER_PAIR * schedule.iterations * schedule.pairs_per);
    return true;
}

static bool read_games(const TestForm *form, double *games, Error *err) {
    const char *name = form->kind == TESTFORM_TEST ? "test_max_games" : "datagen_max_games";
    int64_t count = 0;
    if (form->kind == TESTFORM_TUNE)
        return read_tuning_games(form, games, err);
    if (!text_to_int(testform_text(form, name), 1, GAMES_MAX, name, &count, err))
        return false;
    *games = (double)count;
    return true;
}

static bool plan_games(const TestForm *form, double games_per_s, Text *out, Error *err) {
    double games = 0;
    if (!read_games(form, &games, err))
        return false;
    text_add(out, form->kind == TESTFORM_TUNE   ? "The tuning plays "
                  : form->kind == TESTFORM_TEST ? "The test plays "
                                                : "The data are of ");
    add_games(out, games, games_per_s);
    if (form->kind == TESTFORM_TEST)
        text_addf(out, "Its 95 %% interval will be about ± %.1f Elo.\n", margin_after(games));
    if (form->kind == TESTFORM_TUNE)
        text_addf(out, "Only machines with %" PRId64 " threads or more play it.\n",
                  GAMES_PER_PAIR * game_threads(form));
    return true;
}

bool form_plan(const TestForm *form, const Fleet *fleet, Text *out, Text *block, Error *err) {
    double seconds;
    if (!form_game_seconds(form, fleet->nps, &seconds, err))
        return false;
    int64_t threads = game_threads(form);
    double games_per_s = (double)fleet->threads / (double)threads / seconds;
    bool sprt =
        form->kind == TESTFORM_TEST && strcmp(testform_text(form, "test_mode"), "SPRT") == 0;
    if (sprt ? !plan_sprt(form, games_per_s, out, block, err)
             : !plan_games(form, games_per_s, out, err))
        return false;
    add_machines(out, fleet, threads, seconds, games_per_s);
    return true;
}
