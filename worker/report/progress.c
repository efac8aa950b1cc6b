/* SPDX-License-Identifier: MIT */
#include "report/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/block.h"

enum {
    LABEL_WIDTH = 7,
    GAP = 3,
    WIDTH_MIN = 20,
    RULE_FROM_WIDTH = 72, /* Columns from which on the hypotheses are shown. */
    BAR_MIN = 9,
    BAR_MAX = 41,
    HALVES = 2, /* Parts of a cell of the bar. */
    PIECE_MAX = 512
};

static const char GREEN[] = "\x1b[32m";
static const char RED[] = "\x1b[31m";
static const char YELLOW[] = "\x1b[33m";
static const char PLAIN[] = "\x1b[0m";

/* ---- Lines that are filled piece by piece ---- */

typedef struct {
    Text *out;
    const ProgressStyle *style;
    int column; /* The next free column; 0: at the line's start. */
} Flow;

static void end_line(Flow *flow) {
    if (flow->column > 0)
        text_add_char(flow->out, '\n');
    flow->column = 0;
}

static void begin_line(Flow *flow, const char *label) {
    end_line(flow);
    text_addf(flow->out, "%-*s", LABEL_WIDTH, label);
    flow->column = LABEL_WIDTH;
}

/* Adds a piece to the line, or to a new line when the present one has no room. */
static void add_piece(Flow *flow, const char *piece) {
    int columns = text_columns(piece);
    bool first = flow->column == LABEL_WIDTH;
    if (!first && flow->column + GAP + columns >= flow->style->width) {
        begin_line(flow, "");
        first = true;
    }
    text_addf(flow->out, "%*s%s", first ? 0 : GAP, "", piece);
    flow->column += columns + (first ? 0 : GAP);
}

static void add_formatted(Flow *flow, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_formatted(Flow *flow, const char *fmt, ...) {
    char piece[PIECE_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(piece, sizeof piece, fmt, args);
    va_end(args);
    add_piece(flow, piece);
}

/* ---- Time ---- */

void progress_duration(Text *out, double seconds) {
    static const struct {
        int64_t seconds;
        const char *name;
    } UNITS[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    enum { DAY, HOUR, MINUTE, SECOND };
    double most = 1e12;
    int64_t s = (int64_t)fmin(fmax(seconds, 0), most);
    /* The largest unit that fits once, minutes twice; days and hours add the next unit. */
    int unit = DAY;
    while (unit < SECOND && s < (unit == MINUTE ? 2 : 1) * UNITS[unit].seconds)
        unit++;
    text_addf(out, "%" PRId64 " %s", s / UNITS[unit].seconds, UNITS[unit].name);
    if (unit < MINUTE)
        text_addf(out, " %" PRId64 " %s", s % UNITS[unit].seconds / UNITS[unit + 1].seconds,
                  UNITS[unit + 1].name);
}

/* Adds "~12 min left at this drift"; nothing when the time left is not known. */
static void add_time_left(const Progress *p, Text *out) {
    double pairs = INFINITY;
    Tally judged = p->tally;
    tally_add(&judged, &p->earlier);
    bool drifts = p->sprt && sprt_pairs_left(&p->rule, &judged, p->llr, &pairs);
    double wanted = (double)(p->games_wanted - tally_games(&p->tally)) / 2;
    bool limited = p->games_wanted > 0 && wanted <= pairs;
    bool over = (p->sprt && sprt_verdict(p->llr, sprt_limits(&p->rule)) != VERDICT_NONE) ||
                (limited && wanted <= 0);
    if (p->games_played < 1 || p->seconds <= 0 || over || !(drifts || limited))
        return;
    text_add(out, "~");
    progress_duration(out, fmin(pairs, limited ? wanted : INFINITY) * 2 * p->seconds /
                               (double)p->games_played);
    text_add(out, limited ? " left" : " left at this drift");
}

static double games_an_hour(const Progress *p) {
    return p->seconds > 0 ? (double)p->games_played * 3600 / p->seconds : 0;
}

/* ---- What both forms say ---- */

/* Adds "[8 23 49 34 51]" behind `before`; nothing where games are counted and not pairs. */
static void add_penta(const Tally *tally, const char *before, Text *out) {
    Outcomes outcomes = outcomes_of(tally);
    for (int i = 0; i < PENTA_CELLS && outcomes.cells == PENTA_CELLS; i++)
        text_addf(out, "%s%s%" PRId64, i == 0 ? before : "", i == 0 ? "[" : " ", outcomes.n[i]);
    text_add(out, outcomes.cells == PENTA_CELLS ? "]" : "");
}

/* ---- The bar ---- */

/* The characters of a bar: [0] ASCII, [1] UTF-8. */
typedef struct {
    const char *left, *right; /* The bar's ends. */
    const char *empty, *zero, *full;
    const char *half_right, *half_left; /* A half cell at its right, left end. */
} BarStyle;

static const BarStyle BARS[] = {
    {"[", "]", "-", "|", "=", "-", "-"},
    {"├", "┤", "─", "┼", "━", "╾", "╼"},
};

/* Adds a bar of `cells` cells from limits.lower to limits.upper, filled from zero to the LLR. */
static void add_bar(Text *out, double llr, LlrLimits limits, int cells,
                    const ProgressStyle *style) {
    const BarStyle *bar = &BARS[style->utf8];
    double cell = (limits.upper - limits.lower) / (cells - 1);
    int zero = (int)fmin(fmax(round(-limits.lower / cell), 0), cells - 1);
    double inside = fmin(fmax(llr, limits.lower), limits.upper);
    int filled = (int)lround(inside / cell * (double)HALVES); /* In half cells, signed. */
    int sign = filled < 0 ? -1 : 1;
    text_add(out, bar->left);
    for (int i = 0; i < cells; i++) {
        int halves = sign * (i - zero) * HALVES; /* From zero to the far end of the cell. */
        bool full = halves > 0 && halves <= sign * filled;
        bool half = halves > 0 && halves == sign * filled + 1;
        const char *text = i == zero  ? bar->zero
                           : full     ? bar->full
                           : !half    ? bar->empty
                           : sign > 0 ? bar->half_right
                                      : bar->half_left;
        if (full && style->color)
            text_addf(out, "%s%s%s", sign > 0 ? GREEN : RED, text, PLAIN);
        else
            text_add(out, text);
    }
    text_add(out, bar->right);
}

/* ---- The view ---- */

/* A title may be a server's. A character that disturbs a terminal becomes '?'. */
static void show_title(Flow *flow, const char *title) {
    Text visible = {0};
    for (int columns = 1; *title && columns < flow->style->width; columns++) {
        text_clear(&visible);
        size_t length = text_add_visible_char(&visible, title, KEEP_NO_LINES);
        bool kept = strncmp(text_string(&visible), title, length) == 0;
        text_add(flow->out, kept ? text_string(&visible) : "?");
        title += length;
    }
    text_add_char(flow->out, '\n');
    text_free(&visible);
}

static void show_games(Flow *flow, const Progress *p) {
    Text penta = {0};
    const Tally *t = &p->tally;
    begin_line(flow, "Games");
    if (p->games_wanted > 0)
        add_formatted(flow, "%" PRId64 " of %" PRId64, tally_games(t), p->games_wanted);
    else
        add_formatted(flow, "%" PRId64, tally_games(t));
    add_formatted(flow, "W %" PRId64 "  L %" PRId64 "  D %" PRId64, t->wins, t->losses, t->draws);
    add_penta(t, "", &penta);
    if (penta.length > 0)
        add_piece(flow, text_string(&penta));
    text_free(&penta);
}

static void show_elo(Flow *flow, const Progress *p) {
    Outcomes outcomes = outcomes_of(&p->tally);
    EloInterval elo = outcomes_elo(&outcomes, INTERVAL_STUDENT);
    const char *reason = outcomes_no_interval(&outcomes);
    begin_line(flow, "Elo");
    if (reason != NULL) {
        add_piece(flow, "no interval yet");
        add_formatted(flow, "(%s)", reason);
    } else
        add_formatted(flow, "%+.1f %s %.1f", unsigned_zero(elo.value, 1),
                      flow->style->utf8 ? "±" : "+-", elo_margin(&elo));
}

static void show_llr(Flow *flow, const Progress *p) {
    LlrLimits limits = sprt_limits(&p->rule);
    char value[32], lower[32], upper[32];
    Text rule = {0};
    snprintf(value, sizeof value, "%+.2f", unsigned_zero(p->llr, 2));
    snprintf(lower, sizeof lower, "%.2f", limits.lower);
    snprintf(upper, sizeof upper, "%+.2f", limits.upper);
    report_hypotheses(&p->rule, &rule);
    bool wide = flow->style->width >= RULE_FROM_WIDTH;
    int around = LABEL_WIDTH + text_columns(value) + GAP + text_columns(lower) +
                 text_columns(upper) + 4 + (wide ? GAP + text_columns(text_string(&rule)) : 0);
    int cells = flow->style->width - 1 - around;
    cells = cells < BAR_MIN ? BAR_MIN : cells > BAR_MAX ? BAR_MAX : cells;
    cells -= cells % 2 == 0; /* An odd count puts zero in the middle of symmetric limits. */
    Text bar = {0};
    text_addf(&bar, "%s ", lower);
    add_bar(&bar, p->llr, limits, cells, flow->style);
    text_addf(&bar, " %s", upper);
    begin_line(flow, "LLR");
    add_piece(flow, value);
    add_piece(flow, text_string(&bar));
    if (wide)
        add_piece(flow, text_string(&rule));
    text_free(&rule);
    text_free(&bar);
}

static void show_speed(Flow *flow, const Progress *p) {
    Text took = {0}, left = {0};
    begin_line(flow, "Speed");
    progress_duration(&took, p->seconds);
    add_formatted(flow, "%.0f games/h for %s", games_an_hour(p), text_string(&took));
    add_time_left(p, &left);
    if (left.length > 0)
        add_piece(flow, text_string(&left));
    text_free(&took);
    text_free(&left);
}

static void show_faults(Flow *flow, const Progress *p) {
    bool any = false;
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        Text fault = {0};
        if (report_fault(&p->tally, kind, flow->style->color ? YELLOW : "", &fault)) {
            if (!any)
                begin_line(flow, "Faults");
            any = true;
            text_add(&fault, flow->style->color ? PLAIN : "");
            add_piece(flow, text_string(&fault));
        }
        text_free(&fault);
    }
}

void progress_view(const Progress *progress, const ProgressStyle *style, Text *out) {
    ProgressStyle fitted = *style;
    if (fitted.width < WIDTH_MIN)
        fitted.width = WIDTH_MIN;
    Flow flow = {.out = out, .style = &fitted};
    if (progress->title != NULL)
        show_title(&flow, progress->title);
    show_games(&flow, progress);
    if (!progress->no_elo)
        show_elo(&flow, progress);
    if (progress->sprt)
        show_llr(&flow, progress);
    if (progress->seconds > 0)
        show_speed(&flow, progress);
    show_faults(&flow, progress);
    end_line(&flow);
}

void progress_line(const Progress *progress, Text *out) {
    const Tally *t = &progress->tally;
    Outcomes outcomes = outcomes_of(t);
    EloInterval elo = outcomes_elo(&outcomes, INTERVAL_STUDENT);
    Text left = {0};
    text_addf(out, "%" PRId64 " games  W %" PRId64 " L %" PRId64 " D %" PRId64, tally_games(t),
              t->wins, t->losses, t->draws);
    add_penta(t, "  ", out);
    if (!progress->no_elo && outcomes_no_interval(&outcomes) != NULL)
        text_add(out, "  Elo: no interval yet");
    else if (!progress->no_elo)
        text_addf(out, "  Elo %+.1f +- %.1f", unsigned_zero(elo.value, 1), elo_margin(&elo));
    if (progress->sprt) {
        LlrLimits limits = sprt_limits(&progress->rule);
        text_addf(out, "  LLR %.2f (%.2f, %.2f)", unsigned_zero(progress->llr, 2), limits.lower,
                  limits.upper);
    }
    if (progress->seconds > 0)
        text_addf(out, "  %.0f games/h", games_an_hour(progress));
    add_time_left(progress, &left);
    if (left.length > 0)
        text_addf(out, "  %s", text_string(&left));
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        report_fault(t, kind, "  ", out);
    text_free(&left);
}
