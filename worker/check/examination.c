/* SPDX-License-Identifier: MIT */
#include "check/examination.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "chess/fen.h"
#include "chess/move.h"

/* ---- Findings ---- */

void find(Finding *f, CheckOutcome outcome, const char *fmt, ...) {
    va_list args;
    char text[1024];
    if (outcome < f->outcome)
        return;
    if (outcome == f->outcome && f->text.length > 0 && outcome > CHECK_OK) {
        f->more++;
        return;
    }
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text_clear(&f->text);
    text_add(&f->text, text);
    f->more = 0;
    f->outcome = outcome;
}

/* ---- The process ---- */

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

void examine_confine(Examination *e) {
    char hash[32];
    char threads[32];
    MatchEngine largest = e->spec->engine;
    MatchOption *options = mem_calloc((size_t)largest.option_count + 2, sizeof *options);
    for (int i = 0; i < largest.option_count; i++)
        options[i] = largest.options[i];
    snprintf(hash, sizeof hash, "%" PRId64, larger(e->hash_mb, engine_hash_mb(&largest)));
    snprintf(threads, sizeof threads, "%" PRId64, larger(e->threads, engine_threads(&largest)));
    options[largest.option_count++] = (MatchOption){.name = "Hash", .value = hash};
    options[largest.option_count++] = (MatchOption){.name = "Threads", .value = threads};
    largest.options = options;
    engine_confine(&largest, e->spec->sandbox, &e->policy);
    free(options);
    e->engine = e->spec->engine;
    e->engine.policy = &e->policy;
}

void examine_drop(Examination *e) {
    dialogue_free(e->dialogue);
    e->dialogue = NULL;
}

int64_t examine_limit(const Examination *e, int64_t match_ms) {
    return larger(e->spec->patience_ms, match_ms);
}

bool examine_ask(Examination *e, const char *lines, const char *word, int64_t ms, Error *err) {
    dialogue_say(e->dialogue, lines);
    if (dialogue_wait(e->dialogue, word, ms, err) != NULL)
        return true;
    examine_drop(e);
    return false;
}

const Declaration *examine_option(const Examination *e, const char *name) {
    for (size_t i = 0; i < e->option_count; i++)
        if (text_equal_nocase(e->options[i].option.name, name))
            return &e->options[i];
    return NULL;
}

/* Appends `setoption` lines for the options that the engine plays with. Returns false with the
 * finding added when the engine does not take an option. */
static bool add_own_options(const Examination *e, Text *out, Finding *f) {
    for (int i = 0; i < e->engine.option_count; i++) {
        Error err = {0};
        const MatchOption *option = &e->engine.options[i];
        const Declaration *d = examine_option(e, option->name);
        if (d == NULL && option->optional)
            continue;
        if (d == NULL)
            error_set(&err, "%s: the engine has no such option", option->name);
        if (d == NULL || !uci_check_value(&d->option, option->value, &err)) {
            find(f, CHECK_FAILS, "%s", err.text);
            return false;
        }
        uci_add_value(out, &d->option, option->value);
    }
    return true;
}

bool examine_start(Examination *e, Finding *f) {
    Error err = {0};
    examine_drop(e);
    e->dialogue = dialogue_start(&e->loop, &e->engine, e->spec->log, &err);
    if (e->dialogue == NULL)
        find(f, CHECK_FAILS, "cannot be started: %s", err.text);
    return e->dialogue != NULL;
}

bool examine_ready(Examination *e, Finding *f) {
    Error err = {0};
    if (e->dialogue != NULL && !dialogue_ended(e->dialogue))
        return true;
    if (!examine_start(e, f))
        return false;
    if (!examine_ask(e, "uci\n", "uciok", examine_limit(e, e->deadlines.uciok), &err)) {
        find(f, CHECK_FAILS, "a new process: %s", err.text);
        return false;
    }
    Text lines = {0};
    bool ready = add_own_options(e, &lines, f);
    if (!ready)
        examine_drop(e);
    if (e->chess960)
        uci_add_setoption(&lines, "UCI_Chess960", "true");
    text_add(&lines, "ucinewgame\nisready\n");
    if (ready && !examine_ask(e, text_string(&lines), "readyok",
                              examine_limit(e, e->deadlines.readyok), &err)) {
        find(f, CHECK_FAILS, "a new process: %s", err.text);
        ready = false;
    }
    text_free(&lines);
    return ready;
}

/* ---- Searches ---- */

/* Counts a pv, and counts it as wrong at its first illegal move. */
static void judge_line(Examination *e, const char *pv) {
    Position position = e->position;
    char word[8];
    int length;
    int moves = 0;
    e->tally.lines++;
    for (const char *at = pv; sscanf(at, "%7s%n", word, &length) == 1; at += length, moves++) {
        Undo undo;
        Move move = move_from_uci(&position, word);
        if (move == MOVE_NONE) {
            if (e->tally.wrong_lines++ == 0)
                snprintf(e->tally.wrong_line, sizeof e->tally.wrong_line, "'%s' in 'pv %.100s'",
                         word, pv);
            return;
        }
        position_make(&position, move, &undo);
    }
}

static void hear_info(const char *line, void *user) {
    Examination *e = user;
    const char *rest = uci_message(line, "info");
    if (rest == NULL || uci_message(rest, "string") != NULL)
        return;
    int64_t nodes = uci_take_info(&e->info, rest, NULL);
    if (nodes >= 0)
        e->nodes = nodes;
    Text pv = {0};
    if (uci_take_pv(rest, &pv) && pv.length > 0)
        judge_line(e, text_string(&pv));
    text_free(&pv);
}

/* Sets e->position from the search, whose FEN and moves are the checks' own and legal. */
static void set_position(Examination *e, const Search *search) {
    char word[8];
    int length;
    const char *fen = search->fen != NULL ? search->fen : FEN_STARTPOS;
    bool legal = fen_parse(&e->position, fen, search->chess960, NULL);
    assert(legal);
    for (const char *at = search->moves != NULL ? search->moves : "";
         sscanf(at, "%7s%n", word, &length) == 1; at += length) {
        Undo undo;
        Move move = move_from_uci(&e->position, word);
        legal = move != MOVE_NONE;
        assert(legal);
        position_make(&e->position, move, &undo);
    }
    (void)legal;
}

bool examine_begin(Examination *e, const Search *search, const char *more, Finding *f) {
    Error err = {0};
    if (!examine_ready(e, f))
        return false;
    /* Lines before this `readyok` answer an older search. */
    dialogue_listen(e->dialogue, NULL, NULL);
    dialogue_stray_moves(e->dialogue);
    if (!examine_ask(e, "isready\n", "readyok", e->spec->patience_ms, &err)) {
        find(f, CHECK_FAILS, "before '%s': %s", search->go, err.text);
        return false;
    }
    if (dialogue_stray_moves(e->dialogue) > 0)
        find(f, CHECK_WARNS, "a search was answered by more than one bestmove");
    set_position(e, search);
    e->info = (UciInfo){.nodes = -1};
    e->nodes = -1;
    dialogue_listen(e->dialogue, hear_info, e);
    Text lines = {0};
    text_addf(&lines, "position %s%s", search->fen != NULL ? "fen " : "startpos",
              search->fen != NULL ? search->fen : "");
    if (search->moves != NULL)
        text_addf(&lines, " moves %s", search->moves);
    text_addf(&lines, "\n%s\n%s", search->go, more);
    dialogue_say(e->dialogue, text_string(&lines));
    text_free(&lines);
    return true;
}

static void add_place(const Search *search, Text *out) {
    text_addf(out, "'%s'%s%s", search->go, search->fen != NULL ? " in " : "",
              search->fen != NULL ? search->fen : "");
    int plies = search->moves != NULL && search->moves[0] != '\0';
    for (const char *at = search->moves; at != NULL && (at = strchr(at, ' ')) != NULL; at++)
        plies++;
    if (plies > 0)
        text_addf(out, " after %d half move%s", plies, text_plural(plies));
}

bool examine_judge(Examination *e, const Search *search, const char *bestmove, SearchAnswer *out,
                   Finding *f) {
    Text place = {0};
    snprintf(out->move, sizeof out->move, "%.*s", (int)strcspn(bestmove, " \t"), bestmove);
    out->took_ns = dialogue_took_ns(e->dialogue);
    out->nodes = e->nodes;
    if (!search->scoreless)
        e->tally.searches++;
    if (!search->scoreless && e->info.kind == UCI_NO_SCORE)
        e->tally.without_score++;
    add_place(search, &place);
    int64_t took_ms = (int64_t)(out->took_ns / CLOCK_NS_PER_MS);
    bool legal = move_from_uci(&e->position, out->move) != MOVE_NONE;
    bool late = search->limit_ms > 0 && took_ms > search->limit_ms + e->spec->margin_ms;
    if (!legal)
        find(f, CHECK_FAILS, "answers '%s', which is illegal, to %s", out->move,
             text_string(&place));
    else if (late)
        find(f, CHECK_FAILS, "%s took %" PRId64 " ms, %" PRId64 " ms more than the limit",
             text_string(&place), took_ms, took_ms - search->limit_ms);
    text_free(&place);
    return legal && !late;
}

bool examine_search(Examination *e, const Search *search, SearchAnswer *out, Finding *f) {
    Error err = {0};
    if (!examine_begin(e, search, "", f))
        return false;
    int64_t ms =
        e->spec->patience_ms + (search->limit_ms > 0 ? search->limit_ms + e->spec->margin_ms : 0);
    const char *bestmove = dialogue_wait(e->dialogue, "bestmove", ms, &err);
    if (bestmove == NULL) {
        Text place = {0};
        add_place(search, &place);
        find(f, CHECK_FAILS, "%s: %s", text_string(&place), err.text);
        text_free(&place);
        examine_drop(e);
        return false;
    }
    return examine_judge(e, search, bestmove, out, f);
}
