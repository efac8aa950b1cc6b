/* SPDX-License-Identifier: MIT */
#include "report/output.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "report/block.h"
#include "report/markdown.h"
#include "report/page.h"
#include "report/resultwords.h"
#include "report/tuningview.h"

static void add_json(const Result *result, Text *out) {
    cJSON *object = cJSON_CreateObject();
    report_add_to_json(&result->report, object);
    if (result->tuning != NULL)
        tuningview_add_to_json(result, cJSON_AddObjectToObject(object, "tuning"));
    json_take(object, out);
    text_add_char(out, '\n');
}

void output_result(const Result *result, OutputFormat format) {
    Text out = {0};
    switch (format) {
    case OUTPUT_JSON:
        add_json(result, &out);
        break;
    case OUTPUT_MARKDOWN:
        markdown_of_result(result, &out);
        break;
    case OUTPUT_BLOCK:
        if (result->tuning != NULL) {
            tuningview_text(result, &out);
            break;
        }
        report_block(&result->report, &out);
        report_parameters(&result->report, &out);
        break;
    }
    text_print(stdout, text_string(&out));
    text_free(&out);
}

ProgressStyle output_style(void) {
    enum { WIDE = 120 };
    Log log;
    log_init(&log, stdout, LOG_NORMAL);
    ProgressStyle style = {.width = log.terminal ? log_width(&log) : WIDE, .utf8 = log.utf8};
    log_free(&log);
    return style;
}

bool output_page(const Text *page, const char *path, Error *err) {
    enum { PAGE_MODE = 0644 };
    return path == NULL || file_write_output(path, page->data, page->length, PAGE_MODE, err) ||
           error_prefix(err, "--html");
}

bool output_result_page(const Result *result, const char *path, Error *err) {
    Text page = {0};
    if (path == NULL)
        return true;
    page_of_result(result, &page);
    bool ok = output_page(&page, path, err);
    text_free(&page);
    return ok;
}

/* Appends a name as a part of a file's name. Two names give two files. The end of a long part
 * is a digest of the name, because file systems take 255 bytes. */
static bool add_part(const char *name, Text *out, Error *err) {
    enum { PART_MAX = 200, PART_BEGIN = 180, DIGEST_PART = 8 };
    char digest[DIGEST_HEX_MAX];
    Text part = {0};
    bool ok = true;
    for (const char *at = name; *at != '\0'; at++)
        if (isalnum((unsigned char)*at) || strchr(".-", *at))
            text_add_char(&part, *at);
        else
            text_addf(&part, "_%02x", (unsigned)(unsigned char)*at);
    if (part.length <= PART_MAX)
        text_add(out, text_string(&part));
    else if ((ok = digest_bytes(name, strlen(name), digest, err)))
        text_addf(out, "%.*s-%.*s", PART_BEGIN, text_string(&part), DIGEST_PART, digest);
    text_free(&part);
    return ok;
}

/* Writes the test's page beside the table's page, and sets the result's link to the test's page. */
static bool write_row_page(Result *result, const char *html, const char *name, Error *err) {
    static const char END[] = ".html";
    Text path = {0};
    Text link = {0};
    size_t length = strlen(html);
    if (length > strlen(END) && strcmp(html + length - strlen(END), END) == 0)
        length -= strlen(END);
    text_add_bytes(&path, html, length);
    text_add_char(&path, '-');
    bool ok = add_part(name, &path, err);
    text_add(&path, END);
    const char *file = file_name_of(text_string(&path));
    text_add_percent(&link, file, strlen(file));
    ok = ok && output_result_page(result, text_string(&path), err);
    result->link = text_take(&link);
    text_free(&path);
    return ok;
}

bool output_row(Result *result, const char *html, const char *name, CompareRow *row, Error *err) {
    Text difference = {0};
    bool played_here = result->spec != NULL; /* Else the test has its page or needs none. */
    result_difference(result, &difference);
    result->difference = text_take(&difference);
    bool ok = html == NULL || !played_here || write_row_page(result, html, name, err);
    row->link = result->link;
    row->spec = result->spec;
    row->difference = result->difference;
    return ok;
}

void output_warning(const Result *result, Log *log) {
    if (result->warning != NULL)
        log_warn(log, "%s: %s", result->source, result->warning);
    if (result->waiting > 0)
        log_info(log, "%s: %lld games do not count yet: pair %lld, before them, is not played",
                 result->source, 2 * (long long)result->waiting,
                 (long long)penta_pairs(&result->report.tally.penta) + 1);
    if (result->report.sprt && tally_games(&result->report.earlier) > 0)
        log_info(log, "%s: the LLR and the verdict count %lld earlier games too", result->source,
                 (long long)tally_games(&result->report.earlier));
}

void output_approval(const Result *result, Log *log) {
    if (result->unapproved)
        log_info(log, "%s is not approved yet: no game is played before somebody approves it at %s",
                 result->source, result->link);
}

void output_faults(const Result *result, Log *log) {
    Text faults = {0};
    output_approval(result, log);
    output_warning(result, log);
    report_faults(&result->report.tally, &faults);
    if (faults.length > 0)
        log_warn(log, "%s", text_string(&faults));
    text_free(&faults);
}
