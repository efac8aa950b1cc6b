/* SPDX-License-Identifier: MIT */
/* Checks of the start and the end of the engine's process. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "check/examination.h"

static void keep_declaration(Examination *e, const char *rest) {
    Declaration d;
    Error err;
    if (e->option_count > UCI_OPTIONS_MAX)
        return;
    bool usable = declaration_read(rest, &d, &err);
    if (usable && examine_option(e, d.option.name) != NULL)
        error_set(&err, "%s: is declared twice", d.option.name);
    if (err.text[0] != '\0' && e->option_faults.count < UCI_OPTIONS_MAX)
        words_add(&e->option_faults, err.text);
    if (!usable)
        return;
    MEM_ADD(e->options, e->option_count, e->option_capacity, d);
}

static void hear_declaration(const char *line, void *user) {
    Examination *e = user;
    const char *rest = uci_message(line, "option");
    if (rest != NULL)
        keep_declaration(e, rest);
    rest = uci_message(line, "id");
    rest = rest != NULL ? uci_message(rest, "name") : NULL;
    if (rest != NULL)
        snprintf(e->id, sizeof e->id, "%s", rest);
}

/* Tells the wait for the last answer, for which a match waits `match_ms` and no longer. */
static int64_t judge_wait(const Examination *e, const char *word, int64_t match_ms, Finding *f) {
    int64_t ms = (int64_t)(dialogue_took_ns(e->dialogue) / CLOCK_NS_PER_MS);
    if (ms > match_ms)
        find(f, CHECK_FAILS, "%s after %" PRId64 " ms: a match waits %.1f s and does not begin",
             word, ms, (double)match_ms / (double)CLOCK_MS_PER_SECOND);
    return ms;
}

void check_uci(Examination *e, Finding *f) {
    Error err = {0};
    if (!examine_start(e, f))
        return;
    dialogue_listen(e->dialogue, hear_declaration, e);
    if (!examine_ask(e, "uci\n", "uciok", examine_limit(e, e->deadlines.uciok), &err)) {
        find(f, CHECK_FAILS, "%s: is it a UCI engine?", err.text);
        return;
    }
    int64_t ms = judge_wait(e, "uciok", e->deadlines.uciok, f);
    dialogue_listen(e->dialogue, NULL, NULL);
    if (e->option_count > UCI_OPTIONS_MAX) {
        find(f, CHECK_FAILS, "declares more than %d options: a match does not begin",
             UCI_OPTIONS_MAX);
        return;
    }
    if (e->id[0] == '\0')
        find(f, CHECK_WARNS, "no 'id name': results cannot tell which version played");
    find(f, CHECK_OK, "uciok after %" PRId64 " ms; it calls itself %s", ms, e->id);
    /* The next check starts a process with the engine's options. */
    examine_drop(e);
    if (examine_ready(e, f))
        judge_wait(e, "readyok", e->deadlines.readyok, f);
}

static void judge_end(Examination *e, bool quits, Finding *f) {
    char end[CHILD_REASON_MAX];
    if (!examine_ready(e, f))
        return;
    int64_t ms = e->deadlines.quit + e->spec->margin_ms;
    if (!dialogue_finish(e->dialogue, quits, ms, end))
        find(f, CHECK_WARNS, "still runs %" PRId64 " ms later: a match runner kills the process",
             ms);
    else if (strcmp(end, "exited with status 0") == 0)
        find(f, CHECK_OK, "the process %s", end);
    else
        find(f, CHECK_WARNS, "the process %s%s", text_starts_with(end, "killed") ? "was " : "",
             end);
    examine_drop(e);
}

void check_quit(Examination *e, Finding *f) {
    judge_end(e, true, f);
}

void check_end_of_input(Examination *e, Finding *f) {
    judge_end(e, false, f);
}
