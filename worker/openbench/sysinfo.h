/* SPDX-License-Identifier: MIT */
/* The `system_info` document, in which a machine describes itself at registration. Pure. */
#ifndef WORKER_OPENBENCH_SYSINFO_H
#define WORKER_OPENBENCH_SYSINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

/* A compiler that builds one engine here. */
typedef struct {
    const char *engine;
    const char *compiler;
    const char *version;
} SysinfoCompiler;

/* The caller owns every string. */
typedef struct {
    const SysinfoCompiler *compilers;
    size_t compiler_count;
    const Words *tokens;    /* private engines with a token here; the tokens are not sent */
    const Words *cpu_flags; /* Upper case without '_' and '.'. */
    const char *cpu_name;
    const char *isa_name;
    const char *os_name;
    const char *os_ver;
    const char *worker_version; /* Shown where the stock client shows its Python and runner. */
    const char *mac_address;    /* A stable random number in place of the machine's address. */
    int64_t logical_cores;
    int64_t physical_cores;
    int64_t ram_total_mb;
    const char *machine_name;
    int64_t concurrency;
    int64_t sockets;
    int64_t syzygy_max;
    bool noisy;
    const Words *focus;
    const char *cxx_compiler;
    int64_t client_version;
} Sysinfo;

/* Formats the JSON text of `system_info`. Allocated. */
char *sysinfo_format(const Sysinfo *info);

#endif
