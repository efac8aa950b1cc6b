/* SPDX-License-Identifier: MIT */
#include "serve/testwords.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "openbench/testform.h"
#include "report/chart.h"
#include "serve/rules.h"
#include "serve/values.h"

const char *test_path(const Test *test) {
    return testform_names(testform_kind(test->kind))->path;
}

void test_title(const Test *test, Text *out) {
    const char *noun = testform_names(testform_kind(test->kind))->noun;
    text_addf(out, "%c%s %" PRId64, toupper((unsigned char)noun[0]), noun + 1, test->id);
}

static bool is_same_source(const TestSide *a, const TestSide *b) {
    return strcmp(a->engine, b->engine) == 0 && strcmp(a->branch, b->branch) == 0 &&
           strcmp(a->sha, b->sha) == 0;
}

bool test_compares(const Test *test) {
    const TestSide *dev = &test->sides[SIDE_DEV];
    const TestSide *base = &test->sides[SIDE_BASE];
    bool same = strcmp(dev->engine, base->engine) == 0 && strcmp(dev->sha, base->sha) == 0 &&
                strcmp(dev->network, base->network) == 0 &&
                strcmp(dev->options, base->options) == 0;
    return !test_is(test, "SPSA") && !(test_is(test, "DATAGEN") && same);
}

/* Adds the side's branch, where wanted behind the engine's name and before the commit. */
static void add_side(const TestSide *side, bool engine, bool commit, Text *out) {
    enum { COMMIT_SHOWN = 7 };
    text_addf(out, "%s%s%s", engine ? side->engine : "", engine ? " " : "", side->branch);
    if (commit)
        text_addf(out, " %.*s", COMMIT_SHOWN, side->sha);
}

void test_name(const Test *test, Text *out) {
    const TestSide *dev = &test->sides[SIDE_DEV];
    const TestSide *base = &test->sides[SIDE_BASE];
    bool engines = strcmp(dev->engine, base->engine) != 0;
    bool commits = strcmp(dev->branch, base->branch) == 0 && strcmp(dev->sha, base->sha) != 0;
    if (test_is(test, "SPSA"))
        text_addf(out, "Tuning in %s", dev->branch);
    else if (!test_compares(test))
        text_addf(out, "Training data of %s", dev->branch);
    else {
        add_side(dev, engines, commits, out);
        text_add(out, " against ");
        if (!engines && is_same_source(dev, base))
            text_add(out, "itself");
        else
            add_side(base, engines, commits, out);
    }
}

const char *test_state(const Test *test) {
    bool judged = test_is(test, "SPRT");
    bool over = test->passed || test->failed || rules_end(test) != TEST_GOES_ON;
    return test->deleted            ? "deleted"
           : test->passed && judged ? "passed"
           : test->failed && judged ? "failed"
           : test->finished         ? over ? "finished" : "stopped"
           : test->approved         ? "running"
                                    : "waits for approval";
}

/* The class of the chip with the test's state. */
static const char *chip_of(const Test *test) {
    bool judged = test_is(test, "SPRT");
    return judged && test->passed ? "good" : judged && test->failed ? "bad" : "open";
}

/* The LLR between its bounds: a bar from 0, which stands where 0 lies between them. */
static void add_llr_bar(double llr, LlrLimits limits, Text *out) {
    double range = limits.upper - limits.lower;
    double zero = -100 * limits.lower / range;
    double end = 100 * (fmin(fmax(llr, limits.lower), limits.upper) - limits.lower) / range;
    text_addf(out,
              "<svg class=\"llrbar %s\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
              "aria-hidden=\"true\"><rect class=\"track\" width=\"100\" height=\"10\"/><rect "
              "class=\"full\" x=\"%.2f\" width=\"%.2f\" height=\"10\"/><line x1=\"%.2f\" "
              "x2=\"%.2f\" y2=\"10\"/></svg>",
              llr >= 0 ? "good" : "bad", fmin(zero, end), fabs(end - zero), zero, zero);
}

/* Adds "bar" and "progress", which are HTML. */
static void add_course(cJSON *row, const Test *test) {
    Text bar = {0};
    Text words = {0};
    int64_t games = tally_games(&test->tally);
    int64_t wanted = rules_games(test);
    if (test_is(test, "SPRT")) {
        SprtRule rule = test_rule(test);
        LlrLimits limits = sprt_limits(&rule);
        add_llr_bar(test->llr, limits, &bar);
        text_addf(&words,
                  "LLR %.2f <span class=\"nobreak\">(%.2f, %.2f)</span> "
                  "<span class=\"nobreak\">[%.2f, %.2f]</span>",
                  unsigned_zero(test->llr, 2), limits.lower, limits.upper,
                  unsigned_zero(rule.elo0, 2), unsigned_zero(rule.elo1, 2));
    } else {
        double share = wanted > 0 ? fmin(1, (double)games / (double)wanted) : 0;
        chart_bar(share, -1, "even", &bar);
        text_addf(&words, "%.0f %% of ", floor(100 * share));
        text_add_grouped(&words, wanted);
        text_add(&words, " games");
    }
    value_take(row, "bar", &bar);
    value_take(row, "progress", &words);
}

void test_elo_value(cJSON *row, const Test *test, const Tally *tally) {
    Outcomes outcomes = outcomes_of(tally);
    Text words = {0};
    if (!test_compares(test) || outcomes_no_interval(&outcomes))
        text_add(&words, "–");
    else {
        EloInterval elo = outcomes_elo(&outcomes, INTERVAL_STUDENT);
        text_addf(&words, "%+.2f ± %.2f", unsigned_zero(elo.value, 2), elo_margin(&elo));
    }
    value_take(row, "elo", &words);
}

/* A list shows two lines of the remarks, which may have 64 KB. */
static void add_info(cJSON *row, const char *info) {
    enum { INFO_SHOWN = 300 };
    Text start = {0};
    size_t end = text_add_start(&start, info, INFO_SHOWN);
    text_add(&start, info[end] != '\0' ? "…" : "");
    value_take(row, "info", &start);
}

void test_row_values(cJSON *row, const Test *test, int64_t machines) {
    const TestSide *dev = &test->sides[SIDE_DEV];
    Text name = {0};
    Text busy = {0};
    test_name(test, &name);
    if (machines > 0)
        text_addf(&busy, "%" PRId64 " machine%s", machines, text_plural(machines));
    value_number(row, "id", test->id);
    value_text(row, "path", test_path(test));
    value_take(row, "name", &name);
    value_take(row, "machines", &busy);
    value_text(row, "engine", dev->engine);
    value_text(row, "author", test->author);
    value_text(row, "clock", dev->time_control);
    add_info(row, test->info);
    value_text(row, "state", test_state(test));
    value_text(row, "chip", chip_of(test));
    value_bool(row, "faulty", test->faulty);
    value_grouped(row, "games", tally_games(&test->tally));
    value_number(row, "priority", test->priority);
    add_course(row, test);
    test_elo_value(row, test, &test->tally);
}
