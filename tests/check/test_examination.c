/* SPDX-License-Identifier: MIT */
/* The limits of a checkup: how long the start may take, and how much memory the engine may use. */
#include <check.h>
#include <string.h>
#include <uv.h>

#include "base/child.h"
#include "base/sandbox.h"
#include "check/examination.h"
#include "runner.h"

enum { LONG_MS = 300000, SHORT_MS = 300, SHORTER_MS = 100 };

/* An engine that waits so many seconds before `uciok` and before `readyok`. */
static const char SLOW[] = "while read line; do case $line in uci) sleep $0; echo uciok;; "
                           "isready) sleep $1; echo readyok;; quit) exit;; esac; done";

static Finding check_start(const char *uciok_s, const char *readyok_s, int64_t patience_ms,
                           const MatchDeadlines *deadlines) {
    const char *const argv[] = {"/bin/sh", "-c", SLOW, uciok_s, readyok_s, NULL};
    CheckupSpec spec = {.engine = {.name = "engine", .argv = argv}, .patience_ms = patience_ms};
    Examination e = {.spec = &spec, .engine = spec.engine, .deadlines = *deadlines};
    Finding f = {0};
    ck_assert_int_eq(uv_loop_init(&e.loop), 0);
    check_uci(&e, &f);
    examine_drop(&e);
    ck_assert_int_eq(uv_loop_close(&e.loop), 0);
    return f;
}

START_TEST(the_start_may_take_as_long_as_in_a_match) {
    static const struct {
        const char *uciok_s, *readyok_s;
        int64_t patience_ms, match_uciok_ms, match_readyok_ms;
        CheckOutcome outcome;
        const char *text;
    } CASES[] = {
        {"0.5", "0", SHORTER_MS, LONG_MS, LONG_MS, CHECK_WARNS, "no 'id name'"},
        {"0", "0.5", SHORTER_MS, LONG_MS, LONG_MS, CHECK_WARNS, "no 'id name'"},
        {"600", "0", SHORTER_MS, SHORT_MS, LONG_MS, CHECK_FAILS,
         "no uciok within 0.3 s: is it a UCI engine?"},
        {"0", "600", SHORTER_MS, LONG_MS, SHORT_MS, CHECK_FAILS,
         "a new process: no readyok within 0.3 s"},
        /* The user is more patient than a match. */
        {"0.5", "0", LONG_MS, SHORT_MS, LONG_MS, CHECK_FAILS, " ms: a match waits 0.3 s"},
        {"0", "0.5", LONG_MS, LONG_MS, SHORT_MS, CHECK_FAILS, "readyok after "},
    };
    MatchDeadlines deadlines = {.uciok = CASES[_i].match_uciok_ms,
                                .readyok = CASES[_i].match_readyok_ms};
    Finding f =
        check_start(CASES[_i].uciok_s, CASES[_i].readyok_s, CASES[_i].patience_ms, &deadlines);
    ck_assert_msg(strstr(text_string(&f.text), CASES[_i].text) != NULL, "'%s'",
                  text_string(&f.text));
    ck_assert_int_eq(f.outcome, CASES[_i].outcome);
    text_free(&f.text);
}
END_TEST

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
    tcase_add_loop_test(tests, the_start_may_take_as_long_as_in_a_match, 0, 6);
    tcase_add_test(tests, the_sandbox_has_room_for_the_engines_own_options);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("examination", add_tests);
}
