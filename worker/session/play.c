/* SPDX-License-Identifier: MIT */
/* Playing a prepared workload: its plan as a match, and what the match tells. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/ram.h"
#include "match/pgn.h"
#include "session/gamefile.h"
#include "session/state.h"

enum {
    MAX_FAULT_REPORTS = 8, /* of one workload: the server keeps them all */
    NODES_MIN_MS = 60000,
    NODES_PATIENCE = 20, /* times what the nodes should take, */
    NODES_MAX_S = 3600,  /* which is at most this */
};

/* Says it once when the engines are kept waiting for long. */
static void watch_contention(Job *job, const FinishedGame *game) {
    /* No clock, no matter: not worth a look at the machine after each game. */
    if (game->cpu.wanted_ns == 0)
        return;
    MachineTime now = machine_time();
    if (!contention_add(&job->contention, &game->cpu, &now))
        return;
    /* Speeds were measured under another load. */
    job->session->speeds_since = (int64_t)time(NULL);
    log_warn(job->session->log,
             "test %" PRId64
             ": this machine is too busy for %d games at a time: engines waited for "
             "a CPU %.1f %% of the time that they wanted to run, %.1f %% of the machine's time was "
             "taken by its host; use fewer --threads",
             job->workload.test_id, job->plan.concurrency,
             contention_waited(&job->contention, &now) * 100,
             contention_stolen(&job->contention, &now) * 100);
}

static void on_game(const FinishedGame *game, void *user) {
    Job *job = user;
    watch_contention(job, game);
    job->games_over++;
    const char *fault = ending_server_name(game->result->ending);
    if (*fault == '\0' || job->faults_noted >= MAX_FAULT_REPORTS || job->abandoned)
        return;
    job->faults_noted++;
    Text pgn = {0};
    pgn_write(game->record, PGN_FULL, &pgn);
    job_note_fault(job, fault, text_string(&pgn));
    text_free(&pgn);
}

/* What the pair says of each SPSA parameter, in the pair. */
static void add_deltas(const Job *job, PairResult *pair) {
    size_t count = job->plan.spsa_count;
    if (count == 0)
        return;
    Tally tally = pair_tally(pair);
    pair->deltas = (RealList){.items = mem_calloc(count, sizeof(double)), .count = count};
    plan_spsa_add(&job->workload, plan_runner(&job->plan, pair->index), tally.wins, tally.losses,
                  pair->deltas.items);
}

static void on_pair(PairResult *pair, void *user) {
    Job *job = user;
    Session *s = job->session;
    if (job->abandoned || job->again)
        return;
    add_deltas(job, pair);
    outbox_add(s->outbox, job->parcel, pair);
    job->pairs_played++;
    if (!s->log->terminal) /* else there is a view */
        log_progress(s->log,
                     "test %" PRId64 ": %" PRId64 " of %" PRId64 " pairs played; %" PRId64
                     " games reported",
                     job->workload.test_id, job->pairs_played, job->plan.pairs,
                     outbox_reported(s->outbox, job->workload.test_id));
    session_pump(s);
}

/* The values that the pair's runner tries. */
static int pair_options(int64_t pair, Side side, const MatchOption **options, void *user) {
    const Job *job = user;
    size_t first = (size_t)plan_runner(&job->plan, pair) * job->plan.spsa_count;
    *options = job->plan.spsa[side] + first;
    return (int)job->plan.spsa_count;
}

static void on_fewer(int in_play, void *user) {
    (void)in_play;
    const Job *job = user;
    jobs_look_around(job->session);
}

void job_close_parcel(Job *job) {
    outbox_end(job->session->outbox, job->parcel);
    job->parcel = NULL;
}

static void begin_parcel(Job *job) {
    const int64_t benches[SIDE_COUNT] = {
        [SIDE_DEV] = job->workload.dev.bench, [SIDE_BASE] = job->workload.base.bench};
    ParcelBench unproved[SIDE_COUNT];
    size_t count = 0;
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!job->prepared.engines[i].proved)
            unproved[count++] =
                (ParcelBench){.sha256 = job->prepared.engines[i].sha256, .bench = benches[i]};
    job->parcel = outbox_begin(job->session->outbox, &job->workload, job->machine, unproved, count);
}

static void on_end(MatchEnd end, const Error *err, void *user) {
    Job *job = user;
    Session *s = job->session;
    match_free(job->match);
    job->match = NULL;
    if (job->again) {
        job_games_over(job);
        return;
    }
    if (end == MATCH_END_FAILED && !job->abandoned) {
        log_error(s->log, "test %" PRId64 ": %s", job->workload.test_id, err->text);
        job_note_fault(job, err->text, "");
        session_blacklist(s, job->workload.test_id);
        s->workloads_failed++;
    }
    log_info(s->log, "test %" PRId64 ": %" PRId64 " of %" PRId64 " pairs played",
             job->workload.test_id, job->pairs_played, job->plan.pairs);
    /* Whether they are dropped is not known yet, while a bench runs. */
    if (!job->unproved)
        job_close_parcel(job);
    job_games_over(job);
}

/* The least time that silence under a fixed number of nodes is borne. */
static int64_t nodes_patience(const Job *job) {
    int64_t patience = NODES_MIN_MS;
    for (int i = 0; i < SIDE_COUNT; i++) {
        const TimeControl *tc = &job->plan.time_control[i];
        int64_t nps = job->prepared.engines[i].nps;
        int64_t seconds = tc->kind == TC_NODES && nps > 0 ? tc->nodes / nps : 0;
        if (seconds > NODES_MAX_S)
            seconds = NODES_MAX_S;
        if (seconds * NODES_PATIENCE * CLOCK_MS_PER_SECOND > patience)
            patience = seconds * NODES_PATIENCE * CLOCK_MS_PER_SECOND;
    }
    return patience;
}

/* The library has one set of tables: opened once, for all. */
static bool open_tables(Job *job, Error *err) {
    Session *s = job->session;
    int men = job->plan.syzygy_adj_men;
    if (men == 0)
        return true;
    if (!s->syzygy_open && !syzygy_open(&s->syzygy, s->config.syzygy, 0, err))
        return false;
    s->syzygy_open = true;
    job->syzygy = s->syzygy;
    if (job->syzygy.men > men)
        job->syzygy.men = men;
    return true;
}

/* A machine that swaps plays nobody's games well: fewer at a time then. What the engines of other
 * workloads' last games hold will be free soon. */
static void fit_memory(Job *job, MatchConfig *config) {
    Text want = {0};
    uint64_t bytes = ram_available();
    job->game_memory =
        engine_memory(&config->engines[SIDE_DEV]) + engine_memory(&config->engines[SIDE_BASE]);
    for (const Job *other = job->session->jobs; other && bytes > 0; other = other->next)
        if (other != job && other->match)
            bytes += (uint64_t)match_in_play(other->match) * other->game_memory;
    int at_once = config->concurrency;
    config->concurrency = job->plan.concurrency;
    job->plan.concurrency = match_fit_memory(config, bytes, &want);
    config->concurrency = at_once < job->plan.concurrency ? at_once : job->plan.concurrency;
    if (want.length > 0)
        log_warn(job->session->log, "test %" PRId64 ": %s: %d at a time", job->workload.test_id,
                 text_string(&want), job->plan.concurrency);
    text_free(&want);
}

static bool start_match(Job *job, int at_once, Error *err) {
    Session *s = job->session;
    MatchConfig config = {.book = &job->prepared.openings,
                          .first_opening = job->plan.first_opening,
                          .pairs = job->plan.pairs,
                          .no_reverses = job->plan.no_reverses,
                          .chess960 = job->plan.chess960,
                          .concurrency = at_once,
                          .margin_ms = MATCH_MARGIN_MS,
                          .adjudication = {.resign = job->plan.resign,
                                           .draw = job->plan.draw,
                                           .syzygy = job->syzygy.men ? &job->syzygy : NULL},
                          .deadlines = {.nodes = nodes_patience(job)},
                          .pgn = {.scale_factor = job->plan.scale_factor},
                          .log = s->log,
                          .transcripts = &s->transcripts};
    config.pgn.kept = gamefile_style(job->workload.upload_pgns, &config.pgn.style);
    for (int i = 0; i < SIDE_COUNT; i++) {
        job->argv[i][0] = job->prepared.engines[i].binary;
        config.engines[i] = (MatchEngine){.name = job->plan.names[i],
                                          .argv = job->argv[i],
                                          .dir = s->engine_dir,
                                          .options = job->plan.options[i].options,
                                          .option_count = job->plan.options[i].count,
                                          .strict_options = job->plan.spsa_count > 0,
                                          .foreign_options = true,
                                          .time_control = job->plan.time_control[i]};
        engine_confine(&config.engines[i], s->config.sandbox, &job->policies[i]);
        sandbox_engine_file(s->config.sandbox, job->prepared.engines[i].network, &job->policies[i]);
    }
    fit_memory(job, &config);
    MatchCallbacks callbacks = {
        .on_pair = on_pair, .on_game = on_game, .on_fewer = on_fewer, .on_end = on_end};
    if (job->plan.spsa_count)
        callbacks.pair_options = pair_options;
    MachineTime now = machine_time();
    contention_start(&job->contention, &now);
    job->match = match_start(s->loop, &config, &callbacks, job, err);
    return job->match != NULL;
}

bool job_play(Job *job, int at_once, Error *err) {
    Session *s = job->session;
    const Workload *w = &job->workload;
    if (!open_tables(job, err) || !start_match(job, at_once, err))
        return false;
    begin_parcel(job);
    job->play_started = clock_now_ns();
    log_info(s->log,
             "test %" PRId64 " (%s): %s against %s, %" PRId64 " pairs from opening %" PRId64
             ", %d games at a time, clocks x %.3f",
             w->test_id, w->type_name, w->dev.name, w->base.name, job->plan.pairs, w->book_index,
             job->plan.concurrency, job->plan.scale_factor);
    return true;
}

void job_free_play(Job *job) {
    match_free(job->match);
    job->match = NULL;
    for (int i = 0; i < SIDE_COUNT; i++)
        sandbox_policy_free(&job->policies[i]);
}
