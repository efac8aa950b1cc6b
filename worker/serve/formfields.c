/* SPDX-License-Identifier: MIT */
#include "serve/formfields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "openbench/engineconfig.h"
#include "serve/testjson.h"
#include "serve/values.h"

/* ---- How a field is shown ---- */

typedef enum { CONTROL_TEXT, CONTROL_AREA, CONTROL_SELECT } Control;

/* Where the choices of a field come from. */
typedef enum {
    CHOICES_WORDS, /* testform_words */
    CHOICES_ENGINES,
    CHOICES_BOOKS,
    CHOICES_NETWORKS
} Choices;

typedef struct {
    const char *name;
    const char *group;
    const char *label;
    Control control;
    Choices choices;
    const char *help;
} Field;

static const Field FIELDS[] = {
    {"dev_engine", "dev", "Engine", CONTROL_SELECT, CHOICES_ENGINES, NULL},
    {"dev_repo", "dev", "Repository", CONTROL_TEXT, 0, "an address, or /repo/NAME of this server"},
    {"dev_branch", "dev", "Branch, tag or commit", CONTROL_TEXT, 0, NULL},
    {"dev_bench", "dev", "Bench", CONTROL_TEXT, 0, "empty: of the commit's message"},
    {"dev_network", "dev", "Network", CONTROL_SELECT, CHOICES_NETWORKS, NULL},
    {"dev_options", "dev", "Options", CONTROL_TEXT, 0, NULL},
    {"dev_time_control", "dev", "Time control", CONTROL_TEXT, 0,
     "8.0+0.08, 40/10+0.1, N=nodes, D=depth, MT=ms"},
    {"base_engine", "base", "Engine", CONTROL_SELECT, CHOICES_ENGINES, NULL},
    {"base_repo", "base", "Repository", CONTROL_TEXT, 0, NULL},
    {"base_branch", "base", "Branch, tag or commit", CONTROL_TEXT, 0, NULL},
    {"base_bench", "base", "Bench", CONTROL_TEXT, 0, "empty: of the commit's message"},
    {"base_network", "base", "Network", CONTROL_SELECT, CHOICES_NETWORKS, NULL},
    {"base_options", "base", "Options", CONTROL_TEXT, 0, NULL},
    {"base_time_control", "base", "Time control", CONTROL_TEXT, 0, NULL},
    {"test_mode", "test", "Mode", CONTROL_SELECT, CHOICES_WORDS, NULL},
    {"test_bounds", "test", "Bounds", CONTROL_TEXT, 0, "[H0, H1] in normalized Elo"},
    {"test_confidence", "test", "Error rates", CONTROL_TEXT, 0, "[beta, alpha]"},
    {"test_max_games", "test", "Games", CONTROL_TEXT, 0, "of the mode GAMES"},
    {"spsa_reporting_type", "tuning", "Reports", CONTROL_SELECT, CHOICES_WORDS, NULL},
    {"spsa_distribution_type", "tuning", "Values", CONTROL_SELECT, CHOICES_WORDS,
     "one set for a machine, or one for each of its runners"},
    {"spsa_alpha", "tuning", "Alpha", CONTROL_TEXT, 0, NULL},
    {"spsa_gamma", "tuning", "Gamma", CONTROL_TEXT, 0, NULL},
    {"spsa_A_ratio", "tuning", "A ratio", CONTROL_TEXT, 0, NULL},
    {"spsa_iterations", "tuning", "Iterations", CONTROL_TEXT, 0, NULL},
    {"spsa_pairs_per", "tuning", "Pairs an iteration", CONTROL_TEXT, 0, NULL},
    {"spsa_inputs", "tuning", "Parameters", CONTROL_AREA, 0,
     "a line each: name, int|float, start, min, max, c_end, r_end"},
    {"datagen_max_games", "data", "Games", CONTROL_TEXT, 0, NULL},
    {"datagen_custom_genfens", "data", "Words for genfens", CONTROL_TEXT, 0, NULL},
    {"datagen_play_reverses", "data", "Play with colours swapped", CONTROL_SELECT, CHOICES_WORDS,
     NULL},
    {"book_name", "games", "Book", CONTROL_SELECT, CHOICES_BOOKS, NULL},
    {"upload_pgns", "games", "Games as PGN", CONTROL_SELECT, CHOICES_WORDS, NULL},
    {"throughput", "games", "Throughput", CONTROL_TEXT, 0,
     "the share of machines among tests of one priority"},
    {"workload_size", "games", "Workload size", CONTROL_TEXT, 0, NULL},
    {"priority", "games", "Priority", CONTROL_TEXT, 0, "the highest alone is played"},
    {"syzygy_wdl", "games", "Syzygy, engines", CONTROL_SELECT, CHOICES_WORDS, NULL},
    {"syzygy_adj", "games", "Syzygy, adjudication", CONTROL_SELECT, CHOICES_WORDS, NULL},
    {"win_adj", "games", "Win adjudication", CONTROL_TEXT, 0, NULL},
    {"draw_adj", "games", "Draw adjudication", CONTROL_TEXT, 0, NULL},
    {"scale_method", "games", "Speed is measured of", CONTROL_SELECT, CHOICES_WORDS, NULL},
    {"scale_nps", "games", "Clocks are for nodes/s", CONTROL_TEXT, 0, NULL},
    {"info", "remarks", "Remarks", CONTROL_AREA, 0, NULL},
};

static const struct {
    const char *key, *heading;
} GROUPS[] = {{"dev", "Dev"},           {"base", "Base"},     {"test", "The test"},
              {"tuning", "The tuning"}, {"data", "The data"}, {"games", "Games"},
              {"remarks", "Remarks"}};

/* ---- Values ---- */

static const cJSON *presets_of(const CatalogEngine *engine, const TestForm *form) {
    const char *list = testform_names(form->kind)->presets;
    return engine ? cJSON_GetObjectItemCaseSensitive(engine->document, list) : NULL;
}

static const CatalogEngine *engine_of(const Serve *serve, const TestForm *form) {
    const CatalogEngine *named = catalog_engine(&serve->catalog, testform_text(form, "dev_engine"));
    return named ? named : serve->catalog.engine_count > 0 ? &serve->catalog.engines[0] : NULL;
}

/* Suggests what the engine's preset says, and what its default says. */
static void suggest_preset(const CatalogEngine *engine, const char *preset, TestForm *form) {
    EngineConfig config = {.name = engine->name};
    Words unknown = {0};
    config.presets[form->kind] = presets_of(engine, form);
    if (!preset || !engineconfig_apply(&config, preset, form, &unknown, NULL))
        engineconfig_apply(&config, "default", form, &unknown, NULL);
    words_free(&unknown);
}

/* Suggests the default networks of the sides' engines. */
static void suggest_networks(Transaction *t, TestForm *form) {
    static const char *const SIDES[][2] = {{"dev_engine", "dev_network"},
                                           {"base_engine", "base_network"}};
    for (size_t i = 0; i < COUNT(SIDES); i++) {
        Network network;
        Query *query = store_networks(t, testform_text(form, SIDES[i][0]));
        while (store_next_network(query, &network)) {
            if (network.is_default && strcmp(network.engine, testform_text(form, SIDES[i][0])) == 0)
                testform_suggest(form, SIDES[i][1], network.sha);
            store_free_network(&network);
        }
        query_end(query);
    }
}

void form_suggest(const Serve *serve, Transaction *t, const char *preset, TestForm *form) {
    bool has_book = testform_get(form, "book_name") != NULL;
    const CatalogEngine *engine = engine_of(serve, form);
    if (engine) {
        char nps[32];
        suggest_preset(engine, preset, form);
        snprintf(nps, sizeof nps, "%" PRId64, engine->nps);
        testform_suggest(form, "dev_engine", engine->name);
        testform_suggest(form, "base_engine", testform_text(form, "dev_engine"));
        testform_suggest(form, "dev_repo", engine->source);
        testform_suggest(form, "base_repo", testform_text(form, "dev_repo"));
        testform_suggest(form, "scale_nps", nps);
    }
    suggest_networks(t, form);
    if (!has_book && serve->catalog.book_count > 0 && form->kind != TESTFORM_DATAGEN &&
        !catalog_book(&serve->catalog, testform_text(form, "book_name")))
        testform_set(form, "book_name", serve->catalog.books[0].name);
    testform_fill(form);
}

static void copy_side(const TestSide *side, const char *prefix, TestForm *form) {
    const struct {
        const char *name, *value;
    } texts[] = {{"engine", side->engine},   {"repo", side->repo},
                 {"branch", side->branch},   {"network", side->network},
                 {"options", side->options}, {"time_control", side->time_control}};
    for (size_t i = 0; i < COUNT(texts); i++) {
        Text name = {0};
        text_addf(&name, "%s%s", prefix, texts[i].name);
        testform_set(form, text_string(&name), texts[i].value);
        text_free(&name);
    }
}

void form_copy(const Test *test, const TestParameters *parameters, TestForm *form) {
    copy_side(&test->sides[SIDE_DEV], "dev_", form);
    copy_side(&test->sides[SIDE_BASE], "base_", form);
    testform_set(form, "test_mode", test->kind);
    if (test_is(test, "SPRT")) {
        testform_set_two(form, "test_bounds", test->elo0, test->elo1);
        testform_set_two(form, "test_confidence", test->beta, test->alpha);
    }
    if (test->max_games > 0) {
        testform_set_number(form, "test_max_games", (double)test->max_games);
        testform_set_number(form, "datagen_max_games", (double)test->max_games);
    }
    testform_set(form, "datagen_custom_genfens", test->genfens_args);
    testform_set(form, "datagen_play_reverses", test->play_reverses ? "YES" : "NO");
    testform_set(form, "spsa_reporting_type", test->spsa_reporting);
    testform_set(form, "spsa_distribution_type", test->spsa_distribution);
    if (test->spsa.iterations > 0) {
        Text lines = {0};
        testform_set_schedule(form, &test->spsa);
        testjson_inputs(test, parameters, &lines);
        testform_set(form, "spsa_inputs", text_string(&lines));
        text_free(&lines);
    }
    testform_set(form, "book_name", test->book_name);
    testform_set(form, "upload_pgns", test->upload_pgns);
    testform_set_number(form, "throughput", (double)test->throughput);
    testform_set_number(form, "workload_size", (double)test->workload_size);
    testform_set_number(form, "priority", (double)test->priority);
    testform_set(form, "syzygy_wdl", test->syzygy_wdl);
    testform_set(form, "syzygy_adj", test->syzygy_adj);
    testform_set(form, "win_adj", test->win_adj);
    testform_set(form, "draw_adj", test->draw_adj);
    testform_set(form, "scale_method", test->scale_method);
    testform_set_number(form, "scale_nps", (double)test->scale_nps);
    testform_set(form, "info", test->info);
}

/* ---- Into the page ---- */

/* Adds a choice; `text` is shown. */
static void add_choice(cJSON *field, const char *value, const char *text, const char *chosen) {
    cJSON *choice = value_item(field, "choices");
    value_text(choice, "choice", value);
    value_text(choice, "text", text);
    value_bool(choice, "chosen", strcmp(value, chosen) == 0);
}

static void add_networks(Transaction *t, cJSON *field, const char *chosen) {
    Network network;
    add_choice(field, "", "none", chosen);
    Query *query = store_networks(t, "");
    while (store_next_network(query, &network)) {
        char *text = text_format("%s (%s)", network.name, network.engine);
        add_choice(field, network.sha, text, chosen);
        free(text);
        store_free_network(&network);
    }
    query_end(query);
}

static void add_words(cJSON *field, const char *words, const char *chosen) {
    Words list = {0};
    words_split(&list, words, NULL);
    for (size_t i = 0; i < list.count; i++)
        add_choice(field, list.items[i], list.items[i], chosen);
    words_free(&list);
}

/* A browser would send the first choice in place of a value that is none of them. */
static void add_lost_choice(cJSON *field, const char *chosen) {
    const cJSON *choices = cJSON_GetObjectItem(field, "choices");
    for (const cJSON *choice = choices ? choices->child : NULL; choice; choice = choice->next)
        if (cJSON_IsTrue(cJSON_GetObjectItem(choice, "chosen")))
            return;
    char *text = text_format("%s: not on this server", chosen);
    add_choice(field, chosen, text, chosen);
    free(text);
}

static void add_choices(const Serve *serve, Transaction *t, const TestForm *form,
                        const Field *field, cJSON *item) {
    const Catalog *catalog = &serve->catalog;
    const char *chosen = testform_text(form, field->name);
    switch (field->choices) {
    case CHOICES_WORDS:
        add_words(item, testform_words(field->name), chosen);
        break;
    case CHOICES_ENGINES:
        for (size_t i = 0; i < catalog->engine_count; i++)
            add_choice(item, catalog->engines[i].name, catalog->engines[i].name, chosen);
        break;
    case CHOICES_BOOKS:
        if (form->kind == TESTFORM_DATAGEN)
            add_choice(item, "NONE", "none: the engine's own positions", chosen);
        for (size_t i = 0; i < catalog->book_count; i++)
            add_choice(item, catalog->books[i].name, catalog->books[i].name, chosen);
        break;
    case CHOICES_NETWORKS:
        add_networks(t, item, chosen);
        break;
    }
    add_lost_choice(item, chosen);
}

/* The rows of an area that shows the whole value, as far as a page goes. */
static int64_t area_rows(const char *value) {
    enum { LINE_SHOWN = 40, LEAST = 5, MOST = 30 };
    int64_t rows = 0;
    size_t length;
    while (text_next_line(&value, &length) != NULL)
        rows += 1 + (int64_t)length / LINE_SHOWN;
    return rows < LEAST ? LEAST : rows < MOST ? rows : MOST;
}

static void add_field(const Serve *serve, Transaction *t, const TestForm *form, const Field *field,
                      cJSON *group) {
    enum { LINE_SHOWN = 28 }; /* Characters of a line on a phone. */
    cJSON *item = value_item(group, "fields");
    bool side = strcmp(field->group, "dev") == 0 || strcmp(field->group, "base") == 0;
    value_text(item, "name", field->name);
    value_text(item, "label", field->label);
    value_text(item, "side", side ? field->group : "");
    value_text(item, "value", testform_text(form, field->name));
    value_text(item, "help", field->help);
    bool area = field->control == CONTROL_AREA;
    bool is_long =
        field->control == CONTROL_TEXT && strlen(testform_text(form, field->name)) > LINE_SHOWN;
    value_bool(item, "is_wide", area || is_long || strcmp(field->name, "draw_adj") == 0);
    value_bool(item, "is_long", is_long);
    value_bool(item, "is_text", field->control == CONTROL_TEXT);
    value_number(item, "area_rows", area ? area_rows(testform_text(form, field->name)) : 0);
    value_bool(item, "is_select", field->control == CONTROL_SELECT);
    if (field->control == CONTROL_SELECT)
        add_choices(serve, t, form, field, item);
}

/* Adds a link to the form as it begins for an engine and a preset; NULL: the default one. */
static void add_beginning(cJSON *values, const char *list, const char *engine, const char *preset) {
    cJSON *item = value_item(values, list);
    Text query = {0};
    text_add(&query, "engine=");
    text_add_percent(&query, engine, strlen(engine));
    if (preset) {
        text_add(&query, "&preset=");
        text_add_percent(&query, preset, strlen(preset));
    }
    value_take(item, "query", &query);
    value_text(item, "label", preset ? preset : engine);
}

static void add_beginnings(const Serve *serve, const TestForm *form, cJSON *values) {
    const Catalog *catalog = &serve->catalog;
    const CatalogEngine *engine = engine_of(serve, form);
    const cJSON *presets = presets_of(engine, form);
    for (const cJSON *preset = presets ? presets->child : NULL; preset; preset = preset->next)
        add_beginning(values, "presets", engine->name, preset->string);
    for (size_t i = 0; i < catalog->engine_count; i++)
        if (&catalog->engines[i] != engine)
            add_beginning(values, "engines", catalog->engines[i].name, NULL);
    value_bool(values, "has_presets", cJSON_HasObjectItem(values, "presets"));
    value_bool(values, "has_engines", cJSON_HasObjectItem(values, "engines"));
}

void form_values(const Serve *serve, Transaction *t, const TestForm *form, cJSON *values) {
    for (size_t g = 0; g < COUNT(GROUPS); g++) {
        cJSON *group = NULL;
        for (size_t i = 0; i < COUNT(FIELDS); i++) {
            if (strcmp(FIELDS[i].group, GROUPS[g].key) != 0 || !testform_has(form, FIELDS[i].name))
                continue;
            if (!group) {
                group = value_item(values, "groups");
                value_text(group, "heading", GROUPS[g].heading);
            }
            add_field(serve, t, form, &FIELDS[i], group);
        }
    }
    add_beginnings(serve, form, values);
}
