/* SPDX-License-Identifier: MIT */
/* Templates: values, escaping, sections, partials, and faults with their lines. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "serve/template.h"

static Text page;
static Error err;

static void set_up(void) {
    page = (Text){0};
    err = (Error){{0}};
}

static void tear_down(void) {
    text_free(&page);
}

/* Renders the text with these values (JSON). */
static bool render(const char *text, const char *json) {
    const char *const lines[] = {text, NULL};
    static const char *const greeting[] = {"<b>{{who}}</b>", NULL};
    static const char *const round[] = {"{{>round.html}}", NULL};
    static const char *const broken[] = {"one\n", "{{#x}}\n", NULL};
    const Template all[] = {{"page.html", lines},
                            {"greeting.html", greeting},
                            {"round.html", round},
                            {"broken.html", broken}};
    Templates templates = {all, COUNT(all)};
    cJSON *values = cJSON_Parse(json);
    ck_assert_ptr_nonnull(values);
    text_clear(&page);
    bool done = template_render(&templates, "page.html", values, &page, &err);
    cJSON_Delete(values);
    return done;
}

static void expect(const char *text, const char *json, const char *wanted) {
    ck_assert_msg(render(text, json), "%s: %s", text, err.text);
    ck_assert_str_eq(text_string(&page), wanted);
}

static void expect_fault(const char *text, const char *json, const char *wanted) {
    ck_assert_msg(!render(text, json), "%s was rendered: %s", text, text_string(&page));
    ck_assert_str_eq(err.text, wanted);
    err = (Error){{0}};
}

START_TEST(values_are_escaped_unless_they_are_ours) {
    expect("<p title=\"{{a}}\">{{{b}}}</p>{{n}}",
           "{\"a\": \"<script>\\\"'&\", \"b\": \"<svg>\", \"n\": 12345678}",
           "<p title=\"&#60;script&#62;&#34;&#39;&#38;\"><svg></p>12345678");
}
END_TEST

START_TEST(a_path_may_break_behind_its_slashes) {
    expect("<code title=\"{{a}}\">{{~a}}</code>", "{\"a\": \"/tmp/<b>\"}",
           "<code title=\"/tmp/&#60;b&#62;\">/<wbr>tmp/<wbr>&#60;b&#62;</code>");
    expect_fault("{{~a}}", "{}", "page.html: line 1: {{a}} has no value");
}
END_TEST

START_TEST(a_value_with_braces_is_not_a_place) {
    expect("{{a}}", "{\"a\": \"{{b}}{{/a}}\"}", "{{b}}{{/a}}");
}
END_TEST

START_TEST(a_section_stands_for_each_item) {
    expect("{{#list}}[{{name}} {{around}}]{{/list}}",
           "{\"around\": 1, \"list\": [{\"name\": \"a\"}, {\"name\": \"b\", \"around\": 2}]}",
           "[a 1][b 2]");
    expect("{{#list}}{{.}},{{/list}}", "{\"list\": [\"<\", 2]}", "&#60;,2,");
    expect("{{#one}}{{name}}{{/one}}", "{\"one\": {\"name\": \"x\"}}", "x");
    expect("{{#yes}}y{{/yes}}{{#no}}n{{/no}}", "{\"yes\": true, \"no\": false}", "y");
}
END_TEST

START_TEST(the_contrary_section_stands_for_what_is_empty) {
    static const char *const values[] = {"{}",         "{\"a\": null}", "{\"a\": false}",
                                         "{\"a\": 0}", "{\"a\": \"\"}", "{\"a\": []}"};
    for (size_t i = 0; i < COUNT(values); i++)
        expect("{{^a}}none{{/a}}{{#a}}some{{/a}}", values[i], "none");
    expect("{{^a}}none{{/a}}{{#a}}some{{/a}}", "{\"a\": \"x\"}", "some");
}
END_TEST

START_TEST(hidden_sections_may_hold_places_without_values) {
    expect("{{#a}}{{b}}{{#c}}{{d}}{{/c}}{{>nothing.html}}{{/a}}.", "{}", ".");
}
END_TEST

START_TEST(a_partial_sees_the_item) {
    expect("{{#list}}{{>greeting.html}}{{/list}}",
           "{\"list\": [{\"who\": \"a\"}, {\"who\": \"&\"}]}", "<b>a</b><b>&#38;</b>");
}
END_TEST

START_TEST(faults_name_the_line_and_the_place) {
    expect_fault("a\nb {{x}}", "{}", "page.html: line 2: {{x}} has no value");
    expect_fault("{{x}}", "{\"x\": [1]}", "page.html: line 1: {{x}} is no text");
    expect_fault("{{#x}}\n{{y", "{\"x\": 1}",
                 "page.html: line 2: {{y}} is not closed, or has no name");
    expect_fault("{{}}", "{}", "page.html: line 1: {{}} is not closed, or has no name");
    expect_fault("{{{x}}", "{\"x\": 1}", "page.html: line 1: {{x}} is not closed, or has no name");
    expect_fault("\n{{#x}}a", "{}", "page.html: line 2: {{x}} is not closed");
    expect_fault("{{#x}}{{/y}}", "{}", "page.html: line 1: {{y}} closes nothing");
    expect_fault("{{/x}}", "{}", "page.html: line 1: {{x}} closes nothing");
    expect_fault("{{>nothing.html}}", "{}", "page.html: line 1: {{nothing.html}} is no template");
    expect_fault("{{>broken.html}}", "{}", "broken.html: line 2: {{x}} is not closed");
    expect_fault("{{>round.html}}", "{}", "round.html: line 1: {{round.html}} stands too deep");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, values_are_escaped_unless_they_are_ours);
    tcase_add_test(tests, a_path_may_break_behind_its_slashes);
    tcase_add_test(tests, a_value_with_braces_is_not_a_place);
    tcase_add_test(tests, a_section_stands_for_each_item);
    tcase_add_test(tests, the_contrary_section_stands_for_what_is_empty);
    tcase_add_test(tests, hidden_sections_may_hold_places_without_values);
    tcase_add_test(tests, a_partial_sees_the_item);
    tcase_add_test(tests, faults_name_the_line_and_the_place);
}

int main(void) {
    return run_tests("template", add_tests);
}
