/* SPDX-License-Identifier: MIT */
#include "openbench/workload.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/memory.h"

/* Upper limits of plausible numbers. Greater numbers are refused, because sums of them would
 * overflow. */
enum {
    MAX_RUNNERS = 4096,
    MAX_CONCURRENCY = 4096,
    MAX_SPSA_PARAMETERS = 100000,
    BINARY_SHA_DIGITS = 8,
    BINARY_NET_DIGITS = 8,
    MAX_POSITIONS = 1 << 22,
    BOOK_SHA_DIGITS = 64,
    MAX_SHA_DIGITS = 128
};

/* Upper limits of plausible lists. Longer ones are refused, because each entry is looked for among
 * all others, and the loop waits meanwhile. */
enum {
    MAX_LIST = 64,        /* Entries of a list in a recipe. */
    MAX_COMPILERS = 4096, /* Entries of all engines' lists of compilers. */
    MAX_OPTIONS = 4096    /* Bytes of a side's options. */
};

#define FIELD(type, member, kind)                                                                  \
    { #member, kind, JSON_REQUIRED, offsetof(type, member) }

static const JsonField recipe_fields[] = {
    FIELD(BuildRecipe, path, JSON_TEXT),
    FIELD(BuildRecipe, compilers, JSON_TEXT_LIST),
    FIELD(BuildRecipe, cpuflags, JSON_TEXT_LIST),
    FIELD(BuildRecipe, systems, JSON_TEXT_LIST),
};

static const JsonField engine_info_fields[] = {
    {"private", JSON_BOOL, JSON_REQUIRED, offsetof(EngineInfo, is_private)},
};

static const JsonField book_fields[] = {
    FIELD(WorkloadBook, name, JSON_TEXT),
    {"sha", JSON_TEXT, JSON_NULLABLE, offsetof(WorkloadBook, sha)},
    {"source", JSON_TEXT, JSON_NULLABLE, offsetof(WorkloadBook, source)},
};

static const JsonField side_fields[] = {
    FIELD(WorkloadSide, id, JSON_INT),
    FIELD(WorkloadSide, name, JSON_TEXT),
    FIELD(WorkloadSide, source, JSON_TEXT),
    FIELD(WorkloadSide, sha, JSON_TEXT),
    FIELD(WorkloadSide, bench, JSON_INT),
    FIELD(WorkloadSide, engine, JSON_TEXT),
    FIELD(WorkloadSide, options, JSON_TEXT),
    FIELD(WorkloadSide, network, JSON_TEXT),
    FIELD(WorkloadSide, time_control, JSON_TEXT),
    {"private", JSON_BOOL, JSON_REQUIRED, offsetof(WorkloadSide, is_private)},
};

static const JsonField spsa_fields[] = {
    FIELD(WorkloadParameter, index, JSON_INT),      FIELD(WorkloadParameter, dev, JSON_REAL_LIST),
    FIELD(WorkloadParameter, base, JSON_REAL_LIST), FIELD(WorkloadParameter, flip, JSON_INT_LIST),
    FIELD(WorkloadParameter, c, JSON_REAL),         FIELD(WorkloadParameter, r, JSON_REAL),
};

static const JsonField result_fields[] = {
    {"id", JSON_INT, JSON_REQUIRED, offsetof(Workload, result_id)},
};

static const JsonField test_fields[] = {
    {"id", JSON_INT, JSON_REQUIRED, offsetof(Workload, test_id)},
    {"type", JSON_TEXT, JSON_REQUIRED, offsetof(Workload, type_name)},
    FIELD(Workload, syzygy_wdl, JSON_TEXT),
    FIELD(Workload, syzygy_adj, JSON_TEXT),
    FIELD(Workload, win_adj, JSON_TEXT),
    FIELD(Workload, draw_adj, JSON_TEXT),
    FIELD(Workload, upload_pgns, JSON_TEXT),
    FIELD(Workload, genfens_args, JSON_TEXT),
    FIELD(Workload, play_reverses, JSON_BOOL),
    FIELD(Workload, scale_method, JSON_TEXT),
    FIELD(Workload, scale_nps, JSON_INT),
    FIELD(Workload, book_seed, JSON_INT),
    FIELD(Workload, book_index, JSON_INT),
    {"genfens_seeds", JSON_INT_LIST, JSON_OPTIONAL, offsetof(Workload, genfens_seeds)},
};

static const JsonField distribution_fields[] = {
    {"runner-count", JSON_INT, JSON_REQUIRED, offsetof(Workload, runner_count)},
    {"concurrency-per", JSON_INT, JSON_REQUIRED, offsetof(Workload, concurrency_per)},
    {"rounds-per-runner", JSON_INT, JSON_REQUIRED, offsetof(Workload, rounds_per_runner)},
};

static const JsonField workload_fields[] = {
    FIELD(Workload, reporting_type, JSON_TEXT),
};

static const char *const type_names[] = {
    [WORKLOAD_SPRT] = "SPRT",
    [WORKLOAD_GAMES] = "GAMES",
    [WORKLOAD_SPSA] = "SPSA",
    [WORKLOAD_DATAGEN] = "DATAGEN",
};

static bool check_range(int64_t value, int64_t min, int64_t max, const char *where, Error *err) {
    if (value < min || value > max)
        return error_set(err, "%s: %lld is not in %lld..%lld", where, (long long)value,
                         (long long)min, (long long)max);
    return true;
}

/* A line break in a name would let the server write its own lines into logs and headers. */
static bool check_name(const char *text, const char *where, Error *err) {
    if (text[0] == '\0')
        return error_set(err, "%s is empty", where);
    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c))
            return error_set(err, "%s: there is a control character in it", where);
    return true;
}

static bool check_list(const Words *list, const char *where, const char *name, Error *err) {
    if (list->count > MAX_LIST)
        return error_set(err, "%.80s.%s: %zu entries; at most %d are taken", where, name,
                         list->count, MAX_LIST);
    return true;
}

static bool parse_recipe(const cJSON *object, const char *where, BuildRecipe *out, Error *err) {
    return json_read(object, where, recipe_fields, COUNT(recipe_fields), out, err) &&
           check_list(&out->compilers, where, "compilers", err) &&
           check_list(&out->cpuflags, where, "cpuflags", err) &&
           check_list(&out->systems, where, "systems", err);
}

static bool parse_book(const cJSON *test, WorkloadBook *book, Error *err) {
    const char *where = "workload.test.book";
    const cJSON *object = json_object(test, "workload.test", "book", err);
    if (!object || !json_read(object, where, book_fields, COUNT(book_fields), book, err) ||
        !check_name(book->name, "workload.test.book.name", err))
        return false;
    if (strcasecmp(book->name, "NONE") == 0) {
        free(book->sha);
        free(book->source);
        book->sha = book->source = NULL;
        return true;
    }
    if (!book->sha || !book->source)
        return error_set(err, "%s: %s has no %s", where, book->name, book->sha ? "source" : "sha");
    if (!text_is_hex(book->sha, BOOK_SHA_DIGITS, BOOK_SHA_DIGITS))
        return error_set(err, "%s.sha: not %d hexadecimal digits", where, BOOK_SHA_DIGITS);
    return true;
}

static bool parse_side(const cJSON *test, const char *key, WorkloadSide *side, Error *err) {
    char where[64];
    snprintf(where, sizeof where, "workload.test.%s", key);
    const cJSON *object = json_object(test, "workload.test", key, err);
    if (!object || !json_read(object, where, side_fields, COUNT(side_fields), side, err))
        return false;
    const cJSON *build = json_object(object, where, "build", err);
    if (!build)
        return false;
    char inner[80];
    snprintf(inner, sizeof inner, "%s.build", where);
    if (!parse_recipe(build, inner, &side->recipe, err))
        return false;
    snprintf(inner, sizeof inner, "%s.engine", where);
    if (!check_name(side->engine, inner, err))
        return false;
    snprintf(inner, sizeof inner, "%s.name", where);
    if (!check_name(side->name, inner, err))
        return false;
    if (!text_is_hex(side->sha, BINARY_SHA_DIGITS, MAX_SHA_DIGITS))
        return error_set(err, "%s.sha: not a commit's hexadecimal digits", where);
    if (!text_is_hex(side->network, 0, MAX_SHA_DIGITS))
        return error_set(err, "%s.network: not hexadecimal digits", where);
    size_t length = strlen(side->options);
    if (length > MAX_OPTIONS)
        return error_set(err, "%s.options: %zu bytes; at most %d are taken", where, length,
                         MAX_OPTIONS);
    return true;
}

static int by_index(const void *a, const void *b) {
    const WorkloadParameter *x = a;
    const WorkloadParameter *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Each flip is 1 or -1, and the sum of all pairs' steps is finite. */
static bool check_steps(const Workload *w, const WorkloadParameter *p, Error *err) {
    for (size_t k = 0; k < p->flip.count; k++)
        if (p->flip.items[k] != 1 && p->flip.items[k] != -1)
            return error_set(err, "workload.spsa: %s: a flip is neither 1 nor -1", p->name);
    return isfinite(p->r * p->c * 2 * (double)workload_openings(w)) ||
           error_set(err, "workload.spsa: %s: r x c is beyond all numbers", p->name);
}

static bool parse_spsa(const cJSON *object, Workload *out, Error *err) {
    if (!cJSON_IsObject(object))
        return error_set(err, "workload.spsa: expected an object of parameters");
    int count = cJSON_GetArraySize(object);
    if (count < 1 || count > MAX_SPSA_PARAMETERS)
        return error_set(err, "workload.spsa: %d parameters", count);
    out->spsa = mem_calloc((size_t)count, sizeof(*out->spsa));
    const cJSON *item;
    cJSON_ArrayForEach(item, object) {
        WorkloadParameter *parameter = &out->spsa[out->spsa_count++];
        parameter->name = mem_strdup(item->string ? item->string : "");
        if (!check_name(parameter->name, "workload.spsa: a parameter's name", err) ||
            !json_read(item, "workload.spsa", spsa_fields, COUNT(spsa_fields), parameter, err))
            return error_prefix(err, "parameter %s", parameter->name);
        size_t runners = (size_t)out->runner_count;
        if (parameter->dev.count != runners || parameter->base.count != runners ||
            parameter->flip.count != runners)
            return error_set(err,
                             "workload.spsa: %s has %zu dev, %zu base and %zu flip values for "
                             "%zu runners",
                             parameter->name, parameter->dev.count, parameter->base.count,
                             parameter->flip.count, runners);
        if (!check_steps(out, parameter, err))
            return false;
    }
    qsort(out->spsa, out->spsa_count, sizeof(*out->spsa), by_index);
    return true;
}

static bool parse_type(Workload *out, Error *err) {
    for (size_t i = 0; i < COUNT(type_names); i++) {
        if (strcmp(out->type_name, type_names[i]) == 0) {
            out->type = (WorkloadType)i;
            return true;
        }
    }
    return error_set(err, "workload.test.type: \"%.40s\" is not one of SPRT, GAMES, SPSA, DATAGEN",
                     out->type_name);
}

static bool check_numbers(const Workload *w, Error *err) {
    return check_range(w->runner_count, 1, MAX_RUNNERS, "workload.distribution.runner-count",
                       err) &&
           check_range(w->concurrency_per, 1, MAX_CONCURRENCY,
                       "workload.distribution.concurrency-per", err) &&
           check_range(w->rounds_per_runner, 2, WORKLOAD_ROUNDS_MAX,
                       "workload.distribution.rounds-per-runner", err) &&
           check_range(workload_openings(w), 1, WORKLOAD_PAIRS_MAX, "pairs of the workload", err) &&
           check_range(w->book_index, 1, INT64_C(1) << 52, "workload.test.book_index", err) &&
           check_range(w->book_seed, 0, INT64_C(1) << 53, "workload.test.book_seed", err);
}

/* Checks the numbers of seeds and of openings that the engine generates for DATAGEN. */
static bool check_datagen(const Workload *w, Error *err) {
    return check_range((int64_t)w->genfens_seeds.count, 1, MAX_CONCURRENCY,
                       "workload.test.genfens_seeds: its length", err) &&
           check_range(workload_positions(w), 1, MAX_POSITIONS, "openings of the workload", err);
}

static bool parse_workload(const cJSON *workload, Workload *out, Error *err) {
    const cJSON *test = json_object(workload, "workload", "test", err);
    if (!test || !json_read(test, "workload.test", test_fields, COUNT(test_fields), out, err) ||
        !parse_type(out, err))
        return false;
    const cJSON *result = json_object(workload, "workload", "result", err);
    if (!result ||
        !json_read(result, "workload.result", result_fields, COUNT(result_fields), out, err))
        return false;
    if (!parse_book(test, &out->book, err) || !parse_side(test, "dev", &out->dev, err) ||
        !parse_side(test, "base", &out->base, err))
        return false;
    const cJSON *distribution = json_object(workload, "workload", "distribution", err);
    if (!distribution ||
        !json_read(distribution, "workload.distribution", distribution_fields,
                   COUNT(distribution_fields), out, err) ||
        !json_read(workload, "workload", workload_fields, COUNT(workload_fields), out, err) ||
        !check_numbers(out, err))
        return false;
    if (out->type == WORKLOAD_DATAGEN)
        return check_datagen(out, err);
    if (out->type != WORKLOAD_SPSA)
        return true;
    return parse_spsa(cJSON_GetObjectItemCaseSensitive(workload, "spsa"), out, err);
}

bool workload_parse(const cJSON *answer, Workload *out, bool *none, Error *err) {
    *out = (Workload){0};
    *none = false;
    if (!cJSON_IsObject(answer))
        return error_set(err, "the answer is not a JSON object");
    if (!cJSON_GetObjectItemCaseSensitive(answer, "workload")) {
        *none = true;
        return true;
    }
    const cJSON *workload = json_object(answer, "answer", "workload", err);
    return workload && parse_workload(workload, out, err);
}

static void side_free(WorkloadSide *side) {
    json_free_fields(recipe_fields, COUNT(recipe_fields), &side->recipe);
    json_free_fields(side_fields, COUNT(side_fields), side);
}

void workload_free(Workload *workload) {
    for (size_t i = 0; i < workload->spsa_count; i++) {
        free(workload->spsa[i].name);
        json_free_fields(spsa_fields, COUNT(spsa_fields), &workload->spsa[i]);
    }
    free(workload->spsa);
    json_free_fields(book_fields, COUNT(book_fields), &workload->book);
    side_free(&workload->dev);
    side_free(&workload->base);
    json_free_fields(test_fields, COUNT(test_fields), workload);
    json_free_fields(workload_fields, COUNT(workload_fields), workload);
    *workload = (Workload){0};
}

int64_t workload_openings(const Workload *workload) {
    return workload->runner_count * (workload->rounds_per_runner / 2);
}

int64_t workload_positions(const Workload *workload) {
    return workload_openings(workload) * (workload->play_reverses ? 1 : 2);
}

bool workload_read_options(const char *options, Words *names, Words *values, Error *err) {
    Words words = {0};
    bool ok = words_split(&words, options, err);
    for (size_t i = 0; ok && i < words.count; i++) {
        char *equals = strchr(words.items[i], '=');
        if (!equals || equals == words.items[i]) {
            ok = error_set(err, "option \"%.80s\" is not Name=Value", words.items[i]);
        } else {
            *equals = '\0';
            words_add(names, words.items[i]);
            words_add(values, equals + 1);
        }
    }
    words_free(&words);
    return ok;
}

char *workload_binary_name(const WorkloadSide *side) {
    char sha[BINARY_SHA_DIGITS + 1] = {0};
    for (size_t i = 0; i < BINARY_SHA_DIGITS && side->sha[i]; i++)
        sha[i] = (char)toupper((unsigned char)side->sha[i]);
    size_t length = strlen(side->network);
    const char *net = side->network;
    if (length > BINARY_NET_DIGITS)
        net += length - BINARY_NET_DIGITS;
    size_t size = strlen(side->engine) + sizeof sha + BINARY_NET_DIGITS + 3;
    char *name = mem_alloc(size);
    snprintf(name, size, "%s-%s%s%s", side->engine, sha, length ? "-" : "", net);
    return name;
}

bool build_info_parse(const cJSON *answer, BuildInfo *out, Error *err) {
    *out = (BuildInfo){0};
    if (!cJSON_IsObject(answer))
        return error_set(err, "the answer is not a JSON object");
    out->engines = mem_calloc((size_t)cJSON_GetArraySize(answer) + 1, sizeof(*out->engines));
    size_t compilers = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, answer) {
        EngineInfo *engine = &out->engines[out->count++];
        engine->name = mem_strdup(item->string ? item->string : "");
        if (!check_name(engine->name, "an engine's name", err))
            return false;
        if (!parse_recipe(item, engine->name, &engine->recipe, err) ||
            !json_read(item, engine->name, engine_info_fields, COUNT(engine_info_fields), engine,
                       err))
            return false;
        compilers += engine->recipe.compilers.count;
    }
    if (compilers > MAX_COMPILERS)
        return error_set(err, "%zu engines have %zu compilers; at most %d are taken", out->count,
                         compilers, MAX_COMPILERS);
    return true;
}

void build_info_unknown(const BuildInfo *info, const Words *names, Words *unknown) {
    for (size_t i = 0; i < names->count; i++) {
        size_t k = 0;
        while (k < info->count && strcmp(info->engines[k].name, names->items[i]) != 0)
            k++;
        if (k == info->count)
            words_add(unknown, names->items[i]);
    }
}

void build_info_free(BuildInfo *info) {
    for (size_t i = 0; i < info->count; i++) {
        free(info->engines[i].name);
        json_free_fields(recipe_fields, COUNT(recipe_fields), &info->engines[i].recipe);
    }
    free(info->engines);
    *info = (BuildInfo){0};
}
