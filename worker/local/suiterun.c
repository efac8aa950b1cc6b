/* SPDX-License-Identifier: MIT */
#include "local/suiterun.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/appendfile.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "local/earlier.h"

/* ---- Opening ---- */

static void name_journals(SuiteRun *run) {
    const char *given = run->given.journal;
    run->folder = given ? mem_strdup(given) : text_format("%s.journals", run->file);
    run->journals = mem_calloc(run->suite->count, sizeof *run->journals);
    for (size_t i = 0; i < run->suite->count; i++)
        run->journals[i] = text_format("%s/%s.jsonl", run->folder, run->suite->variants[i].name);
}

/* Variants play the same openings: the seed is that of the existing journals, else a new one. */
static bool open_venue(SuiteRun *run, Error *err) {
    run->venue = (Venue){.given = &run->given, .log = run->log};
    int64_t seed = run->given.seed;
    for (size_t i = 0; i < run->suite->count; i++)
        if (!pairlog_find(run->journals[i], run->given.resume, &seed, err))
            return false;
    return venue_read(&run->venue, err) && venue_open(&run->venue, seed, err);
}

/* The name of the journals' folder finds the suite in the lab, so a wrong one finds nothing. A
 * suite with journals has begun, and was warned of then. */
static void warn_of_strange_suite(const SuiteRun *run, const Lab *lab) {
    for (size_t i = 0; i < run->suite->count; i++)
        if (lab_find_journal(lab, run->journals[i]) != NULL || pairlog_exists(run->journals[i]))
            return;
    log_warn(run->log,
             "--after: %s has no games of the suite that the journals' folder %s names, so no "
             "earlier games count",
             run->after, run->folder);
}

static bool init_runs(SuiteRun *run, const Lab *lab, Error *err) {
    if (run->after != NULL)
        warn_of_strange_suite(run, lab);
    for (size_t i = 0; i < run->suite->count; i++) {
        const SuiteVariant *variant = &run->suite->variants[i];
        LocalSettings given = run->given;
        given.spec[SIDE_DEV] = variant->spec;
        if (variant->base != NULL)
            given.spec[SIDE_BASE] = variant->base;
        given.name[SIDE_DEV] = variant->name;
        given.journal = run->journals[i];
        given.html = NULL;
        if (!earlier_take(lab, &run->venue, &given, err))
            return error_prefix(err, "%s", run->journals[i]);
        localrun_init(&run->runs[i], &run->venue, &given, variant->name);
    }
    return true;
}

/* Shows a wrong path of the page before hours of play. */
static bool check_page(const SuiteRun *run, Error *err) {
    const char *path = run->given.html;
    return path == NULL || appendfile_add(path, "", 0, err) || error_prefix(err, "--html");
}

/* Opens the venue and prepares the variants' matches. */
static bool open_suite(SuiteRun *run, Error *err) {
    Lab lab = {0};
    bool ok =
        (run->after == NULL || lab_read(run->after, &lab, err) || error_prefix(err, "--after")) &&
        open_venue(run, err) && init_runs(run, &lab, err) && check_page(run, err) &&
        file_make_folders(run->folder, err);
    lab_free(&lab);
    return ok;
}

/* Ends the play of a failed variant. Returns false, for the caller to return. */
static bool drop(SuiteRun *run, size_t index, const Error *err) {
    SuiteVariant *variant = &run->suite->variants[index];
    log_error(run->log, "%s", err->text);
    log_error(run->log, "%s: line %d: %s: failed, see above", run->file, variant->line,
              variant->name);
    variant->over = true;
    return false;
}

/* Copies the score that suite_next needs. */
static void note_score(SuiteRun *run, size_t index) {
    SuiteVariant *variant = &run->suite->variants[index];
    const Sequence *sequence = &run->runs[index].score.sequence;
    variant->tally = sequence->total;
    variant->llr = sequence->llr;
    variant->over = variant->over || localrun_is_over(&run->runs[index]);
}

/* Takes one step for all variants before the next step: a mistake in the last variant costs no
 * build, and a failed build costs no game. prepares: the user's interrupt ends the suite. */
static bool each(SuiteRun *run, bool (*step)(LocalRun *, Error *), bool prepares) {
    bool ok = true;
    for (size_t i = 0; i < run->suite->count; i++) {
        Error err = {0};
        bool taken = step(&run->runs[i], &err);
        if (prepares && venue_interrupted(&run->venue)) {
            log_error(run->log, "%s: interrupted", run->suite->variants[i].name);
            return false;
        }
        ok = (taken || drop(run, i, &err)) && ok;
        note_score(run, i);
    }
    return ok;
}

/* ---- Playing ---- */

/* All variants have their lmr: from the same sources. */
static void tell_sources(const SuiteRun *run) {
    for (size_t i = 0; i < run->suite->count; i++)
        if (!localrun_is_over(&run->runs[i]) && localrun_tell_sources(&run->runs[i]))
            return;
}

static void announce(SuiteRun *run, const SuiteVariant *variant) {
    int64_t games = tally_games(&variant->tally);
    if (games == 0)
        log_info(run->log, "%s: begins", variant->name);
    else if (run->given.sprt)
        log_info(run->log, "%s: after %" PRId64 " games, LLR %.2f", variant->name, games,
                 unsigned_zero(variant->llr, 2));
    else
        log_info(run->log, "%s: after %" PRId64 " games", variant->name, games);
}

static bool play(SuiteRun *run) {
    const SprtRule *rule = run->given.sprt ? &run->given.rule : NULL;
    bool ok = true;
    for (;;) {
        Error err = {0};
        int next = suite_next(run->suite, run->slice == 0, rule);
        if (next == SUITE_NONE || venue_interrupted(&run->venue))
            break;
        size_t index = (size_t)next;
        size_t before = run->runs[index].pairs.played_count;
        announce(run, &run->suite->variants[index]);
        ok = (localrun_play(&run->runs[index], run->slice, &err) || drop(run, index, &err)) && ok;
        note_score(run, index);
        if (run->runs[index].pairs.played_count == before)
            run->suite->variants[index].over = true;
    }
    return each(run, localrun_finish, false) && ok;
}

bool suiterun_play(SuiteRun *run, bool *table) {
    Error err = {0};
    *table = false;
    run->runs = mem_calloc(run->suite->count, sizeof *run->runs);
    name_journals(run);
    if (!open_suite(run, &err) || !venue_watch(&run->venue, &err)) {
        log_error(run->log, "%s", err.text);
        return false;
    }
    if (!each(run, localrun_check, true))
        return false;
    venue_announce(&run->venue);
    tell_sources(run);
    if (!each(run, localrun_build, true) || !each(run, localrun_open, true))
        return false;
    *table = true;
    bool ok = play(run);
    if (run->venue.interrupts > 0)
        log_info(run->log, "journals in %s: the same command with --resume goes on from here",
                 run->folder);
    return ok;
}

/* ---- Results ---- */

void suiterun_report(SuiteRun *run, CompareRow *rows) {
    for (size_t i = 0; i < run->suite->count; i++)
        rows[i] = (CompareRow){.name = run->suite->variants[i].name,
                               .report = localrun_report(&run->runs[i])};
}

void suiterun_close(SuiteRun *run) {
    for (size_t i = 0; i < run->suite->count; i++) {
        if (run->runs != NULL)
            localrun_close(&run->runs[i]);
        if (run->journals != NULL)
            free(run->journals[i]);
    }
    free(run->runs);
    free(run->journals);
    free(run->folder);
    venue_close(&run->venue);
}
