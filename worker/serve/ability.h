/* SPDX-License-Identifier: MIT */
/* What a registered machine can play. Pure. Source: the protocol's sections "Session" and "What the
 * server does", and the recorded registrations. */
#ifndef SERVE_ABILITY_H
#define SERVE_ABILITY_H

#include <stdbool.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

/* Texts and lists are owned. */
typedef struct {
    int64_t client_version;
    char *machine_name, *os_name, *cpu_name, *isa_name;
    char *program;          /* What the worker calls itself. */
    int64_t concurrency;    /* Threads for games. */
    int64_t sockets;        /* Copies of the match runner. */
    int64_t physical_cores; /* 0: unknown. */
    int64_t syzygy_max;     /* All tables of so many men and fewer are there; 0: none. */
    bool noisy;             /* Plays nothing that uses or measures time. */
    Words cpu_flags;
    Words focus;    /* The engines that the machine prefers. */
    Words compiled; /* The engines that the machine has a compiler for. */
    Words tokens;   /* The private engines that the machine has a token for. */
} Ability;

/* What a machine must have to play an engine. */
typedef struct {
    const char *name;
    bool is_private;
    const Words *cpuflags;
    const Words *systems;
} EngineNeeds;

/* Reads the JSON text of a registration, system_info. An error names the field. The caller frees
 * *out in either case. */
bool ability_read(const char *info, Ability *out, Error *err);
void ability_free(Ability *ability);

/* Does the machine have the engine's CPU flags, its system, and a compiler for the engine or, when
 * the engine is private, a token? */
bool ability_supports(const Ability *ability, const EngineNeeds *needs);

#endif
