/* SPDX-License-Identifier: MIT */
#include "tools/terminal.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PAUSE_MS = 20 /* That ends what is read at a time. */ };

void terminal_resize(Terminal *t, int columns, int rows) {
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    ck_assert_int_eq(ioctl(t->master, TIOCSWINSZ, &size), 0);
    t->columns = columns;
    t->rows = rows;
}

bool terminal_open(Terminal *t, int columns, int rows) {
    *t = (Terminal){.master = posix_openpt(O_RDWR | O_NOCTTY)};
    if (t->master < 0 || grantpt(t->master) != 0 || unlockpt(t->master) != 0) {
        fprintf(stderr, "left out: no pseudo terminal here\n");
        return false;
    }
    t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(t->slave, 0);
    terminal_resize(t, columns, rows);
    return true;
}

void terminal_close(Terminal *t) {
    close(t->master);
    if (t->slave >= 0)
        close(t->slave);
    text_free(&t->bytes);
}

static void next_row(Terminal *t) {
    if (++t->row < t->rows)
        return;
    t->row = t->rows - 1;
    memmove(t->cells[0], t->cells[1], sizeof t->cells[0] * (size_t)t->row);
    memset(t->cells[t->row], 0, sizeof t->cells[0]);
}

static void erase_below(Terminal *t) {
    memset(t->cells[t->row][t->column], 0,
           sizeof t->cells[0] - (size_t)t->column * sizeof t->cells[0][0]);
    for (int row = t->row + 1; row < TERMINAL_ROWS_MAX; row++)
        memset(t->cells[row], 0, sizeof t->cells[0]);
}

/* Where the escape sequence or UTF-8 character at s ends; NULL: the rest is still on its way. */
static const char *end_of(const char *s) {
    const unsigned char first = (unsigned char)*s;
    if (first == '\x1b')
        s = s[1] == '[' ? s + 2 + strspn(s + 2, "0123456789") : s + 1;
    else
        for (int more = (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0); more > 0 && *s; more--)
            s++;
    return *s ? s + 1 : NULL;
}

/* ESC [ NUMBER LETTER, of which s is what follows the bracket. Returns its end. */
static const char *obey(Terminal *t, const char *s) {
    int number = (int)strtol(s, (char **)(uintptr_t)&s, 10);
    switch (*s) {
    case 'A':
        t->row = t->row > number ? t->row - number : 0;
        break;
    case 'J':
        ck_assert_int_eq(number, 0);
        erase_below(t);
        break;
    case 'm': /* colour */
        break;
    default:
        ck_abort_msg("a control sequence ends in '%c'", *s);
    }
    return s + 1;
}

/* One UTF-8 character at the cursor. Returns its end. */
static const char *put(Terminal *t, const char *s) {
    size_t length = 1;
    while ((s[length] & 0xC0) == 0x80)
        length++;
    if (t->column == t->columns) {
        t->column = 0;
        next_row(t);
    }
    ck_assert_uint_lt(length, TERMINAL_CELL);
    snprintf(t->cells[t->row][t->column++], TERMINAL_CELL, "%.*s", (int)length, s);
    return s + length;
}

/* Returns the end of what has come whole. */
static const char *show(Terminal *t, const char *s) {
    while (*s && end_of(s)) {
        if (s[0] == '\x1b' && s[1] == '[')
            s = obey(t, s + 2);
        else if (*s == '\r')
            t->column = 0, s++;
        else if (*s == '\n')
            next_row(t), s++;
        else
            s = put(t, s);
    }
    return s;
}

bool terminal_read(Terminal *t, int wait_ms) {
    char buffer[4096];
    struct pollfd ready = {.fd = t->master, .events = POLLIN};
    size_t before = t->bytes.length;
    while (poll(&ready, 1, t->bytes.length > before ? PAUSE_MS : wait_ms) == 1) {
        ssize_t got = read(t->master, buffer, sizeof buffer);
        if (got <= 0)
            break;
        text_add_bytes(&t->bytes, buffer, (size_t)got);
    }
    const char *bytes = text_string(&t->bytes);
    t->shown = (size_t)(show(t, bytes + t->shown) - bytes);
    return t->bytes.length > before;
}

void terminal_text(const Terminal *t, Text *out) {
    size_t end = out->length;
    for (int row = 0; row < t->rows; row++) {
        size_t blanks = 0;
        for (int column = 0; column < t->columns; column++) {
            const char *cell = t->cells[row][column];
            bool blank = *cell == '\0' || *cell == ' ';
            blanks = blank ? blanks + 1 : 0;
            text_add(out, blank ? " " : cell);
        }
        out->length -= blanks;
        text_add_char(out, '\n');
        if (blanks < (size_t)t->columns)
            end = out->length;
    }
    out->length = end;
    if (out->data != NULL)
        out->data[end] = '\0';
}
