/* SPDX-License-Identifier: MIT */
/* One game between two players: the referee. */
#ifndef MATCH_GAME_H
#define MATCH_GAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "match/match.h"
#include "match/player.h"

typedef struct Game Game;

/* Why no result came out of a game. */
typedef enum {
    GAME_OVER,    /* It has a result. */
    GAME_UNUSABLE /* An engine failed before its first `readyok`: nothing to score. */
} GameOutcome;

/* The game is over, and asks nothing of its players any more. A move that was late is not among its
 * moves: the flag had fallen. unusable: the side that GAME_UNUSABLE is about; why: what is wrong
 * with it, or what the fault of a game was; "" without one. */
typedef void (*GameOver)(Game *game, GameOutcome outcome, Side unusable, const char *why,
                         void *user);

/* Sets up game `number` (0 or 1) of a pair on its opening; config must outlive it. NULL with err
 * set when the book has no such opening. */
Game *game_new(const MatchConfig *config, int64_t pair, int number, Error *err);

/* Plays it with these players, by side, each with the options that its pair sets; they must be
 * usable and not thinking. Reports to over, once, from uv_run. */
void game_start(Game *game, Player *players[SIDE_COUNT],
                const MatchOption *const options[SIDE_COUNT], const int option_counts[SIDE_COUNT],
                GameOver over, void *user);

/* What came of it; the pointers lead into the game. Only after GAME_OVER. */
FinishedGame game_finished(const Game *game);

/* Moves the result out of the game, to be freed by game_free_result. Only after GAME_OVER. */
GameResult game_take_result(Game *game);

/* At any time; the players are the caller's. NULL is allowed. */
void game_free(Game *game);

#endif
