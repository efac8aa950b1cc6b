/* SPDX-License-Identifier: MIT */
/* The positions of journals' games, for training: `obworker report --positions`. */
#ifndef POSITIONSREPORT_H
#define POSITIONSREPORT_H

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "match/positions.h"

typedef struct {
    const char *file;           /* A file that is to be made. */
    const OptionList *journals; /* Of matches and tunings; they may still grow. */
    PositionsKind kind;
} PositionsReportOptions;

/* Writes the positions of all games in the form of match/positions.h. Games with the same opening
 * follow each other, whatever the order of the journals, so a part of the file shares at most its
 * first and last openings with the other parts. Damaged records are passed over with a warning. */
bool positionsreport(const PositionsReportOptions *given, Log *log, Error *err);

#endif
