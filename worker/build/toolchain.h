/* SPDX-License-Identifier: MIT */
/* Compilers: which are here, of which version, and what this CPU can do by their own account. */
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

/* Reads an entry; refuses what is no program's bare name. Pure. */
bool toolchain_parse_wish(const char *text, CompilerWish *out, Error *err);

/* The first N.N or N.N.N of what a compiler printed about itself; false when there is none. Pure.
 */
bool toolchain_parse_version(const char *output, char out[TOOLCHAIN_VERSION_MAX]);

/* Whether version `a` is `b` or later, number by number; a missing number is 0. Pure. */
bool toolchain_at_least(const char *a, const char *b);

/* The instruction set by the macros that a C++ compiler defines under -march=native: the text of
 * its -dM -E output. "Unknown" when they say nothing known. Pure. Source: the protocol's list. */
const char *toolchain_isa_name(const char *macros);

/* What was found out about one tool. */
typedef struct {
    char name[TOOLCHAIN_NAME_MAX];
    char version[TOOLCHAIN_VERSION_MAX]; /* "": it is not here, or prints no version */
} Tool;

/* What is known about tools; each is asked once. All zero is nothing yet. */
typedef struct {
    Tool *tools;
    size_t count;
    size_t capacity;
    const char *isa_name; /* static text; NULL: not asked yet */
    char
        cxx_compiler[TOOLCHAIN_NAME_MAX]; /* the C++ compiler that told it; "" when there is none */
} Toolchain;

void toolchain_free(Toolchain *toolchain);

/* The version of a tool that was asked, "" when it is not here; NULL: it was not asked yet. */
const char *toolchain_version(const Toolchain *toolchain, const char *name);

/* The first tool of an engine's list ("gcc", "clang>=9.0") that is here and new enough, or NULL. */
const Tool *toolchain_choose(const Toolchain *toolchain, const Words *wishes);

/* Adds the names of such a list to *names, to be asked for; what is no name is left out. */
void toolchain_wished_names(const Words *wishes, Words *names);

typedef struct ToolchainProbe ToolchainProbe;
typedef void (*ToolchainDone)(void *user);

/* Asks every tool of `names` that is not known yet (`NAME --version`, then version, -v, -version)
 * and a C++ compiler for its macros, and writes the answers to *toolchain, which must outlive the
 * probe. A server chooses the names, so the tools run in the sandbox as builds do, without a tree
 * to write to; sandbox NULL: they are not confined. The sandbox must outlive the probe. `done`
 * comes from the loop, once; the probe is gone after it. */
ToolchainProbe *toolchain_probe(uv_loop_t *loop, Toolchain *toolchain, const Sandbox *sandbox,
                                const char *const *names, size_t count, ToolchainDone done,
                                void *user);

/* Ends it: no `done`. NULL is allowed. */
void toolchain_probe_cancel(ToolchainProbe *probe);

#endif
