/* SPDX-License-Identifier: MIT */
#include "session/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

enum { SECONDS_A_MINUTE = 60 };

/* ---- The states ---- */

JobState job_next(JobState state, JobEvent event) {
    static const JobState next[JOB_STATES][JOB_EVENTS] = {
        [JOB_QUEUED] = {[JOB_TURN] = JOB_PREPARING, [JOB_DROP] = JOB_DROPPED},
        [JOB_PREPARING] = {[JOB_PREPARED] = JOB_READY,
                           [JOB_UNPREPARED] = JOB_REPORTING,
                           [JOB_DROP] = JOB_CANCELLING},
        [JOB_READY] = {[JOB_UNPREPARED] = JOB_REPORTING,
                       [JOB_STARTED] = JOB_PLAYING,
                       [JOB_STARTED_UNPROVED] = JOB_PLAYING_BENCH_DUE,
                       [JOB_DROP] = JOB_DROPPED},
        [JOB_PLAYING] = {[JOB_GAMES_OVER] = JOB_REPORTING, [JOB_DROP] = JOB_STOPPING},
        [JOB_PLAYING_BENCH_DUE] = {[JOB_BENCH] = JOB_PLAYING_BENCHING,
                                   [JOB_GAMES_OVER] = JOB_BENCH_DUE,
                                   [JOB_DROP] = JOB_STOPPING},
        [JOB_PLAYING_BENCHING] = {[JOB_PROVED] = JOB_PLAYING,
                                  [JOB_WRONG] = JOB_REDOING,
                                  [JOB_GAMES_OVER] = JOB_BENCHING,
                                  [JOB_DROP] = JOB_STOPPING},
        [JOB_BENCH_DUE] = {[JOB_BENCH] = JOB_BENCHING, [JOB_DROP] = JOB_DROPPED},
        [JOB_BENCHING] =
            {[JOB_PROVED] = JOB_REPORTING, [JOB_WRONG] = JOB_QUEUED, [JOB_DROP] = JOB_DROPPED},
        [JOB_REDOING] = {[JOB_GAMES_OVER] = JOB_QUEUED, [JOB_DROP] = JOB_STOPPING},
        [JOB_REPORTING] = {[JOB_DROP] = JOB_DROPPED},
        [JOB_CANCELLING] = {[JOB_PREPARED] = JOB_DROPPED, [JOB_UNPREPARED] = JOB_DROPPED},
        [JOB_STOPPING] = {[JOB_GAMES_OVER] = JOB_DROPPED},
    };
    return next[state][event];
}

const char *job_state_name(JobState state) {
    static const char *const names[JOB_STATES] = {[JOB_NONE] = "idle",
                                                  [JOB_QUEUED] = "preparing",
                                                  [JOB_PREPARING] = "preparing",
                                                  [JOB_READY] = "preparing",
                                                  [JOB_PLAYING] = "playing",
                                                  [JOB_PLAYING_BENCH_DUE] = "playing",
                                                  [JOB_PLAYING_BENCHING] = "playing",
                                                  [JOB_BENCH_DUE] = "reporting",
                                                  [JOB_BENCHING] = "reporting",
                                                  [JOB_REDOING] = "playing",
                                                  [JOB_REPORTING] = "reporting",
                                                  [JOB_CANCELLING] = "preparing",
                                                  [JOB_STOPPING] = "playing",
                                                  [JOB_DROPPED] = "reporting"};
    return names[state];
}

bool job_is_waiting(const Job *job) {
    return job->state == JOB_QUEUED || job->state == JOB_PREPARING || job->state == JOB_READY ||
           job->state == JOB_CANCELLING;
}

/* Whether finished pairs count as results. */
static bool takes_pairs(const Job *job) {
    return job->state == JOB_PLAYING || job->state == JOB_PLAYING_BENCH_DUE ||
           job->state == JOB_PLAYING_BENCHING;
}

bool job_is_playing(const Job *job) {
    return takes_pairs(job) || job->state == JOB_REDOING || job->state == JOB_STOPPING;
}

bool job_is_bench_due(const Job *job) {
    return job->state == JOB_PLAYING_BENCH_DUE || job->state == JOB_BENCH_DUE;
}

bool job_is_benching(const Job *job) {
    return job->state == JOB_PLAYING_BENCHING || job->state == JOB_BENCHING;
}

bool job_only_benches(const Job *job) {
    return job->state == JOB_BENCH_DUE || job->state == JOB_BENCHING;
}

bool job_is_reporting(const Job *job) {
    return job->state == JOB_REPORTING;
}

bool job_is_dropped(const Job *job) {
    return job->state == JOB_CANCELLING || job->state == JOB_STOPPING || job->state == JOB_DROPPED;
}

bool job_is_busy(const Job *job) {
    return job->prepare || job->play.match;
}

bool job_may_report(const Job *job) {
    return !job_is_bench_due(job) && !job_is_benching(job) && job->state != JOB_REDOING;
}

bool job_is_done(const Job *job) {
    const JobReports *reports = &job->reports;
    return job->state == JOB_DROPPED || (job->state == JOB_REPORTING && !reports->nps &&
                                         !reports->bench_error && !reports->fault_count);
}

static void tell(Job *job, JobNews news) {
    job->site->tell(job, news, job->site->user);
}

/* ---- Reports ---- */

/* The words with "..." in place of the folder. `words` is freed; allocated. */
static char *without_folder(char *words, const char *folder) {
    if (folder == NULL || folder[0] == '\0' || strcmp(folder, "/") == 0) /* "/" is in all paths. */
        return words;
    Text out = {0};
    const char *rest = words;
    for (const char *at; (at = strstr(rest, folder)) != NULL; rest = at + strlen(folder)) {
        text_add_bytes(&out, rest, (size_t)(at - rest));
        text_add(&out, "...");
    }
    text_add(&out, rest);
    free(words);
    return text_take(&out);
}

/* Programs name a folder as it is given, or as the system resolves it. The shorter of both may be
 * the end of the other. */
static char *without_names(char *words, const char *given, const char *real) {
    bool given_first = real == NULL || strlen(given) > strlen(real);
    words = without_folder(words, given_first ? given : real);
    return without_folder(words, given_first ? real : given);
}

static char *without_place(char *words, const char *place) {
    char *real = realpath(place, NULL);
    words = without_names(words, place, real);
    free(real);
    return words;
}

/* Servers show what they are told to everybody: no folder of this machine has a place there. */
static char *for_all(const Job *job, const char *words) {
    const Host *host = job->site->host;
    char *told = without_names(mem_strdup(words), host->config.state_dir, host->real_state);
    for (const char *s = host->config.syzygy; s && *s;) {
        size_t length = strcspn(s, ":");
        char *folder = mem_strndup(s, length);
        told = without_place(told, folder);
        free(folder);
        s += length + (s[length] == ':');
    }
    const char *home = getenv("HOME"); /* It has the user's name. */
    return home != NULL ? without_place(told, home) : told;
}

static void add_fault(Job *job, const char *error, const char *logs) {
    JobReports *reports = &job->reports;
    MEM_ADD(reports->faults, reports->fault_count, reports->fault_capacity,
            (FaultReport){for_all(job, error), for_all(job, logs)});
}

void job_nps_told(Job *job) {
    job->reports.nps = false;
}

void job_fault_told(Job *job) {
    JobReports *reports = &job->reports;
    free(reports->faults[0].error);
    free(reports->faults[0].logs);
    reports->fault_count--;
    memmove(reports->faults, reports->faults + 1, reports->fault_count * sizeof *reports->faults);
}

void job_bench_error_told(Job *job) {
    free(job->reports.bench_error);
    job->reports.bench_error = NULL;
}

static void drop_reports(Job *job) {
    while (job->reports.fault_count)
        job_fault_told(job);
    job_bench_error_told(job);
    job_nps_told(job);
}

/* ---- The entry of a state ---- */

static bool is_unproved(const Job *job) {
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!job->prepared.engines[i].proved)
            return true;
    return false;
}

static void free_prepared(Job *job) {
    if (job->prepared.book_made)
        unlink(job->prepared.book);
    prepared_free(&job->prepared);
}

static void cancel_benches(Job *job) {
    verify_cancel(job->verify);
    job->verify = NULL;
}

/* Ends the parcel: no more pairs come. */
static void close_parcel(Job *job) {
    outbox_end(job->site->outbox, job->parcel);
    job->parcel = NULL;
}

static void discard_parcel(Job *job) {
    if (job->parcel)
        outbox_discard(job->site->outbox, job->parcel);
    job->parcel = NULL;
}

/* Drops everything from the first preparation and its games. */
static void start_over(Job *job) {
    discard_parcel(job);
    drop_reports(job);
    play_free(&job->play);
    job->pairs_played = 0;
    free_prepared(job);
}

static void take(Job *job, JobEvent event) {
    JobState next = job_next(job->state, event);
    if (next == JOB_NONE)
        return;
    job->state = next;
    switch (next) {
    case JOB_QUEUED:
        start_over(job);
        if (job->site->stopped)
            take(job, JOB_DROP);
        break;
    case JOB_READY:
        job->reports.nps = !is_unproved(job);
        break;
    case JOB_REDOING:
        discard_parcel(job);
        match_stop(job->play.match, MATCH_NOW);
        break;
    case JOB_REPORTING:
        close_parcel(job);
        break;
    case JOB_CANCELLING:
        drop_reports(job);
        prepare_cancel(job->prepare);
        break;
    case JOB_STOPPING:
        cancel_benches(job);
        drop_reports(job);
        match_stop(job->play.match, MATCH_NOW);
        break;
    case JOB_DROPPED:
        cancel_benches(job);
        drop_reports(job);
        close_parcel(job);
        break;
    case JOB_PREPARING:
    case JOB_PLAYING:
    case JOB_PLAYING_BENCH_DUE:
    case JOB_PLAYING_BENCHING:
    case JOB_BENCH_DUE:
    case JOB_BENCHING:
    case JOB_NONE:
    case JOB_STATES:
        break;
    }
}

void job_drop(Job *job) {
    take(job, JOB_DROP);
}

/* ---- Preparing ---- */

/* Tells that the workload cannot be played, also to the server where the protocol has words for the
 * cause. */
static void fail(Job *job, PrepareOutcome outcome, const Error *err, const char *logs) {
    int64_t test = job->workload.test_id;
    if (outcome == PREPARE_CANCELLED)
        return;
    log_error(job->site->host->log, "test %" PRId64 ": %s", test, err->text);
    if (outcome == PREPARE_FAULT || outcome == PREPARE_BENCH_UNRUN)
        add_fault(job, err->text, logs);
    if (outcome == PREPARE_BENCH_FAILED)
        job->reports.bench_error = mem_strdup(err->text);
    if (outcome == PREPARE_BENCH_FAILED || outcome == PREPARE_BENCH_UNRUN)
        outbox_discard_unproved(job->site->outbox, test);
    tell(job, outcome == PREPARE_LATER ? JOB_TELLS_LATER : JOB_TELLS_UNPLAYABLE);
}

/* The plan of the workload with these speeds. */
static bool make_plan(const Job *job, int64_t dev_nps, int64_t base_nps, Plan *plan, Error *err) {
    const Host *host = job->site->host;
    PlanFacts facts = {.dev_nps = dev_nps,
                       .base_nps = base_nps,
                       .syzygy_path = host->config.syzygy,
                       .syzygy_max = host->syzygy_max};
    return plan_make(&job->workload, &facts, plan, err);
}

/* Tells the outbox the engines with the right bench. beside: those proved beside the games; else
 * those proved before. */
static void tell_proved(const Job *job, bool beside) {
    for (int i = 0; i < SIDE_COUNT; i++) {
        const PreparedEngine *engine = &job->prepared.engines[i];
        if (engine->proved != beside)
            outbox_proved(job->site->outbox, engine->sha256, engine->bench);
    }
}

static bool take_prepared(Job *job, Prepared *prepared, Error *err) {
    job->prepared = *prepared;
    *prepared = (Prepared){0};
    tell_proved(job, false);
    plan_free(&job->plan);
    if (!make_plan(job, job->prepared.engines[SIDE_DEV].nps, job->prepared.engines[SIDE_BASE].nps,
                   &job->plan, err))
        return false;
    /* The server gives out games for all threads of the machine, and may want no more. */
    const Host *host = job->site->host;
    if (job->plan.concurrency > host->threads) {
        log_warn(host->log,
                 "test %" PRId64
                 ": the server wants %d games at a time, and --threads is %d: %d at a time",
                 job->workload.test_id, job->plan.concurrency, host->threads, host->threads);
        job->plan.concurrency = host->threads;
    }
    int threads = host->threads / job->plan.concurrency;
    job->game_threads = threads > 1 ? threads : 1;
    return true;
}

static void on_prepared(Prepared *prepared, void *user) {
    Job *job = user;
    JobSite *site = job->site;
    Error err = prepared->error;
    PrepareOutcome outcome = prepared->outcome;
    job->prepare = NULL;
    int64_t took = clock_elapsed_ms(job->prepare_started, clock_now_ns()) - prepared->held_ms;
    if (outcome != PREPARE_CANCELLED && took > site->longest_prepare)
        site->longest_prepare = took;
    if (job->state == JOB_CANCELLING)
        outcome = PREPARE_CANCELLED;
    if (outcome == PREPARE_READY && !take_prepared(job, prepared, &err))
        outcome = PREPARE_IMPOSSIBLE;
    take(job, outcome == PREPARE_READY ? JOB_PREPARED : JOB_UNPREPARED);
    if (outcome != PREPARE_READY)
        fail(job, outcome, &err, text_string(&prepared->logs));
    tell(job, JOB_TELLS_MOVED);
}

static PrepareContext make_context(const Job *job, MachineLoad load) {
    const JobSite *site = job->site;
    const SessionConfig *config = &site->host->config;
    const SessionWaits *waits = &config->waits;
    return (PrepareContext){.loop = site->host->loop,
                            .log = site->host->log,
                            .state_dir = config->state_dir,
                            .toolchain = site->toolchain,
                            .account = site->account,
                            .copies = site->host->threads,
                            .load = load,
                            .timed = job->plan.timed,
                            .strict = job->preparations > 1,
                            .rebench_s = config->rebench_minutes * SECONDS_A_MINUTE,
                            .speeds_since = site->speeds_since,
                            .sandbox = config->sandbox,
                            .build_network = config->build_network,
                            .build_timeout_ms = (int)waits->build_timeout,
                            .bench_timeout_ms = (int)waits->bench_timeout,
                            .cpu_flags = &site->host->machine.cpu_flags,
                            .cache_limit = (uint64_t)config->cache_mb << 20,
                            .in_use = &job->others_use,
                            .genfens_timeout_ms = (int)waits->genfens_timeout,
                            .retry = {.first_ms = waits->retry_first, .max_ms = waits->retry_max}};
}

void job_prepare(Job *job, MachineLoad load) {
    job->preparations++;
    job->prepare_started = clock_now_ns();
    job->prepare_context = make_context(job, load);
    job->prepare = prepare_start(&job->prepare_context, &job->workload, on_prepared, job);
    take(job, JOB_TURN);
}

Job *job_new(JobSite *site, Workload *workload, int64_t machine) {
    Job *job = mem_calloc(1, sizeof *job);
    *job = (Job){.site = site, .state = JOB_QUEUED, .workload = *workload, .machine = machine};
    *workload = (Workload){0};
    return job;
}

void job_check(Job *job) {
    const Workload *w = &job->workload;
    Error err = {0};
    log_info(job->site->host->log, "test %" PRId64 " (%s): %s [%s] against %s [%s]", w->test_id,
             w->type_name, w->dev.name, w->dev.engine, w->base.name, w->base.engine);
    /* The speeds are not known yet: scale_nps stands for them in this test of the workload. */
    if (make_plan(job, w->scale_nps, w->scale_nps, &job->plan, &err))
        return;
    job->state = JOB_REPORTING;
    fail(job, PREPARE_IMPOSSIBLE, &err, "");
}

/* ---- Playing ---- */

/* Computes the pair's share of each SPSA parameter, and keeps the shares in the pair. */
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
    const JobSite *site = job->site;
    if (!takes_pairs(job))
        return;
    add_deltas(job, pair);
    outbox_add(job->parcel, pair);
    job->pairs_played++;
    if (!site->host->log->terminal) /* else the view shows the progress */
        log_progress(site->host->log,
                     "test %" PRId64 ": %" PRId64 " of %" PRId64 " pair%s played; %" PRId64
                     " games reported",
                     job->workload.test_id, job->pairs_played, job->plan.pairs,
                     text_plural(job->plan.pairs),
                     outbox_reported(site->outbox, job->workload.test_id));
    tell(job, JOB_TELLS_PAIR);
}

static void on_fault(const char *fault, const char *logs, void *user) {
    Job *job = user;
    if (!job_is_dropped(job))
        add_fault(job, fault, logs);
}

/* The machine was too busy, so speeds measured before do not count. */
static void on_contention(void *user) {
    ((Job *)user)->site->speeds_since = (int64_t)time(NULL);
}

static void on_fewer(void *user) {
    tell(user, JOB_TELLS_MOVED);
}

static void on_end(const Error *fault, bool unstarted, void *user) {
    Job *job = user;
    Log *log = job->site->host->log;
    int64_t test = job->workload.test_id;
    bool failed = fault && takes_pairs(job);
    if (failed) {
        log_error(log, "test %" PRId64 ": %s", test, fault->text);
        tell(job, unstarted ? JOB_TELLS_LATER : JOB_TELLS_UNPLAYABLE);
    }
    if (job->state != JOB_REDOING)
        log_info(log, "test %" PRId64 ": %" PRId64 " of %" PRId64 " pair%s played", test,
                 job->pairs_played, job->plan.pairs, text_plural(job->plan.pairs));
    take(job, JOB_GAMES_OVER);
    tell(job, JOB_TELLS_GAMES_OVER);
}

static const PlayEvents play_events = {.on_pair = on_pair,
                                       .on_fault = on_fault,
                                       .on_contention = on_contention,
                                       .on_fewer = on_fewer,
                                       .on_end = on_end};

static void begin_parcel(Job *job) {
    const int64_t benches[SIDE_COUNT] = {
        [SIDE_DEV] = job->workload.dev.bench, [SIDE_BASE] = job->workload.base.bench};
    ParcelBench unproved[SIDE_COUNT];
    size_t count = 0;
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!job->prepared.engines[i].proved)
            unproved[count++] =
                (ParcelBench){.sha256 = job->prepared.engines[i].sha256, .bench = benches[i]};
    job->parcel = outbox_begin(job->site->outbox, &job->workload, job->machine, unproved, count);
}

void job_start(Job *job, int at_once, uint64_t memory_soon) {
    JobSite *site = job->site;
    Error err = {0};
    PlaySpec spec = {.host = site->host,
                     .workload = &job->workload,
                     .prepared = &job->prepared,
                     .plan = &job->plan,
                     .tables = &site->tables,
                     .at_once = at_once,
                     .memory_soon = memory_soon};
    if (!play_start(&job->play, &spec, &play_events, job, &err)) {
        take(job, JOB_UNPREPARED);
        fail(job, PREPARE_IMPOSSIBLE, &err, "");
        return;
    }
    begin_parcel(job);
    take(job, is_unproved(job) ? JOB_STARTED_UNPROVED : JOB_STARTED);
}

/* ---- Benches beside the games ---- */

static void on_verified(VerifyOutcome outcome, const char *fault, const int64_t nps[SIDE_COUNT],
                        void *user) {
    Job *job = user;
    Log *log = job->site->host->log;
    int64_t test = job->workload.test_id;
    job->verify = NULL;
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!job->prepared.engines[i].proved)
            job->prepared.engines[i].nps = nps[i];
    job->reports.nps = outcome == VERIFY_PROVED;
    switch (outcome) {
    case VERIFY_PROVED:
        tell_proved(job, true);
        take(job, JOB_PROVED);
        break;
    case VERIFY_WRONG:
        log_warn(log, "test %" PRId64 ": %s: its games are thrown away, to bench again alone", test,
                 fault);
        take(job, JOB_WRONG);
        break;
    case VERIFY_UNSTARTED:
        /* Waiting pairs may still be proved by a later workload, which benches the same engine. */
        log_error(log,
                  "test %" PRId64 ": %s: no more is played now, and its games wait for another "
                  "bench",
                  test, fault);
        tell(job, JOB_TELLS_LATER);
        take(job, JOB_DROP);
        break;
    }
    tell(job, JOB_TELLS_MOVED);
}

void job_bench(Job *job) {
    const Host *host = job->site->host;
    VerifySpec spec = {.engines = job->prepared.engines,
                       .dir = host->engine_dir,
                       .timeout_ms = (int)host->config.waits.bench_timeout,
                       .sandbox = host->config.sandbox,
                       .log = host->log};
    log_info(host->log, "test %" PRId64 ": running its benches beside its games",
             job->workload.test_id);
    job->verify = verify_start(host->loop, &spec, on_verified, job);
    take(job, JOB_BENCH);
}

/* ---- The end ---- */

void job_free(Job *job) {
    cancel_benches(job);
    play_free(&job->play);
    drop_reports(job);
    free(job->reports.faults);
    free_prepared(job);
    words_free(&job->others_use);
    plan_free(&job->plan);
    workload_free(&job->workload);
    free(job);
}
