/* SPDX-License-Identifier: MIT */
/* What the time of a session went into: is any core idle, and why? Pure: the clock is the caller's.
 */
#ifndef WORKER_SESSION_SHARES_H
#define WORKER_SESSION_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

typedef enum {
    SPELL_FULL,     /* As many games are in play as the server gave places. */
    SPELL_PART,     /* Fewer. */
    SPELL_REGISTER, /* None, because of this: */
    SPELL_ASK,      /* a question for work, */
    SPELL_PREPARE,  /* book, networks, builds, benches, */
    SPELL_REPORT,   /* what is to be told, */
    SPELL_NOTHING,  /* there is no work. */
    SPELLS
} Spell;

/* All zero before the first shares_enter. */
typedef struct {
    Spell now;
    int64_t since_ns;
    bool played;              /* There was a game: from then on it counts. */
    int64_t before_ns;        /* Until then. */
    int64_t spent_ns[SPELLS]; /* Since then. */
} Shares;

/* From now on it is this. */
void shares_enter(Shares *shares, Spell spell, int64_t now_ns);

/* Appends "every slot played in 95.2 % of 63 s, some in 1.0 %; 3.8 % went into preparing; 4.1 s
 * before the first game"; nothing when there was no game. */
void shares_write(const Shares *shares, Text *out);

#endif
