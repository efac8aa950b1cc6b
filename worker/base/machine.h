/* SPDX-License-Identifier: MIT */
/* The facts about this machine for a server. */
#ifndef WORKER_BASE_MACHINE_H
#define WORKER_BASE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum { MACHINE_MAC_MAX = 16 };

/* Strings and lists are owned. */
typedef struct {
    Words cpu_flags; /* Upper case without '_' and '.', as servers name them: SSE42, AVX512VNNI. */
    char *cpu_name;
    char *os_name; /* "Linux" */
    char *os_ver;
    char *host;
    int64_t logical_cores;
    int64_t physical_cores;
    int64_t usable_cores; /* Logical cores whose time this process may use. */
    int64_t ram_total_mb;
} Machine;

/* Reads this machine. What the system does not tell: no cpu_flags, its architecture as cpu_name, as
 * many physical cores as logical ones. Free *out with machine_free. */
void machine_read(Machine *out);
void machine_free(Machine *machine);

/* Reads flags, name and physical cores from the text of cpuinfo_read into *out, which must be all
 * zero. physical_cores 0: the text does not tell. Pure. */
void machine_parse_cpuinfo(const char *text, Machine *out);

/* Writes a random 48-bit number in upper-case hexadecimal digits. A file in the folder `state_dir`
 * keeps the number, so that every run has the same one. */
bool machine_mac(const char *state_dir, char out[MACHINE_MAC_MAX], Error *err);

#endif
