/* SPDX-License-Identifier: MIT */
#include "session/requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* With --once: tries to reach a server, and answers in a row that are of no use, or lost
     * registrations. */
    TRIES_ONCE = 5,
    FAULTS_ONCE = 10
};

/* ---- Every request ---- */

/* A kind of request of the session's own. */
typedef struct {
    const char *name;
    /* Whether a request is due, and about which job; as in Request. */
    bool (*due)(Requests *, Job **about, uint64_t now, uint64_t *when);
    void (*compose)(Requests *, HttpRequest *);
    /* Takes an answer without an error. False with err set: the answer is unusable, try again. */
    bool (*answered)(Requests *, const ApiAnswer *, Error *err);
    /* The server said no. `name` is the row's. */
    void (*refused)(Requests *, const char *name, const Error *);
    /* Nothing depends on the answer, so a fault is not tried again. */
    bool idle;
} Row;

static const Row own_rows[OWN_ROWS];

static const Row *row_of(const RowOwner *owner) {
    return &own_rows[owner - owner->requests->rows];
}

static bool is_due(void *user, uint64_t now, uint64_t *when) {
    const RowOwner *owner = user;
    Job *about = NULL;
    Requests *r = owner->requests;
    const Row *row = row_of(owner);
    return !r->closed && requests_are_registered(r) && row->due(r, &about, now, when);
}

static void compose(void *user, HttpRequest *request) {
    const RowOwner *owner = user;
    Requests *r = owner->requests;
    uint64_t when = 0;
    r->asked = NULL;
    row_of(owner)->due(r, &r->asked, uv_now(r->host->loop), &when);
    row_of(owner)->compose(r, request);
}

/* Gives up, since the user does not wait for another try. */
static void give_up(Requests *r, const char *name, const Error *err) {
    log_error(r->host->log, "%s: %s: %s; giving up", r->host->config.base_url, name, err->text);
    r->events->over(true, r->user);
}

/* Nobody waits any longer for a server at which this worker is not registered. A fault of another
 * request leaves the others a last try. */
static bool is_hopeless(const Requests *r) {
    return r->hurry && !requests_are_registered(r);
}

/* Whether faults in a row may end the worker: with --once, while nothing is played or prepared. */
static bool may_give_up(const Requests *r) {
    return r->host->config.once && !jobs_are_busy(r->jobs);
}

static void ask_later(const char *name, const Error *err, void *user) {
    Requests *r = user;
    if (r->closed)
        return;
    if (is_hopeless(r) || (may_give_up(r) && queue_faults(r->queue) + 1 >= FAULTS_ONCE))
        give_up(r, name, err);
    else
        queue_later(r->queue, err);
}

static void on_fault(Requests *r, const Row *row, const Error *err) {
    if (row->idle)
        log_debug(r->host->log, "%s: %s", row->name, err->text);
    else
        ask_later(row->name, err, r);
}

static bool on_unreachable(const Request *request, const Error *err, int times, bool trusted,
                           void *user) {
    Requests *r = user;
    if (!trusted && !r->registration.account.machine_id) {
        /* The server was wrong from the start: the user has to correct the settings. */
        log_error(r->host->log, "%s: %s: %s", r->host->config.base_url, request->name, err->text);
        r->events->over(false, r->user);
    } else if (is_hopeless(r) ||
               (r->host->config.once && !requests_are_registered(r) && times >= TRIES_ONCE)) {
        give_up(r, request->name, err);
    }
    return !r->closed;
}

static void answered(void *user, RequestOutcome outcome, const ApiAnswer *answer) {
    RowOwner *owner = user;
    const Row *row = row_of(owner);
    Requests *r = owner->requests;
    Error err = answer->error;
    switch (outcome) {
    case REQUEST_ANSWERED:
        if (!row->answered(r, answer, &err))
            on_fault(r, row, &err);
        else
            registration_is_good(&r->registration);
        break;
    case REQUEST_REFUSED:
        row->refused(r, row->name, &err);
        break;
    case REQUEST_STALE:
        /* An updated server may want another version that this worker speaks. */
        requests_registration_lost(r, row->name, &err);
        break;
    case REQUEST_FAULT:
        owner->failed = r->asked;
        on_fault(r, row, &err);
        break;
    case REQUEST_UNDONE:
        break;
    }
    r->asked = NULL;
}

/* ---- Work ---- */

static bool workload_due(Requests *r, Job **about, uint64_t now, uint64_t *when) {
    (void)about;
    if (!jobs_want_work(r->jobs))
        return false;
    *when = r->jobs->ask_at;
    return r->jobs->ask_at <= now;
}

static void compose_workload(Requests *r, HttpRequest *request) {
    IntList unwanted;
    jobs_unwanted(r->jobs, &unwanted);
    api_get_workload(&r->registration.account, &unwanted, request);
    free(unwanted.items);
}

/* Turns down the test of a workload that cannot be read, so that the server has others to give.
 * False: it is not known which test that is, or the test was turned down before. */
static bool turn_down(Requests *r, int64_t test_id, const Error *err) {
    if (test_id <= 0 || jobs_has_blacklisted(r->jobs, test_id))
        return false;
    log_error(r->host->log, "test %" PRId64 ": this worker cannot play its workload: %s", test_id,
              err->text);
    jobs_count_failure(r->jobs);
    jobs_blacklist(r->jobs, test_id);
    return true;
}

static bool answered_workload(Requests *r, const ApiAnswer *answer, Error *err) {
    bool none;
    Workload workload;
    if (!workload_parse(answer->json, &workload, &none, err)) {
        bool turned_down = turn_down(r, workload.test_id, err);
        workload_free(&workload);
        return turned_down;
    }
    if (none) {
        workload_free(&workload);
        if (r->host->config.once)
            log_info(r->host->log, "there is no work");
        jobs_note_no_work(r->jobs);
        if (!jobs_are_busy(r->jobs))
            registration_note_no_work(&r->registration);
        return true;
    }
    if (jobs_turn_down(r->jobs, workload.test_id)) {
        error_set(err, "test %" PRId64 " came, which this worker has turned down",
                  workload.test_id);
        workload_free(&workload);
        return false;
    }
    jobs_add(r->jobs, &workload, r->registration.account.machine_id);
    return true;
}

/* Logs the server's words, and asks again later: the server may change its mind. */
static void refused_workload(Requests *r, const char *name, const Error *err) {
    log_error(r->host->log, "%s: %s: %s", r->host->config.base_url, name, err->text);
    if (r->host->config.once)
        jobs_count_failure(r->jobs);
    jobs_ask_later(r->jobs);
}

/* The first job that has such a report after the job whose report failed last, else the first one
 * of all: a report that the server never takes holds up no other. */
static bool find_job(const Requests *r, OwnRow row, bool (*has)(const Job *), Job **about) {
    bool passed = false;
    *about = NULL;
    for (Job *job = r->jobs->first; job; job = job->next) {
        if (job_may_report(job) && has(job) && (passed || !*about)) {
            *about = job;
            if (passed)
                return true;
        }
        passed = passed || job == r->rows[row].failed;
    }
    return *about != NULL;
}

static void refused_report(Requests *r, const char *name, const Error *err) {
    log_error(r->host->log,
              "test %" PRId64 ": %s: the server refuses: %s; this workload ends, and this worker "
              "takes no more of the test",
              r->asked->workload.test_id, name, err->text);
    jobs_count_failure(r->jobs);
    jobs_blacklist(r->jobs, r->asked->workload.test_id);
    job_drop(r->asked);
}

static void stop_test(Requests *r, const ApiAnswer *answer) {
    if (!api_read_stop(answer) || job_is_dropped(r->asked))
        return;
    log_info(r->host->log, "test %" PRId64 " is over", r->asked->workload.test_id);
    outbox_drop(r->outbox, r->asked->workload.test_id);
    jobs_drop_test(r->jobs, r->asked->workload.test_id);
}

static bool has_nps(const Job *job) {
    return job->reports.nps;
}

static bool nps_due(Requests *r, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    return find_job(r, ROW_NPS, has_nps, about);
}

static void compose_nps(Requests *r, HttpRequest *request) {
    ApiNps nps = {.dev_nps = r->asked->prepared.engines[SIDE_DEV].nps,
                  .base_nps = r->asked->prepared.engines[SIDE_BASE].nps};
    nps.nps = (nps.dev_nps + nps.base_nps) / 2;
    api_submit_nps(&r->registration.account, &nps, request);
}

static bool answered_nps(Requests *r, const ApiAnswer *answer, Error *err) {
    (void)err;
    job_nps_told(r->asked);
    stop_test(r, answer);
    return true;
}

static bool heartbeat_due(Requests *r, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    *about = jobs_shown(r->jobs);
    if (*about)
        *when = r->report_at;
    return r->heartbeat_due && *about && (job_is_waiting(*about) || job_is_playing(*about));
}

static void compose_heartbeat(Requests *r, HttpRequest *request) {
    r->heartbeat_due = false;
    api_heartbeat(&r->registration.account, r->asked->workload.test_id, request);
}

static bool answered_heartbeat(Requests *r, const ApiAnswer *answer, Error *err) {
    (void)err;
    stop_test(r, answer);
    return true;
}

/* ---- The test's standing ---- */

static bool info_due(Requests *r, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    *about = jobs_shown(r->jobs);
    return r->info_due && *about && job_is_playing(*about);
}

static void compose_info(Requests *r, HttpRequest *request) {
    r->info_due = false;
    r->info_after = uv_now(r->host->loop) + (uint64_t)r->host->config.waits.info;
    api_test_info(&r->registration.account, r->asked->workload.test_id, request);
}

/* Nothing depends on the standing, so an unreadable answer is not asked for again before the usual
 * time. */
static bool answered_info(Requests *r, const ApiAnswer *answer, Error *err) {
    r->info_test = api_read_test_info(answer, &r->info, err) ? r->asked->workload.test_id : 0;
    if (!r->info_test)
        log_debug(r->host->log, "asking how test %" PRId64 " stands: %s",
                  r->asked->workload.test_id, err->text);
    return true;
}

static void refused_info(Requests *r, const char *name, const Error *err) {
    (void)name;
    log_debug(r->host->log, "asking how test %" PRId64 " stands: %s", r->asked->workload.test_id,
              err->text);
}

/* ---- Faults ---- */

static bool has_fault(const Job *job) {
    return job->reports.fault_count > 0;
}

static bool fault_due(Requests *r, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    return find_job(r, ROW_FAULT, has_fault, about);
}

static void compose_fault(Requests *r, HttpRequest *request) {
    ApiFault fault = {.test_id = r->asked->workload.test_id,
                      .error = r->asked->reports.faults[0].error,
                      .logs = r->asked->reports.faults[0].logs};
    api_submit_error(&r->registration.account, &fault, request);
}

static bool answered_fault(Requests *r, const ApiAnswer *answer, Error *err) {
    (void)err;
    job_fault_told(r->asked);
    stop_test(r, answer);
    return true;
}

static void warn_of_refusal(const Requests *r, const char *name, const Error *err) {
    log_warn(r->host->log, "test %" PRId64 ": %s: the server refuses: %s",
             r->asked->workload.test_id, name, err->text);
}

static void refused_fault(Requests *r, const char *name, const Error *err) {
    warn_of_refusal(r, name, err);
    job_fault_told(r->asked);
}

static bool has_bench_error(const Job *job) {
    return job->reports.bench_error != NULL;
}

static bool bench_error_due(Requests *r, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    return find_job(r, ROW_BENCH_ERROR, has_bench_error, about);
}

static void compose_bench_error(Requests *r, HttpRequest *request) {
    ApiFault fault = {.test_id = r->asked->workload.test_id,
                      .error = r->asked->reports.bench_error};
    api_bench_error(&r->registration.account, &fault, request);
}

static bool answered_bench_error(Requests *r, const ApiAnswer *answer, Error *err) {
    (void)answer;
    (void)err;
    job_bench_error_told(r->asked);
    return true;
}

static void refused_bench_error(Requests *r, const char *name, const Error *err) {
    warn_of_refusal(r, name, err);
    job_bench_error_told(r->asked);
}

/* ---- The table ---- */

static const Row own_rows[OWN_ROWS] = {
    [ROW_FAULT] = {"reporting a fault", fault_due, compose_fault, answered_fault, refused_fault,
                   false},
    [ROW_BENCH_ERROR] = {"reporting a wrong bench", bench_error_due, compose_bench_error,
                         answered_bench_error, refused_bench_error, false},
    [ROW_NPS] = {"reporting the speed", nps_due, compose_nps, answered_nps, refused_report, false},
    [ROW_WORKLOAD] = {"asking for work", workload_due, compose_workload, answered_workload,
                      refused_workload, false},
    [ROW_HEARTBEAT] = {"sending a heartbeat", heartbeat_due, compose_heartbeat, answered_heartbeat,
                       refused_report, false},
    [ROW_INFO] = {"asking how the test stands", info_due, compose_info, answered_info, refused_info,
                  true},
};

static Request own_request(Requests *r, OwnRow which) {
    r->rows[which].requests = r;
    return (Request){.name = own_rows[which].name,
                     .due = is_due,
                     .compose = compose,
                     .answered = answered,
                     .owner = &r->rows[which]};
}

static void fill_table(Requests *r) {
    const Request table[REQUEST_ROWS] = {
        registration_request(&r->registration, REGISTRATION_VERSION),
        registration_request(&r->registration, REGISTRATION_BUILD_INFO),
        registration_request(&r->registration, REGISTRATION_WORKER_INFO),
        outbox_request(r->outbox, OUTBOX_READ),
        outbox_request(r->outbox, OUTBOX_SEND),
        own_request(r, ROW_FAULT),
        own_request(r, ROW_BENCH_ERROR),
        own_request(r, ROW_NPS),
        own_request(r, ROW_WORKLOAD),
        own_request(r, ROW_HEARTBEAT),
        own_request(r, ROW_INFO),
        outbox_request(r->outbox, OUTBOX_UPLOAD),
    };
    memcpy(r->table, table, sizeof table);
}

/* ---- All together ---- */

static void on_changed(void *user) {
    const Requests *r = user;
    r->events->changed(r->user);
}

static void on_closed(void *user) {
    Requests *r = user;
    r->queue = NULL;
    r->events->closed(r->user);
}

static const QueueEvents queue_events = {
    .unreachable = on_unreachable, .changed = on_changed, .closed = on_closed};

static void on_known(bool known, void *user) {
    const Requests *r = user;
    outbox_set_ready(r->outbox, known);
}

static void on_refused(void *user) {
    const Requests *r = user;
    r->events->over(false, r->user);
}

static const RegistrationEvents registration_events = {
    .changed = on_changed, .known = on_known, .later = ask_later, .refused = on_refused};

void requests_init(Requests *r, const Host *host) {
    *r = (Requests){.host = host};
    registration_init(&r->registration, host);
}

void requests_open(Requests *r, Jobs *jobs, Outbox *outbox, const RequestsEvents *events,
                   void *user) {
    const SessionConfig *config = &r->host->config;
    const QueueConfig queue = {.loop = r->host->loop,
                               .log = r->host->log,
                               .server = config->base_url,
                               .retry_first_ms = config->waits.retry_first,
                               .retry_max_ms = config->waits.retry_max,
                               .table = r->table,
                               .count = REQUEST_ROWS};
    r->jobs = jobs;
    r->outbox = outbox;
    r->events = events;
    r->user = user;
    registration_open(&r->registration, &registration_events, r);
    fill_table(r);
    r->queue = queue_open(&queue, &queue_events, r);
}

void requests_look(Requests *r) {
    queue_look(r->queue);
}

/* Has nothing to report at the first call with a new job. */
void requests_report(Requests *r) {
    const Job *shown = jobs_shown(r->jobs);
    if (!shown) {
        r->report_at = 0;
        r->heartbeat_due = false;
    }
    if (!shown || uv_now(r->host->loop) < r->report_at)
        return;
    r->heartbeat_due = r->report_at > 0;
    for (Job *job = r->jobs->first; job && r->report_at > 0; job = job->next)
        if (job->parcel && outbox_report(r->outbox, job->parcel) && job == shown)
            r->heartbeat_due = false; /* Results tell the server as much as a heartbeat. */
    r->report_at = uv_now(r->host->loop) + (uint64_t)r->host->config.waits.report;
}

void requests_hurry(Requests *r) {
    r->hurry = true;
    registration_hurry(&r->registration);
    queue_hurry(r->queue);
    outbox_hurry(r->outbox);
}

int requests_report_faults(const Requests *r) {
    int faults = 0;
    for (int row = ROW_FAULT; row <= ROW_NPS; row++) {
        int of_row = queue_faults_of(r->queue, &r->rows[row]);
        faults = of_row > faults ? of_row : faults;
    }
    return faults;
}

bool requests_are_registered(const Requests *r) {
    return registration_is_done(&r->registration);
}

void requests_registration_lost(Requests *r, const char *name, const Error *err) {
    registration_lose(&r->registration, name, err);
    if (may_give_up(r) && !registration_is_likely(&r->registration, FAULTS_ONCE))
        give_up(r, name, err);
}

void requests_were_taken(Requests *r, int64_t test_id) {
    const Job *shown = jobs_shown(r->jobs);
    registration_is_good(&r->registration);
    if (shown && shown->workload.test_id == test_id)
        r->info_due = r->host->config.watched && uv_now(r->host->loop) >= r->info_after;
}

static bool is_asking_for_work(const Requests *r) {
    for (int i = 0; i < REQUEST_ROWS; i++)
        if (r->table[i].owner == &r->rows[ROW_WORKLOAD])
            return queue_is_asking(r->queue, &r->table[i]);
    return false;
}

Activity requests_activity(const Requests *r) {
    if (!requests_are_registered(r))
        return ACTIVITY_REGISTER;
    return is_asking_for_work(r) ? ACTIVITY_ASK : ACTIVITY_NOTHING;
}

const char *requests_next(const Requests *r, int64_t *wait_ms) {
    const Job *job = jobs_shown(r->jobs);
    *wait_ms = -1;
    if (r->closed)
        return NULL;
    const char *action = queue_action(r->queue, wait_ms);
    /* A heartbeat is sent where there are no results to report. */
    bool beats = *wait_ms >= 0 && action == own_rows[ROW_HEARTBEAT].name;
    return beats && job && job_is_playing(job) ? "reporting results" : action;
}

void requests_close(Requests *r) {
    r->closed = true;
    queue_close(r->queue);
    registration_close(&r->registration);
}

void requests_free(Requests *r) {
    registration_free(&r->registration);
}
