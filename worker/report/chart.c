/* SPDX-License-Identifier: MIT */
#include "report/chart.h"

#include <math.h>
#include <stdbool.h>

#include "report/html.h"

/* The drawing's own units, which the page stretches to its width. */
enum { WIDTH = 1000, HEIGHT = 300 };

/* The least number not below `least` > 0 that is 1, 2 or 5 times a power of ten. */
static double round_step(double least) {
    static const double STEPS[] = {1, 2, 5};
    double power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
        if (STEPS[i] * power >= least * (1 - 1e-9))
            return STEPS[i] * power;
    return 10 * power;
}

/* ---- Lines ---- */

static double place_x(const LineChart *chart, double x) {
    double last = chart->points[chart->count - 1].x;
    return last > 0 ? x / last : 0;
}

/* The place of y: 0 at the top to 1 at the bottom. */
static double place_y(const LineChart *chart, double y) {
    return (chart->high - y) / (chart->high - chart->low);
}

/* Limits a place to the frame. */
static double keep(double value) {
    return fmin(fmax(value, 0), 1);
}

static void add_band(const LineChart *chart, Text *out) {
    text_add(out, "<path class=\"band\" d=\"");
    for (size_t i = 0; i < chart->count; i++)
        text_addf(out, "%s%.1f %.1f", i ? "L" : "M",
                  (double)WIDTH * place_x(chart, chart->points[i].x),
                  (double)HEIGHT * keep(place_y(chart, chart->points[i].high)));
    for (size_t i = chart->count; i-- > 0;)
        text_addf(out, "L%.1f %.1f", (double)WIDTH * place_x(chart, chart->points[i].x),
                  (double)HEIGHT * keep(place_y(chart, chart->points[i].low)));
    text_add(out, "Z\"/>");
}

static void add_line(const LineChart *chart, Text *out) {
    text_add(out, "<path class=\"line\" d=\"");
    for (size_t i = 0; i < chart->count; i++)
        text_addf(out, "%s%.1f %.1f", i ? "L" : "M",
                  (double)WIDTH * place_x(chart, chart->points[i].x),
                  (double)HEIGHT * keep(place_y(chart, chart->points[i].y)));
    text_add(out, "\"/>");
}

/* "330" of games, "+12.50" of values. */
static void add_x(double x, Text *out) {
    text_add_grouped(out, (int64_t)x);
}

static void add_value(const LineChart *chart, double value, Text *out) {
    int decimals = chart->decimals > 0 ? chart->decimals : 1;
    text_addf(out, "%.*f", decimals, unsigned_zero(value, decimals));
}

static bool has_band(const LineChart *chart) {
    return chart->band && chart->count > 1;
}

/* Adds an invisible strip of the drawing's whole height at each point, which shows the point's
 * values under the pointer. */
static void add_strips(const LineChart *chart, Text *out) {
    double left = 0;
    for (size_t i = 0; i < chart->count; i++) {
        const ChartPoint *point = &chart->points[i];
        double right =
            i + 1 < chart->count
                ? (double)WIDTH *
                      (place_x(chart, point->x) + place_x(chart, chart->points[i + 1].x)) / 2
                : (double)WIDTH;
        text_addf(out, "<path class=\"hit\" d=\"M%.1f 0H%.1fV%dH%.1fZ\"><title>", left, right,
                  HEIGHT, left);
        add_x(point->x, out);
        text_addf(out, " %s: ", chart->x_name);
        add_value(chart, point->y, out);
        if (has_band(chart)) {
            text_add(out, " (");
            add_value(chart, point->low, out);
            text_add(out, " to ");
            add_value(chart, point->high, out);
            text_add(out, ")");
        }
        text_add(out, "</title></path>");
        left = right;
    }
}

/* Adds the points' values as a table, for readers who do not see the drawing or have no pointer. */
static void add_table(const LineChart *chart, Text *out) {
    text_addf(out,
              "<details><summary>The curve as a table</summary>\n<table class=\"values\"><thead>"
              "<tr><th scope=\"col\" class=\"number\">%s</th><th scope=\"col\" "
              "class=\"number\">%s</th>",
              chart->x_name, chart->y_name);
    if (has_band(chart))
        text_add(out, "<th scope=\"col\" class=\"number\">from</th><th scope=\"col\" "
                      "class=\"number\">to</th>");
    text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < chart->count; i++) {
        const double values[] = {chart->points[i].y, chart->points[i].low, chart->points[i].high};
        text_add(out, "<tr><th scope=\"row\" class=\"number\">");
        add_x(chart->points[i].x, out);
        for (int k = 0; k < (has_band(chart) ? 3 : 1); k++) {
            text_add(out, k == 0 ? "</th><td>" : "<td>");
            add_value(chart, values[k], out);
        }
        text_add(out, "\n");
    }
    text_add(out, "</tbody></table></details>\n");
}

static void add_drawing(const LineChart *chart, Text *out) {
    text_addf(out,
              "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\" "
              "focusable=\"false\">",
              WIDTH, HEIGHT);
    for (size_t i = 0; i < chart->mark_count; i++) {
        double y = (double)HEIGHT * place_y(chart, chart->marks[i].y);
        text_addf(out, "<line class=\"mark %s\" x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                  chart->marks[i].kind, WIDTH, y, y);
    }
    if (has_band(chart))
        add_band(chart, out);
    if (chart->count > 1)
        add_line(chart, out);
    add_strips(chart, out);
    text_add(out, "</svg>");
    const ChartPoint *last = &chart->points[chart->count - 1];
    text_addf(out, "<i class=\"dot\" style=\"left:%.2f%%;top:%.2f%%\"></i>",
              100 * place_x(chart, last->x), 100 * fmin(fmax(place_y(chart, last->y), 0), 1));
}

/* The step between labels of y: for five labels at most, but not fewer than three. */
static double y_step(const LineChart *chart) {
    enum { MOST = 5, LEAST = 3 };
    double step = round_step((chart->high - chart->low) / (double)MOST);
    double labels = floor(chart->high / step) - ceil(chart->low / step) + 1;
    return labels < (double)LEAST ? round_step(step / 2.5) : step;
}

/* Adds labels at round values of y, clear of the marks, which have labels of their own. */
static void add_y_labels(const LineChart *chart, Text *out) {
    enum { LABELS_MAX = 16 };
    static const double CLEAR = 0.09; /* As a share of the height. */
    double step = y_step(chart);
    int decimals = step < 1 ? (int)fmax(chart->decimals, ceil(-log10(step))) : 0;
    text_add(out, "<div class=\"ys\">");
    for (size_t i = 0; i < chart->mark_count; i++)
        text_addf(out, "<span style=\"top:%.2f%%\">%.*f</span>",
                  100 * place_y(chart, chart->marks[i].y),
                  chart->marks[i].y == 0 ? 0 : chart->decimals, chart->marks[i].y);
    /* Counted: where bounds are next to each other, adding a step changes nothing. */
    double first = ceil(chart->low / step);
    double labels = floor(chart->high / step) - first + 1;
    for (int i = 0; i < labels && i < LABELS_MAX; i++) {
        double y = (first + i) * step;
        bool clear = true;
        for (size_t k = 0; k < chart->mark_count; k++)
            clear = clear && fabs(place_y(chart, y) - place_y(chart, chart->marks[k].y)) > CLEAR;
        if (clear)
            text_addf(out, "<span style=\"top:%.2f%%\">%.*f</span>", 100 * place_y(chart, y),
                      decimals, fabs(y) < step / 2 ? 0 : y);
    }
    text_add(out, "</div>");
}

static void add_x_label(double place, double x, Text *out) {
    text_addf(out, "<span style=\"left:%.2f%%\">", 100 * place);
    add_x(x, out);
    text_add(out, "</span>");
}

/* Widths are shares of the narrowest chart, of 230 pixels, in which a digit has 7.5. */
static const double LABEL_GAP = 0.04;

static double label_width(double x) {
    static const double DIGIT = 7.5 / 230;
    Text label = {0};
    add_x(x, &label);
    double width = DIGIT * (double)label.length;
    text_free(&label);
    return width;
}

/* The step between labels of x: the least round one whose labels do not touch, in a chart of four
 * steps at most. */
static double x_step(double last) {
    enum { STEPS = 4 };
    double step = round_step(fmax(last / (double)STEPS, 1));
    while (step < last && step / last < label_width(last) + LABEL_GAP)
        step = round_step(1.5 * step);
    return step;
}

static void add_x_labels(const LineChart *chart, Text *out) {
    double last = chart->points[chart->count - 1].x;
    text_add(out, "<div class=\"xs\"><span style=\"left:0\">0</span>");
    double step = last > 0 ? x_step(last) : 0;
    for (double x = step; step > 0 && x < last; x += step)
        if (1 - x / last >= (label_width(x) + label_width(last)) / 2 + LABEL_GAP)
            add_x_label(x / last, x, out);
    if (last > 0)
        add_x_label(1, last, out);
    text_addf(out, "</div><div class=\"xname\">%s</div>", chart->x_name);
}

void chart_lines(const LineChart *chart, Text *out) {
    if (chart->count == 0)
        return;
    text_add(out, "<figure class=\"chart\" role=\"img\" aria-label=\"");
    html_add(out, chart->text);
    text_add(out, "\">");
    add_y_labels(chart, out);
    text_add(out, "<div class=\"area\">");
    add_drawing(chart, out);
    for (size_t i = 0; i < chart->mark_count; i++) {
        if (chart->marks[i].name == NULL)
            continue;
        text_addf(out, "<span class=\"tag %s\" style=\"top:%.2f%%\">", chart->marks[i].kind,
                  100 * place_y(chart, chart->marks[i].y));
        html_add(out, chart->marks[i].name);
        text_add(out, "</span>");
    }
    text_add(out, "</div>");
    add_x_labels(chart, out);
    text_add(out, "</figure>\n");
    if (chart->count > 1)
        add_table(chart, out);
}

/* ---- A gauge ---- */

void chart_gauge(const Gauge *gauge, Text *out) {
    double span = gauge->high - gauge->low;
    double value = fmin(fmax(gauge->value, gauge->low), gauge->high);
    double zero = 100 * -gauge->low / span;
    double at = 100 * (value - gauge->low) / span;
    text_add(out, "<figure class=\"gauge\" role=\"img\" aria-label=\"");
    html_add(out, gauge->text);
    text_addf(out,
              "\"><div class=\"track\"><i class=\"%s\" style=\"left:%.2f%%;width:%.2f%%\"></i>"
              "<i class=\"zero\" style=\"left:%.2f%%\"></i>"
              "<i class=\"dot\" style=\"left:%.2f%%\"></i></div><div class=\"ends\"><span><span "
              "class=\"tag lower\">",
              gauge->value < 0 ? "bad" : "good", fmin(zero, at), fabs(at - zero), zero, at);
    html_add(out, gauge->low_name);
    text_addf(out, "</span> %.*f</span><span>", gauge->decimals, gauge->low);
    text_addf(out, "%.*f <span class=\"tag upper\">", gauge->decimals, gauge->high);
    html_add(out, gauge->high_name);
    text_add(out, "</span></span></div></figure>\n");
}

/* ---- Bars ---- */

void chart_bar(double share, double expected, const char *kind, Text *out) {
    text_addf(out,
              "<svg class=\"hbar %s\" width=\"100%%\" height=\"18\" aria-hidden=\"true\" "
              "focusable=\"false\"><rect class=\"full\" y=\"2\" height=\"14\" rx=\"2\" "
              "width=\"%.2f%%\"/>",
              kind, 100 * fmin(fmax(share, 0), 1));
    if (expected >= 0)
        text_addf(out, "<line class=\"expected\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"18\"/>",
                  100 * fmin(expected, 1), 100 * fmin(expected, 1));
    text_add(out, "</svg>");
}
