/* SPDX-License-Identifier: MIT */
/* The command lines of fastchess and cutechess-cli, in the words of `obworker match`. Sources: both
 * tools' manuals. Pure. */
#ifndef LOCAL_FOREIGN_H
#define LOCAL_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* A match as these tools' words describe it. All zero is empty. */
typedef struct {
    Words options; /* Of `obworker match`: "--dev", "./new", "--tc", ... */
    Words remarks; /* A sentence for each word without a counterpart: the word, and the reason. */
} ForeignMatch;

/* Does a command line (argv[0]: the command's name) have a word of these tools? The words of
 * obworker that are longer than a letter begin with two dashes. */
bool foreign_is(int argc, char **argv);

/* Reads the words, of one of the tools or of both. The first may be the tool's name, which decides
 * whose defaults hold. Without a name the defaults are those of fastchess, unless there is a
 * proto=, conf= or arg= and no word that fastchess alone has. An error names the word that no match
 * here can follow. *out is to be freed in either case. */
bool foreign_read(const Words *words, ForeignMatch *out, Error *err);

/* Appends "obworker match" with the options, ready for a shell, without a line end. */
void foreign_command(const ForeignMatch *match, Text *out);

void foreign_free(ForeignMatch *match);

#endif
