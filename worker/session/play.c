/* SPDX-License-Identifier: MIT */
#include "session/play.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/ram.h"
#include "match/pgn.h"
#include "match/player.h"
#include "session/gamefile.h"

enum {
    NODES_MAX_S = 3600 /* Longest expected time of a search that is taken into account. */
};

int play_in_play(const Play *play) {
    return play->match ? match_in_play(play->match) : 0;
}

bool play_has_more(const Play *play) {
    return play->match && match_has_more(play->match);
}

/* ---- News of the match ---- */

/* Tells once when the engines waited for CPUs for long. */
static void watch_contention(Play *play, const FinishedGame *game) {
    const PlaySpec *spec = &play->spec;
    /* Without a clock the waiting was not measured. */
    if (game->cpu.wanted_ns == 0)
        return;
    MachineTime now = machine_time();
    if (!contention_add(&play->contention, &game->cpu, &now))
        return;
    Text shares = {0};
    contention_describe(&play->contention, &now, &shares);
    int games = spec->plan->concurrency;
    log_warn(spec->host->log,
             "test %" PRId64 ": this machine is too busy for %d game%s at a time: %s; %s",
             spec->workload->test_id, games, text_plural(games), text_string(&shares),
             games > 1 ? "use fewer --threads" : "end other programs that need its CPUs");
    text_free(&shares);
    play->events->on_contention(play->user);
}

/* Each line behind '%', the sign of lines that readers of PGN pass over. */
static void add_escaped(Text *pgn, const char *lines) {
    size_t length;
    for (const char *line; (line = text_next_line(&lines, &length)) != NULL;)
        text_addf(pgn, "%% %.*s\n", (int)length, line);
}

static void on_game(const FinishedGame *game, void *user) {
    Play *play = user;
    watch_contention(play, game);
    play->games_over++;
    const char *fault = ending_server_name(game->result->ending);
    if (*fault == '\0' || play->faults >= PLAY_FAULT_REPORTS)
        return;
    play->faults++;
    Text logs = {0};
    pgn_write(game->record, PGN_FULL, &logs);
    add_escaped(&logs, game->transcript);
    play->events->on_fault(fault, text_string(&logs), play->user);
    text_free(&logs);
}

static void on_pair(PairResult *pair, void *user) {
    Play *play = user;
    play->events->on_pair(pair, play->user);
}

static void on_fewer(void *user) {
    Play *play = user;
    play->events->on_fewer(play->user);
}

static void on_end(const Error *err, void *user) {
    Play *play = user;
    bool unstarted = match_unstarted(play->match);
    if (err != NULL && !unstarted)
        play->events->on_fault(match_failure(play->match), match_failure_transcript(play->match),
                               play->user);
    match_free(play->match);
    play->match = NULL;
    play->events->on_end(err, unstarted, play->user);
}

/* The SPSA values of the pair's runner. */
static int pair_options(int64_t pair, Side side, const MatchOption **options, void *user) {
    const Plan *plan = ((const Play *)user)->spec.plan;
    size_t first = (size_t)plan_runner(plan, pair) * plan->spsa_count;
    *options = plan->spsa[side] + first;
    return (int)plan->spsa_count;
}

/* ---- The start ---- */

/* The least deadline of a search for a fixed number of nodes, in milliseconds. */
static int64_t nodes_patience(const PlaySpec *spec) {
    int64_t patience = spec->host->config.waits.stall;
    for (int i = 0; i < SIDE_COUNT; i++) {
        const TimeControl *tc = &spec->plan->time_control[i];
        int64_t nps = spec->prepared->engines[i].nps;
        double seconds = tc->kind == TC_NODES && nps > 0 ? (double)tc->nodes / (double)nps : 0;
        if (seconds > NODES_MAX_S)
            seconds = NODES_MAX_S;
        int64_t ms = (int64_t)(seconds * PLAYER_NODES_PATIENCE * CLOCK_MS_PER_SECOND);
        if (ms > patience)
            patience = ms;
    }
    return patience;
}

static bool open_tables(Play *play, Error *err) {
    const PlaySpec *spec = &play->spec;
    Syzygy *tables = spec->tables;
    int men = spec->plan->syzygy_adj_men;
    if (men == 0)
        return true;
    if (tables->men == 0 &&
        !syzygy_open(tables, spec->host->config.syzygy, 0, spec->host->log, err))
        return false;
    play->syzygy = *tables;
    if (play->syzygy.men > men)
        play->syzygy.men = men;
    return true;
}

/* Lowers the number of games at a time to the available memory, since swapping spoils games. */
static void fit_memory(Play *play, MatchConfig *config) {
    const PlaySpec *spec = &play->spec;
    Text want = {0};
    uint64_t bytes = ram_available();
    play->game_memory =
        engine_memory(&config->engines[SIDE_DEV]) + engine_memory(&config->engines[SIDE_BASE]);
    if (bytes > 0) /* 0: not known */
        bytes += spec->memory_soon;
    config->concurrency = spec->plan->concurrency;
    spec->plan->concurrency = match_fit_memory(config, bytes, &want);
    config->concurrency =
        spec->at_once < spec->plan->concurrency ? spec->at_once : spec->plan->concurrency;
    if (want.length > 0)
        log_warn(spec->host->log, "test %" PRId64 ": %s: %d at a time", spec->workload->test_id,
                 text_string(&want), spec->plan->concurrency);
    text_free(&want);
}

static MatchEngine make_engine(Play *play, Side side) {
    const Host *host = play->spec.host;
    const Plan *plan = play->spec.plan;
    const PreparedEngine *prepared = &play->spec.prepared->engines[side];
    play->argv[side][0] = prepared->binary;
    MatchEngine engine = {.name = plan->names[side],
                          .argv = play->argv[side],
                          .dir = host->engine_dir,
                          .options = plan->options[side].options,
                          .option_count = plan->options[side].count,
                          .strict_options = plan->spsa_count > 0,
                          .foreign_options = true,
                          .time_control = plan->time_control[side],
                          .margin_ms = MATCH_MARGIN_MS};
    engine_confine(&engine, host->config.sandbox, &play->policies[side]);
    sandbox_engine_file(host->config.sandbox, prepared->network, &play->policies[side]);
    return engine;
}

MatchConfig play_configure(Play *play) {
    const PlaySpec *spec = &play->spec;
    const Plan *plan = spec->plan;
    MatchConfig config = {.book = &spec->prepared->openings,
                          .first_opening = plan->first_opening,
                          .pairs = plan->pairs,
                          .no_reverses = plan->no_reverses,
                          .chess960 = plan->chess960,
                          .adjudication = {.resign = plan->resign,
                                           .draw = plan->draw,
                                           .syzygy = play->syzygy.men ? &play->syzygy : NULL},
                          .deadlines = {.nodes = nodes_patience(spec)},
                          .pgn = {.scale_factor = plan->scale_factor},
                          .log = spec->host->log,
                          .transcripts = &spec->host->transcripts};
    config.pgn.kept = gamefile_style(spec->workload->upload_pgns, &config.pgn.style);
    for (Side side = 0; side < SIDE_COUNT; side++)
        config.engines[side] = make_engine(play, side);
    return config;
}

static bool start_match(Play *play, Error *err) {
    const PlaySpec *spec = &play->spec;
    MatchConfig config = play_configure(play);
    fit_memory(play, &config);
    MatchCallbacks callbacks = {
        .on_pair = on_pair, .on_game = on_game, .on_fewer = on_fewer, .on_end = on_end};
    if (spec->plan->spsa_count)
        callbacks.pair_options = pair_options;
    MachineTime now = machine_time();
    contention_start(&play->contention, &now);
    play->match = match_start(spec->host->loop, &config, &callbacks, play, err);
    return play->match != NULL;
}

bool play_start(Play *play, const PlaySpec *spec, const PlayEvents *events, void *user,
                Error *err) {
    const Workload *w = spec->workload;
    *play = (Play){.spec = *spec, .events = events, .user = user};
    if (!open_tables(play, err) || !start_match(play, err))
        return false;
    play->started = clock_now_ns();
    log_info(spec->host->log,
             "test %" PRId64 " (%s): %s against %s, %" PRId64 " pair%s from opening %" PRId64
             ", %d game%s at a time, clocks x %.3f",
             w->test_id, w->type_name, w->dev.name, w->base.name, spec->plan->pairs,
             text_plural(spec->plan->pairs), w->book_index, spec->plan->concurrency,
             text_plural(spec->plan->concurrency), spec->plan->scale_factor);
    return true;
}

void play_free(Play *play) {
    match_free(play->match);
    for (int i = 0; i < SIDE_COUNT; i++)
        sandbox_policy_free(&play->policies[i]);
    *play = (Play){0};
}
