/* SPDX-License-Identifier: MIT */
#include "base/prompt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"

enum { LINE_LIMIT = 4096 };

bool prompt_possible(void) {
    return isatty(STDIN_FILENO) == 1;
}

/* Reads up to the end of the line, or up to the character `interrupt`, which is the last one then.
 * Does not use stdio, whose buffer would keep the answer. */
static ssize_t read_line(char *line, size_t size, char interrupt) {
    size_t length = 0;
    while (length + 1 < size) {
        ssize_t got = read(STDIN_FILENO, line + length, 1);
        if (got < 0)
            return -1;
        if (got == 0 || line[length] == '\n' || line[length++] == interrupt)
            break;
    }
    line[length] = '\0';
    return (ssize_t)length;
}

/* ISIG is switched off, because Ctrl-C would end the program with the echo still off. Ctrl-C ends
 * the line instead. */
char *prompt_hidden(const char *question, Error *err) {
    struct termios before;
    char line[LINE_LIMIT] = "";
    if (tcgetattr(STDIN_FILENO, &before) != 0) {
        error_set(err, "no terminal to ask at: %s", strerror(errno));
        return NULL;
    }
    struct termios quiet = before;
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
    quiet.c_cc[VEOL] = before.c_cc[VINTR];
    /* The terminal changes before the question is shown: the change discards earlier input, and
     * must not discard the answer. */
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    fputs(question, stderr);
    fflush(stderr);
    ssize_t length = read_line(line, sizeof line, (char)before.c_cc[VINTR]);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    fputc('\n', stderr);
    bool interrupted = length > 0 && memchr(line, before.c_cc[VINTR], (size_t)length);
    char *answer = length > 0 && !interrupted ? mem_strdup(line) : NULL;
    if (!answer)
        error_set(err, interrupted ? "interrupted" : "nothing was typed");
    mem_wipe(line, sizeof line);
    return answer;
}
