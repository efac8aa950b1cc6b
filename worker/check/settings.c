/* SPDX-License-Identifier: MIT */
/* Checks of the engine's UCI options. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "check/examination.h"

void check_declarations(Examination *e, Finding *f) {
    for (size_t i = 0; i < e->option_faults.count; i++)
        find(f, CHECK_WARNS, "%s", e->option_faults.items[i]);
    find(f, CHECK_OK, "%zu option%s, each well declared", e->option_count,
         text_plural((int64_t)e->option_count));
}

void check_usual_options(Examination *e, Finding *f) {
    static const char *const NAMES[] = {"Hash", "Threads"};
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        const Declaration *d = examine_option(e, NAMES[i]);
        if (d == NULL)
            find(f, CHECK_WARNS, "no option %s: OpenBench sets %s in every test", NAMES[i],
                 NAMES[i]);
        else if (d->option.type != UCI_SPIN)
            find(f, CHECK_FAILS, "%s is no spin", NAMES[i]);
    }
    find(f, CHECK_OK, "both are there");
}

/* The time limit of setting a value: a large table needs longer than other answers. */
static int64_t value_limit(const Examination *e) {
    enum { TIMES = 3 };
    int64_t patience = TIMES * e->spec->patience_ms;
    return patience > e->deadlines.readyok ? patience : e->deadlines.readyok;
}

/* Sets a value, waits for `readyok`, and (searches) uses the value in a search. Returns false, and
 * the process is gone, when the engine failed. */
static bool try_value(Examination *e, const Declaration *d, const char *value, bool searches,
                      Finding *f) {
    Error err = {0};
    Text line = {0};
    if (!examine_ready(e, f))
        return false;
    bool button = d->option.type == UCI_BUTTON;
    uci_add_setoption(&line, d->option.name, button ? NULL : value);
    text_add(&line, "isready\n");
    bool alive = examine_ask(e, text_string(&line), "readyok", value_limit(e), &err);
    text_free(&line);
    Search search = {.go = "go depth 1", .fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"};
    SearchAnswer answer;
    if (!alive)
        find(f, CHECK_FAILS, "%s%s%s: %s", d->option.name, button ? "" : "=", button ? "" : value,
             err.text);
    else if (searches) {
        Finding search_finding = {0};
        alive = examine_search(e, &search, &answer, &search_finding);
        if (!alive)
            find(f, CHECK_FAILS, "%s=%s: %s", d->option.name, value,
                 text_string(&search_finding.text));
        text_free(&search_finding.text);
    }
    /* A value that makes the engine fail must not meet the next option. */
    if (!alive)
        examine_drop(e);
    return alive;
}

static bool try_number(Examination *e, const Declaration *d, int64_t number, Finding *f) {
    char *value = text_format("%" PRId64, number);
    bool alive = try_value(e, d, value, true, f);
    free(value);
    return alive;
}

/* The largest value to try; Hash and Threads are limited to this machine's memory and CPUs. */
static int64_t largest(const Examination *e, const UciOption *option) {
    int64_t most = option->max;
    if (text_equal_nocase(option->name, "Hash") && most > e->hash_mb)
        most = e->hash_mb;
    if (text_equal_nocase(option->name, "Threads") && most > e->threads)
        most = e->threads;
    return most < option->min ? option->min : most;
}

static bool try_limits(Examination *e, const Declaration *d, Finding *f) {
    const UciOption *option = &d->option;
    if (option->min == INT64_MIN || option->max == INT64_MAX || option->min > option->max)
        return true; /* The declaration has a fault, which its own check reports. */
    return try_number(e, d, option->min, f) && try_number(e, d, largest(e, option), f);
}

static bool try_choices(Examination *e, const Declaration *d, Finding *f) {
    bool alive = true;
    for (const char *at = d->option.values; alive && at[0] == '\n' && at[1] != '\0';) {
        size_t length = strcspn(at + 1, "\n");
        Text value = {0};
        text_add_bytes(&value, at + 1, length);
        alive = try_value(e, d, text_string(&value), false, f);
        text_free(&value);
        at += length + 1;
    }
    return alive;
}

static bool try_option(Examination *e, const Declaration *d, Finding *f) {
    bool alive = true;
    switch (d->option.type) {
    case UCI_SPIN:
        alive = try_limits(e, d, f);
        break;
    case UCI_CHECK:
        alive = try_value(e, d, "true", true, f) && try_value(e, d, "false", true, f);
        break;
    case UCI_COMBO:
        alive = try_choices(e, d, f);
        break;
    case UCI_BUTTON:
        return try_value(e, d, NULL, false, f);
    case UCI_STRING:
        break;
    }
    if (!alive || d->fallback == NULL)
        return alive;
    /* As it is declared: UCI writes the empty text "<empty>". */
    return try_value(e, d, d->fallback, false, f);
}

/* A match sets Hash and Threads, and other options only as the user says: an engine that does not
 * survive another one's values is warned of it. */
static bool is_usual(const UciOption *option) {
    return text_equal_nocase(option->name, "Hash") || text_equal_nocase(option->name, "Threads");
}

static void judge_option(Examination *e, const Declaration *d, Finding *f) {
    Finding found = {0};
    try_option(e, d, &found);
    if (found.outcome > CHECK_OK)
        find(f, is_usual(&d->option) ? found.outcome : CHECK_WARNS, "%s", text_string(&found.text));
    text_free(&found.text);
}

void check_option_values(Examination *e, Finding *f) {
    Text bounds = {0};
    for (size_t i = 0; i < e->option_count; i++) {
        const Declaration *d = &e->options[i];
        judge_option(e, d, f);
        if (d->option.type == UCI_SPIN && d->option.max != INT64_MAX &&
            largest(e, &d->option) < d->option.max)
            text_addf(&bounds, "%s %s up to %" PRId64, bounds.length > 0 ? "," : ";",
                      d->option.name, largest(e, &d->option));
    }
    /* The tried values end with this process; the next process has the engine's own options. */
    examine_drop(e);
    if (bounds.length > 0)
        text_add(&bounds, ", as far as this machine goes");
    find(f, CHECK_OK, "each option took its limits, its choices and its default%s",
         text_string(&bounds));
    text_free(&bounds);
}
