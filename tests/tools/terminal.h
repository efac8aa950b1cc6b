/* SPDX-License-Identifier: MIT */
/* A pseudo terminal, and what somebody who sits before it would see. */
#ifndef TESTS_TOOLS_TERMINAL_H
#define TESTS_TOOLS_TERMINAL_H

#include <stdbool.h>

#include "base/text.h"

enum { TERMINAL_ROWS_MAX = 100, TERMINAL_COLUMNS_MAX = 200, TERMINAL_CELL = 5 };

typedef struct {
    int master;   /* our end */
    int slave;    /* the program's */
    Text bytes;   /* everything that was written, as it came */
    size_t shown; /* how much of it is on the screen: all but a sequence that is still coming */
    int columns, rows;
    int column, row; /* of the cursor, from 0 */
    char cells[TERMINAL_ROWS_MAX][TERMINAL_COLUMNS_MAX][TERMINAL_CELL];
} Terminal;

/* False, said on stderr, when the system has no pseudo terminals. */
bool terminal_open(Terminal *terminal, int columns, int rows);
void terminal_close(Terminal *terminal);

/* The user pulls at the window. What stands there is not wrapped anew. */
void terminal_resize(Terminal *terminal, int columns, int rows);

/* Takes in what has been written, waiting for some at most wait_ms: on a busy machine that may be a
 * part of what the program writes at a time. False when the program's end is closed everywhere, or
 * nothing came. Fails the test on a control sequence that it does not know: ours are few. */
bool terminal_read(Terminal *terminal, int wait_ms);

/* Appends the screen's lines without blanks at their ends, down to the last one with text. */
void terminal_text(const Terminal *terminal, Text *out);

#endif
