/* SPDX-License-Identifier: MIT */
#include "report/labstats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "report/html.h"

/* ---- Records ---- */

#define FIELD(key, type, field)                                                                    \
    { key, type, JSON_REQUIRED, offsetof(LabStatistic, field) }
static const JsonField FIELDS[] = {
    FIELD("preset", JSON_TEXT, preset),
    FIELD("depth", JSON_INT, depth),
    FIELD("positions", JSON_INT, positions),
    FIELD("moves", JSON_INT, moves),
    FIELD("deep_moves", JSON_INT, deep_moves),
    FIELD("reduced", JSON_INT, reduced),
    FIELD("reduction_sum", JSON_INT, reduction_sum),
    FIELD("researched", JSON_INT, researched),
    FIELD("held", JSON_INT, held),
    FIELD("accepted", JSON_INT, accepted),
    FIELD("best_nodes", JSON_INT, best_nodes),
    FIELD("best_first_tenth", JSON_INT, best_first_tenth),
    FIELD("best_first_fifth", JSON_INT, best_first_fifth),
    FIELD("nodes_on", JSON_INT, nodes_on),
    FIELD("nodes_off", JSON_INT, nodes_off),
    FIELD("deeper", JSON_REAL, deeper),
};

static void free_record(LabStatistic *record) {
    json_free_fields(FIELDS, COUNT(FIELDS), record);
}

void labstats_free(LabStatistics *statistics) {
    for (size_t i = 0; i < statistics->count; i++)
        free_record(&statistics->items[i]);
    free(statistics->items);
    *statistics = (LabStatistics){0};
}

/* Takes over *record: in the place of the one of the same preset and depth, else behind the last of
 * its preset with a smaller depth. */
static void add(LabStatistics *statistics, const LabStatistic *record) {
    size_t at = statistics->count;
    for (size_t i = 0; i < statistics->count; i++) {
        LabStatistic *known = &statistics->items[i];
        if (strcmp(known->preset, record->preset) != 0)
            continue;
        if (known->depth == record->depth) {
            free_record(known);
            *known = *record;
            return;
        }
        if (known->depth > record->depth) {
            at = i;
            break;
        }
        at = i + 1;
    }
    statistics->items = mem_grow(statistics->items, &statistics->capacity, statistics->count + 1,
                                 sizeof *statistics->items);
    memmove(&statistics->items[at + 1], &statistics->items[at],
            (statistics->count - at) * sizeof *statistics->items);
    statistics->items[at] = *record;
    statistics->count++;
}

/* Refuses counts that no search can have. */
static bool check(const LabStatistic *record, Error *err) {
    const int64_t parts[][2] = {
        {record->deep_moves, record->moves},
        {record->reduced, record->deep_moves},
        {record->researched + record->accepted, record->reduced},
        {record->held, record->researched},
        {record->best_first_tenth, record->best_first_fifth},
        {record->best_first_fifth, record->best_nodes},
    };
    bool sound = record->depth > 0 && record->positions > 0 && record->nodes_on > 0 &&
                 record->nodes_off > 0 && record->reduction_sum >= record->reduced;
    for (size_t i = 0; i < COUNT(parts); i++)
        sound = sound && parts[i][0] >= 0 && parts[i][0] <= parts[i][1];
    return sound || error_set(err, "are no counts of a search");
}

static bool read_record(const cJSON *object, const char *where, LabStatistics *statistics,
                        Error *err) {
    LabStatistic record = {0};
    if (!json_read(object, where, FIELDS, COUNT(FIELDS), &record, err) ||
        (!check(&record, err) && !error_prefix(err, "%s", where))) {
        free_record(&record);
        return false;
    }
    add(statistics, &record);
    return true;
}

static bool read_line(char *line, int number, void *user, Error *err) {
    (void)number;
    cJSON *object = json_parse(line, strlen(line), err);
    bool ok = object != NULL && read_record(object, "statistics", user, err);
    cJSON_Delete(object);
    return ok;
}

bool labstats_take(const char *path, LabStatistics *statistics, Error *err) {
    enum { FILE_LIMIT = 1 << 20 };
    return file_read_lines(path, FILE_LIMIT, read_line, statistics, err);
}

bool labstats_read(const cJSON *list, const char *where, LabStatistics *statistics, Error *err) {
    size_t number = 0;
    if (list != NULL && !cJSON_IsArray(list))
        return error_set(err, "%s: expected a list", where);
    for (const cJSON *item = list != NULL ? list->child : NULL; item != NULL; item = item->next) {
        char place[64];
        snprintf(place, sizeof place, "%s[%zu]", where, number++);
        if (!read_record(item, place, statistics, err))
            return false;
    }
    return true;
}

void labstats_write(const LabStatistics *statistics, Text *out) {
    text_add(out, "[");
    for (size_t i = 0; i < statistics->count; i++) {
        cJSON *object = cJSON_CreateObject();
        json_write(object, FIELDS, COUNT(FIELDS), &statistics->items[i]);
        text_add(out, i > 0 ? ",\n" : "\n");
        json_take(object, out);
    }
    text_add(out, "\n]");
}

/* ---- Claims ---- */

static double share(int64_t part, int64_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static double reduced_of_all(const LabStatistic *s) {
    return share(s->reduced, s->moves);
}
static double reduced_of_deep(const LabStatistic *s) {
    return share(s->reduced, s->deep_moves);
}
static double average(const LabStatistic *s) {
    return share(s->reduction_sum, s->reduced) / 100;
}
static double again(const LabStatistic *s) {
    return share(s->researched, s->reduced);
}
static double saved(const LabStatistic *s) {
    return share(s->nodes_off - s->nodes_on, s->nodes_off);
}
static double times(const LabStatistic *s) {
    return share(s->nodes_off, s->nodes_on) / 100;
}
static double deeper(const LabStatistic *s) {
    return s->deeper;
}
static double best_in_tenth(const LabStatistic *s) {
    return share(s->best_first_tenth, s->best_nodes);
}
static double best_in_fifth(const LabStatistic *s) {
    return share(s->best_first_fifth, s->best_nodes);
}

/* T0's claims, in its order. The finding compares the measurement with low and high; both 0: the
 * claim is of more than was measured. */
static const struct {
    const char *what, *claim, *unit;
    double low, high;
    int digits;
    double (*measured)(const LabStatistic *);
} CLAIMS[] = {
    {"moves reduced, of all in the move loop", "40-60 %", " %", 40, 60, 1, reduced_of_all},
    {"moves reduced, of those deep enough", "40-60 %", " %", 40, 60, 1, reduced_of_deep},
    {"average reduction", "1.5-2.5 plies", "", 1.5, 2.5, 2, average},
    {"reduced moves searched again", "10-20 %", " %", 10, 20, 1, again},
    {"fewer nodes", "40-60 %", " %", 40, 60, 1, saved},
    {"how many times fewer nodes", "5-10 times faster, by all five techniques", "", 0, 0, 1, times},
    {"deeper with the same nodes", "1-2 plies", "", 1, 2, 2, deeper},
    {"best move among the first 10 % of the moves", "about 90 % of nodes", " %", 85, 95, 1,
     best_in_tenth},
    {"best move among the first 20 % of the moves", "about 90 % of nodes", " %", 85, 95, 1,
     best_in_fifth},
};

static const char ABOUT[] =
    "Searches of ten of the bench's positions to fixed depths, with the rows of a preset and with "
    "ENABLE=0. Every machine counts the same. T0 leaves open of which moves its shares are, so "
    "both are here. It claims 5-10 times the speed by reductions, ordering, table, null move and "
    "PVS together. The other four are on in both searches, so that the nodes saved are those of "
    "reductions alone. Nodes are counted, because time depends on the machine. T0 says that the "
    "best move is among the first 10-20 % of the moves; both ends are here, rounded up to whole "
    "moves, of the nodes where reductions may begin and a move raised alpha. The claimed 100-200 "
    "Elo stand in the tables of games.";

/* The index behind the records of the preset that begins at `first`. */
static size_t end_of_preset(const LabStatistics *statistics, size_t first) {
    size_t end = first;
    while (end < statistics->count &&
           strcmp(statistics->items[end].preset, statistics->items[first].preset) == 0)
        end++;
    return end;
}

/* Judges the numbers that the reader sees: rounded ones. */
static const char *finding_of(const LabStatistics *statistics, size_t first, size_t end,
                              size_t claim, const char **kind) {
    *kind = "open";
    if (CLAIMS[claim].high == 0)
        return "not tested";
    double scale = pow(10, CLAIMS[claim].digits);
    size_t less = 0;
    size_t more = 0;
    for (size_t i = first; i < end; i++) {
        double value = round(scale * CLAIMS[claim].measured(&statistics->items[i])) / scale;
        less += value < CLAIMS[claim].low;
        more += value > CLAIMS[claim].high;
    }
    *kind = less + more == 0 ? "good" : "open";
    return less + more == 0             ? "true here"
           : less == end - first        ? "less"
           : more == end - first        ? "more"
           : less == 0                  ? "true here or more, by depth"
           : more == 0                  ? "true here or less, by depth"
           : less + more == end - first ? "less or more, by depth"
                                        : "less, true here or more, by depth";
}

static void add_value(const LabStatistic *record, size_t claim, Text *out) {
    text_addf(out, "%.*f%s", CLAIMS[claim].digits, CLAIMS[claim].measured(record),
              CLAIMS[claim].unit);
}

/* ---- Markdown ---- */

static void add_markdown_table(const LabStatistics *statistics, size_t first, size_t end,
                               Text *out) {
    const char *kind;
    text_add(out, "\n| preset ");
    markdown_add(out, statistics->items[first].preset);
    text_add(out, " | claim ");
    for (size_t i = first; i < end; i++)
        text_addf(out, "| depth %" PRId64 " ", statistics->items[i].depth);
    text_add(out, "| finding |\n| --- | --- ");
    for (size_t i = first; i < end; i++)
        text_add(out, "| --: ");
    text_add(out, "| --- |\n");
    for (size_t claim = 0; claim < COUNT(CLAIMS); claim++) {
        text_addf(out, "| %s | %s ", CLAIMS[claim].what, CLAIMS[claim].claim);
        for (size_t i = first; i < end; i++) {
            text_add(out, "| ");
            add_value(&statistics->items[i], claim, out);
            text_add(out, " ");
        }
        text_addf(out, "| %s |\n", finding_of(statistics, first, end, claim, &kind));
    }
}

void labstats_markdown(const LabStatistics *statistics, Text *out) {
    if (statistics->count == 0)
        return;
    text_addf(out, "\n## %s\n\n%s\n", LABSTATS_TITLE, ABOUT);
    for (size_t i = 0; i < statistics->count; i = end_of_preset(statistics, i))
        add_markdown_table(statistics, i, end_of_preset(statistics, i), out);
}

/* ---- The page ---- */

/* Claim and finding stand below the name of the row: a phone has no room for columns of them. */
static void add_html_row(const LabStatistics *statistics, size_t first, size_t end, size_t claim,
                         Text *out) {
    const char *kind;
    const char *finding = finding_of(statistics, first, end, claim, &kind);
    text_addf(out,
              "<tr><th scope=\"row\">%s<small class=\"note\">claim: %s</small>"
              "<span class=\"chip %s\">%s</span></th>",
              CLAIMS[claim].what, CLAIMS[claim].claim, kind, finding);
    for (size_t i = first; i < end; i++) {
        text_add(out, "<td class=\"number\">");
        add_value(&statistics->items[i], claim, out);
        text_add(out, "</td>");
    }
    text_add(out, "</tr>\n");
}

static void add_html_table(const LabStatistics *statistics, size_t first, size_t end, Text *out) {
    text_add(out, "<section class=\"counted\">\n<table>\n<thead><tr><th scope=\"col\">preset ");
    html_add(out, statistics->items[first].preset);
    text_add(out, "</th>");
    for (size_t i = first; i < end; i++)
        text_addf(out, "<th scope=\"col\" class=\"number\">depth %" PRId64 "</th>",
                  statistics->items[i].depth);
    text_add(out, "</tr></thead>\n<tbody>\n");
    for (size_t claim = 0; claim < COUNT(CLAIMS); claim++)
        add_html_row(statistics, first, end, claim, out);
    text_add(out, "</tbody>\n</table>\n</section>\n");
}

void labstats_html(const LabStatistics *statistics, Text *out) {
    if (statistics->count == 0)
        return;
    text_addf(out, "<h2 class=\"lab\" id=\"%s\">%s</h2>\n<p>%s</p>\n", LABSTATS_ID, LABSTATS_TITLE,
              ABOUT);
    for (size_t i = 0; i < statistics->count; i = end_of_preset(statistics, i))
        add_html_table(statistics, i, end_of_preset(statistics, i), out);
}
