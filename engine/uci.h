/* SPDX-License-Identifier: MIT */
/* The UCI dialogue: the commands. Commands are read on the caller's thread and obeyed there; what
 * takes long is a job (ucijob.h). */
#ifndef UCI_H
#define UCI_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Uci Uci;

/* A dialogue that answers on `out`. With `arguments` the commands come from a command line: faults
 * are then lines on stderr, and uci_failed tells of them; else they are `info string` lines. */
Uci *uci_new(FILE *out, bool arguments);

/* Cuts a job that runs short, and frees everything. */
void uci_free(Uci *uci);

/* Obeys one line, which it may cut to pieces. False when the line was `quit`. A command that starts
 * a job waits for a job that ends by itself, and is refused beside a search without an end. An
 * option that a search uses, and `ucinewgame`, take effect once no job runs. A row of a tunable
 * build waits for a job that ends by itself, so that nothing behind it is heard before, and is
 * refused beside a search without an end. */
bool uci_execute(Uci *uci, char *line);

/* Obeys the lines of `in` until `quit` or the end of the file. A job that ends by itself (a search
 * with a limit, perft, bench ...) finishes first; a search without an end (see uci_finish) is cut
 * short, and at `quit` one that time alone limits too. Lines of more than a MiB are reported and
 * skipped. */
void uci_loop(Uci *uci, FILE *in);

/* Lets a job that ends by itself finish, and cuts a search without an end short (infinite, ponder,
 * and mate where no other limit stands beside it: the mate may not exist). */
void uci_finish(Uci *uci);

/* Was any command refused, or did it fail? */
bool uci_failed(const Uci *uci);

/* Does UCI, or this program, know a command of that name? */
bool uci_is_command(const char *word, size_t length);

#endif
