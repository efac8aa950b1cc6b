/* SPDX-License-Identifier: MIT */
/* One game between two players: the referee. */
#ifndef MATCH_GAME_H
#define MATCH_GAME_H

#include <stdint.h>

#include "base/error.h"
#include "match/match.h"
#include "match/player.h"

typedef struct Game Game;

/* Whether a game has a result. */
typedef enum {
    GAME_OVER,    /* The game has a result. */
    GAME_UNUSABLE /* An engine failed before its first `readyok`: the game has no result. */
} GameOutcome;

/* The game is over, and asks no more of its players. A late move does not count among the game's
 * moves, since the flag had fallen. unusable: the side that failed, with GAME_UNUSABLE only. why:
 * the fault of an engine; "" without a fault. */
typedef void (*GameOver)(Game *game, GameOutcome outcome, Side unusable, const char *why,
                         void *user);

/* Sets up game `number` (0 or 1) of a pair on its opening; config, no deadline of which is 0, must
 * outlive it. NULL with err set when the book has no such opening. */
Game *game_new(const MatchConfig *config, int64_t pair, int number, Error *err);

/* Plays the game with these players, by side, each with the options that the pair sets. The players
 * must be usable and not thinking. Calls `over` once, from uv_run. */
void game_start(Game *game, Player *players[SIDE_COUNT],
                const MatchOption *const options[SIDE_COUNT], const int option_counts[SIDE_COUNT],
                GameOver over, void *user);

/* The finished game; its pointers lead into `game`. Only after GAME_OVER. */
FinishedGame game_finished(const Game *game);

/* Moves the result out of the game; the caller frees the result with game_free_result. Only after
 * GAME_OVER. */
GameResult game_take_result(Game *game);

/* Frees the game at any time; the players are the caller's. NULL is allowed. */
void game_free(Game *game);

#endif
