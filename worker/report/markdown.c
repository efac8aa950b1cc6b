/* SPDX-License-Identifier: MIT */
#include "report/markdown.h"

#include <inttypes.h>

#include "report/html.h"
#include "report/origin.h"
#include "report/resultwords.h"
#include "report/tuningview.h"

static void markdown_parameters(const Report *report, Text *out) {
    char room[REPORT_PARAMETER_CELL];
    if (report->parameters.count == 0)
        return;
    text_add(out, "\n|");
    for (int k = 0; k < REPORT_PARAMETER_COLUMNS; k++)
        text_addf(out, " %s |", report_parameter_cell(NULL, k, room));
    text_add(out, "\n|");
    for (int k = 0; k < REPORT_PARAMETER_COLUMNS; k++)
        text_add(out, k > 0 ? " --: |" : " --- |");
    text_add_char(out, '\n');
    for (size_t i = 0; i < report->parameters.count; i++) {
        text_add(out, "| ");
        markdown_add(out, report->parameters.items[i].name);
        for (int k = 1; k < REPORT_PARAMETER_COLUMNS; k++)
            text_addf(out, " | %s", report_parameter_cell(&report->parameters.items[i], k, room));
        text_add(out, " |\n");
    }
}

static void markdown_settings(const ResultSetting *settings, size_t count, Text *out) {
    if (count == 0)
        return;
    text_add(out, "\n| | dev | base |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        text_add(out, "| ");
        markdown_add(out, settings[i].name);
        text_add(out, " | ");
        markdown_add(out, settings[i].dev);
        text_add(out, " | ");
        markdown_add(out, settings[i].base != NULL ? settings[i].base : settings[i].dev);
        text_add(out, " |\n");
    }
}

static void markdown_endings(const Result *result, Text *out) {
    if (result->ending_count == 0)
        return;
    text_add(out, "\n| ending | games |\n| --- | --: |\n");
    for (size_t i = 0; i < result->ending_count; i++) {
        text_add(out, "| ");
        markdown_add(out, result->endings[i].name);
        text_addf(out, " | %" PRId64 " |\n", result->endings[i].count);
    }
}

static void markdown_groups(const Result *result, Text *out) {
    if (result->groups.count == 0)
        return;
    bool elo = result->report.purpose == PURPOSE_TEST;
    text_addf(out, "\n| part | |%s games | faults |\n| --- | --- |%s --: | --- |\n",
              elo ? " Elo |" : "", elo ? " --: |" : "");
    for (size_t i = 0; i < result->groups.count; i++) {
        const ResultGroup *group = &result->groups.items[i];
        text_addf(out, "| %s | ", group->kind);
        markdown_add(out, group->name);
        text_add(out, " | ");
        if (elo) {
            result_group_elo(group, out);
            text_add(out, " | ");
        }
        text_addf(out, "%" PRId64 " | ", 2 * penta_pairs(&group->tally.penta));
        result_group_faults(group, out);
        text_add(out, " |\n");
    }
}

void markdown_of_result(const Result *result, Text *out) {
    Text block = {0};
    Text faults = {0};
    text_add(out, "### ");
    markdown_add(out, result->title);
    text_add(out, "\n\n");
    result_sentence(result, out);
    if (result->tuning != NULL)
        tuningview_text(result, &block);
    else
        report_block(&result->report, &block);
    text_addf(out, "\n\n```\n%s```\n", text_string(&block));
    report_faults(&result->report.tally, &faults);
    if (faults.length > 0)
        text_addf(out, "\n**%s**\n", text_string(&faults));
    markdown_parameters(&result->report, out);
    markdown_settings(result->flags, result->flag_count, out);
    origin_markdown(result, out);
    if (result->changes != NULL) {
        text_add(out, "\n[All that dev changes](");
        markdown_add_address(out, result->changes);
        text_add(out, ")\n");
    }
    markdown_endings(result, out);
    markdown_groups(result, out);
    markdown_settings(result->settings, result->setting_count, out);
    text_free(&faults);
    text_free(&block);
}
