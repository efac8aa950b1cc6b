/* SPDX-License-Identifier: MIT */
#include "tools/openbench_double_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FRESH_RESULT = 1000000 };

static bool check_machine(const Double *d, const Request *request, Answer *answer) {
    int64_t machine = double_form_int(request, "machine_id");
    const char *secret = double_form_value(request, "secret");
    char wanted[32];
    snprintf(wanted, sizeof wanted, "secret-%" PRId64, machine);
    if (machine < DOUBLE_FIRST_MACHINE || machine >= d->next_machine) {
        text_add(&answer->body, "{\"error\": \"Bad Client Version: Bad Machine Id\"}");
        return false;
    }
    if (!secret || strcmp(secret, wanted) != 0) {
        text_add(&answer->body, "{\"error\": \"Bad Client Version: Invalid Secret Token\"}");
        return false;
    }
    return true;
}

void double_do_client_version(Double *d, const Request *request, Answer *answer) {
    (void)d;
    if (double_check_user(request, answer))
        text_add(&answer->body, "{\"client_version\": 49, \"client_repo_url\": \"x\", "
                                "\"client_repo_ref\": \"master\"}");
}

void double_do_build_info(Double *d, const Request *request, Answer *answer) {
    (void)request;
    text_add(&answer->body, d->build_info ? d->build_info : "{}");
}

void double_do_worker_info(Double *d, const Request *request, Answer *answer) {
    if (!double_check_user(request, answer))
        return;
    int64_t machine = d->next_machine++;
    text_addf(&answer->body, "{\"machine_id\": %" PRId64 ", \"secret\": \"secret-%" PRId64 "\"%s}",
              machine, machine, d->knows_batches ? ", \"batches\": true" : "");
}

/* ---- Workloads ---- */

Row *double_find_row(Double *d, int64_t test_id, int64_t machine_id) {
    for (size_t i = 0; i < d->row_count; i++)
        if (d->rows[i].test_id == test_id && d->rows[i].machine_id == machine_id)
            return &d->rows[i];
    MEM_ADD(d->rows, d->row_count, d->row_capacity,
            (Row){.test_id = test_id, .machine_id = machine_id});
    return &d->rows[d->row_count - 1];
}

int64_t double_offer_number(const char *offer, const char *key, const char **at) {
    const char *found = strstr(offer, key);
    *at = found ? found + strlen(key) : NULL;
    return found ? strtoll(*at, NULL, 10) : 0;
}

/* The row of a test and machine has a result id of its own: the offer's, unless another machine had
 * that before. */
static int64_t result_of(Double *d, int64_t offered, int64_t test_id, int64_t machine_id) {
    Row *row = double_find_row(d, test_id, machine_id);
    for (size_t i = 0; row->result_id == 0 && i < d->row_count; i++)
        if (d->rows[i].result_id == offered)
            offered += FRESH_RESULT * machine_id;
    if (row->result_id == 0)
        row->result_id = offered;
    return row->result_id;
}

void double_do_get_workload(Double *d, const Request *request, Answer *answer) {
    if (!check_machine(d, request, answer))
        return;
    if (d->again && d->offered == d->offers.count)
        d->offered = 0;
    if (d->offered == d->offers.count) {
        text_add(&answer->body, "{}");
        return;
    }
    const char *offer = d->offers.items[d->offered++];
    const char *test;
    const char *result;
    int64_t test_id = double_offer_number(offer, "\"test\": {\"id\": ", &test);
    int64_t offered = double_offer_number(offer, "\"result\": {\"id\": ", &result);
    if (!test || !result) {
        text_add(&answer->body, offer);
        return;
    }
    text_add_bytes(&answer->body, offer, (size_t)(result - offer));
    text_addf(&answer->body, "%" PRId64 "%s",
              result_of(d, offered, test_id, double_form_int(request, "machine_id")),
              result + strspn(result, "0123456789"));
}

/* ---- Results ---- */

static void read_numbers(const char *text, int64_t *out, size_t count) {
    char *end = (char *)text;
    for (size_t i = 0; text && i < count; i++)
        out[i] = strtoll(end, &end, 10);
}

static void add_totals(DoubleTotals *to, const DoubleTotals *more) {
    for (int i = 0; i < 3; i++)
        to->tri[i] += more->tri[i];
    for (int i = 0; i < 5; i++)
        to->penta[i] += more->penta[i];
    to->crashes += more->crashes;
    to->timelosses += more->timelosses;
    to->illegals += more->illegals;
    to->delta += more->delta;
    to->submissions += more->submissions;
}

/* Whoever sends it, a result is its machine's to whom the id was given. */
static Row *find_result(Double *d, int64_t test_id, int64_t result_id) {
    for (size_t i = 0; i < d->row_count; i++)
        if (d->rows[i].test_id == test_id && d->rows[i].result_id == result_id)
            return &d->rows[i];
    return NULL;
}

static void add_batch(Double *d, Row *row, const DoubleTotals *batch, bool row_lost) {
    add_totals(&d->totals, batch);
    add_totals(row_lost ? &row->lost : &row->totals, batch);
}

static void add_late(Double *d, const Row *row, const DoubleTotals *batch) {
    MEM_ADD(d->late, d->late_count, d->late_capacity,
            (Late){row->test_id, row->machine_id, *batch});
}

void double_take_effect(Double *d, int64_t test_id, int64_t machine_id) {
    size_t left = 0;
    for (size_t i = 0; i < d->late_count; i++) {
        Late late = d->late[i];
        if ((test_id && late.test_id != test_id) || (machine_id && late.machine_id != machine_id))
            d->late[left++] = late;
        else
            add_batch(d, double_find_row(d, late.test_id, late.machine_id), &late.batch, false);
    }
    d->late_count = left;
}

/* Whether a batch of this number, which is kept, has come before. NULL: the batch has none. */
static bool was_seen(Double *d, const char *number) {
    if (!d->knows_batches || !number)
        return false;
    for (size_t i = 0; i < d->batches.count; i++)
        if (strcmp(d->batches.items[i], number) == 0)
            return true;
    words_add(&d->batches, number);
    return false;
}

void double_do_submit_results(Double *d, const Request *request, Answer *answer) {
    if (!check_machine(d, request, answer))
        return;
    DoubleTotals batch = {.crashes = double_form_int(request, "crashes"),
                          .timelosses = double_form_int(request, "timelosses"),
                          .illegals = double_form_int(request, "illegals"),
                          .submissions = 1};
    read_numbers(double_form_value(request, "trinomial"), batch.tri, 3);
    read_numbers(double_form_value(request, "pentanomial"), batch.penta, 5);
    const char *delta = double_form_value(request, "spsa_delta");
    batch.delta = delta && delta[0] == '[' ? strtod(delta + 1, NULL) : 0;
    Row *row =
        find_result(d, double_form_int(request, "test_id"), double_form_int(request, "result_id"));
    if (!row)
        row = double_find_row(d, double_form_int(request, "test_id"),
                              double_form_int(request, "machine_id"));
    double_take_effect(d, row->test_id, row->machine_id);
    if (was_seen(d, double_form_value(request, "batch")))
        ;
    else if (answer->late)
        add_late(d, row, &batch);
    else
        add_batch(d, row, &batch, answer->row_lost);
    bool stop = d->stop_at > 0 && d->totals.submissions >= d->stop_at;
    text_add(&answer->body, stop ? "{\"stop\": true}" : "{}");
}

void double_do_heartbeat(Double *d, const Request *request, Answer *answer) {
    if (!check_machine(d, request, answer))
        return;
    bool stop = d->stop_at > 0 && d->totals.submissions >= d->stop_at;
    text_add(&answer->body, stop ? "{\"stop\": true}" : "{}");
}

void double_do_machine_call(Double *d, const Request *request, Answer *answer) {
    if (check_machine(d, request, answer))
        text_add(&answer->body, "{}");
}

/* ---- What is known of a workload ---- */

static void do_test_results(Double *d, const Request *request, Answer *answer) {
    if (!double_check_user(request, answer))
        return;
    static const char prefix[] = "/api/workload/";
    int64_t test_id = strtoll(request->path + sizeof prefix - 1, NULL, 10);
    text_add(&answer->body, "{\"results\": [");
    bool first = true;
    for (size_t i = 0; i < d->row_count; i++) {
        const DoubleTotals *t = &d->rows[i].totals;
        if (d->rows[i].test_id != test_id)
            continue;
        text_addf(&answer->body,
                  "%s{\"machine__id\": %" PRId64 ", \"machine__user__username\": \"tester\", "
                  "\"games\": %" PRId64 ", \"LL\": %" PRId64 ", \"LD\": %" PRId64
                  ", \"DD\": %" PRId64 ", \"DW\": %" PRId64 ", \"WW\": %" PRId64
                  ", \"timeloss\": %" PRId64 ", \"crashes\": %" PRId64 ", \"active\": true}",
                  first ? "" : ", ", d->rows[i].machine_id, t->tri[0] + t->tri[1] + t->tri[2],
                  t->penta[0], t->penta[1], t->penta[2], t->penta[3], t->penta[4], t->timelosses,
                  t->crashes);
        first = false;
    }
    text_add(&answer->body, "]}");
    double_take_effect(d, test_id, 0);
}

/* The totals of a test that was not created here: what its rows have, and what they have lost. */
static DoubleTotals test_totals(const Double *d, int64_t test_id) {
    DoubleTotals sum = {0};
    for (size_t i = 0; i < d->row_count; i++) {
        if (d->rows[i].test_id != test_id)
            continue;
        add_totals(&sum, &d->rows[i].totals);
        add_totals(&sum, &d->rows[i].lost);
    }
    return sum;
}

/* What is said of a test that was created here; of any other, that it is somebody's. */
static void do_test_info(Double *d, int64_t id, Answer *answer) {
    static const char *const copied[] = {
        "test_mode",    "book_name",    "info",         "win_adj",          "draw_adj",
        "syzygy_wdl",   "syzygy_adj",   "scale_method", "dev_engine",       "base_engine",
        "dev_options",  "base_options", "dev_repo",     "base_repo",        "dev_network",
        "base_network", "dev_netname",  "base_netname", "dev_time_control", "base_time_control",
    };
    static const CreatedTest other;
    bool own = id >= DOUBLE_FIRST_TEST && id < DOUBLE_FIRST_TEST + (int64_t)d->test_count;
    const CreatedTest *test = own ? &d->tests[id - DOUBLE_FIRST_TEST] : &other;
    const char *author = double_value_of(&test->names, &test->values, "username");
    const char *dev = double_value_of(&test->names, &test->values, "dev_branch");
    const char *base = double_value_of(&test->names, &test->values, "base_branch");
    text_addf(&answer->body, "{\"info\": {\"id\": %" PRId64 ", \"author\": \"%s\"", id,
              author ? author : "somebody");
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        const char *value = double_value_of(&test->names, &test->values, copied[i]);
        text_addf(&answer->body, ", \"%s\": \"%s\"", copied[i], value ? value : "");
    }
    /* A test that was created here is over already, but for one. */
    const char *over = own && id != d->running_test ? "true" : "false";
    DoubleTotals t = {.tri = {3, 4, 5}, .penta = {0, 1, 3, 1, 1}};
    if (!own)
        t = test_totals(d, id);
    text_addf(&answer->body,
              ", \"elolower\": 0.0, \"eloupper\": 5.0, \"alpha\": 0.05, \"beta\": 0.05"
              ", \"lowerllr\": -2.9, \"currentllr\": 0.0, \"upperllr\": 2.9"
              ", \"games\": %" PRId64 ", \"tri\": [%" PRId64 ", %" PRId64 ", %" PRId64
              "], \"penta\": [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
              "], \"passed\": %s, \"finished\": %s",
              t.tri[0] + t.tri[1] + t.tri[2], t.tri[0], t.tri[1], t.tri[2], t.penta[0], t.penta[1],
              t.penta[2], t.penta[3], t.penta[4], over, over);
    text_addf(&answer->body,
              ", \"dev\": {\"name\": \"%s\", \"source\": \"\", \"sha\": \"\", \"bench\": 1}, "
              "\"base\": {\"name\": \"%s\", \"source\": \"\", \"sha\": \"\", \"bench\": 1}}}",
              dev ? dev : "", base ? base : "");
}

void double_do_workload_api(Double *d, const Request *request, Answer *answer) {
    static const char prefix[] = "/api/workload/";
    if (strstr(request->path, "/summary/"))
        text_add(&answer->body, "{\"summary\": {}}");
    else if (!strstr(request->path, "/info/"))
        do_test_results(d, request, answer);
    else if (double_check_user(request, answer))
        do_test_info(d, strtoll(request->path + sizeof prefix - 1, NULL, 10), answer);
}
