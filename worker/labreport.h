/* SPDX-License-Identifier: MIT */
/* The report of the lab: `obworker report --lab`. */
#ifndef LABREPORT_H
#define LABREPORT_H

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "report/output.h"

typedef struct {
    const char *results;        /* The file of results. */
    const OptionList *journals; /* SUITE/NAME.jsonl, taken into the file; none: the file stays. */
    int64_t bench;              /* Of the engine that played the journals; 0: not known. */
    const char *html;           /* The page's file, or NULL. */
    OutputFormat format;
} LabReportOptions;

/* Takes the journals into the file of results, and prints the tables. Claims are read from the file
 * claims.def beside the results, when there is one. */
bool labreport(const LabReportOptions *given, Log *log, Error *err);

#endif
