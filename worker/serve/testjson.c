/* SPDX-License-Identifier: MIT */
#include "serve/testjson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/count.h"
#include "base/memory.h"
#include "serve/catalog.h"
#include "serve/rules.h"
#include "stats/sprt.h"

enum { STAMP_MAX = 40 };

/* A time in the API's form: "2026-11-21 21:13:13+00:00". */
static void add_stamp(cJSON *to, const char *name, int64_t when) {
    char stamp[STAMP_MAX];
    struct tm parts;
    time_t seconds = (time_t)when;
    gmtime_r(&seconds, &parts);
    strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S+00:00", &parts);
    cJSON_AddStringToObject(to, name, stamp);
}

/* ---- info ---- */

static void add_setup(cJSON *to, const char *prefix, const TestSide *side) {
    const struct {
        const char *name, *value;
    } fields[] = {
        {"repo", side->repo},       {"engine", side->engine},
        {"options", side->options}, {"network", side->network},
        {"netname", side->netname}, {"time_control", side->time_control},
    };
    for (size_t i = 0; i < COUNT(fields); i++) {
        char name[STAMP_MAX];
        snprintf(name, sizeof name, "%s_%s", prefix, fields[i].name);
        cJSON_AddStringToObject(to, name, fields[i].value);
    }
}

static void add_engine(cJSON *to, const Test *test, Side which, const char *base) {
    char *address = catalog_address(base, test->sides[which].source);
    const TestSide *side = &test->sides[which];
    cJSON *object = cJSON_AddObjectToObject(to, side_name(which));
    cJSON_AddNumberToObject(object, "id", (double)test_side_id(test, which));
    cJSON_AddStringToObject(object, "name", side->branch);
    cJSON_AddStringToObject(object, "source", address);
    cJSON_AddStringToObject(object, "sha", side->sha);
    cJSON_AddNumberToObject(object, "bench", (double)side->bench);
    free(address);
}

static void add_sprt(cJSON *to, const Test *test) {
    SprtRule rule = test_rule(test);
    bool sprt = test_is(test, "SPRT");
    LlrLimits limits = sprt ? sprt_limits(&rule) : (LlrLimits){0};
    cJSON_AddNumberToObject(to, "elolower", test->elo0);
    cJSON_AddNumberToObject(to, "eloupper", test->elo1);
    cJSON_AddNumberToObject(to, "alpha", test->alpha);
    cJSON_AddNumberToObject(to, "beta", test->beta);
    cJSON_AddNumberToObject(to, "lowerllr", limits.lower);
    cJSON_AddNumberToObject(to, "currentllr", test->llr);
    cJSON_AddNumberToObject(to, "upperllr", limits.upper);
}

static void add_counts(cJSON *to, const Test *test) {
    const double tri[] = {(double)test->tally.losses, (double)test->tally.draws,
                          (double)test->tally.wins};
    double penta[PENTA_CELLS];
    for (int i = 0; i < PENTA_CELLS; i++)
        penta[i] = (double)test->tally.penta.n[i];
    cJSON_AddItemToObject(to, "tri", cJSON_CreateDoubleArray(tri, COUNT(tri)));
    cJSON_AddItemToObject(to, "penta", cJSON_CreateDoubleArray(penta, PENTA_CELLS));
}

/* Settings that are whole numbers, texts or truths, in the order of the recording. */
static void add_settings(cJSON *to, const Test *test) {
    cJSON_AddNumberToObject(to, "workload_size", (double)test->workload_size);
    cJSON_AddNumberToObject(to, "priority", (double)test->priority);
    cJSON_AddNumberToObject(to, "throughput", (double)test->throughput);
    cJSON_AddStringToObject(to, "scale_method", test->scale_method);
    cJSON_AddNumberToObject(to, "scale_nps", (double)test->scale_nps);
    cJSON_AddStringToObject(to, "syzygy_wdl", test->syzygy_wdl);
    cJSON_AddStringToObject(to, "syzygy_adj", test->syzygy_adj);
    cJSON_AddStringToObject(to, "win_adj", test->win_adj);
    cJSON_AddStringToObject(to, "draw_adj", test->draw_adj);
    cJSON_AddStringToObject(to, "test_mode", test->kind);
}

static void add_state(cJSON *to, const Test *test) {
    bool pairs = rules_plays_pairs(test);
    cJSON_AddNumberToObject(to, "max_games", (double)test->max_games);
    cJSON_AddStringToObject(to, "genfens_args", test->genfens_args);
    cJSON_AddBoolToObject(to, "play_reverses", test->play_reverses);
    cJSON_AddNumberToObject(to, "games", (double)tally_games(&test->tally));
    cJSON_AddBoolToObject(to, "use_tri", !pairs);
    cJSON_AddBoolToObject(to, "use_penta", pairs);
    cJSON_AddBoolToObject(to, "passed", test->passed);
    cJSON_AddBoolToObject(to, "failed", test->failed);
    cJSON_AddBoolToObject(to, "finished", test->finished);
    cJSON_AddBoolToObject(to, "deleted", test->deleted);
    cJSON_AddBoolToObject(to, "approved", test->approved);
    cJSON_AddBoolToObject(to, "error", test->faulty);
}

cJSON *testjson_info(const Test *test, const char *base) {
    cJSON *reply = cJSON_CreateObject();
    cJSON *info = cJSON_AddObjectToObject(reply, "info");
    cJSON_AddNumberToObject(info, "id", (double)test->id);
    cJSON_AddStringToObject(info, "author", test->author);
    cJSON_AddStringToObject(info, "upload_pgns", test->upload_pgns);
    cJSON_AddStringToObject(info, "info", test->info);
    cJSON_AddStringToObject(info, "book_name", test->book_name);
    cJSON_AddNumberToObject(info, "book_index", (double)test->book_index);
    add_setup(info, "dev", &test->sides[SIDE_DEV]);
    add_setup(info, "base", &test->sides[SIDE_BASE]);
    add_settings(info, test);
    add_sprt(info, test);
    add_state(info, test);
    add_engine(info, test, SIDE_DEV, base);
    add_engine(info, test, SIDE_BASE, base);
    add_counts(info, test);
    add_stamp(info, "creation", test->created);
    add_stamp(info, "updated", test->updated);
    return reply;
}

/* ---- results ---- */

static cJSON *row_object(const TestRow *row, int64_t now) {
    static const char *const cells[PENTA_CELLS] = {"LL", "LD", "DD", "DW", "WW"};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "machine__id", (double)row->machine_id);
    cJSON_AddStringToObject(object, "machine__user__username", row->user_name);
    cJSON_AddNumberToObject(object, "games", (double)tally_games(&row->tally));
    for (int i = 0; i < PENTA_CELLS; i++)
        cJSON_AddNumberToObject(object, cells[i], (double)row->tally.penta.n[i]);
    cJSON_AddNumberToObject(object, "timeloss", (double)row->tally.timelosses);
    cJSON_AddNumberToObject(object, "crashes", (double)row->tally.crashes);
    cJSON_AddBoolToObject(object, "active", store_is_active(row->seen, now));
    return object;
}

cJSON *testjson_results(Transaction *t, int64_t test_id, int64_t now) {
    cJSON *reply = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(reply, "results");
    Query *query = store_rows(t, test_id);
    TestRow row;
    while (store_next_row(query, &row)) {
        cJSON_AddItemToArray(list, row_object(&row, now));
        store_free_row(&row);
    }
    query_end(query);
    return reply;
}

/* ---- summary ---- */

/* The pairs of the machines that have a property in common. */
typedef struct {
    char *key;
    Penta penta;
} Share;

typedef struct {
    Share *items;
    size_t count, capacity;
} Shares;

static void add_share(Shares *shares, const char *key, const Penta *penta) {
    size_t i = 0;
    while (i < shares->count && strcmp(shares->items[i].key, key) != 0)
        i++;
    if (i == shares->count)
        MEM_ADD(shares->items, shares->count, shares->capacity, (Share){.key = mem_strdup(key)});
    penta_add(&shares->items[i].penta, penta);
}

/* Those with more pairs come first. */
static int by_pairs(const void *a, const void *b) {
    int64_t first = penta_pairs(&((const Share *)a)->penta);
    int64_t second = penta_pairs(&((const Share *)b)->penta);
    return (first < second) - (first > second);
}

static cJSON *share_object(const Share *share, int64_t all) {
    const int64_t *n = share->penta.n;
    Outcomes outcomes = outcomes_of_penta(&share->penta);
    EloInterval elo = outcomes_elo(&outcomes, INTERVAL_STUDENT);
    char text[128];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "key", share->key);
    snprintf(text, sizeof text, "(%lld, %lld, %lld, %lld, %lld)", (long long)n[0], (long long)n[1],
             (long long)n[2], (long long)n[3], (long long)n[4]);
    cJSON_AddStringToObject(object, "penta", text);
    snprintf(text, sizeof text, "%.2f \u00b1 %.2f", unsigned_zero(elo.value, 2),
             (elo.upper - elo.lower) / 2); /* Half the interval, as the recording has it. */
    cJSON_AddStringToObject(object, "elo", text);
    int64_t pairs = penta_pairs(&share->penta);
    cJSON_AddNumberToObject(object, "pairs", (double)pairs);
    snprintf(text, sizeof text, "%.2f", all ? 100.0 * (double)pairs / (double)all : 0);
    cJSON_AddStringToObject(object, "percent", text);
    return object;
}

static cJSON *take_shares(Shares *shares) {
    cJSON *list = cJSON_CreateArray();
    int64_t all = 0;
    for (size_t i = 0; i < shares->count; i++)
        all += penta_pairs(&shares->items[i].penta);
    if (shares->count)
        qsort(shares->items, shares->count, sizeof *shares->items, by_pairs);
    for (size_t i = 0; i < shares->count; i++) {
        cJSON_AddItemToArray(list, share_object(&shares->items[i], all));
        free(shares->items[i].key);
    }
    free(shares->items);
    return list;
}

cJSON *testjson_summary(Transaction *t, int64_t test_id) {
    Shares users = {0}, cpus = {0}, instructions = {0};
    Query *query = store_rows(t, test_id);
    TestRow row;
    while (store_next_row(query, &row)) {
        add_share(&users, row.user_name, &row.tally.penta);
        add_share(&cpus, row.cpu_name, &row.tally.penta);
        add_share(&instructions, row.isa_name, &row.tally.penta);
        store_free_row(&row);
    }
    query_end(query);
    cJSON *reply = cJSON_CreateObject();
    cJSON *summary = cJSON_AddObjectToObject(reply, "summary");
    cJSON_AddItemToObject(summary, "user", take_shares(&users));
    cJSON_AddItemToObject(summary, "cpu_name", take_shares(&cpus));
    cJSON_AddItemToObject(summary, "isa_name", take_shares(&instructions));
    return reply;
}

/* ---- Tunings ---- */

/* A number of the parameter's own kind: four decimals, or whole. */
static void add_own(Text *out, const SpsaParameter *p, double value) {
    if (p->is_float)
        text_addf(out, "%.4f,", value);
    else
        text_addf(out, "%.0f,", value);
}

void testjson_digest(const Test *test, const TestParameters *parameters, Text *out) {
    text_add(out, "Name,Curr,Start,Min,Max,C,C_end,R,R_end");
    for (size_t i = 0; i < parameters->count; i++) {
        const SpsaParameter *p = &parameters->items[i].parameter;
        SpsaStep step = spsa_step(&test->spsa, p, tally_games(&test->tally));
        text_addf(out, "\n%s,%.4f,", p->name, parameters->items[i].value);
        add_own(out, p, p->start);
        add_own(out, p, p->min);
        add_own(out, p, p->max);
        text_addf(out, "%.4f,%.4f,%.4f,%.4f", step.c, p->c_end, step.r, p->r_end);
    }
}

void testjson_inputs(const Test *test, const TestParameters *parameters, Text *out) {
    (void)test;
    for (size_t i = 0; i < parameters->count; i++) {
        text_add(out, i ? "\n" : "");
        spsa_write_parameter(&parameters->items[i].parameter, out);
    }
}

void testjson_outputs(const Test *test, const TestParameters *parameters, Text *out) {
    (void)test;
    for (size_t i = 0; i < parameters->count; i++) {
        const TestParameter *p = &parameters->items[i];
        double value = p->parameter.is_float ? p->value : nearbyint(p->value);
        text_addf(out, "%s%s, ", i ? "\n" : "", p->parameter.name);
        text_add_number(out, value + 0.0); /* Never "-0". */
    }
}

/* ---- Networks ---- */

cJSON *testjson_network(const Network *network) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "default", network->is_default);
    cJSON_AddBoolToObject(object, "was_default", network->was_default);
    cJSON_AddStringToObject(object, "sha256", network->sha);
    cJSON_AddStringToObject(object, "name", network->name);
    cJSON_AddStringToObject(object, "engine", network->engine);
    cJSON_AddStringToObject(object, "author", network->author);
    add_stamp(object, "created", network->created);
    return object;
}

cJSON *testjson_default_network(const Network *network) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "sha", network->sha);
    cJSON_AddStringToObject(object, "name", network->name);
    cJSON_AddStringToObject(object, "author", network->author);
    add_stamp(object, "created", network->created);
    return object;
}
