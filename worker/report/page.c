/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/chart.h"
#include "report/gamesections.h"
#include "report/html.h"
#include "report/origin.h"
#include "report/overgames.h"
#include "report/resultwords.h"
#include "report/tuningview.h"

/* ---- Numbers ---- */

/* Writes a probability in percent, never as 0 % or 100 %. */
static void format_probability(double p, char *out, size_t size) {
    double shown = fmin(fmax(100 * p, 0.01), 99.99);
    bool beyond = 100 * p < 0.005 || 100 * p >= 99.995;
    snprintf(out, size, "%s%.2f %%", !beyond ? "" : p < 0.5 ? "< " : "> ", shown);
}

/* ---- Faults ---- */

static void show_faults_found(const Result *result, const char *faults, Text *out) {
    text_addf(out,
              "<section class=\"alert\" role=\"note\"><h2>Faults</h2><p><strong>%s</strong> in ",
              faults);
    text_add_grouped(out, tally_games_counted(&result->report.tally));
    text_add(out, " games. Such games count as lost by the side at fault: look at the cause before "
                  "you believe the result.</p></section>\n");
}

static void show_faults(const Result *result, Text *out) {
    if (result->report.faults_unknown)
        return;
    Text faults = {0};
    report_faults(&result->report.tally, &faults);
    if (faults.length > 0)
        show_faults_found(result, text_string(&faults), out);
    text_free(&faults);
}

/* ---- The head of the page ---- */

static void add_fact(Text *out, const char *name, const char *value, const char *more) {
    text_add(out, "<div><dt>");
    html_add(out, name);
    text_add(out, "</dt><dd>");
    html_add(out, value);
    if (more != NULL && more[0] != '\0') {
        text_add(out, " <small>");
        html_add(out, more);
        text_add(out, "</small>");
    }
    text_add(out, "</dd></div>\n");
}

static void add_games_fact(const Result *result, Text *out) {
    const Report *report = &result->report;
    bool split = report->games_known && report->purpose != PURPOSE_DATA;
    Text games = {0};
    Text more = {0};
    text_add_grouped(&games, tally_games_counted(&report->tally));
    if (result->games_wanted > 0) {
        text_add(&more, "of ");
        text_add_grouped(&more, result->games_wanted);
        text_add(&more, split ? "; " : "");
    }
    if (split) {
        text_add_grouped(&more, report->tally.wins);
        text_add(&more, " won, ");
        text_add_grouped(&more, report->tally.losses);
        text_add(&more, " lost, ");
        text_add_grouped(&more, report->tally.draws);
        text_add(&more, " drawn");
    }
    add_fact(out, "Games", text_string(&games), text_string(&more));
    text_free(&games);
    text_free(&more);
}

static void show_facts(const Result *result, Text *out) {
    const Report *report = &result->report;
    Outcomes outcomes = outcomes_of(&report->tally);
    EloInterval elo;
    char value[128];
    char more[128] = "";
    text_add(out, "<dl class=\"facts\">\n");
    bool interval = report_elo(report, &elo);
    if (result->tuning != NULL) {
        snprintf(value, sizeof value, "%" PRId64, result->tuning->done);
        snprintf(more, sizeof more, "of %" PRId64, result->tuning->schedule.iterations);
        add_fact(out, "Iterations", value, more);
    } else if (interval) {
        snprintf(value, sizeof value, "%+.2f ± %.2f", unsigned_zero(elo.value, 2),
                 elo_margin(&elo));
        add_fact(out, "Elo", value, "95 %");
    } else if (report->purpose == PURPOSE_TEST)
        add_fact(out, "Elo", result->over ? "no interval" : "no interval yet",
                 outcomes_no_interval(&outcomes));
    if (report->sprt) {
        LlrLimits limits = sprt_limits(&report->rule);
        snprintf(value, sizeof value, "%.2f", unsigned_zero(report_llr(&result->report), 2));
        Text words = {0};
        text_addf(&words, "(%.2f, %.2f) for ", limits.lower, limits.upper);
        report_hypotheses(&report->rule, &words);
        add_fact(out, "LLR", value, text_string(&words));
        text_free(&words);
    }
    add_games_fact(result, out);
    for (size_t i = 0; i < result->fact_count; i++)
        add_fact(out, result->facts[i].name, result->facts[i].dev, result->facts[i].note);
    if (interval) {
        format_probability(outcomes_los(&outcomes), value, sizeof value);
        add_fact(out, "Likelihood of superiority", value, NULL);
    }
    text_add(out, "</dl>\n");
}

/* Shows the state in one chip: the state's word where known, else the verdict of the SPRT. The
 * chip's colour tells the verdict. */
static void show_state(const Result *result, Text *out) {
    static const char *const KINDS[] = {
        [VERDICT_NONE] = "open", [VERDICT_H0] = "bad", [VERDICT_H1] = "good"};
    static const char *const WORDS[] = {[VERDICT_H0] = "H0 accepted", [VERDICT_H1] = "H1 accepted"};
    Verdict verdict = report_verdict(&result->report);
    if (result->state == NULL && !result->report.sprt)
        return;
    const char *word = verdict != VERDICT_NONE ? WORDS[verdict]
                       : result->over          ? "no decision"
                                               : "undecided";
    text_addf(out, "<span class=\"chip %s\">", KINDS[verdict]);
    html_add(out, result->state != NULL ? result->state : word);
    text_add(out, "</span> ");
}

static void show_head(const Result *result, Text *out) {
    text_add(out, "<header>\n<h1>");
    html_add_title(out, result->title);
    text_add(out, "</h1>\n<p class=\"source\">");
    show_state(result, out);
    if (result->setup != NULL) {
        html_add(out, result->setup);
        text_add(out, " · ");
    }
    bool link = result->link != NULL && (text_starts_with(result->link, "https://") ||
                                         text_starts_with(result->link, "http://"));
    if (link) {
        text_add(out, "<a href=\"");
        html_add(out, result->link);
        text_add(out, "\">");
    }
    html_add(out, result->source);
    text_add(out, link ? "</a></p>\n<p class=\"say\">" : "</p>\n<p class=\"say\">");
    result_sentence(result, out);
    text_add(out, "</p>\n");
    show_facts(result, out);
    text_add(out, "</header>\n");
}

static void show_block(const Result *result, Text *out) {
    Text block = {0};
    if (result->tuning != NULL)
        tuningview_text(result, &block);
    else
        report_block(&result->report, &block);
    text_add(out, "<section aria-labelledby=\"h-block\"><h2 id=\"h-block\">To paste</h2>\n"
                  "<pre id=\"block\" tabindex=\"0\" aria-label=\"report block\">");
    html_add(out, text_string(&block));
    text_add(out, "</pre>\n<button type=\"button\" id=\"copy\" hidden>Copy</button>"
                  "<span id=\"copied\" role=\"status\"></span></section>\n");
    text_free(&block);
}

/* ---- Pairs, endings, parts ---- */

static void show_pairs(const Result *result, Text *out) {
    static const char *const NAMES[PENTA_CELLS] = {"0", "½", "1", "1½", "2"};
    static const char *const KINDS[PENTA_CELLS] = {"bad", "bad", "even", "good", "good"};
    const Penta *penta = &result->report.tally.penta;
    int64_t pairs = penta_pairs(penta);
    double expected[PENTA_CELLS];
    if (pairs == 0 || result->report.purpose == PURPOSE_DATA)
        return;
    stats_expected_pairs(penta, expected);
    double most = 1;
    for (int i = 0; i < PENTA_CELLS; i++)
        most = fmax(most, fmax((double)penta->n[i], expected[i]));
    text_add(out, "<section aria-labelledby=\"h-pairs\"><h2 id=\"h-pairs\">Pairs by points</h2>\n"
                  "<table class=\"bars pairs\"><thead><tr><th scope=\"col\">points</th>"
                  "<th scope=\"col\" class=\"bar\"><span class=\"sr\">bar</span></th>"
                  "<th scope=\"col\" class=\"number\">pairs</th>"
                  "<th scope=\"col\" class=\"number\">if equal</th></tr></thead><tbody>\n");
    for (int i = PENTA_CELLS - 1; i >= 0; i--) {
        text_addf(out, "<tr><th scope=\"row\">%s</th><td class=\"bar\">", NAMES[i]);
        chart_bar((double)penta->n[i] / most, expected[i] / most, KINDS[i], out);
        text_add(out, "</td>");
        html_add_number_cell(out, penta->n[i]);
        html_add_number_cell(out, llround(expected[i]));
        text_add(out, "</tr>\n");
    }
    text_add(out,
             "</tbody></table>\n<p><small>The strokes, and the last column: what equal engines "
             "would most likely have made of as many pairs.</small></p></section>\n");
}

static void show_endings(const Result *result, Text *out) {
    int64_t total = 0;
    int64_t most = 1;
    for (size_t i = 0; i < result->ending_count; i++) {
        total += result->endings[i].count;
        most = result->endings[i].count > most ? result->endings[i].count : most;
    }
    if (total == 0)
        return;
    text_add(out, "<section aria-labelledby=\"h-ends\"><h2 id=\"h-ends\">How games ended</h2>\n"
                  "<table class=\"bars\"><thead><tr><th scope=\"col\">ending</th>"
                  "<th scope=\"col\" class=\"bar\"><span class=\"sr\">bar</span></th>"
                  "<th scope=\"col\" class=\"number\">games</th>"
                  "<th scope=\"col\" class=\"number\">share</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < result->ending_count; i++) {
        text_add(out, "<tr><th scope=\"row\">");
        html_add(out, result->endings[i].name);
        text_add(out, "</th><td class=\"bar\">");
        chart_bar((double)result->endings[i].count / (double)most, -1,
                  result->endings[i].fault ? "bad" : "even", out);
        text_add(out, "</td>");
        html_add_number_cell(out, result->endings[i].count);
        text_addf(out, "<td class=\"number\">%.1f %%</td></tr>\n",
                  100 * (double)result->endings[i].count / (double)total);
    }
    text_add(out, "</tbody></table></section>\n");
}

/* elo: the table has a column of Elo. */
static void show_group(const ResultGroup *group, bool elo, Text *out) {
    bool faults = group->tally.crashes + group->tally.timelosses + group->tally.illegals > 0;
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, group->name);
    text_add(out, "<small class=\"folded\">");
    text_add_grouped(out, 2 * penta_pairs(&group->tally.penta));
    text_add(out, " games; faults: ");
    result_group_faults(group, out);
    text_add(out, elo ? "</small></th><td>" : "</small></th>");
    if (elo) {
        result_group_elo(group, out);
        text_add(out, "</td>");
    }
    text_add(out, "<td class=\"wide number\">");
    text_add_grouped(out, 2 * penta_pairs(&group->tally.penta));
    text_addf(out, "</td><td class=\"wide%s\">", faults ? " fault" : "");
    result_group_faults(group, out);
    text_add(out, "</td></tr>\n");
}

static void show_groups(const Result *result, Text *out) {
    if (result->groups.count == 0)
        return;
    bool elo = result->report.purpose == PURPOSE_TEST;
    text_add(out, "<section aria-labelledby=\"h-parts\"><h2 id=\"h-parts\">Where and when</h2>\n");
    for (size_t i = 0; i < result->groups.count;) {
        const char *kind = result->groups.items[i].kind;
        text_addf(out,
                  "<table class=\"parts\"><thead><tr><th scope=\"col\">%s</th>%s<th "
                  "scope=\"col\" class=\"wide number\">games</th><th "
                  "scope=\"col\" class=\"wide\">faults</th></tr></thead><tbody>\n",
                  kind, elo ? "<th scope=\"col\">Elo</th>" : "");
        for (; i < result->groups.count && strcmp(result->groups.items[i].kind, kind) == 0; i++)
            show_group(&result->groups.items[i], elo, out);
        text_add(out, "</tbody></table>\n");
    }
    text_add(out, "</section>\n");
}

/* ---- A tuning ---- */

/* The page's table has the name, the value, the start, the bounds and the step c; a narrow page's
 * has the first three columns, and the others as words below the name. The text below the table has
 * all columns. */
enum { NARROW_COLUMNS = 3, PAGE_COLUMNS = 6 };

static void show_parameter(const TunedParameter *parameter, Text *out) {
    char room[REPORT_PARAMETER_CELL];
    text_add(out, "<tr><th scope=\"row\">");
    html_add_name(out, parameter->name);
    text_add(out, "<small class=\"folded\">");
    for (int k = NARROW_COLUMNS; k < PAGE_COLUMNS; k++) {
        text_add(out, k > NARROW_COLUMNS ? ", " : "");
        text_addf(out, "%s ", report_parameter_cell(NULL, k, room));
        text_add(out, report_parameter_cell(parameter, k, room));
    }
    text_add(out, "</small></th>");
    for (int k = 1; k < PAGE_COLUMNS; k++)
        text_addf(out, "<td class=\"%snumber\">%s</td>", k < NARROW_COLUMNS ? "" : "wide ",
                  report_parameter_cell(parameter, k, room));
    text_add(out, "</tr>\n");
}

static void show_parameters(const Report *report, Text *out) {
    char room[REPORT_PARAMETER_CELL];
    Text all = {0};
    if (report->parameters.count == 0)
        return;
    text_add(out, "<section aria-labelledby=\"h-tuned\"><h2 id=\"h-tuned\">Parameters</h2>\n"
                  "<table class=\"parts tuned\"><thead><tr>");
    for (int k = 0; k < PAGE_COLUMNS; k++)
        text_addf(out, "<th scope=\"col\"%s>%s</th>",
                  k == 0               ? ""
                  : k < NARROW_COLUMNS ? " class=\"number\""
                                       : " class=\"wide number\"",
                  report_parameter_cell(NULL, k, room));
    text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < report->parameters.count; i++)
        show_parameter(&report->parameters.items[i], out);
    text_add(out, "</tbody></table>\n<details><summary>All numbers of the parameters</summary>\n"
                  "<pre tabindex=\"0\">");
    report_parameters(report, &all);
    html_add(out, text_string(&all));
    text_add(out, "</pre></details>\n</section>\n");
    text_free(&all);
}

/* ---- Switches and settings ---- */

static void show_settings(const char *title, const char *id, const ResultSetting *settings,
                          size_t count, Text *out) {
    if (count == 0)
        return;
    text_addf(
        out,
        "<section aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">%s</h2>\n<table class=\"%s\"><thead><tr>"
        "<th scope=\"col\"><span class=\"sr\">name</span></th><th scope=\"col\">dev</th>"
        "<th scope=\"col\">base</th></tr></thead><tbody>\n",
        id, id, title, id);
    for (size_t i = 0; i < count; i++) {
        text_add(out, "<tr><th scope=\"row\">");
        html_add_title(out, settings[i].name);
        if (settings[i].note != NULL) {
            text_add(out, "<small class=\"note\">");
            html_add(out, settings[i].note);
            text_add(out, "</small>");
        }
        text_add(out, settings[i].base != NULL ? "</th><td>" : "</th><td colspan=\"2\">");
        html_add_name(out, settings[i].dev);
        if (settings[i].base != NULL) {
            text_add(out, "</td><td>");
            html_add_name(out, settings[i].base);
        }
        text_add(out, "</td></tr>\n");
    }
    text_add(out, "</tbody></table></section>\n");
}

/* Shows the switches; for a server's test, which knows commits alone, a link to the changes. */
static void show_changes(const Result *result, Text *out) {
    show_settings("Switches that differ", "flags", result->flags, result->flag_count, out);
    if (result->link == NULL || result->report.purpose != PURPOSE_TEST)
        return;
    text_add(out, "<section aria-labelledby=\"h-changes\"><h2 id=\"h-changes\">What is changed"
                  "</h2>\n<p>The server names commits, not the switches that differ.");
    if (result->changes != NULL) {
        text_add(out, "<br><a href=\"");
        html_add(out, result->changes);
        text_add(out, "\">All that dev changes</a>");
    }
    text_add(out, "</p></section>\n");
}

/* ---- Further statistics: names and values ---- */
static void add_statistic(Result *list, const char *name, const char *format, double value) {
    char text[64];
    snprintf(text, sizeof text, format, value);
    result_add_setting(list, name, text, NULL);
}

static void add_count(Result *list, const char *name, int64_t count) {
    Text text = {0};
    text_add_grouped(&text, count);
    result_add_setting(list, name, text_string(&text), NULL);
    text_free(&text);
}

static void add_interval(Result *list, const char *name, const EloInterval *elo) {
    char text[96];
    snprintf(text, sizeof text, "%+.2f [%+.2f, %+.2f]", unsigned_zero(elo->value, 2),
             unsigned_zero(elo->lower, 2), unsigned_zero(elo->upper, 2));
    result_add_setting(list, name, text, NULL);
}

static void add_duration(Result *list, double seconds) {
    Text text = {0};
    progress_duration(&text, seconds);
    result_add_setting(list, "time", text_string(&text), NULL);
    text_free(&text);
}

static void collect_statistics(const Result *result, Result *list) {
    const Report *report = &result->report;
    const Tally *tally = &report->tally;
    Outcomes outcomes = outcomes_of(tally);
    EloInterval student;
    EloInterval normal = outcomes_elo(&outcomes, INTERVAL_NORMAL);
    EloInterval normalized = outcomes_normalized_elo(&outcomes, INTERVAL_STUDENT);
    EloInterval estimate;
    double value;
    bool compares = report->purpose == PURPOSE_TEST;
    bool interval = report_elo(report, &student);
    if (interval) {
        add_interval(list, "Elo (Student's t)", &student);
        add_interval(list, "Elo (large sample)", &normal);
    }
    if (interval && report_estimate(report, &estimate))
        add_interval(list, "Elo, corrected for the stopping", &estimate);
    if (interval)
        add_interval(list, "normalized Elo", &normalized);
    if (report->purpose != PURPOSE_DATA && stats_draw_ratio(&tally->penta, &value))
        add_statistic(list, "even pairs", "%.1f %%", 100 * value);
    if (compares && stats_pair_ratio(&tally->penta, &value))
        add_statistic(list, "pairs won per pair lost", "%.3f", value);
    if (tally_games(tally) > 0)
        add_statistic(list, "drawn games", "%.1f %%",
                      100 * (double)tally->draws / (double)tally_games(tally));
    if (tally->plies > 0)
        add_statistic(list, "half moves a game", "%.1f",
                      (double)tally->plies / (double)tally_games_counted(&result->report.tally));
    static const char *const DEPTHS[] = {"mean depth of dev", "mean depth of base"};
    static const char *const SPEEDS[] = {"nodes a second of dev", "nodes a second of base"};
    for (int side = 0; side < SIDE_COUNT; side++)
        if (work_depth(&tally->work[side], &value))
            add_statistic(list, DEPTHS[side], "%.2f", value);
    for (int side = 0; side < SIDE_COUNT; side++)
        if (work_nps(&tally->work[side], &value))
            add_count(list, SPEEDS[side], llround(value));
    if (report->seconds > 0)
        add_duration(list, report->seconds);
}

static void show_statistics(const Result *result, Text *out) {
    Result list = {0};
    collect_statistics(result, &list);
    text_add(out, "<section aria-labelledby=\"h-more\"><h2 id=\"h-more\">More numbers</h2>\n<table "
                  "class=\"plain\"><tbody>\n");
    for (size_t i = 0; i < list.setting_count; i++)
        text_addf(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", list.settings[i].name,
                  list.settings[i].dev);
    text_add(out, "</tbody></table></section>\n");
    result_free(&list);
}

static const char SCRIPT[] =
    "<script>\n"
    "(function(){var b=document.getElementById('copy'),p=document.getElementById('block'),"
    "s=document.getElementById('copied');if(!b||!p)return;b.hidden=false;"
    "function chosen(){var r=document.createRange();r.selectNodeContents(p);"
    "var g=getSelection();g.removeAllRanges();g.addRange(r);return document.execCommand('copy')}"
    "function said(ok){s.textContent=ok?' Copied.':' Selected: copy it with your keys.'}"
    "b.addEventListener('click',function(){if(navigator.clipboard&&isSecureContext)"
    "navigator.clipboard.writeText(p.textContent).then(function(){said(true)},"
    "function(){said(chosen())});else said(chosen())})})();\n"
    "</script>\n";

void page_add_sections(const Result *result, Text *out) {
    show_head(result, out);
    show_faults(result, out);
    if (result->tuning != NULL)
        tuningview_sections(result, out);
    show_parameters(&result->report, out);
    text_add(out, "<div class=\"columns\">\n");
    overgames_llr(result, out);
    overgames_elo(result, out);
    show_pairs(result, out);
    show_endings(result, out);
    gamesections_numbers(result, out);
    text_add(out, "</div>\n");
    gamesections_list(result, out);
    show_groups(result, out);
    text_add(out, "<div class=\"columns loose\">\n");
    show_statistics(result, out);
    text_add(out, "<div>\n");
    show_block(result, out);
    show_changes(result, out);
    text_add(out, "</div>\n</div>\n");
    origin_section(result, out);
    show_settings("Settings", "settings", result->settings, result->setting_count, out);
}

void page_of_result(const Result *result, Text *out) {
    html_begin(out, result->title, result->renew_s);
    page_add_sections(result, out);
    text_add(out, SCRIPT);
    gamesections_script(result, out);
    html_end(out);
}

void page_of_comparison(const CompareRow *rows, size_t count, const char *title, Text *out) {
    Text shared = {0};
    html_begin(out, title, 0);
    text_add(out, "<header><h1>");
    html_add_title(out, title);
    text_addf(out,
              "</h1>\n<p class=\"source\">%zu test%s, the best first; bars show the 95 %% "
              "interval.",
              count, text_plural((int64_t)count));
    compare_shared(rows, count, &shared);
    if (shared.length > 0) {
        text_add(out, "<br>");
        html_add(out, text_string(&shared));
    }
    text_add(out, "</p></header>\n");
    compare_html(rows, count, NULL, out);
    html_end(out);
    text_free(&shared);
}
