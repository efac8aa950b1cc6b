/* SPDX-License-Identifier: MIT */
/* Hands out work: the answer of clientGetWorkload. */
#include "serve/workercall.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "serve/catalog.h"
#include "serve/rules.h"
#include "serve/secrets.h"

enum {
    SEED_BOUND = 1 << 30,
    SPSA_VALUES_MAX = 100000 /* Of a workload: the values of each parameter for each runner. */
};

/* The machine's question for work, with all that the answer needs. */
typedef struct {
    WorkerCall *call;
    Ability ability;
    IntList blacklist;
    Mersenne random; /* Begun anew for each question. */
    Error too_large; /* About a tuning with too many values for this machine; empty: none. */
    Test *tests;     /* Those fit for the machine, as candidates (store_candidates). */
    size_t count, capacity;
    BusyList busy; /* Of other machines. */
} Asking;

static void free_asking(Asking *asking) {
    for (size_t i = 0; i < asking->count; i++)
        store_free_test(&asking->tests[i]);
    free(asking->tests);
    free(asking->busy.items);
    free(asking->blacklist.items);
    ability_free(&asking->ability);
}

/* ---- The tests to choose from ---- */

/* Reads the tests that the machine does not want. Values that are no test's number are left out. */
static void read_blacklist(Asking *asking) {
    const WebFields *form = &asking->call->request->form;
    IntList *list = &asking->blacklist;
    list->items = mem_calloc(form->names.count + 1, sizeof *list->items);
    for (size_t i = 0; i < form->names.count; i++)
        if (strcmp(form->names.items[i], "blacklist") == 0 &&
            text_to_int(form->values.items[i], 1, INT64_MAX, "blacklist", &list->items[list->count],
                        NULL))
            list->count++;
}

static bool is_blacklisted(const Asking *asking, int64_t test_id) {
    for (size_t i = 0; i < asking->blacklist.count; i++)
        if (asking->blacklist.items[i] == test_id)
            return true;
    return false;
}

bool assign_can(const Serve *serve, const Test *test, Error *why) {
    char lost[SOURCES_NAME_MAX + 1];
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        const TestSide *s = &test->sides[side];
        if (!catalog_engine(&serve->catalog, s->engine))
            return error_set(why, "the engine %s is not in the server's configuration", s->engine);
        if (!sources_has(serve->sources, s->source, lost))
            return error_set(why, "the repository %s is not kept (--repo %s)", lost, lost);
    }
    return strcmp(test->book_name, "NONE") == 0 || catalog_book(&serve->catalog, test->book_name) ||
           error_set(why, "the server has no book %s (--books DIR)", test->book_name);
}

/* Can the machine play this engine, which the server has? */
static bool supports(const Asking *asking, const char *name) {
    const CatalogEngine *engine = catalog_engine(&asking->call->serve->catalog, name);
    EngineNeeds needs = {.name = engine->name,
                         .is_private = engine->is_private,
                         .cpuflags = &engine->cpuflags,
                         .systems = &engine->systems};
    return ability_supports(&asking->ability, &needs);
}

/* Does the test's workload for this machine have a size that an answer may have? A tuning has a
 * value of each parameter for each of the machine's match runners. */
static bool has_fair_size(Asking *asking, const Test *test) {
    if (!test_is(test, "SPSA"))
        return true;
    int64_t runners = rules_distribution(test, &asking->ability).runners;
    int64_t parameters = store_count_parameters(asking->call->t, test->id);
    return runners * parameters <= SPSA_VALUES_MAX ||
           error_set(&asking->too_large,
                     "test %lld: %lld parameters for %lld match runners are more than %d values: "
                     "run this worker with fewer threads",
                     (long long)test->id, (long long)parameters, (long long)runners,
                     SPSA_VALUES_MAX);
}

/* May the machine get the test? */
static bool is_fit(Asking *asking, const Test *test) {
    return assign_can(asking->call->serve, test, NULL) &&
           supports(asking, test->sides[SIDE_DEV].engine) &&
           supports(asking, test->sides[SIDE_BASE].engine) && !is_blacklisted(asking, test->id) &&
           rules_fits(test, &asking->ability) && has_fair_size(asking, test);
}

static void find_tests(Asking *asking) {
    Query *query = store_candidates(asking->call->t);
    for (;;) {
        asking->tests =
            mem_grow(asking->tests, &asking->capacity, asking->count + 1, sizeof *asking->tests);
        Test *test = &asking->tests[asking->count];
        if (!store_next_candidate(query, test))
            break;
        if (is_fit(asking, test))
            asking->count++;
        else
            store_free_test(test);
    }
    query_end(query);
}

/* ---- The answer ---- */

static void add_address(const WorkerCall *call, cJSON *object, const char *source) {
    char *base = serve_base(call->serve, call->request);
    char *address = catalog_address(base, source);
    cJSON_AddStringToObject(object, "source", address);
    free(address);
    free(base);
}

static void add_book(const WorkerCall *call, cJSON *to, const char *name) {
    const CatalogBook *book = catalog_book(&call->serve->catalog, name);
    cJSON *object = cJSON_AddObjectToObject(to, "book");
    cJSON_AddStringToObject(object, "name", name);
    if (book) {
        cJSON_AddStringToObject(object, "sha", book->sha);
        add_address(call, object, book->source);
    } else {
        cJSON_AddNullToObject(object, "sha");
        cJSON_AddNullToObject(object, "source");
    }
}

static void add_build(cJSON *to, const CatalogEngine *engine) {
    cJSON *build = cJSON_AddObjectToObject(to, "build");
    cJSON_AddStringToObject(build, "path", engine->build_path);
    cJSON_AddItemToObject(build, "compilers", json_texts(&engine->compilers));
    cJSON_AddItemToObject(build, "cpuflags", json_texts(&engine->cpuflags));
    cJSON_AddItemToObject(build, "systems", json_texts(&engine->systems));
    cJSON_AddBoolToObject(to, "private", engine->is_private);
}

static void add_side(const WorkerCall *call, cJSON *to, const Test *test, Side side) {
    const TestSide *from = &test->sides[side];
    cJSON *object = cJSON_AddObjectToObject(to, side_name(side));
    cJSON_AddNumberToObject(object, "id", (double)test_side_id(test, side));
    cJSON_AddStringToObject(object, "name", from->branch);
    add_address(call, object, from->source);
    cJSON_AddStringToObject(object, "sha", from->sha);
    cJSON_AddNumberToObject(object, "bench", (double)from->bench);
    cJSON_AddStringToObject(object, "engine", from->engine);
    cJSON_AddStringToObject(object, "options", from->options);
    cJSON_AddStringToObject(object, "network", from->network);
    cJSON_AddStringToObject(object, "netname", from->netname);
    cJSON_AddStringToObject(object, "time_control", from->time_control);
    add_build(object, catalog_engine(&call->serve->catalog, from->engine));
}

static cJSON *test_object(const WorkerCall *call, const Test *test, int64_t book_index) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "id", (double)test->id);
    cJSON_AddStringToObject(object, "type", test->kind);
    cJSON_AddStringToObject(object, "syzygy_wdl", test->syzygy_wdl);
    cJSON_AddStringToObject(object, "syzygy_adj", test->syzygy_adj);
    cJSON_AddStringToObject(object, "win_adj", test->win_adj);
    cJSON_AddStringToObject(object, "draw_adj", test->draw_adj);
    cJSON_AddNumberToObject(object, "workload_size", (double)test->workload_size);
    cJSON_AddStringToObject(object, "upload_pgns", test->upload_pgns);
    cJSON_AddStringToObject(object, "genfens_args", test->genfens_args);
    cJSON_AddBoolToObject(object, "play_reverses", test->play_reverses);
    cJSON_AddStringToObject(object, "scale_method", test->scale_method);
    cJSON_AddNumberToObject(object, "scale_nps", (double)test->scale_nps);
    add_book(call, object, test->book_name);
    add_side(call, object, test, SIDE_DEV);
    add_side(call, object, test, SIDE_BASE);
    cJSON_AddNumberToObject(object, "book_seed", (double)test->id);
    cJSON_AddNumberToObject(object, "book_index", (double)book_index);
    return object;
}

/* A seed for the openings that each thread of the machine makes. */
static void add_genfens_seeds(cJSON *to, Mersenne *random, int64_t threads) {
    cJSON *seeds = cJSON_AddArrayToObject(to, "genfens_seeds");
    for (int64_t i = 0; i < threads; i++)
        cJSON_AddItemToArray(seeds,
                             cJSON_CreateNumber((double)(mersenne_next(random) % SEED_BOUND)));
}

/* The values of one parameter for each runner. SINGLE gives all runners the same values. */
static cJSON *perturbed(const Test *test, const TestParameter *p, size_t index, int64_t runners,
                        Mersenne *random) {
    bool single = strcmp(test->spsa_distribution, "SINGLE") == 0;
    SpsaStep step = spsa_step(&test->spsa, &p->parameter, tally_games(&test->tally));
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "index", (double)index);
    cJSON *dev = cJSON_AddArrayToObject(object, "dev");
    cJSON *base = cJSON_AddArrayToObject(object, "base");
    cJSON *flips = cJSON_AddArrayToObject(object, "flip");
    double values[SIDE_COUNT] = {0};
    int flip = 0;
    for (int64_t k = 0; k < runners; k++) {
        if (k == 0 || !single) {
            flip = mersenne_next(random) % 2 ? 1 : -1;
            spsa_perturb(&p->parameter, p->value, step.c, flip, mersenne_share(random),
                         &values[SIDE_DEV], &values[SIDE_BASE]);
        }
        cJSON_AddItemToArray(dev, cJSON_CreateNumber(values[SIDE_DEV]));
        cJSON_AddItemToArray(base, cJSON_CreateNumber(values[SIDE_BASE]));
        cJSON_AddItemToArray(flips, cJSON_CreateNumber(flip));
    }
    cJSON_AddNumberToObject(object, "c", step.c);
    cJSON_AddNumberToObject(object, "r", step.r);
    return object;
}

cJSON *spsa_assignment(Transaction *t, const Test *test, int64_t runners, Mersenne *random) {
    if (strcmp(test->kind, "SPSA") != 0)
        return cJSON_CreateNull();
    TestParameters parameters;
    cJSON *object = cJSON_CreateObject();
    store_parameters(t, test->id, &parameters);
    for (size_t i = 0; i < parameters.count; i++)
        cJSON_AddItemToObject(object, parameters.items[i].parameter.name,
                              perturbed(test, &parameters.items[i], i, runners, random));
    store_free_parameters(&parameters);
    return object;
}

static void add_distribution(cJSON *to, Distribution d) {
    cJSON *object = cJSON_AddObjectToObject(to, "distribution");
    cJSON_AddNumberToObject(object, "runner-count", (double)d.runners);
    cJSON_AddNumberToObject(object, "concurrency-per", (double)d.concurrency);
    cJSON_AddNumberToObject(object, "rounds-per-runner", (double)d.rounds);
}

/* Takes the openings of the workload: those of a machine that vanished, or the next ones of the
 * book. None has vanished until the server has heard for as long as a machine may be silent. A
 * smaller range makes a smaller workload; a range too small for any is left out. */
static OpeningRange take_openings(WorkerCall *call, const Test *test, int64_t row_id,
                                  Distribution *distribution) {
    OpeningRange range = {.first = test->book_index}, lost;
    if (hearing_has_lasted(&call->serve->hearing, clock_now_ns()) &&
        store_lost_openings(call->t, test->id, call->now, rules_least_openings(test), &lost)) {
        *distribution = rules_shrink(test, *distribution, lost.count);
        range = lost;
    }
    range.count = rules_openings(test, *distribution);
    store_hand_out(call->t, test->id, row_id, range);
    return range;
}

/* Writes the workload into the call's reply. */
static void hand_out(Asking *asking, const Test *test, bool focused) {
    WorkerCall *call = asking->call;
    int64_t row_id = store_row_of(call->t, test->id, call->machine.id, call->now);
    store_set_machine_test(call->t, call->machine.id, test->id, focused);
    Distribution distribution = rules_distribution(test, &asking->ability);
    OpeningRange openings = take_openings(call, test, row_id, &distribution);

    cJSON *workload = cJSON_AddObjectToObject(call->reply, "workload");
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(workload, "result"), "id", (double)row_id);
    cJSON *object = test_object(call, test, openings.first);
    if (test_is(test, "DATAGEN"))
        add_genfens_seeds(object, &asking->random, call->machine.concurrency);
    cJSON_AddItemToObject(workload, "test", object);
    add_distribution(workload, distribution);
    cJSON_AddItemToObject(workload, "spsa",
                          spsa_assignment(call->t, test, distribution.runners, &asking->random));
    cJSON_AddStringToObject(workload, "reporting_type", test->spsa_reporting);
}

static void hand_out_test(Asking *asking, int64_t id, bool focused) {
    Test test;
    if (store_test(asking->call->t, id, &test))
        hand_out(asking, &test, focused);
    store_free_test(&test);
}

bool assign_work(WorkerCall *call, Error *err) {
    Asking asking = {.call = call};
    if (!ability_read(call->machine.info, &asking.ability, err)) {
        free_asking(&asking);
        return false;
    }
    read_blacklist(&asking);
    find_tests(&asking);
    asking.busy = store_busy_threads(call->t, call->now, call->machine.id);
    secret_seed(&asking.random);
    Question question = {.tests = asking.tests,
                         .count = asking.count,
                         .busy = asking.busy.items,
                         .busy_count = asking.busy.count,
                         .threads = call->machine.concurrency,
                         .focus = &asking.ability.focus,
                         .last_test = call->machine.test_id,
                         .balance = call->serve->catalog.settings.balance_engine_throughputs,
                         .random = mersenne_share(&asking.random)};
    Choice choice;
    bool ok = true;
    if (rules_choose(&question, &choice))
        hand_out_test(&asking, asking.tests[choice.index].id, choice.focused);
    else if (asking.too_large.text[0] != '\0')
        ok = error_set(err, "%s", asking.too_large.text);
    else if (call->machine.test_id != 0) /* The machine has ended its last test. */
        store_set_machine_test(call->t, call->machine.id, 0, false);
    free_asking(&asking);
    return ok;
}

bool assign_warn(Serve *serve, Error *err) {
    Test test;
    Error why;
    Words named = {0};
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    Query *query = store_candidates(t);
    while (store_next_candidate(query, &test)) {
        if (!assign_can(serve, &test, &why) && !words_has(&named, why.text)) {
            words_add(&named, why.text);
            log_warn(serve->log, "active tests get no machines: %s", why.text);
        }
        store_free_test(&test);
    }
    query_end(query);
    words_free(&named);
    return transaction_end(t, err);
}
