/* SPDX-License-Identifier: MIT */
#include "report/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lmr/flags.h"
#include "report/origin.h"

static void free_settings(ResultSetting *settings, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(settings[i].name);
        free(settings[i].dev);
        free(settings[i].base);
        free(settings[i].note);
    }
    free(settings);
}

void result_free(Result *result) {
    games_free(&result->games);
    free(result->title);
    for (int side = 0; side < SIDE_COUNT; side++)
        free(result->sides[side]);
    for (int side = 0; side < SIDE_COUNT; side++)
        origin_free(&result->origins[side]);
    free(result->source);
    free(result->link);
    free(result->changes);
    free(result->state);
    free(result->warning);
    free(result->setup);
    free(result->match);
    tuned_free(&result->report.parameters);
    free(result->spec);
    free(result->diff);
    free(result->difference);
    if (result->tuning != NULL)
        tuning_free(result->tuning);
    free(result->tuning);
    free(result->tuned_spec);
    free(result->path);
    for (size_t i = 0; i < result->ending_count; i++)
        free(result->endings[i].name);
    free(result->endings);
    groups_free(&result->groups);
    free_settings(result->facts, result->fact_count);
    free_settings(result->flags, result->flag_count);
    free_settings(result->settings, result->setting_count);
    *result = (Result){0};
}

void result_set_title(Result *result, Text *title) {
    free(result->title);
    result->title = text_take(title);
}

void result_set_tuning(Result *result) {
    enum { NAMES_SHOWN = 4 };
    const TunedParameters *parameters = &result->report.parameters;
    Text title = {0};
    text_add(&title, "Tuning of ");
    for (size_t i = 0; i < parameters->count && i < NAMES_SHOWN; i++)
        text_addf(&title, "%s%s", i > 0 ? ", " : "", parameters->items[i].name);
    if (parameters->count > NAMES_SHOWN)
        text_addf(&title, " and %zu more", parameters->count - NAMES_SHOWN);
    text_addf(&title, " in %s", result->sides[SIDE_DEV]);
    result_set_title(result, &title);
    result->report.purpose = PURPOSE_TUNING;
}

void result_set_data(Result *result) {
    Text title = {0};
    text_addf(&title, "Training data of %s", result->sides[SIDE_DEV]);
    result_set_title(result, &title);
    result->report.purpose = PURPOSE_DATA;
}

void result_add_point(Result *result, int64_t games) {
    const Report *report = &result->report;
    Outcomes outcomes = outcomes_of(&report->tally);
    MEM_ADD(result->path, result->path_count, result->path_capacity,
            (ResultPoint){.games = games,
                          .llr = report_llr(report),
                          .elo = outcomes_elo(&outcomes, INTERVAL_STUDENT)});
}

void result_add_ending(Result *result, const char *name, int64_t count, bool fault) {
    result->endings = mem_grow(result->endings, &result->ending_capacity, result->ending_count + 1,
                               sizeof *result->endings);
    size_t at = result->ending_count++;
    for (; at > 0 && result->endings[at - 1].count < count; at--)
        result->endings[at] = result->endings[at - 1];
    result->endings[at] = (ResultCount){mem_strdup(name), count, fault};
}

void result_add_setting(Result *result, const char *name, const char *dev, const char *base) {
    bool same = base == NULL || strcmp(dev, base) == 0;
    MEM_ADD(result->settings, result->setting_count, result->setting_capacity,
            (ResultSetting){.name = mem_strdup(name),
                            .dev = mem_strdup(dev),
                            .base = same ? NULL : mem_strdup(base)});
}

void result_add_given(Result *result, const char *name, const char *dev, const char *base) {
    if ((dev && dev[0]) || (base && base[0]))
        result_add_setting(result, name, dev ? dev : "", base ? base : "");
}

void result_add_both(Result *result, const char *name, const char *value) {
    result_add_given(result, name, value, value);
}

void result_add_numbers(Result *result, const char *name, int64_t dev, int64_t base) {
    char texts[SIDE_COUNT][24];
    snprintf(texts[SIDE_DEV], sizeof texts[SIDE_DEV], "%" PRId64, dev);
    snprintf(texts[SIDE_BASE], sizeof texts[SIDE_BASE], "%" PRId64, base);
    result_add_setting(result, name, texts[SIDE_DEV], texts[SIDE_BASE]);
}

void result_add_commits(Result *result, const char *dev, const char *base) {
    enum { DIGITS = 12 };
    char commits[SIDE_COUNT][DIGITS + 1];
    snprintf(commits[SIDE_DEV], sizeof commits[SIDE_DEV], "%s", dev ? dev : "");
    snprintf(commits[SIDE_BASE], sizeof commits[SIDE_BASE], "%s", base ? base : "");
    result_add_given(result, "commit", commits[SIDE_DEV], commits[SIDE_BASE]);
}

void result_add_speed(Result *result, int64_t nps, const char *method) {
    char speed[64];
    snprintf(speed, sizeof speed, "to %" PRId64 " nodes/s of %s", nps, method ? method : "?");
    if (nps > 0)
        result_add_setting(result, "times scaled", speed, NULL);
}

void result_add_fact(Result *result, const char *name, const char *value, const char *note) {
    MEM_ADD(result->facts, result->fact_count, result->fact_capacity,
            (ResultSetting){
                .name = mem_strdup(name), .dev = mem_strdup(value), .note = mem_strdup(note)});
}

void result_add_rule(Result *result) {
    const SprtRule *rule = &result->report.rule;
    if (!result->report.sprt)
        return;
    char *text = text_format("[%.2f, %.2f] %s, error rates %g and %g", unsigned_zero(rule->elo0, 2),
                             unsigned_zero(rule->elo1, 2), sprt_model_unit(rule->model),
                             rule->alpha, rule->beta);
    result_add_setting(result, "SPRT", text, NULL);
    free(text);
}

void result_set_sides(Result *result, const char *dev, const char *base) {
    Text title = {0};
    text_addf(&title, "%s against %s", dev, base);
    result_set_title(result, &title);
    result->sides[SIDE_DEV] = mem_strdup(dev);
    result->sides[SIDE_BASE] = mem_strdup(base);
}

void result_set_setup(Result *result, Text *setup) {
    free(result->setup);
    result->setup = text_take(setup);
    result->report.setup = result->setup;
}

char *result_shown_spec(const char *spec) {
    static const char TREE[] = "tree:";
    const char *start = spec;
    if (text_starts_with(spec, TREE))
        return mem_strdup(TREE);
    for (const char *c = spec; *c && *c != ' '; c++)
        if (*c == '/' && !text_starts_with(spec, "git:"))
            start = c + 1;
    return mem_strdup(start);
}

/* ---- The switches ---- */

static const char LMR_PREFIX[] = "lmr:";

/* The value that "lmr:ROW=VALUE,..." gives the row; NULL: none. Allocated. */
static char *value_in(const char *spec, const char *row, size_t length) {
    for (const char *word = spec + strlen(LMR_PREFIX); *word;) {
        size_t size = strcspn(word, ", ");
        if (size > length && strncmp(word, row, length) == 0 && word[length] == '=')
            return mem_strndup(word + length + 1, size - length - 1);
        word += size + (word[size] != '\0');
    }
    return NULL;
}

/* The value of a row that the SPEC does not name. */
static char *default_of(const LmrRow *row, const char *spec) {
    Text text = {0};
    char value[LMR_VALUE_TEXT_MAX];
    char *preset = value_in(spec, "PRESET", strlen("PRESET"));
    if (preset != NULL)
        text_addf(&text, "as in preset %s", preset);
    else if (row != NULL) {
        lmr_value_format(row, row->standard, value);
        text_addf(&text, "%s (default)", value);
    } else
        text_add(&text, "default");
    free(preset);
    return text_take(&text);
}

static bool has_flag(const Result *result, const char *name, size_t length) {
    for (size_t i = 0; i < result->flag_count; i++)
        if (strlen(result->flags[i].name) == length &&
            strncmp(result->flags[i].name, name, length) == 0)
            return true;
    return false;
}

static void add_flag(Result *result, const char *name, size_t length, const char *dev_spec,
                     const char *base_spec) {
    char *row_name = mem_strndup(name, length);
    int index = lmr_row_find(row_name);
    const LmrRow *row = index >= 0 ? lmr_row(index) : NULL;
    char *dev = value_in(dev_spec, name, length);
    char *base = value_in(base_spec, name, length);
    bool same = dev != NULL && base != NULL && strcmp(dev, base) == 0;
    if (same) {
        free(row_name);
        free(dev);
        free(base);
        return;
    }
    MEM_ADD(result->flags, result->flag_count, result->flag_capacity,
            (ResultSetting){.name = row_name,
                            .dev = dev != NULL ? dev : default_of(row, dev_spec),
                            .base = base != NULL ? base : default_of(row, base_spec),
                            .note = row != NULL ? mem_strdup(row->meaning) : NULL});
}

void result_add_flags(Result *result, const char *dev_spec, const char *base_spec) {
    const char *specs[] = {dev_spec, base_spec};
    if (!text_starts_with(dev_spec, LMR_PREFIX) || !text_starts_with(base_spec, LMR_PREFIX))
        return;
    for (int i = 0; i < 2; i++) {
        for (const char *word = specs[i] + strlen(LMR_PREFIX); *word;) {
            size_t size = strcspn(word, ", ");
            size_t length = strcspn(word, "=, ");
            if (length > 0 && length < size && !has_flag(result, word, length))
                add_flag(result, word, length, dev_spec, base_spec);
            word += size + (word[size] != '\0');
        }
    }
}

/* ---- Counts alone ---- */

void result_of_counts(Result *result, const Report *report, const char *title) {
    *result =
        (Result){.title = mem_strdup(title), .source = mem_strdup("counts"), .report = *report};
    Outcomes outcomes = outcomes_of(&report->tally);
    int64_t count = outcomes_total(&outcomes);
    if (count > 0)
        result_add_point(result, outcomes.cells == PENTA_CELLS ? 2 * count : count);
}

/* ---- Tests on a server ---- */

enum { PART = 64 };

/* Writes a time control with its unit, "8.0+0.08s"; nodes, depth and times a move have no unit. */
static void clock_text(const char *time_control, char out[PART]) {
    const char *text = time_control ? time_control : "";
    bool fixed = strchr(text, '=') != NULL;
    size_t length = strlen(text);
    bool unit = !fixed && length > 0 && text[length - 1] != 's';
    snprintf(out, PART, "%s%s", text, unit ? "s" : "");
}

void result_set_server_setup(Result *result, const char *dev_clock, const char *base_clock,
                             const char *dev_options, const char *base_options) {
    const char *given[] = {dev_clock, base_clock};
    const char *options[] = {dev_options, base_options};
    char clocks[2][PART];
    Words words[2] = {{0}};
    Text setup = {0};
    for (int side = 0; side < 2; side++) {
        clock_text(given[side], clocks[side]);
        words_split(&words[side], options[side] ? options[side] : "", NULL);
    }
    report_setup(&setup, clocks[0], clocks[1], words_value(&words[0], "Threads"),
                 words_value(&words[1], "Threads"), words_value(&words[0], "Hash"),
                 words_value(&words[1], "Hash"));
    words_free(&words[0]);
    words_free(&words[1]);
    result_set_setup(result, &setup);
}

char *result_changes_address(const char *dev_repo, const char *base_repo, const char *dev_sha,
                             const char *base_sha) {
    static const char HOST[] = "https://github.com/";
    if (!dev_repo || !base_repo || !dev_sha || !base_sha || strcmp(dev_repo, base_repo) != 0 ||
        !text_starts_with(dev_repo, HOST) || !text_is_hex(dev_sha, 1, SIZE_MAX) ||
        !text_is_hex(base_sha, 1, SIZE_MAX))
        return NULL;
    return text_format("%s/compare/%s...%s", dev_repo, base_sha, dev_sha);
}
