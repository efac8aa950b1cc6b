/* SPDX-License-Identifier: MIT */
/* The memory that children may occupy. */
#include <check.h>
#include <signal.h>
#include <string.h>

#include "base/resident.h"
#include "place.h"
#include "runner.h"

/* Some engines give the stacks of their threads never back. */
START_TEST(reserved_memory_is_no_matter) {
    Place place;
    char answer[PLACE_ANSWER];
    place_open(&place);
    place_play(&place, "memory:200000", answer);
    ck_assert_msg(text_starts_with(answer, "done"), "%s", answer);
    place_close(&place);
}
END_TEST

START_TEST(occupied_memory_is_limited) {
    enum { LIMIT_MB = 500 };
    static const char *const TRICKS_OF_IT[] = {"trick=occupy:700", "trick=occupy:c700",
                                               "trick=occupy:d700", "trick=occupy:t700"};
    Place place;
    place_open(&place);
    for (size_t i = 0; i < sizeof TRICKS_OF_IT / sizeof *TRICKS_OF_IT; i++) {
        if (strstr(TRICKS_OF_IT[i], ":d") != NULL &&
            left_out_in_emulation("the memory of an orphan", "qemu hands no orphan to its guard"))
            continue;
        const char *argv[] = {place.engine, TRICKS_OF_IT[i], NULL};
        SandboxPolicy policy;
        PlaceHeard heard;
        sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
        policy.resident = (uint64_t)LIMIT_MB << 20;
        place_run(argv, NULL, &policy, PLACE_PLAY, &heard);
        ck_assert_msg(strstr(heard.end.reason, "MB of memory, the sandbox allows 500") != NULL,
                      "%s: %s", TRICKS_OF_IT[i], heard.end.reason);
        ck_assert(!heard.end.killed);
        ck_assert_int_eq(heard.end.signal, SIGKILL);
        text_free(&heard.output);
        sandbox_policy_free(&policy);
    }
    place_close(&place);
}
END_TEST

/* Four processes that share 300 MB occupy no more than that. */
START_TEST(shared_memory_counts_once) {
    Place place;
    place_open(&place);
    const char *argv[] = {place.engine, "trick=share:300", NULL};
    SandboxPolicy policy;
    PlaceHeard heard;
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
    policy.resident = (uint64_t)500 << 20;
    place_run(argv, NULL, &policy, PLACE_PLAY, &heard);
    ck_assert_ptr_nonnull(strstr(text_string(&heard.output), "share:300 done"));
    ck_assert_int_eq(heard.end.signal, 0);
    text_free(&heard.output);
    sandbox_policy_free(&policy);
    place_close(&place);
}
END_TEST

/* A child that may take 100 MB more is looked at when the machine has lost 50 MB, and after nine
 * looks that were left out. */
START_TEST(a_look_is_left_out_while_the_machine_keeps_its_memory) {
    enum { MB = 1 << 20 };
    ResidentWatch watch = {.limit = 300 * MB, .occupied = 200 * MB, .available = 1000 * MB};
    ck_assert(!resident_is_due(&watch, 1000 * MB));
    ck_assert(!resident_is_due(&watch, 1200 * MB));
    ck_assert(!resident_is_due(&watch, 951 * MB));
    ck_assert(resident_is_due(&watch, 950 * MB));
    ck_assert(resident_is_due(&watch, 0));
    watch.left_out = 8;
    ck_assert(!resident_is_due(&watch, 1000 * MB));
    watch.left_out = 9;
    ck_assert(resident_is_due(&watch, 1000 * MB));
    ck_assert(resident_is_due(&(ResidentWatch){.limit = 300 * MB}, 1000 * MB));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, reserved_memory_is_no_matter);
    tcase_add_test(tests, occupied_memory_is_limited);
    tcase_add_test(tests, shared_memory_counts_once);
    tcase_add_test(tests, a_look_is_left_out_while_the_machine_keeps_its_memory);
}

int main(int argc, char **argv) {
    return place_main(argc, argv, "resident", add_tests);
}
