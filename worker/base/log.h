/* SPDX-License-Identifier: MIT */
/* The program's messages while it works: lines on stderr, and on a terminal a few live lines below
 * them, which ordinary lines never tear. Results do not go through the log: they go to stdout. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* How much is written: LOG_QUIET (--quiet) errors and warnings; LOG_VERBOSE (--verbose) also
 * details. */
typedef enum { LOG_QUIET = -1, LOG_NORMAL = 0, LOG_VERBOSE = 1 } LogLevel;

/* A destination of messages. An all-zero Log writes nothing; so does a NULL Log in every call
 * below. */
typedef struct {
    FILE *out;
    LogLevel level;
    bool terminal;         /* out is a terminal and can show live lines */
    bool color;            /* NO_COLOR is not set, and out is a terminal */
    bool utf8;             /* by the locale of the environment */
    bool json;             /* each line is a JSON object (log_use_json) */
    int64_t last_progress; /* clock_now_ns of the last progress line; 0: none yet */
    Text live;             /* the lines standing on the terminal now; "": none */
    int64_t live_since;    /* clock_now_ns when the live lines were drawn */
} Log;

/* Sets the log up to write to `out` (stderr as a rule), and finds out whether `out` is a
 * terminal. */
void log_init(Log *log, FILE *out, LogLevel level);

/* Makes every later line a JSON object {"time": "...", "level": "info", "message": "..."}; the
 * level is error, warning, info, debug or progress. No live lines are drawn any more. */
void log_use_json(Log *log);

/* Removes the live lines and frees the log. */
void log_free(Log *log);

/* Each writes one line and adds the line end. error: "error: …", always; warn: "warning: …",
 * always; info: unless --quiet; debug: with --verbose. Characters that could disturb a terminal are
 * shown as text_add_visible writes them. */
void log_error(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_warn(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_info(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_debug(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Shows the state of the work in one line: on a terminal the line is redrawn in place (cut to the
 * terminal's width), else a plain line is written at most every 30 s. Nothing with
 * --quiet. */
void log_progress(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Removes the live lines from the terminal, e.g. before something else writes to the terminal. */
void log_progress_clear(Log *log);

/* What a program with live lines does at Ctrl-Z (SIGTSTP): removes the lines, and stops this
 * process. Returns when the process goes on, with the nanoseconds in which it was stopped. */
uint64_t log_suspend(Log *log);

/* May live lines be drawn now? True on a terminal, without --quiet, when no live lines stand there
 * or they are at least a tenth of a second old. A caller that also calls log_live from a timer
 * shows every state in the end. */
bool log_live_due(const Log *log);

/* Shows the state of the work in several live lines, each ending in a line break. The lines stay
 * below all other output until the next call, and are redrawn in one write, only when they have
 * changed. They must be free of control characters other than colour codes and no wider than
 * log_width. Lines beyond the terminal's height are left out. The cursor stays on the line below
 * the live lines, so that the terminal is in order however the program ends. */
void log_live(Log *log, const char *lines);

/* Columns of the terminal; 80 when the terminal does not tell. */
int log_width(const Log *log);

#endif
