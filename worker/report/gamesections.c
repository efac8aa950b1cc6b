/* SPDX-License-Identifier: MIT */
#include "report/gamesections.h"

#include <inttypes.h>

#include "base/count.h"
#include "report/chart.h"
#include "report/html.h"

static void begin(Text *out, const char *id, const char *title) {
    text_addf(out, "<section aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">%s</h2>\n", id, id, title);
}

/* Adds a column's heading; kind: its CSS class, or NULL. */
static void add_column(Text *out, const char *kind, const char *name) {
    text_add(out, "<th scope=\"col\"");
    if (kind != NULL)
        text_addf(out, " class=\"%s\"", kind);
    text_addf(out, ">%s</th>", name);
}

/* ---- By colour ---- */

static void show_colors(const GameNumbers *numbers, Text *out) {
    static const char *const NAMES[] = {"White", "Black"};
    enum { LOST, DRAWN, WON };
    begin(out, "colors", "Results by colour");
    text_add(out, "<table class=\"colors\"><thead><tr>");
    add_column(out, NULL, "dev as");
    add_column(out, "number", "won");
    add_column(out, "number", "drawn");
    add_column(out, "number", "lost");
    add_column(out, "number", "points");
    text_add(out, "</tr></thead><tbody>\n");
    double white = 0;
    double all = 0;
    for (int color = 0; color < 2; color++) {
        const int64_t *games = numbers->colors[color];
        double count = (double)(games[LOST] + games[DRAWN] + games[WON]);
        double points = (double)games[WON] + (double)games[DRAWN] / 2;
        text_addf(out, "<tr><th scope=\"row\">%s</th>", NAMES[color]);
        for (int result = WON; result >= LOST; result--)
            html_add_number_cell(out, games[result]);
        text_addf(out, "<td class=\"number\">%.1f %%</td></tr>\n", 100 * points / count);
        white += color == 0 ? points : count - points;
        all += count;
    }
    text_addf(out,
              "</tbody></table>\n<p><small>White, whoever played it, made %.1f %% of the points."
              "</small></p></section>\n",
              100 * white / all);
}

/* ---- Length ---- */

static void begin_bars(Text *out, const char *what, const char *const numbers[2]) {
    text_add(out, "<table class=\"bars\"><thead><tr>");
    add_column(out, NULL, what);
    add_column(out, "bar", "<span class=\"sr\">bar</span>");
    for (int i = 0; i < 2; i++)
        add_column(out, "number", numbers[i]);
    text_add(out, "</tr></thead><tbody>\n");
}

static int64_t sum_of(const int64_t *numbers, size_t count, int64_t *max) {
    int64_t sum = 0;
    *max = 1;
    for (size_t i = 0; i < count; i++) {
        sum += numbers[i];
        *max = numbers[i] > *max ? numbers[i] : *max;
    }
    return sum;
}

static void add_length(Text *out, int cell) {
    int first = cell * GAMES_LENGTH_STEP;
    if (cell + 1 < GAMES_LENGTH_CELLS)
        text_addf(out, "%d to %d", first, first + GAMES_LENGTH_STEP - 1);
    else
        text_addf(out, "%d and more", first);
}

static void show_lengths(const GameNumbers *numbers, Text *out) {
    int64_t max;
    int64_t sum = sum_of(numbers->lengths, GAMES_LENGTH_CELLS, &max);
    int last = GAMES_LENGTH_CELLS - 1;
    while (last > 0 && numbers->lengths[last] == 0)
        last--;
    begin(out, "lengths", "Length of games");
    begin_bars(out, "moves", (const char *const[2]){"games", "share"});
    for (int cell = 0; cell <= last; cell++) {
        text_add(out, "<tr><th scope=\"row\">");
        add_length(out, cell);
        text_add(out, "</th><td class=\"bar\">");
        chart_bar((double)numbers->lengths[cell] / (double)max, -1, "even", out);
        text_add(out, "</td>");
        html_add_number_cell(out, numbers->lengths[cell]);
        text_addf(out, "<td class=\"number\">%.1f %%</td></tr>\n",
                  100 * (double)numbers->lengths[cell] / (double)sum);
    }
    text_add(out, "</tbody></table></section>\n");
}

/* ---- Scores ---- */

static void add_scores(Text *out, int cell) {
    if (cell == 0)
        text_addf(out, "below %.2f", games_score_limits[0] / 100.0);
    else if (cell == GAMES_SCORE_CELLS - 1)
        text_addf(out, "from %+.2f", games_score_limits[cell - 1] / 100.0);
    else
        text_addf(out, "%+.2f to %+.2f", games_score_limits[cell - 1] / 100.0,
                  games_score_limits[cell] / 100.0);
}

static void show_scores(const GameNumbers *numbers, Text *out) {
    int64_t max[SIDE_COUNT];
    int64_t sums[SIDE_COUNT];
    double most = 0;
    for (int side = 0; side < SIDE_COUNT; side++) {
        sums[side] = sum_of(numbers->scores[side], GAMES_SCORE_CELLS, &max[side]);
        if (sums[side] == 0)
            return;
        double share = (double)max[side] / (double)sums[side];
        most = share > most ? share : most;
    }
    begin(out, "scores", "Scores of the moves");
    begin_bars(out, "score", (const char *const[2]){"dev", "base"});
    for (int cell = GAMES_SCORE_CELLS - 1; cell >= 0; cell--) {
        double shares[SIDE_COUNT];
        for (int side = 0; side < SIDE_COUNT; side++)
            shares[side] = (double)numbers->scores[side][cell] / (double)sums[side];
        text_add(out, "<tr><th scope=\"row\">");
        add_scores(out, cell);
        text_add(out, "</th><td class=\"bar\">");
        chart_bar(shares[SIDE_DEV] / most, shares[SIDE_BASE] / most, "even", out);
        text_addf(out,
                  "</td><td class=\"number\">%.1f %%</td><td class=\"number\">%.1f %%</td></tr>\n",
                  100 * shares[SIDE_DEV], 100 * shares[SIDE_BASE]);
    }
    text_add(out, "</tbody></table>\n<p><small>In pawns, as each engine told from its own side. "
                  "Bars: dev; strokes: base.</small></p></section>\n");
}

void gamesections_numbers(const Result *result, Text *out) {
    if (result->games.count == 0)
        return;
    GameNumbers numbers = games_numbers(&result->games);
    show_colors(&numbers, out);
    show_lengths(&numbers, out);
    show_scores(&numbers, out);
}

/* ---- The list ---- */

static void add_game(const ListedGame *game, Text *out) {
    static const char *const RESULTS[] = {"lost", "drawn", "won"};
    int64_t moves = (game->plies + 1) / 2;
    text_add(out, "<td");
    if (game->moves != NULL)
        text_addf(out, " data-moves=\"%s\"", game->moves); /* Needs no escaping: digits alone. */
    text_addf(out, ">%s · <span%s>", RESULTS[game->points],
              ending_fault(game->ending) != FAULT_NONE ? " class=\"fault\"" : "");
    html_add(out, ending_name(game->ending));
    text_addf(out, "</span> · %" PRId64 "&nbsp;move%s</td>", moves, text_plural(moves));
}

static void add_pair(const ListedPair *pair, Text *out) {
    static const char *const POINTS[] = {"0", "½", "1", "1½", "2"};
    int64_t points = pair->games[0].points + pair->games[1].points;
    text_addf(out,
              "<tr data-pair=\"%" PRId64 "\" data-points=\"%" PRId64
              "\" data-faults=\"%d\" data-plies=\"%" PRId64 "\"",
              pair->index, points, games_faults(pair), games_plies(pair));
    if (pair->fen != NULL) {
        text_add(out, " data-fen=\"");
        html_add(out, pair->fen);
        text_add(out, "\"");
    }
    text_add(out, "><th scope=\"row\">");
    text_add_grouped(out, pair->opening);
    text_addf(out, "</th><td class=\"number\">%s</td>", POINTS[points]);
    for (int i = 0; i < 2; i++)
        add_game(&pair->games[i], out);
    text_add(out, "</tr>\n");
}

/* Tells which openings and moves the list leaves out. shown: the count of listed openings. */
static void tell_rest(const GameList *list, size_t shown, Text *out) {
    size_t without = 0;
    for (size_t i = 0; i < shown; i++)
        without += list->pairs[i].fen == NULL;
    text_add(out, "<p><small>The most interesting pairs come first: faults, then pairs that dev "
                  "lost, then long games.");
    if (shown < list->count) {
        text_add(out, " The page lists ");
        text_add_grouped(out, (int64_t)shown);
        text_add(out, " of ");
        text_add_grouped(out, (int64_t)list->count);
        text_add(out, " openings and leaves out the least interesting.");
    }
    if (without == shown)
        text_add(out, " The moves are not known.");
    else if (without > 0) {
        text_add(out, " To keep the page small it has no moves for the last ");
        text_add_grouped(out, (int64_t)without);
        text_add(out, " of them.");
    }
    text_add(out, "</small></p>\n");
}

/* Adds a side's name for a quoted attribute. */
static void add_side(const Result *result, Side side, Text *out) {
    const char *name = result->sides[side];
    html_add(out, name != NULL ? name : side_name(side));
}

static size_t listed(const Result *result) {
    return result->games.count < GAMES_ROWS_MAX ? result->games.count : GAMES_ROWS_MAX;
}

void gamesections_list(const Result *result, Text *out) {
    size_t shown = listed(result);
    if (shown == 0)
        return;
    begin(out, "games", "Games by opening");
    tell_rest(&result->games, shown, out);
    text_add(out, "<table class=\"games\" data-listed=\"");
    text_add_grouped(out, (int64_t)shown);
    text_add(out, "\" data-dev=\"");
    add_side(result, SIDE_DEV, out);
    text_add(out, "\" data-base=\"");
    add_side(result, SIDE_BASE, out);
    text_add(out, "\"><thead><tr>");
    add_column(out, NULL, "opening");
    add_column(out, "number", "points");
    add_column(out, NULL, "dev as White");
    add_column(out, NULL, "dev as Black");
    text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < shown; i++)
        add_pair(&result->games.pairs[i], out);
    text_add(out, "</tbody></table>\n</section>\n");
}

void gamesections_script(const Result *result, Text *out) {
    static const char *const LINES[] = {
#include "report/games_js.h"
    };
    if (listed(result) == 0)
        return;
    text_add(out, "<script>\n");
    for (size_t i = 0; i < COUNT(LINES); i++)
        text_add(out, LINES[i]);
    text_add(out, "</script>\n");
}
