/* SPDX-License-Identifier: MIT */
/* The pure parts of a session: plans, waits, the machine's facts, names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"
#include "openbench/http.h"
#include "base/backoff.h"
#include "base/machine.h"
#include "session/plan.h"
#include "build/source.h"
#include "session/host.h"
#include "session/play.h"
#include "runner.h"
#include "tools/temporary.h"

/* A workload of plain values; the strings are literals. */
static Workload sample(void) {
    return (Workload){.type = WORKLOAD_SPRT,
                      .type_name = "SPRT",
                      .syzygy_wdl = "OPTIONAL",
                      .syzygy_adj = "OPTIONAL",
                      .win_adj = "movecount=3 score=400",
                      .draw_adj = "None",
                      .scale_method = "BASE",
                      .upload_pgns = "FALSE",
                      .scale_nps = 1000000,
                      .book = {.name = "8moves_v3.epd"},
                      .dev = {.options = "Threads=1 Hash=8", .time_control = "8.0+0.08"},
                      .base = {.options = "Threads=1 Hash=8", .time_control = "8.0+0.08"},
                      .book_index = 33,
                      .runner_count = 2,
                      .concurrency_per = 3,
                      .rounds_per_runner = 9};
}

START_TEST(a_plan_plays_exactly_the_openings_of_its_workload) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 500000, .base_nps = 2000000};
    Plan plan;
    Error err = {0};
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    ck_assert_int_eq(plan.first_opening, 32);
    ck_assert_int_eq(plan.pairs, 2 * (9 / 2));
    ck_assert_int_eq(plan.concurrency, 6);
    ck_assert(!plan.chess960);
    ck_assert(!plan.no_reverses);
    ck_assert(plan.resign.on);
    ck_assert(!plan.draw.on);
    plan_free(&plan);
}
END_TEST

START_TEST(data_generation_begins_at_the_first_opening_that_was_made_for_it) {
    PlanFacts facts = {.dev_nps = 500000, .base_nps = 2000000};
    Error err = {0};
    for (int reverses = 0; reverses < 2; reverses++) {
        Workload w = sample();
        Plan plan;
        w.type = WORKLOAD_DATAGEN;
        w.play_reverses = reverses;
        ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
        ck_assert_int_eq(plan.first_opening, 0);
        ck_assert_int_eq(plan.no_reverses, !reverses);
        plan_free(&plan);
    }
}
END_TEST

static const struct {
    const char *method;
    double factor;
    int64_t base_ms, inc_ms;
} scales[] = {
    {"BASE", 0.5, 4000, 40},
    {"DEV", 2.0, 16000, 160},
    {"BOTH", 1.25, 10000, 100},
};

START_TEST(times_of_both_sides_are_scaled_by_the_method) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 500000, .base_nps = 2000000};
    Plan plan;
    Error err = {0};
    w.scale_method = (char *)(uintptr_t)scales[_i].method;
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    ck_assert_double_eq_tol(plan.scale_factor, scales[_i].factor, 1e-12);
    for (int i = 0; i < SIDE_COUNT; i++) {
        ck_assert_int_eq(plan.time_control[i].base_ms, scales[_i].base_ms);
        ck_assert_int_eq(plan.time_control[i].inc_ms, scales[_i].inc_ms);
    }
    plan_free(&plan);
    /* Fixed nodes are not scaled. */
    w.dev.time_control = "N=2000";
    w.base.time_control = "D=8";
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    ck_assert_double_eq(plan.scale_factor, 1);
    ck_assert_int_eq(plan.time_control[SIDE_DEV].nodes, 2000);
    ck_assert(!plan.timed);
    plan_free(&plan);
    w.dev.time_control = "8.0+0.08"; /* One clock is enough. */
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    ck_assert(plan.timed);
    ck_assert_int_eq(plan.time_control[SIDE_DEV].base_ms, scales[_i].base_ms);
    plan_free(&plan);
}
END_TEST

static void expect_refusal(const Workload *w, const PlanFacts *facts, const char *words) {
    Plan plan;
    Error err = {0};
    ck_assert(!plan_make(w, facts, &plan, &err));
    ck_assert_str_eq(err.text, words);
    plan_free(&plan);
}

START_TEST(a_clock_without_a_scale_is_refused) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 500000, .base_nps = 0};
    expect_refusal(
        &w, &facts,
        "no scale for the clock: each speed must be above 0. The server's scale_nps is 1000000; "
        "by their benches dev has 500000 nps and base 0 nps");
    facts.base_nps = 1;
    w.scale_method = "NONE";
    expect_refusal(&w, &facts, "scale_method \"NONE\" is not one of DEV, BASE, BOTH");
}
END_TEST

START_TEST(too_many_games_at_a_time_are_refused) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 1, .base_nps = 1};
    Plan plan;
    Error err = {0};
    w.runner_count = 64;
    w.concurrency_per = 64;
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    ck_assert_int_eq(plan.concurrency, 4096);
    plan_free(&plan);
    w.concurrency_per = 65;
    expect_refusal(&w, &facts, "4160 games at a time are too many");
}
END_TEST

START_TEST(options_are_split_with_their_quotes) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 1, .base_nps = 1};
    Plan plan;
    Error err = {0};
    w.dev.options = "Threads=2 Hash=64 \"Eval File=a b.nnue\" X=a=b";
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    ck_assert_int_eq(plan.options[SIDE_DEV].count, 4);
    ck_assert_str_eq(plan.options[SIDE_DEV].options[2].name, "Eval File");
    ck_assert_str_eq(plan.options[SIDE_DEV].options[2].value, "a b.nnue");
    ck_assert_str_eq(plan.options[SIDE_DEV].options[3].value, "a=b");
    ck_assert_int_eq(plan.options[SIDE_BASE].count, 2);
    plan_free(&plan);
    w.dev.options = "\"Threads=1";
    ck_assert(!plan_make(&w, &facts, &plan, &err));
    plan_free(&plan);
}
END_TEST

static const struct {
    const char *wdl, *adj;
    int available;
    bool ok;
    const char *options[4]; /* of each engine, more than its own two: names and values */
    int men;
} tables[] = {
    {"OPTIONAL", "OPTIONAL", 0, true, {NULL}, 0},
    {"OPTIONAL", "OPTIONAL", 5, true, {"SyzygyPath", "/tb"}, 5},
    {"DISABLED", "DISABLED", 5, true, {NULL}, 0},
    {"DISABLED", "OPTIONAL", 5, true, {NULL}, 5},
    {"OPTIONAL", "DISABLED", 5, true, {"SyzygyPath", "/tb"}, 0},
    {"4-MAN", "3-MAN", 5, true, {"SyzygyPath", "/tb", "SyzygyProbeLimit", "4"}, 3},
    {"5-MAN", "5-MAN", 5, true, {"SyzygyPath", "/tb", "SyzygyProbeLimit", "5"}, 5},
    {"6-MAN", "OPTIONAL", 5, false, {NULL}, 0},
    {"OPTIONAL", "6-MAN", 5, false, {NULL}, 0},
    {"SOME", "OPTIONAL", 5, false, {NULL}, 0},
};

/* The options behind an engine's own two. */
static void expect_more_options(const PlanOptions *options, const char *const wanted[4]) {
    int count = wanted[0] == NULL ? 0 : wanted[2] == NULL ? 1 : 2;
    ck_assert_int_eq(options->count, 2 + count);
    for (int i = 0; i < count; i++) {
        ck_assert_str_eq(options->options[2 + i].name, wanted[2 * i]);
        ck_assert_str_eq(options->options[2 + i].value, wanted[2 * i + 1]);
        ck_assert(options->options[2 + i].optional);
    }
}

START_TEST(tables_are_used_as_the_workload_says) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 1,
                       .base_nps = 1,
                       .syzygy_path = tables[_i].available ? "/tb" : NULL,
                       .syzygy_max = tables[_i].available};
    Plan plan;
    Error err = {0};
    w.syzygy_wdl = (char *)(uintptr_t)tables[_i].wdl;
    w.syzygy_adj = (char *)(uintptr_t)tables[_i].adj;
    ck_assert_msg(plan_make(&w, &facts, &plan, &err) == tables[_i].ok, "%s", err.text);
    if (tables[_i].ok) {
        expect_more_options(&plan.options[SIDE_DEV], tables[_i].options);
        expect_more_options(&plan.options[SIDE_BASE], tables[_i].options);
        ck_assert_int_eq(plan.syzygy_adj_men, tables[_i].men);
    } else {
        ck_assert(err.text[0] != '\0');
    }
    plan_free(&plan);
}
END_TEST

START_TEST(an_engine_may_lack_what_every_test_asks_for) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 1, .base_nps = 1};
    Plan plan;
    Error err = {0};
    w.dev.options = (char *)"Threads=1 hash=8 Contempt=5";
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    const PlanOptions *dev = &plan.options[SIDE_DEV];
    ck_assert_int_eq(dev->count, 3);
    ck_assert(dev->options[0].optional && dev->options[1].optional);
    ck_assert(!dev->options[2].optional);
    plan_free(&plan);
}
END_TEST

START_TEST(spsa_values_belong_to_runners_and_flips_turn_deltas) {
    double dev[] = {900, 2.6645579514683044};
    double base[] = {600.5, -0.002};
    int64_t flip[] = {1, -1};
    WorkloadParameter parameter = {
        .name = "P", .dev = {dev, 2}, .base = {base, 2}, .flip = {flip, 2}, .c = 4, .r = 0.125};
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 1, .base_nps = 1};
    Plan plan;
    Error err = {0};
    w.type = WORKLOAD_SPSA;
    w.spsa = &parameter;
    w.spsa_count = 1;
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    ck_assert_str_eq(plan.spsa[SIDE_DEV][0].value, "900");
    ck_assert_str_eq(plan.spsa[SIDE_DEV][1].value, "2.6645579514683044");
    ck_assert_str_eq(plan.spsa[SIDE_BASE][0].value, "600.5");
    ck_assert_str_eq(plan.spsa[SIDE_BASE][1].value, "-0.002");
    ck_assert_str_eq(plan.spsa[SIDE_BASE][1].name, "P");
    ck_assert_int_eq(plan_runner(&plan, 3), 0);
    ck_assert_int_eq(plan_runner(&plan, 4), 1);
    double delta = 0;
    plan_spsa_add(&w, 0, 2, 0, &delta);
    ck_assert_double_eq(delta, 1);
    plan_spsa_add(&w, 1, 2, 1, &delta);
    ck_assert_double_eq(delta, 0.5);
    plan_spsa_add(&w, 1, 0, 1, &delta);
    ck_assert_double_eq(delta, 1);
    plan_free(&plan);
}
END_TEST

START_TEST(chess960_is_in_the_books_name) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 1, .base_nps = 1};
    Plan plan;
    Error err = {0};
    w.book.name = "3moves_frc.epd";
    ck_assert(plan_make(&w, &facts, &plan, &err));
    ck_assert(plan.chess960);
    plan_free(&plan);
}
END_TEST

START_TEST(waits_double_up_to_a_limit_and_vary) {
    Backoff backoff = {.first_ms = 1000, .max_ms = 8000};
    static const int64_t middle[] = {1000, 2000, 4000, 8000, 8000, 8000};
    for (size_t i = 0; i < COUNT(middle); i++) {
        Backoff least = backoff;
        Backoff most = backoff;
        ck_assert_int_eq(backoff_next(&least, 0), middle[i] * 3 / 4);
        ck_assert_int_eq(backoff_next(&most, (uint64_t)middle[i] / 2), middle[i] * 5 / 4);
        backoff = least;
    }
    backoff_reset(&backoff);
    ck_assert_int_eq(backoff_next(&backoff, 0), 750);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_le(backoff_next(&backoff, (uint64_t)i * 7919), 10000);
}
END_TEST

START_TEST(the_waits_are_those_of_the_protocol) {
    SessionWaits waits = {.retry_first = 7};
    session_default_waits(&waits);
    ck_assert_int_eq(waits.retry_first, 7);
    ck_assert_int_eq(waits.retry_max, 60000);
    ck_assert_int_eq(waits.idle, 60000);
    /* The server thinks a machine gone after two minutes. */
    ck_assert_int_eq(waits.report, 30000);
    ck_assert_int_ge(waits.verify, 60000);
    ck_assert_int_eq(waits.bench_timeout, 60000);
    ck_assert_int_eq(waits.genfens_timeout, 15000);
    ck_assert_int_eq(waits.stall, 60000);
    ck_assert_int_eq(HTTP_TIMEOUT_MS, 30000);
}
END_TEST

static const struct {
    const char *time_control;
    int64_t nps;
    int64_t deadline_ms;
} searches[] = {
    {"N=2000", 1000000, 60000},          /* a minute at least */
    {"N=3000000", 1000000, 60000},       /* twenty times the expected time */
    {"N=10000000", 1000000, 200000},     /* the same, above a minute */
    {"N=10000000", 0, 60000},            /* the speed is not known */
    {"N=10000000", 1, 3600 * 20 * 1000}, /* an hour is the longest expected time */
    {"8.0+0.08", 1, 60000},              /* no fixed number of nodes */
};

START_TEST(a_match_has_the_margin_and_the_deadlines_of_the_protocol) {
    Workload w = sample();
    PlanFacts facts = {.dev_nps = 1000000, .base_nps = 1000000};
    Prepared prepared = {.engines = {{.nps = 1000000}, {.nps = 1000000}}};
    Host host = {0};
    Plan plan;
    Error err = {0};
    Side slow = _i % 2 ? SIDE_BASE : SIDE_DEV;
    (slow == SIDE_DEV ? &w.dev : &w.base)->time_control =
        (char *)(uintptr_t)searches[_i / 2].time_control;
    prepared.engines[slow].nps = searches[_i / 2].nps;
    session_default_waits(&host.config.waits);
    ck_assert_msg(plan_make(&w, &facts, &plan, &err), "%s", err.text);
    Play play = {.spec = {.host = &host, .workload = &w, .prepared = &prepared, .plan = &plan}};
    MatchConfig config = play_configure(&play);
    ck_assert_int_eq(config.engines[SIDE_DEV].margin_ms, 250);
    ck_assert_int_eq(config.engines[SIDE_BASE].margin_ms, 250);
    ck_assert_int_eq(config.deadlines.nodes, searches[_i / 2].deadline_ms);
    play_free(&play);
    plan_free(&plan);
}
END_TEST

START_TEST(cpu_facts_are_read_as_servers_name_them) {
    static const char cpuinfo[] =
        "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz \nphysical id\t: 0\ncore id\t\t: 0\n"
        "flags\t\t: fpu sse4_1 sse4_2 avx512_vnni popcnt\n\n"
        "processor\t: 1\nmodel name\t: Other\nphysical id\t: 0\ncore id\t\t: 0\n"
        "flags\t\t: fpu\n\n"
        "processor\t: 2\nphysical id\t: 0\ncore id\t\t: 1\n\n"
        "processor\t: 3\nphysical id\t: 1\ncore id\t\t: 0\n";
    Machine machine = {0};
    machine_parse_cpuinfo(cpuinfo, &machine);
    ck_assert_str_eq(machine.cpu_name, "Some CPU @ 3 GHz");
    ck_assert_int_eq(machine.physical_cores, 3);
    ck_assert_uint_eq(machine.cpu_flags.count, 5);
    ck_assert_str_eq(machine.cpu_flags.items[1], "SSE41");
    ck_assert_str_eq(machine.cpu_flags.items[3], "AVX512VNNI");
    machine_free(&machine);
    /* An ARM. */
    machine_parse_cpuinfo(
        "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes crc32 atomics "
        "asimdhp "
        "asimddp sve2-aes\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n\n"
        "processor\t: 1\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n",
        &machine);
    ck_assert_uint_eq(machine.cpu_flags.count, 9);
    ck_assert_str_eq(machine.cpu_flags.items[1], "ASIMD");
    ck_assert_str_eq(machine.cpu_flags.items[7], "ASIMDDP");
    ck_assert_ptr_null(machine.cpu_name);
    ck_assert_int_eq(machine.physical_cores, 0); /* The text does not tell cores apart. */
    machine_free(&machine);
    machine_parse_cpuinfo("garbage\n:\n:::\nflags", &machine);
    ck_assert_uint_eq(machine.cpu_flags.count, 0);
    machine_free(&machine);
    machine_read(&machine);
    ck_assert_int_ge(machine.logical_cores, machine.physical_cores);
    ck_assert_int_ge(machine.physical_cores, 1);
    ck_assert_int_gt(machine.ram_total_mb, 0);
    ck_assert_str_ne(machine.cpu_name, "");
    ck_assert_str_eq(machine.os_name, "Linux");
    machine_free(&machine);
}
END_TEST

START_TEST(the_machines_number_is_kept) {
    char folder[TEMPORARY_SIZE];
    char first[MACHINE_MAC_MAX];
    char second[MACHINE_MAC_MAX];
    Error err = {0};
    temporary_folder(folder, sizeof folder, "rd-plan");
    ck_assert_msg(machine_mac(folder, first, &err), "%s", err.text);
    ck_assert_msg(machine_mac(folder, second, &err), "%s", err.text);
    ck_assert_str_eq(first, second);
    ck_assert_uint_le(strtoull(first, NULL, 16), 0xFFFFFFFFFFFF);
    ck_assert(tree_remove(folder, NULL));
    /* Another folder has another: it is drawn, not the machine's. */
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_msg(machine_mac(folder, second, &err), "%s", err.text);
    ck_assert_str_ne(first, second);
    ck_assert(tree_remove(folder, NULL));
    ck_assert(!machine_mac(folder, first, &err));
}
END_TEST

static const struct {
    const char *given, *safe;
} names[] = {
    {"Weiss-AAAAAAAA", "Weiss-AAAAAAAA"},
    {"../../etc/passwd", "_._.._etc_passwd"},
    {"-rf *", "_rf__"},
    {".hidden", "_hidden"},
    {"a b;c", "a_b_c"},
    {"", ""},
};

START_TEST(names_of_servers_are_no_paths) {
    char safe[64];
    source_safe_name(names[_i].given, safe, sizeof safe);
    ck_assert_str_eq(safe, names[_i].safe);
    source_safe_name("0123456789", safe, 5);
    ck_assert_str_eq(safe, "0123");
}
END_TEST

START_TEST(folders_of_servers_stay_in_their_tree) {
    ck_assert(source_path_stays("src"));
    ck_assert(source_path_stays("./a/b/"));
    ck_assert(source_path_stays(""));
    ck_assert(source_path_stays("a..b/..c"));
    ck_assert(source_path_stays("/src/"));
    ck_assert(!source_path_stays("/../src"));
    ck_assert(!source_path_stays("\\src"));
    ck_assert(!source_path_stays(".."));
    ck_assert(!source_path_stays("a/../../b"));
    ck_assert(!source_path_stays("a\nb"));
    ck_assert(!source_path_stays("a\\..\\b"));
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, a_plan_plays_exactly_the_openings_of_its_workload);
    tcase_add_test(tc, data_generation_begins_at_the_first_opening_that_was_made_for_it);
    tcase_add_loop_test(tc, times_of_both_sides_are_scaled_by_the_method, 0, COUNT(scales));
    tcase_add_test(tc, a_clock_without_a_scale_is_refused);
    tcase_add_test(tc, too_many_games_at_a_time_are_refused);
    tcase_add_test(tc, options_are_split_with_their_quotes);
    tcase_add_loop_test(tc, tables_are_used_as_the_workload_says, 0, COUNT(tables));
    tcase_add_test(tc, an_engine_may_lack_what_every_test_asks_for);
    tcase_add_test(tc, spsa_values_belong_to_runners_and_flips_turn_deltas);
    tcase_add_test(tc, chess960_is_in_the_books_name);
    tcase_add_test(tc, waits_double_up_to_a_limit_and_vary);
    tcase_add_test(tc, the_waits_are_those_of_the_protocol);
    tcase_add_loop_test(tc, a_match_has_the_margin_and_the_deadlines_of_the_protocol, 0,
                        2 * COUNT(searches));
    tcase_add_test(tc, cpu_facts_are_read_as_servers_name_them);
    tcase_add_test(tc, the_machines_number_is_kept);
    tcase_add_loop_test(tc, names_of_servers_are_no_paths, 0, COUNT(names));
    tcase_add_test(tc, folders_of_servers_stay_in_their_tree);
}

int main(void) {
    return run_tests("plan", add_tests);
}
