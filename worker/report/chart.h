/* SPDX-License-Identifier: MIT */
/* Charts as inline SVG within HTML: lines over games, bars in rows. The drawings stretch with the
   page; their labels are HTML beside them, so that they can be read at any width. Each has a text
   that says the same. Pure. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stddef.h>

#include "base/text.h"

typedef struct {
    double x, y;
    double low, high; /* of the band around y; both equal y: none */
} ChartPoint;

/* A horizontal line across the chart, with its name at the right end. */
typedef struct {
    double y;
    const char *name;
    const char *kind; /* CSS class: "upper", "lower", "zero" */
} ChartMark;

typedef struct {
    const char *text;   /* what the chart shows, for those who do not see it: plain text */
    const char *x_name; /* below: "games" */
    const char *y_name; /* of the values, in their table: "Elo" */
    const ChartPoint *points;
    size_t count;
    const ChartMark *marks;
    size_t mark_count;
    double low, high; /* of y; what lies outside is drawn at the edge */
    bool band;
    int decimals; /* of the labels of y */
} LineChart;

/* Appends a <figure>, which shows each point's values to a pointer, and a folded table of them.
   With a single point a dot is drawn at it, and there is no table. */
void chart_lines(const LineChart *chart, Text *out);

/* A value between two limits, on a scale with 0 marked. */
typedef struct {
    const char *text; /* as LineChart's */
    double low, high; /* low < 0 < high */
    double value;
    const char *low_name, *high_name;
    int decimals;
} Gauge;

/* Appends a <figure>. */
void chart_gauge(const Gauge *gauge, Text *out);

/* A bar from 0, `share` of the full width, with an outline of `expected` (below 0: none). kind: its
   CSS class. */
void chart_bar(double share, double expected, const char *kind, Text *out);

#endif
