/* SPDX-License-Identifier: MIT */
/* Games of the engine against itself, as labelled positions: what a tuner of the evaluation reads.
 * The same request writes the same bytes, with the same build. */
#ifndef DATAGEN_H
#define DATAGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "opening.h"

enum {
    DATAGEN_GAMES_MAX = 100000000,
    DATAGEN_NODES_DEFAULT = 1000,
    DATAGEN_NODES_MAX = 100000000,
    DATAGEN_EVERY_MAX = 1000
};

typedef struct {
    int games;
    int nodes; /* a move */
    int random_plies;
    int every; /* of a game's quiet positions, the first and then one in so many is written */
    uint64_t seed;
    const char *book; /* path of a file with a FEN or EPD a line; NULL: the starting position */
    const char *out;  /* path of a new file, of a device, or of a pipe that somebody reads */
} DatagenRequest;

/* Reads words in pairs, in any order: `games N out FILE`, and if wanted `nodes N`, `seed S`, `book
 * <None|path>`, `random_plies P`, `every N`. `text` is cut into words, and the request points into
 * it. False with one line in `fault`. */
bool datagen_parse(char *text, DatagenRequest *request, char fault[OPENING_FAULT_MAX]);

typedef struct {
    int games;
    int64_t positions;
} DatagenResult;

/* Plays the games and writes, as each one ends, a line for each quiet position of it:
 *
 *     <FEN> | <score> | <result>
 *
 * The score is the search's, in centipawns, and the result 1.0, 0.5 or 0.0, both in White's view.
 * Quiet means: the side to move is not in check, the best move takes and promotes nothing, and the
 * score is no mate. Of an opening's positions only the last may be written: the game begins there.
 * False with one line in `fault` when a file cannot be used, `out` is a file already, or the book
 * has no opening that is playable for both sides; true when the task was ended, which loses the
 * game in play. *result says what was written, whatever happened. A run that writes nothing leaves
 * no file. */
bool datagen_run(Task *task, const DatagenRequest *request, DatagenResult *result,
                 char fault[OPENING_FAULT_MAX]);

#endif
