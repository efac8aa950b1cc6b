/* SPDX-License-Identifier: MIT */
/* What a machine says of itself at registration: the `system_info` document. Pure. */
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

/* Every string is the caller's. */
typedef struct {
    const SysinfoCompiler *compilers;
    size_t compiler_count;
    const Words *tokens;    /* private engines that there is a token for; the tokens stay here */
    const Words *cpu_flags; /* Upper case without '_' and '.'. */
    const char *cpu_name;
    const char *isa_name;
    const char *os_name;
    const char *os_ver;
    const char *worker_version; /* Shown where the stock client shows its Python and runner. */
    const char *mac_address;    /* A stable random number, not the machine's. */
    int64_t logical_cores;
    int64_t physical_cores;
    int64_t ram_total_mb;
    int64_t machine_id; /* 0: not registered before. */
    const char *machine_name;
    int64_t concurrency;
    int64_t sockets;
    int64_t syzygy_max;
    bool noisy;
    const Words *focus;
    const char *cxx_compiler;
    int64_t client_version;
} Sysinfo;

/* The JSON text of `system_info`. Allocated. */
char *sysinfo_format(const Sysinfo *info);

#endif
