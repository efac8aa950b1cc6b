/* obworker report: what counts of results, or a local match's journal, say. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/journal.h"
#include "base/options.h"
#include "base/text.h"
#include "commands.h"
#include "report/block.h"
#include "report/record.h"
#include "stats/bounds.h"
#include "stats/sequence.h"

typedef struct {
    const char *penta;
    const char *journal;
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
    {.name = "journal",
     .kind = OPTION_STRING,
     .offset = offsetof(ReportOptions, journal),
     .value = "FILE",
     .help = "the journal of a local match, which may be going on (obworker match --journal)"},
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
    {.name = "html", .kind = OPTION_UNAVAILABLE},
    {.name = "follow", .kind = OPTION_UNAVAILABLE},
    OPTION_COMMON(ReportOptions, common),
};

static const OptionTable table = {
    .command = "obworker report",
    .synopsis = "{--journal FILE | --penta LL,LD,DD,DW,WW [--bounds ELO0,ELO1]} [options]",
    .about = "Elo with its 95 % interval and, with --bounds, the LLR of a test's counts.",
    .options = options,
    .count = sizeof options / sizeof *options,
    .operands = OPTION_NO_OPERANDS,
};

/* ---- From a journal ---- */

/* A match as far as its journal has been read. */
typedef struct {
    RecordHead head;
    Sequence sequence;
    RecordTime time;
} Reading;

static bool take_record(const char *text, size_t length, void *user, Error *err) {
    Reading *r = user;
    Record record = {0};
    bool ok = record_read(text, length, &record, err);
    bool first = r->head.version == 0;
    if (ok && first != (record.kind == RECORD_HEAD))
        ok = error_set(err, first ? "is no head of a match" : "is a second head");
    if (ok && first) {
        r->head = record.head;
        record.head = (RecordHead){0};
        sequence_init(&r->sequence, r->head.sprt ? &r->head.rule : NULL);
    } else if (ok) {
        record_time_add(&r->time, &record);
        Tally tally = record_tally(&record.pair);
        if (record.kind == RECORD_PAIR)
            sequence_add(&r->sequence, record.pair.index, &tally);
    }
    record_free(&record);
    return ok;
}

static void add_setup(const RecordHead *head, Text *out) {
    const RecordEngine *dev = &head->engines[TALLY_DEV];
    const RecordEngine *base = &head->engines[TALLY_BASE];
    report_setup(out, dev->tc, base->tc, record_option(dev, "Threads"),
                 record_option(base, "Threads"), record_option(dev, "Hash"),
                 record_option(base, "Hash"));
}

/* The match of a journal. setup: the memory of the report's line. */
static bool read_journal(const char *path, Report *report, Text *setup, Error *err) {
    Reading r = {0};
    bool ok = journal_read(path, take_record, &r, err);
    if (ok) {
        sequence_close(&r.sequence);
        add_setup(&r.head, setup);
        *report = (Report){.sprt = r.head.sprt,
                           .rule = r.head.rule,
                           .setup = text_string(setup),
                           .tally = r.sequence.total,
                           .games_known = true,
                           .seconds = (double)(r.time.earlier_ms + r.time.latest_ms) / 1000};
    }
    sequence_free(&r.sequence);
    record_free_head(&r.head);
    return ok;
}

/* ---- From counts ---- */

static bool read_counts(const ReportOptions *given, Report *report, Error *err) {
    *report = (Report){.sprt = given->bounds != NULL};
    if (!given->penta)
        return error_set(err, "--penta: is missing: the counts to report on");
    return penta_parse(given->penta, &report->tally.penta, "--penta", err) &&
           (!given->bounds || sprt_parse_bounds(given->bounds, &report->rule, "--bounds", err)) &&
           sprt_parse_confidence(given->confidence, &report->rule, "--confidence", err);
}

/* ---- Which of them ---- */

static bool check_source(const ReportOptions *given, Error *err) {
    if (given->journal == NULL || (given->penta == NULL && given->bounds == NULL))
        return true;
    return error_set(err, "--%s: a journal has its own", given->penta ? "penta" : "bounds");
}

int cmd_report_main(int argc, char **argv) {
    ReportOptions given = {.confidence = "0.05,0.05"};
    int status;
    if (!options_run(&table, argc, argv, &given, &status))
        return status;

    Error err = {0};
    Report report;
    Text setup = {0};
    Text out = {0};
    if (!check_source(&given, &err) || (!given.journal && !read_counts(&given, &report, &err)))
        return options_usage_error(&table, &err);
    if (given.journal && !read_journal(given.journal, &report, &setup, &err)) {
        fprintf(stderr, "obworker report: %s\n", err.text);
        text_free(&setup);
        return EXIT_FAILED;
    }
    if (given.json)
        report_json(&report, &out);
    else
        report_block(&report, &out);
    fputs(text_string(&out), stdout);
    text_free(&out);
    text_free(&setup);
    return EXIT_DONE;
}
