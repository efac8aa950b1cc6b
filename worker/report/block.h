/* SPDX-License-Identifier: MIT */
/* The report of a test: the text block for people, and the JSON object for programs. */
#ifndef REPORT_BLOCK_H
#define REPORT_BLOCK_H

#include <stdbool.h>

#include "base/text.h"
#include "results/tuned.h"
#include "stats/sprt.h"

/* The table of a tuning's parameters: the name and the numbers. */
enum { REPORT_PARAMETER_COLUMNS = TUNED_NUMBERS + 1, REPORT_PARAMETER_CELL = 32 };

/* Writes a parameter's number for people: six digits, or all those before the point, and an
 * exponent where it is too small or too large for that. */
void report_parameter_number(double value, char room[REPORT_PARAMETER_CELL]);

/* The purpose of a test's games. Only PURPOSE_TEST compares dev with base: the games of a tuning,
 * and of an engine that makes training data, have no Elo and no likelihood of superiority. */
typedef enum { PURPOSE_TEST, PURPOSE_TUNING, PURPOSE_DATA } Purpose;

typedef struct {
    Purpose purpose;
    bool sprt; /* The rule is valid; the block has "SPRT" and "LLR", else "Conf". */
    SprtRule rule;
    const char *setup; /* "8.0+0.08s Threads=1 Hash=32MB"; NULL: the block has no such line. */
    Tally tally;
    Tally earlier;        /* Games played elsewhere, which the LLR and the verdict count too. */
    bool games_known;     /* Wins, losses and draws are known; false: the pentanomial alone. */
    bool faults_unknown;  /* Crashes and time losses were not counted. */
    bool details_unknown; /* Illegal moves, plies and seconds were not counted. */
    double seconds;       /* The match's duration; JSON only. */
    bool waits_known;     /* JSON only: the next two are shares from 0 to 1, -1 when not known. */
    double cpu_waited;
    double cpu_stolen;
    const char *match;          /* JSON only: record_write_settings' object; NULL: not known. */
    TunedParameters parameters; /* A tuning's; owned by the Result that has the report. */
} Report;

/* The setup line's text from its parts: time control (as timecontrol_format writes it), Threads and
   Hash in MB. When the sides differ: "dev's / base's" for the part that does. */
void report_setup(Text *out, const char *dev_tc, const char *base_tc, const char *dev_threads,
                  const char *base_threads, const char *dev_hash, const char *base_hash);

/* Appends "[0.00, 5.00]", and behind it the model's name unless the model is normalized Elo. */
void report_hypotheses(const SprtRule *rule, Text *out);

/* Appends "accepts H1: 5.00 rather than 0.00 normalized Elo". The verdict is H0 or H1. */
void report_accepted(const SprtRule *rule, Verdict verdict, Text *out);

/* Sets *elo to the interval of the report's outcomes, as OpenBench computes it. Returns false, with
 * *elo all zero, while no interval exists (outcomes_no_interval), and where the games compare
 * nothing. */
bool report_elo(const Report *report, EloInterval *elo);

/* The LLR, 0 without a rule, and its verdict. Both count the earlier games too. */
double report_llr(const Report *report);
Verdict report_verdict(const Report *report);

/* sprt_estimate of the report's games. False also without a rule, and when earlier games count:
 * the report's games alone were not what stopped the SPRT. */
bool report_estimate(const Report *report, EloInterval *elo);

/* The block, a line end after each line:
       Elo   | 8.84 +- 5.14 (95%)
       SPRT  | 8.0+0.08s Threads=1 Hash=32MB
       LLR   | 2.91 (-2.25, 2.89) [0.00, 5.00]
       Games | N: 4954 W: 1171 L: 1045 D: 2738
       Penta | [16, 557, 1220, 653, 31]
   Where earlier games count for the LLR, ", with 6600 earlier games" ends its line.
   Without an interval the first line is "Elo   | no interval yet (fewer than two pairs)", or
   "(all pairs are equal)". The first line is missing where the games compare nothing, the last
   without pairs. */
void report_block(const Report *report, Text *out);

/* The text of a cell in a table of parameters: the parameter's name in the first column, its
 * numbers in the others; parameter NULL: the column's heading. Numbers are written into `room`,
 * rounded for people. */
const char *report_parameter_cell(const TunedParameter *parameter, int column,
                                  char room[REPORT_PARAMETER_CELL]);

/* Appends a tuning's parameters as a table: a line of headings, then a line for each parameter.
 * Appends nothing when there are no parameters. */
void report_parameters(const Report *report, Text *out);

/* Appends the count and the name of one of the FAULT_KINDS, "2 crashes", behind `before`. Returns
 * false, with nothing appended, when the count is 0. */
enum { FAULT_KINDS = 3 };
bool report_fault(const Tally *tally, int kind, const char *before, Text *out);

/* Appends the kinds of fault whose count is not 0: "1 crash, 2 time losses, 3 illegal moves". */
void report_faults(const Tally *tally, Text *out);

/* One object on one line: games, wins, losses, draws, penta, elo, elo_lower, elo_upper, llr,
   llr_lower, llr_upper, verdict, elo_corrected (after an SPRT: lower, value, upper;
   stats/estimate.h), normalized_elo, los, draw_ratio, pair_ratio (stats/stats.h), crashes,
   timelosses, illegals, plies, dev_depth, dev_nps, base_depth, base_nps (mean depth in plies and
   nodes a second of each side), seconds, cpu_waited (share of the time engines wanted to run in
   which they waited for a CPU), cpu_stolen (share of the machine's time that its host took), and
   for a tuning parameters: a list of objects with name, value, start, min, max, c, c_end, r, r_end.
   A match of this machine has "match", an object: its settings as its journal's head has them, and
   the list "asked" for `obworker match --again`. Unknown members are null; elo, its ends,
   elo_corrected, normalized_elo and los are null while no interval exists, and where the games
   compare nothing. llr and verdict count earlier games too, the others do not. */
void report_json(const Report *report, Text *out);

/* Adds the members of report_json's object to `object`. */
struct cJSON;
void report_add_to_json(const Report *report, struct cJSON *object);

#endif
