/* SPDX-License-Identifier: MIT */
#include "results/tuned.h"

#include <stdlib.h>

#include "base/memory.h"

void tuned_add(TunedParameters *parameters, const TunedParameter *parameter) {
    MEM_ADD(parameters->items, parameters->count, parameters->capacity, *parameter);
    parameters->items[parameters->count - 1].name = mem_strdup(parameter->name);
}

void tuned_free(TunedParameters *parameters) {
    for (size_t i = 0; i < parameters->count; i++)
        free(parameters->items[i].name);
    free(parameters->items);
    *parameters = (TunedParameters){0};
}
