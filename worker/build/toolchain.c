/* SPDX-License-Identifier: MIT */
#include "build/toolchain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "build/run.h"

enum { PROBE_TIMEOUT_MS = 20000, MACROS_KEEP = 256 * 1024, VERSION_NUMBERS = 3 };

/* ---- Names and versions ---- */

bool toolchain_parse_wish(const char *text, CompilerWish *out, Error *err) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789+-._";
    *out = (CompilerWish){0};
    const char *relation = strstr(text, ">=");
    size_t length = relation ? (size_t)(relation - text) : strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (length == 0 || length >= sizeof out->name || strspn(text, allowed) < length ||
        text[0] == '-' || text[0] == '.')
        return error_set(err, "compiler \"%.60s\": not the name of a program", text);
    memcpy(out->name, text, length);
    if (!relation)
        return true;
    const char *minimum = relation + 2;
    minimum += strspn(minimum, " ");
    if (!isdigit((unsigned char)*minimum) || strspn(minimum, "0123456789.") != strlen(minimum) ||
        strlen(minimum) >= sizeof out->minimum)
        return error_set(err, "compiler \"%.60s\": no version after >=", text);
    memcpy(out->minimum, minimum, strlen(minimum));
    return true;
}

/* The length of N.N or N.N.N at `text`, 0 when there is none. */
static size_t version_length(const char *text) {
    size_t length = 0;
    for (int i = 0; i < VERSION_NUMBERS; i++) {
        size_t at = length + (i > 0);
        if (i > 0 && text[length] != '.')
            return i > 1 ? length : 0;
        size_t digits = strspn(text + at, "0123456789");
        if (digits == 0)
            return i > 1 ? length : 0;
        length = at + digits;
    }
    return length;
}

bool toolchain_parse_version(const char *output, char out[TOOLCHAIN_VERSION_MAX]) {
    for (const char *c = output; *c; c++) {
        size_t length = isdigit((unsigned char)*c) ? version_length(c) : 0;
        if (length > 0 && length < TOOLCHAIN_VERSION_MAX) {
            memcpy(out, c, length);
            out[length] = '\0';
            return true;
        }
        if (isdigit((unsigned char)*c))
            c += strspn(c, "0123456789") - 1;
    }
    out[0] = '\0';
    return false;
}

bool toolchain_at_least(const char *a, const char *b) {
    while (*a || *b) {
        char *after_a = NULL;
        char *after_b = NULL;
        unsigned long x = strtoul(a, &after_a, 10);
        unsigned long y = strtoul(b, &after_b, 10);
        if (x != y)
            return x > y;
        a = *after_a == '.' ? after_a + 1 : "";
        b = *after_b == '.' ? after_b + 1 : "";
    }
    return true;
}

/* ---- Instruction set ---- */

/* A row holds when all macros in `all` are defined and no macro in `none`. */
typedef struct {
    const char *name;
    const char *all;
    const char *none;
} IsaRow;

static const IsaRow isa_rows[] = {
    {"x86-64-avx512icl",
     "__AVX512F__ __AVX512CD__ __AVX512VL__ __AVX512DQ__ __AVX512BW__ __AVX512IFMA__ "
     "__AVX512VBMI__ __AVX512VBMI2__ __AVX512VPOPCNTDQ__ __AVX512BITALG__ __AVX512VNNI__ "
     "__VPCLMULQDQ__ __GFNI__ __VAES__",
     ""},
    {"x86-64-vnni512", "__AVX512VNNI__ __AVX512DQ__ __AVX512F__ __AVX512BW__ __AVX512VL__", ""},
    {"x86-64-avx512", "__AVX512F__ __AVX512BW__", ""},
    {"x86-64-avxvnni", "__AVXVNNI__", ""},
    {"x86-64-bmi2", "__BMI2__",
     "__znver1__ __znver2__ __bdver1__ __bdver2__ __bdver3__ __bdver4__"},
    {"x86-64-avx2", "__AVX2__", ""},
    {"x86-64-sse41-popcnt", "__SSE4_1__ __POPCNT__", ""},
    {"x86-64-ssse3", "__SSSE3__", ""},
    {"x86-64-sse3-popcnt", "__SSE3__ __POPCNT__", ""},
    {"x86-64", "__x86_64__", ""},
    {"armv8-dotprod", "__ARM_FEATURE_DOTPROD", ""},
    {"armv8", "__aarch64__", ""},
    {"armv7-neon", "__arm__ __ARM_NEON", ""},
    {"armv7", "__arm__", ""},
    {"general-32", "__i386__", ""},
};

/* Does `macros` have a line "#define NAME ..."? */
static bool is_defined(const char *macros, const char *name, size_t length) {
    static const char define[] = "#define ";
    for (const char *at = strstr(macros, define); at; at = strstr(at, define)) {
        at += sizeof define - 1;
        if (strncmp(at, name, length) == 0 &&
            (at[length] == ' ' || at[length] == '\n' || at[length] == '\r' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* The number of words defined as macros. */
static size_t count_defined(const char *macros, const char *words, size_t *total) {
    size_t found = 0;
    *total = 0;
    for (const char *word = words; *word;) {
        size_t length = strcspn(word, " ");
        found += is_defined(macros, word, length);
        ++*total;
        word += length;
        word += strspn(word, " ");
    }
    return found;
}

const char *toolchain_isa_name(const char *macros) {
    for (size_t i = 0; i < COUNT(isa_rows); i++) {
        size_t wanted;
        size_t unwanted;
        size_t found = count_defined(macros, isa_rows[i].all, &wanted);
        if (found == wanted && count_defined(macros, isa_rows[i].none, &unwanted) == 0)
            return isa_rows[i].name;
    }
    return "Unknown";
}

/* ---- Probing ---- */

static const char *const version_words[] = {"--version", "version", "-v", "-version"};
static const char *const cxx_names[] = {"g++", "clang++", "c++"};

struct ToolchainProbe {
    uv_loop_t *loop;
    Toolchain *toolchain;
    const Sandbox *sandbox;
    Words names;
    size_t next;    /* index of the next name */
    size_t attempt; /* index of the next version word or C++ compiler */
    Run *run;
    Error fault;      /* Why a tool that is here cannot be started; "": no such fault. */
    uv_timer_t later; /* starts each step from the loop, so that `done` never comes from within
                         toolchain_probe */
    ToolchainDone done;
    void *user;
};

void toolchain_free(Toolchain *toolchain) {
    free(toolchain->tools);
    *toolchain = (Toolchain){0};
}

const char *toolchain_version(const Toolchain *toolchain, const char *name) {
    for (size_t i = 0; i < toolchain->count; i++)
        if (strcmp(toolchain->tools[i].name, name) == 0)
            return toolchain->tools[i].version;
    return NULL;
}

const Tool *toolchain_choose(const Toolchain *toolchain, const Words *wishes) {
    for (size_t i = 0; i < wishes->count; i++) {
        CompilerWish wish;
        if (!toolchain_parse_wish(wishes->items[i], &wish, NULL))
            continue;
        for (size_t k = 0; k < toolchain->count; k++) {
            const Tool *tool = &toolchain->tools[k];
            if (strcmp(tool->name, wish.name) == 0 && tool->version[0] &&
                toolchain_at_least(tool->version, wish.minimum))
                return tool;
        }
    }
    return NULL;
}

void toolchain_wished_names(const Words *wishes, Words *names) {
    for (size_t i = 0; i < wishes->count; i++) {
        CompilerWish wish;
        if (toolchain_parse_wish(wishes->items[i], &wish, NULL))
            words_add(names, wish.name);
    }
}

static void note_tool(Toolchain *toolchain, const char *name, const char *version) {
    toolchain->tools = mem_grow(toolchain->tools, &toolchain->capacity, toolchain->count + 1,
                                sizeof *toolchain->tools);
    Tool *tool = &toolchain->tools[toolchain->count++];
    snprintf(tool->name, sizeof tool->name, "%s", name);
    snprintf(tool->version, sizeof tool->version, "%s", version);
}

static void free_probe(uv_handle_t *handle) {
    ToolchainProbe *probe = handle->data;
    words_free(&probe->names);
    free(probe);
}

void toolchain_probe_cancel(ToolchainProbe *probe) {
    if (!probe)
        return;
    run_cancel(probe->run);
    probe->run = NULL;
    uv_close((uv_handle_t *)&probe->later, free_probe);
}

static void step(ToolchainProbe *probe);

static void on_step(uv_timer_t *timer) {
    step(timer->data);
}

/* Starts the next step from the loop, not from within the present call. */
static void step_later(ToolchainProbe *probe) {
    uv_timer_start(&probe->later, on_step, 0, 0);
}

static void on_version(const RunResult *result, void *user) {
    ToolchainProbe *probe = user;
    const char *name = probe->names.items[probe->next];
    char version[TOOLCHAIN_VERSION_MAX];
    probe->run = NULL;
    if (result->ok && toolchain_parse_version(result->output, version)) {
        note_tool(probe->toolchain, name, version);
        probe->next++;
        probe->attempt = 0;
    } else {
        probe->attempt++;
    }
    step_later(probe);
}

static void on_macros(const RunResult *result, void *user) {
    ToolchainProbe *probe = user;
    probe->run = NULL;
    if (result->ok) {
        probe->toolchain->isa_name = toolchain_isa_name(result->output);
        snprintf(probe->toolchain->cxx_compiler, sizeof probe->toolchain->cxx_compiler, "%s",
                 cxx_names[probe->attempt]);
    }
    probe->attempt++;
    step_later(probe);
}

/* Starts a tool that a server named, in a sandbox with no folder to write to. False: there is no
 * such tool, or probe->fault is set. */
static bool ask_tool(ToolchainProbe *probe, const char *const *argv, size_t keep, RunDone done) {
    char path[PROGRAM_PATH_MAX];
    SandboxPolicy policy;
    if (!program_find(argv[0], path, NULL))
        return false;
    sandbox_build(probe->sandbox, NULL, NULL, false, &policy);
    RunSpec spec = {
        .argv = argv, .dir = "/", .policy = &policy, .timeout_ms = PROBE_TIMEOUT_MS, .keep = keep};
    probe->run = run_start(probe->loop, &spec, done, probe, &probe->fault);
    sandbox_policy_free(&policy);
    return probe->run != NULL;
}

static bool has_failed(const ToolchainProbe *probe) {
    return probe->fault.text[0] != '\0';
}

/* Asks the next tool for its version; false when all tools have answered, and after a fault. */
static bool ask_version(ToolchainProbe *probe) {
    while (probe->next < probe->names.count) {
        const char *name = probe->names.items[probe->next];
        if (probe->attempt < COUNT(version_words)) {
            const char *const argv[] = {name, version_words[probe->attempt], NULL};
            if (ask_tool(probe, argv, 0, on_version))
                return true;
        }
        if (has_failed(probe))
            return false;
        /* There is no such tool, or it prints no version. */
        note_tool(probe->toolchain, name, "");
        probe->next++;
        probe->attempt = 0;
    }
    return false;
}

static bool ask_macros(ToolchainProbe *probe) {
    for (; !probe->toolchain->isa_name && probe->attempt < COUNT(cxx_names); probe->attempt++) {
        const char *const argv[] = {cxx_names[probe->attempt],
                                    "-march=native",
                                    "-dM",
                                    "-E",
                                    "-x",
                                    "c++",
                                    "/dev/null",
                                    NULL};
        if (ask_tool(probe, argv, MACROS_KEEP, on_macros))
            return true;
        if (has_failed(probe))
            return false;
    }
    if (!probe->toolchain->isa_name)
        probe->toolchain->isa_name = "Unknown";
    return false;
}

static void step(ToolchainProbe *probe) {
    if (ask_version(probe) || (!has_failed(probe) && ask_macros(probe)))
        return;
    ToolchainDone done = probe->done;
    void *user = probe->user;
    Error fault = probe->fault;
    toolchain_probe_cancel(probe);
    done(fault.text[0] ? &fault : NULL, user);
}

/* Forgets what an earlier probe did not find: a compiler may have been installed since, or was too
 * slow on a busy machine. */
static void forget_missing(Toolchain *toolchain) {
    size_t kept = 0;
    for (size_t i = 0; i < toolchain->count; i++)
        if (toolchain->tools[i].version[0])
            toolchain->tools[kept++] = toolchain->tools[i];
    toolchain->count = kept;
    if (toolchain->isa_name && strcmp(toolchain->isa_name, "Unknown") == 0)
        toolchain->isa_name = NULL;
}

ToolchainProbe *toolchain_probe(uv_loop_t *loop, Toolchain *toolchain, const Sandbox *sandbox,
                                const char *const *names, size_t count, ToolchainDone done,
                                void *user) {
    ToolchainProbe *probe = mem_calloc(1, sizeof *probe);
    probe->loop = loop;
    probe->toolchain = toolchain;
    probe->sandbox = sandbox;
    probe->done = done;
    probe->user = user;
    forget_missing(toolchain);
    for (size_t i = 0; i < count; i++)
        if (!words_has(&probe->names, names[i]) && !toolchain_version(toolchain, names[i]))
            words_add(&probe->names, names[i]);
    probe->later.data = probe;
    uv_timer_init(loop, &probe->later);
    step_later(probe);
    return probe;
}
