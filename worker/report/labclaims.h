/* SPDX-License-Identifier: MIT */
/* What texts claim of the lab's comparisons, from a file of claims, and whether a measurement bears
 * a claim out. docs/lab/claims.def says how the file is written. */
#ifndef REPORT_LABCLAIMS_H
#define REPORT_LABCLAIMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "report/block.h"

typedef enum {
    CLAIM_NONE,
    CLAIM_STRONGER,
    CLAIM_WEAKER,
    CLAIM_EQUAL,
    CLAIM_RANGE /* of Elo, from low to high, both above 0 */
} ClaimKind;

/* A row of a table: a comparison, or a difference, which is one comparison's Elo less another's and
 * is computed from their results. */
typedef struct {
    char *suite, *name;           /* The comparison's. */
    char *less_suite, *less_name; /* A difference's other comparison; NULL: no difference. */
    char *claim;                  /* In words; "": none. */
    char *elo;                    /* As the file has it: "30..50", "8.84 +- 5.14", "". */
    ClaimKind kind;
    double low, high; /* Of a range; else 0. */
} LabClaim;

/* A table of the lab: the claims from `first` on. */
typedef struct {
    char *title;
    char *about;   /* "": nothing. */
    bool question; /* The rows answer a question, and may stand in other tables too. */
    size_t first, count;
} LabTable;

/* All zero is empty. */
typedef struct {
    LabTable *tables;
    size_t table_count, table_capacity;
    LabClaim *claims;
    size_t claim_count, claim_capacity;
} LabClaims;

/* Reads a file of claims into *claims, which is all zero. The error names file and line. Call
 * labclaims_free in either case. */
bool labclaims_read(const char *path, LabClaims *claims, Error *err);
void labclaims_free(LabClaims *claims);

/* Is the claim of this comparison, and not of a difference? */
bool labclaims_is_of(const LabClaim *claim, const char *suite, const char *name);

/* Are both claims of the same comparison, or of the same difference? */
bool labclaims_same(const LabClaim *claim, const LabClaim *other);

/* Is a claim of the indices from..index-1 of the same as the claim `index`? */
bool labclaims_is_repeated(const LabClaims *claims, size_t from, size_t index);

/* A difference of less logistic Elo is called none. */
#define FINDING_SMALL 5.0

/* Are games left to play? An SPRT ends by its verdict, or by the limit. limit: as in
 * labclaims_finding. */
bool labclaims_unfinished(const Report *report, int64_t limit);

/* The 95 % interval of the comparison's Elo, for a decided SPRT that of sprt_estimate. Pairs that
 * all have the same score have no spread to take an interval from: of n such pairs, at most 3/n are
 * different in truth (95 %), each as far as a pair can be. An interval that reaches an end of the
 * scale (elo_reaches_end) is open there: that end is infinite. False: too few pairs. */
bool labclaims_interval(const Report *report, EloInterval *elo);

/* The 95 % interval of one Elo less another, of two matches that are taken as independent. Each end
 * is the root of two squares away from the value: for the lower end of elo's lower half and other's
 * upper half, for the upper end of the two other halves. Intervals of extreme scores are far from
 * symmetric (G. Zou, A. Donner, "Construction of confidence limits about effect measures"). */
EloInterval labclaims_less(const EloInterval *elo, const EloInterval *other);

/* Appends the finding in words, each before the case that it stands for. Where the claim is a gain
 * and an SPRT was played whose elo0 is 0 or more, nothing is found before its verdict or its last
 * game. The verdict alone finds a gain; after the last game without one, the interval can still
 * rule the gain out. All else is judged by the interval of labclaims_interval.
 *
 *   "true here": the whole interval has the claimed sign; for an SPRT, H1 is accepted, and the
 * interval may hold 0.
 *
 *   "right sign, but smaller" (or larger): the same, but the interval lies beside the claimed
 * range.
 *
 *   "the opposite": the whole interval has the other sign.
 *
 *   "not seen": the interval holds 0 and is below the claimed Elo (FINDING_SMALL where only a sign
 *   is claimed).
 *
 *   "no gain seen, and the claim not excluded": an SPRT accepted H0, and the interval reaches the
 *   claimed Elo.
 *
 *   "no decision after N games": an SPRT without a verdict has played all the games that it may.
 *
 *   "undecided: N games so far", "undecided after N games": all else, with games left to play and
 * without.
 *
 *   ", and less than claimed", behind the two above: the interval of an SPRT lies below the
 *   claimed range.
 *
 * Without a claim: "stronger", "weaker", "no difference seen", or undecided. All these end
 * with "so far" while the match is unfinished. Returns the CSS class of the words: "good", "bad" or
 * "open". claim: NULL is no claim. limit: the most games that the match may have; 0: not known. */
const char *labclaims_finding(const LabClaim *claim, const Report *report, int64_t limit,
                              Text *out);

/* The same for a difference, whose interval alone decides. Without a claimed Elo: "gains more" and
 * "gains less", in the place of "stronger" and "weaker". games: of both matches; unfinished: one of
 * them has games left to play. */
const char *labclaims_finding_less(const LabClaim *claim, const EloInterval *elo, int64_t games,
                                   bool unfinished, Text *out);

#endif
