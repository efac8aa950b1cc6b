/* SPDX-License-Identifier: MIT */
#include "check/checkup.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/cpus.h"
#include "base/loop.h"
#include "base/memory.h"
#include "base/ram.h"
#include "check/examination.h"
#include "chess/attacks.h"
#include "match/player.h"

enum { HASH_MAX_MB = 256, HASH_MIN_MB = 16, RAM_SHARE = 4, MB_SHIFT = 20 };

static const struct {
    const char *name;
    Check check;
    bool costs_games;
    bool server_needs;
} CHECKS[] = {
    {"uci", check_uci, true, true},
    {"option lines", check_declarations, false, false},
    {"Hash and Threads", check_usual_options, true, true},
    {"option values", check_option_values, true, false},
    {"go depth", check_depth, true, true},
    {"go nodes", check_nodes, true, true},
    {"go movetime", check_movetime, true, true},
    {"go with clocks", check_clocks, true, true},
    {"go searchmoves", check_searchmoves, false, false},
    {"go infinite, stop", check_infinite, false, false},
    {"isready in a search", check_isready_in_search, false, false},
    {"stop at once", check_stop_at_once, false, false},
    {"positions", check_positions, true, true},
    {"a long game", check_long_game, true, true},
    {"mate and stalemate", check_game_over, false, false},
    {"games", check_games, true, true},
    {"Chess960", check_chess960, true, false},
    {"scores", check_scores, false, false},
    {"pv", check_lines, false, false},
    {"quit", check_quit, false, false},
    {"end of input", check_end_of_input, false, false},
    {"bench", check_bench, false, true},
    {"genfens", check_genfens, false, false},
};

/* The largest Hash and Threads to try have to fit this machine. */
static void choose_limits(Examination *e) {
    int64_t mb = (int64_t)(ram_available() >> MB_SHIFT) / RAM_SHARE;
    e->hash_mb = mb > HASH_MAX_MB ? HASH_MAX_MB : mb < HASH_MIN_MB ? HASH_MIN_MB : mb;
    e->threads = cpus_online();
}

static void add_result(CheckupResult *out, size_t i, Finding *f) {
    bool harms = CHECKS[i].costs_games || CHECKS[i].server_needs;
    if (f->outcome == CHECK_FAILS && !harms)
        f->outcome = CHECK_WARNS;
    if (f->more > 0)
        text_addf(&f->text, " (and %d more)", f->more);
    out->results[out->count++] = (CheckResult){.name = CHECKS[i].name,
                                               .outcome = f->outcome,
                                               .costs_games = CHECKS[i].costs_games,
                                               .server_needs = CHECKS[i].server_needs,
                                               .text = text_take(&f->text)};
}

bool checkup_run(const CheckupSpec *spec, CheckupResult *out, Error *err) {
    Examination e = {.spec = spec, .deadlines = player_deadlines(&spec->deadlines)};
    if (!loop_init(&e.loop, err))
        return false;
    *out = (CheckupResult){.results = mem_calloc(COUNT(CHECKS), sizeof *out->results)};
    chess_init();
    choose_limits(&e);
    examine_confine(&e);
    for (size_t i = 0; i < COUNT(CHECKS); i++) {
        Finding f = {0};
        log_progress(spec->log, "trying: %s", CHECKS[i].name);
        CHECKS[i].check(&e, &f);
        add_result(out, i, &f);
        /* No further check is possible of an engine that does not start. */
        if (i == 0 && f.outcome == CHECK_FAILS)
            break;
    }
    log_progress_clear(spec->log);
    memcpy(out->id, e.id, sizeof out->id);
    examine_drop(&e);
    for (size_t i = 0; i < e.option_count; i++)
        declaration_free(&e.options[i]);
    free(e.options);
    words_free(&e.option_faults);
    sandbox_policy_free(&e.policy);
    uv_loop_close(&e.loop);
    return true;
}

void checkup_free(CheckupResult *result) {
    for (size_t i = 0; i < result->count; i++)
        free(result->results[i].text);
    free(result->results);
    *result = (CheckupResult){0};
}

static bool loses(const CheckResult *result) {
    return result->outcome == CHECK_FAILS && result->costs_games;
}

static bool bars(const CheckResult *result) {
    return result->outcome == CHECK_FAILS && result->server_needs;
}

static bool has(const CheckupResult *result, bool (*is)(const CheckResult *)) {
    for (size_t i = 0; i < result->count; i++)
        if (is(&result->results[i]))
            return true;
    return false;
}

bool checkup_loses_games(const CheckupResult *result) {
    return has(result, loses);
}

/* Can OpenBench use the engine? */
static bool serves(const CheckupResult *result) {
    return !has(result, bars);
}

static const char *outcome_word(CheckOutcome outcome) {
    static const char *const WORDS[CHECK_OUTCOMES] = {"ok", "left out", "warning", "FAILS"};
    return WORDS[outcome];
}

/* ---- Output ---- */

/* Appends the names of the checks for which `is` is true, separated by commas. */
static void add_names(const CheckupResult *result, bool (*is)(const CheckResult *), Text *out) {
    const char *between = "";
    for (size_t i = 0; i < result->count; i++) {
        if (!is(&result->results[i]))
            continue;
        text_addf(out, "%s%s", between, result->results[i].name);
        between = ", ";
    }
}

void checkup_text(const CheckupResult *result, Text *out) {
    for (size_t i = 0; i < result->count; i++) {
        const CheckResult *r = &result->results[i];
        text_addf(out, "%-20s %-9s", r->name, outcome_word(r->outcome));
        text_add_visible(out, r->text, KEEP_NO_LINES);
        text_add_char(out, '\n');
    }
    text_add(out, "\nWould lose games in a match: ");
    text_add(out, checkup_loses_games(result) ? "yes: " : "no");
    add_names(result, loses, out);
    text_add(out, "\nOpenBench can use it:        ");
    text_add(out, serves(result) ? "yes" : "no: ");
    add_names(result, bars, out);
    text_add_char(out, '\n');
}

void checkup_json(const CheckupResult *result, Text *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON *checks = cJSON_AddArrayToObject(root, "checks");
    cJSON_AddStringToObject(root, "engine", result->id);
    for (size_t i = 0; i < result->count; i++) {
        const CheckResult *r = &result->results[i];
        cJSON *check = cJSON_CreateObject();
        cJSON_AddStringToObject(check, "check", r->name);
        cJSON_AddStringToObject(check, "result", outcome_word(r->outcome));
        cJSON_AddStringToObject(check, "text", r->text);
        cJSON_AddBoolToObject(check, "loses_games", loses(r));
        cJSON_AddBoolToObject(check, "bars_openbench", bars(r));
        cJSON_AddItemToArray(checks, check);
    }
    cJSON_AddBoolToObject(root, "loses_games", checkup_loses_games(result));
    cJSON_AddBoolToObject(root, "openbench", serves(result));
    json_take(root, out);
}
