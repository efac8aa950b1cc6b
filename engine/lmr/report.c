/* SPDX-License-Identifier: MIT */
#include "lmr/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "lmr/flags.h"

enum { LMR_PRESET_TEXT_MAX = 64 };

static void format_preset(LmrRange range, char out[LMR_PRESET_TEXT_MAX]) {
    int besides = lmr_preset_differing(range);
    int length = snprintf(out, LMR_PRESET_TEXT_MAX, "preset %s", lmr_preset_name(lmr_preset()));
    if (besides > 0)
        snprintf(out + length, (size_t)(LMR_PRESET_TEXT_MAX - length), " but for %d row%s", besides,
                 besides == 1 ? "" : "s");
}

void lmr_report_flags(FILE *out, LmrTable table) {
    LmrRange range = lmr_table_range(table);
    int count = range.end - range.first;
    int differing = 0;
    for (int i = range.first; i < range.end; i++) {
        const LmrRow *row = lmr_row(i);
        char now[LMR_VALUE_TEXT_MAX], standard[LMR_VALUE_TEXT_MAX];
        if (lmr_row_value(i) == row->standard)
            continue;
        lmr_value_format(row, lmr_row_value(i), now);
        lmr_value_format(row, row->standard, standard);
        fprintf(out, "%s=%s (default %s)", row->name, now, standard);
        if (!lmr_row_acts(i))
            fprintf(out, ", without effect: needs %s", row->needs);
        fprintf(out, "\n");
        differing++;
    }
    char preset[LMR_PRESET_TEXT_MAX];
    format_preset(range, preset);
    if (differing == 0)
        fprintf(out, "all %d rows at their defaults, %s", count, preset);
    else
        fprintf(out, "%d of %d rows differ%s, %s", differing, count, differing == 1 ? "s" : "",
                preset);
    uint32_t hash = lmr_hash(); /* Of both tables. */
    if (hash != 0)
        fprintf(out, ", configuration %08" PRIx32, hash);
    fprintf(out, "%s\n", LMR_TUNE ? ", tunable" : "");
}

static const char *kind_name(LmrKind kind) {
    switch (kind) {
    case LMR_KIND_BOOLEAN:
        return "boolean";
    case LMR_KIND_INTEGER:
        return "integer";
    case LMR_KIND_CHOICE:
        return "choice";
    case LMR_KIND_WEIGHT:
        break;
    }
    return "weight";
}

/* "key":["word",...], of words parted by blanks. */
static void print_json_words(FILE *out, const char *key, const char *words) {
    fprintf(out, "\"%s\":[\"", key);
    for (const char *c = words; *c != '\0'; c++) {
        if (*c == ' ')
            fputs("\",\"", out);
        else
            fputc(*c, out);
    }
    fputs("\"],", out);
}

/* The generator lets neither quote nor backslash into the table, so its texts are JSON as they are.
 */
static void list_json(FILE *out, LmrRange range) {
    for (int i = range.first; i < range.end; i++) {
        const LmrRow *row = lmr_row(i);
        char now[LMR_VALUE_TEXT_MAX], standard[LMR_VALUE_TEXT_MAX];
        bool number = row->kind != LMR_KIND_CHOICE;
        const char *quote = number ? "" : "\"";
        lmr_value_format(row, lmr_row_value(i), now);
        lmr_value_format(row, row->standard, standard);
        fprintf(out, "%c{\"name\":\"%s\",\"kind\":\"%s\",\"value\":%s%s%s,\"default\":%s%s%s,",
                i == range.first ? '[' : ',', row->name, kind_name(row->kind), quote, now, quote,
                quote, standard, quote);
        if (number)
            fprintf(out, "\"min\":%d,\"max\":%d,", row->low, row->high);
        else
            print_json_words(out, "choices", row->allowed);
        print_json_words(out, "texts", row->texts);
        fprintf(out, "\"needs\":\"%s\",\"acts\":%s,\"meaning\":\"%s\"}\n",
                strcmp(row->needs, "-") == 0 ? "" : row->needs, lmr_row_acts(i) ? "true" : "false",
                row->meaning);
    }
    fprintf(out, "]\n");
}

void lmr_report_list(FILE *out, LmrTable table, bool json) {
    LmrRange range = lmr_table_range(table);
    if (json) {
        list_json(out, range);
        return;
    }
    for (int i = range.first; i < range.end; i++) {
        const LmrRow *row = lmr_row(i);
        char now[LMR_VALUE_TEXT_MAX], standard[LMR_VALUE_TEXT_MAX];
        lmr_value_format(row, lmr_row_value(i), now);
        lmr_value_format(row, row->standard, standard);
        bool changed = lmr_row_value(i) != row->standard;
        fprintf(out, "%-*s %-10s default %s, %s (%s)%s%s\n", table == LMR_TABLE_FLAGS ? 17 : 21,
                row->name, now, standard, row->allowed, row->texts, changed ? ", changed" : "",
                lmr_row_acts(i) ? "" : ", without effect now");
        fprintf(out, "    %s\n", row->meaning);
        if (strcmp(row->needs, "-") != 0)
            fprintf(out, "    needs %s\n", row->needs);
    }
}

/* SPSA perturbs by a twentieth of the range in the end, with the usual final rate. */
enum { SPSA_RANGE_PART = 20 };
#define SPSA_R_END 0.002

/* Appends to the line why the row cannot be tuned; false when it can. */
static bool is_untunable(int index, FILE *out) {
    const LmrRow *row = lmr_row(index);
    const char *fixed = row->kind == LMR_KIND_BOOLEAN  ? "it is a switch"
                        : row->kind == LMR_KIND_CHOICE ? "it is a choice of words"
                                                       : NULL;
    if (fixed == NULL && lmr_row_acts(index))
        return false;
    fprintf(out, "# %s cannot be tuned: ", row->name);
    if (fixed != NULL)
        fprintf(out, "%s\n", fixed);
    else
        fprintf(out, "it is without effect now, and needs %s\n", row->needs);
    return true;
}

void lmr_report_spsa_row(FILE *out, int index) {
    const LmrRow *row = lmr_row(index);
    if (is_untunable(index, out))
        return;
    double c_end = (double)(row->high - row->low) / (double)SPSA_RANGE_PART;
    fprintf(out, "%s, int, %d, %d, %d, %.2f, %.4f\n", row->name, lmr_row_value(index), row->low,
            row->high, c_end < 0.5 ? 0.5 : c_end, SPSA_R_END);
}

void lmr_report_spsa(FILE *out, LmrTable table) {
    LmrRange range = lmr_table_range(table);
    for (int i = range.first; i < range.end; i++)
        lmr_report_spsa_row(out, i);
}

static double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

/* One line: what is claimed, what was measured, and of what. */
__attribute__((format(printf, 4, 5))) static void
claim_line(FILE *out, const char *what, const char *claim, const char *format, ...) {
    char measured[96];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(measured, sizeof measured, format, arguments);
    va_end(arguments);
    fprintf(out, "%-32s %-14s %s\n", what, claim, measured);
}

static void print_best_index(FILE *out, const LmrStats *stats) {
    enum { SHOWN = 4 };
    uint64_t rest = stats->best_nodes;
    fprintf(out, "best move stood at number");
    for (int i = 1; i <= SHOWN; i++) {
        fprintf(out, " %d: %.1f %%,", i, percent(stats->best_at[i], stats->best_nodes));
        rest -= stats->best_at[i];
    }
    fprintf(out, " later: %.1f %%\n", percent(rest, stats->best_nodes));
}

static double average_reduction(const LmrMoveCounts *counts) {
    return counts->reduced == 0 ? 0.0 : (double)counts->reduction_sum / (double)counts->reduced;
}

/* The lines about moves, for nodes of all kinds. */
static void print_moves(FILE *out, const LmrMoveCounts *c) {
    claim_line(out, "moves reduced", "40-60 %", "%.1f %% of %llu moves in the loop",
               percent(c->reduced, c->moves), (unsigned long long)c->moves);
    claim_line(out, "  of the reducible", "", "%.1f %% of %llu moves",
               percent(c->reduced, c->deep_moves), (unsigned long long)c->deep_moves);
    claim_line(out, "average reduction", "1.5-2.5 plies",
               "%.2f plies over %llu reduced moves, most %llu", average_reduction(c),
               (unsigned long long)c->reduced, (unsigned long long)c->reduction_max);
    claim_line(out, "searched again", "10-20 %", "%.1f %% of the reduced moves",
               percent(c->researched, c->reduced));
    claim_line(out, "  and held", "", "%.1f %% of %llu searched again",
               percent(c->research_held, c->researched), (unsigned long long)c->researched);
    claim_line(out, "above alpha, not searched again", "",
               "%.1f %% of the reduced moves (SHALLOWER_MARGIN, RESEARCH)",
               percent(c->accepted, c->reduced));
}

/* One cell of the table by kind of node. */
__attribute__((format(printf, 2, 3))) static void print_cell(FILE *out, const char *format, ...) {
    char cell[32];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, sizeof cell, format, arguments);
    va_end(arguments);
    fprintf(out, "%13s", cell);
}

/* A line of shares in that table: of `part` in `whole`, two counters of LmrMoveCounts. */
static void print_shares(FILE *out, const char *what, const LmrMoveCounts *counts, size_t part,
                         size_t whole) {
    fprintf(out, "%-32s", what);
    for (int kind = 0; kind < LMR_NODE_KIND_COUNT; kind++) {
        const char *at = (const char *)&counts[kind];
        print_cell(out, "%.1f %%",
                   percent(*(const uint64_t *)(const void *)(at + part),
                           *(const uint64_t *)(const void *)(at + whole)));
    }
    fprintf(out, "\n");
}

static void print_kinds(FILE *out, const LmrMoveCounts counts[LMR_NODE_KIND_COUNT]) {
#define COUNTER(name) offsetof(LmrMoveCounts, name)
    fprintf(out, "\n%-32s%13s%13s%13s\n%-32s", "by kind of node", "PV", "cut", "all",
            "moves in the loop");
    for (int kind = 0; kind < LMR_NODE_KIND_COUNT; kind++)
        print_cell(out, "%llu", (unsigned long long)counts[kind].moves);
    fprintf(out, "\n");
    print_shares(out, "moves reduced", counts, COUNTER(reduced), COUNTER(moves));
    print_shares(out, "  of the reducible", counts, COUNTER(reduced), COUNTER(deep_moves));
    fprintf(out, "%-32s", "average reduction");
    for (int kind = 0; kind < LMR_NODE_KIND_COUNT; kind++)
        print_cell(out, "%.2f plies", average_reduction(&counts[kind]));
    fprintf(out, "\n");
    print_shares(out, "searched again", counts, COUNTER(researched), COUNTER(reduced));
    print_shares(out, "  and held", counts, COUNTER(research_held), COUNTER(researched));
    print_shares(out, "above alpha, not searched again", counts, COUNTER(accepted),
                 COUNTER(reduced));
#undef COUNTER
}

static LmrMoveCounts all_moves(const LmrStats *stats) {
    LmrMoveCounts all = {.moves = 0};
    for (int kind = 0; kind < LMR_NODE_KIND_COUNT; kind++)
        lmr_counts_add(&all, &stats->moves[kind]);
    return all;
}

static void stats_table(FILE *out, const LmrMeasurement *m) {
    const LmrStats *s = &m->stats;
    LmrMoveCounts all = all_moves(s);
    fprintf(out, "depth %d, %d positions, moves at depth >= %d count as reducible\n", m->depth,
            m->positions, LMR_MIN_DEPTH);
    claim_line(out, "", "claim (T0)", "measured");
    print_moves(out, &all);
    claim_line(out, "fewer nodes", "40-60 %", "%.1f %%: %llu against %llu with ENABLE=0",
               m->nodes_off == 0
                   ? 0.0
                   : 100.0 * ((double)m->nodes_off - (double)m->nodes_on) / (double)m->nodes_off,
               (unsigned long long)m->nodes_on, (unsigned long long)m->nodes_off);
    claim_line(out, "faster (in nodes)", "5-10 times",
               "%.1f times fewer nodes (ordering, table, null move, PVS in both)",
               m->nodes_on == 0 ? 0.0 : (double)m->nodes_off / (double)m->nodes_on);
    claim_line(out, "deeper at the same cost", "1-2 plies", "%.2f plies with the nodes of ENABLE=0",
               m->deeper);
    claim_line(out, "best move in the first 10 %", "about 90 %",
               "%.1f %% of %llu reducible nodes that raised alpha",
               percent(s->best_first_tenth, s->best_nodes), (unsigned long long)s->best_nodes);
    claim_line(out, "best move in the first 20 %", "about 90 %", "%.1f %% of the same",
               percent(s->best_first_fifth, s->best_nodes));
    print_best_index(out, s);
    print_kinds(out, s->moves);
    fprintf(
        out,
        "\nstrength is not in this table (claim: no measurable loss): play ENABLE=0 against the "
        "default and count games\n");
}

static void stats_json(FILE *out, const LmrMeasurement *m) {
    const LmrStats *s = &m->stats;
    LmrMoveCounts all = all_moves(s);
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {
        {"depth", (uint64_t)m->depth},
        {"positions", (uint64_t)m->positions},
        {"moves", all.moves},
        {"deep_moves", all.deep_moves},
        {"reduced", all.reduced},
        {"reduction_sum", all.reduction_sum},
        {"researched", all.researched},
        {"held", all.research_held},
        {"accepted", all.accepted},
        {"best_nodes", s->best_nodes},
        {"best_first_tenth", s->best_first_tenth},
        {"best_first_fifth", s->best_first_fifth},
        {"nodes_on", m->nodes_on},
        {"nodes_off", m->nodes_off},
    };
    fprintf(out, "{\"preset\":\"%s\"", lmr_preset_name(lmr_preset()));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fprintf(out, ",\"%s\":%" PRIu64, counts[i].key, counts[i].count);
    fprintf(out, ",\"deeper\":%.2f}\n", m->deeper);
}

void lmr_report_stats(FILE *out, const LmrMeasurement *measurement, bool json) {
    if (json)
        stats_json(out, measurement);
    else
        stats_table(out, measurement);
}
