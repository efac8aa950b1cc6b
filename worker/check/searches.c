/* SPDX-License-Identifier: MIT */
/* Checks of each kind of search. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "check/examination.h"

#define MIDDLE_GAME "r2q1rk1/pp1bbppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 w - - 4 10"
#define MIDDLE_GAME_BLACK "r2q1rk1/pp1bbppp/2n1pn2/3p4/3P1B2/2NBPN2/PPQ2PPP/R4RK1 b - - 5 10"

enum { INFINITE_MS = 200 }; /* The time in which an endless search must not end. */

static int64_t ms_of(uint64_t ns) {
    return (int64_t)(ns / CLOCK_NS_PER_MS);
}

void check_depth(Examination *e, Finding *f) {
    static const char *const GO[] = {"go depth 1", "go depth 2", "go depth 5"};
    SearchAnswer answer;
    for (size_t i = 0; i < COUNT(GO); i++) {
        Search search = {.fen = MIDDLE_GAME, .go = GO[i]};
        if (!examine_search(e, &search, &answer, f))
            return;
    }
    find(f, CHECK_OK, "depths 1, 2 and 5 were searched");
}

/* Hardly a match is played at one node a move: an engine that fails there is warned of it. */
static bool try_nodes(Examination *e, const Search *search, bool lone, SearchAnswer *answer,
                      Finding *f) {
    Finding found = {0};
    if (!examine_ready(e, f))
        return false;
    bool good = examine_search(e, search, answer, &found);
    if (found.outcome > CHECK_OK)
        find(f, lone ? CHECK_WARNS : found.outcome, "%s%s", text_string(&found.text),
             lone && !good ? "; few matches ask for a single node" : "");
    text_free(&found.text);
    return good;
}

void check_nodes(Examination *e, Finding *f) {
    enum { TOLERANCE = 1024 }; /* Engines check their limits only every so many nodes. */
    static const int64_t NODES[] = {1, 1000, 20000};
    SearchAnswer answer;
    int64_t worst = 0;
    int64_t said = 0;
    for (size_t i = 0; i < COUNT(NODES); i++) {
        char go[32];
        snprintf(go, sizeof go, "go nodes %" PRId64, NODES[i]);
        bool lone = NODES[i] == 1;
        Search search = {.fen = MIDDLE_GAME, .go = go, .scoreless = lone};
        bool good = try_nodes(e, &search, lone, &answer, f);
        if (!good && lone)
            continue;
        if (!good)
            return;
        said += answer.nodes >= 0;
        if (answer.nodes - NODES[i] > worst)
            worst = answer.nodes - NODES[i];
        if (answer.nodes > NODES[i] + NODES[i] / 10 + TOLERANCE)
            find(f, CHECK_WARNS, "'%s' took %" PRId64 " nodes", go, answer.nodes);
    }
    if (said == 0)
        find(f, CHECK_WARNS, "no count of nodes was said");
    find(f, CHECK_OK, "1, 1000 and 20000 nodes; at most %" PRId64 " more than asked", worst);
}

void check_movetime(Examination *e, Finding *f) {
    static const int64_t TIMES[] = {10, 100, 300};
    SearchAnswer answer;
    int64_t worst = 0;
    for (size_t i = 0; i < COUNT(TIMES); i++) {
        char go[32];
        snprintf(go, sizeof go, "go movetime %" PRId64, TIMES[i]);
        Search search = {.fen = MIDDLE_GAME, .go = go, .limit_ms = TIMES[i], .scoreless = i == 0};
        if (!examine_search(e, &search, &answer, f))
            return;
        int64_t over = ms_of(answer.took_ns) - TIMES[i];
        worst = over > worst ? over : worst;
    }
    find(f, CHECK_OK, "10, 100 and 300 ms; at most %" PRId64 " ms late", worst);
}

void check_clocks(Examination *e, Finding *f) {
    static const Search CLOCKS[] = {
        {.fen = MIDDLE_GAME, .go = "go wtime 1000 btime 1000 winc 10 binc 10", .limit_ms = 1000},
        {.fen = MIDDLE_GAME_BLACK, .go = "go wtime 60000 btime 500 winc 0 binc 0", .limit_ms = 500},
        {.fen = MIDDLE_GAME, .go = "go wtime 800 btime 60000 movestogo 1", .limit_ms = 800},
        {.fen = MIDDLE_GAME, .go = "go wtime 100 btime 100 winc 100 binc 100", .limit_ms = 100},
        {.fen = MIDDLE_GAME, .go = "go wtime 1 btime 1", .limit_ms = 1, .scoreless = true},
    };
    SearchAnswer answer;
    for (size_t i = 0; i < COUNT(CLOCKS); i++)
        if (!examine_search(e, &CLOCKS[i], &answer, f))
            return;
    find(f, CHECK_OK, "with increments, periods, for Black, and down to the last millisecond");
}

void check_searchmoves(Examination *e, Finding *f) {
    SearchAnswer answer;
    Search search = {.fen = MIDDLE_GAME, .go = "go depth 3 searchmoves a2a3"};
    if (!examine_search(e, &search, &answer, f))
        return;
    if (strcmp(answer.move, "a2a3") != 0)
        find(f, CHECK_WARNS,
             "passes over searchmoves: answers %s instead of a2a3; a match asks for "
             "no such search",
             answer.move);
    find(f, CHECK_OK, "answers the only move that was asked for");
}

/* Ends a search without a limit by sending the lines (none: the search ends by itself), and judges
 * the answer. */
static void end_search(Examination *e, const Search *search, const char *lines, Finding *f) {
    Error err = {0};
    SearchAnswer answer;
    if (lines[0] != '\0')
        dialogue_say(e->dialogue, lines);
    const char *bestmove = dialogue_wait(e->dialogue, "bestmove", e->spec->patience_ms, &err);
    if (bestmove == NULL) {
        find(f, CHECK_FAILS, "after 'stop': %s", err.text);
        examine_drop(e);
    } else if (examine_judge(e, search, bestmove, &answer, f))
        find(f, CHECK_OK, "bestmove %" PRId64 " ms after 'stop'", ms_of(answer.took_ns));
}

static const Search ENDLESS = {.fen = MIDDLE_GAME, .go = "go infinite", .scoreless = true};
static const char EARLY[] = "'go infinite' was answered before 'stop'; a match does not ask this";

void check_infinite(Examination *e, Finding *f) {
    Error err = {0};
    if (!examine_begin(e, &ENDLESS, "", f))
        return;
    if (dialogue_wait(e->dialogue, "bestmove", INFINITE_MS, &err) != NULL)
        find(f, CHECK_WARNS, "%s", EARLY);
    else if (dialogue_ended(e->dialogue)) {
        find(f, CHECK_FAILS, "'go infinite': %s", err.text);
        examine_drop(e);
    } else
        end_search(e, &ENDLESS, "stop\n", f);
}

void check_isready_in_search(Examination *e, Finding *f) {
    Error err = {0};
    if (!examine_begin(e, &ENDLESS, "", f))
        return;
    if (!examine_ask(e, "isready\n", "readyok", e->spec->patience_ms, &err))
        find(f, CHECK_WARNS, "%s during a search; UCI asks for it at any time", err.text);
    else if (dialogue_stray_moves(e->dialogue) > 0)
        find(f, CHECK_WARNS, "%s", EARLY);
    else
        end_search(e, &ENDLESS, "stop\n", f);
    find(f, CHECK_OK, "readyok came while the engine searched");
}

void check_stop_at_once(Examination *e, Finding *f) {
    if (examine_begin(e, &ENDLESS, "stop\n", f))
        end_search(e, &ENDLESS, "", f);
}
