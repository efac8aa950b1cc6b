/* SPDX-License-Identifier: MIT */
#include "report/endings.h"

#include <string.h>

/* Words within the reason that tell the kind of ending; the first that fits counts. Those that are
 * faults of an engine come last. */
static const struct {
    const char *part;
    const char *name;
} ENDINGS[ENDING_KINDS] = {
    {"Draw by adjudication: SyzygyTB", "drawn by tables"},
    {"adjudication: SyzygyTB", "won by tables"},
    {"Draw by adjudication", "draw adjudicated"},
    {"wins by adjudication", "win adjudicated"},
    {"mates", "mate"},
    {"3-fold", "threefold repetition"},
    {"fifty", "fifty moves"},
    {"stalemate", "stalemate"},
    {"insufficient", "insufficient material"},
    {"loses on time", "time loss"},
    {"disconnects", "disconnect"},
    {"stalls", "stall"},
    {"illegal", "illegal move"},
};

enum { FIRST_FAULT = 9 };

int ending_of(const char *reason) {
    for (int kind = 0; kind < ENDING_KINDS; kind++)
        if (strstr(reason, ENDINGS[kind].part) != NULL)
            return kind;
    return -1;
}

const char *ending_name(int kind) {
    return ENDINGS[kind].name;
}

bool ending_is_fault(int kind) {
    return kind >= FIRST_FAULT;
}
