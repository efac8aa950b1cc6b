/* SPDX-License-Identifier: MIT */
/* Any text as a server's answer: it is refused in one line of print, or what was read from it is
 * safe to work with. Each endpoint's reader sees it, and a workload is planned too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "openbench/api.h"
#include "openbench/artifacts.h"
#include "openbench/engineconfig.h"
#include "openbench/testview.h"
#include "openbench/workload.h"
#include "session/plan.h"
#include "build/source.h"

enum { STATUS_OK = 200, STATUS_COUNT = 4, NAME_ROOM = 64 };

static void require(bool holds, const char *what, const char *text) {
    if (holds)
        return;
    fprintf(stderr, "fuzz: answer: %s: %s\n", what, text != NULL ? text : "");
    abort();
}

/* A fault is told in one line that says something, and the log shows it in characters that leave a
 * terminal alone. */
static void check_fault(const Error *err) {
    Text shown = {0};
    require(err->text[0] != '\0', "refused without a word", NULL);
    require(strpbrk(err->text, "\n\r") == NULL, "refused in several lines", err->text);
    text_add_visible(&shown, err->text, KEEP_NO_LINES);
    for (const char *c = text_string(&shown); *c != '\0'; c++)
        require((unsigned char)*c >= ' ' && *c != '\x7f', "refused with what is no print",
                err->text);
    text_free(&shown);
}

/* The result of one read: told when it failed, and only then. */
static bool took(bool ok, Error *err) {
    if (!ok)
        check_fault(err);
    *err = (Error){0};
    return ok;
}

static void check_readers(const ApiAnswer *answer) {
    Error err = {0};
    int64_t number;
    Penta penta;
    char *text = NULL;
    ApiServerConfig config;
    ApiTestInfo info;
    ApiTestCounts counts;
    took(api_read_client_version(answer, &number, &err), &err);
    took(api_read_runner_version(answer, &text, &err), &err);
    free(text);
    text = NULL;
    took(api_read_registration(answer, &number, &text, &err), &err);
    free(text);
    if (took(api_read_test_results(answer, 2, &counts, &err), &err))
        for (int i = 0; i < 5; i++)
            require(counts.own.n[i] >= 0 && counts.others.n[i] >= 0, "a negative count", NULL);
    if (took(api_read_test_pairs(answer, &penta, &err), &err))
        for (int i = 0; i < 5; i++)
            require(penta.n[i] >= 0, "a negative total", NULL);
    took(api_read_config(answer, &config, &err), &err);
    api_config_free(&config);
    if (took(api_read_test_info(answer, &info, &err), &err) && info.sprt)
        require(isfinite(info.llr) && isfinite(info.llr_lower) && isfinite(info.llr_upper),
                "an LLR that is no number", NULL);
    if (api_read_stop(answer))
        require(api_is_receipt(answer), "stopped by what is no receipt", NULL);
}

/* What a form is filled in with: fields of one line each. */
static void check_config(EngineConfig *config, TestFormKind kind) {
    Error err = {0};
    TestForm form = {.kind = kind};
    Words unknown = {0};
    require(config->nps > 0, "no speed", NULL);
    took(engineconfig_apply(config, "STC", &form, &unknown, &err), &err);
    for (size_t i = 0; i < TESTFORM_ROWS; i++) {
        const char *name = testform_name(&form, i);
        const char *value = name ? testform_get(&form, name) : NULL;
        require(!value || !strpbrk(value, "\n\r\x1b"), "a field of several lines", value);
    }
    words_free(&unknown);
    testform_free(&form);
}

static void check_presets(EngineConfig *config) {
    for (int kind = 0; kind < TESTFORM_KINDS; kind++)
        check_config(config, (TestFormKind)kind);
}

/* What people who submit tests are told. */
static void check_configs(const ApiAnswer *answer) {
    Error err = {0};
    EngineConfig config;
    ApiNetworks networks;
    if (took(engineconfig_read(answer, "Weiss", &config, &err), &err))
        check_presets(&config);
    engineconfig_free(&config);
    if (took(engineconfig_find(answer, "https://github.com/TerjeKir/weiss", "Weiss", &config, &err),
             &err) &&
        config.name)
        check_presets(&config);
    engineconfig_free(&config);
    if (took(api_read_networks(answer, &networks, &err), &err))
        for (size_t i = 0; i < networks.count; i++)
            require(networks.items[i].name && networks.items[i].sha256, "half a network", NULL);
    api_networks_free(&networks);
}

static void check_groups(const ResultGroups *groups) {
    for (size_t i = 0; i < groups->count; i++) {
        require(groups->items[i].name != NULL, "a group without a name", NULL);
        require(groups->items[i].tally.timelosses >= 0 && groups->items[i].tally.crashes >= 0,
                "a negative count of faults", NULL);
        for (int k = 0; k < 5; k++)
            require(groups->items[i].tally.penta.n[k] >= 0, "a negative count of pairs", NULL);
    }
}

/* What readers of a test are shown. */
static void check_views(const ApiAnswer *answer) {
    Error err = {0};
    TestView view = {0};
    ResultGroups groups = {0};
    if (took(testview_read(answer, &view, &err), &err))
        for (int i = 0; i < 5; i++)
            require(view.tally.penta.n[i] >= 0 && view.mode != NULL, "a test without sense", NULL);
    testview_free(&view);
    took(testview_read_machines(answer, &groups, &err), &err);
    took(testview_read_summary(answer, &groups, &err), &err);
    check_groups(&groups);
    groups_free(&groups);
}

static void check_build_info(const cJSON *json) {
    Error err = {0};
    BuildInfo info;
    if (took(build_info_parse(json, &info, &err), &err))
        for (size_t i = 0; i < info.count; i++)
            require(info.engines[i].name[0] != '\0', "an engine without a name", NULL);
    build_info_free(&info);
}

/* What a file is called after a name leaves no folder. */
static void check_name(const char *name) {
    char safe[NAME_ROOM];
    source_safe_name(name, safe, sizeof safe);
    require(strchr(safe, '/') == NULL && strcmp(safe, "..") != 0 && strcmp(safe, ".") != 0 &&
                safe[0] != '\0',
            "a name that is a path", safe);
}

static void check_plan(const Workload *workload) {
    static const PlanFacts FACTS = {.dev_nps = 1000000, .base_nps = 900000};
    Error err = {0};
    Plan plan;
    if (took(plan_make(workload, &FACTS, &plan, &err), &err)) {
        require(plan.concurrency >= 1, "no game at a time", NULL);
        require(plan.pairs >= 1, "no pairs", NULL);
        require(plan.pairs_per_runner >= 1, "runners without pairs", NULL);
        require(isfinite(plan.scale_factor) && plan.scale_factor > 0, "a factor", NULL);
        require(plan_runner(&plan, plan.pairs - 1) >= 0, "a runner", NULL);
    }
    plan_free(&plan);
}

static void check_workload(const cJSON *json) {
    Error err = {0};
    Workload workload;
    bool none = false;
    if (took(workload_parse(json, &workload, &none, &err), &err) && !none) {
        char *binaries[] = {workload_binary_name(&workload.dev),
                            workload_binary_name(&workload.base)};
        for (int i = 0; i < 2; i++) {
            check_name(binaries[i]);
            free(binaries[i]);
        }
        check_name(workload.book.name);
        require(workload_openings(&workload) >= 1, "no openings", NULL);
        require(workload_positions(&workload) >= 1, "no positions", NULL);
        check_plan(&workload);
    }
    workload_free(&workload);
}

static void check_artifacts(const char *text, size_t size) {
    static const char *const FLAGS[] = {"AVX2", "BMI2", "POPCNT"};
    Error err = {0};
    Artifacts artifacts;
    Words flags = {0};
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
        words_add(&flags, FLAGS[i]);
    if (took(artifacts_parse(text, size, &artifacts, &err), &err))
        (void)artifacts_best(&artifacts, &flags, false);
    artifacts_free(&artifacts);
    words_free(&flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int STATUSES[STATUS_COUNT] = {STATUS_OK, 404, 500, 302};
    char *text = mem_alloc(size + 1);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    check_artifacts(text, size);
    for (int i = 0; i < STATUS_COUNT; i++) {
        HttpResponse response = {.outcome = HTTP_DONE, .status = STATUSES[i]};
        ApiAnswer answer;
        text_add_bytes(&response.body, text, size);
        text_add(&response.body, "");
        api_judge(&response, &answer);
        if (answer.verdict == API_OK) {
            require(answer.json != NULL, "nothing in a good answer", NULL);
            check_readers(&answer);
            check_configs(&answer);
            check_views(&answer);
            check_build_info(answer.json);
            check_workload(answer.json);
        } else {
            check_fault(&answer.error);
        }
        api_answer_free(&answer);
        text_free(&response.body);
    }
    free(text);
    return 0;
}
