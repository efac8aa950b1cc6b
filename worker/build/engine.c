/* SPDX-License-Identifier: MIT */
#include "build/engine.h"

#include <stdlib.h>

#include "base/memory.h"

static char *copy_string(const char *text) {
    return text != NULL ? mem_strdup(text) : NULL;
}

void prepared_engine_copy(const PreparedEngine *from, PreparedEngine *to) {
    *to = *from;
    to->title = copy_string(from->title);
    to->binary = copy_string(from->binary);
    to->network = copy_string(from->network);
    to->record = copy_string(from->record);
}

void prepared_engine_free(PreparedEngine *engine) {
    free(engine->title);
    free(engine->binary);
    free(engine->network);
    free(engine->record);
    *engine = (PreparedEngine){0};
}
