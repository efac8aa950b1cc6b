/* SPDX-License-Identifier: MIT */
#include "report/compare.h"

#include "base/json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/html.h"

/* ---- Rows and the scale ---- */

/* Has the row an Elo interval, which gives its place among the rows? */
static bool is_known(const CompareRow *row) {
    EloInterval elo;
    return row->interval != NULL || report_elo(&row->report, &elo);
}

/* An end that reaches the end of the scale is open: nothing is known of what lies beyond. */
static EloInterval row_elo(const CompareRow *row) {
    EloInterval elo;
    if (row->interval != NULL)
        return *row->interval;
    if (report_elo(&row->report, &elo))
        elo_open_ends(&elo);
    return elo;
}

static bool is_better(const CompareRow *row, const CompareRow *other) {
    if (!is_known(row) || !is_known(other))
        return is_known(row) && !is_known(other);
    return row_elo(row).value > row_elo(other).value;
}

/* Insertion sort: stable, and lists are short. */
void compare_sort(CompareRow *rows, size_t count) {
    for (size_t i = 1; i < count; i++) {
        CompareRow row = rows[i];
        size_t at = i;
        for (; at > 0 && is_better(&row, &rows[at - 1]); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

void compare_shared(const CompareRow *rows, size_t count, Text *out) {
    const Report *first = &rows[0].report;
    bool setup = count > 0 && first->setup != NULL;
    bool rule = count > 0 && first->sprt;
    for (size_t i = 1; i < count; i++) {
        const Report *report = &rows[i].report;
        const SprtRule *one = &first->rule;
        const SprtRule *other = &report->rule;
        setup = setup && report->setup != NULL && strcmp(report->setup, first->setup) == 0;
        rule = rule && report->sprt && one->elo0 == other->elo0 && one->elo1 == other->elo1 &&
               one->model == other->model;
    }
    if (setup)
        text_add(out, first->setup);
    if (rule)
        text_addf(out, "%sSPRT [%.2f, %.2f] %s", setup ? " · " : "",
                  unsigned_zero(first->rule.elo0, 2), unsigned_zero(first->rule.elo1, 2),
                  sprt_model_unit(first->rule.model));
}

/* The span of the bars: all intervals and 0, and where `claims` is set what is claimed, but at most
 * SPREAD times the distance from 0 that the median interval reaches. The bar of a test of few games
 * is cut off, so that the other bars stay readable. */
typedef struct {
    double low, high;
} Scale;

static int by_size(const void *a, const void *b) {
    double one = *(const double *)a;
    double other = *(const double *)b;
    return (one > other) - (one < other);
}

static Scale scale_of(const CompareRow *rows, size_t count, bool claims) {
    static const double SPREAD = 2.5;
    static const double REACH_MIN = 1;
    static const double OPEN_REACH = 1200; /* Where every interval is open. */
    double *reaches = mem_calloc(count + 1, sizeof *reaches);
    size_t known = 0;
    Scale scale = {0, 0};
    for (size_t i = 0; i < count; i++) {
        if (!is_known(&rows[i]))
            continue;
        EloInterval elo = row_elo(&rows[i]);
        if (isfinite(elo.lower) && isfinite(elo.upper))
            reaches[known++] = fmax(fabs(elo.lower), fabs(elo.upper));
        scale.low = fmin(scale.low, elo.lower);
        scale.high = fmax(fmax(scale.high, elo.upper), claims ? rows[i].claimed_high : 0);
    }
    qsort(reaches, known, sizeof *reaches, by_size);
    double most = known > 0 ? SPREAD * fmax(reaches[known / 2], REACH_MIN) : OPEN_REACH;
    scale.low = fmin(fmax(scale.low, -most), -REACH_MIN);
    scale.high = fmax(fmin(scale.high, most), REACH_MIN);
    free(reaches);
    return scale;
}

static bool is_within(const Scale *scale, double elo) {
    return elo >= scale->low && elo <= scale->high;
}

/* A place on the scale: 0 at the low end to 1 at the high end, limited to both. */
static double place(const Scale *scale, double elo) {
    return fmin(fmax((elo - scale->low) / (scale->high - scale->low), 0), 1);
}

/* ---- Cells ---- */

enum {
    COLUMN_NAME,
    COLUMN_CLAIM,      /* Claim and difference are only in Markdown; a page has claim, */
    COLUMN_DIFFERENCE, /* difference, corrected Elo and finding in other cells. */
    COLUMN_ELO,
    COLUMN_LLR,
    COLUMN_VERDICT,
    COLUMN_GAMES,
    COLUMN_FAULTS,
    COLUMN_CORRECTED,
    COLUMN_FINDING,
    COLUMNS
};

static const char *const HEADINGS[COLUMNS] = {
    "test",    "claim", "dev against base", "Elo",       "LLR",
    "verdict", "games", "faults",           "corrected", "finding"};

static const char LESS[] = " less ";

/* "+16.20 ± 7.29", and of an interval with one open end "+1040.39, at least +905.10". */
static void add_elo(Text *text, const EloInterval *elo, const char *pm) {
    text_addf(text, "%+.2f", unsigned_zero(elo->value, 2));
    if (isfinite(elo->lower) && isfinite(elo->upper))
        text_addf(text, " %s %.2f", pm, elo_margin(elo));
    else if (isfinite(elo->lower))
        text_addf(text, ", at least %+.2f", unsigned_zero(elo->lower, 2));
    else if (isfinite(elo->upper))
        text_addf(text, ", at most %+.2f", unsigned_zero(elo->upper, 2));
    else
        text_add(text, ", no bounds yet");
}

/* A cell's text, allocated. pm: the sign for "plus or minus". */
static char *cell_of(const CompareRow *row, int column, const char *pm) {
    const Report *report = &row->report;
    const Tally *tally = &report->tally;
    Text text = {0};
    EloInterval elo = row_elo(row);
    if (column == COLUMN_NAME)
        text_addf(&text, "%s%s%s", row->name, row->less != NULL ? LESS : "",
                  row->less != NULL ? row->less : "");
    else if (column == COLUMN_ELO && is_known(row))
        add_elo(&text, &elo, pm);
    else if (column == COLUMN_ELO && report->purpose == PURPOSE_TEST &&
             tally_games_counted(tally) > 0)
        text_add(&text, "no interval yet");
    else if (column == COLUMN_LLR && report->sprt) {
        LlrLimits limits = sprt_limits(&report->rule);
        text_addf(&text, "%.2f (%.2f, %.2f)", unsigned_zero(report_llr(report), 2), limits.lower,
                  limits.upper);
    } else if (column == COLUMN_VERDICT && report->sprt)
        text_add(&text, verdict_name(report_verdict(report)));
    else if (column == COLUMN_GAMES)
        text_addf(&text, "%" PRId64, tally_games_counted(tally));
    else if (column == COLUMN_FAULTS)
        report_faults(tally, &text);
    else if (column == COLUMN_CLAIM && row->claim != NULL)
        text_add(&text, row->claim);
    else if (column == COLUMN_DIFFERENCE && row->difference != NULL)
        text_add(&text, row->difference);
    else if (column == COLUMN_CORRECTED && row->corrected != NULL)
        text_add(&text, row->corrected);
    else if (column == COLUMN_FINDING && row->finding != NULL)
        text_add(&text, row->finding);
    return text_take(&text);
}

/* All cells, and the columns that have content. free_cells frees the cells. */
typedef struct {
    char *(*cells)[COLUMNS];
    size_t count;
    bool used[COLUMNS];
} Cells;

static Cells cells_of(const CompareRow *rows, size_t count, const char *pm) {
    Cells table = {.cells = mem_calloc(count + 1, sizeof *table.cells), .count = count};
    for (size_t i = 0; i < count; i++) {
        for (int column = 0; column < COLUMNS; column++) {
            char *cell = cell_of(&rows[i], column, pm);
            Text visible = {0};
            text_add_visible(&visible, cell, KEEP_NO_LINES);
            free(cell);
            table.cells[i][column] = text_take(&visible);
            table.used[column] |= table.cells[i][column][0] != '\0';
        }
    }
    return table;
}

static void free_cells(Cells *table) {
    for (size_t i = 0; i < table->count; i++)
        for (int column = 0; column < COLUMNS; column++)
            free(table->cells[i][column]);
    free(table->cells);
}

/* ---- For a terminal ---- */

enum { BAR_MIN = 16, BAR_MAX = 41, COLUMN_GAP = 2 };

static void add_padded(Text *out, const char *text, int width, bool right) {
    for (int i = text_columns(text); right && i < width; i++)
        text_add_char(out, ' ');
    text_add(out, text);
    for (int i = text_columns(text); !right && i < width; i++)
        text_add_char(out, ' ');
}

static void add_text_bar(Text *out, const Scale *scale, const EloInterval *elo, int cells,
                         bool utf8) {
    static const char *const SIGNS[2][8] = {{" ", "|", "-", "[", "]", "o", "<", ">"},
                                            {" ", "│", "─", "├", "┤", "●", "<", ">"}};
    enum { BLANK, ZERO, LINE, LEFT, RIGHT, POINT, CUT_LEFT, CUT_RIGHT };
    const char *const *sign = SIGNS[utf8];
    int zero = (int)lround(place(scale, 0) * (cells - 1));
    int left = (int)lround(place(scale, elo->lower) * (cells - 1));
    int right = (int)lround(place(scale, elo->upper) * (cells - 1));
    int value = (int)lround(place(scale, elo->value) * (cells - 1));
    int left_end = is_within(scale, elo->lower) ? LEFT : CUT_LEFT;
    int right_end = is_within(scale, elo->upper) ? RIGHT : CUT_RIGHT;
    if (elo->lower > scale->high) /* The whole interval lies beyond: an arrow alone. */
        left_end = CUT_RIGHT;
    if (elo->upper < scale->low)
        right_end = CUT_LEFT;
    if (!is_within(scale, elo->value))
        value = -1;
    for (int i = 0; i < cells; i++) {
        int kind = i == value              ? POINT
                   : i == left             ? left_end
                   : i == right            ? right_end
                   : i == zero             ? ZERO
                   : i > left && i < right ? LINE
                                           : BLANK;
        text_add(out, sign[kind]);
    }
}

/* The width of the bars in cells; 0: no room. */
static int bar_cells(const int widths[COLUMNS], const Cells *table, int width) {
    int rest = width - 1 - COLUMN_GAP;
    for (int column = 0; column < COLUMNS; column++)
        if (table->used[column])
            rest -= widths[column] + COLUMN_GAP;
    rest += COLUMN_GAP;
    return rest < BAR_MIN ? 0 : rest > BAR_MAX ? BAR_MAX : rest;
}

/* Adds a line of the table; row NULL: the headings. */
static void add_text_line(Text *out, const char *const *cells, const Cells *table,
                          const int widths[COLUMNS], const Text *bar) {
    size_t start = out->length;
    for (int column = 0; column < COLUMNS; column++) {
        if (!table->used[column])
            continue;
        bool right = column == COLUMN_ELO || column == COLUMN_GAMES;
        add_padded(out, cells[column], widths[column], right);
        text_add(out, "  ");
        if (column == COLUMN_ELO && bar->length > 0)
            text_addf(out, "%s  ", text_string(bar));
    }
    while (out->length > start && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    text_add_char(out, '\n');
}

void compare_text(const CompareRow *rows, size_t count, const ProgressStyle *style, Text *out) {
    Cells table = cells_of(rows, count, style->utf8 ? "±" : "+-");
    table.used[COLUMN_CLAIM] = table.used[COLUMN_DIFFERENCE] = false; /* Too long for a terminal. */
    Scale scale = scale_of(rows, count, false);
    int widths[COLUMNS];
    for (int column = 0; column < COLUMNS; column++) {
        widths[column] = text_columns(HEADINGS[column]);
        for (size_t i = 0; i < count; i++)
            widths[column] = (int)fmax(widths[column], text_columns(table.cells[i][column]));
    }
    int cells = bar_cells(widths, &table, style->width);
    Text bar = {0};
    for (int i = 0; i < cells; i++)
        text_add_char(&bar, ' ');
    add_text_line(out, HEADINGS, &table, widths, &bar);
    for (size_t i = 0; i < count; i++) {
        EloInterval elo = row_elo(&rows[i]);
        text_clear(&bar);
        for (int k = 0; !is_known(&rows[i]) && k < cells; k++)
            text_add_char(&bar, ' ');
        if (cells > 0 && is_known(&rows[i]))
            add_text_bar(&bar, &scale, &elo, cells, style->utf8);
        add_text_line(out, (const char *const *)table.cells[i], &table, widths, &bar);
    }
    text_free(&bar);
    free_cells(&table);
}

/* ---- Markdown ---- */

static bool is_link(const char *link) {
    if (link == NULL || link[0] == '\0')
        return false;
    return text_starts_with(link, "https://") || text_starts_with(link, "http://") ||
           strchr(link, ':') == NULL;
}

/* Adds a name, which links to its page where there is one. */
static void add_markdown_name(Text *out, const char *name, const char *link) {
    Text visible = {0};
    text_add_visible(&visible, name, KEEP_NO_LINES);
    text_add(out, is_link(link) ? "[" : "");
    markdown_add(out, text_string(&visible));
    if (is_link(link)) {
        text_add(out, "](");
        markdown_add_address(out, link);
        text_add_char(out, ')');
    }
    text_free(&visible);
}

void compare_markdown(const CompareRow *rows, size_t count, Text *out) {
    Cells table = cells_of(rows, count, "±");
    for (int line = 0; line < 2; line++) {
        for (int column = 0; column < COLUMNS; column++)
            if (table.used[column])
                text_addf(out, "| %s ",
                          line == 0                                        ? HEADINGS[column]
                          : column == COLUMN_ELO || column == COLUMN_GAMES ? "--:"
                                                                           : "---");
        text_add(out, "|\n");
    }
    for (size_t i = 0; i < count; i++) {
        for (int column = 0; column < COLUMNS; column++) {
            if (!table.used[column])
                continue;
            text_add(out, "| ");
            if (column != COLUMN_NAME)
                markdown_add(out, table.cells[i][column]);
            else
                add_markdown_name(out, rows[i].name, rows[i].link);
            if (column == COLUMN_NAME && rows[i].less != NULL) {
                text_add(out, LESS);
                add_markdown_name(out, rows[i].less, rows[i].less_link);
            }
            text_add_char(out, ' ');
        }
        text_add(out, "|\n");
    }
    free_cells(&table);
}

/* ---- HTML ---- */

/* An arrow at an end of the scale: the interval goes on. */
static void add_arrow(Text *out, bool right) {
    text_addf(out, "<svg class=\"arrow\" x=\"%s\" aria-hidden=\"true\"><path d=\"%s\"/></svg>",
              right ? "100%" : "0", right ? "M-6 3L4 10L-6 17Z" : "M6 3L-4 10L6 17Z");
}

/* Draws the row's interval on the common scale, in percents of the cell, upon what is claimed. */
static void add_html_bar(Text *out, const Scale *scale, const CompareRow *row) {
    EloInterval elo = row_elo(row);
    double left = 100 * place(scale, elo.lower);
    double right = 100 * place(scale, elo.upper);
    double zero = 100 * place(scale, 0);
    bool claimed = row->claimed_high > 0;
    const char *kind = elo.lower > 0 ? "good" : elo.upper < 0 ? "bad" : "open";
    text_addf(out, "<svg class=\"interval %s\" role=\"img\" aria-label=\"", kind);
    if (isfinite(elo.lower) && isfinite(elo.upper))
        text_addf(out, "%+.2f Elo, 95 %% between %+.2f and %+.2f", unsigned_zero(elo.value, 2),
                  unsigned_zero(elo.lower, 2), unsigned_zero(elo.upper, 2));
    else
        add_elo(out, &elo, "±");
    if (claimed)
        text_addf(out, "; %.2f to %.2f is claimed", row->claimed_low, row->claimed_high);
    text_add(out, "\" width=\"100%\" height=\"20\">");
    if (claimed && row->claimed_low < scale->high) {
        double low = 100 * place(scale, row->claimed_low);
        double high = 100 * place(scale, row->claimed_high);
        text_addf(out,
                  "<rect class=\"claim\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"1\" height=\"18\"/>",
                  low, high - low);
    }
    text_addf(out, "<line class=\"zero\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"20\"/>", zero,
              zero);
    if (elo.lower <= scale->high && elo.upper >= scale->low)
        text_addf(out, "<line class=\"range\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"10\" y2=\"10\"/>",
                  left, fmax(right, left + 0.5));
    if (is_within(scale, elo.value))
        text_addf(out, "<circle cx=\"%.2f%%\" cy=\"10\" r=\"5\"/>", 100 * place(scale, elo.value));
    if (elo.upper > scale->high)
        add_arrow(out, true);
    if (elo.lower < scale->low)
        add_arrow(out, false);
    text_add(out, "</svg>");
}

/* Adds "LOS 99.3 %", never 100 % or 0 %; nothing without an interval. */
static void add_los(Text *out, const CompareRow *row) {
    static const double NEAR = 0.1; /* Percent. */
    Outcomes outcomes = outcomes_of(&row->report.tally);
    if (!is_known(row) || outcomes_no_interval(&outcomes) != NULL)
        return;
    double los = 100 * outcomes_los(&outcomes);
    const char *beyond = los < NEAR ? "&lt;&nbsp;" : los > 100 - NEAR ? "&gt;&nbsp;" : "";
    text_addf(out, "<abbr title=\"likelihood of superiority\">LOS</abbr>&nbsp;%s%.1f&nbsp;%%",
              beyond, fmin(fmax(los, NEAR), 100 - NEAR));
}

/* Adds the corrected Elo, or where there is none the likelihood of superiority. */
static void add_beside_elo(Text *out, const CompareRow *row) {
    if (row->less != NULL)
        text_add(out, "computed");
    else if (row->corrected != NULL)
        text_addf(out, "corrected&nbsp;%s", row->corrected);
    else
        add_los(out, row);
}

/* Adds the engine's SPEC and difference, the claim and the finding below the row's name. */
static void add_engine(Text *out, const CompareRow *row) {
    const char *const lines[] = {row->claim, row->spec, row->difference};
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (lines[i] == NULL || lines[i][0] == '\0' || strcmp(lines[i], row->name) == 0)
            continue;
        text_add(out, "<small class=\"note\">");
        html_add_name(out, lines[i]);
        text_add(out, "</small>");
    }
    if (row->finding != NULL) {
        text_addf(out, "<span class=\"chip %s\">", row->finding_kind);
        html_add(out, row->finding);
        text_add(out, "</span>");
    }
}

/* Adds a line below the name with the columns behind the bar, which phones hide. */
static void add_summary(Text *out, const CompareRow *row, char *const cells[COLUMNS]) {
    text_add(out, "<small class=\"folded\">");
    if (cells[COLUMN_ELO][0]) {
        text_addf(out, "<span class=\"tiny\">%s%s · ", cells[COLUMN_ELO],
                  is_known(row) ? " Elo" : "");
        size_t before = out->length;
        add_beside_elo(out, row);
        text_add(out, out->length > before ? " · </span>" : "</span>");
    }
    text_add_grouped(out, tally_games_counted(&row->report.tally));
    text_add(out, " games");
    if (cells[COLUMN_LLR][0])
        text_addf(out, " · LLR %s", cells[COLUMN_LLR]);
    if (strcmp(cells[COLUMN_VERDICT], "H0") == 0 || strcmp(cells[COLUMN_VERDICT], "H1") == 0)
        text_addf(out, " · %s", cells[COLUMN_VERDICT]);
    if (cells[COLUMN_FAULTS][0])
        text_addf(out, " · <strong class=\"fault\">%s</strong>", cells[COLUMN_FAULTS]);
    text_add(out, "</small>");
}

static void add_linked_name(Text *out, const char *name, const char *link) {
    if (is_link(link)) {
        text_add(out, "<a href=\"");
        html_add(out, link);
        text_add(out, "\">");
    }
    html_add_title(out, name);
    text_add(out, is_link(link) ? "</a>" : "");
}

static void add_html_cell(Text *out, const CompareRow *row, int column,
                          char *const cells[COLUMNS]) {
    const char *const open = column == COLUMN_NAME ? "<th scope=\"row\">" : NULL;
    if (open)
        text_add(out, open);
    else
        text_addf(out, "<td class=\"%s%s\">", column == COLUMN_ELO ? "elo" : "wide",
                  column == COLUMN_FAULTS ? " fault" : "");
    static const char *const KINDS[] = {
        [VERDICT_NONE] = "open", [VERDICT_H0] = "bad", [VERDICT_H1] = "good"};
    bool chip = column == COLUMN_VERDICT && row->report.sprt;
    if (chip)
        text_addf(out, "<span class=\"chip %s\">", KINDS[report_verdict(&row->report)]);
    if (column == COLUMN_GAMES)
        text_add_grouped(out, tally_games_counted(&row->report.tally));
    else if (column != COLUMN_NAME)
        html_add_title(out, cells[column]);
    else
        add_linked_name(out, row->name, row->link);
    if (column == COLUMN_NAME && row->less != NULL) {
        text_add(out, LESS);
        add_linked_name(out, row->less, row->less_link);
    }
    text_add(out, chip ? "</span>" : "");
    if (column == COLUMN_ELO && is_known(row)) {
        text_add(out, "<small class=\"note\">");
        add_beside_elo(out, row);
        text_add(out, "</small>");
    } else if (column == COLUMN_NAME) {
        add_engine(out, row);
        add_summary(out, row, cells);
    }
    text_add(out, open ? "</th>" : "</td>");
}

void compare_html(const CompareRow *rows, size_t count, const char *heading, Text *out) {
    Cells table = cells_of(rows, count, "±");
    table.used[COLUMN_CLAIM] = table.used[COLUMN_DIFFERENCE] = false;
    table.used[COLUMN_CORRECTED] = table.used[COLUMN_FINDING] = false;
    Scale scale = scale_of(rows, count, true);
    text_addf(out, "<section class=\"compare\" aria-label%s=\"%s\">\n<table>\n<thead><tr>",
              heading != NULL ? "ledby" : "", heading != NULL ? heading : "tests by Elo");
    for (int column = 0; column < COLUMNS; column++) {
        if (!table.used[column])
            continue;
        text_addf(out, "<th scope=\"col\"%s>%s</th>",
                  column == COLUMN_ELO  ? " class=\"elo\""
                  : column > COLUMN_ELO ? " class=\"wide\""
                                        : "",
                  HEADINGS[column]);
        if (column == COLUMN_ELO)
            text_addf(out,
                      "<th scope=\"col\" class=\"bar\" aria-label=\"interval, from %.0f to %+.0f "
                      "Elo\"><span>%.0f</span><span>%+.0f</span></th>",
                      scale.low, scale.high, scale.low, scale.high);
    }
    text_add(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        text_add(out, "<tr>");
        for (int column = 0; column < COLUMNS; column++) {
            if (!table.used[column])
                continue;
            add_html_cell(out, &rows[i], column, table.cells[i]);
            if (column == COLUMN_ELO) {
                text_add(out, "<td class=\"bar\">");
                if (is_known(&rows[i]))
                    add_html_bar(out, &scale, &rows[i]);
                text_add(out, "</td>");
            }
        }
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody>\n</table>\n</section>\n");
    free_cells(&table);
}

/* ---- JSON ---- */

void compare_json(const CompareRow *rows, size_t count, Text *out) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "name", rows[i].name);
        report_add_to_json(&rows[i].report, row);
        cJSON_AddItemToArray(list, row);
    }
    json_take(list, out);
    text_add_char(out, '\n');
}
