/* SPDX-License-Identifier: MIT */
#include "local/tunerun.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/tuningview.h"

/* ---- Beginning ---- */

void tunerun_describe(const TuneSettings *given, RecordTuning *out) {
    out->schedule = given->schedule;
    out->overlap = given->overlap;
    for (size_t i = 0; i < given->parameters.count; i++) {
        Text line = {0};
        spsa_write_parameter(&given->parameters.items[i], &line);
        words_add(&out->parameters, text_string(&line));
        text_free(&line);
    }
}

/* Adds a value as a limit. A parameter with fractions has one there too, so that an option that
 * takes whole numbers alone refuses it. */
static void add_limit(const SpsaParameter *parameter, double value, Words *limits) {
    Text text = {0};
    text_add_number(&text, value);
    if (parameter->is_float && strpbrk(text_string(&text), ".e") == NULL)
        text_add(&text, ".0");
    words_add(limits, text_string(&text));
    text_free(&text);
}

bool tunerun_init(TuneRun *run, const RecordHead *head, Error *err) {
    *run = (TuneRun){0};
    if (!record_tuning(head, &run->tuning, err))
        return false;
    for (size_t i = 0; i < run->tuning.count; i++) {
        const SpsaParameter *parameter = &run->tuning.parameters[i];
        add_limit(parameter, parameter->min, &run->limits);
        add_limit(parameter, parameter->max, &run->limits);
    }
    size_t open = (size_t)run->tuning.overlap;
    run->options = mem_calloc(open * SIDE_COUNT * run->tuning.count, sizeof *run->options);
    run->filled = mem_calloc(open, sizeof *run->filled);
    for (size_t i = 0; i < open; i++)
        run->filled[i] = -1;
    return true;
}

void tunerun_free(TuneRun *run) {
    size_t options = (size_t)run->tuning.overlap * SIDE_COUNT * run->tuning.count;
    for (size_t i = 0; run->options != NULL && i < options; i++)
        free((char *)(uintptr_t)run->options[i].value);
    free(run->options);
    free(run->filled);
    words_free(&run->limits);
    if (run->tuning.parameters != NULL)
        tuning_free(&run->tuning);
    *run = (TuneRun){0};
}

/* ---- Pairs ---- */

/* The options of a side at a place among the iterations in play: tuning.count options. */
static MatchOption *options_at(const TuneRun *run, int64_t place, Side side) {
    return run->options + ((size_t)place * SIDE_COUNT + (size_t)side) * run->tuning.count;
}

/* Writes an iteration's values into the options at its place. */
static void fill(TuneRun *run, int64_t pair, int64_t place) {
    const Tuning *tuning = &run->tuning;
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        MatchOption *options = options_at(run, place, side);
        for (size_t i = 0; i < tuning->count; i++) {
            Text value = {0};
            text_add_number(&value, tuning_value(tuning, pair, side, i));
            free((char *)(uintptr_t)options[i].value);
            options[i] = (MatchOption){.name = tuning->parameters[i].name,
                                       .value = text_take(&value),
                                       .least = run->limits.items[2 * i],
                                       .most = run->limits.items[2 * i + 1]};
        }
    }
}

int tunerun_options(TuneRun *run, int64_t pair, Side side, const MatchOption **options) {
    int64_t iteration = pair / run->tuning.schedule.pairs_per;
    int64_t place = iteration % run->tuning.overlap;
    if (run->filled[place] != iteration)
        fill(run, pair, place);
    run->filled[place] = iteration;
    *options = options_at(run, place, side);
    return (int)run->tuning.count;
}

bool tunerun_take(TuneRun *run, const PairResult *pair, Error *err) {
    Tally tally = pair_tally(pair);
    return tuning_take(&run->tuning, pair->index, &tally, err);
}

/* ---- Display ---- */

void tunerun_show(TuneRun *run, double seconds, Log *log) {
    enum { LINES = 40 }; /* Log lines of a whole tuning, without a terminal. */
    const Tuning *tuning = &run->tuning;
    int64_t every = tuning->schedule.iterations / LINES + 1;
    bool plain = log != NULL && !log->terminal && tuning->done - run->announced >= every;
    if (!plain && !log_live_due(log))
        return;
    Text text = {0};
    if (plain) {
        tuningview_line(tuning, seconds, &text);
        log_info(log, "%s", text_string(&text));
        run->announced = tuning->done;
    } else {
        ProgressStyle style = {.width = log_width(log), .utf8 = log->utf8, .color = log->color};
        tuningview_live(tuning, seconds, &style, &text);
        log_live(log, text_string(&text));
    }
    text_free(&text);
}
