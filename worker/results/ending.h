/* SPDX-License-Identifier: MIT */
/* How games end: the rows of endings.def. */
#ifndef RESULTS_ENDING_H
#define RESULTS_ENDING_H

#include <stdbool.h>

#include "base/text.h"

typedef enum {
    ENDING_UNKNOWN,
#define ENDING(kind, words, termination, name, fault, server) ENDING_##kind,
#include "results/endings.def"
#undef ENDING
    ENDING_COUNT
} Ending;

/* Which fault of an engine lost a game, in the server's three kinds. */
typedef enum {
    FAULT_NONE,
    FAULT_CRASH,     /* Disconnected or stalled. */
    FAULT_TIME_LOSS, /* Late. */
    FAULT_ILLEGAL    /* An illegal, unparsable or missing move. */
} Fault;

/* The columns of endings.def. Of ENDING_UNKNOWN the name is "otherwise" and the rest is empty. */
const char *ending_name(Ending ending);
const char *ending_termination(Ending ending);
const char *ending_server_name(Ending ending);
Fault ending_fault(Ending ending);

/* The ending of this name; ENDING_UNKNOWN: there is none. */
Ending ending_named(const char *name);

/* Appends the words of PGN: "Black loses on time (12ms overrun)". color: "White" or "Black", of the
 * winner, or of the loser where an engine has failed. detail NULL: none. */
void ending_write(Ending ending, const char *color, const char *detail, Text *out);

/* The ending that these words tell of, in either colour, and its detail, which is appended.
 * ENDING_UNKNOWN: nothing that ending_write appends. */
Ending ending_read(const char *words, Text *detail);

#endif
