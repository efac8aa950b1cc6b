/* SPDX-License-Identifier: MIT */
/* The early end of games: the resign and draw counters. Pure. */
#ifndef MATCH_ADJUDICATION_H
#define MATCH_ADJUDICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "chess/types.h"
#include "match/syzygy.h"

/* "movecount=3 score=400": after three moves in a row at -400 or worse the side loses. */
typedef struct {
    bool on;
    int movecount;
    int score; /* centipawns */
} ResignRule;

/* "movenumber=40 movecount=8 score=10": after move 40, eight moves in a row of each side within ±10
   draw the game. */
typedef struct {
    bool on;
    int movenumber;
    int movecount;
    int score; /* centipawns */
} DrawRule;

/* Each reads a rule; "None" (any case) switches the rule off. The error names the rule and the
   fault. */
bool adjudication_parse_resign(const char *text, ResignRule *out, Error *err);
bool adjudication_parse_draw(const char *text, DrawRule *out, Error *err);

/* The ways in which games of a match may end early. All zero: none. */
typedef struct {
    ResignRule resign;
    DrawRule draw;
    const Syzygy *syzygy; /* NULL: no tables */
    int64_t moves_max;    /* the game is drawn after so many moves of each side; 0: no limit */
} Adjudication;

/* The score that the mover's engine gave with its move. */
typedef struct {
    bool known;   /* the engine gave a score */
    bool is_mate; /* value: moves to mate, negative when the mover is mated; else centipawns */
    int value;
} MoveScore;

/* The counters of one game. */
typedef struct {
    ResignRule resign;
    DrawRule draw;
    int resign_count[2]; /* by colour */
    int draw_count;
} Adjudicator;

void adjudicator_start(Adjudicator *a, const Adjudication *rules);

/* Counts the move that `mover` has just made with `score` (from the mover's view). zeroing: the
   move was a capture or a pawn move. */
void adjudicator_count(Adjudicator *a, Color mover, const MoveScore *score, bool zeroing);

/* The verdict on the position after that move, whose full move number is `fullmove`; resign before
   draw. To be asked when neither the rules of chess nor the tables have ended the game. */
Adjudged adjudicator_verdict(const Adjudicator *a, Color mover, const MoveScore *score,
                             int fullmove);

#endif
