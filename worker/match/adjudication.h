/* SPDX-License-Identifier: MIT */
/* Games that end before the rules of chess end them: the resign and draw counters. Pure. */
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

/* "movenumber=40 movecount=8 score=10". */
typedef struct {
    bool on;
    int movenumber;
    int movecount;
    int score; /* centipawns */
} DrawRule;

/* Read a rule; "None" (any case) switches it off. The error names the rule and the fault. */
bool adjudication_parse_resign(const char *text, ResignRule *out, Error *err);
bool adjudication_parse_draw(const char *text, DrawRule *out, Error *err);

/* How games of a match may end early. All zero: never. */
typedef struct {
    ResignRule resign;
    DrawRule draw;
    const Syzygy *syzygy; /* NULL: no tables */
    int64_t moves_max;    /* a game in which each side has made so many is drawn; 0: no limit */
} Adjudication;

/* What the mover's engine said about its move. */
typedef struct {
    bool known;   /* it gave a score */
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

/* Counts the move that `mover` has just made with `score` (from the mover's view). zeroing: it was
   a capture or a pawn move. */
void adjudicator_count(Adjudicator *a, Color mover, const MoveScore *score, bool zeroing);

/* The verdict on the position after it, whose full move number is `fullmove`; resign before draw.
   To be asked after the rules of chess and the tables have not ended the game. */
Adjudged adjudicator_verdict(const Adjudicator *a, Color mover, const MoveScore *score,
                             int fullmove);

#endif
