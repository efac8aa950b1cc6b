/* SPDX-License-Identifier: MIT */
/* The filter of system calls, as a program. What the filter refuses: test_confine. */
#include <check.h>
#include <stdio.h>

#include "base/linux/filter.h"
#include "runner.h"

/* Every jump lands within the program, which ends with an answer. */
START_TEST(filters_are_whole) {
    struct sock_filter program[FILTER_INSTRUCTIONS_MAX];
    for (unsigned refused = 0; refused < 64; refused++) {
        size_t count = filter_make(refused, 77, program);
        if (count == 0) {
            printf("left out: filters for this architecture\n");
            return;
        }
        ck_assert_uint_le(count, FILTER_INSTRUCTIONS_MAX);
        for (size_t i = 0; i < count; i++)
            if (BPF_CLASS(program[i].code) == BPF_JMP)
                ck_assert_uint_lt(
                    i + 1 + (program[i].jt > program[i].jf ? program[i].jt : program[i].jf), count);
        ck_assert_uint_eq(program[count - 1].code, BPF_RET | BPF_K);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, filters_are_whole);
}

int main(void) {
    return run_tests("filter", add_tests);
}
