/* SPDX-License-Identifier: MIT */
/* Option lines are read strictly: each fault is told, and defaults are kept with their blanks. */
#include "check/declaration.h"
#include "runner.h"

/* The fault of a line; "" for a sound one. */
static const char *fault_of(const char *rest) {
    static Error err;
    Declaration d;
    declaration_read(rest, &d, &err);
    declaration_free(&d);
    return err.text;
}

/* The default that a line declares, "(none)" when it declares none. */
static const char *default_of(const char *rest) {
    static char text[128];
    Error err;
    Declaration d;
    ck_assert(declaration_read(rest, &d, &err));
    snprintf(text, sizeof text, "%s", d.fallback != NULL ? d.fallback : "(none)");
    declaration_free(&d);
    return text;
}

START_TEST(a_sound_line_has_no_fault) {
    ck_assert_str_eq(fault_of("name Hash type spin default 16 min 1 max 1024"), "");
    ck_assert_str_eq(fault_of("name Hash type spin min 1 max 1024 default 16"), "");
    ck_assert_str_eq(fault_of("name Ponder type check default false"), "");
    ck_assert_str_eq(fault_of("name Style type combo default Very Wild var Very Wild var Shy"), "");
    ck_assert_str_eq(fault_of("name Clear Hash type button"), "");
    ck_assert_str_eq(fault_of("name Log File type string default"), "");
}
END_TEST

START_TEST(each_fault_is_told) {
    ck_assert_str_eq(fault_of("name"),
                     "'option name' declares no option; expected: option name NAME type TYPE ...");
    ck_assert_str_eq(
        fault_of("name X type number"),
        "'option name X type number' declares no option; expected: option name NAME type TYPE ...");
    ck_assert_str_eq(fault_of("name X type spin default 1"), "X: a spin without min and max");
    ck_assert_str_eq(fault_of("name X type spin default 1 min 0"), "X: a spin without min and max");
    ck_assert_str_eq(fault_of("name X type spin default 1 max 2"), "X: a spin without min and max");
    ck_assert_str_eq(fault_of("name X type spin default 1 min 2 max 1"), "X: min is above max");
    ck_assert_str_eq(fault_of("name X type spin min 1 max 2"), "X: the default is missing");
    ck_assert_str_eq(fault_of("name X type spin default 9 min 1 max 2"),
                     "the default: X=9: out of its range 1 to 2");
    ck_assert_str_eq(fault_of("name X type check default yes"),
                     "the default: X=yes: not true or false");
    ck_assert_str_eq(fault_of("name X type combo default a"), "X: a combo without values (var)");
    ck_assert_str_eq(fault_of("name X type combo default a var b var c"),
                     "the default: X=a: not one of its values: b, c");
}
END_TEST

START_TEST(a_default_is_read_up_to_the_next_attribute) {
    ck_assert_str_eq(default_of("name Hash type spin default 16 min 1 max 1024"), "16");
    ck_assert_str_eq(default_of("name S type combo default Very Wild var Very Wild var Shy"),
                     "Very Wild");
    ck_assert_str_eq(default_of("name S type combo default Minmax maximal var Minmax maximal"),
                     "Minmax maximal");
    ck_assert_str_eq(default_of("name P type string default /a b/max"), "/a b/max");
    ck_assert_str_eq(default_of("name P type string default"), "");
    ck_assert_str_eq(default_of("name P type string"), "(none)");
    ck_assert_str_eq(default_of("name default type check default true"), "true");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_sound_line_has_no_fault);
    tcase_add_test(tests, each_fault_is_told);
    tcase_add_test(tests, a_default_is_read_up_to_the_next_attribute);
}

int main(void) {
    return run_tests("declaration", add_tests);
}
