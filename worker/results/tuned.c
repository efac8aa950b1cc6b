/* SPDX-License-Identifier: MIT */
#include "results/tuned.h"

#include <stdlib.h>

#include "base/memory.h"

void tuned_add(TunedParameters *parameters, const TunedParameter *parameter) {
    parameters->items = mem_grow(parameters->items, &parameters->capacity, parameters->count + 1,
                                 sizeof *parameters->items);
    parameters->items[parameters->count] = *parameter;
    parameters->items[parameters->count++].name = mem_strdup(parameter->name);
}

void tuned_free(TunedParameters *parameters) {
    for (size_t i = 0; i < parameters->count; i++)
        free(parameters->items[i].name);
    free(parameters->items);
    *parameters = (TunedParameters){0};
}
