/* SPDX-License-Identifier: MIT */
/* The UCI protocol's lines, from text to structs and back. Pure: no process, no clock. */
#ifndef MATCH_UCI_H
#define MATCH_UCI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "match/timecontrol.h"

/* Is `line` the message `word`, alone or followed by a blank? Returns what follows the blanks after
 * it ("" when nothing does), or NULL. Blanks before the word are passed over. */
const char *uci_message(const char *line, const char *word);

/* How a score was meant. */
typedef enum { UCI_NO_SCORE, UCI_BOUND, UCI_EXACT } UciScoreKind;

/* What an engine last said about its best line. All zero: nothing yet. */
typedef struct {
    UciScoreKind kind;
    bool is_mate;
    int score; /* Centipawns, or moves to mate; from the mover's view. */
    int depth;
    int seldepth;  /* 0: not said. */
    int64_t nodes; /* −1: not said. */
    int hashfull;  /* Per mille; 0: empty, or not said. */
} UciInfo;

/* Takes the rest of an `info` line (what follows the word) into *best when it scores the first line
 * (no multipv, or multipv 1) and does not put a bound in place of an exact score. Returns the nodes
 * that the line names, −1 when it names none. Unknown words are passed over. */
int64_t uci_take_info(UciInfo *best, const char *rest);

enum { UCI_NAME_MAX = 128, UCI_VALUES_MAX = 1024 };

typedef enum { UCI_CHECK, UCI_SPIN, UCI_COMBO, UCI_BUTTON, UCI_STRING } UciOptionType;

/* An option as an engine declares it. */
typedef struct {
    char name[UCI_NAME_MAX];
    UciOptionType type;
    int64_t min, max;
    char values[UCI_VALUES_MAX]; /* UCI_COMBO: each between line breaks: "\nOff\nOn\n". */
} UciOption;

/* Reads the rest of an `option` line. False when it is not one that can be used. */
bool uci_parse_option(const char *rest, UciOption *out);

/* May the option take this value? NULL is for buttons. The error names the range. */
bool uci_check_value(const UciOption *option, const char *value, Error *err);

/* Appends "setoption name N value V\n"; without a value for a button. */
void uci_add_setoption(Text *out, const char *name, const char *value);

/* Appends "go …\n" for the side whose clock is `own`; white and black are both clocks by colour. */
void uci_add_go(Text *out, const GameClock *white, const GameClock *black, bool white_to_move);

#endif
