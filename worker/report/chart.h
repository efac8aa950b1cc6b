/* SPDX-License-Identifier: MIT */
/* Charts as inline SVG within HTML: lines over games, bars in rows. The drawings stretch with the
 * page; their labels are HTML beside the drawings, readable at any width. Each chart has a text
 * with the same content. Pure. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stddef.h>

#include "base/text.h"

typedef struct {
    double x, y;
    double low, high; /* The band around y; both equal to y: no band. */
} ChartPoint;

/* A horizontal line across the chart, with its name at the right end. */
typedef struct {
    double y;
    const char *name;
    const char *kind; /* CSS class: "upper", "lower", "zero" */
} ChartMark;

typedef struct {
    const char *text;   /* The chart's content in plain text, for readers who do not see. */
    const char *x_name; /* The label below the chart: "games". */
    const char *y_name; /* The heading of the values in their table: "Elo". */
    const ChartPoint *points;
    size_t count;
    const ChartMark *marks;
    size_t mark_count;
    double low, high; /* The range of y; points outside are drawn at the edge. */
    bool band;
    int decimals; /* Of y's labels. */
} LineChart;

/* Appends a <figure>, which shows a point's values under the pointer, and a folded table of the
 * points. A single point is drawn as a dot, without a table. */
void chart_lines(const LineChart *chart, Text *out);

/* A value between two limits, on a scale with 0 marked. */
typedef struct {
    const char *text; /* As LineChart's. */
    double low, high; /* low < 0 < high */
    double value;
    const char *low_name, *high_name;
    int decimals;
} Gauge;

/* Appends a <figure>. */
void chart_gauge(const Gauge *gauge, Text *out);

/* Appends a bar from 0 to `share` of the full width, with an outline from 0 to `expected` (below 0:
 * no outline). kind: the bar's CSS class. */
void chart_bar(double share, double expected, const char *kind, Text *out);

#endif
