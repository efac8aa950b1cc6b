/* SPDX-License-Identifier: MIT */
#include "session/counts.h"

/* Whether `now` is at least `before` plus `sum` in every cell. */
static bool has_grown(const Penta *now, const Penta *before, const Penta *sum) {
    for (int i = 0; i < PENTA_CELLS; i++)
        if (now->n[i] < before->n[i] + sum->n[i])
            return false;
    return true;
}

BatchVerdict counts_judge(const BatchMark *mark, const Counts *now) {
    const Counts *before = &mark->before;
    const Penta *share = before->has_share ? &before->share : &before->row;
    Penta wanted = *share;
    if (has_grown(&now->row, &before->row, &mark->sum))
        return BATCH_ADDED;
    if (!has_grown(&now->share, share, &mark->sum))
        return BATCH_ABSENT;
    penta_add(&wanted, &mark->sum);
    return before->has_share && penta_equal(&now->share, &wanted) ? BATCH_ADDED : BATCH_UNCLEAR;
}

void counts_add(Counts *counts, const Penta *sum) {
    penta_add(&counts->row, sum);
    penta_add(&counts->share, sum);
}
