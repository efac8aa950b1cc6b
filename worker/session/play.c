/* Playing a prepared workload: its plan as a match, and what the match tells. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/ram.h"
#include "match/pgn.h"
#include "session/state.h"

enum {
    MAX_FAULT_REPORTS = 8, /* of one workload: the server keeps them all */
    NODES_LEAST_MS = 60000,
    NODES_PATIENCE = 20, /* times what the nodes should take */
    MS_PER_SECOND = 1000
};

/* How the server names an engine's fault. */
static const char *fault_name(const MatchGame *game) {
    if (game->fault == MATCH_ILLEGAL)
        return "Illegal Move";
    return strstr(game->record->termination, "stall") ? "Stalled" : "Disconnect";
}

/* Says it once when the engines are kept waiting for long. */
static void watch_contention(Session *s, const MatchGame *game) {
    MachineTime now = machine_time();
    if (!contention_add(&s->contention, &game->cpu, &now))
        return;
    log_warn(
        s->log,
        "test %" PRId64 ": this machine is too busy for %d games at a time: engines waited for "
        "a CPU %.1f %% of the time that they wanted to run, %.1f %% of the machine's time was "
        "taken by its host; use fewer --threads",
        s->workload.test_id, s->plan.concurrency, contention_waited(&s->contention, &now) * 100,
        contention_stolen(&s->contention, &now) * 100);
}

static void on_game(int64_t pair, int number, const MatchGame *game, void *user) {
    Session *s = user;
    watch_contention(s, game);
    (void)pair;
    (void)number;
    if (game->fault == MATCH_NO_FAULT)
        return;
    if (game->fault == MATCH_TIME_LOSS || s->faults_noted >= MAX_FAULT_REPORTS || s->abandoned)
        return;
    s->faults_noted++;
    Text pgn = {0};
    pgn_write(game->record, PGN_VERBOSE, &pgn);
    session_note_fault(s, fault_name(game), text_string(&pgn));
    text_free(&pgn);
}

static void on_pair(const MatchPair *pair, void *user) {
    Session *s = user;
    if (s->abandoned)
        return;
    Tally tally = match_tally(pair);
    tally_add(&s->pending, &tally);
    plan_spsa_add(&s->workload, plan_runner(&s->plan, pair->index), tally.wins, tally.losses,
                  s->pending_deltas);
    s->pairs_played++;
    gamefile_add(&s->games, pair);
    const Tally *t = &s->total;
    log_progress(s->log,
                 "test %" PRId64 ": %" PRId64 " of %" PRId64 " pairs played; %" PRId64
                 " games reported",
                 s->workload.test_id, s->pairs_played, s->plan.pairs, tally_games(t));
}

/* The values that the pair's runner tries. */
static int pair_options(int64_t pair, MatchSide side, const MatchOption **options, void *user) {
    const Session *s = user;
    size_t first = (size_t)plan_runner(&s->plan, pair) * s->plan.spsa_count;
    *options = s->plan.spsa[side] + first;
    return (int)s->plan.spsa_count;
}

static void on_packed(const Error *err, void *user) {
    Session *s = user;
    if (err) {
        log_warn(s->log, "packing the games: %s: they are not uploaded", err->text);
        session_drop_games(s);
    }
    session_enter_wind_up(s);
}

static void on_end(MatchEnd end, const Error *err, void *user) {
    Session *s = user;
    match_free(s->match);
    s->match = NULL;
    if (end == MATCH_END_FAILED && !s->abandoned) {
        log_error(s->log, "test %" PRId64 ": %s", s->workload.test_id, err->text);
        session_note_fault(s, err->text, "");
        session_blacklist(s, s->workload.test_id);
        s->workloads_failed++;
    }
    log_info(s->log, "test %" PRId64 ": %" PRId64 " of %" PRId64 " pairs played",
             s->workload.test_id, s->pairs_played, s->plan.pairs);
    if (s->finishing || !gamefile_pack(&s->games, s->loop, on_packed, s))
        session_enter_wind_up(s);
}

/* The least time that silence under a fixed number of nodes is borne. */
static int64_t nodes_patience(const Session *s) {
    int64_t patience = NODES_LEAST_MS;
    for (int i = 0; i < MATCH_SIDES; i++) {
        const TimeControl *tc = &s->plan.time_control[i];
        int64_t nps = s->prepared.nps[i];
        if (tc->kind == TC_NODES && nps > 0 &&
            tc->nodes / nps * NODES_PATIENCE > patience / MS_PER_SECOND)
            patience = tc->nodes / nps * NODES_PATIENCE * MS_PER_SECOND;
    }
    return patience;
}

static bool open_book(Session *s, Error *err) {
    if (!book_load(&s->book, s->prepared.book, s->plan.chess960, err))
        return false;
    if (s->workload.type != WORKLOAD_DATAGEN)
        book_shuffle(&s->book, (uint64_t)s->workload.book_seed);
    return true;
}

static bool open_tables(Session *s, Error *err) {
    if (s->plan.syzygy_adj_men == 0)
        return true;
    s->syzygy_open = syzygy_open(&s->syzygy, s->config.syzygy, s->plan.syzygy_adj_men, err);
    return s->syzygy_open;
}

/* Where the games are kept that the test wants to have. */
static bool open_games(Session *s, Error *err) {
    PgnStyle style;
    double scale = s->plan.scale_factor;
    return !gamefile_style(s->workload.upload_pgns, &style) ||
           gamefile_open(&s->games, s->engine_dir, style, s->plan.timed ? scale : 0, err);
}

/* A machine that swaps plays nobody's games well: fewer at a time then. */
static void fit_memory(const Session *s, MatchConfig *config) {
    Text want = {0};
    config->concurrency = match_fit_memory(config, ram_available(), &want);
    if (want.length > 0)
        log_warn(s->log, "test %" PRId64 ": %s: %d at a time", s->workload.test_id,
                 text_string(&want), config->concurrency);
    text_free(&want);
}

static bool start_match(Session *s, Error *err) {
    static const char *const names[MATCH_SIDES] = {[MATCH_DEV] = "dev", [MATCH_BASE] = "base"};
    MatchConfig config = {.book = &s->book,
                          .first_opening = s->plan.first_opening,
                          .pairs = s->plan.pairs,
                          .no_reverses = s->plan.no_reverses,
                          .chess960 = s->plan.chess960,
                          .concurrency = s->plan.concurrency,
                          .margin_ms = MATCH_MARGIN_MS,
                          .adjudication = {.resign = s->plan.resign,
                                           .draw = s->plan.draw,
                                           .syzygy = s->syzygy_open ? &s->syzygy : NULL},
                          .deadlines = {.nodes = nodes_patience(s)},
                          .log = s->log,
                          .transcripts = &s->transcripts};
    for (int i = 0; i < MATCH_SIDES; i++) {
        s->argv[i][0] = s->prepared.binary[i];
        config.engines[i] = (MatchEngine){.name = names[i],
                                          .argv = s->argv[i],
                                          .dir = s->engine_dir,
                                          .options = s->plan.options[i].options,
                                          .option_count = s->plan.options[i].count,
                                          .strict_options = s->plan.spsa_count > 0,
                                          .time_control = s->plan.time_control[i]};
        engine_confine(&config.engines[i], s->config.sandbox, &s->policies[i]);
    }
    fit_memory(s, &config);
    MatchCallbacks callbacks = {.on_pair = on_pair, .on_game = on_game, .on_end = on_end};
    if (s->plan.spsa_count)
        callbacks.pair_options = pair_options;
    MachineTime now = machine_time();
    contention_start(&s->contention, &now);
    s->match = match_start(s->loop, &config, &callbacks, s, err);
    return s->match != NULL;
}

bool session_play(Session *s, Error *err) {
    PlanFacts facts = {.dev_nps = s->prepared.nps[MATCH_DEV],
                       .base_nps = s->prepared.nps[MATCH_BASE],
                       .syzygy_path = s->config.syzygy,
                       .syzygy_max = s->syzygy_max};
    if (!plan_make(&s->workload, &facts, &s->plan, err) || !open_book(s, err) ||
        !open_tables(s, err) || !open_games(s, err) || !start_match(s, err))
        return false;
    s->play_started = clock_now_ns();
    log_info(s->log,
             "test %" PRId64 " (%s): %s against %s, %" PRId64 " pairs from opening %" PRId64
             ", %d games at a time, clocks x %.3f",
             s->workload.test_id, s->workload.type_name, s->workload.dev.name,
             s->workload.base.name, s->plan.pairs, s->workload.book_index, s->plan.concurrency,
             s->plan.scale_factor);
    return true;
}

void session_free_play(Session *s) {
    match_free(s->match);
    s->match = NULL;
    if (s->syzygy_open)
        syzygy_close(&s->syzygy);
    s->syzygy_open = false;
    book_free(&s->book);
    plan_free(&s->plan);
    for (int i = 0; i < MATCH_SIDES; i++)
        sandbox_policy_free(&s->policies[i]);
}
