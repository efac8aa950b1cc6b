/* SPDX-License-Identifier: MIT */
/* The UCI protocol's lines, from text to structs and back. Pure: no process, no clock. */
#ifndef MATCH_UCI_H
#define MATCH_UCI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "match/timecontrol.h"

/* Whether `line` is the message `word`, alone or followed by a blank. Returns the text after the
 * word and its blanks ("" at the end of the line), or NULL. Blanks before the word are passed over.
 */
const char *uci_message(const char *line, const char *word);

/* The kind of a score. */
typedef enum { UCI_NO_SCORE, UCI_BOUND, UCI_EXACT } UciScoreKind;

/* The latest facts from an engine about its best line. All zero: none yet. */
typedef struct {
    UciScoreKind kind;
    bool is_mate;
    int score; /* Centipawns, or moves to mate; from the mover's view. */
    int depth;
    int seldepth;  /* 0: not given. */
    int64_t nodes; /* −1: not given. */
    int hashfull;  /* Per mille; 0: empty, or not given. */
} UciInfo;

/* Takes the rest of an `info` line (after the word) into *best, if the line has a score of the
 * first variation (no multipv, or multipv 1) and does not replace an exact score by a bound.
 * The line's moves, as of uci_take_pv, then replace *pv (NULL: not wanted). Returns the line's node
 * count, −1 without one. Unknown words are passed over. */
int64_t uci_take_info(UciInfo *best, const char *rest, Text *pv);

/* Replaces *pv by the words between the `pv` of the rest of an `info` line and the line's end or
 * the next of the protocol's words. They should be moves: the caller reads them. False, and an
 * empty *pv, for a line without `pv`. */
bool uci_take_pv(const char *rest, Text *pv);

enum {
    UCI_NAME_MAX = 128,
    UCI_VALUES_MAX = 1024,
    UCI_OPTIONS_MAX = 4096 /* No engine has so many options; more would fill the memory. */
};

typedef enum { UCI_CHECK, UCI_SPIN, UCI_COMBO, UCI_BUTTON, UCI_STRING } UciOptionType;

/* An option as an engine declares it. */
typedef struct {
    char name[UCI_NAME_MAX];
    UciOptionType type;
    int64_t min, max;
    char values[UCI_VALUES_MAX]; /* UCI_COMBO: the values between line breaks: "\nOff\nOn\n". */
    bool cut;                    /* UCI_COMBO: the engine has more values than have room there. */
} UciOption;

/* Reads the rest of an `option` line. False when the option cannot be used. */
bool uci_parse_option(const char *rest, UciOption *out);

/* Whether the option may take this value. A button takes NULL, "" and "true", which press it, and
 * "false", which does not. A combo whose values are cut may take any value. The error names the
 * range. */
bool uci_check_value(const UciOption *option, const char *value, Error *err);

/* Appends "setoption name N value V\n"; value NULL: without a value, for a button. */
void uci_add_setoption(Text *out, const char *name, const char *value);

/* Appends the line that gives the option a value which uci_check_value takes; nothing for a button
 * that is not pressed. */
void uci_add_value(Text *out, const UciOption *option, const char *value);

/* Appends "go …\n" for the side to move; white and black are the two clocks. */
void uci_add_go(Text *out, const GameClock *white, const GameClock *black, bool white_to_move);

#endif
