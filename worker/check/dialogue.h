/* SPDX-License-Identifier: MIT */
/* One process of an engine under examination, spoken to line by line: words are sent, and an answer
 * is waited for. The match runner's dialogue (match/player.h) is about playing; this one may say
 * anything at any time. Each call runs the loop and returns when the answer has come or cannot
 * come any more. */
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

/* Learns each line that is passed over while another one is waited for. */
typedef void (*DialogueHeard)(const char *line, void *user);

/* Starts the engine. NULL with err set when the program cannot be started. The loop, the engine and
 * the log (each line is said there with --verbose) must outlive the dialogue. */
Dialogue *dialogue_start(uv_loop_t *loop, const MatchEngine *engine, Log *log, Error *err);

/* Kills the process and waits for its end. NULL is allowed. */
void dialogue_free(Dialogue *d);

/* Who learns them from now on; NULL: nobody. */
void dialogue_listen(Dialogue *d, DialogueHeard heard, void *user);

/* Sends lines, each with its line end. */
void dialogue_say(Dialogue *d, const char *lines);

/* Waits for the next line that begins with this word, so many milliseconds at most. Returns what
 * follows the word, valid until the next call; NULL with err set to the reason: "no bestmove within
 * 10.0 s", "ended (killed by signal 11 ...)". */
const char *dialogue_wait(Dialogue *d, const char *word, int64_t ms, Error *err);

/* How long the answer that was waited for took from the last lines sent, in nanoseconds. */
uint64_t dialogue_took_ns(const Dialogue *d);

/* How many `bestmove` lines were passed over while another word was waited for, since this was
 * asked last. */
int dialogue_stray_moves(Dialogue *d);

/* Has the process ended? */
bool dialogue_ended(const Dialogue *d);

/* Says `quit` (quits) or closes the engine's input, and waits so long for its end. False when the
 * process still runs. *end tells how it ended, in words. */
bool dialogue_finish(Dialogue *d, bool quits, int64_t ms, char end[CHILD_REASON_MAX]);

#endif
