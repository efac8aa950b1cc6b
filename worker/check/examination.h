/* SPDX-License-Identifier: MIT */
/* What the checks of one checkup share: the engine's process, its options, its searches. */
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

/* What one check has found: the sentence of the worst finding, and how many more there were of the
 * same kind. */
typedef struct {
    CheckOutcome outcome;
    Text text;
    int more;
} Finding;

/* Adds to the finding: a worse one replaces what was found, a milder one is passed over. */
void find(Finding *f, CheckOutcome outcome, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* What was seen of `info` lines in all searches. */
typedef struct {
    int searches;
    int without_score;
    int lines; /* With a pv. */
    int wrong_lines;
    char wrong_line[160]; /* The first. */
} InfoTally;

typedef struct {
    const CheckupSpec *spec;
    uv_loop_t loop;
    MatchEngine engine;
    SandboxPolicy policy;
    int64_t hash_mb; /* The most that is tried. */
    int64_t threads;
    Dialogue *dialogue; /* NULL: none runs. */
    char id[UCI_NAME_MAX];
    Declaration *options;
    size_t option_count;
    size_t option_capacity;
    Words option_faults; /* What is wrong with the lines that declare them. */
    InfoTally tally;
    /* The search that runs. */
    Position position;
    UciInfo info;
    int64_t nodes;
} Examination;

/* A check. */
typedef void (*Check)(Examination *e, Finding *f);

/* Has a process that has said `uciok`, has its options, and has said `readyok`. False with the
 * failure found. */
bool examine_ready(Examination *e, Finding *f);

/* Starts a process in the place of the present one. False with the failure found. */
bool examine_start(Examination *e, Finding *f);

/* Ends the process by force. */
void examine_drop(Examination *e);

/* Sends lines and waits for the word. A process that does not answer is dropped, and false is
 * returned with err set. */
bool examine_ask(Examination *e, const char *lines, const char *word, int64_t ms, Error *err);

/* A search to be tried. */
typedef struct {
    const char *fen;   /* NULL: "position startpos". */
    const char *moves; /* Played from there, with blanks between them; NULL: none. */
    const char *go;    /* "go depth 3" */
    int64_t limit_ms;  /* The move's time; 0: none. */
    bool chess960;     /* The FEN and the moves are Chess960's. */
    bool scoreless;    /* An answer without a score is fine. */
} Search;

typedef struct {
    char move[16];
    uint64_t took_ns;
    int64_t nodes; /* -1: not said. */
} SearchAnswer;

/* Tries a search: the answer has to come, be legal, and come in time. False with the failure
 * found. */
bool examine_search(Examination *e, const Search *search, SearchAnswer *out, Finding *f);

/* The parts of it. Waits until older answers are over, and sends the position, `go`, and more lines
 * in one write. Then judges what follows the word `bestmove`. */
bool examine_begin(Examination *e, const Search *search, const char *more, Finding *f);
bool examine_judge(Examination *e, const Search *search, const char *bestmove, SearchAnswer *out,
                   Finding *f);

/* The option of this name; NULL: the engine does not have it. */
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
