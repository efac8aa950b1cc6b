/* SPDX-License-Identifier: MIT */
#include "labreport.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/compare.h"
#include "report/lab.h"
#include "report/labclaims.h"
#include "report/labpage.h"
#include "report/result.h"

/* Writes the page of a comparison's match beside the lab's page, and links to it. */
static bool write_match_page(const LabReportOptions *given, Result *result,
                             LabComparison *comparison, Error *err) {
    CompareRow row = {0};
    char *name = text_format("%s/%s", comparison->suite, comparison->name);
    bool ok = output_row(result, given->html, name, &row, err);
    if (ok && row.link != NULL)
        comparison->link = mem_strdup(row.link);
    free(name);
    return ok;
}

/* Is the operand a file of statistics? Journals end in ".jsonl". */
static bool is_statistics(const char *path) {
    static const char END[] = ".json";
    size_t length = strlen(path);
    return length > strlen(END) && strcmp(path + length - strlen(END), END) == 0;
}

/* Says that a pair is missing, and that those behind it do not count. */
static void tell_gap(const char *path, const Result *result, Log *log) {
    int64_t whole = penta_pairs(&result->before_gap.penta);
    Text line = {0};
    if (whole > 0 && penta_pairs(&result->report.tally.penta) + result->waiting == whole)
        return;
    if (whole > 0)
        text_addf(&line, "pair %" PRId64 " is missing: only the %" PRId64 " before it %s",
                  whole + 1, whole, whole == 1 ? "counts" : "count");
    else
        text_add(&line, "its first pair is missing: no game counts");
    text_add(&line, " in the lab, until it is played (--resume)");
    if (result->damaged_line > 0)
        text_addf(&line,
                  "; --resume refuses line %" PRId64 ": put back what stood there, or keep what is "
                  "before it (head -n %" PRId64 ")",
                  result->damaged_line, result->damaged_line - 1);
    log_info(log, "%s: %s", path, text_string(&line));
    text_free(&line);
}

static bool take_journal(const LabReportOptions *given, const char *path, Lab *lab, Log *log,
                         Error *err) {
    Result result = {0};
    bool ok = result_of_journal(path, &result, err);
    if (ok) {
        output_faults(&result, log);
        tell_gap(path, &result, log);
    }
    if (ok && tally_games(&result.before_gap) > 0) {
        bool counted;
        LabComparison *comparison = lab_take(lab, path, &result, given->bench, &counted, err);
        if (counted)
            log_info(log, "%s: its games count already, among the %" PRId64 " of %s/%s", path,
                     comparison->games, comparison->suite, comparison->name);
        ok = comparison != NULL && write_match_page(given, &result, comparison, err);
    }
    result_free(&result);
    return ok;
}

/* The length of the path without the file's name. */
static int folder_length(const char *path) {
    return (int)(file_name_of(path) - path);
}

static bool read_claims(const char *results, LabClaims *claims, Error *err) {
    char *path = text_format("%.*sclaims.def", folder_length(results), results);
    bool ok = !file_exists(path) || labclaims_read(path, claims, err);
    free(path);
    return ok;
}

static bool write_page(const LabReportOptions *given, const Lab *lab, const LabClaims *claims,
                       Error *err) {
    Text page = {0};
    if (given->html != NULL)
        labpage_html(lab, claims, &page);
    bool ok = output_page(&page, given->html, err);
    text_free(&page);
    return ok;
}

/* The Markdown tables stand in the folder above that of the results, and link to the suites. */
static void link_suites(const char *results, Lab *lab) {
    int length = folder_length(results);
    int above = length - 1; /* The length of the folder's own folder. */
    while (above > 0 && results[above - 1] != '/')
        above--;
    for (size_t i = 0; i < lab->count; i++) {
        LabComparison *one = &lab->items[i];
        char *path = text_format("%.*s%s.suite", length, results, one->suite);
        if (length > 0 && file_exists(path)) {
            free(one->link);
            one->link = mem_strdup(path + above);
        }
        free(path);
    }
}

static void print_tables(const LabReportOptions *given, Lab *lab, const LabClaims *claims) {
    ProgressStyle style = output_style();
    Text out = {0};
    if (given->format == OUTPUT_MARKDOWN) {
        link_suites(given->results, lab);
        labpage_markdown(lab, claims, &out);
    } else if (given->format == OUTPUT_JSON)
        labpage_json(lab, claims, &out);
    else
        labpage_text(lab, claims, &style, &out);
    text_print(stdout, text_string(&out));
    text_free(&out);
}

bool labreport(const LabReportOptions *given, Log *log, Error *err) {
    Lab lab = {0};
    LabClaims claims = {0};
    size_t count = given->journals->count;
    bool begins = count > 0 && !file_exists(given->results);
    if (text_ends_with_nocase(given->results, ".jsonl"))
        return error_set(err,
                         "--lab %s: is a journal; the lab's results come first: --lab RESULTS.json "
                         "JOURNAL...",
                         given->results);
    bool ok = (begins || lab_read(given->results, &lab, err)) &&
              read_claims(given->results, &claims, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = is_statistics(given->journals->items[i])
                 ? labstats_take(given->journals->items[i], &lab.statistics, err)
                 : take_journal(given, given->journals->items[i], &lab, log, err);
    ok = ok && (count == 0 || lab_write(given->results, &lab, err)) &&
         write_page(given, &lab, &claims, err);
    if (ok)
        print_tables(given, &lab, &claims);
    lab_free(&lab);
    labclaims_free(&claims);
    return ok;
}
