/* SPDX-License-Identifier: MIT */
/* A short form of a game's moves with their scores and times, about seven letters a move. Journals
 * keep moves in this form, and pages give it to their boards (report/games.js reads it too).
 *
 * A digit is one of 0-9 A-Z a-z - _ and stands for 0 to 63. A number is written in digits of five
 * bits, the lowest first; 32 is added to each digit that another one follows. A move is
 *
 *   a digit    the square it leaves: a1 is 0, b1 is 1, h8 is 63
 *   a digit    the square it goes to; castling is written as the king taking its own rook
 *   a digit    12 * promotion + 3 * named + check, as in GameMove
 *   a number   0 without a score; else 1 + z, where z is 2d for d >= 0 and -2d - 1 for d < 0, and d
 *              is the score less the same engine's score before (0 at first)
 *   a number   the milliseconds */
#ifndef RESULTS_GAMEMOVES_H
#define RESULTS_GAMEMOVES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* The parts of the square left that a move's SAN names. */
enum { NAMED_FILE = 1, NAMED_RANK = 2 };

/* A score of mate in m moves is GAMEMOVE_MATE - m, and -GAMEMOVE_MATE + m against the mover. Scores
 * in centipawns keep below GAMEMOVE_SCORE_MAX. */
enum { GAMEMOVE_MATE = 100000, GAMEMOVE_MATE_MAX = 1000, GAMEMOVE_SCORE_MAX = 98000 };

typedef struct {
    int from, to;
    int promotion; /* 0: none; 1 to 4: knight, bishop, rook, queen. */
    int named;     /* NAMED_FILE, NAMED_RANK, both or 0. */
    int check;     /* 1: the move gives check, 2: mate. */
    bool scored;   /* The engine gave a score. */
    int score;     /* From the mover's view. */
    int64_t ms;
} GameMove;

/* A game being written or read. All zero at its beginning. */
typedef struct {
    int scores[2];
    int64_t count; /* Moves so far. */
} GameMoves;

/* Appends a move. A score out of range and a negative time are brought into range. */
void gamemoves_add(GameMoves *moves, const GameMove *move, Text *out);

/* Reads the move at *text into *out and passes over it. False at the end of the text, and at a text
 * that is no move. */
bool gamemoves_next(GameMoves *moves, const char **text, GameMove *out);

/* Whether the whole text consists of moves. */
bool gamemoves_are_sound(const char *text);

#endif
