/* SPDX-License-Identifier: MIT */
/* Judges pairs in the order of the book, whatever order they finish in: the verdict of a test at
   fixed nodes is the same at any concurrency. No pair after the deciding pair counts. */
#ifndef STATS_SEQUENCE_H
#define STATS_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/sprt.h"

/* A pair that waits for a pair before it in the book. */
typedef struct {
    int64_t index;
    Tally tally;
} EarlyPair;

typedef struct {
    bool judged; /* a rule is set */
    SprtRule rule;
    LlrLimits limits;
    Tally total; /* the sum of earlier pairs and of pairs 0 ... next - 1 */
    double llr;  /* the LLR of `total`; 0 without a rule */
    Verdict verdict;
    int64_t next; /* the number of the pair to judge next; after a verdict, the deciding pair + 1 */
    EarlyPair *early;
    size_t early_count;
    size_t early_capacity;
} Sequence;

/* rule NULL: pairs are only added up, in the order of the book. */
void sequence_init(Sequence *sequence, const SprtRule *rule);
void sequence_free(Sequence *sequence);

/* Begins with the score of earlier pairs, which count for the verdict but have no index here. Call
   it before any pair is added. Returns the verdict so far. */
Verdict sequence_begin_with(Sequence *sequence, const Tally *earlier);

/* Takes pair `index` (from 0) and judges as far as the pairs reach without a gap. A pair that was
   given before, or comes after the verdict, changes nothing. Returns the verdict so far. */
Verdict sequence_add(Sequence *sequence, int64_t index, const Tally *pair);

/* The match was stopped: adds up the waiting pairs in the order of the book, although pairs before
   them are missing. With a rule the pairs wait on: a missing pair could change the verdict. */
void sequence_close(Sequence *sequence);

#endif
