/* SPDX-License-Identifier: MIT */
/* Facts about this machine that a server is told. */
#ifndef WORKER_BASE_MACHINE_H
#define WORKER_BASE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum { MACHINE_MAC_MAX = 16 };

/* All strings are allocated. */
typedef struct {
    Words cpu_flags; /* Upper case without '_' and '.', as servers name them: SSE42, AVX512VNNI. */
    char *cpu_name;
    char *os_name; /* "Linux" */
    char *os_ver;
    char *host;
    int64_t logical_cores;
    int64_t physical_cores;
    int64_t usable_cores; /* Logical ones that this process may run on. */
    int64_t ram_total_mb;
} Machine;

void machine_read(Machine *out);
void machine_free(Machine *machine);

/* The part of it that /proc/cpuinfo's text tells: flags, name, physical cores (0: it does not
 * say). Pure; *out is all zero before. */
void machine_parse_cpuinfo(const char *text, Machine *out);

/* A random 48-bit number in upper-case hexadecimal digits that stays the same for a state folder:
 * it is kept there in a file. */
bool machine_mac(const char *state_dir, char out[MACHINE_MAC_MAX], Error *err);

#endif
