/* SPDX-License-Identifier: MIT */
/* The endings of games: the rows of endings.def. */
#ifndef RESULTS_ENDING_H
#define RESULTS_ENDING_H

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
    FAULT_TIME_LOSS, /* The move came too late. */
    FAULT_ILLEGAL    /* An illegal, unparsable or missing move. */
} Fault;

/* The columns of endings.def. ENDING_UNKNOWN has the name "otherwise", no fault, and empty texts.
 */
const char *ending_name(Ending ending);
const char *ending_termination(Ending ending);
const char *ending_server_name(Ending ending);
Fault ending_fault(Ending ending);

/* The ending with this name; ENDING_UNKNOWN when no row has the name. */
Ending ending_named(const char *name);

/* Appends the ending's words for PGN: "Black loses on time (12ms overrun)". color: "White" or
 * "Black", the winner's; where an engine has failed, the loser's. detail NULL: none. */
void ending_write(Ending ending, const char *color, const char *detail, Text *out);

/* The ending with these words, for either colour. Appends the ending's detail. ENDING_UNKNOWN:
 * ending_write does not write such words. */
Ending ending_read(const char *words, Text *detail);

#endif
