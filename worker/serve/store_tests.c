/* SPDX-License-Identifier: MIT */
/* The store's tests and their tuned parameters. */
#include "serve/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

#define OF_SIDE(side, field) offsetof(Test, sides[side].field)
#define SIDE_FIELDS(prefix, side)                                                                  \
    {prefix "_engine", COLUMN_TEXT, OF_SIDE(side, engine)},                                        \
        {prefix "_repo", COLUMN_TEXT, OF_SIDE(side, repo)},                                        \
        {prefix "_branch", COLUMN_TEXT, OF_SIDE(side, branch)},                                    \
        {prefix "_source", COLUMN_TEXT, OF_SIDE(side, source)},                                    \
        {prefix "_sha", COLUMN_TEXT, OF_SIDE(side, sha)},                                          \
        {prefix "_bench", COLUMN_INTEGER, OF_SIDE(side, bench)},                                   \
        {prefix "_network", COLUMN_TEXT, OF_SIDE(side, network)},                                  \
        {prefix "_netname", COLUMN_TEXT, OF_SIDE(side, netname)},                                  \
        {prefix "_options", COLUMN_TEXT, OF_SIDE(side, options)}, {                                \
        prefix "_time_control", COLUMN_TEXT, OF_SIDE(side, time_control)                           \
    }

#define CANDIDATE_SIDE(prefix, side)                                                               \
    {prefix "_engine", COLUMN_TEXT, OF_SIDE(side, engine)},                                        \
        {prefix "_source", COLUMN_TEXT, OF_SIDE(side, source)},                                    \
        {prefix "_options", COLUMN_TEXT, OF_SIDE(side, options)}, {                                \
        prefix "_time_control", COLUMN_TEXT, OF_SIDE(side, time_control)                           \
    }

static const Column test_fields[] = {
    {"id", COLUMN_INTEGER, offsetof(Test, id)},
    {"author", COLUMN_TEXT, offsetof(Test, author)},
    {"kind", COLUMN_TEXT, offsetof(Test, kind)},
    SIDE_FIELDS("dev", SIDE_DEV),
    SIDE_FIELDS("base", SIDE_BASE),
    {"info", COLUMN_TEXT, offsetof(Test, info)},
    {"book_name", COLUMN_TEXT, offsetof(Test, book_name)},
    {"upload_pgns", COLUMN_TEXT, offsetof(Test, upload_pgns)},
    {"workload_size", COLUMN_INTEGER, offsetof(Test, workload_size)},
    {"priority", COLUMN_INTEGER, offsetof(Test, priority)},
    {"throughput", COLUMN_INTEGER, offsetof(Test, throughput)},
    {"syzygy_wdl", COLUMN_TEXT, offsetof(Test, syzygy_wdl)},
    {"syzygy_adj", COLUMN_TEXT, offsetof(Test, syzygy_adj)},
    {"win_adj", COLUMN_TEXT, offsetof(Test, win_adj)},
    {"draw_adj", COLUMN_TEXT, offsetof(Test, draw_adj)},
    {"scale_method", COLUMN_TEXT, offsetof(Test, scale_method)},
    {"scale_nps", COLUMN_INTEGER, offsetof(Test, scale_nps)},
    {"elo0", COLUMN_REAL, offsetof(Test, elo0)},
    {"elo1", COLUMN_REAL, offsetof(Test, elo1)},
    {"alpha", COLUMN_REAL, offsetof(Test, alpha)},
    {"beta", COLUMN_REAL, offsetof(Test, beta)},
    {"max_games", COLUMN_INTEGER, offsetof(Test, max_games)},
    {"genfens_args", COLUMN_TEXT, offsetof(Test, genfens_args)},
    {"play_reverses", COLUMN_BOOL, offsetof(Test, play_reverses)},
    {"spsa_reporting", COLUMN_TEXT, offsetof(Test, spsa_reporting)},
    {"spsa_distribution", COLUMN_TEXT, offsetof(Test, spsa_distribution)},
    {"spsa_alpha", COLUMN_REAL, offsetof(Test, spsa.alpha)},
    {"spsa_gamma", COLUMN_REAL, offsetof(Test, spsa.gamma)},
    {"spsa_a_ratio", COLUMN_REAL, offsetof(Test, spsa.a_ratio)},
    {"spsa_iterations", COLUMN_INTEGER, offsetof(Test, spsa.iterations)},
    {"spsa_pairs_per", COLUMN_INTEGER, offsetof(Test, spsa.pairs_per)},
    {"book_index", COLUMN_INTEGER, offsetof(Test, book_index)},
    GAME_COLUMNS(Test),
    FAULT_COLUMNS(Test),
    {"llr", COLUMN_REAL, offsetof(Test, llr)},
    {"approved", COLUMN_BOOL, offsetof(Test, approved)},
    {"approver", COLUMN_TEXT, offsetof(Test, approver)},
    {"finished", COLUMN_BOOL, offsetof(Test, finished)},
    {"passed", COLUMN_BOOL, offsetof(Test, passed)},
    {"failed", COLUMN_BOOL, offsetof(Test, failed)},
    {"deleted", COLUMN_BOOL, offsetof(Test, deleted)},
    {"faulty", COLUMN_BOOL, offsetof(Test, faulty)},
    {"created", COLUMN_INTEGER, offsetof(Test, created)},
    {"updated", COLUMN_INTEGER, offsetof(Test, updated)},
};
static const Columns test_columns = {test_fields, COUNT(test_fields), sizeof(Test)};

/* What decides whether and how a machine gets the test. */
static const Column candidate_fields[] = {
    {"id", COLUMN_INTEGER, offsetof(Test, id)},
    {"kind", COLUMN_TEXT, offsetof(Test, kind)},
    CANDIDATE_SIDE("dev", SIDE_DEV),
    CANDIDATE_SIDE("base", SIDE_BASE),
    {"book_name", COLUMN_TEXT, offsetof(Test, book_name)},
    {"workload_size", COLUMN_INTEGER, offsetof(Test, workload_size)},
    {"priority", COLUMN_INTEGER, offsetof(Test, priority)},
    {"throughput", COLUMN_INTEGER, offsetof(Test, throughput)},
    {"syzygy_wdl", COLUMN_TEXT, offsetof(Test, syzygy_wdl)},
    {"syzygy_adj", COLUMN_TEXT, offsetof(Test, syzygy_adj)},
    {"upload_pgns", COLUMN_TEXT, offsetof(Test, upload_pgns)},
    {"spsa_distribution", COLUMN_TEXT, offsetof(Test, spsa_distribution)},
};
static const Columns candidate_columns = {candidate_fields, COUNT(candidate_fields), sizeof(Test)};

bool test_is(const Test *test, const char *kind) {
    return strcmp(test->kind, kind) == 0;
}

SprtRule test_rule(const Test *test) {
    return (SprtRule){.elo0 = test->elo0,
                      .elo1 = test->elo1,
                      .alpha = test->alpha,
                      .beta = test->beta,
                      .model = SPRT_NORMALIZED};
}

int64_t test_side_id(const Test *test, Side side) {
    return SIDE_COUNT * test->id - (side == SIDE_DEV);
}

int64_t store_add_test(Transaction *t, const Test *test) {
    return sql_insert(t, "tests", test_columns, test);
}

bool store_test(Transaction *t, int64_t id, Test *out) {
    return sql_record(t, test_columns, "tests WHERE id = ?", SQL_VALUES(sql_int(id)), out);
}

void store_free_test(Test *test) {
    columns_free(test_columns, test);
}

#define WHERE_ACTIVE "tests WHERE approved AND NOT finished AND NOT deleted "
#define WHERE_PENDING "tests WHERE NOT approved AND NOT finished AND NOT deleted "
#define WHERE_FINISHED "tests WHERE finished AND NOT deleted "

/* The tests of a list, and their order. */
static const struct {
    const char *count;
    const char *page;
} lists[] = {
    [TESTS_ACTIVE] = {"SELECT count(*) FROM " WHERE_ACTIVE,
                      WHERE_ACTIVE "ORDER BY id DESC LIMIT ? OFFSET ?"},
    [TESTS_PENDING] = {"SELECT count(*) FROM " WHERE_PENDING,
                       WHERE_PENDING "ORDER BY id DESC LIMIT ? OFFSET ?"},
    [TESTS_FINISHED] = {"SELECT count(*) FROM " WHERE_FINISHED,
                        WHERE_FINISHED "ORDER BY updated DESC, id DESC LIMIT ? OFFSET ?"},
};

Query *store_tests(Transaction *t, TestList list, int64_t skip, int64_t limit) {
    return query_records(t, test_columns, lists[list].page,
                         SQL_VALUES(sql_int(limit), sql_int(skip)));
}

bool store_next_test(Query *query, Test *out) {
    return query_next_record(query, test_columns, out);
}

Query *store_candidates(Transaction *t) {
    return query_records(t, candidate_columns, WHERE_ACTIVE "ORDER BY id", SQL_NO_VALUES);
}

bool store_next_candidate(Query *query, Test *out) {
    return query_next_record(query, candidate_columns, out);
}

/* Games and priorities change within a second too, which `updated` does not tell. */
void store_active_state(Transaction *t, Text *out) {
    Query *query =
        query_begin(t,
                    "SELECT count(*), sum(id), max(updated), sum(wins + losses + draws), "
                    "sum(priority * id), sum(faulty) FROM " WHERE_ACTIVE,
                    SQL_NO_VALUES);
    if (query_next(query))
        for (int i = 0; i < 6; i++)
            text_addf(out, "%" PRId64 " ", query_int(query, i));
    query_end(query);
}

int64_t store_count_tests(Transaction *t, TestList list) {
    return sql_number(t, lists[list].count, SQL_NO_VALUES);
}

int64_t store_test_of_network(Transaction *t, const char *engine, const char *sha) {
    return sql_number(t,
                      "SELECT id FROM tests WHERE NOT finished AND NOT deleted AND "
                      "((dev_engine = ?1 AND dev_network = ?2) OR "
                      "(base_engine = ?1 AND base_network = ?2)) ORDER BY id LIMIT 1",
                      SQL_VALUES(sql_text(engine), sql_text(sha)));
}

Query *store_search_tests(Transaction *t, const char *text, int64_t skip, int64_t limit) {
    return query_records(
        t, test_columns,
        "tests WHERE NOT deleted AND instr(lower(author || char(10) || dev_engine || char(10) || "
        "base_engine || char(10) || dev_branch || char(10) || base_branch || char(10) || dev_sha "
        "|| char(10) || base_sha || char(10) || info), lower(?)) > 0 "
        "ORDER BY id DESC LIMIT ? OFFSET ?",
        SQL_VALUES(sql_text(text), sql_int(limit), sql_int(skip)));
}

void store_update_test(Transaction *t, const Test *test) {
    sql_run(t,
            "UPDATE tests SET approved = ?, approver = ?, finished = ?, deleted = ?, priority = ?, "
            "throughput = ?, workload_size = ?, updated = ? WHERE id = ?",
            SQL_VALUES(sql_int(test->approved), sql_text(test->approver), sql_int(test->finished),
                       sql_int(test->deleted), sql_int(test->priority), sql_int(test->throughput),
                       sql_int(test->workload_size), sql_int(test->updated), sql_int(test->id)));
}

void store_finish_test(Transaction *t, int64_t id, bool passed, bool failed, int64_t now) {
    sql_run(t, "UPDATE tests SET finished = 1, passed = ?, failed = ?, updated = ? WHERE id = ?",
            SQL_VALUES(sql_int(passed), sql_int(failed), sql_int(now), sql_int(id)));
}

void store_mark_faulty(Transaction *t, int64_t id) {
    sql_run(t, "UPDATE tests SET faulty = 1 WHERE id = ?", SQL_VALUES(sql_int(id)));
}

/* ---- Parameters ---- */

static const Column parameter_fields[] = {
    {"name", COLUMN_TEXT, offsetof(TestParameter, parameter.name)},
    {"is_float", COLUMN_BOOL, offsetof(TestParameter, parameter.is_float)},
    {"start", COLUMN_REAL, offsetof(TestParameter, parameter.start)},
    {"min", COLUMN_REAL, offsetof(TestParameter, parameter.min)},
    {"max", COLUMN_REAL, offsetof(TestParameter, parameter.max)},
    {"c_end", COLUMN_REAL, offsetof(TestParameter, parameter.c_end)},
    {"r_end", COLUMN_REAL, offsetof(TestParameter, parameter.r_end)},
    {"value", COLUMN_REAL, offsetof(TestParameter, value)},
};
static const Columns parameter_columns = {parameter_fields, COUNT(parameter_fields),
                                          sizeof(TestParameter)};

void store_add_parameters(Transaction *t, int64_t test_id, const SpsaParameters *parameters) {
    for (size_t i = 0; i < parameters->count; i++) {
        const SpsaParameter *p = &parameters->items[i];
        sql_run(t,
                "INSERT INTO parameters (test_id, position, name, is_float, start, min, max, "
                "c_end, r_end, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                SQL_VALUES(sql_int(test_id), sql_int((int64_t)i), sql_text(p->name),
                           sql_int(p->is_float), sql_real(p->start), sql_real(p->min),
                           sql_real(p->max), sql_real(p->c_end), sql_real(p->r_end),
                           sql_real(p->start)));
    }
}

void store_parameters(Transaction *t, int64_t test_id, TestParameters *out) {
    *out = (TestParameters){0};
    Query *query =
        query_records(t, parameter_columns, "parameters WHERE test_id = ? ORDER BY position",
                      SQL_VALUES(sql_int(test_id)));
    TestParameter next;
    while (query_next_record(query, parameter_columns, &next))
        MEM_ADD(out->items, out->count, out->capacity, next);
    query_end(query);
}

int64_t store_count_parameters(Transaction *t, int64_t test_id) {
    return sql_number(t, "SELECT count(*) FROM parameters WHERE test_id = ?",
                      SQL_VALUES(sql_int(test_id)));
}

void store_set_parameter(Transaction *t, int64_t test_id, size_t position, double value) {
    sql_run(t, "UPDATE parameters SET value = ? WHERE test_id = ? AND position = ?",
            SQL_VALUES(sql_real(value), sql_int(test_id), sql_int((int64_t)position)));
}

void store_free_parameters(TestParameters *parameters) {
    for (size_t i = 0; i < parameters->count; i++)
        columns_free(parameter_columns, &parameters->items[i]);
    free(parameters->items);
    *parameters = (TestParameters){0};
}
