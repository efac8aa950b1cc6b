/* SPDX-License-Identifier: MIT */
#include "base/cpuinfo.h"

#include <uv.h>

/* Adds the abilities that engines ask for, under the names that Linux gives them. Only the compiler
 * tells them on every system. */
static void add_flags(Text *out) {
#if defined(__x86_64__) || defined(__i386__)
#define ADD_IF(theirs, ours) text_add(out, __builtin_cpu_supports(theirs) ? " " ours : "")
    text_add(out, "flags :");
    ADD_IF("popcnt", "popcnt");
    ADD_IF("ssse3", "ssse3");
    ADD_IF("sse4.1", "sse4_1");
    ADD_IF("sse4.2", "sse4_2");
    ADD_IF("avx", "avx");
    ADD_IF("avx2", "avx2");
    ADD_IF("fma", "fma");
    ADD_IF("bmi", "bmi1");
    ADD_IF("bmi2", "bmi2");
    ADD_IF("avx512f", "avx512f");
    ADD_IF("avx512bw", "avx512bw");
    ADD_IF("avx512dq", "avx512dq");
    ADD_IF("avx512vl", "avx512vl");
    ADD_IF("avx512vnni", "avx512_vnni");
#undef ADD_IF
#elif defined(__aarch64__)
    text_add(out, "Features : fp asimd");
#ifdef __ARM_FEATURE_DOTPROD
    text_add(out, " asimddp");
#endif
#endif
    text_add(out, "\n");
}

bool cpuinfo_read(Text *out) {
    uv_cpu_info_t *cpus;
    int count;
    if (uv_cpu_info(&cpus, &count) != 0)
        return false;
    for (int i = 0; i < count; i++)
        text_addf(out, "processor : %d\nmodel name : %s\ncpu MHz : %d\n\n", i, cpus[i].model,
                  cpus[i].speed);
    add_flags(out);
    uv_free_cpu_info(cpus, count);
    return true;
}
