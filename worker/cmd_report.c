/* obworker report: what counts of results say. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/text.h"
#include "commands.h"
#include "report/block.h"
#include "stats/bounds.h"

typedef struct {
    const char *penta;
    const char *bounds;
    const char *confidence;
    bool json;
    CommonOptions common;
} ReportOptions;

static const Option options[] = {
    {.name = "penta",
     .kind = OPTION_STRING,
     .offset = offsetof(ReportOptions, penta),
     .value = "LL,LD,DD,DW,WW",
     .help = "pairs by dev's points: 0, 1/2, 1, 1 1/2, 2"},
    {.name = "bounds",
     .kind = OPTION_STRING,
     .offset = offsetof(ReportOptions, bounds),
     .value = "ELO0,ELO1",
     .help = "the hypotheses of an SPRT, in normalized Elo"},
    {.name = "confidence",
     .kind = OPTION_STRING,
     .offset = offsetof(ReportOptions, confidence),
     .value = "ALPHA,BETA",
     .help = "its error rates (default 0.05,0.05)"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(ReportOptions, json),
     .help = "a JSON object instead of the text block"},
    {.name = "test", .kind = OPTION_UNAVAILABLE},
    {.name = "journal", .kind = OPTION_UNAVAILABLE},
    {.name = "html", .kind = OPTION_UNAVAILABLE},
    {.name = "follow", .kind = OPTION_UNAVAILABLE},
    OPTION_COMMON(ReportOptions, common),
};

static const OptionTable table = {
    .command = "obworker report",
    .synopsis = "--penta LL,LD,DD,DW,WW [--bounds ELO0,ELO1] [options]",
    .about = "Elo with its 95 % interval and, with --bounds, the LLR of a test's counts.",
    .options = options,
    .count = sizeof options / sizeof *options,
    .operands = OPTION_NO_OPERANDS,
};

int cmd_report_main(int argc, char **argv) {
    ReportOptions given = {.confidence = "0.05,0.05"};
    int status;
    if (!options_run(&table, argc, argv, &given, &status))
        return status;

    Error err = {0};
    Report report = {.sprt = given.bounds != NULL};
    if (!given.penta) {
        error_set(&err, "--penta: is missing: the counts to report on");
        return options_usage_error(&table, &err);
    }
    if (!penta_parse(given.penta, &report.tally.penta, "--penta", &err) ||
        (given.bounds && !sprt_parse_bounds(given.bounds, &report.rule, "--bounds", &err)) ||
        !sprt_parse_confidence(given.confidence, &report.rule, "--confidence", &err))
        return options_usage_error(&table, &err);

    Text out = {0};
    if (given.json)
        report_json(&report, &out);
    else
        report_block(&report, &out);
    fputs(text_string(&out), stdout);
    text_free(&out);
    return EXIT_DONE;
}
