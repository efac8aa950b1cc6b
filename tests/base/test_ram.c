/* SPDX-License-Identifier: MIT */
/* How much memory there is, as the kernel tells it. */
#include <check.h>
#include <stdlib.h>

#include "base/ram.h"
#include "runner.h"

START_TEST(what_is_available_is_the_kernels_estimate) {
    ck_assert_uint_eq(ram_parse("MemTotal:       24600000 kB\nMemFree:          100 kB\n"
                                "MemAvailable:       2048 kB\nBuffers: 7 kB\n"),
                      2048 << 10);
    ck_assert_uint_eq(ram_parse("MemTotal: 24600000 kB\nMemFree: 100 kB\n"), 0);
    ck_assert_uint_eq(ram_parse(""), 0);
}
END_TEST

START_TEST(a_group_may_have_less) {
    ck_assert_uint_eq(ram_parse_group("1000\n", "400\n"), 600);
    ck_assert_uint_eq(ram_parse_group("1000\n", "1400\n"), 0);
    ck_assert_uint_eq(ram_parse_group("max\n", "400\n"), UINT64_MAX);
    ck_assert_uint_eq(ram_parse_group("", ""), UINT64_MAX);
}
END_TEST

START_TEST(this_machine_has_some) {
    ck_assert_uint_gt(ram_total(), 1 << 20);
    ck_assert_uint_le(ram_available(), ram_total());
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, what_is_available_is_the_kernels_estimate);
    tcase_add_test(tests, a_group_may_have_less);
    tcase_add_test(tests, this_machine_has_some);
}

int main(void) {
    return run_tests("ram", add_tests);
}
