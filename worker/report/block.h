/* SPDX-License-Identifier: MIT */
/* The report of a test: the text block that people paste, and the JSON object that programs read.
 */
#ifndef REPORT_BLOCK_H
#define REPORT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "results/tuned.h"
#include "stats/sprt.h"

/* The table of a tuning's parameters: the name and the numbers. */
enum { REPORT_PARAMETER_COLUMNS = TUNED_NUMBERS + 1, REPORT_PARAMETER_CELL = 32 };

typedef struct {
    bool sprt; /* there is a rule: "SPRT" and an LLR line; else "Conf" and none */
    SprtRule rule;
    const char *setup; /* "8.0+0.08s Threads=1 Hash=32MB", or NULL: no such line */
    Tally tally;
    bool games_known;     /* wins, losses and draws are (false: only the pentanomial is) */
    bool faults_unknown;  /* nobody counted crashes and time losses */
    bool details_unknown; /* nor illegal moves, plies and seconds */
    double seconds;       /* of the match, JSON only */
    bool waits_known;     /* JSON only: shares from 0 to 1, -1 when not known */
    double cpu_waited;
    double cpu_stolen;
    const char *match;          /* JSON only: record_write_settings' object; NULL: not known */
    TunedParameters parameters; /* Of a tuning; the Result that has the report owns them. */
} Report;

/* The setup line's text from its parts: time control (as timecontrol_format writes it), Threads and
   Hash in MB. When the sides differ: "dev's / base's" for the part that does. */
void report_setup(Text *out, const char *dev_tc, const char *base_tc, const char *dev_threads,
                  const char *base_threads, const char *dev_hash, const char *base_hash);

/* "[0.00, 5.00]", and the model's name behind where it is not the servers', normalized Elo. */
void report_hypotheses(const SprtRule *rule, Text *out);

/* The Elo of the report's outcomes, as OpenBench makes it. False, and *elo all zero, when there is
   no interval yet (outcomes_no_interval). */
bool report_elo(const Report *report, EloInterval *elo);

/* The LLR, 0 without a rule, and its verdict. */
double report_llr(const Report *report);
Verdict report_verdict(const Report *report);

/* The block, a line end after each line:
       Elo   | 8.84 +- 5.14 (95%)
       SPRT  | 8.0+0.08s Threads=1 Hash=32MB
       LLR   | 2.91 (-2.25, 2.89) [0.00, 5.00]
       Games | N: 4954 W: 1171 L: 1045 D: 2738
       Penta | [16, 557, 1220, 653, 31]
   Without an interval the first line is "Elo   | no interval yet (fewer than two pairs)", or
   "(all pairs are equal)". Without pairs the last line is not there. */
void report_block(const Report *report, Text *out);

/* What stands in a column of a table of parameters, the name's first: its heading when there is no
   parameter. A number, for people, is written into `room`. */
const char *report_parameter_cell(const TunedParameter *parameter, int column,
                                  char room[REPORT_PARAMETER_CELL]);

/* A tuning's parameters as a table, a line each under their names; nothing without any. */
void report_parameters(const Report *report, Text *out);

/* "1 crash, 2 time losses, 3 illegal moves", without what there is none of; nothing when there are
   none at all. */
void report_faults(const Tally *tally, Text *out);

/* One object on one line: games, wins, losses, draws, penta, elo, elo_lower, elo_upper, llr,
   llr_lower, llr_upper, verdict, elo_corrected (after an SPRT: lower, value, upper;
   stats/estimate.h), normalized_elo, los, draw_ratio, pair_ratio (stats/stats.h), crashes,
   timelosses, illegals, plies, dev_depth, dev_nps, base_depth, base_nps (mean depth in plies and
   nodes a second of each side), seconds, cpu_waited (share of the time engines wanted to run in
   which they waited for a CPU), cpu_stolen (share of the machine's time that its host took), and of
   a tuning parameters: a list of objects with name, value, start, min, max, c, c_end, r, r_end.
   A match of this machine has "match", an object: its settings as its journal's head has them, and
   the list "asked" for `obworker match --again`. What is not known is null; elo, its ends,
   elo_corrected, normalized_elo and los are null while there is no interval yet. */
void report_json(const Report *report, Text *out);

/* The same members added to an object. */
struct cJSON;
void report_add_to_json(const Report *report, struct cJSON *object);

#endif
