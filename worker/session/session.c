/* SPDX-License-Identifier: MIT */
#include "session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "build/benchbook.h"
#include "session/state.h"
#include "session/status.h"

enum {
    /* A worker that is to end does not wait any longer after so many failed tries in a row to reach
     * the server, or to register again. */
    PATIENCE = 3,
    VIEW_MS = 250
};

/* A file of this name in the working folder or the state folder ends the worker after its workload,
 * as with the stock client. */
static const char exit_file[] = "openbench.exit";

/* ---- Signs of the end ---- */

/* The exit file's place, for people; NULL: there is none. Allocated. */
static char *find_exit_file(const Session *s) {
    char *path = text_format("%s/%s", s->host.config.state_dir, exit_file);
    if (file_exists(path))
        return path;
    free(path);
    return file_exists(exit_file) ? text_format("%s in the working folder", exit_file) : NULL;
}

/* So many failed tries in a row say that nobody is there. One is enough once the games are to end
 * at once. */
static int patience_of(const Session *s) {
    return s->stop >= STOP_GAMES_NOW ? 1 : PATIENCE;
}

/* Whether so many tries have found no server, or none that registers this worker. */
static bool is_shut_out(const Session *s) {
    return queue_unreachable(s->requests.queue) >= patience_of(s) ||
           registration_is_failing(&s->requests.registration, patience_of(s));
}

/* Looks for the exit file whenever work would be asked for, and when nobody can be asked. */
static void look_for_exit_file(Session *s) {
    if (!(requests_are_registered(&s->requests) || is_shut_out(s)) || !jobs_want_work(&s->jobs) ||
        uv_now(s->host.loop) < s->jobs.ask_at)
        return;
    char *found = find_exit_file(s);
    if (!found)
        return;
    log_info(s->host.log, "there is a file %s: ending; remove it before the next start", found);
    jobs_ask_no_more(&s->jobs);
    free(found);
}

static int final_status(const Session *s) {
    bool short_run = s->host.config.once || s->host.config.max_workloads > 0;
    bool all = s->jobs.failed == 0 && outbox_empty(s->outbox) && !outbox_has_parked(s->outbox);
    return short_run && !all ? EXIT_FAILED : EXIT_DONE;
}

/* Whether this worker is shut out, or was never registered. */
static bool is_out_of_reach(const Session *s) {
    return is_shut_out(s) || !registration_is_likely(&s->requests.registration, patience_of(s));
}

/* Whether the jobs' reports found no server so often, or one that could not take them. */
static bool reports_are_lost(const Session *s) {
    return is_out_of_reach(s) || requests_report_faults(&s->requests) >= patience_of(s);
}

/* Whether all results are delivered that can be delivered soon. */
static bool is_delivered(const Session *s) {
    return outbox_settled(s->outbox, s->stop >= STOP_GAMES_NOW) || is_out_of_reach(s);
}

/* Whether the session is to end and nothing keeps it. A job that only reports does not, when nobody
 * takes the reports. A job whose games are over does not by its benches, when the user has asked
 * twice: its pairs wait for another bench. */
static bool is_over(const Session *s) {
    bool ends = s->stop != STOP_NO || jobs_are_ending(&s->jobs);
    return ends && is_delivered(s) &&
           jobs_are_over(&s->jobs, reports_are_lost(s), s->stop >= STOP_GAMES_NOW);
}

/* ---- The end ---- */

static void on_timer_closed(uv_handle_t *handle) {
    Session *s = handle->data;
    s->done(s, s->status, s->user);
}

/* Closes the parts in order, each when the parts before are closed. To be called whenever a part
 * has closed. */
static void close_parts(Session *s) {
    if (s->requests.queue || jobs_are_busy(&s->jobs) || status_busy(s->status_file) ||
        uv_is_closing((uv_handle_t *)&s->view_timer))
        return;
    if (s->outbox) {
        outbox_close(s->outbox);
        return;
    }
    status_close(s->status_file);
    s->status_file = NULL;
    uv_close((uv_handle_t *)&s->view_timer, on_timer_closed);
}

/* Ends the session by cancelling everything under way. `done` follows. */
static void finish(Session *s, int status) {
    if (!s->finishing) {
        s->finishing = true;
        s->status = status;
        requests_close(&s->requests);
        jobs_close(&s->jobs);
    }
    close_parts(s);
}

/* Advances all parts, and sends the next request. To be called after every event. */
static void pump(Session *s) {
    if (s->finishing) {
        close_parts(s);
        return;
    }
    jobs_advance(&s->jobs, s->requests.asked);
    requests_report(&s->requests);
    outbox_advance(s->outbox);
    look_for_exit_file(s);
    if (is_over(s)) {
        finish(s, final_status(s));
        return;
    }
    requests_look(&s->requests);
    jobs_note_time(&s->jobs, requests_activity(&s->requests));
}

/* ---- News of the parts ---- */

static void on_changed(void *user) {
    pump(user);
}

static void on_over(bool given_up, void *user) {
    Session *s = user;
    finish(s, given_up && s->stop != STOP_NO ? EXIT_DONE : EXIT_FAILED);
}

static void on_requests_closed(void *user) {
    close_parts(user);
}

static const RequestsEvents requests_events = {
    .changed = on_changed, .over = on_over, .closed = on_requests_closed};

static void on_delivered(int64_t test_id, const Tally *batch, void *user) {
    Session *s = user;
    tally_add(&s->total, batch);
    s->last_upload = time(NULL);
    requests_were_taken(&s->requests, test_id);
}

static void on_test_over(int64_t test_id, void *user) {
    Session *s = user;
    log_info(s->host.log, "test %" PRId64 " is over", test_id);
    jobs_drop_test(&s->jobs, test_id);
}

static void on_refused(int64_t test_id, void *user) {
    Session *s = user;
    if (!jobs_has_blacklisted(&s->jobs, test_id)) { /* The results are tried, and refused, again. */
        jobs_count_failure(&s->jobs);
        log_warn(s->host.log,
                 "test %" PRId64 ": no more of it is played until the next start, since its "
                 "results are not taken",
                 test_id);
    }
    jobs_blacklist(&s->jobs, test_id);
    jobs_drop_test(&s->jobs, test_id);
}

static void on_stale(const Error *err, void *user) {
    Session *s = user;
    requests_registration_lost(&s->requests, "reporting results", err);
}

static void on_crowded(const OutboxItem *item, bool crowded, void *user) {
    const Session *s = user;
    jobs_hold(&s->jobs, item, crowded);
}

static void on_outbox_closed(int64_t left, void *user) {
    Session *s = user;
    s->outbox = NULL;
    s->left = left;
    close_parts(s);
}

static const OutboxEvents outbox_events = {.delivered = on_delivered,
                                           .over = on_test_over,
                                           .refused = on_refused,
                                           .stale = on_stale,
                                           .crowded = on_crowded,
                                           .changed = on_changed,
                                           .closed = on_outbox_closed};

static void on_status_written(Session *s) {
    if (s->finishing)
        close_parts(s);
}

static void on_view(uv_timer_t *timer) {
    const Session *s = timer->data;
    if (!s->finishing && log_live_due(s->host.log))
        status_draw(s);
}

/* ---- The start ---- */

static void on_bench_record(const BenchRecord *record, void *user) {
    Session *s = user;
    outbox_proved(s->outbox, record->sha256, record->bench);
}

/* An earlier process may have proved engines without time to note the proofs in its journals. */
static void look_up_benches(Session *s) {
    char *folder = text_format("%s/benches", s->host.config.state_dir);
    if (outbox_awaits_proof(s->outbox))
        benchbook_each(folder, on_bench_record, s);
    free(folder);
}

static bool open_outbox(Session *s, Error *err) {
    OutboxConfig config = {.state_dir = s->host.config.state_dir,
                           .host = s->host.machine.host,
                           .account = &s->requests.registration.account,
                           .waits = s->host.config.waits,
                           .keep = s->host.config.keep_delivered,
                           .log = s->host.log};
    s->outbox = outbox_open(s->host.loop, &config, &outbox_events, s, err);
    if (s->outbox)
        look_up_benches(s);
    return s->outbox != NULL;
}

Session *session_start(uv_loop_t *loop, const SessionConfig *config, SessionDone done, void *user,
                       Error *err) {
    Session *s = mem_calloc(1, sizeof *s);
    s->done = done;
    s->user = user;
    bool ok = host_open(&s->host, loop, config, err);
    requests_init(&s->requests, &s->host);
    if (!ok || !open_outbox(s, err)) {
        session_free(s);
        return NULL;
    }
    const JobSite site = {.host = &s->host,
                          .toolchain = &s->requests.registration.toolchain,
                          .account = &s->requests.registration.account,
                          .outbox = s->outbox};
    jobs_open(&s->jobs, &site, on_changed, s);
    uv_timer_init(loop, &s->view_timer);
    s->view_timer.data = s;
    requests_open(&s->requests, &s->jobs, s->outbox, &requests_events, s);
    if (s->host.log->terminal)
        uv_timer_start(&s->view_timer, on_view, VIEW_MS, VIEW_MS);
    if (config->status_file)
        s->status_file = status_open(s, config->status_file, on_status_written);
    pump(s);
    return s;
}

void session_free(Session *s) {
    if (!s)
        return;
    jobs_free(&s->jobs);
    requests_free(&s->requests);
    host_close(&s->host);
    free(s);
}

/* ---- The user's wishes ---- */

void session_end_after_workload(Session *s) {
    if (s->finishing)
        return;
    jobs_ask_no_more(&s->jobs);
    if (!jobs_are_worth_waiting(&s->jobs) && is_delivered(s)) {
        finish(s, final_status(s));
        return;
    }
    jobs_drop_waiting(&s->jobs);
    pump(s);
}

void session_resumed(Session *s, uint64_t ns) {
    jobs_excuse(&s->jobs, ns);
}

/* The words about an interrupt, for the user; NULL: none. playing: games are in play. */
static const char *interrupt_words(const Session *s, bool playing) {
    bool after_games = s->stop == STOP_AFTER_GAMES;
    if (playing && after_games)
        return "finishing the games that complete a pair; once more stops them";
    if (playing)
        return "stopping the games";
    if (after_games && jobs_await_benches(&s->jobs))
        return "waiting for the benches of the engines; once more ends, and the games wait for "
               "another bench";
    if (is_delivered(s))
        return NULL;
    if (!after_games)
        return "sending the results a last time; once more ends at once, and the next start sends "
               "what is left";
    if (outbox_is_doubtful(s->outbox))
        return "waiting until the server's counts tell whether it has the results; once more ends, "
               "and the next start sends what is left";
    return "waiting until the server has the results; once more tries a last time to send them";
}

void session_interrupt(Session *s) {
    if (s->finishing || s->stop == STOP_AT_ONCE)
        return;
    s->stop++;
    /* Waits for another try are over: the user wants the end. */
    if (s->stop == STOP_GAMES_NOW)
        requests_hurry(&s->requests);
    if ((!jobs_are_worth_waiting(&s->jobs) && is_delivered(s)) || s->stop == STOP_AT_ONCE) {
        finish(s, EXIT_DONE);
        return;
    }
    bool playing =
        jobs_stop(&s->jobs, s->stop == STOP_AFTER_GAMES ? MATCH_FINISH_GAMES : MATCH_NOW);
    const char *words = interrupt_words(s, playing);
    if (words)
        log_info(s->host.log, "%s", words);
    pump(s);
}
