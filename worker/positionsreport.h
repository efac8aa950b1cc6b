/* SPDX-License-Identifier: MIT */
/* The positions of journals' games, for training: `obworker report --positions`. */
#ifndef POSITIONSREPORT_H
#define POSITIONSREPORT_H

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "match/positions.h"

typedef struct {
    const char *file;           /* A new file, or one that is no regular file: /dev/stdout. */
    const OptionList *journals; /* Of matches and tunings; they may still grow. */
    PositionsKind kind;
} PositionsReportOptions;

/* Writes the positions of all games in the form of match/positions.h. Games with the same opening
 * follow each other, and the openings stand in an order that depends on nothing but themselves and
 * looks like chance. So a part of the file is a sample of the openings, and shares at most its
 * first and its last one with the other parts. A game that several journals have is written once.
 * Damaged records are passed over with a warning. The file appears when it is whole. */
bool positionsreport(const PositionsReportOptions *given, Log *log, Error *err);

#endif
