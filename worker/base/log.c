/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"

enum { WIDTH_DEFAULT = 80, HEIGHT_DEFAULT = 24, WIDTH_MIN = 20 };
static const int64_t PLAIN_EVERY_NS = (int64_t)30 * 1000 * CLOCK_NS_PER_MS;
static const int64_t LIVE_EVERY_NS = (int64_t)100 * CLOCK_NS_PER_MS;

static const char RED[] = "\x1b[31m";
static const char YELLOW[] = "\x1b[33m";
static const char PLAIN[] = "\x1b[0m";

/* Does the locale of the environment use UTF-8? Reads the variables in the C library's order. */
static bool is_utf8_locale(void) {
    static const char *const NAMES[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const char *value = getenv(NAMES[i]);
        if (value && *value)
            return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
    }
    return false;
}

void log_init(Log *log, FILE *out, LogLevel level) {
    *log = (Log){.out = out, .level = level};
    const char *term = getenv("TERM");
    log->terminal = isatty(fileno(out)) == 1 && term && strcmp(term, "dumb") != 0;
    const char *no_color = getenv("NO_COLOR");
    log->color = log->terminal && !(no_color && *no_color);
    log->utf8 = is_utf8_locale();
}

void log_use_json(Log *log) {
    log->json = true;
    log->terminal = false;
    log->color = false;
}

/* ---- The terminal ---- */

static struct winsize terminal_size(const Log *log) {
    struct winsize size;
    if (ioctl(fileno(log->out), TIOCGWINSZ, &size) != 0)
        size = (struct winsize){0};
    if (size.ws_col < WIDTH_MIN)
        size.ws_col = WIDTH_DEFAULT;
    if (size.ws_row < 2)
        size.ws_row = HEIGHT_DEFAULT;
    return size;
}

int log_width(const Log *log) {
    return terminal_size(log).ws_col;
}

/* The number of rows of the lines on a terminal of this width: lines that were drawn on a wider
 * terminal wrap now. */
static int rows_of(const Text *lines, int width) {
    int rows = 0;
    int columns = 0;
    for (size_t i = 0; i < lines->length; i++) {
        unsigned char c = (unsigned char)lines->data[i];
        if (c == '\x1b')
            i += strcspn(lines->data + i, "m");
        else if (c == '\n') {
            rows += columns > 0 ? (columns + width - 1) / width : 1;
            columns = 0;
        } else
            columns += (c & 0xC0) != 0x80;
    }
    return rows;
}

/* Adds the codes that move the cursor up to the first live line and erase all from there on. */
static void add_erasure(const Log *log, Text *out) {
    if (log->live.length)
        text_addf(out, "\x1b[%dA\r\x1b[J", rows_of(&log->live, log_width(log)));
}

static void write_out(Log *log, Text *text) {
    fwrite(text_string(text), 1, text->length, log->out);
    fflush(log->out);
    text_free(text);
}

/* Draws these lines in the place of the live lines; "" removes the live lines. */
static void draw(Log *log, Text *lines) {
    Text out = {0};
    add_erasure(log, &out);
    text_add_bytes(&out, text_string(lines), lines->length);
    write_out(log, &out);
    text_free(&log->live);
    log->live = *lines;
}

void log_progress_clear(Log *log) {
    if (log && log->live.length)
        draw(log, &(Text){0});
}

uint64_t log_suspend(Log *log) {
    log_progress_clear(log);
    int64_t stopped = clock_now_ns();
    raise(SIGSTOP);
    return (uint64_t)(clock_now_ns() - stopped);
}

bool log_live_due(const Log *log) {
    return log && log->out && log->terminal && log->level >= LOG_NORMAL &&
           (!log->live.length || clock_now_ns() - log->live_since >= LIVE_EVERY_NS);
}

void log_live(Log *log, const char *lines) {
    Text kept = {0};
    int rows = terminal_size(log).ws_row - 1;
    const char *end = lines;
    size_t length;
    while (rows > 0 && text_next_line(&end, &length) != NULL)
        rows--;
    text_add_bytes(&kept, lines, (size_t)(end - lines));
    log->live_since = clock_now_ns();
    if (strcmp(text_string(&kept), text_string(&log->live)) == 0)
        text_free(&kept);
    else
        draw(log, &kept);
}

void log_free(Log *log) {
    log_progress_clear(log);
    text_free(&log->live);
    *log = (Log){0};
}

/* ---- Lines ---- */

/* Makes a line safe for the terminal: lines quote engines and servers, whose text must not move the
 * cursor. */
static void make_visible(Text *line) {
    Text visible = {0};
    text_add_visible(&visible, text_string(line), KEEP_NO_LINES);
    text_free(line);
    *line = visible;
}

/* A kind of line: its name in JSON, and otherwise the label before it, with the label's colour. */
typedef struct {
    const char *name, *label, *color;
} Kind;

static const Kind ERROR = {"error", "error:", RED};
static const Kind WARNING = {"warning", "warning:", YELLOW};
static const Kind INFO = {"info", "", ""};
static const Kind DEBUG = {"debug", "", ""};
static const Kind PROGRESS = {"progress", "", ""};

static void add_json(const Kind *kind, const Text *body, Text *line) {
    char stamp[CLOCK_STAMP_MAX];
    clock_stamp(time(NULL), stamp);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "time", stamp);
    cJSON_AddStringToObject(object, "level", kind->name);
    cJSON_AddStringToObject(object, "message", text_string(body));
    json_take(object, line);
}

/* Writes a line at once: the codes that erase the live lines, the text, and the live lines
 * again. */
static void write_line(Log *log, const Kind *kind, const char *fmt, va_list args) {
    Text body = {0};
    Text line = {0};
    text_addv(&body, fmt, args);
    if (log->json) {
        add_json(kind, &body, &line);
        make_visible(&line);
    } else {
        make_visible(&body);
        add_erasure(log, &line);
        if (*kind->label && log->color)
            text_addf(&line, "%s%s%s ", kind->color, kind->label, PLAIN);
        else if (*kind->label)
            text_addf(&line, "%s ", kind->label);
        text_add_bytes(&line, text_string(&body), body.length);
    }
    text_add_char(&line, '\n');
    text_add_bytes(&line, text_string(&log->live), log->live.length);
    write_out(log, &line);
    text_free(&body);
}

#define WRITE_LINE(log, kind, fmt)                                                                 \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, fmt);                                                                       \
        write_line(log, kind, fmt, args);                                                          \
        va_end(args);                                                                              \
    } while (0)

void log_error(Log *log, const char *fmt, ...) {
    if (log && log->out)
        WRITE_LINE(log, &ERROR, fmt);
}

void log_warn(Log *log, const char *fmt, ...) {
    if (log && log->out)
        WRITE_LINE(log, &WARNING, fmt);
}

void log_info(Log *log, const char *fmt, ...) {
    if (log && log->out && log->level >= LOG_NORMAL)
        WRITE_LINE(log, &INFO, fmt);
}

void log_debug(Log *log, const char *fmt, ...) {
    if (log && log->out && log->level >= LOG_VERBOSE)
        WRITE_LINE(log, &DEBUG, fmt);
}

/* Cuts UTF-8 text to as many whole characters as fit on a line. */
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
        text_addv(&line, fmt, args);
        make_visible(&line);
        /* The last column stays free: a character there wraps the line on some terminals. */
        cut_to_width(&line, (size_t)log_width(log) - 1);
        text_add_char(&line, '\n');
        draw(log, &line);
    } else {
        int64_t now = clock_now_ns();
        if (!log->last_progress || now - log->last_progress >= PLAIN_EVERY_NS) {
            log->last_progress = now;
            write_line(log, &PROGRESS, fmt, args);
        }
    }
    va_end(args);
}
