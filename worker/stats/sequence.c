/* SPDX-License-Identifier: MIT */
#include "stats/sequence.h"

#include <stdlib.h>

#include "base/memory.h"

void sequence_init(Sequence *sequence, const SprtRule *rule) {
    *sequence = (Sequence){0};
    if (!rule)
        return;
    sequence->judged = true;
    sequence->rule = *rule;
    sequence->limits = sprt_limits(rule);
}

void sequence_free(Sequence *sequence) {
    free(sequence->early);
    *sequence = (Sequence){0};
}

static void count(Sequence *sequence, const Tally *more) {
    tally_add(&sequence->total, more);
    if (!sequence->judged)
        return;
    sequence->llr = sprt_llr(&sequence->rule, &sequence->total);
    sequence->verdict = sprt_verdict(sequence->llr, sequence->limits);
}

Verdict sequence_begin_with(Sequence *sequence, const Tally *earlier) {
    if (tally_games(earlier) > 0)
        count(sequence, earlier);
    return sequence->verdict;
}

static void judge(Sequence *sequence, const Tally *pair) {
    count(sequence, pair);
    sequence->next++;
}

/* The place of pair `index` in `early`; early_count when the pair is not there. */
static size_t find_early(const Sequence *sequence, int64_t index) {
    size_t at = 0;
    while (at < sequence->early_count && sequence->early[at].index != index)
        at++;
    return at;
}

static void judge_early(Sequence *sequence, size_t at) {
    Tally pair = sequence->early[at].tally;
    sequence->early[at] = sequence->early[--sequence->early_count];
    judge(sequence, &pair);
}

Verdict sequence_add(Sequence *sequence, int64_t index, const Tally *pair) {
    size_t at = find_early(sequence, index);
    if (sequence->verdict != VERDICT_NONE || index < sequence->next || at < sequence->early_count)
        return sequence->verdict;
    if (index > sequence->next) {
        MEM_ADD(sequence->early, sequence->early_count, sequence->early_capacity,
                (EarlyPair){index, *pair});
        return sequence->verdict;
    }
    judge(sequence, pair);
    while (sequence->verdict == VERDICT_NONE &&
           (at = find_early(sequence, sequence->next)) < sequence->early_count)
        judge_early(sequence, at);
    return sequence->verdict;
}

void sequence_close(Sequence *sequence) {
    while (!sequence->judged && sequence->early_count) {
        size_t first = 0;
        for (size_t i = 1; i < sequence->early_count; i++)
            if (sequence->early[i].index < sequence->early[first].index)
                first = i;
        sequence->next = sequence->early[first].index;
        judge_early(sequence, first);
    }
}
