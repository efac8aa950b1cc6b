/* SPDX-License-Identifier: MIT */
/* Any text as a UCI dialogue with the whole engine, in this process. No crash, nothing in the
 * answers that is not printable, and at the end the engine still answers.
 *
 * What an input may cost is bounded: numbers of options are cut, and what would be waited for is
 * stopped first. datagen may write to /dev/null only. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/fuzz.h"
#include "uci.h"

enum { TEXT_MAX = 1 << 13, LINES_MAX = 48 };

#define BLANKS " \t\r\v\f"

/* Is the first word of the line this one? The end of the line ends a word too. */
static bool begins_with(const char *line, const char *word) {
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && strchr(BLANKS, line[length]) != NULL;
}

/* Numbers of two to five digits become one of one: 65,536 MiB or 256 threads are legal but dear.
 * Longer ones are out of every range. */
static void cut_numbers(char *line) {
    char *to = line;
    for (const char *from = line; *from != '\0';) {
        size_t digits = strspn(from, "0123456789");
        size_t kept = digits == 0 || (digits >= 2 && digits <= 5) ? 1 : digits;
        memmove(to, from, kept);
        to += kept;
        from += digits == 0 ? 1 : digits;
    }
    *to = '\0';
}

static bool writes_nowhere(const char *line) {
    const char *out = strstr(line, "out");
    return out == NULL || (begins_with(out, "out") && begins_with(out + 4, "/dev/null") &&
                           strstr(out + 4, "out") == NULL);
}

static void execute(Uci *uci, const char *text) {
    char line[TEXT_MAX];
    snprintf(line, sizeof line, "%s", text);
    uci_execute(uci, line);
}

/* Lets a thread that was just started come to something. */
static void linger(void) {
    const struct timespec pause = {.tv_nsec = 100000};
    nanosleep(&pause, NULL);
}

/* Obeys one line. *waits: the next command may have to wait for a job that runs. */
static bool obey(Uci *uci, char *line, bool *waits) {
    static const char *const never_wait[] = {"isready", "stop", "ponderhit", "uci"};
    const char *begin = line + strspn(line, BLANKS);
    bool endless = begins_with(begin, "go") && strstr(begin, "infinite") != NULL &&
                   strstr(begin, "perft") == NULL;
    bool patient = false;
    if (begins_with(begin, "datagen") && !writes_nowhere(begin))
        return true;
    if (begins_with(begin, "setoption"))
        cut_numbers(line);
    for (size_t i = 0; i < sizeof never_wait / sizeof never_wait[0]; i++)
        patient = patient || begins_with(begin, never_wait[i]);
    if (!patient) {
        if (*waits)
            execute(uci, "stop");
        *waits = !endless;
    }
    bool more = uci_execute(uci, line);
    if (*waits)
        linger();
    return more;
}

static void check_answers(const char *answers, size_t size) {
    static const char last[] = "readyok\n";
    size_t length = sizeof last - 1;
    for (size_t i = 0; i < size; i++) {
        if (isprint((unsigned char)answers[i]) || answers[i] == '\n')
            continue;
        fprintf(stderr, "fuzz: uci: byte %d in the answers\n", (unsigned char)answers[i]);
        abort();
    }
    if (size < length || memcmp(answers + size - length, last, length) != 0) {
        fprintf(stderr, "fuzz: uci: no readyok at the end\n");
        abort();
    }
}

/* The dialogue that all inputs share, because its memory takes long to make. */
typedef struct {
    Uci *uci;
    FILE *out;
    char *answers;
    size_t size;
} Dialogue;

/* As it was in the beginning, but for what the search has learnt. */
static void begin(Dialogue *dialogue) {
    static const char *const lines[] = {"setoption name Hash value 1",
                                        "setoption name Threads value 1",
                                        "setoption name MultiPV value 1",
                                        "setoption name Move Overhead value 10",
                                        "setoption name UCI_Chess960 value false",
                                        "setoption name UCI_ShowWDL value false",
                                        "position startpos"};
    if (dialogue->uci == NULL) {
        dialogue->out = open_memstream(&dialogue->answers, &dialogue->size);
        dialogue->uci = uci_new(dialogue->out, false);
    }
    rewind(dialogue->out);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        execute(dialogue->uci, lines[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Dialogue dialogue;
    static char text[TEXT_MAX];
    size_t length = size < TEXT_MAX - 1 ? size : TEXT_MAX - 1;
    char *rest = text;
    bool more = true, waits = false;
    for (size_t i = 0; i < length; i++)
        text[i] = data[i] == '\0' ? ' ' : (char)data[i]; /* as the loop reads it */
    text[length] = '\0';
    begin(&dialogue);
    for (int i = 0; more && i < LINES_MAX && rest != NULL; i++)
        more = obey(dialogue.uci, strsep(&rest, "\n"), &waits);
    execute(dialogue.uci, "stop");
    execute(dialogue.uci, "isready");
    fflush(dialogue.out);
    check_answers(dialogue.answers, dialogue.size);
    return 0;
}
