/* SPDX-License-Identifier: MIT */
#include "build/engine.h"

#include <stdlib.h>

#include "base/memory.h"

void prepared_engine_copy(const PreparedEngine *from, PreparedEngine *to) {
    *to = *from;
    to->title = mem_strdup(from->title);
    to->binary = mem_strdup(from->binary);
    to->network = mem_strdup(from->network);
    to->record = mem_strdup(from->record);
}

void prepared_engine_free(PreparedEngine *engine) {
    free(engine->title);
    free(engine->binary);
    free(engine->network);
    free(engine->record);
    *engine = (PreparedEngine){0};
}
