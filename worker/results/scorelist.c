/* SPDX-License-Identifier: MIT */
#include "results/scorelist.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

enum { WINS, LOSSES, DRAWS, PENTA, COUNTS = PENTA + PENTA_CELLS };

void scorelist_write(const Tally *score, IntList *list) {
    if (tally_games(score) == 0)
        return;
    int64_t *counts = mem_calloc(COUNTS, sizeof *counts);
    counts[WINS] = score->wins;
    counts[LOSSES] = score->losses;
    counts[DRAWS] = score->draws;
    memcpy(counts + PENTA, score->penta.n, sizeof score->penta.n);
    *list = (IntList){.items = counts, .count = COUNTS};
}

bool scorelist_check(const Tally *score, Error *err) {
    int64_t counts[COUNTS] = {score->wins, score->losses, score->draws};
    memcpy(counts + PENTA, score->penta.n, sizeof score->penta.n);
    for (int i = 0; i < COUNTS; i++)
        if (counts[i] < 0 || counts[i] > INT32_MAX)
            return error_set(err, "%" PRId64 " is no count of games", counts[i]);
    if (2 * penta_pairs(&score->penta) != tally_games(score))
        return error_set(err, "games, penta, and wins, losses and draws do not agree");
    if (penta_half_points(&score->penta) != tally_half_points(score))
        return error_set(err, "penta has other points than wins and draws");
    return penta_allows_draws(&score->penta, score->draws) ||
           error_set(err, "such pairs cannot have %" PRId64 " draws", score->draws);
}

bool scorelist_read(const IntList *list, Tally *score, Error *err) {
    *score = (Tally){0};
    if (list->count == 0)
        return true;
    if (list->count != COUNTS)
        return error_set(err, "%zu counts, expected %d", list->count, COUNTS);
    score->wins = list->items[WINS];
    score->losses = list->items[LOSSES];
    score->draws = list->items[DRAWS];
    memcpy(score->penta.n, list->items + PENTA, sizeof score->penta.n);
    if (scorelist_check(score, err))
        return true;
    *score = (Tally){0};
    return false;
}
