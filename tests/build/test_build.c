/* SPDX-License-Identifier: MIT */
/* Toolchains, benches, builds, and variants of our own engine. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cputime.h"
#include "base/memory.h"
#include "build/bench.h"
#include "build/build.h"
#include "build/genfens.h"
#include "build/run.h"
#include "build/toolchain.h"
#include "base/tree.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

enum { TIMEOUT_S = 300, PATH_SIZE = 256 };

static char folder[PATH_SIZE];

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-build");
}

static void teardown(void) {
    ck_assert(tree_remove(folder, NULL));
}

static char *write_file(const char *name, const char *text, mode_t mode) {
    char *path = text_format("%s/%s", folder, name);
    put_bytes(path, text, strlen(text), mode);
    return path;
}

/* ---- Pure parts ---- */

static const struct {
    const char *output;
    bool found;
    int64_t nodes, nps;
} benches[] = {
    {"info\n1234567 nodes 890123 nps\n", true, 1234567, 890123},
    {"Nodes searched  : 4242\nNodes/second    : 99000\n", true, 4242, 99000},
    {"nps 5\nnodes: 77\n", true, 77, 5},
    {"NODES 12\nTime 3\nNPS: 4", true, 12, 4},
    {"1 nodes 2 nps\n3 nodes 4 nps\n\n", true, 3, 4}, /* the last line counts */
    {"OVERALL: 4322044 nodes 1200000 nps\r\n", true, 4322044, 1200000},
    {"4242 nodes\n", false, 0, 0},
    {"nodes nps\n", false, 0, 0},
    {"", false, 0, 0},
    {"99999999999999999999 nodes\n5 nps\n", false, 0, 0},
    {"node 5 nodess 7 nps 8\n", false, 0, 0},
    {"5 nodes\n9223372036854775807 nps\n", false, 0, 0}, /* the sum of two would not fit */
};

START_TEST(a_bench_is_read_from_the_last_line_up) {
    int64_t nodes = 0;
    int64_t nps = 0;
    bool found = bench_parse(benches[_i].output, &nodes, &nps);
    ck_assert_msg(found == benches[_i].found, "%s: %d", benches[_i].output, found);
    if (found) {
        ck_assert_int_eq(nodes, benches[_i].nodes);
        ck_assert_int_eq(nps, benches[_i].nps);
    }
}
END_TEST

static const struct {
    const char *wish, *name, *minimum;
} wishes[] = {
    {"gcc", "gcc", ""},       {"clang++>=14.0.0", "clang++", "14.0.0"},
    {"gcc >= 9", "gcc", "9"}, {"", NULL, NULL},
    {"-rf", NULL, NULL},      {"../gcc", NULL, NULL},
    {"gcc;rm", NULL, NULL},   {"gcc>=x", NULL, NULL},
};

START_TEST(a_compilers_entry_is_a_name_and_a_minimum) {
    CompilerWish wish;
    Error err = {0};
    bool ok = toolchain_parse_wish(wishes[_i].wish, &wish, &err);
    ck_assert_msg(ok == (wishes[_i].name != NULL), "%s: %d", wishes[_i].wish, ok);
    if (ok) {
        ck_assert_str_eq(wish.name, wishes[_i].name);
        ck_assert_str_eq(wish.minimum, wishes[_i].minimum);
    }
}
END_TEST

static const struct {
    const char *output, *version;
} versions[] = {
    {"gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", "12.2.0"},
    {"Debian clang version 14.0.6", "14.0.6"},
    {"cargo 1.75 (1d8b05cdd 2023-11-20)", "1.75"},
    {"go version go1.21.5 linux/amd64", "1.21.5"},
    {"no version 7 here", ""},
};

START_TEST(a_version_is_the_first_number_with_dots) {
    char version[TOOLCHAIN_VERSION_MAX];
    bool found = toolchain_parse_version(versions[_i].output, version);
    ck_assert_int_eq(found, versions[_i].version[0] != '\0');
    ck_assert_str_eq(version, versions[_i].version);
}
END_TEST

START_TEST(versions_are_compared_number_by_number) {
    ck_assert(toolchain_at_least("12.2.0", "9.0.0"));
    ck_assert(toolchain_at_least("12.2", "12.2.0"));
    ck_assert(toolchain_at_least("1.2.3", ""));
    ck_assert(!toolchain_at_least("9.9.9", "10"));
    ck_assert(!toolchain_at_least("12.1.9", "12.2.0"));
}
END_TEST

/* The tools of a machine, and an engine's list: what of it is chosen, NULL: nothing. */
static const struct {
    const char *wishes[4], *chosen;
} choices[] = {
    {{"gcc", "clang"}, "gcc"},
    {{"clang", "gcc"}, "clang"},
    {{"gcc>=13.0.0", "clang>=14.0.6"}, "clang"},
    {{"gcc>=12.2.0"}, "gcc"},
    {{"gcc>=12.2.1"}, NULL},
    {{"g++>=7.1", "clang++"}, "clang++"},
    {{"rm -rf", "cargo>=1.75"}, "cargo"},
    {{"silent", "nowhere"}, NULL},
};

START_TEST(the_first_compiler_that_is_here_and_new_enough_is_chosen) {
    Tool tools[] = {{"cargo", "1.75"}, {"clang", "14.0.6"}, {"clang++", "14.0.6"},
                    {"gcc", "12.2.0"}, {"g++", "6.3.0"},    {"silent", ""}};
    Toolchain toolchain = {.tools = tools, .count = COUNT(tools)};
    Words list = {0};
    for (int i = 0; i < 4 && choices[_i].wishes[i]; i++)
        words_add(&list, choices[_i].wishes[i]);
    const Tool *tool = toolchain_choose(&toolchain, &list);
    ck_assert_msg((tool != NULL) == (choices[_i].chosen != NULL), "%s",
                  tool ? tool->name : "nothing is chosen");
    if (tool)
        ck_assert_str_eq(tool->name, choices[_i].chosen);
    words_free(&list);
}
END_TEST

#define BULLDOZER(n) "#define __AVX2__ 1\n#define __BMI2__ 1\n#define __bdver" #n "__ 1\n"
#define VNNI512                                                                                    \
    "#define __AVX512F__ 1\n#define __AVX512BW__ 1\n#define __AVX512VNNI__ 1\n"                    \
    "#define __AVX512DQ__ 1\n#define __AVX512VL__ 1\n"
#define ICE_LAKE                                                                                   \
    VNNI512 "#define __AVX512CD__ 1\n#define __AVX512IFMA__ 1\n#define __AVX512VBMI__ 1\n"         \
            "#define __AVX512VBMI2__ 1\n#define __AVX512VPOPCNTDQ__ 1\n"                           \
            "#define __AVX512BITALG__ 1\n#define __VPCLMULQDQ__ 1\n#define __GFNI__ 1\n"

static const struct {
    const char *macros, *name;
} isas[] = {
    {"#define __x86_64__ 1\n", "x86-64"},
    {"#define __x86_64__ 1\n#define __SSE3__ 1\n#define __POPCNT__ 1\n", "x86-64-sse3-popcnt"},
    {"#define __SSSE3__ 1\n#define __SSE3__ 1\n#define __x86_64__ 1\n", "x86-64-ssse3"},
    {"#define __SSE4_1__ 1\n#define __POPCNT__ 1\n", "x86-64-sse41-popcnt"},
    {"#define __AVX2__ 1\n#define __SSE4_1__ 1\n", "x86-64-avx2"},
    {"#define __AVX2__ 1\n#define __BMI2__ 1\n", "x86-64-bmi2"},
    {"#define __AVX2__ 1\n#define __BMI2__ 1\n#define __znver2__ 1\n", "x86-64-avx2"},
    {"#define __BMI2__ 1\n#define __znver3__ 1\n", "x86-64-bmi2"},
    {"#define __AVXVNNI__ 1\n#define __BMI2__ 1\n", "x86-64-avxvnni"},
    {"#define __AVX512F__ 1\n#define __AVX512BW__ 1\n", "x86-64-avx512"},
    {"#define __AVX512F__ 1\n#define __BMI2__ 1\n", "x86-64-bmi2"},
    {"#define __AVX512F__ 1\n#define __AVX512BW__ 1\n#define __AVXVNNI__ 1\n", "x86-64-avx512"},
    {VNNI512, "x86-64-vnni512"},
    {ICE_LAKE, "x86-64-vnni512"},
    {ICE_LAKE "#define __VAES__ 1\n", "x86-64-avx512icl"},
    {"#define __BMI2__ 1\n#define __AVX2__ 1\n#define __znver1__ 1\n", "x86-64-avx2"},
    {BULLDOZER(1), "x86-64-avx2"},
    {BULLDOZER(2), "x86-64-avx2"},
    {BULLDOZER(3), "x86-64-avx2"},
    {BULLDOZER(4), "x86-64-avx2"},
    {"#define __x86_64__ 1\n#define __SSE4_1__ 1\n", "x86-64"},
    {"#define __x86_64__ 1\n#define __SSE3__ 1\n", "x86-64"},
    {"#define __aarch64__ 1\n#define __ARM_FEATURE_DOTPROD 1\n", "armv8-dotprod"},
    {"#define __arm__ 1\n#define __ARM_FEATURE_DOTPROD 1\n", "armv8-dotprod"},
    {"#define __aarch64__ 1\n", "armv8"},
    {"#define __arm__ 1\n#define __ARM_NEON 1\n", "armv7-neon"},
    {"#define __arm__ 1\n", "armv7"},
    {"#define __i386__ 1\n", "general-32"},
    {"#define __riscv 1\n", "Unknown"},
    {"", "Unknown"},
};

START_TEST(the_instruction_set_is_named_by_the_macros) {
    ck_assert_str_eq(toolchain_isa_name(isas[_i].macros), isas[_i].name);
}
END_TEST

/* ---- Children ---- */

typedef struct {
    bool done;
    bool ok;
    BenchVerdict verdict;
    int64_t nodes, nps;
    char text[2000];
} Seen;

static void on_probed(const Error *fault, void *user) {
    Seen *seen = user;
    seen->done = true;
    snprintf(seen->text, sizeof seen->text, "%s", fault ? fault->text : "");
}

START_TEST(tools_are_asked_for_their_versions) {
    char *none = write_file("silent", "#!/bin/sh\nexit 0\n", 0755);
    /* Each answers to one of the four words alone, and with a failure, which tells nothing, to the
     * others. */
    static const char *const words[] = {"--version", "version", "-v", "-version"};
    char *odd[COUNT(words)];
    for (size_t i = 0; i < COUNT(words); i++) {
        char name[16];
        char script[80];
        snprintf(name, sizeof name, "odd%zu", i);
        snprintf(script, sizeof script,
                 "#!/bin/sh\n[ \"$1\" = %s ] && exec echo odd 3.4.%zu\necho 9.9\nexit 2\n",
                 words[i], i);
        odd[i] = write_file(name, script, 0755);
    }
    const char *names[] = {"make", "no-such-compiler", none, odd[0], odd[1], odd[2], odd[3],
                           "make"};
    uv_loop_t loop;
    Toolchain toolchain = {0};
    Seen seen = {0};
    uv_loop_init(&loop);
    toolchain_probe(&loop, &toolchain, NULL, names, COUNT(names), on_probed, &seen);
    ck_assert(!seen.done);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(seen.done);
    ck_assert_uint_eq(toolchain.count, 7);
    ck_assert(toolchain_version(&toolchain, "make")[0] != '\0');
    ck_assert_str_eq(toolchain_version(&toolchain, "no-such-compiler"), "");
    ck_assert_str_eq(toolchain_version(&toolchain, none), "");
    for (size_t i = 0; i < COUNT(words); i++) {
        char version[16];
        snprintf(version, sizeof version, "3.4.%zu", i);
        ck_assert_str_eq(toolchain_version(&toolchain, odd[i]), version);
    }
    ck_assert_ptr_null(toolchain_version(&toolchain, "never-asked"));
    ck_assert_ptr_nonnull(toolchain.isa_name);
    /* What was missing is asked again, and what is known is not. */
    free(write_file("silent", "#!/bin/sh\necho 5.6\n", 0755));
    free(write_file("odd0", "#!/bin/sh\nexit 1\n", 0755));
    toolchain_probe(&loop, &toolchain, NULL, names, COUNT(names), on_probed, &seen);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(toolchain.count, 7);
    ck_assert_str_eq(toolchain_version(&toolchain, none), "5.6");
    ck_assert_str_eq(toolchain_version(&toolchain, odd[0]), "3.4.0");
    ck_assert_str_eq(seen.text, "");
    for (size_t i = 0; i < COUNT(words); i++)
        free(odd[i]);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    toolchain_free(&toolchain);
    free(none);
}
END_TEST

/* Where this process may open no more pipes. */
START_TEST(a_tool_that_cannot_be_started_now_is_not_missing) {
    const char *const names[] = {"no-such-compiler", "make"};
    struct rlimit all;
    uv_loop_t loop;
    Toolchain toolchain = {0};
    Seen seen = {0};
    uv_loop_init(&loop);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
    struct rlimit few = {.rlim_cur = 4, .rlim_max = all.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    toolchain_probe(&loop, &toolchain, NULL, names, COUNT(names), on_probed, &seen);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
    ck_assert(seen.done);
    ck_assert_msg(strstr(seen.text, "too many open files") != NULL, "said: %s", seen.text);
    ck_assert_ptr_null(toolchain_version(&toolchain, "make"));
    ck_assert_ptr_null(toolchain.isa_name);
    toolchain_probe(&loop, &toolchain, NULL, names, COUNT(names), on_probed, &seen);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(seen.text, "");
    ck_assert_str_ne(toolchain_version(&toolchain, "make"), "");
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    toolchain_free(&toolchain);
}
END_TEST

static void on_bench(const BenchResult *result, void *user) {
    Seen *seen = user;
    seen->done = true;
    seen->verdict = result->verdict;
    seen->nodes = result->nodes;
    seen->nps = result->nps;
}

static const struct {
    const char *script;
    BenchVerdict verdict;
    int64_t nodes;
} verdicts[] = {
    {"echo 4242 nodes 1000 nps", BENCH_OK, 4242},
    {"echo 4243 nodes 1000 nps", BENCH_WRONG, 4243},
    {"mkdir \"$0.d\" 2>/dev/null && echo 4242 nodes 7 nps || echo 1 nodes 7 nps",
     BENCH_NONDETERMINISTIC, -1},
    {"exit 3", BENCH_FAILED, -1},
    {"echo 4242 nodes 1000 nps; exit 3", BENCH_OK, 4242},
    {"echo 4242 nodes 1000 nps; kill -SEGV $$", BENCH_OK, 4242},
    {"echo 4243 nodes 1000 nps; exit 3", BENCH_FAILED, -1}, /* It may have been cut short. */
    {"echo 4242 nodes 1000 nps; exec sleep 100", BENCH_TIMEOUT, -1},
    {"echo hello", BENCH_FAILED, -1},
    {"kill -SEGV $$", BENCH_FAILED, -1},
    {"sleep 100", BENCH_TIMEOUT, -1},
};

START_TEST(a_bench_is_judged_over_all_its_copies) {
    char script[400];
    snprintf(script, sizeof script, "#!/bin/sh\n[ \"$1\" = bench ] || exit 9\n%s\n",
             verdicts[_i].script);
    char *binary = write_file("engine", script, 0755);
    uv_loop_t loop;
    Seen seen = {0};
    uv_loop_init(&loop);
    BenchSpec spec = {.binary = binary, .copies = 3, .expected = 4242};
    spec.timeout_ms = verdicts[_i].verdict == BENCH_TIMEOUT ? 300 : 60000;
    bench_start(&loop, &spec, on_bench, &seen);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(seen.done);
    ck_assert_int_eq(seen.verdict, verdicts[_i].verdict);
    if (verdicts[_i].nodes >= 0)
        ck_assert_int_eq(seen.nodes, verdicts[_i].nodes);
    if (seen.verdict == BENCH_OK)
        ck_assert_int_eq(seen.nps, 1000);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free(binary);
}
END_TEST

/* Where this process may open no more pipes. */
START_TEST(a_bench_without_a_process_is_not_the_engines_fault) {
    char *binary = write_file("engine", "#!/bin/sh\necho 4242 nodes 1000 nps\n", 0755);
    struct rlimit all;
    uv_loop_t loop;
    Seen seen = {0};
    uv_loop_init(&loop);
    const BenchSpec spec = {.binary = binary, .copies = 3, .expected = 4242};
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
    struct rlimit few = {.rlim_cur = 4, .rlim_max = all.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    bench_start(&loop, &spec, on_bench, &seen);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(seen.done);
    ck_assert_int_eq(seen.verdict, BENCH_UNSTARTED);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free(binary);
}
END_TEST

/* Keeps the loop from running until its only child has ended, and longer than that child may take:
 * as if this process had been stopped. */
static void stall(void) {
    enum { TOO_LONG_NS = 20000000 };
    siginfo_t info;
    ck_assert_int_eq(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
    nanosleep(&(struct timespec){.tv_nsec = TOO_LONG_NS}, NULL);
}

static void on_run(const RunResult *result, void *user) {
    Seen *seen = user;
    seen->done = true;
    seen->ok = result->ok;
    snprintf(seen->text, sizeof seen->text, "%s\n%s", result->reason, result->output);
}

START_TEST(a_command_that_ended_while_this_process_was_stopped_is_not_late) {
    const RunSpec spec = {.argv = (const char *const[]){"echo", "said", NULL}, .timeout_ms = 1};
    uv_loop_t loop;
    Seen seen = {0};
    Error err = {0};
    uv_loop_init(&loop);
    ck_assert_msg(run_start(&loop, &spec, on_run, &seen, &err) != NULL, "%s", err.text);
    stall();
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(seen.done);
    ck_assert_msg(seen.ok, "%s", seen.text);
    ck_assert_str_eq(seen.text, "exited with status 0\nsaid\n");
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

static void on_openings(const Text *fens, const Error *err, bool unstarted, void *user) {
    Seen *seen = user;
    (void)unstarted;
    seen->done = true;
    seen->ok = fens != NULL;
    snprintf(seen->text, sizeof seen->text, "%s", fens ? text_string(fens) : err->text);
}

/* Asks an engine, which is this script, for two openings of seed 5. This process stalls at the
 * start, so that the engine's lines come late. */
static Seen make_two_openings(const char *script) {
    static const int64_t seed = 5;
    char *binary = write_file("engine", script, 0755);
    const GenfensSpec spec = {.binary = binary,
                              .dir = folder,
                              .args = "",
                              .seeds = &seed,
                              .seed_count = 1,
                              .openings = 2,
                              .at_once = 1,
                              .silence_ms = 1};
    uv_loop_t loop;
    Seen seen = {0};
    uv_loop_init(&loop);
    genfens_start(&loop, &spec, on_openings, &seen);
    stall();
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(seen.done);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free(binary);
    return seen;
}

START_TEST(lines_that_came_while_this_process_was_stopped_are_no_silence) {
    Seen seen = make_two_openings("#!/bin/sh\necho info string genfens one\n"
                                  "echo info string genfens two\n");
    ck_assert_str_eq(seen.text, "one\ntwo\n");
}
END_TEST

/* Seed 6 takes three seconds for its first line, while seed 5 says a line each fifth of a second.
 */
START_TEST(the_silence_of_one_seed_is_none_while_another_speaks) {
    static const int64_t seeds[] = {5, 6};
    char *binary = write_file("engine",
                              "#!/bin/sh\ncase $1 in *'seed 6'*) sleep 3 ;; esac\n"
                              "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do\n"
                              "    echo info string genfens $i\n"
                              "    case $1 in *'seed 5'*) sleep 0.2 ;; esac\ndone\n",
                              0755);
    const GenfensSpec spec = {.binary = binary,
                              .dir = folder,
                              .args = "",
                              .seeds = seeds,
                              .seed_count = COUNT(seeds),
                              .openings = 30,
                              .at_once = COUNT(seeds),
                              .silence_ms = 2500};
    uv_loop_t loop;
    Seen seen = {0};
    uv_loop_init(&loop);
    genfens_start(&loop, &spec, on_openings, &seen);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_msg(seen.ok, "%s", seen.text);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free(binary);
}
END_TEST

/* Stops this process for longer than its children may take, as a container that is paused. The
 * engine answers a moment after the process goes on. Returns the process that does so. */
static pid_t pause_this_process(const char *answer) {
    enum { STOPPED_S = 8 };
    static const struct timespec moment = {.tv_nsec = 500000000};
    pid_t pauser = fork();
    if (pauser != 0)
        return pauser;
    nanosleep(&moment, NULL);
    kill(getppid(), SIGSTOP);
    nanosleep(&(struct timespec){.tv_sec = STOPPED_S}, NULL);
    kill(getppid(), SIGCONT);
    nanosleep(&moment, NULL);
    put_text(answer, "");
    _exit(0);
}

START_TEST(a_pause_of_this_process_is_no_fault_of_an_engine) {
    enum { LIMIT_MS = 6000 };
    static const int64_t seed = 5;
    if (cpu_time_busy() == 0) {
        puts("build: this system does not tell how long a thread has worked: pauses are left out");
        return;
    }
    char *answer = text_format("%s/answer", folder);
    char *script = text_format("#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.1; done\n"
                               "echo info string genfens one\necho 4242 nodes 1000 nps\n",
                               answer);
    char *binary = write_file("engine", script, 0755);
    const GenfensSpec openings = {.binary = binary,
                                  .dir = folder,
                                  .args = "",
                                  .seeds = &seed,
                                  .seed_count = 1,
                                  .openings = 1,
                                  .at_once = 1,
                                  .silence_ms = LIMIT_MS};
    const BenchSpec bench = {
        .binary = binary, .copies = 2, .expected = 4242, .timeout_ms = LIMIT_MS};
    uv_loop_t loop;
    Seen seen = {0};
    uv_loop_init(&loop);
    if (_i)
        genfens_start(&loop, &openings, on_openings, &seen);
    else
        bench_start(&loop, &bench, on_bench, &seen);
    pid_t pauser = pause_this_process(answer);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(seen.done);
    ck_assert_msg(_i ? seen.ok : seen.verdict == BENCH_OK, "%d: %s", (int)seen.verdict, seen.text);
    ck_assert_int_eq(waitpid(pauser, NULL, 0), pauser);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free(binary);
    free(script);
    free(answer);
}
END_TEST

START_TEST(an_engine_that_makes_too_few_openings_is_quoted) {
    Seen seen = make_two_openings("#!/bin/sh\necho info string genfens one\n"
                                  "echo 'plies=\033[2J: a number is wanted' >&2\nexit 1\n");
    ck_assert(!seen.ok);
    ck_assert_str_eq(seen.text, "seed 5: exited with status 1 after 1 of 2 lines: "
                                "plies=\\u001b[2J: a number is wanted");
}
END_TEST

static void on_built(const BuildResult *result, void *user) {
    Seen *seen = user;
    seen->done = true;
    seen->ok = result->ok;
    snprintf(seen->text, sizeof seen->text, "%s\n%.200s\n%.1000s", result->error.text, result->path,
             result->log);
}

static Seen build_with_network(const char *makefile, const char *compiler, const char *evalfile,
                               int timeout_ms) {
    char *path = write_file("Makefile", makefile, 0644);
    uv_loop_t loop;
    Seen seen = {0};
    Error err = {0};
    uv_loop_init(&loop);
    BuildSpec spec = {.dir = folder,
                      .exe = "Engine-AAAAAAAA",
                      .compiler = compiler,
                      .evalfile = evalfile,
                      .jobs = 3,
                      .timeout_ms = timeout_ms};
    ck_assert_msg(build_start(&loop, &spec, on_built, &seen, &err) != NULL, "%s", err.text);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(seen.done);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free(path);
    return seen;
}

static Seen build_with(const char *makefile, const char *compiler, int timeout_ms) {
    return build_with_network(makefile, compiler, "/some/net", timeout_ms);
}

START_TEST(make_is_told_what_the_protocol_says) {
    static const char makefile[] =
        "all:\n\t@echo EXE=$(EXE) CC=$(CC) CXX=$(CXX) NET=$(EVALFILE) SECRET=$(SECRET)\n"
        "\t@echo in $$LC_ALL\n"
        "\t@echo from the $(origin EVALFILE), with $(filter -j%,$(MAKEFLAGS))\n"
        "\t@printf '#!/bin/sh\\n' >$(EXE); chmod 755 $(EXE)\n";
    setenv("SECRET", "password", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    Seen seen = build_with(makefile, "gcc", 0);
    ck_assert_msg(seen.ok, "%s", seen.text);
    ck_assert_msg(strstr(seen.text, "EXE=Engine-AAAAAAAA CC=gcc CXX=g++ NET=/some/net SECRET=\n"),
                  "%s", seen.text);
    ck_assert_msg(strstr(seen.text, "\nin C.UTF-8\n"), "%s", seen.text);
    ck_assert_msg(strstr(seen.text, "\nfrom the command line, with -j"), "%s", seen.text);
    seen = build_with(makefile, "clang++", 0);
    ck_assert_msg(strstr(seen.text, "CC=cc CXX=clang++ "), "%s", seen.text);
    /* These choose their compilers themselves. */
    seen = build_with(makefile, "cargo", 0);
    ck_assert_msg(strstr(seen.text, "CC=cc CXX=g++ "), "%s", seen.text);
    seen = build_with(makefile, "rustc", 0);
    ck_assert_msg(strstr(seen.text, "CC=cc CXX=g++ "), "%s", seen.text);
    seen = build_with(makefile, "go", 0);
    ck_assert_msg(strstr(seen.text, "CC=go CXX=g++ "), "%s", seen.text);
    seen = build_with_network(makefile, "gcc", NULL, 0);
    ck_assert_msg(strstr(seen.text, "\nfrom the undefined, with -j"), "%s", seen.text);
}
END_TEST

/* Games may be played beside it. */
START_TEST(a_build_is_nicer_than_who_asks_for_it) {
    int own = getpriority(PRIO_PROCESS, 0);
    Text wanted = {0};
    Seen seen =
        build_with("all:\n\t@echo niceness $$(nice).; touch $(EXE); chmod 755 $(EXE)\n", "gcc", 0);
    text_addf(&wanted, "niceness %d.", own + 5 > 19 ? 19 : own + 5);
    ck_assert_msg(strstr(seen.text, text_string(&wanted)) != NULL, "wanted %s: %s",
                  text_string(&wanted), seen.text);
    text_free(&wanted);
}
END_TEST

/* Nobody else may become this user by a program that a stranger's Makefile made. */
START_TEST(a_built_program_has_the_usual_mode) {
    struct stat status;
    Seen seen = build_with("all:\n\t@echo '#!/bin/sh' >$(EXE); chmod 6711 $(EXE)\n", "gcc", 0);
    char *path = text_format("%s/Engine-AAAAAAAA", folder);
    ck_assert_msg(seen.ok, "%s", seen.text);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq((int)status.st_mode & 07777, 0755);
    free(path);
}
END_TEST

START_TEST(a_failed_build_says_why) {
    Seen seen = build_with("all:\n\t@echo gcc: error: no; exit 1\n", "gcc", 0);
    ck_assert(!seen.ok);
    ck_assert_msg(strstr(seen.text, "make exited with status 2"), "%s", seen.text);
    ck_assert_msg(strstr(seen.text, "gcc: error: no"), "%s", seen.text);
    seen = build_with("all:\n\t@true\n", "gcc", 0);
    ck_assert(!seen.ok);
    ck_assert_msg(strstr(seen.text, "made no executable"), "%s", seen.text);
    seen = build_with("all:\n\t@sleep 100\n", "gcc", 1000);
    ck_assert(!seen.ok);
    ck_assert_msg(strstr(seen.text, "took more than 1 s"), "%s", seen.text);
}
END_TEST

/* ---- Variants ---- */

/* A tree that builds as ours does, in no time. A path with a blank is two words for make. */
static char *small_engine(void) {
    char *path = write_file(
        "Makefile",
        "all:\n\t@case \"$(LMR)\" in *BAD*) echo 'LMR: unknown row BAD' >&2; "
        "exit 1;; esac; test $(words $(EXE) $(BUILD)) = 2; mkdir -p $(BUILD); sleep 0.2; "
        "printf '#!/bin/sh\\necho %s\\n' '$(LMR)' >$(EXE); chmod 755 $(EXE)\n",
        0644);
    *strrchr(path, '/') = '\0';
    return path;
}

START_TEST(a_variant_is_built_once_and_kept) {
    char *source = small_engine();
    char cache[PATH_SIZE + 8];
    char first[BUILD_PATH_MAX];
    char second[BUILD_PATH_MAX];
    Error err = {0};
    snprintf(cache, sizeof cache, "%s-ca che", folder);
    BuildOptions options = {.source_dir = source, .cache_dir = cache};
    ck_assert_msg(build_variant("KILLER=0,W_PV=-5", &options, first, &err), "%s", err.text);
    ck_assert_msg(build_variant("W_PV=-5 KILLER=0", &options, second, &err), "%s", err.text);
    ck_assert_str_eq(first, second);
    ck_assert_int_eq(count_entries(cache), 1);
    ck_assert_msg(build_variant("", &options, second, &err), "%s", err.text);
    ck_assert_str_ne(first, second);
    ck_assert_int_eq(count_entries(cache), 2);
    /* An empty file, as a power cut may leave it, is built again. */
    ck_assert_int_eq(truncate(second, 0), 0);
    ck_assert_msg(build_variant("", &options, second, &err), "%s", err.text);
    struct stat info;
    ck_assert(stat(second, &info) == 0 && info.st_size > 0);
    ck_assert_int_eq(count_entries(cache), 2);
    /* Other sources make another binary. */
    free(write_file("more.c", "int more;\n", 0644));
    ck_assert_msg(build_variant("", &options, first, &err), "%s", err.text);
    ck_assert_str_ne(first, second);
    ck_assert(tree_remove(cache, NULL));
    free(source);
}
END_TEST

START_TEST(what_a_build_leaves_beside_the_sources_is_no_source) {
    static const char *const LEFT[] = {"main.o",       "reductio",    "reductio-stats",
                                       "reductio.new", "flags_gen.h", ".deps"};
    char *source = small_engine();
    char cache[PATH_SIZE + 8];
    char first[BUILD_PATH_MAX];
    char second[BUILD_PATH_MAX];
    Error err = {0};
    snprintf(cache, sizeof cache, "%s-cache", folder);
    BuildOptions options = {.source_dir = source, .cache_dir = cache};
    ck_assert_msg(build_variant("", &options, first, &err), "%s", err.text);
    for (size_t i = 0; i < COUNT(LEFT); i++) {
        free(write_file(LEFT[i], "left by a build", 0755));
        ck_assert_msg(build_variant("", &options, second, &err), "%s: %s", LEFT[i], err.text);
        ck_assert_msg(strcmp(first, second) == 0, "%s is a source", LEFT[i]);
    }
    ck_assert(tree_remove(cache, NULL));
    free(source);
}
END_TEST

/* A folder that a builder has locked stays: its process lives. */
START_TEST(the_folder_of_a_killed_builder_goes_away) {
    char *source = small_engine();
    char cache[PATH_SIZE + 8];
    char left[PATH_SIZE + 24];
    char held[PATH_SIZE + 24];
    char path[BUILD_PATH_MAX];
    Error err = {0};
    snprintf(cache, sizeof cache, "%s-cache", folder);
    snprintf(left, sizeof left, "%s/.making-killed", cache);
    snprintf(held, sizeof held, "%s/.making-alive", cache);
    ck_assert(mkdir(cache, 0700) == 0 && mkdir(left, 0700) == 0 && mkdir(held, 0700) == 0);
    int lock = open(held, O_RDONLY | O_CLOEXEC);
    ck_assert(lock >= 0 && flock(lock, LOCK_EX) == 0);
    BuildOptions options = {.source_dir = source, .cache_dir = cache};
    ck_assert_msg(build_variant("", &options, path, &err), "%s", err.text);
    ck_assert_int_ne(access(left, F_OK), 0);
    ck_assert_int_eq(access(held, F_OK), 0);
    ck_assert_int_eq(count_entries(cache), 2);
    close(lock);
    ck_assert(tree_remove(cache, NULL));
    free(source);
}
END_TEST

static const struct {
    const char *flags, *line;
} bad_flags[] = {
    {"BAD=1", "LMR: unknown row BAD"},
    {"KILLER=0,KILLER=1", "KILLER is given twice"},
    {"KILLER", "\"KILLER\" is not of the form ROW=VALUE"},
    {"A=$(shell touch /tmp/rd-evil)", "\"A=$(shell\" is not of the form ROW=VALUE"},
};

START_TEST(a_wrong_variant_leaves_one_line_and_nothing_else) {
    char *source = small_engine();
    char cache[PATH_SIZE + 8];
    char path[BUILD_PATH_MAX];
    Error err = {0};
    snprintf(cache, sizeof cache, "%s-cache", folder);
    BuildOptions options = {.source_dir = source, .cache_dir = cache};
    ck_assert(!build_variant(bad_flags[_i].flags, &options, path, &err));
    ck_assert_str_eq(err.text, bad_flags[_i].line);
    ck_assert_int_eq(count_entries(cache), 0);
    ck_assert(tree_remove(cache, NULL));
    free(source);
}
END_TEST

START_TEST(several_processes_may_want_the_same_variant) {
    enum { PROCESSES = 4 };
    char *source = small_engine();
    char cache[PATH_SIZE + 8];
    pid_t pids[PROCESSES];
    snprintf(cache, sizeof cache, "%s-cache", folder);
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            char path[BUILD_PATH_MAX];
            Error err = {0};
            BuildOptions options = {.source_dir = source, .cache_dir = cache};
            _exit(build_variant("A=1", &options, path, &err) && access(path, X_OK) == 0 ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(count_entries(cache), 1);
    ck_assert(tree_remove(cache, NULL));
    free(source);
}
END_TEST

/* The real table's words, from the real sources: nothing is compiled for a row that does not exist.
 */
START_TEST(our_own_engine_refuses_an_unknown_row) {
    char cache[PATH_SIZE + 8];
    char path[BUILD_PATH_MAX];
    Error err = {0};
    snprintf(cache, sizeof cache, "%s-cache", folder);
    BuildOptions options = {.cache_dir = cache};
    ck_assert(!build_variant("NO_SUCH_ROW=1", &options, path, &err));
    ck_assert_msg(strncmp(err.text, "LMR: ", 5) == 0 && strstr(err.text, "NO_SUCH_ROW") != NULL,
                  "%s", err.text);
    ck_assert_int_eq(count_entries(cache), 0);
    ck_assert(tree_remove(cache, NULL));
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    Suite *suite = suite_create("build");
    TCase *pure = tcase_create("pure");
    tcase_add_loop_test(pure, a_bench_is_read_from_the_last_line_up, 0, COUNT(benches));
    tcase_add_loop_test(pure, a_compilers_entry_is_a_name_and_a_minimum, 0, COUNT(wishes));
    tcase_add_loop_test(pure, a_version_is_the_first_number_with_dots, 0, COUNT(versions));
    tcase_add_test(pure, versions_are_compared_number_by_number);
    tcase_add_loop_test(pure, the_first_compiler_that_is_here_and_new_enough_is_chosen, 0,
                        COUNT(choices));
    tcase_add_loop_test(pure, the_instruction_set_is_named_by_the_macros, 0, COUNT(isas));
    suite_add_tcase(suite, pure);
    TCase *children = tcase_create("children");
    tcase_set_timeout(children, TIMEOUT_S);
    tcase_add_checked_fixture(children, setup, teardown);
    tcase_add_test(children, tools_are_asked_for_their_versions);
    tcase_add_test(children, a_tool_that_cannot_be_started_now_is_not_missing);
    tcase_add_loop_test(children, a_bench_is_judged_over_all_its_copies, 0, COUNT(verdicts));
    tcase_add_test(children, a_bench_without_a_process_is_not_the_engines_fault);
    tcase_add_test(children, a_command_that_ended_while_this_process_was_stopped_is_not_late);
    tcase_add_test(children, lines_that_came_while_this_process_was_stopped_are_no_silence);
    tcase_add_test(children, the_silence_of_one_seed_is_none_while_another_speaks);
    tcase_add_loop_test(children, a_pause_of_this_process_is_no_fault_of_an_engine, 0, 2);
    tcase_add_test(children, an_engine_that_makes_too_few_openings_is_quoted);
    tcase_add_test(children, make_is_told_what_the_protocol_says);
    tcase_add_test(children, a_build_is_nicer_than_who_asks_for_it);
    tcase_add_test(children, a_built_program_has_the_usual_mode);
    tcase_add_test(children, a_failed_build_says_why);
    tcase_add_test(children, a_variant_is_built_once_and_kept);
    tcase_add_test(children, what_a_build_leaves_beside_the_sources_is_no_source);
    tcase_add_test(children, the_folder_of_a_killed_builder_goes_away);
    tcase_add_loop_test(children, a_wrong_variant_leaves_one_line_and_nothing_else, 0,
                        COUNT(bad_flags));
    tcase_add_test(children, several_processes_may_want_the_same_variant);
    tcase_add_test(children, our_own_engine_refuses_an_unknown_row);
    suite_add_tcase(suite, children);
    return run_suite(suite);
}
