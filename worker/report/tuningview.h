/* SPDX-License-Identifier: MIT */
/* Views of a tuning by SPSA (stats/tuning.h) for people and programs: its state, the parameters'
 * drift beside the drift expected of chance, and the values in the form that engines and commands
 * take. Pure: numbers in, text out. */
#ifndef REPORT_TUNINGVIEW_H
#define REPORT_TUNINGVIEW_H

#include "base/text.h"
#include "report/progress.h"
#include "report/result.h"
#include "stats/tuning.h"

/* Appends "iteration 12 of 100, 192 games: DIV 152.3, W_PV -510.2; ~5 min left", without a line
 * end. seconds: the games' duration. */
void tuningview_line(const Tuning *tuning, double seconds, Text *out);

/* Appends a view for a terminal: a line for the tuning, and a line for each parameter with its
 * place between its bounds and its change in units of c. */
void tuningview_live(const Tuning *tuning, double seconds, const ProgressStyle *style, Text *out);

/* Appends one sentence: the parameters' drift beside chance's. */
void tuningview_sentence(const Tuning *tuning, Text *out);

/* Appends the value as an engine takes it, exactly; an integer is rounded to the nearest. */
void tuningview_value(const Tuning *tuning, size_t parameter, Text *out);

/* Appends the SPEC of our own engine with these values, "lmr:DIV=152,W_PV=-510"; nothing for other
 * engines. A row of `spec`, the tuned engine's SPEC, keeps its value unless the row was tuned. */
void tuningview_spec(const Tuning *tuning, const char *spec, Text *out);

/* Appends a line "setoption name DIV value 152" for each parameter. */
void tuningview_setoptions(const Tuning *tuning, Text *out);

/* Appends the text report: the schedule, the block, a table of the parameters, the sentence, the
 * values in the form that engines take, the difference of the engine's tables. */
void tuningview_text(const Result *result, Text *out);

/* Adds to a JSON object: iterations, iterations_done, pairs_per, alpha, gamma, a_ratio, overlap,
 * spec (null for engines that are not our own), setoptions, diff (of our own engine's tables, where
 * it is known), drift (for each parameter name, moved, chance and moved_in_c), chance_probability,
 * and path: for each iteration a list of values. */
struct cJSON;
void tuningview_add_to_json(const Result *result, struct cJSON *object);

/* Appends the page's sections: the paths between their bounds, and the drift beside chance's. */
void tuningview_sections(const Result *result, Text *out);

#endif
