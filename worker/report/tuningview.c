/* SPDX-License-Identifier: MIT */
#include "report/tuningview.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/chart.h"
#include "report/html.h"

/* ---- Numbers ---- */

/* A parameter's change, in units of its last step. */
static double moved_in_c(const Tuning *tuning, size_t i) {
    return (tuning->values[i] - tuning->parameters[i].start) / tuning->parameters[i].c_end;
}

/* The same as people see it, with two decimals and never "-0.00". */
static double shown_in_c(const Tuning *tuning, size_t i) {
    return unsigned_zero(moved_in_c(tuning, i), 2);
}

static double chance_in_c(const Tuning *tuning, size_t i) {
    return spsa_drift_chance(&tuning->drifts[i]) / tuning->parameters[i].c_end;
}

void tuningview_value(const Tuning *tuning, size_t i, Text *out) {
    double value = tuning->values[i];
    if (tuning->parameters[i].is_float)
        text_add_number(out, value);
    else
        text_addf(out, "%.0f", round(value) + 0.0); /* Never "-0". */
}

/* ---- While it runs ---- */

static void add_time_left(const Tuning *tuning, double seconds, Text *out) {
    int64_t games = tally_games(&tuning->tally);
    int64_t left = 2 * tuning_pairs(tuning) - games;
    if (games == 0 || left <= 0 || seconds <= 0)
        return;
    text_add(out, "; ~");
    progress_duration(out, (double)left * seconds / (double)games);
    text_add(out, " left");
}

static void add_state(const Tuning *tuning, Text *out) {
    text_addf(out, "iteration %" PRId64 " of %" PRId64 ", %" PRId64 " games", tuning->done,
              tuning->schedule.iterations, tally_games(&tuning->tally));
}

void tuningview_line(const Tuning *tuning, double seconds, Text *out) {
    char value[REPORT_PARAMETER_CELL];
    add_state(tuning, out);
    for (size_t i = 0; i < tuning->count; i++) {
        report_parameter_number(tuning->values[i], value);
        text_addf(out, "%s %s %s", i == 0 ? ":" : ",", tuning->parameters[i].name, value);
    }
    add_time_left(tuning, seconds, out);
}

/* Adds a scale between the bounds, with the places of the value and of its start. */
static void add_scale(const Tuning *tuning, size_t i, int cells, bool utf8, Text *out) {
    const SpsaParameter *p = &tuning->parameters[i];
    double span = p->max - p->min;
    int start = (int)lround((p->start - p->min) / span * (cells - 1));
    int now = (int)lround((tuning->values[i] - p->min) / span * (cells - 1));
    text_add(out, utf8 ? "├" : "[");
    for (int k = 0; k < cells; k++)
        text_add(out, k == now     ? (utf8 ? "●" : "o")
                      : k == start ? (utf8 ? "┼" : "|")
                                   : (utf8 ? "─" : "-"));
    text_add(out, utf8 ? "┤" : "]");
}

void tuningview_live(const Tuning *tuning, double seconds, const ProgressStyle *style, Text *out) {
    enum { NAME_SHOWN = 16, NUMBER_WIDTH = 10, CHANGE_WIDTH = 9, SCALE_MAX = 41, ROWS_MAX = 20 };
    const int beside = NAME_SHOWN + NUMBER_WIDTH + CHANGE_WIDTH + 7;
    int cells = style->width - beside < SCALE_MAX ? style->width - beside : SCALE_MAX;
    Text state = {0};
    add_state(tuning, &state);
    add_time_left(tuning, seconds, &state);
    text_addf(out, "%.*s\n", style->width - 1, text_string(&state));
    text_free(&state);
    for (size_t i = 0; i < tuning->count && i < ROWS_MAX; i++) {
        Text row = {0};
        char value[REPORT_PARAMETER_CELL];
        report_parameter_number(tuning->values[i], value);
        text_addf(&row, "%-*.*s %*s %+*.2f c", NAME_SHOWN, NAME_SHOWN, tuning->parameters[i].name,
                  NUMBER_WIDTH, value, CHANGE_WIDTH - 2, shown_in_c(tuning, i));
        if (cells > 2) {
            text_add(&row, "  ");
            add_scale(tuning, i, cells, style->utf8, &row);
            text_addf(out, "%s\n", text_string(&row));
        } else
            text_addf(out, "%.*s\n", style->width - 1, text_string(&row));
        text_free(&row);
    }
}

/* ---- What has come of it ---- */

/* Adds "0.01 %"; smaller: "below 0.01 %". */
static void add_probability(double p, Text *out) {
    if (p < 0.00005)
        text_add(out, "below 0.01 %");
    else
        text_addf(out, p < 0.1 ? "%.2f %%" : "%.0f %%", 100 * p);
}

void tuningview_sentence(const Tuning *tuning, Text *out) {
    double p = spsa_drift_probability(tuning->drifts, tuning->count);
    if (tuning->done == 0) {
        text_add(out, "No iteration is whole yet.");
        return;
    }
    text_addf(out, "After %" PRId64 " of %" PRId64 " iterations the parameters have moved %s: ",
              tuning->done, tuning->schedule.iterations,
              spsa_drift_is_progress(p) ? "further than chance takes them"
                                        : "no further than chance may take them");
    text_add(out, "if results did not depend on them, a drift at least as large would have a "
                  "probability of ");
    add_probability(p, out);
    text_add_char(out, '.');
}

static const char OWN[] = "lmr:";

/* Does the word "ROW=VALUE" name a parameter of the tuning? */
static bool is_tuned(const Tuning *tuning, const char *word, size_t length) {
    size_t name = strcspn(word, "=");
    for (size_t i = 0; i < tuning->count; i++)
        if (name < length && strlen(tuning->parameters[i].name) == name &&
            strncmp(tuning->parameters[i].name, word, name) == 0)
            return true;
    return false;
}

void tuningview_spec(const Tuning *tuning, const char *spec, Text *out) {
    static const char SEPARATORS[] = ", \t";
    if (!text_starts_with(spec, OWN))
        return;
    text_add(out, OWN);
    const char *separator = "";
    for (const char *word = spec + strlen(OWN); *word != '\0';) {
        size_t length = strcspn(word, SEPARATORS);
        if (length > 0 && !is_tuned(tuning, word, length)) {
            text_addf(out, "%s%.*s", separator, (int)length, word);
            separator = ",";
        }
        word += length;
        word += strspn(word, SEPARATORS);
    }
    for (size_t i = 0; i < tuning->count; i++) {
        text_addf(out, "%s%s=", separator, tuning->parameters[i].name);
        tuningview_value(tuning, i, out);
        separator = ",";
    }
}

void tuningview_setoptions(const Tuning *tuning, Text *out) {
    for (size_t i = 0; i < tuning->count; i++) {
        text_addf(out, "setoption name %s value ", tuning->parameters[i].name);
        tuningview_value(tuning, i, out);
        text_add_char(out, '\n');
    }
}

enum { DRIFT_COLUMNS = 6, DRIFT_NUMBER = 64 };

/* A cell of the table of drifts as plain text; row 0: the headings. A number is written to
 * `number`. */
static const char *drift_cell(const Tuning *tuning, size_t row, int column,
                              char number[DRIFT_NUMBER]) {
    static const char *const HEADINGS[DRIFT_COLUMNS] = {"name",  "start",       "value",
                                                        "moved", "moved, in c", "chance, in c"};
    if (row == 0)
        return HEADINGS[column];
    static const double FOUR_DIGITS = 9999.5; /* Longer numbers would have an exponent. */
    size_t i = row - 1;
    const SpsaParameter *p = &tuning->parameters[i];
    double moved = tuning->values[i] - p->start;
    if (column == 0)
        return p->name;
    if (column <= 2)
        report_parameter_number(column == 1 ? p->start : tuning->values[i], number);
    else if (column == 3)
        snprintf(number, DRIFT_NUMBER, fabs(moved) < FOUR_DIGITS ? "%+.4g" : "%+.0f", moved);
    else
        snprintf(number, DRIFT_NUMBER, column == 4 ? "%+.2f" : "%.2f",
                 column == 4 ? shown_in_c(tuning, i) : chance_in_c(tuning, i));
    return number;
}

static void add_drifts(const Tuning *tuning, Text *out) {
    int widths[DRIFT_COLUMNS] = {0};
    char number[DRIFT_NUMBER];
    for (size_t row = 0; row <= tuning->count; row++)
        for (int k = 0; k < DRIFT_COLUMNS; k++) {
            int length = (int)strlen(drift_cell(tuning, row, k, number));
            widths[k] = length > widths[k] ? length : widths[k];
        }
    for (size_t row = 0; row <= tuning->count; row++) {
        for (int k = 0; k < DRIFT_COLUMNS; k++)
            text_addf(out, k == 0 ? "%-*s" : "  %*s", widths[k],
                      drift_cell(tuning, row, k, number));
        text_add_char(out, '\n');
    }
}

static void add_schedule(const Tuning *tuning, Text *out) {
    const SpsaSchedule *s = &tuning->schedule;
    text_addf(out,
              "iterations=%" PRId64 "/%" PRId64 " pairs=%" PRId64 " alpha=%g gamma=%g a-ratio=%g",
              tuning->done, s->iterations, s->pairs_per, s->alpha, s->gamma, s->a_ratio);
}

void tuningview_text(const Result *result, Text *out) {
    const Tuning *tuning = result->tuning;
    text_add(out, "Tune  | ");
    add_schedule(tuning, out);
    text_add_char(out, '\n');
    report_block(&result->report, out);
    text_add_char(out, '\n');
    add_drifts(tuning, out);
    text_add_char(out, '\n');
    tuningview_sentence(tuning, out);
    text_add(out, "\n\n");
    size_t before = out->length;
    tuningview_spec(tuning, result->tuned_spec, out);
    text_add(out, out->length > before ? "\n\n" : "");
    tuningview_setoptions(tuning, out);
    if (result->diff != NULL)
        text_addf(out, "\n%s", result->diff);
}

void tuningview_add_to_json(const Result *result, cJSON *object) {
    const Tuning *tuning = result->tuning;
    const SpsaSchedule *s = &tuning->schedule;
    Text spec = {0};
    Text options = {0};
    cJSON_AddNumberToObject(object, "iterations", (double)s->iterations);
    cJSON_AddNumberToObject(object, "iterations_done", (double)tuning->done);
    cJSON_AddNumberToObject(object, "pairs_per", (double)s->pairs_per);
    cJSON_AddNumberToObject(object, "alpha", s->alpha);
    cJSON_AddNumberToObject(object, "gamma", s->gamma);
    cJSON_AddNumberToObject(object, "a_ratio", s->a_ratio);
    cJSON_AddNumberToObject(object, "overlap", (double)tuning->overlap);
    tuningview_spec(tuning, result->tuned_spec, &spec);
    if (spec.length > 0)
        cJSON_AddStringToObject(object, "spec", text_string(&spec));
    else
        cJSON_AddNullToObject(object, "spec");
    tuningview_setoptions(tuning, &options);
    cJSON_AddStringToObject(object, "setoptions", text_string(&options));
    if (result->diff != NULL)
        cJSON_AddStringToObject(object, "diff", result->diff);
    cJSON *drifts = cJSON_AddArrayToObject(object, "drift");
    for (size_t i = 0; i < tuning->count; i++) {
        cJSON *drift = cJSON_CreateObject();
        cJSON_AddStringToObject(drift, "name", tuning->parameters[i].name);
        cJSON_AddNumberToObject(drift, "moved", tuning->values[i] - tuning->parameters[i].start);
        cJSON_AddNumberToObject(drift, "chance", spsa_drift_chance(&tuning->drifts[i]));
        cJSON_AddNumberToObject(drift, "moved_in_c", moved_in_c(tuning, i));
        cJSON_AddItemToArray(drifts, drift);
    }
    cJSON_AddNumberToObject(object, "chance_probability",
                            spsa_drift_probability(tuning->drifts, tuning->count));
    cJSON *path = cJSON_AddArrayToObject(object, "path");
    for (int64_t k = 0; k < tuning->done; k++)
        cJSON_AddItemToArray(path, cJSON_CreateDoubleArray(tuning->path + (size_t)k * tuning->count,
                                                           (int)tuning->count));
    text_free(&spec);
    text_free(&options);
}

/* ---- The page ---- */

/* A parameter's path, thinned to *count points, each with the band in which chance alone keeps a
 * parameter 19 times of 20: two standard deviations of a walk with the same steps. Allocated. */
static ChartPoint *path_points(const Tuning *tuning, size_t i, size_t *count) {
    enum { POINTS_MAX = 200 };
    static const double DEVIATIONS = 2;
    double start = tuning->parameters[i].start;
    double before = start;
    double squares = 0;
    int64_t every = tuning->done / POINTS_MAX + 1;
    ChartPoint *points = mem_calloc(POINTS_MAX + 2, sizeof *points);
    points[0] = (ChartPoint){0, start, start, start};
    *count = 1;
    for (int64_t k = 0; k < tuning->done; k++) {
        double value = tuning->path[(size_t)k * tuning->count + i];
        squares += (value - before) * (value - before);
        before = value;
        double reach = DEVIATIONS * sqrt(squares);
        if ((k + 1) % every == 0 || k + 1 == tuning->done)
            points[(*count)++] = (ChartPoint){(double)(k + 1), value, start - reach, start + reach};
    }
    return points;
}

/* So many that labels between the bounds differ: 2 for a range of 9, 5 for one of 0.008. */
static int decimals_of(const SpsaParameter *p) {
    enum { MOST = 9 };
    double span = p->max - p->min;
    return span >= 10 ? 0 : (int)fmin(fmax(ceil(-log10(span)), 0) + 2, MOST);
}

static void show_path(const Tuning *tuning, size_t i, Text *out) {
    const SpsaParameter *p = &tuning->parameters[i];
    size_t count;
    ChartPoint *points = path_points(tuning, i, &count);
    Text words = {0};
    char start[REPORT_PARAMETER_CELL];
    char value[REPORT_PARAMETER_CELL];
    char min[REPORT_PARAMETER_CELL];
    char max[REPORT_PARAMETER_CELL];
    report_parameter_number(p->start, start);
    report_parameter_number(tuning->values[i], value);
    report_parameter_number(p->min, min);
    report_parameter_number(p->max, max);
    text_addf(&words,
              "%s over %" PRId64 " iterations: from %s to %s, between its bounds %s and %s; "
              "moved by %+.2f c.",
              p->name, tuning->done, start, value, min, max, shown_in_c(tuning, i));
    const ChartMark marks[] = {{p->start, "start", "zero"}};
    LineChart chart = {.text = text_string(&words),
                       .x_name = "iterations",
                       .y_name = "value",
                       .points = points,
                       .count = count,
                       .marks = marks,
                       .mark_count = COUNT(marks),
                       .low = p->min,
                       .high = p->max,
                       .band = true,
                       .decimals = decimals_of(p)};
    text_add(out, "<h3>");
    html_add_title(out, p->name);
    text_addf(out, " <small>%s → %s, %+.2f c</small></h3>\n", start, value, shown_in_c(tuning, i));
    chart_lines(&chart, out);
    text_free(&words);
    free(points);
}

static void show_drifts(const Tuning *tuning, Text *out) {
    enum { NARROW_COLUMNS = 2 }; /* Columns of a narrow page besides the name. */
    char number[DRIFT_NUMBER];
    text_add(out, "<section aria-labelledby=\"h-drift\"><h2 id=\"h-drift\">Drift beside chance</h2>"
                  "\n<table class=\"parts tuned\"><thead>");
    for (size_t row = 0; row <= tuning->count; row++) {
        text_add(out, row == 1 ? "</thead><tbody>\n<tr>" : "<tr>");
        for (int k = 0; k < DRIFT_COLUMNS; k++) {
            const char *kind = k == 0                ? ""
                               : k <= NARROW_COLUMNS ? " class=\"number\""
                                                     : " class=\"wide number\"";
            text_addf(out, "<%s%s%s>", row == 0 || k == 0 ? "th" : "td",
                      row == 0 ? " scope=\"col\""
                      : k == 0 ? " scope=\"row\""
                               : "",
                      kind);
            html_add_name(out, drift_cell(tuning, row, k, number));
            text_add(out, row == 0 || k == 0 ? "</th>" : "</td>");
        }
        text_add(out, "</tr>\n");
    }
    text_add(out,
             "</tbody></table>\n<p><small>c is the step of the last iteration. Chance: the "
             "standard deviation of a parameter whose value does not matter, moved by steps of "
             "the sizes that were seen.</small></p></section>\n");
}

void tuningview_sections(const Result *result, Text *out) {
    const Tuning *tuning = result->tuning;
    text_add(out,
             "<section aria-labelledby=\"h-paths\"><h2 id=\"h-paths\">Parameters between their "
             "bounds</h2>\n");
    for (size_t i = 0; i < tuning->count; i++)
        show_path(tuning, i, out);
    text_add(out, "<p><small>The band: where chance alone keeps a parameter 19 times of 20."
                  "</small></p></section>\n");
    show_drifts(tuning, out);
}
