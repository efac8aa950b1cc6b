/* SPDX-License-Identifier: MIT */
/* Positions for tests. */
#ifndef TESTS_TOOLS_POSITION_H
#define TESTS_TOOLS_POSITION_H

#include <check.h>

#include "chess/fen.h"

/* The position of a FEN. The test fails when there is none. */
static inline Position read_position(const char *fen, bool chess960) {
    Position position;
    FenError err;
    ck_assert_msg(fen_parse(&position, fen, chess960, &err), "%s: %s", fen, err.text);
    return position;
}

static inline Position parsed(const char *fen) {
    return read_position(fen, false);
}

#endif
