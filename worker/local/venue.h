/* SPDX-License-Identifier: MIT */
/* What all local matches of one command share: the rules, the book, the tables, the sandbox, the
 * CPUs, and the event loop with the user's interrupts. */
#ifndef LOCAL_VENUE_H
#define LOCAL_VENUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/cpus.h"
#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "local/settings.h"
#include "local/ucioptions.h"
#include "match/match.h"
#include "match/syzygy.h"

/* What the match that is being played learns, from the loop. */
typedef struct {
    /* The user's interrupt of this number, from 1. */
    void (*interrupted)(int number, void *user);
    /* Time has gone on: the live view is to be drawn again. */
    void (*redraw)(void *user);
} VenueEvents;

/* All zero but for given before venue_read. */
typedef struct {
    const LocalSettings *given;
    Log *log;           /* To be set before venue_open. */
    MatchConfig config; /* A match's, but for its programs, its names and its pairs. */
    UciOptions uci[SIDE_COUNT];
    Sandbox sandbox;
    Book book;
    int64_t seed; /* The book's. */
    int interrupts;
    /* Its own: */
    Syzygy syzygy;
    bool syzygy_open;
    FaultFiles transcripts;
    char *transcripts_folder;
    CpuList cpus;
    const int **cpu_sets;
    int *cpu_counts;
    uv_loop_t loop;
    bool watching;
    uv_signal_t signals[2];
    uv_timer_t redraw;
    uv_signal_t suspended;
    const VenueEvents *events; /* NULL: nothing is played. */
    void *user;
} Venue;

/* Reads what the settings mean, looking at no file and no engine. venue_close it in either case. */
bool venue_read(Venue *venue, Error *err);

/* Opens the book, the tables and the sandbox. seed: of the book; -1: a new one. */
bool venue_open(Venue *venue, int64_t seed, Error *err);

/* Says in the log which openings are played, and how many games at a time. For after the engines
 * were checked: a command that is refused says the reason alone. */
void venue_announce(const Venue *venue);

/* From now on interrupts are counted, and do not end the program. */
void venue_watch(Venue *venue);

/* Has there been an interrupt? To be asked between two matches. */
bool venue_interrupted(Venue *venue);

/* Runs the loop until a match that was started on it has ended; these are told meanwhile. */
void venue_run(Venue *venue, const VenueEvents *events, void *user);

/* The CPUs that one game needs: one engine thinks at a time. */
size_t venue_threads(const Venue *venue);

/* Has one of the engines a clock? */
bool venue_is_timed(const Venue *venue);

void venue_close(Venue *venue);

#endif
