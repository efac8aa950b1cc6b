/* SPDX-License-Identifier: MIT */
#include "report/output.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

/* Appends a name as a part of a file's name. Two names give two files. */
static void add_part(const char *name, Text *out) {
    for (; *name != '\0'; name++)
        if (isalnum((unsigned char)*name) || strchr(".-", *name))
            text_add_char(out, *name);
        else
            text_addf(out, "_%02x", (unsigned)(unsigned char)*name);
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
    add_part(name, &path);
    text_add(&path, END);
    const char *file = file_name_of(text_string(&path));
    text_add_percent(&link, file, strlen(file));
    bool ok = output_result_page(result, text_string(&path), err);
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
}

void output_faults(const Result *result, Log *log) {
    Text faults = {0};
    output_warning(result, log);
    report_faults(&result->report.tally, &faults);
    if (faults.length > 0)
        log_warn(log, "%s", text_string(&faults));
    text_free(&faults);
}
