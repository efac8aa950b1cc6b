/* SPDX-License-Identifier: MIT */
/* What workers report: results, speeds, faults and games. */
#include "serve/workercall.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/text.h"
#include "serve/games.h"
#include "serve/reply.h"
#include "serve/rules.h"

enum {
    BATCH_GAMES_MAX = 10000000, /* Of one submission; larger numbers are mistakes. */
    BATCH_NUMBER_MAX = 64,      /* Bytes of a batch's number. */
    NPS_MAX = 2000000000,
    FAULT_MAX = 1000 /* Bytes of an error's summary. */
};

/* ---- Results ---- */

/* Reads `count` whole numbers, separated by blanks. */
static bool read_counts(const WebRequest *request, const char *name, size_t count, int64_t *out,
                        Error *err) {
    Words words = {0};
    bool ok = words_split(&words, web_form(request, name), err) &&
              (words.count == count || error_set(err, "%s: not %zu numbers", name, count));
    for (size_t i = 0; ok && i < count; i++)
        ok = text_to_int(words.items[i], 0, BATCH_GAMES_MAX, name, &out[i], err);
    words_free(&words);
    return ok;
}

/* The counts of the form. Games come in whole pairs; data generation without reverses has none. */
static bool read_batch(const WebRequest *request, const Test *test, Tally *out, Error *err) {
    int64_t tri[TRI_CELLS];
    *out = (Tally){0};
    if (!read_counts(request, "trinomial", COUNT(tri), tri, err) ||
        !read_counts(request, "pentanomial", PENTA_CELLS, out->penta.n, err) ||
        !reply_field(request, "crashes", 0, BATCH_GAMES_MAX, &out->crashes, err) ||
        !reply_field(request, "timelosses", 0, BATCH_GAMES_MAX, &out->timelosses, err) ||
        !reply_field(request, "illegals", 0, BATCH_GAMES_MAX, &out->illegals, err))
        return false;
    out->losses = tri[0];
    out->draws = tri[1];
    out->wins = tri[2];
    if (!rules_plays_pairs(test))
        return true;
    if (tally_games(out) != 2 * penta_pairs(&out->penta))
        return error_set(err, "trinomial has %lld games and pentanomial %lld pairs",
                         (long long)tally_games(out), (long long)penta_pairs(&out->penta));
    return true;
}

/* The changes of a tuning's parameters: a JSON list of `count` numbers. The caller frees
 * deltas->items. */
static bool read_deltas(const WebRequest *request, size_t count, RealList *deltas, Error *err) {
    const char *text = web_form(request, "spsa_delta");
    const JsonField field = {"spsa_delta", JSON_REAL_LIST, JSON_REQUIRED, 0};
    *deltas = (RealList){0};
    cJSON *list = json_parse(text, strlen(text), err);
    if (!list)
        return error_prefix(err, "spsa_delta");
    cJSON *document = cJSON_CreateObject(); /* base/json reads members. */
    cJSON_AddItemToObject(document, "spsa_delta", list);
    bool ok = json_read(document, "form", &field, 1, deltas, err) &&
              (deltas->count == count || error_set(err, "spsa_delta: not %zu numbers", count));
    cJSON_Delete(document);
    return ok;
}

static bool move_parameters(WorkerCall *call, int64_t test_id, Error *err) {
    TestParameters parameters;
    RealList deltas = {0};
    store_parameters(call->t, test_id, &parameters);
    bool ok = read_deltas(call->request, parameters.count, &deltas, err);
    for (size_t i = 0; ok && i < deltas.count; i++) {
        const TestParameter *p = &parameters.items[i];
        store_set_parameter(call->t, test_id, i,
                            spsa_moved(&p->parameter, p->value, deltas.items[i]));
    }
    free(deltas.items);
    store_free_parameters(&parameters);
    return ok;
}

/* Adds the batch, and ends the test where the batch does. */
static bool add_batch(WorkerCall *call, Test *test, const TestRow *row, const Tally *batch,
                      Error *err) {
    bool moves = test_is(test, "SPSA") && tally_games(batch) > 0;
    if (moves && !move_parameters(call, test->id, err))
        return false;
    tally_add(&test->tally, batch);
    store_add_results(call->t, row, batch, rules_llr(test), call->now);
    /* A worker that numbers its batches takes workloads ahead; the stock client does neither. */
    bool ahead = *web_form(call->request, "batch") != '\0';
    store_play_openings(call->t, row->id, rules_played(test, batch),
                        ahead ? OPENINGS_OLDEST_FIRST : OPENINGS_NEWEST_FIRST);
    if (batch->crashes || batch->illegals)
        store_mark_faulty(call->t, test->id);
    TestEnd end = rules_end(test);
    if (end == TEST_GOES_ON)
        return true;
    store_finish_test(call->t, test->id, end == TEST_PASSED, end == TEST_FAILED, call->now);
    cJSON_AddTrueToObject(call->reply, "stop");
    return true;
}

/* Is the batch new? A batch without a number, of a worker that gives none, always is. */
static bool is_new_batch(WorkerCall *call, const TestRow *row) {
    const char *number = web_form(call->request, "batch");
    return *number == '\0' || store_note_batch(call->t, row->id, number, call->now);
}

bool take_results(WorkerCall *call, Error *err) {
    Test test;
    TestRow row = {0};
    Tally batch;
    bool ok = workercall_test(call, &test, err) && workercall_row(call, &row, err) &&
              read_batch(call->request, &test, &batch, err) &&
              (strlen(web_form(call->request, "batch")) <= BATCH_NUMBER_MAX ||
               error_set(err, "batch: longer than %d bytes", BATCH_NUMBER_MAX));
    if (ok && test.finished)
        cJSON_AddTrueToObject(call->reply, "stop");
    else if (ok && is_new_batch(call, &row))
        ok = add_batch(call, &test, &row, &batch, err);
    store_free_row(&row);
    store_free_test(&test);
    return ok;
}

bool take_beat(WorkerCall *call, Error *err) {
    Test test;
    bool ok = workercall_test(call, &test, err);
    if (ok && test.finished)
        cJSON_AddTrueToObject(call->reply, "stop");
    store_free_test(&test);
    return ok;
}

bool take_speed(WorkerCall *call, Error *err) {
    static const char *const names[] = {"nps", "dev_nps", "base_nps"};
    double speeds[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++)
        if (!text_to_double(web_form(call->request, names[i]), 0, NPS_MAX, names[i], &speeds[i],
                            err))
            return false;
    store_set_machine_nps(call->t, call->machine.id, speeds[0], speeds[1], speeds[2]);
    return true;
}

/* ---- Faults ---- */

/* A machine's row is made before the machine gets the test. A user without a row of the test has
 * nothing to report of the test, and may not end others' work. */
static bool take_fault(WorkerCall *call, Test *test, Error *err) {
    const char *summary = web_form(call->request, "error");
    if (!workercall_test(call, test, err))
        return false;
    if (!store_has_row(call->t, test->id, call->machine.user_id))
        return error_set(err, "test_id: test %lld has no row of this user", (long long)test->id);
    if (*summary == '\0' || strlen(summary) > FAULT_MAX)
        return error_set(err, "error: not 1 to %d bytes", FAULT_MAX);
    workercall_report(call, test->id, summary, web_form(call->request, "logs"));
    store_mark_faulty(call->t, test->id);
    return true;
}

bool take_error(WorkerCall *call, Error *err) {
    Test test;
    bool ok = take_fault(call, &test, err);
    store_free_test(&test);
    return ok;
}

bool take_bad_bench(WorkerCall *call, Error *err) {
    Test test;
    bool ok = take_fault(call, &test, err);
    if (ok && !test.finished)
        store_finish_test(call->t, test.id, false, false, call->now);
    store_free_test(&test);
    return ok;
}

/* ---- Games ---- */

bool take_games(WorkerCall *call, Error *err) {
    TestRow row = {0};
    int64_t book_index = 0;
    const WebUpload *file = web_upload(call->request, "file");
    bool ok = (file || error_set(err, "file: missing, or before machine_id and secret")) &&
              workercall_row(call, &row, err) &&
              reply_field(call->request, "book_index", 0, INT64_MAX, &book_index, err);
    Error fault = {0};
    bool bzip2 = false;
    bool sound = !ok || (games_are_bzip2(file->path, &bzip2, &fault) &&
                         (!bzip2 || games_keep(call->serve->data, row.test_id, row.id, book_index,
                                               file->path, &fault)));
    if (!sound)
        ok = transaction_fail(call->t, fault.text); /* The worker shall send them again. */
    else if (ok && !bzip2)
        ok = error_set(err, "file: not in bzip2's format");
    if (ok)
        store_note_games(call->t, &(StoredGames){.test_id = row.test_id,
                                                 .row_id = row.id,
                                                 .book_index = book_index,
                                                 .bytes = (int64_t)file->length,
                                                 .created = call->now});
    store_free_row(&row);
    return ok;
}
