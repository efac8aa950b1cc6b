/* Games that end before the rules of chess end them: resign and draw counters (pure), Syzygy. */
#ifndef MATCH_ADJUDICATION_H
#define MATCH_ADJUDICATION_H

#include <stdbool.h>

#include "base/error.h"
#include "chess/position.h"

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

/* Tables of endgames. The library behind it has one global set: one open at a time. */
typedef struct {
    int men; /* positions of up to so many pieces are looked up; 0: none */
} Syzygy;

/* How games of a match may end early. All zero: never. */
typedef struct {
    ResignRule resign;
    DrawRule draw;
    const Syzygy *syzygy; /* NULL: no tables */
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

typedef enum { ADJUDGED_NONE, ADJUDGED_WHITE_WINS, ADJUDGED_BLACK_WINS, ADJUDGED_DRAW } Adjudged;

void adjudicator_start(Adjudicator *a, const Adjudication *rules);

/* Counts the move that `mover` has just made with `score` (from the mover's view). zeroing: it was
   a capture or a pawn move. */
void adjudicator_count(Adjudicator *a, int mover, const MoveScore *score, bool zeroing);

/* The verdict on the position after it, whose full move number is `fullmove`; resign before draw.
   To be asked after the rules of chess and the tables have not ended the game. */
Adjudged adjudicator_verdict(const Adjudicator *a, int mover, const MoveScore *score, int fullmove);

/* Is the program built with Syzygy support? */
bool syzygy_available(void);

/* Opens the tables in folder (several are separated by ':'). men_limit 0: as many as there are.
   Fails when there is none, or the program cannot read any. */
bool syzygy_open(Syzygy *syzygy, const char *folder, int men_limit, Error *err);
void syzygy_close(Syzygy *syzygy);

/* The largest N with a WDL table file for every material of N men and fewer in folder; 0 below 3.
 */
int syzygy_complete_men(const char *folder);

/* The tables' verdict on the position, if they may be asked: few enough pieces, halfmove clock 0,
   no castling right. A win that the fifty-move rule spoils is a draw. */
Adjudged syzygy_verdict(const Syzygy *syzygy, const Position *position);

#endif
