/* SPDX-License-Identifier: MIT */
/* The limits of a checkup: how much memory the engine may use. */
#include <check.h>

#include "base/child.h"
#include "base/sandbox.h"
#include "check/examination.h"
#include "runner.h"

/* Hash and Threads of the engine's own may be more than those that are tried. */
START_TEST(the_sandbox_has_room_for_the_engines_own_options) {
    static const char *const ARGV[] = {"/bin/sh", NULL};
    static const MatchOption OPTIONS[] = {{.name = "Hash", .value = "3072"},
                                          {.name = "Threads", .value = "100"}};
    enum { LESS = 16, MORE = 200 };
    Sandbox sandbox = {0};
    Text missing = {0};
    Error err = {0};
    ck_assert_msg(sandbox_open(&sandbox, "auto", &missing, &err), "%s", err.text);
    CheckupSpec spec = {
        .engine = {.name = "engine", .argv = ARGV, .options = OPTIONS, .option_count = 2},
        .sandbox = &sandbox};
    Examination e = {.spec = &spec, .hash_mb = LESS, .threads = LESS};
    MatchEngine match = spec.engine;
    SandboxPolicy policy;
    engine_confine(&match, &sandbox, &policy);
    examine_confine(&e);
    ck_assert_uint_eq(e.policy.resident, policy.resident);
    ck_assert_int_eq(e.policy.settings.processes, policy.settings.processes);
    ck_assert_ptr_eq(e.engine.policy, &e.policy);
    sandbox_policy_free(&e.policy);
    e.threads = MORE;
    examine_confine(&e);
    ck_assert_int_ge(e.policy.settings.processes, policy.settings.processes);
    ck_assert(!policy.on || e.policy.resident > policy.resident);
    sandbox_policy_free(&e.policy);
    sandbox_policy_free(&policy);
    text_free(&missing);
    sandbox_free(&sandbox);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, the_sandbox_has_room_for_the_engines_own_options);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("examination", add_tests);
}
