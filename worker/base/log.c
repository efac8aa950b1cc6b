#include "base/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 20 };
static const int64_t PLAIN_EVERY_NS = (int64_t)30 * 1000 * CLOCK_NS_PER_MS;

static const char ERASE_LINE[] = "\r\x1b[K";
static const char RED[] = "\x1b[31m";
static const char YELLOW[] = "\x1b[33m";
static const char PLAIN[] = "\x1b[0m";

void log_init(Log *log, FILE *out, LogLevel level) {
    *log = (Log){.out = out, .level = level, .plain_every = PLAIN_EVERY_NS};
    const char *term = getenv("TERM");
    log->terminal = isatty(fileno(out)) == 1 && term && strcmp(term, "dumb") != 0;
    const char *no_color = getenv("NO_COLOR");
    log->color = log->terminal && !(no_color && *no_color);
}

void log_progress_clear(Log *log) {
    if (!log || !log->live.length)
        return;
    fputs(ERASE_LINE, log->out);
    fflush(log->out);
    text_clear(&log->live);
}

void log_free(Log *log) {
    log_progress_clear(log);
    text_free(&log->live);
    *log = (Log){0};
}

void log_progress_end(Log *log) {
    if (!log || !log->live.length)
        return;
    fputc('\n', log->out);
    fflush(log->out);
    text_clear(&log->live);
}

/* What engines and servers say is quoted in lines: it must not move the cursor. */
static void make_harmless(Text *line) {
    for (size_t i = 0; i < line->length; i++) {
        unsigned char c = (unsigned char)line->data[i];
        if (c < 0x20 || c == 0x7f)
            line->data[i] = '?';
    }
}

static void add_formatted(Text *line, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (length <= 0)
        return;
    text_reserve(line, (size_t)length);
    vsnprintf(line->data + line->length, (size_t)length + 1, fmt, args);
    line->length += (size_t)length;
}

/* Writes the whole line in one go: erase the live line, the text, the live line again. */
static void write_line(Log *log, const char *color, const char *label, const char *fmt,
                       va_list args) {
    Text body = {0};
    add_formatted(&body, fmt, args);
    make_harmless(&body);
    Text line = {0};
    if (log->live.length)
        text_add(&line, ERASE_LINE);
    if (*label && log->color)
        text_addf(&line, "%s%s%s ", color, label, PLAIN);
    else if (*label)
        text_addf(&line, "%s ", label);
    text_add_bytes(&line, text_string(&body), body.length);
    text_add_char(&line, '\n');
    if (log->live.length)
        text_add_bytes(&line, log->live.data, log->live.length);
    fwrite(line.data, 1, line.length, log->out);
    fflush(log->out);
    text_free(&line);
    text_free(&body);
}

#define WRITE_LINE(log, color, label, fmt)                                                         \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, fmt);                                                                       \
        write_line(log, color, label, fmt, args);                                                  \
        va_end(args);                                                                              \
    } while (0)

void log_error(Log *log, const char *fmt, ...) {
    if (log && log->out)
        WRITE_LINE(log, RED, "error:", fmt);
}

void log_warn(Log *log, const char *fmt, ...) {
    if (log && log->out)
        WRITE_LINE(log, YELLOW, "warning:", fmt);
}

void log_info(Log *log, const char *fmt, ...) {
    if (log && log->out && log->level >= LOG_NORMAL)
        WRITE_LINE(log, "", "", fmt);
}

void log_debug(Log *log, const char *fmt, ...) {
    if (log && log->out && log->level >= LOG_VERBOSE)
        WRITE_LINE(log, "", "", fmt);
}

static size_t terminal_width(FILE *out) {
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col < WIDTH_LEAST)
        return WIDTH_DEFAULT;
    return size.ws_col;
}

/* Cuts UTF-8 text to as many characters as fit on a line, never in the middle of one. */
static void cut_to_width(Text *line, size_t width) {
    size_t shown = 0;
    for (size_t i = 0; i < line->length; i++) {
        bool starts = ((unsigned char)line->data[i] & 0xC0) != 0x80;
        if (starts && shown++ == width) {
            line->length = i;
            line->data[i] = '\0';
            return;
        }
    }
}

void log_progress(Log *log, const char *fmt, ...) {
    if (!log || !log->out || log->level < LOG_NORMAL)
        return;
    va_list args;
    va_start(args, fmt);
    if (log->terminal) {
        Text line = {0};
        add_formatted(&line, fmt, args);
        make_harmless(&line);
        /* The last column stays free: writing there wraps on some terminals. */
        cut_to_width(&line, terminal_width(log->out) - 1);
        fprintf(log->out, "%s%s", ERASE_LINE, text_string(&line));
        fflush(log->out);
        text_free(&log->live);
        log->live = line;
    } else {
        int64_t now = clock_now_ns();
        if (!log->last_progress || now - log->last_progress >= log->plain_every) {
            log->last_progress = now;
            write_line(log, "", "", fmt, args);
        }
    }
    va_end(args);
}
