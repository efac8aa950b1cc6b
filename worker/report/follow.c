/* SPDX-License-Identifier: MIT */
#include "report/follow.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "report/progress.h"

static Progress progress_of(const Result *result) {
    const Report *report = &result->report;
    return (Progress){.title = result->title,
                      .tally = report->tally,
                      .earlier = report->earlier,
                      .no_elo = report->purpose != PURPOSE_TEST,
                      .sprt = report->sprt,
                      .rule = report->rule,
                      .llr = report_llr(report),
                      .games_wanted = result->games_wanted,
                      .games_played = tally_games(&report->tally),
                      .seconds = report->seconds};
}

/* Shows the result on a terminal; elsewhere logs a line, but only when the count of games has
 * changed since the last line (`shown`). Nothing with --quiet. */
static void show(Log *log, const Result *result, int64_t shown) {
    Text text = {0};
    if (log->level < LOG_NORMAL)
        return;
    Progress progress = progress_of(result);
    if (log->terminal) {
        ProgressStyle style = {.width = log_width(log), .utf8 = log->utf8, .color = log->color};
        progress_view(&progress, &style, &text);
        log_live(log, text_string(&text));
    } else if (progress.games_played != shown) {
        progress_line(&progress, &text);
        log_info(log, "%s", text_string(&text));
    }
    text_free(&text);
}

static volatile sig_atomic_t stopped;

/* The first signal is a wish to stop after the present reading. A second one ends the program: a
 * reading from a server that does not answer may take minutes. */
static void stop(int number) {
    if (stopped) {
        signal(number, SIG_DFL);
        raise(number);
    }
    stopped = 1;
}

/* A signal that is ignored stays so. */
static void catch_signal(int number, struct sigaction *before) {
    const struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    sigaction(number, NULL, before);
    if (before->sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

/* Waits `seconds`; returns true soon after a signal to stop, also one from before. */
static bool interrupted(int64_t seconds) {
    enum { LOOKS_PER_SECOND = 10 };
    const struct timespec pause = {.tv_nsec = CLOCK_NS_PER_SECOND / LOOKS_PER_SECOND};
    for (int64_t i = 0; i < seconds * LOOKS_PER_SECOND && !stopped; i++)
        nanosleep(&pause, NULL);
    return stopped;
}

/* Deals with a reading that failed; again: the fault may pass. Returns whether the following goes
 * on or, with *gone set, ends well. */
static bool bear_fault(const Follow *f, const Result *last, bool again, bool *gone,
                       const Error *err) {
    *gone = !again && last->title && f->gone && f->gone(f->user);
    if (again)
        log_warn(f->log, "%s", err->text);
    if (*gone)
        log_warn(f->log, "%s: this is the report of the last look", err->text);
    return again || *gone;
}

/* Reads the test once. *last is the latest result whose reading succeeded. *gone is set when there
 * is nothing to read any more. */
static bool look(const Follow *f, Result *last, bool *gone, Error *err) {
    Result result = {0};
    bool again = false;
    if (!f->read(&result, &again, f->user, err)) {
        result_free(&result);
        return bear_fault(f, last, again, gone, err);
    }
    int64_t shown = last->title ? tally_games(&last->report.tally) : -1;
    bool same = tally_games(&result.report.tally) == shown && result.over == last->over &&
                text_same(result.state, last->state);
    result.renew_s = result.over ? 0 : f->every;
    if (!last->title)
        output_approval(&result, f->log);
    bool ok = same || output_result_page(&result, f->html, err);
    show(f->log, &result, shown);
    result_free(last);
    *last = result;
    return ok;
}

bool follow_test(const Follow *f, Error *err) {
    struct sigaction before_int;
    struct sigaction before_term;
    stopped = 0;
    catch_signal(SIGINT, &before_int);
    catch_signal(SIGTERM, &before_term);
    Result last = {0};
    bool gone = false;
    bool ok = look(f, &last, &gone, err);
    while (ok && !gone && !last.over && !interrupted(f->every))
        ok = look(f, &last, &gone, err);
    sigaction(SIGINT, &before_int, NULL);
    sigaction(SIGTERM, &before_term, NULL);
    log_progress_clear(f->log);
    if (stopped && f->left)
        *f->left = true;
    if (ok && last.renew_s > 0) { /* The page will not be written again. */
        last.renew_s = 0;
        ok = output_result_page(&last, f->html, err);
    }
    if (ok && !last.title)
        ok = error_set(err, "stopped before the first answer");
    if (ok) {
        output_faults(&last, f->log);
        output_result(&last, f->format);
    }
    result_free(&last);
    return ok;
}
