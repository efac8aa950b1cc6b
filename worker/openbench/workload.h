/* SPDX-License-Identifier: MIT */
/* The workloads and the engines of an OpenBench server: JSON into structs. Strict: a missing or
 * wrongly typed key, or a value that no workload can have, is refused by name. Pure. Source: the
 * recorded answers of clientGetWorkload and clientGetBuildInfo. */
#ifndef WORKER_OPENBENCH_WORKLOAD_H
#define WORKER_OPENBENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

typedef enum { WORKLOAD_SPRT, WORKLOAD_GAMES, WORKLOAD_SPSA, WORKLOAD_DATAGEN } WorkloadType;

/* The build recipe in the server's description of an engine. */
typedef struct {
    char *path; /* the Makefile's folder in the tree, relative */
    Words compilers;
    Words cpuflags;
    Words systems;
} BuildRecipe;

typedef struct {
    char *name;
    BuildRecipe recipe;
    bool is_private; /* the source needs a token */
} EngineInfo;

/* The engines of a server. */
typedef struct {
    EngineInfo *engines;
    size_t count;
} BuildInfo;

typedef struct {
    char *name;
    char *sha;    /* SHA-256 of the text, 64 hex digits; NULL for the book "NONE" */
    char *source; /* URL of a zip; NULL for the book "NONE" */
} WorkloadBook;

/* One side of a test. */
typedef struct {
    int64_t id;
    char *name;   /* branch */
    char *source; /* URL of a zip */
    char *sha;    /* commit, hex digits */
    int64_t bench;
    char *engine;
    char *options; /* for workload_read_options */
    char *network; /* hex digits or "" */
    char *time_control;
    BuildRecipe recipe;
    bool is_private;
} WorkloadSide;

/* A tuned parameter. Value k of each list belongs to runner k. */
typedef struct {
    char *name;
    int64_t index;
    RealList dev;
    RealList base;
    IntList flip;
    double c;
    double r;
} WorkloadParameter;

typedef struct {
    int64_t result_id;
    int64_t test_id;
    WorkloadType type;
    char *type_name;
    char *syzygy_wdl;
    char *syzygy_adj;
    char *win_adj;
    char *draw_adj;
    char *upload_pgns;
    char *genfens_args;
    bool play_reverses; /* for DATAGEN: each opening is played twice */
    char *scale_method;
    int64_t scale_nps;
    WorkloadBook book;
    WorkloadSide dev;
    WorkloadSide base;
    int64_t book_seed;
    int64_t book_index;    /* counts from 1 */
    IntList genfens_seeds; /* empty unless DATAGEN */
    int64_t runner_count;
    int64_t concurrency_per;
    int64_t rounds_per_runner;
    WorkloadParameter *spsa; /* NULL unless SPSA, ordered by index */
    size_t spsa_count;
    char *reporting_type; /* "", "BATCHED" or "BULK" */
} Workload;

/* The most rounds of a runner, and the most pairs of all runners, that workload_parse takes. */
enum { WORKLOAD_ROUNDS_MAX = 1 << 20, WORKLOAD_PAIRS_MAX = 1 << 24 };

/* Reads the answer {"workload": {...}}. `*out` need not be initialised. Call workload_free in
 * either case. The answer {} is no error: *none says that the server has no work. On an error,
 * out->test_id is the test's number if that could be read, else 0. */
bool workload_parse(const cJSON *answer, Workload *out, bool *none, Error *err);
void workload_free(Workload *workload);

/* The number of pairs of this workload: runner_count x (rounds_per_runner / 2). The pairs have
 * consecutive openings of the book, from book_index on, and are played with colours swapped, but
 * for DATAGEN without reverses (workload_positions). */
int64_t workload_openings(const Workload *workload);

/* The number of positions in the engine's own book for DATAGEN: one for each pair, or, without
 * reverses, one for each game. */
int64_t workload_positions(const Workload *workload);

/* Reads the options of a side: words of the form Name=Value, quoted where they hold blanks. Appends
 * a name and a value for each, which the caller frees in either case. */
bool workload_read_options(const char *options, Words *names, Words *values, Error *err);

/* The server's name of a side's binary: <engine>-<first 8 of the sha, upper case>[-<last 8 of the
 * network's name>]. Allocated. */
char *workload_binary_name(const WorkloadSide *side);

/* Reads the answer of clientGetBuildInfo. Call build_info_free in either case. */
bool build_info_parse(const cJSON *answer, BuildInfo *out, Error *err);
void build_info_free(BuildInfo *info);

/* Appends those of the names that no engine of the server has. */
void build_info_unknown(const BuildInfo *info, const Words *names, Words *unknown);

#endif
