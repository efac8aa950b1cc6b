/* SPDX-License-Identifier: MIT */
/* The results of a game and of a pair of games. Matches hand pairs out, journals keep them, servers
 * get them and reports show them, all as the structs of this header.
 *
 * A pair's record in a journal (base/journal.h) is the JSON object
 *
 *   {"kind":"pair","pair":7,"opening":1903,"ended":1700000100,"at_ms":100123,"deltas":[0.5],
 *    "games":[{"points":2,"ending":"mate","plies":81,"dev":{"moves":41,...},"base":{...},"pgn":"..."},
 *             {"points":1,...}]}
 *
 * with the fields of PairResult, GameResult and GamePart; "deltas", "detail", "pgn", "fen" and
 * "moves" are left out when empty. Two older forms are read too: version 1 of a match's journal has
 * "dev_points" for "points" and "reason", the words of PGN, for "ending" and "detail"; versions 1
 * and 2 of a worker's journal have the points of the two games as "points" and "reply", the number
 * of faults of each kind in both games as "crashes", "timelosses" and "illegals", and one "pgn" of
 * both games. */
#ifndef RESULTS_PAIR_H
#define RESULTS_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/side.h"
#include "base/text.h"
#include "results/ending.h"
#include "stats/stats.h"

/* One side's part of a game. */
typedef struct {
    int64_t moves;
    int64_t ms;      /* Thinking time of all moves. */
    EngineWork work; /* What the engine reported with its moves. */
} GamePart;

/* A finished game. Strings are owned. */
typedef struct {
    Side white;         /* Not in the record: dev in a pair's first game, base in its second. */
    int64_t dev_points; /* In half points: 0 lost, 1 drawn, 2 won by dev. */
    Ending ending;
    char *detail;  /* The detail for the ending's words (endings.def), or NULL. */
    int64_t plies; /* Half moves played by the engines. */
    GamePart parts[SIDE_COUNT];
    char *pgn;   /* NULL: not kept. */
    char *fen;   /* The starting position; NULL: not kept. */
    char *moves; /* All moves, also the opening's, in the form of gamemoves.h; NULL: not kept. */
} GameResult;

/* A finished pair. All zero is empty. */
typedef struct {
    int64_t index;   /* From 0, in the order of the book. */
    int64_t opening; /* The number of the first game's opening in the order of play, from 1. */
    int64_t ended;   /* Unix time. */
    int64_t at_ms;   /* Milliseconds since the match began, without those that Ctrl-Z took. */
    /* Changes of the SPSA parameters, in the order of the workload. Empty without SPSA. */
    RealList deltas;
    GameResult games[2];
} PairResult;

/* The loser of a decided game; where an engine failed, the side at fault. */
Side game_loser(const GameResult *game);

/* "1-0", "0-1", "1/2-1/2". */
const char *game_score(const GameResult *game);

/* Appends the words of the game's ending for PGN: "White mates". */
void game_write_ending(const GameResult *game, Text *out);

void game_free_result(GameResult *game);

/* The pair's counts, to be added to those of a test. */
Tally pair_tally(const PairResult *pair);

/* Moves the pair out of *pair and leaves *pair all zero. */
PairResult pair_move(PairResult *pair);

/* Appends the pair's record, without a line end. */
void pair_write(const PairResult *pair, Text *out);

/* Reads a record into *pair, which must be all zero. The error names the member. The caller frees
 * *pair with pair_free, also after a failure. */
bool pair_read(const cJSON *record, PairResult *pair, Error *err);

void pair_free(PairResult *pair);

#endif
