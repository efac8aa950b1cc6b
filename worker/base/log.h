/* What the program says while it works: lines on stderr, and one live line on a terminal, which
   ordinary lines never tear. Results do not go through here: they go to stdout. */
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
    bool terminal;         /* a live line is possible */
    bool color;            /* NO_COLOR is not set, and out is a terminal */
    int64_t plain_every;   /* without a terminal: nanoseconds between progress lines */
    int64_t last_progress; /* when one was written last */
    Text live;             /* the live line that stands on the terminal now, "" when none */
} Log;

/* Writes to out (stderr as a rule), of which it finds out whether it is a terminal. */
void log_init(Log *log, FILE *out, LogLevel level);

/* Takes the live line away and frees. */
void log_free(Log *log);

/* One line each; the line end is added. error: "error: …", always; warn: "warning: …", always;
   info: unless --quiet; debug: with --verbose. Control characters are shown as '?'. */
void log_error(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_warn(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_info(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_debug(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The state of the work, in one line: redrawn in place on a terminal (cut to its width), else a
   plain line at most every plain_every (30 s). Nothing with --quiet. */
void log_progress(Log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Leaves the live line where it is, as an ordinary line, and goes on below it. */
void log_progress_end(Log *log);

/* Takes the live line off the terminal, e.g. before something else writes there. */
void log_progress_clear(Log *log);

#endif
