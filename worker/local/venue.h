/* SPDX-License-Identifier: MIT */
/* Everything that the local matches of one command share: the rules, the book, the tablebases, the
 * sandbox, the CPUs, and the event loop with the user's interrupts. */
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

/* Events for the match that is being played, called from the loop. */
typedef struct {
    /* The user's n-th interrupt, from 1: SIGINT or SIGTERM. SIGHUP counts as the first one, unless
     * it was ignored when the watch began, and not as a later one. */
    void (*interrupted)(int number, void *user);
    /* Time has passed: draw the live view again. */
    void (*redraw)(void *user);
    /* The user had stopped this process for so long, by Ctrl-Z. */
    void (*resumed)(uint64_t ns, void *user);
} VenueEvents;

/* All zero but for `given` before venue_read. */
typedef struct {
    const LocalSettings *given;
    Log *log;           /* The caller sets the log before venue_open. */
    MatchConfig config; /* The configuration of a match, without programs, names and pairs. */
    UciOptions uci[SIDE_COUNT];
    Sandbox sandbox;
    Book book;
    int64_t seed; /* The seed of the book and of the matches. */
    int interrupts;
    /* Private to venue.c: */
    Syzygy syzygy;
    FaultFiles transcripts;
    char *transcripts_folder;
    char *state_folder; /* NULL: the transcripts are elsewhere. */
    CpuList cpus;
    size_t granted; /* The CPUs of the list whose time the games may use. */
    uv_loop_t loop;
    bool watching;
    uv_signal_t signals[3];
    uv_timer_t redraw;
    uv_signal_t suspended;
    const VenueEvents *events; /* NULL: no match is being played. */
    void *user;
} Venue;

/* Do the settings go together? Refuses an option that would say nothing without another one, and
 * one file for two purposes. option, path: another file that the command reads, and the option that
 * names it; path NULL: none. */
bool venue_check(const LocalSettings *given, const char *option, const char *path, Error *err);

/* Logs, reports and PGN files tell the engines apart by their names: refuses two of one name, and
 * an empty one. */
bool venue_check_names(const LocalSettings *given, Error *err);

/* Reads the settings without opening a file or starting an engine. Call venue_close in either case.
 */
bool venue_read(Venue *venue, Error *err);

/* Opens the book, the tablebases and the sandbox, and starts libuv's pool. seed: the book's seed;
 * -1: a new one. */
bool venue_open(Venue *venue, int64_t seed, Error *err);

/* Tells in the log which openings are played, and how many games at a time; warns when so many want
 * more cores or memory than there are. Call venue_announce after the engines were checked, so that
 * a refused command prints only its reason. */
void venue_announce(const Venue *venue);

/* From now on interrupts are counted and do not end the program. False with err set when there is
 * no event loop. */
bool venue_watch(Venue *venue, Error *err);

/* Has the user interrupted? For the time before matches and between them. */
bool venue_interrupted(Venue *venue);

/* Runs the loop until the match that was started on the loop has ended. The events are called
 * meanwhile. */
void venue_run(Venue *venue, const VenueEvents *events, void *user);

/* Has one of the engines a clock? */
bool venue_is_timed(const Venue *venue);

/* Do the openings come in the order of the book's file? */
bool venue_is_sequential(const Venue *venue);

void venue_close(Venue *venue);

#endif
