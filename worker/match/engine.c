/* SPDX-License-Identifier: MIT */
#include "match/engine.h"

#include <string.h>

#include "base/text.h"

enum {
    HASH_MAX_MB = 1 << 25,
    HASH_USUAL_MB = 16,
    THREADS_MAX = 4096,
    /* Memory besides the hash table: a network, and the tables and stack of each thread. */
    OWN_MB = 32,
    THREAD_MB = 8,
    MB_SHIFT = 20
};

bool engine_note_program(MatchEngine *engine, Error *err) {
    engine->program.mark = file_mark(engine->argv[0]);
    return digest_file(engine->argv[0], engine->program.sha256, err);
}

bool engine_is_noted_program(const MatchEngine *engine) {
    const EngineProgram *noted = &engine->program;
    char now[DIGEST_HEX_MAX];
    return noted->sha256[0] == '\0' || file_mark_is(&noted->mark, engine->argv[0]) ||
           !digest_file(engine->argv[0], now, NULL) || strcmp(now, noted->sha256) == 0;
}

/* The number that an option sets, or `usual`. The last option of this name counts. */
static int64_t number_of(const MatchEngine *engine, const char *name, int64_t most, int64_t usual) {
    int64_t number = usual;
    for (int i = 0; i < engine->option_count; i++) {
        const MatchOption *option = &engine->options[i];
        if (option->value != NULL && text_equal_nocase(option->name, name) &&
            !text_to_int(option->value, 1, most, name, &number, NULL))
            number = usual;
    }
    return number;
}

int64_t engine_hash_mb(const MatchEngine *engine) {
    return number_of(engine, "Hash", HASH_MAX_MB, HASH_USUAL_MB);
}

uint64_t engine_memory(const MatchEngine *engine) {
    return (uint64_t)(engine_hash_mb(engine) + OWN_MB + (int64_t)THREAD_MB * engine_threads(engine))
           << MB_SHIFT;
}

int engine_threads(const MatchEngine *engine) {
    return (int)number_of(engine, "Threads", THREADS_MAX, 1);
}

void engine_confine(MatchEngine *engine, const Sandbox *sandbox, SandboxPolicy *policy) {
    sandbox_engine(sandbox, engine->argv, engine->dir, engine_hash_mb(engine),
                   engine_threads(engine), policy);
    for (int i = 0; i < engine->option_count && !engine->foreign_options; i++)
        sandbox_engine_option(sandbox, engine->options[i].value, engine->dir, policy);
    if (!engine->foreign_options)
        sandbox_engine_file(sandbox, engine->dir, policy);
    engine->policy = policy;
}
