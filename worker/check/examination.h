/* SPDX-License-Identifier: MIT */
/* The shared state and steps of one checkup's checks: the engine's process, its options, its
 * searches. */
#ifndef CHECK_EXAMINATION_H
#define CHECK_EXAMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "check/checkup.h"
#include "check/declaration.h"
#include "check/dialogue.h"
#include "chess/position.h"

/* The outcome of one check: the sentence of the first of the worst findings, and the count of
 * further findings as bad. */
typedef struct {
    CheckOutcome outcome;
    Text text;
    int more;
} Finding;

/* Adds a finding to the check's outcome. A worse finding replaces the earlier ones; a milder one is
 * dropped. */
void find(Finding *f, CheckOutcome outcome, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Counts over the `info` lines of all searches. */
typedef struct {
    int searches;
    int without_score;
    int lines; /* Lines with a pv. */
    int wrong_lines;
    char wrong_line[160]; /* The first wrong line. */
} InfoTally;

typedef struct {
    const CheckupSpec *spec;
    uv_loop_t loop;
    MatchEngine engine;
    SandboxPolicy policy;
    MatchDeadlines deadlines; /* None of them 0. */
    int64_t hash_mb;          /* The largest hash that is tried, in MB. */
    int64_t threads;
    Dialogue *dialogue; /* NULL: no process runs. */
    bool chess960;      /* A new process plays Chess960. */
    char id[UCI_NAME_MAX];
    Declaration *options;
    size_t option_count;
    size_t option_capacity;
    Words option_faults; /* The faults of the engine's option lines. */
    InfoTally tally;
    /* The running search. */
    Position position;
    UciInfo info;
    int64_t nodes;
} Examination;

/* Sets the policy of e->engine, with room for the largest hash and threads: those that are tried,
 * or the engine's own. */
void examine_confine(Examination *e);

/* A check reports its outcome in *f. */
typedef void (*Check)(Examination *e, Finding *f);

/* Makes sure that a process runs which has said `uciok`, has its options, plays Chess960 if
 * e->chess960 says so, and has said `readyok`. On failure returns false with the finding added. */
bool examine_ready(Examination *e, Finding *f);

/* Replaces the present process by a new one. On failure returns false with the finding added. */
bool examine_start(Examination *e, Finding *f);

/* Kills the process. */
void examine_drop(Examination *e);

/* The time limit of an answer for which a match waits `match_ms`: no less than that, nor than the
 * user's patience. */
int64_t examine_limit(const Examination *e, int64_t match_ms);

/* Sends lines and waits at most `ms` milliseconds for the word. On failure kills the process and
 * returns false with err set. */
bool examine_ask(Examination *e, const char *lines, const char *word, int64_t ms, Error *err);

/* A search to try. */
typedef struct {
    const char *fen;   /* NULL: "position startpos". */
    const char *moves; /* Moves from the FEN on, separated by blanks; NULL: none. */
    const char *go;    /* "go depth 3" */
    int64_t limit_ms;  /* The move's time in ms; 0: no limit. */
    bool chess960;     /* FEN and moves are in Chess960's form. */
    bool scoreless;    /* An answer without a score is no fault. */
} Search;

typedef struct {
    char move[16];
    uint64_t took_ns;
    int64_t nodes; /* -1: not told by the engine. */
} SearchAnswer;

/* Tries a search: an answer must come, in time, with a legal move. On failure returns false with
 * the finding added. */
bool examine_search(Examination *e, const Search *search, SearchAnswer *out, Finding *f);

/* The two halves of examine_search. examine_begin waits until older answers are over, then sends
 * the position, `go`, and the lines `more` in one write. examine_judge judges `bestmove`, the text
 * behind the word of that name. */
bool examine_begin(Examination *e, const Search *search, const char *more, Finding *f);
bool examine_judge(Examination *e, const Search *search, const char *bestmove, SearchAnswer *out,
                   Finding *f);

/* The engine's option of this name; NULL: the engine has no such option. */
const Declaration *examine_option(const Examination *e, const char *name);

/* The checks: startstop.c, settings.c, searches.c, games.c, server.c. */
void check_uci(Examination *e, Finding *f);
void check_declarations(Examination *e, Finding *f);
void check_usual_options(Examination *e, Finding *f);
void check_option_values(Examination *e, Finding *f);

void check_depth(Examination *e, Finding *f);
void check_nodes(Examination *e, Finding *f);
void check_movetime(Examination *e, Finding *f);
void check_clocks(Examination *e, Finding *f);
void check_searchmoves(Examination *e, Finding *f);
void check_infinite(Examination *e, Finding *f);
void check_isready_in_search(Examination *e, Finding *f);
void check_stop_at_once(Examination *e, Finding *f);

void check_positions(Examination *e, Finding *f);
void check_long_game(Examination *e, Finding *f);
void check_game_over(Examination *e, Finding *f);
void check_games(Examination *e, Finding *f);
void check_chess960(Examination *e, Finding *f);
void check_scores(Examination *e, Finding *f);
void check_lines(Examination *e, Finding *f);

void check_quit(Examination *e, Finding *f);
void check_end_of_input(Examination *e, Finding *f);

void check_bench(Examination *e, Finding *f);
void check_genfens(Examination *e, Finding *f);

#endif
