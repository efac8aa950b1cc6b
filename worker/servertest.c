/* SPDX-License-Identifier: MIT */
#include "servertest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "openbench/testform.h"
#include "openbench/testview.h"
#include "stats/bounds.h"

typedef void (*Compose)(const ApiAccount *account, int64_t test_id, HttpRequest *request);

/* OpenBench says in words that it wants a login, with status 200. */
static bool wants_login(const HttpResponse *response, const ApiAnswer *answer) {
    return response->status == 401 || response->status == 403 ||
           strstr(answer->error.text, "requires authentication") != NULL;
}

/* Puts the test before the error. Returns false. */
static bool name_test(const ApiAccount *account, int64_t id, Error *err) {
    return error_prefix(err, "test %" PRId64 " on %s", id, account->base_url);
}

/* Sends a request and judges its answer: with `text` a text, which is appended there; else JSON. */
static bool ask(Compose compose, const ApiAccount *account, int64_t id, ApiAnswer *answer,
                Text *text, bool *again, Error *err) {
    HttpRequest request = {0};
    HttpResponse response;
    compose(account, id, &request);
    http_perform(&request, NULL, &response);
    (text ? api_judge_text : api_judge)(&response, answer);
    if (text)
        text_add(text, text_string(&response.body));
    *again = answer->verdict == API_RETRY;
    bool stranger = !account->username && wants_login(&response, answer);
    bool ok = answer->verdict == API_OK ||
              error_set(err, "test %" PRId64 " on %s: %s%s", id, account->base_url,
                        answer->error.text, stranger ? " (it may want a login: --username)" : "");
    http_response_free(&response);
    http_request_free(&request);
    return ok;
}

/* ---- Into a result ---- */

/* Adds "2026-11-20 09:12" for "2026-11-20 09:12:44.190653+00:00". */
static void add_date(Result *result, const char *name, const char *date) {
    enum { TO_THE_MINUTE = 16 };
    static const char UTC[] = "+00:00";
    char text[TO_THE_MINUTE + 8];
    size_t length = date ? strlen(date) : 0;
    bool utc = length > strlen(UTC) && strcmp(date + length - strlen(UTC), UTC) == 0;
    if (length < TO_THE_MINUTE)
        return;
    snprintf(text, sizeof text, "%.*s%s", TO_THE_MINUTE, date, utc ? " UTC" : "");
    result_add_both(result, name, text);
}

static void add_settings(const TestView *view, Result *result) {
    const TestViewSide *dev = &view->sides[SIDE_DEV];
    const TestViewSide *base = &view->sides[SIDE_BASE];
    result_add_given(result, "engine", dev->engine, base->engine);
    result_add_given(result, "branch", dev->branch, base->branch);
    result_add_commits(result, dev->sha, base->sha);
    result_add_numbers(result, "bench", dev->bench, base->bench);
    result_add_given(result, "network", dev->network, base->network);
    result_add_given(result, "time control", dev->time_control, base->time_control);
    result_add_given(result, "options", dev->options, base->options);
    result_add_rule(result);
    add_date(result, "created", view->created);
    /* Of a result, or of what a user changed; without games the date of the creation. */
    if (tally_games(&result->report.tally) > 0)
        add_date(result, "last change", view->updated);
    result_add_both(result, "author", view->author);
    result_add_both(result, "remarks", view->info);
    result_add_both(result, "book", view->book);
    result_add_both(result, "win adjudication", view->win_adj);
    result_add_both(result, "draw adjudication", view->draw_adj);
    result_add_both(result, "Syzygy, engines", view->syzygy_wdl);
    result_add_both(result, "Syzygy, adjudication", view->syzygy_adj);
    result_add_speed(result, view->scale_nps, view->scale_method);
}

/* Has the server ended the test? It marks a test at its first error, and most tests play on. */
static bool is_over(const TestView *view) {
    return view->finished || view->passed || view->failed || view->deleted;
}

/* The test's state in words. The server also marks as passed or failed what an SPRT did not judge:
 * fixed games by their sign, a finished data generation always. */
static const char *state_of(const TestView *view) {
    bool judged = strcmp(view->mode, "SPRT") == 0;
    return view->deleted            ? "deleted"
           : judged && view->passed ? "passed"
           : judged && view->failed ? "failed"
           : is_over(view)          ? view->error ? "stopped by an error" : "finished"
           : view->approved         ? view->error ? "running, after an error" : "running"
                                    : "not approved yet";
}

/* Does one engine make data here, by playing against itself? */
static bool makes_data(const TestView *view) {
    const TestViewSide *dev = &view->sides[SIDE_DEV];
    const TestViewSide *base = &view->sides[SIDE_BASE];
    return testform_kind(view->mode) == TESTFORM_DATAGEN && text_same(dev->engine, base->engine) &&
           text_same(dev->sha, base->sha) && text_same(dev->network, base->network) &&
           text_same(dev->options, base->options);
}

static void convert(const TestView *view, const ApiAccount *account, Result *result) {
    Text text = {0};
    const TestViewSide *dev = &view->sides[SIDE_DEV];
    const TestViewSide *base = &view->sides[SIDE_BASE];
    result_set_sides(result, dev->branch ? dev->branch : "dev",
                     base->branch ? base->branch : "base");
    TestFormKind kind = testform_kind(view->mode);
    const TestFormNames *names = testform_names(kind);
    text_addf(&text, "%s%s/%" PRId64 "/", account->base_url, names->path, view->id);
    result->link = text_take(&text);
    text_addf(&text, "%s %" PRId64, names->noun, view->id);
    result->source = text_take(&text);
    if (kind != TESTFORM_TUNE) /* Both of its sides are one branch. */
        result->changes = result_changes_address(dev->repo, base->repo, dev->sha, base->sha);
    result->state = mem_strdup(state_of(view));
    result->over = is_over(view);
    result->unapproved = !view->approved && !result->over;
    result->report = (Report){
        .sprt = strcmp(view->mode, "SPRT") == 0,
        .rule = {.elo0 = view->elo0, .elo1 = view->elo1, .alpha = view->alpha, .beta = view->beta},
        .games_known = true,
        .faults_unknown = true,
        .details_unknown = true};
    if (makes_data(view))
        result_set_data(result);
    result->games_wanted = view->max_games;
    Tally *tally = &result->report.tally;
    *tally = view->tally;
    if (view->use_tri)
        tally->penta = (Penta){0};
    result_set_server_setup(result, dev->time_control, base->time_control, dev->options,
                            base->options);
    add_settings(view, result);
    if (tally_games(tally) > 0)
        result_add_point(result, tally_games(tally));
}

/* Adds up the machines' faults; the server tells none for the whole test. */
static void count_faults(Result *result) {
    for (size_t i = 0; i < result->groups.count; i++) {
        const ResultGroup *group = &result->groups.items[i];
        if (!group->faults_known)
            continue;
        result->report.faults_unknown = false;
        result->report.tally.timelosses += group->tally.timelosses;
        result->report.tally.crashes += group->tally.crashes;
    }
}

static bool ask_parameters(const ApiAccount *account, int64_t id, Result *result, bool *again,
                           Error *err) {
    ApiAnswer answer = {0};
    Text digest = {0};
    bool ok = ask(api_spsa_digest, account, id, &answer, &digest, again, err) &&
              (testview_read_digest(text_string(&digest), &result->report.parameters, err) ||
               name_test(account, id, err));
    if (ok)
        result_set_tuning(result);
    api_answer_free(&answer);
    text_free(&digest);
    return ok;
}

static bool ask_groups(const ApiAccount *account, int64_t id, Result *result, bool *again,
                       Error *err) {
    static const struct {
        Compose compose;
        bool (*read)(const ApiAnswer *answer, ResultGroups *groups, Error *err);
    } KINDS[] = {{api_test_results, testview_read_machines},
                 {api_test_summary, testview_read_summary}};
    bool ok = true;
    for (size_t i = 0; ok && i < COUNT(KINDS); i++) {
        ApiAnswer answer = {0};
        ok = ask(KINDS[i].compose, account, id, &answer, NULL, again, err) &&
             (KINDS[i].read(&answer, &result->groups, err) || name_test(account, id, err));
        api_answer_free(&answer);
    }
    count_faults(result);
    return ok;
}

static bool check_rule(const TestView *view, const ApiAccount *account, const Report *report,
                       Error *err) {
    return !report->sprt || sprt_rule_is_sound(&report->rule) ||
           error_set(err,
                     "test %" PRId64 " on %s: its bounds [%g, %g] with errors %g and %g are "
                     "no rule of an SPRT",
                     view->id, account->base_url, view->elo0, view->elo1, view->alpha, view->beta);
}

bool servertest_read(const ApiAccount *account, int64_t id, Result *result, bool *again,
                     Error *err) {
    TestView view = {0};
    ApiAnswer answer = {0};
    bool passes = false;
    bool ok = ask(api_test_info, account, id, &answer, NULL, &passes, err) &&
              (testview_read(&answer, &view, err) || name_test(account, id, err));
    api_answer_free(&answer);
    if (ok)
        convert(&view, account, result);
    ok = ok && check_rule(&view, account, &result->report, err) &&
         ask_groups(account, id, result, &passes, err) &&
         (testform_kind(view.mode) != TESTFORM_TUNE ||
          ask_parameters(account, id, result, &passes, err));
    if (again)
        *again = !ok && passes;
    testview_free(&view);
    return ok;
}
