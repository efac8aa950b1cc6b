/* SPDX-License-Identifier: MIT */
/* The UCI dialogue. Commands are read on the caller's thread and obeyed there; a `go`, and every
 * other command that may take long (bench, lmr stats, genfens, datagen), runs on a thread of its
 * own, so that isready, stop, ponderhit and quit are answered meanwhile. */
#ifndef UCI_H
#define UCI_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Uci Uci;

/* A dialogue that answers on `out`. With `arguments` the commands come from a command line: faults
 * are then lines on stderr, and uci_failed tells of them; else they are `info string` lines. */
Uci *uci_new(FILE *out, bool arguments);

/* Ends a search that may run, and frees everything. */
void uci_free(Uci *uci);

/* Obeys one line, which it may cut to pieces. False when the line was `quit`. */
bool uci_execute(Uci *uci, char *line);

/* Obeys the lines of `in` until `quit` or the end of the file. `quit` ends what still runs; the end
 * of the file ends a search, and waits for any other command. Lines of more than a MiB are reported
 * and skipped. */
void uci_loop(Uci *uci, FILE *in);

/* Waits for a search that ends by itself, and ends one that does not (infinite, ponder). */
void uci_finish(Uci *uci);

/* Was any command refused, or did it fail? */
bool uci_failed(const Uci *uci);

/* Does UCI, or this program, know a command of that name? */
bool uci_is_command(const char *word, size_t length);

#endif
