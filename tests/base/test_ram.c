/* SPDX-License-Identifier: MIT */
/* How much memory there is. */
#include <check.h>
#include <stdlib.h>

#include "base/ram.h"
#include "runner.h"

START_TEST(this_machine_has_some) {
    ck_assert_uint_gt(ram_total(), 1 << 20);
    ck_assert_uint_gt(ram_available(), 1 << 20);
    ck_assert_uint_le(ram_available(), ram_total());
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, this_machine_has_some);
}

int main(void) {
    return run_tests("ram", add_tests);
}
