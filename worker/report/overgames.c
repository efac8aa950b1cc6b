/* SPDX-License-Identifier: MIT */
#include "report/overgames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/chart.h"
#include "report/resultwords.h"

static ChartPoint *points_of(const Result *result, bool llr) {
    ChartPoint *points = mem_calloc(result->path_count + 2, sizeof *points);
    for (size_t i = 0; i < result->path_count; i++) {
        const ResultPoint *point = &result->path[i];
        points[i] = llr ? (ChartPoint){(double)point->games, point->llr, point->llr, point->llr}
                        : (ChartPoint){(double)point->games, point->elo.value, point->elo.lower,
                                       point->elo.upper};
    }
    return points;
}

/* Shows the present LLR between its limits, when the path is not known. */
static void show_llr_place(const Result *result, const char *words, Text *out) {
    LlrLimits limits = sprt_limits(&result->report.rule);
    chart_gauge(&(Gauge){.text = words,
                         .low = limits.lower,
                         .high = limits.upper,
                         .value = unsigned_zero(report_llr(&result->report), 2),
                         .low_name = "H0",
                         .high_name = "H1",
                         .decimals = 2},
                out);
    text_addf(out, "<p><small>%s</small></p>\n",
              result->link != NULL
                  ? "The server tells where the test stands, not how it came there. A page that is "
                    "made with --follow draws what it has seen."
                  : "Counts tell where the test stands, not how it came there.");
}

/* Shows the LLR's path between its limits, from game 0 on, or from the first reading of a server's
 * test on. */
static void show_llr_path(const Result *result, const char *words, Text *out) {
    LlrLimits limits = sprt_limits(&result->report.rule);
    double span = limits.upper - limits.lower;
    bool whole = result->link == NULL;
    ChartPoint *points = points_of(result, true);
    size_t count = result->path_count + whole;
    if (whole) {
        Report start = result->report;
        start.tally = (Tally){0};
        double llr = tally_games(&start.earlier) > 0 ? report_llr(&start) : 0;
        memmove(points + 1, points, result->path_count * sizeof *points);
        points[0] = (ChartPoint){0, llr, llr, llr};
    }
    const ChartMark marks[] = {
        {limits.upper, "H1", "upper"}, {0, NULL, "zero"}, {limits.lower, "H0", "lower"}};
    LineChart chart = {.text = words,
                       .x_name = "games",
                       .y_name = "LLR",
                       .points = points,
                       .count = count,
                       .marks = marks,
                       .mark_count = COUNT(marks),
                       .low = limits.lower - 0.08 * span,
                       .high = limits.upper + 0.08 * span,
                       .decimals = 2};
    for (size_t i = 0; i < count; i++) {
        chart.low = fmin(chart.low, points[i].y - 0.04 * span);
        chart.high = fmax(chart.high, points[i].y + 0.04 * span);
    }
    chart_lines(&chart, out);
    if (!whole)
        text_add(out,
                 "<p><small>As it was seen: the server tells nothing of before.</small></p>\n");
    free(points);
}

void overgames_llr(const Result *result, Text *out) {
    const Report *report = &result->report;
    if (!report->sprt || result->path_count == 0)
        return;
    LlrLimits limits = sprt_limits(&report->rule);
    /* A journal has games, and a server's own test has a state: their paths begin with game 0.
     * Counts alone have neither. */
    bool whole = result->link == NULL && (result->games.count > 0 || result->state != NULL);
    bool path = result->path_count > 1 || whole;
    Text words = {0};
    text_addf(&words, "Log likelihood ratio%s: %.2f after ", path ? " over games" : "",
              unsigned_zero(report_llr(report), 2));
    text_add_grouped(&words, tally_games_counted(&report->tally));
    if (tally_games(&report->earlier) > 0)
        text_addf(&words, " games behind %lld earlier ones",
                  (long long)tally_games(&report->earlier));
    else
        text_add(&words, " games");
    text_addf(&words, ". Its limits are %.2f (H0) and %.2f (H1). ", limits.lower, limits.upper);
    result_sentence(result, &words);
    text_add(out,
             "<section aria-labelledby=\"h-llr\"><h2 id=\"h-llr\">Log likelihood ratio</h2>\n");
    (path ? show_llr_path : show_llr_place)(result, text_string(&words), out);
    text_add(out, "</section>\n");
    text_free(&words);
}

void overgames_elo(const Result *result, Text *out) {
    enum { GAMES_MIN = 4 };
    static const double MARGINS = 4; /* The range of y, in margins of the last value. */
    EloInterval elo;
    bool interval = report_elo(&result->report, &elo);
    ChartPoint *points = points_of(result, false);
    size_t first = 0; /* Starts behind points without an interval: one pair, or equal pairs. */
    while (first < result->path_count &&
           (result->path[first].games < GAMES_MIN ||
            result->path[first].elo.lower == result->path[first].elo.upper))
        first++;
    if (!interval || result->path_count - first < 2) {
        free(points);
        return;
    }
    double margin = fmax(elo_margin(&elo), 1);
    Text words = {0};
    text_addf(&words, "Elo over games: %+.2f after ", unsigned_zero(elo.value, 2));
    text_add_grouped(&words, tally_games_counted(&result->report.tally));
    text_addf(&words, " games, 95 %% between %+.2f and %+.2f.", unsigned_zero(elo.lower, 2),
              unsigned_zero(elo.upper, 2));
    const ChartMark marks[] = {{0, NULL, "zero"}};
    LineChart chart = {.text = text_string(&words),
                       .x_name = "games",
                       .y_name = "Elo",
                       .points = points + first,
                       .count = result->path_count - first,
                       .marks = marks,
                       .mark_count = 1,
                       .low = fmin(elo.value - MARGINS * margin, -margin / 4),
                       .high = fmax(elo.value + MARGINS * margin, margin / 4),
                       .band = true};
    double lowest = 0;
    double highest = 0;
    for (size_t i = 0; i < chart.count; i++) {
        lowest = fmin(lowest, chart.points[i].low);
        highest = fmax(highest, chart.points[i].high);
    }
    chart.low = fmax(chart.low, lowest - margin / 4);
    chart.high = fmin(chart.high, highest + margin / 4);
    text_add(out, "<section aria-labelledby=\"h-elo\"><h2 id=\"h-elo\">Elo, with its 95 % interval"
                  "</h2>\n");
    chart_lines(&chart, out);
    text_add(out, "</section>\n");
    text_free(&words);
    free(points);
}
