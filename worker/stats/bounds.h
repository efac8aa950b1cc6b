/* SPDX-License-Identifier: MIT */
/* Parsers for counts, hypotheses and error rates as users and servers write them. */
#ifndef STATS_BOUNDS_H
#define STATS_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "stats/sprt.h"

/* The largest Elo of a hypothesis and the smallest error rate. The LLR is computed within these
   limits only. */
#define SPRT_ELO_MAX 200.0
#define SPRT_ERROR_MIN 1e-6

/* Whether each of some counts of games or pairs is one that a test may have. Sums of 2^24 such
   counts do not overflow. The error begins with `where`. */
bool counts_are_sound(const int64_t *counts, size_t count, const char *where, Error *err);

/* "16,557,1220,653,31": five counts of 0 or more; also in the brackets that reports write. The
 * error names the option by `what`. */
bool penta_parse(const char *text, Penta *out, const char *what, Error *err);

/* "1045,2738,1171": losses, draws and wins of games, 0 or more; brackets as above. */
bool tri_parse(const char *text, Tally *out, const char *what, Error *err);

/* "0,5" or "[0.00, 5.00]" into elo0 < elo1; the other fields of *rule stay. */
bool sprt_parse_bounds(const char *text, SprtRule *rule, const char *what, Error *err);

/* "0.05,0.05" into alpha and beta, each above 0 and together below 1; the other fields of *rule
   stay. Brackets are refused: in forms they hold beta first. */
bool sprt_parse_confidence(const char *text, SprtRule *rule, const char *what, Error *err);

/* The fields of a server's form, "[elo0, elo1]" and "[beta, alpha]", within the limits of the two
   functions above; the other fields of *rule stay. The error names the field as servers do.
   Source: the protocol page, "Creating a test". */
bool sprt_parse_form(const char *bounds, const char *confidence, SprtRule *rule, Error *err);

/* "normalized", "logistic" or "bayes"; the other fields of *rule stay. */
bool sprt_parse_model(const char *text, SprtRule *rule, const char *what, Error *err);

/* Whether the rule's hypotheses and error rates are within the limits above, in order, and together
   possible. For rules that no parser of this header has checked. */
bool sprt_rule_is_sound(const SprtRule *rule);

#endif
