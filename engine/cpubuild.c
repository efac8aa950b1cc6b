/* SPDX-License-Identifier: MIT */
#include "cpubuild.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chess/attacks.h"

#ifndef CPUBUILD_FOLDER
#define CPUBUILD_FOLDER ""
#endif

#if defined(__x86_64__)
#include <cpuid.h>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) &&                      \
    defined(__AVX512DQ__) && defined(__AVX512VL__)
enum { OWN_LEVEL = 4 };
#elif defined(__AVX2__) && defined(__BMI__) && defined(__BMI2__) && defined(__F16C__) &&           \
    defined(__FMA__) && defined(__LZCNT__) && defined(__MOVBE__)
enum { OWN_LEVEL = 3 };
#elif defined(__SSE4_2__) && defined(__POPCNT__)
enum { OWN_LEVEL = 2 };
#else
enum { OWN_LEVEL = 1 };
#endif

/* The registers of the instruction CPUID that name features, and what the operating system keeps of
 * a thread (XCR0), as the instruction XGETBV tells it. */
typedef struct {
    uint32_t basic;    /* leaf 1, ECX */
    uint32_t extended; /* leaf 7, EBX */
    uint32_t amd;      /* leaf 0x80000001, ECX */
    uint32_t kept;     /* XCR0 */
} Features;

enum { KEPT_YMM = 0x06, KEPT_ZMM = 0xe6 };

/* Each level's features beside those of the level below it (psABI of x86-64, table 3.1). */
static const struct {
    const char *name;
    Features features;
} levels[] = {
    [1] = {"x86-64", {0}},
    [2] = {"x86-64-v2",
           {.basic = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT,
            .amd = bit_LAHF_LM}},
    [3] = {"x86-64-v3",
           {.basic = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C,
            .extended = bit_BMI | bit_AVX2 | bit_BMI2,
            .amd = bit_ABM,
            .kept = KEPT_YMM}},
    [4] = {"x86-64-v4",
           {.extended = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL,
            .kept = KEPT_ZMM}},
};
enum { LEVEL_MAX = sizeof levels / sizeof levels[0] - 1 };

static Features features_read(void) {
    Features have = {0};
    uint32_t a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d))
        have.basic = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        have.extended = b;
    if (__get_cpuid(UINT32_C(0x80000001), &a, &b, &c, &d))
        have.amd = c;
    if (have.basic & bit_OSXSAVE)
        __asm__("xgetbv" : "=a"(have.kept), "=d"(d) : "c"(0));
    return have;
}

static bool has_all(const Features *have, const Features *wanted) {
    return (wanted->basic & ~have->basic) == 0 && (wanted->extended & ~have->extended) == 0 &&
           (wanted->amd & ~have->amd) == 0 && (wanted->kept & ~have->kept) == 0;
}

/* The highest level of which this CPU has all. */
static int cpu_level(void) {
    Features have = features_read();
    int level = 1;
    while (level < LEVEL_MAX && has_all(&have, &levels[level + 1].features))
        level++;
    return level;
}

const char *cpubuild_name(void) {
    return levels[OWN_LEVEL].name;
}

void cpubuild_enter(char *const argv[]) {
    enum { PATH_BYTES = 4096 };
    static const char MARK[] = "REDUCTIO_CPUBUILD";
    char path[PATH_BYTES];
    /* The mark keeps a build that stands under a wrong name from starting itself again and again.
     */
    if (CPUBUILD_FOLDER[0] == '\0' || getenv(MARK) != NULL || setenv(MARK, "entered", 1) != 0)
        return;
    for (int level = cpu_level(); level > OWN_LEVEL; level--) {
        int length =
            snprintf(path, sizeof path, "%s/reductio-%s", CPUBUILD_FOLDER, levels[level].name);
        if (length < PATH_BYTES)
            execv(path, argv);
    }
    unsetenv(MARK);
}

#else

const char *cpubuild_name(void) {
#if defined(__aarch64__)
    return "aarch64";
#else
    return "generic";
#endif
}

void cpubuild_enter(char *const argv[]) {
    (void)argv;
}

#endif

const char *cpubuild_sliders(void) {
    return CHESS_USE_PEXT ? "PEXT" : "magic multiplication";
}
