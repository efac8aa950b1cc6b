/* SPDX-License-Identifier: MIT */
/* Compilers: the installed ones, their versions, and the CPU's instruction set by their report. */
#ifndef WORKER_BUILD_TOOLCHAIN_H
#define WORKER_BUILD_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/error.h"
#include "base/sandbox.h"
#include "base/text.h"

enum { TOOLCHAIN_NAME_MAX = 128, TOOLCHAIN_VERSION_MAX = 48 };

/* An entry of an engine's list of compilers: "gcc" or "clang++>=14.0.0". */
typedef struct {
    char name[TOOLCHAIN_NAME_MAX];
    char minimum[TOOLCHAIN_VERSION_MAX]; /* "" when there is none */
} CompilerWish;

/* Reads an entry; refuses a text other than a program's bare name. Pure. */
bool toolchain_parse_wish(const char *text, CompilerWish *out, Error *err);

/* Finds the first N.N or N.N.N in a compiler's output about itself; false when there is none.
 * Pure. */
bool toolchain_parse_version(const char *output, char out[TOOLCHAIN_VERSION_MAX]);

/* Is version `a` the version `b` or a later one? Compares number by number; a missing number is 0.
 * Pure. */
bool toolchain_at_least(const char *a, const char *b);

/* The name of the instruction set in the protocol's list, from the macros that a C++ compiler
 * defines under -march=native (the output of -dM -E); "Unknown" when no name fits. Pure. */
const char *toolchain_isa_name(const char *macros);

/* A probed tool. */
typedef struct {
    char name[TOOLCHAIN_NAME_MAX];
    char version[TOOLCHAIN_VERSION_MAX]; /* "": the tool is missing, or prints no version */
} Tool;

/* The known tools; each is probed once. All zero: none yet. */
typedef struct {
    Tool *tools;
    size_t count;
    size_t capacity;
    const char *isa_name;                  /* of this CPU; static text; NULL: not probed yet */
    char cxx_compiler[TOOLCHAIN_NAME_MAX]; /* the source of isa_name; "": no C++ compiler */
} Toolchain;

void toolchain_free(Toolchain *toolchain);

/* The version of a probed tool, "" when the tool is missing; NULL: the tool was not probed yet. */
const char *toolchain_version(const Toolchain *toolchain, const char *name);

/* The first tool of an engine's list ("gcc", "clang>=9.0") that is installed and new enough, or
 * NULL. */
const Tool *toolchain_choose(const Toolchain *toolchain, const Words *wishes);

/* Appends the names in an engine's list to *names, for toolchain_probe; skips entries that are no
 * names. */
void toolchain_wished_names(const Words *wishes, Words *names);

typedef struct ToolchainProbe ToolchainProbe;
/* `fault`: a tool is here, but this machine cannot start it now, which says nothing about the tool.
 * The tools that were not probed before stay unknown. NULL: all tools were probed. */
typedef void (*ToolchainDone)(const Error *fault, void *user);

/* Asks the tools of `names` for their versions (`NAME --version`, then version, -v, -version), but
 * not those whose version is known, and a C++ compiler for its macros. Writes the answers to
 * *toolchain, which must outlive the probe. A server chooses the names, so the tools run in the
 * sandbox as builds do, without a tree to write to; sandbox NULL: they are not confined. The
 * sandbox must outlive the probe. `done` is called once, from the loop, after the probe was freed.
 */
ToolchainProbe *toolchain_probe(uv_loop_t *loop, Toolchain *toolchain, const Sandbox *sandbox,
                                const char *const *names, size_t count, ToolchainDone done,
                                void *user);

/* Ends the probe and frees it without calling `done`. NULL is allowed. */
void toolchain_probe_cancel(ToolchainProbe *probe);

#endif
