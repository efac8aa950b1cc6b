/* SPDX-License-Identifier: MIT */
/* What the program says while it works: lines on stderr, and on a terminal a few live lines below
   them, which ordinary lines never tear. Results do not go through here: they go to stdout. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* How much is said: errors always; --quiet leaves warnings; --verbose adds the details. */
typedef enum { LOG_QUIET = -1, LOG_NORMAL = 0, LOG_VERBOSE = 1 } LogLevel;

/* Where a program's lines go. All zero says nothing at all, and so does a NULL Log everywhere
 * below. */
typedef struct {
    FILE *out;
    LogLevel level;
    bool terminal;         /* live lines are possible */
    bool color;            /* NO_COLOR is not set, and out is a terminal */
    bool utf8;             /* by the locale of the environment */
    bool json;             /* each line is an object: see log_use_json */
    int64_t plain_every;   /* without a terminal: nanoseconds between progress lines */
    int64_t last_progress; /* when one was written last */
    Text live;             /* the lines that stand on the terminal now, "" when none */
    int64_t live_since;    /* when they were drawn */
} Log;

/* Writes to out (stderr as a rule), of which it finds out whether it is a terminal. */
void log_init(Log *log, FILE *out, LogLevel level);

/* From now on every line is a JSON object {"time": "...", "level": "info", "message": "..."}; level
 * is one of error, warning, info, debug, progress. Nothing is live then. */
void log_use_json(Log *log);

/* Takes the live lines away and frees. */
void log_free(Log *log);

/* One line each; the line end is added. error: "error: …", always; warn: "warning: …", always;
   info: unless --quiet; debug: with --verbose. What could disturb a terminal is
   shown as text_add_visible writes it. */
void log_error(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_warn(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_info(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_debug(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The state of the work, in one line: redrawn in place on a terminal (cut to its width), else a
   plain line at most every plain_every (30 s). Nothing with --quiet. */
void log_progress(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Takes what is live off the terminal, e.g. before something else writes there. */
void log_progress_clear(Log *log);

/* May lines be drawn now, on a terminal, not with --quiet, and no oftener than ten times a second?
   Who calls log_live from a timer too shows every state in the end. */
bool log_live_due(const Log *log);

/* The same state in several lines, each ending in a line break: they stand below all else until
   they are drawn again, in one write and only when they changed. They must be free of control
   characters other than colour codes and no wider than log_width; what does not fit into the
   terminal's height is left out. The cursor is left on the line below them, so that whatever ends
   the program leaves the terminal in order. */
void log_live(Log *log, const char *lines);

/* Columns of the terminal; 80 when it does not tell. */
int log_width(const Log *log);

#endif
