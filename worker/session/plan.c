/* SPDX-License-Identifier: MIT */
#include "session/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/memory.h"
#include "match/book.h"
#include "stats/spsa.h"

enum { MAX_CONCURRENCY = 4096, SYZYGY_MAX_MEN = 8, NUMBER_MAX = 16 };

/* The factor that multiplies times, by method DEV, BASE or BOTH. */
static bool find_scale_factor(const char *method, int64_t scale_nps, int64_t dev_nps,
                              int64_t base_nps, double *factor, Error *err) {
    if (scale_nps <= 0 || dev_nps <= 0 || base_nps <= 0)
        return error_set(
            err,
            "no scale for the clock: each speed must be above 0. The server's scale_nps is %lld; "
            "by their benches dev has %lld nps and base %lld nps",
            (long long)scale_nps, (long long)dev_nps, (long long)base_nps);
    double dev = (double)scale_nps / (double)dev_nps;
    double base = (double)scale_nps / (double)base_nps;
    if (strcmp(method, "DEV") == 0)
        *factor = dev;
    else if (strcmp(method, "BASE") == 0)
        *factor = base;
    else if (strcmp(method, "BOTH") == 0)
        *factor = (dev + base) / 2;
    else
        return error_set(err, "scale_method \"%.40s\" is not one of DEV, BASE, BOTH", method);
    return true;
}

/* The number of men for "OPTIONAL" (all available tables), "DISABLED" (0) or "N-MAN" (N, and their
 * tables must be available). */
static bool find_syzygy_men(const char *text, int available, int *men, Error *err) {
    *men = 0;
    if (strcmp(text, "DISABLED") == 0)
        return true;
    if (strcmp(text, "OPTIONAL") == 0) {
        *men = available;
        return true;
    }
    char *end;
    long wanted = strtol(text, &end, 10);
    if (end == text || strcmp(end, "-MAN") != 0 || wanted < 0 || wanted > SYZYGY_MAX_MEN)
        return error_set(err, "syzygy: \"%.40s\" is not one of OPTIONAL, DISABLED, N-MAN", text);
    if (wanted > available)
        return error_set(err,
                         "the test needs Syzygy tables of %ld men; this machine has those of %d",
                         wanted, available);
    *men = (int)wanted;
    return true;
}

static void add_option(PlanOptions *options, const char *name, const char *value) {
    words_add(&options->names, name);
    words_add(&options->values, value);
}

/* Is it an option that every test has, whatever its engine: the server asks for Threads and Hash,
 * and this worker adds the tablebases? A tuning goes on without it. */
static bool is_general(const char *option) {
    static const char *const NAMES[] = {"Threads", "Hash", "SyzygyPath", "SyzygyProbeLimit"};
    for (size_t i = 0; i < COUNT(NAMES); i++)
        if (strcasecmp(option, NAMES[i]) == 0)
            return true;
    return false;
}

static bool plan_options(const WorkloadSide *side, const Workload *workload, const PlanFacts *facts,
                         PlanOptions *out, Error *err) {
    int men;
    if (!workload_read_options(side->options, &out->names, &out->values, err) ||
        !find_syzygy_men(workload->syzygy_wdl, facts->syzygy_path ? facts->syzygy_max : 0, &men,
                         err))
        return false;
    if (men > 0) {
        char limit[NUMBER_MAX];
        snprintf(limit, sizeof limit, "%d", men);
        add_option(out, "SyzygyPath", facts->syzygy_path);
        if (strcmp(workload->syzygy_wdl, "OPTIONAL") != 0)
            add_option(out, "SyzygyProbeLimit", limit);
    }
    out->options = mem_calloc(out->names.count + 1, sizeof *out->options);
    out->count = (int)out->names.count;
    for (size_t i = 0; i < out->names.count; i++)
        out->options[i] = (MatchOption){.name = out->names.items[i],
                                        .value = out->values.items[i],
                                        .optional = is_general(out->names.items[i])};
    return true;
}

static bool plan_times(const Workload *workload, const PlanFacts *facts, Plan *out, Error *err) {
    const WorkloadSide *sides[SIDE_COUNT] = {
        [SIDE_DEV] = &workload->dev, [SIDE_BASE] = &workload->base};
    out->timed = false;
    for (int i = 0; i < SIDE_COUNT; i++) {
        if (!timecontrol_parse(sides[i]->time_control, &out->time_control[i], err))
            return false;
        out->timed = out->timed || timecontrol_is_timed(&out->time_control[i]);
    }
    out->scale_factor = 1;
    if (!out->timed)
        return true;
    if (!find_scale_factor(workload->scale_method, workload->scale_nps, facts->dev_nps,
                           facts->base_nps, &out->scale_factor, err))
        return false;
    for (int i = 0; i < SIDE_COUNT; i++)
        out->time_control[i] = timecontrol_scale(&out->time_control[i], out->scale_factor);
    return true;
}

int64_t plan_runner(const Plan *plan, int64_t pair) {
    return pair / plan->pairs_per_runner;
}

void plan_spsa_add(const Workload *workload, int64_t runner, int64_t wins, int64_t losses,
                   double *deltas) {
    for (size_t i = 0; i < workload->spsa_count; i++) {
        const WorkloadParameter *p = &workload->spsa[i];
        deltas[i] +=
            spsa_delta((SpsaStep){.c = p->c, .r = p->r}, (int)p->flip.items[runner], wins, losses);
    }
}

/* Makes the options with the values of every runner. All texts are added before any pointer to them
 * is taken, because the list moves while it grows. */
static void plan_spsa(const Workload *workload, Plan *out) {
    size_t runners = (size_t)workload->runner_count;
    out->spsa_count = workload->spsa_count;
    for (size_t k = 0; k < runners; k++) {
        for (size_t i = 0; i < workload->spsa_count; i++) {
            for (int side = 0; side < SIDE_COUNT; side++) {
                const WorkloadParameter *p = &workload->spsa[i];
                const RealList *values = side == SIDE_DEV ? &p->dev : &p->base;
                Text value = {0};
                text_add_number(&value, values->items[k]);
                words_add(&out->spsa_values, text_string(&value));
                text_free(&value);
            }
        }
    }
    for (int side = 0; side < SIDE_COUNT; side++) {
        size_t count = runners * workload->spsa_count;
        out->spsa[side] = mem_calloc(count + 1, sizeof *out->spsa[side]);
        for (size_t n = 0; n < count; n++)
            out->spsa[side][n] =
                (MatchOption){.name = workload->spsa[n % workload->spsa_count].name,
                              .value = out->spsa_values.items[n * SIDE_COUNT + (size_t)side]};
    }
}

/* Makes the players' names in the form of the servers' PGN. */
static void set_names(const Workload *workload, Plan *out) {
    const char *engines[SIDE_COUNT] = {
        [SIDE_DEV] = workload->dev.engine, [SIDE_BASE] = workload->base.engine};
    for (int i = 0; i < SIDE_COUNT; i++) {
        out->names[i] = text_format("%s-%s", engines[i], side_name((Side)i));
    }
}

bool plan_make(const Workload *workload, const PlanFacts *facts, Plan *out, Error *err) {
    *out = (Plan){0};
    bool datagen = workload->type == WORKLOAD_DATAGEN;
    int64_t concurrency = workload->runner_count * workload->concurrency_per;
    if (concurrency > MAX_CONCURRENCY)
        return error_set(err, "%lld games at a time are too many", (long long)concurrency);
    out->concurrency = (int)concurrency;
    out->first_opening = datagen ? 0 : workload->book_index - 1;
    out->no_reverses = datagen && !workload->play_reverses;
    out->pairs = workload_openings(workload);
    out->pairs_per_runner = workload->rounds_per_runner / 2;
    plan_spsa(workload, out);
    out->chess960 = book_name_is_chess960(workload->book.name);
    set_names(workload, out);
    return plan_times(workload, facts, out, err) &&
           plan_options(&workload->dev, workload, facts, &out->options[SIDE_DEV], err) &&
           plan_options(&workload->base, workload, facts, &out->options[SIDE_BASE], err) &&
           adjudication_parse_resign(workload->win_adj, &out->resign, err) &&
           adjudication_parse_draw(workload->draw_adj, &out->draw, err) &&
           find_syzygy_men(workload->syzygy_adj, facts->syzygy_path ? facts->syzygy_max : 0,
                           &out->syzygy_adj_men, err);
}

void plan_free(Plan *plan) {
    for (int i = 0; i < SIDE_COUNT; i++) {
        free(plan->names[i]);
        free(plan->options[i].options);
        words_free(&plan->options[i].names);
        words_free(&plan->options[i].values);
        free(plan->spsa[i]);
    }
    words_free(&plan->spsa_values);
    *plan = (Plan){0};
}
