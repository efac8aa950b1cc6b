/* SPDX-License-Identifier: MIT */
/* A conversation with one process of an engine, line by line: send lines, wait for an answer.
 * Unlike the match runner's dialogue (match/player.h), this one may send any line at any time. Each
 * call runs the loop, and returns when the answer has come or can no longer come. */
#ifndef CHECK_DIALOGUE_H
#define CHECK_DIALOGUE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/child.h"
#include "base/error.h"
#include "base/log.h"
#include "match/engine.h"

typedef struct Dialogue Dialogue;

/* Called for each line that is passed over in a wait for another line. */
typedef void (*DialogueHeard)(const char *line, void *user);

/* Starts the engine. Returns NULL with err set when the program cannot be started. The loop, the
 * engine and the log must outlive the dialogue; with --verbose the log has each line. */
Dialogue *dialogue_start(uv_loop_t *loop, const MatchEngine *engine, Log *log, Error *err);

/* Kills the process and waits for its end. NULL is allowed. */
void dialogue_free(Dialogue *d);

/* Sets the function that is called for lines passed over; NULL: none. */
void dialogue_listen(Dialogue *d, DialogueHeard heard, void *user);

/* Sends lines, each with its line end. */
void dialogue_say(Dialogue *d, const char *lines);

/* Waits at most `ms` milliseconds for a line that begins with `word`. Returns the line's rest,
 * valid until the next call; NULL with the reason in *err: "no bestmove within 10.0 s", "ended
 * (killed by signal 11 ...)". */
const char *dialogue_wait(Dialogue *d, const char *word, int64_t ms, Error *err);

/* The time from the last lines sent to the last awaited answer, in nanoseconds. */
uint64_t dialogue_took_ns(const Dialogue *d);

/* Returns the count of `bestmove` lines passed over in waits for other words, and begins a new
 * count. */
int dialogue_stray_moves(Dialogue *d);

/* Has the process ended? */
bool dialogue_ended(const Dialogue *d);

/* Sends `quit` (quits true) or closes the engine's input, and waits at most `ms` milliseconds for
 * the process to end. Returns false when the process still runs. `end`: how the process ended, in
 * words. */
bool dialogue_finish(Dialogue *d, bool quits, int64_t ms, char end[CHILD_REASON_MAX]);

#endif
