/* SPDX-License-Identifier: MIT */
#include "results/tuned.h"

#include <stdlib.h>

#include "base/memory.h"
#include "stats/stats.h"

void tuned_add(TunedParameters *parameters, const TunedParameter *parameter) {
    MEM_ADD(parameters->items, parameters->count, parameters->capacity, *parameter);
    parameters->items[parameters->count - 1].name = mem_strdup(parameter->name);
}

void tuned_add_spsa(TunedParameters *parameters, const SpsaSchedule *schedule,
                    const SpsaParameter *parameter, double value, int64_t games) {
    int64_t last = GAMES_PER_PAIR * schedule->pairs_per * (schedule->iterations - 1);
    SpsaStep step = spsa_step(schedule, parameter, games < last ? games : last);
    tuned_add(parameters,
              &(TunedParameter){parameter->name,
                                {value, parameter->start, parameter->min, parameter->max, step.c,
                                 parameter->c_end, step.r, parameter->r_end}});
}

void tuned_free(TunedParameters *parameters) {
    for (size_t i = 0; i < parameters->count; i++)
        free(parameters->items[i].name);
    free(parameters->items);
    *parameters = (TunedParameters){0};
}
