/* SPDX-License-Identifier: MIT */
/* Translates the command lines of fastchess and cutechess-cli into options of `obworker match`.
 * Sources: both tools' manuals. Pure. */
#ifndef LOCAL_FOREIGN_H
#define LOCAL_FOREIGN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* A match as a foreign command line describes the match. All zero is empty. */
typedef struct {
    Words options; /* Options of `obworker match`: "--dev", "./new", "--tc", ... */
    Words remarks; /* A sentence for each word without a counterpart: the word and the reason. */
} ForeignMatch;

/* Does a command line (argv[0]: the command's name) contain a word of these tools? No option of
 * obworker's is among them. */
bool foreign_is(int argc, char **argv);

/* Reads words of either tool or of both. The first word may be the tool's name, which decides whose
 * defaults hold. Without a name fastchess's defaults hold, unless the words contain a proto=, conf=
 * or arg=, or a -games above 2, and no word that only fastchess has; a remark names a proto= or a
 * -games that alone decides. An error names the word that no match here can follow. Call
 * foreign_free in either case. */
bool foreign_read(const Words *words, ForeignMatch *out, Error *err);

/* Appends "obworker match" with the options, ready for a shell, without a line end. */
void foreign_command(const ForeignMatch *match, Text *out);

void foreign_free(ForeignMatch *match);

#endif
