/* SPDX-License-Identifier: MIT */
#include "session/jobs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/cpus.h"
#include "base/memory.h"

enum {
    LEAD_MS = 60000, /* The next workload is asked for this long before the end of this one, ... */
    LEAD_PREPARES = 2,   /* ... or this many longest preparations before, ... */
    LEAD_MAX_MS = 600000 /* ... but at most this long. */
};

/* ---- The list ---- */

static Job *last_playing(const Jobs *jobs) {
    Job *last = NULL;
    for (Job *job = jobs->first; job; job = job->next)
        if (job_is_playing(job))
            last = job;
    return last;
}

Job *jobs_shown(const Jobs *jobs) {
    Job *shown = last_playing(jobs);
    for (Job *job = jobs->first; !shown && job; job = job->next)
        if (job_is_waiting(job))
            shown = job;
    return shown ? shown : jobs->first;
}

bool jobs_are_busy(const Jobs *jobs) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (job_is_busy(job))
            return true;
    return false;
}

bool jobs_are_over(const Jobs *jobs, bool but_reports, bool but_benches) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (!(but_reports && job_is_reporting(job)) && !(but_benches && job_only_benches(job)))
            return false;
    return true;
}

bool jobs_are_worth_waiting(const Jobs *jobs) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (!job_is_waiting(job))
            return true;
    return false;
}

static void remove_job(Jobs *jobs, Job *job) {
    Job **link = &jobs->first;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    job_free(job);
}

/* ---- Sharing the machine ---- */

/* The load of the machine beside a workload in preparation. Benches beside the games of a workload
 * count as these games. */
static MachineLoad machine_load(const Jobs *jobs) {
    MachineLoad found = LOAD_NONE;
    for (const Job *job = jobs->first; job; job = job->next) {
        bool plays = play_in_play(&job->play) > 0 || play_has_more(&job->play);
        if ((plays || job_is_benching(job)) && found != LOAD_CLOCKS)
            found = plays && job->plan.timed ? LOAD_CLOCKS : LOAD_GAMES;
    }
    return found;
}

/* The number of the job's games that fit beside the games of other jobs. */
static int places(const Jobs *jobs, const Job *job) {
    int taken = 0;
    for (const Job *other = jobs->first; other; other = other->next)
        if (other != job)
            taken += play_in_play(&other->play) * other->game_threads;
    if (taken == 0)
        return job->plan.concurrency;
    int free_places = (jobs->site.host->threads - taken) / job->game_threads;
    return free_places < job->plan.concurrency ? free_places : job->plan.concurrency;
}

/* The memory of the engines in other jobs' last games, in bytes, which will soon be free. */
static uint64_t memory_soon(const Jobs *jobs, const Job *job) {
    uint64_t bytes = 0;
    for (const Job *other = jobs->first; other; other = other->next)
        if (other != job)
            bytes += (uint64_t)play_in_play(&other->play) * other->play.game_memory;
    return bytes;
}

/* Wakes the loop promptly while clocks run, and in batches beside untimed games (base/cpus.h). */
static void schedule_for_clocks(const Jobs *jobs) {
    bool clocks = false;
    bool games = false;
    for (const Job *job = jobs->first; job; job = job->next) {
        games = games || job->play.match;
        clocks = clocks || (job->play.match && job->plan.timed);
    }
    cpus_set_prompt(clocks || !games);
}

bool jobs_await_benches(const Jobs *jobs) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (job_is_benching(job) || job_is_bench_due(job))
            return true;
    return false;
}

/* Begins the due benches, unless clocks run. */
static void begin_benches(const Jobs *jobs) {
    if (machine_load(jobs) == LOAD_CLOCKS)
        return;
    for (Job *job = jobs->first; job; job = job->next)
        if (job_is_bench_due(job))
            job_bench(job);
}

/* Notes the files of other jobs, which must stay: engines are started again within a match, and a
 * ready workload waits for its places. */
static void note_others_use(const Jobs *jobs, Job *job) {
    words_free(&job->others_use);
    for (const Job *other = jobs->first; other; other = other->next) {
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

/* Prepares one workload at a time: two would run their benches beside each other. */
static void prepare_next(const Jobs *jobs) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (job->prepare)
            return;
    for (Job *job = jobs->first; job; job = job->next) {
        if (job->state != JOB_QUEUED)
            continue;
        note_others_use(jobs, job);
        job_prepare(job, machine_load(jobs));
        return;
    }
}

static Activity activity(const Jobs *jobs) {
    const Job *last = last_playing(jobs);
    int in_play = 0;
    bool waiting = false;
    for (const Job *job = jobs->first; job; job = job->next) {
        in_play += play_in_play(&job->play);
        waiting = waiting || job_is_waiting(job);
    }
    /* A match with more games begins them in every free place. */
    if (last && play_has_more(&last->play))
        return ACTIVITY_FULL;
    if (in_play > 0)
        return last && places(jobs, last) == 0 ? ACTIVITY_FULL : ACTIVITY_PART;
    if (jobs->otherwise != ACTIVITY_NOTHING)
        return jobs->otherwise;
    return waiting ? ACTIVITY_PREPARE : jobs->first ? ACTIVITY_REPORT : ACTIVITY_NOTHING;
}

void jobs_note_time(Jobs *jobs, Activity otherwise) {
    jobs->otherwise = otherwise;
    timeuse_enter(&jobs->time_use, activity(jobs), clock_now_ns());
}

static bool can_start(const Jobs *jobs, const Job *job) {
    const Job *playing = last_playing(jobs);
    return job->state == JOB_READY && !jobs->site.stopped && places(jobs, job) >= 1 &&
           !(playing && play_has_more(&playing->play)) &&
           !(job->plan.timed && jobs_await_benches(jobs));
}

/* After games have begun or ended: adapts the games at a time, the benches and the preparations to
 * the machine's load. */
static void look_around(Jobs *jobs) {
    if (jobs->closed)
        return;
    const Job *last = last_playing(jobs);
    int at_once = last && last->play.match ? places(jobs, last) : 0;
    if (at_once > 0)
        match_set_concurrency(last->play.match, at_once);
    schedule_for_clocks(jobs);
    begin_benches(jobs);
    jobs_note_time(jobs, jobs->otherwise);
    for (Job *job = jobs->first; job; job = job->next)
        prepare_load(job->prepare, machine_load(jobs));
}

/* Begins the games of the ready jobs that have places, in the order of arrival. */
static void start_ready(Jobs *jobs) {
    for (Job *job = jobs->first; job; job = job->next) {
        if (!can_start(jobs, job))
            continue;
        job_start(job, places(jobs, job), memory_soon(jobs, job));
        if (job_is_playing(job))
            jobs->put_off.count = 0;
        look_around(jobs);
    }
}

/* ---- Tests that are not wanted ---- */

static bool has_test(const IntList *list, int64_t test_id) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == test_id)
            return true;
    return false;
}

static void add_test(IntList *list, int64_t test_id) {
    if (has_test(list, test_id))
        return;
    list->items = mem_resize(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = test_id;
}

bool jobs_has_blacklisted(const Jobs *jobs, int64_t test_id) {
    return has_test(&jobs->blacklist, test_id);
}

bool jobs_turn_down(const Jobs *jobs, int64_t test_id) {
    return jobs_has_blacklisted(jobs, test_id) ||
           (jobs->site.host->config.once && has_test(&jobs->put_off, test_id));
}

void jobs_blacklist(Jobs *jobs, int64_t test_id) {
    if (jobs_has_blacklisted(jobs, test_id))
        return;
    add_test(&jobs->blacklist, test_id);
    for (Job *job = jobs->first; job; job = job->next)
        if (job->workload.test_id == test_id && job_is_waiting(job))
            job_drop(job);
}

void jobs_unwanted(const Jobs *jobs, IntList *out) {
    *out = (IntList){0};
    for (size_t i = 0; i < jobs->blacklist.count; i++)
        add_test(out, jobs->blacklist.items[i]);
    for (size_t i = 0; i < jobs->put_off.count; i++)
        add_test(out, jobs->put_off.items[i]);
}

/* ---- News ---- */

static void on_news(Job *job, JobNews news, void *user) {
    Jobs *jobs = user;
    switch (news) {
    case JOB_TELLS_UNPLAYABLE:
        jobs->failed++;
        jobs_blacklist(jobs, job->workload.test_id);
        return;
    case JOB_TELLS_LATER:
        jobs->failed++;
        add_test(&jobs->put_off, job->workload.test_id);
        /* With --once the server is asked for other tests until it has none. A machine that could
         * start games and now starts no process asks no more. */
        if (jobs->site.host->config.once && !job->play.started)
            jobs->ask_at = 0;
        else
            jobs_ask_later(jobs);
        return;
    case JOB_TELLS_GAMES_OVER:
        /* No games are left to play: the next question for work is due at once, unless the games
         * were put off. */
        if (!last_playing(jobs) && !has_test(&jobs->put_off, job->workload.test_id))
            jobs->ask_at = 0;
        break;
    case JOB_TELLS_MOVED:
    case JOB_TELLS_PAIR:
        break;
    }
    if (news != JOB_TELLS_PAIR && !jobs->closed) {
        prepare_next(jobs);
        look_around(jobs);
    }
    jobs->changed(jobs->user);
}

void jobs_open(Jobs *jobs, const JobSite *site, void (*changed)(void *user), void *user) {
    *jobs = (Jobs){.site = *site, .otherwise = ACTIVITY_REGISTER, .changed = changed, .user = user};
    jobs->site.tell = on_news;
    jobs->site.user = jobs;
}

void jobs_add(Jobs *jobs, Workload *workload, int64_t machine) {
    Job **end = &jobs->first;
    while (*end)
        end = &(*end)->next;
    *end = job_new(&jobs->site, workload, machine);
    /* The user may have asked for the end while the server's answer was on its way. */
    if (jobs->no_more) {
        job_drop(*end);
        return;
    }
    job_check(*end);
    prepare_next(jobs);
}

void jobs_advance(Jobs *jobs, const Job *asked) {
    start_ready(jobs);
    for (Job *job = jobs->first, *next; job; job = next) {
        next = job->next;
        if (!job_is_done(job) || job == asked)
            continue;
        jobs->done += !job_is_dropped(job) || job->play.started;
        remove_job(jobs, job);
    }
}

void jobs_hold(const Jobs *jobs, const OutboxItem *parcel, bool hold) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (job->parcel == parcel && job->play.match)
            match_hold(job->play.match, hold);
}

void jobs_excuse(const Jobs *jobs, uint64_t ns) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (job->play.match)
            match_excuse(job->play.match, ns);
}

/* ---- Asking for work ---- */

void jobs_ask_no_more(Jobs *jobs) {
    jobs->no_more = true;
}

void jobs_ask_later(Jobs *jobs) {
    const Host *host = jobs->site.host;
    if (host->config.once) {
        jobs_ask_no_more(jobs);
        return;
    }
    log_debug(host->log, "waiting %" PRId64 " s before asking for work again",
              host->config.waits.idle / CLOCK_MS_PER_SECOND);
    jobs->ask_at = uv_now(host->loop) + (uint64_t)host->config.waits.idle;
}

void jobs_note_no_work(Jobs *jobs) {
    jobs->put_off.count = 0;
    jobs_ask_later(jobs);
}

static bool ends_soon(const Jobs *jobs, const Job *job) {
    if (!play_has_more(&job->play))
        return true;
    if (job->play.games_over == 0)
        return false;
    int64_t lead = jobs->site.longest_prepare * LEAD_PREPARES;
    lead = lead < LEAD_MS ? LEAD_MS : lead < LEAD_MAX_MS ? lead : LEAD_MAX_MS;
    double elapsed = (double)clock_elapsed_ms(job->play.started, clock_now_ns());
    double rest = (double)(2 * job->plan.pairs - job->play.games_over);
    return elapsed * rest / (double)job->play.games_over <= (double)lead;
}

bool jobs_are_ending(const Jobs *jobs) {
    int64_t most = jobs->site.host->config.max_workloads;
    int64_t count = jobs->done;
    for (const Job *job = jobs->first; job; job = job->next)
        count++;
    return jobs->no_more || (most > 0 && count >= most);
}

bool jobs_want_work(const Jobs *jobs) {
    for (const Job *job = jobs->first; job; job = job->next)
        if (job_is_waiting(job) || (job_is_playing(job) && !ends_soon(jobs, job)))
            return false;
    return !jobs_are_ending(jobs);
}

void jobs_count_failure(Jobs *jobs) {
    jobs->failed++;
}

/* ---- The end ---- */

void jobs_drop_test(Jobs *jobs, int64_t test_id) {
    for (Job *job = jobs->first; job; job = job->next)
        if (job->workload.test_id == test_id && (job_is_waiting(job) || job_is_playing(job)))
            job_drop(job);
}

void jobs_drop_waiting(Jobs *jobs) {
    for (Job *job = jobs->first; job; job = job->next)
        if (job_is_waiting(job))
            job_drop(job);
}

bool jobs_stop(Jobs *jobs, MatchStop how) {
    bool playing = false;
    jobs->site.stopped = true;
    jobs->no_more = true;
    jobs_drop_waiting(jobs);
    for (Job *job = jobs->first; job; job = job->next)
        playing = playing || job->play.match;
    for (Job *job = jobs->first; job; job = job->next)
        if (job->play.match)
            match_stop(job->play.match, how);
    return playing;
}

static void tell_time_use(Jobs *jobs) {
    Text text = {0};
    timeuse_enter(&jobs->time_use, ACTIVITY_NOTHING, clock_now_ns());
    timeuse_write(&jobs->time_use, &text);
    if (text.length > 0)
        log_info(jobs->site.host->log, "%s", text_string(&text));
    text_free(&text);
}

void jobs_close(Jobs *jobs) {
    jobs->closed = true;
    tell_time_use(jobs);
    for (Job *job = jobs->first; job; job = job->next)
        job_drop(job);
}

void jobs_free(Jobs *jobs) {
    while (jobs->first)
        remove_job(jobs, jobs->first);
    free(jobs->blacklist.items);
    free(jobs->put_off.items);
}
