/* SPDX-License-Identifier: MIT */
/* A match of two scripted engines, played to its end on a loop of its own; what the tests of the
 * match share. Each checks that nothing is left over. */
#ifndef TESTS_MATCH_LOCAL_RUN_H
#define TESTS_MATCH_LOCAL_RUN_H

#include <stdbool.h>
#include <stdio.h>
#include <uv.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "chess/fen.h"
#include "match/match.h"

enum { PAIRS_MAX = 64, REASON_SIZE = 128, OPENINGS = 16, NAME_SIZE = 96 };

/* What came of one pair. */
typedef struct {
    int count;       /* Of on_pair for this index. */
    int64_t opening; /* As the pair says. */
    int64_t outcome; /* dev's half points, 0 … 4. */
    int64_t at_ms;
    GameResult games[2]; /* Without their texts. */
    char reasons[2][REASON_SIZE];
    char fens[2][FEN_MAX];
    CpuUse cpu[2];
    char *moves[2]; /* "e7e5 0/1 …": each move of a game, its score and its depth. */
} SeenPair;

/* A match of two scripted engines and what was seen of it. */
typedef struct {
    MatchConfig config;
    MatchCallbacks callbacks;
    Words argv[SIDE_COUNT];
    Book book;
    Match *match;
    FILE *log_file;
    char *log_text;
    size_t log_size;
    Log log;
    SeenPair pairs[PAIRS_MAX];
    Text pgn; /* Of all games. */
    int pair_count;
    int game_count;
    int most_beside;  /* Games in play when another one ended. */
    int games_beside; /* Games that ended while others were in play. */
    int ends;
    bool failed;
    Error error;
    Error failure;           /* What match_failure said in on_end, ... */
    bool failure_transcript; /* ... and whether there was a transcript. */
    /* What the test does while games are played. */
    int stop_after_games;
    MatchStop stop_how;
    int concurrency_after_game;
    bool free_after_game;
    uint64_t excuse_ns;   /* Time to excuse after the first game, and when it is held up. */
    int hold_after_games; /* Then no game begins for a while ... */
    int games_after_hold; /* ... in which so many have come to an end. */
    uv_timer_t hold_timer;
    /* Once this file is there, the loop hears nothing for so long; NULL: it is never held up. */
    const char *deaf_file;
    unsigned deaf_ms;
    uv_timer_t deaf_timer;
} Run;

/* Four pairs at fixed nodes, one game at a time, drawn after six plies. Change what the test is
 * about before run_play. */
Run *run_new(void);

/* The arguments of the side's scripted engine. */
void run_set_engine(Run *run, Side side, const char *arguments);

/* Plays other openings than the sixteen after one move of a White pawn. */
void run_set_book(Run *run, const char *epd);

/* Plays it to its end; nothing may be left: no process, no descriptor, no handle. */
void run_play(Run *run);

/* Every pair was played, once. */
void run_expect_complete(const Run *run);

void run_free(Run *run);

/* A name for what engines write to, or look for; read_and_remove takes it away again. */
void temporary_name(char path[NAME_SIZE]);
char *read_and_remove(const char *path);

#endif
