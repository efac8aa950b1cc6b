/* SPDX-License-Identifier: MIT */
/* A workload's life, and how several share the machine: one is played while the next is prepared,
 * and begins where the games of the first have left a place. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/cpus.h"
#include "base/memory.h"
#include "base/options.h"
#include "session/state.h"

enum {
    LEAD_MS = 60000, /* The next workload is asked for so long before the end of this one ... */
    LEAD_MAX_MS = 600000, /* ... or, where preparing took longer, at most so long. */
    LEAD_PREPARES = 2,
    SECONDS_A_MINUTE = 60
};

/* ---- The list ---- */

Job *job_new(Session *s) {
    Job *job = mem_calloc(1, sizeof *job);
    Job **end = &s->jobs;
    while (*end)
        end = &(*end)->next;
    *end = job;
    job->session = s;
    return job;
}

bool job_is_waiting(const Job *job) {
    return job->phase == PHASE_PREPARE || job->phase == PHASE_READY;
}

/* The last whose games are in play. */
static Job *last_playing(const Session *s) {
    Job *last = NULL;
    for (Job *job = s->jobs; job; job = job->next)
        if (job->phase == PHASE_PLAY)
            last = job;
    return last;
}

Job *jobs_shown(const Session *s) {
    Job *playing = last_playing(s);
    return playing ? playing : s->jobs;
}

/* ---- Reports ---- */

void job_note_fault(Job *job, const char *error, const char *logs) {
    job->faults =
        mem_grow(job->faults, &job->fault_capacity, job->fault_count + 1, sizeof *job->faults);
    job->faults[job->fault_count++] = (FaultReport){mem_strdup(error), mem_strdup(logs)};
}

static void free_reports(Job *job) {
    for (size_t i = 0; i < job->fault_count; i++) {
        free(job->faults[i].error);
        free(job->faults[i].logs);
    }
    job->fault_count = 0;
    free(job->bench_error);
    job->bench_error = NULL;
}

static void drop_reports(Job *job) {
    free_reports(job);
    job->nps_due = false;
}

/* ---- Preparing ---- */

/* What keeps the machine busy beside a workload that is being prepared. Benches beside a workload's
 * games count as those games. */
static MachineLoad machine_load(const Session *s) {
    MachineLoad found = LOAD_NONE;
    for (const Job *job = s->jobs; job; job = job->next) {
        bool plays = job->match && (match_in_play(job->match) > 0 || match_has_more(job->match));
        if ((plays || job->verify) && found != LOAD_CLOCKS)
            found = plays && job->plan.timed ? LOAD_CLOCKS : LOAD_GAMES;
    }
    return found;
}

static void free_prepared(Job *job) {
    if (job->prepared.book_made)
        unlink(job->prepared.book);
    prepared_free(&job->prepared);
}

static void keep_prepared(Job *job, Prepared *prepared) {
    job->prepared = *prepared;
    *prepared = (Prepared){0};
    job->unproved = false;
    for (int i = 0; i < SIDE_COUNT; i++)
        job->unproved = job->unproved || !job->prepared.engines[i].proved;
}

/* A workload that cannot be played: told to the server where the protocol has words for it. */
static void note_failure(Job *job, PrepareOutcome outcome, const Error *err, const char *logs) {
    Session *s = job->session;
    int64_t test = job->workload.test_id;
    s->workloads_failed++;
    log_error(s->log, "test %" PRId64 ": %s", test, err->text);
    switch (outcome) {
    case PREPARE_FAULT:
        job_note_fault(job, err->text, logs);
        session_blacklist(s, test);
        break;
    case PREPARE_BENCH_UNRUN:
        job_note_fault(job, err->text, logs);
        outbox_discard_unproved(s->outbox, test);
        session_blacklist(s, test);
        break;
    case PREPARE_BENCH_FAILED:
        job->bench_error = mem_strdup(err->text);
        outbox_discard_unproved(s->outbox, test);
        session_blacklist(s, test);
        break;
    case PREPARE_IMPOSSIBLE:
        session_blacklist(s, test);
        break;
    case PREPARE_LATER:
        s->no_more = s->config.once;
        if (!s->no_more)
            session_ask_after_idle(s);
        break;
    case PREPARE_READY:
    case PREPARE_CANCELLED:
        break;
    }
}

/* The plan of the workload with these speeds. */
static bool make_plan(const Job *job, int64_t dev_nps, int64_t base_nps, Plan *plan, Error *err) {
    const Session *s = job->session;
    PlanFacts facts = {.dev_nps = dev_nps,
                       .base_nps = base_nps,
                       .syzygy_path = s->config.syzygy,
                       .syzygy_max = s->syzygy_max};
    return plan_make(&job->workload, &facts, plan, err);
}

/* Tells the outbox which engines have the bench that was asked of them: those that were proved
 * before their games, or beside them. */
static void tell_proved(const Job *job, bool beside) {
    for (int i = 0; i < SIDE_COUNT; i++) {
        const PreparedEngine *engine = &job->prepared.engines[i];
        if (engine->proved != beside)
            outbox_proved(job->session->outbox, engine->sha256, engine->bench);
    }
}

static void prepare_next(const Session *s);

static void on_prepared(Prepared *prepared, void *user) {
    Job *job = user;
    Session *s = job->session;
    job->prepare = NULL;
    int64_t took = clock_elapsed_ms(job->prepare_started, clock_now_ns());
    if (took > s->longest_prepare)
        s->longest_prepare = took;
    if (s->finishing) {
        session_finish(s, s->status);
        return;
    }
    Error err = prepared->error;
    PrepareOutcome outcome = prepared->outcome;
    if (outcome == PREPARE_READY) {
        keep_prepared(job, prepared);
        tell_proved(job, false);
        plan_free(&job->plan);
        if (!make_plan(job, job->prepared.engines[SIDE_DEV].nps,
                       job->prepared.engines[SIDE_BASE].nps, &job->plan, &err))
            outcome = PREPARE_IMPOSSIBLE;
    }
    if (outcome == PREPARE_READY) {
        /* The server hands out as many games as these threads are for. */
        int threads = s->threads / job->plan.concurrency;
        job->game_threads = threads > 1 ? threads : 1;
    }
    job->phase = outcome == PREPARE_READY ? PHASE_READY : PHASE_WIND_UP;
    job->nps_due = outcome == PREPARE_READY && !job->unproved;
    if (outcome != PREPARE_READY && outcome != PREPARE_CANCELLED)
        note_failure(job, outcome, &err, text_string(&prepared->logs));
    prepare_next(s);
    session_pump(s);
}

static PrepareContext prepare_context(const Job *job) {
    Session *s = job->session;
    return (PrepareContext){
        .loop = s->loop,
        .log = s->log,
        .state_dir = s->config.state_dir,
        .toolchain = &s->toolchain,
        .account = &s->account,
        .copies = s->threads,
        .load = machine_load(s),
        .timed = job->plan.timed,
        .strict = job->again,
        .rebench_s = s->config.rebench_minutes * SECONDS_A_MINUTE,
        .speeds_since = s->speeds_since,
        .sandbox = s->config.sandbox,
        .build_network = s->config.build_network,
        .build_timeout_ms = (int)s->config.waits.build_timeout,
        .bench_timeout_ms = (int)s->config.waits.bench_timeout,
        .cpu_flags = &s->machine.cpu_flags,
        .cache_limit = (uint64_t)s->config.cache_mb << 20,
        .in_use = &job->others_use,
        .genfens_timeout_ms = (int)s->config.waits.genfens_timeout,
        .retry = {.first_ms = s->config.waits.retry_first, .most_ms = s->config.waits.retry_most}};
}

/* What other workloads play and bench: engines start again within a match, and later ones are
 * begun when there is a place. */
static void note_others_use(Job *job) {
    words_free(&job->others_use);
    for (const Job *other = job->session->jobs; other; other = other->next) {
        for (int i = 0; other != job && i < SIDE_COUNT; i++) {
            const char *const paths[] = {other->prepared.engines[i].binary,
                                         other->prepared.engines[i].network,
                                         other->prepared.engines[i].record};
            for (size_t k = 0; k < COUNT(paths); k++)
                if (paths[k])
                    words_add(&job->others_use, paths[k]);
        }
    }
}

/* One after the other: two would run their benches beside each other. */
static void prepare_next(const Session *s) {
    for (const Job *job = s->jobs; job; job = job->next)
        if (job->prepare)
            return;
    for (Job *job = s->jobs; job; job = job->next) {
        if (job->phase != PHASE_PREPARE)
            continue;
        note_others_use(job);
        job->prepare_started = clock_now_ns();
        job->prepare_context = prepare_context(job);
        job->prepare = prepare_start(&job->prepare_context, &job->workload, on_prepared, job);
        job->again = false;
        return;
    }
}

static void start_preparing(Job *job) {
    job->phase = PHASE_PREPARE;
    prepare_next(job->session);
}

void job_prepare(Job *job) {
    Session *s = job->session;
    const Workload *w = &job->workload;
    Error err = {0};
    log_info(s->log, "test %" PRId64 " (%s): %s [%s] against %s [%s]", w->test_id, w->type_name,
             w->dev.name, w->dev.engine, w->base.name, w->base.engine);
    /* With speeds made up, so that what this version cannot play is refused before anything is
     * fetched. */
    if (make_plan(job, w->scale_nps, w->scale_nps, &job->plan, &err)) {
        start_preparing(job);
    } else {
        job->phase = PHASE_WIND_UP;
        note_failure(job, PREPARE_IMPOSSIBLE, &err, "");
    }
}

/* ---- Playing ---- */

/* How many of its games fit beside what others have in play. */
static int places(const Job *job) {
    int taken = 0;
    for (const Job *other = job->session->jobs; other; other = other->next)
        if (other != job && other->match)
            taken += match_in_play(other->match) * other->game_threads;
    if (taken == 0)
        return job->plan.concurrency;
    int free_places = (job->session->threads - taken) / job->game_threads;
    return free_places < job->plan.concurrency ? free_places : job->plan.concurrency;
}

/* An engine's clock must not wait for a loop that reads in batches (base/cpus.h). */
static void schedule_for_clocks(const Session *s) {
    bool clocks = false;
    bool games = false;
    for (const Job *job = s->jobs; job; job = job->next) {
        games = games || job->match;
        clocks = clocks || (job->match && job->plan.timed);
    }
    cpus_set_prompt(clocks || !games);
}

/* ---- Benches beside the games ---- */

/* Once more, from the start, and alone: a wrong bench ends the test for everyone. */
static void prepare_again(Job *job) {
    free_reports(job);
    job->games_over = 0;
    job->pairs_played = 0;
    job_free_play(job);
    free_prepared(job);
    job->unproved = false;
    job->verify_due = false;
    if (job->session->stop != STOP_NO || job->abandoned) {
        job->phase = PHASE_WIND_UP;
        return;
    }
    start_preparing(job);
}

static void on_verified(const char *fault, const int64_t nps[SIDE_COUNT], void *user) {
    Job *job = user;
    Session *s = job->session;
    job->verify = NULL;
    if (s->finishing)
        return; /* The next start hears of it. */
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!job->prepared.engines[i].proved)
            job->prepared.engines[i].nps = nps[i];
    job->unproved = fault != NULL;
    job->nps_due = !fault && !job->abandoned;
    if (fault && !job->abandoned) {
        log_warn(s->log, "test %" PRId64 ": %s: its games are thrown away, to bench again alone",
                 job->workload.test_id, fault);
        job->again = true;
        outbox_discard(s->outbox, job->parcel);
        job->parcel = NULL;
        if (job->match)
            match_stop(job->match, MATCH_NOW);
        else
            prepare_again(job);
    } else {
        job->unproved = false;
        if (!fault)
            tell_proved(job, true);
        if (!job->match)
            job_close_parcel(job);
    }
    jobs_look_around(s);
    session_pump(s);
}

static void verify(Job *job) {
    Session *s = job->session;
    VerifySpec spec = {.engines = job->prepared.engines,
                       .dir = s->engine_dir,
                       .timeout_ms = (int)s->config.waits.bench_timeout,
                       .sandbox = s->config.sandbox,
                       .log = s->log};
    log_info(s->log, "test %" PRId64 ": running its benches beside its games",
             job->workload.test_id);
    job->verify = verify_start(s->loop, &spec, on_verified, job);
}

/* Clocks do not begin to tick beside these. */
static bool are_benches_due(const Session *s) {
    for (const Job *job = s->jobs; job; job = job->next)
        if (job->verify || job->verify_due)
            return true;
    return false;
}

/* Begins those that waited for others' clocks. */
static void verify_what_is_due(const Session *s) {
    if (machine_load(s) == LOAD_CLOCKS)
        return;
    for (Job *job = s->jobs; job; job = job->next) {
        if (!job->verify_due)
            continue;
        job->verify_due = false;
        verify(job);
    }
}

void job_start_if_free(Job *job) {
    Session *s = job->session;
    Error err = {0};
    const Job *playing = last_playing(s);
    int at_once = places(job);
    if (job->phase != PHASE_READY || s->stop != STOP_NO || at_once < 1 ||
        (playing && playing->match && match_has_more(playing->match)) ||
        (job->plan.timed && are_benches_due(s)))
        return;
    job->phase = PHASE_PLAY;
    if (!job_play(job, at_once, &err)) {
        job->phase = PHASE_WIND_UP;
        job->unproved = false;
        note_failure(job, PREPARE_IMPOSSIBLE, &err, "");
    }
    job->verify_due = job->unproved;
    jobs_look_around(s);
}

void job_games_over(Job *job) {
    Session *s = job->session;
    job->phase = PHASE_WIND_UP;
    if (s->finishing) {
        session_finish(s, s->status);
        return;
    }
    if (job->again)
        prepare_again(job);
    /* Now work is missed: no more waiting before the next question. */
    if (!last_playing(s))
        s->ask_at = 0;
    jobs_look_around(s);
    session_pump(s);
}

void jobs_look_around(Session *s) {
    if (s->finishing)
        return;
    Job *last = last_playing(s);
    int at_once = last && last->match ? places(last) : 0;
    if (at_once > 0)
        match_set_concurrency(last->match, at_once);
    schedule_for_clocks(s);
    verify_what_is_due(s);
    timeuse_enter(&s->time_use, jobs_activity(s), clock_now_ns());
    for (Job *job = s->jobs; job; job = job->next) {
        prepare_load(job->prepare, machine_load(s));
        if (job->phase == PHASE_READY) {
            job_start_if_free(job);
            return;
        }
    }
}

static bool ends_soon(const Job *job) {
    const Session *s = job->session;
    if (!job->match || !match_has_more(job->match))
        return true;
    if (job->games_over == 0)
        return false;
    int64_t lead = s->longest_prepare * LEAD_PREPARES;
    lead = lead < LEAD_MS ? LEAD_MS : lead < LEAD_MAX_MS ? lead : LEAD_MAX_MS;
    double elapsed = (double)clock_elapsed_ms(job->play_started, clock_now_ns());
    double rest = (double)(2 * job->plan.pairs - job->games_over);
    return elapsed * rest / (double)job->games_over <= (double)lead;
}

bool jobs_want_more(const Session *s) {
    for (const Job *job = s->jobs; job; job = job->next)
        if (job_is_waiting(job) || (job->phase == PHASE_PLAY && !ends_soon(job)))
            return false;
    return !s->no_more;
}

Activity jobs_activity(const Session *s) {
    const Job *last = last_playing(s);
    int in_play = 0;
    bool waiting = false;
    for (const Job *job = s->jobs; job; job = job->next) {
        in_play += job->match ? match_in_play(job->match) : 0;
        waiting = waiting || job_is_waiting(job);
    }
    /* A match that has more games begins them wherever it may. */
    if (last && last->match && match_has_more(last->match))
        return ACTIVITY_FULL;
    if (in_play > 0)
        return places(last) == 0 ? ACTIVITY_FULL : ACTIVITY_PART;
    if (!session_is_registered(s))
        return ACTIVITY_REGISTER;
    if (session_is_asking_for_work(s))
        return ACTIVITY_ASK;
    return waiting ? ACTIVITY_PREPARE : s->jobs ? ACTIVITY_REPORT : ACTIVITY_NOTHING;
}

/* ---- The end ---- */

void job_abandon(Job *job) {
    job->abandoned = true;
    job->unproved = false;
    job->verify_due = false;
    verify_cancel(job->verify);
    job->verify = NULL;
    drop_reports(job);
    if (job->match)
        match_stop(job->match, MATCH_NOW);
    else if (job->prepare)
        prepare_cancel(job->prepare);
    else if (job_is_waiting(job))
        job->phase = PHASE_WIND_UP;
    if (!job->match)
        job_close_parcel(job);
}

void jobs_abandon_test(Session *s, int64_t test_id) {
    for (Job *job = s->jobs; job; job = job->next)
        if (job->workload.test_id == test_id && job->phase != PHASE_WIND_UP)
            job_abandon(job);
}

void jobs_drop_waiting(Session *s) {
    for (Job *job = s->jobs; job; job = job->next)
        if (job_is_waiting(job))
            job_abandon(job);
}

void job_free(Job *job) {
    Job **link = &job->session->jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    verify_cancel(job->verify);
    job_free_play(job);
    drop_reports(job);
    free(job->faults);
    free_prepared(job);
    words_free(&job->others_use);
    plan_free(&job->plan);
    workload_free(&job->workload);
    free(job);
}

void job_end(Job *job) {
    bool dropped = job->abandoned && !job->play_started;
    job->session->workloads_done += !dropped;
    job_free(job);
}
