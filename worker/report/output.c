/* SPDX-License-Identifier: MIT */
#include "report/output.h"

#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "report/block.h"
#include "report/markdown.h"
#include "report/page.h"
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
    return path == NULL || file_write_atomic(path, page->data, page->length, PAGE_MODE, err) ||
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
