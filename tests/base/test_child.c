/* SPDX-License-Identifier: MIT */
/* Child processes: started as asked, read line by line, ended with everything they started. */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/affinity.h"
#include "base/child.h"
#include "base/cpus.h"
#include "base/text.h"
#include "runner.h"
#include "tools/descriptors.h"
#include "tools/temporary.h"

/* What a child said and how it ended. */
typedef struct {
    Text output;
    Text errors;
    int lines;
    size_t longest;
    bool gone;
    ChildEnd end;
} Heard;

static void on_line(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                    void *user) {
    (void)child;
    Heard *heard = user;
    ck_assert_uint_eq(strlen(text), length);
    ck_assert_uint_gt(stamp, 0);
    Text *out = stream == CHILD_OUTPUT ? &heard->output : &heard->errors;
    heard->lines++;
    if (length > heard->longest)
        heard->longest = length;
    if (out->length < 2 * CHILD_LINE_MAX) {
        text_add(out, text);
        text_add_char(out, '\n');
    }
}

static void on_gone(Child *child, const ChildEnd *end, void *user) {
    Heard *heard = user;
    ck_assert(!heard->gone);
    ck_assert(!child_alive(child));
    heard->gone = true;
    heard->end = *end;
}

static const ChildEvents EVENTS = {.line = on_line, .gone = on_gone};

/* Runs the loop dry and says whether nothing stayed behind. */
static void close_loop(uv_loop_t *loop) {
    uv_run(loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(loop), 0);
}

static Child *must_start(uv_loop_t *loop, const ChildSpec *spec, Heard *heard) {
    Error err = {0};
    Child *child = child_start(loop, spec, &EVENTS, heard, &err);
    ck_assert_msg(child != NULL, "%s", err.text);
    return child;
}

static void run_spec(const ChildSpec *spec, const char *input, Heard *heard) {
    uv_loop_t loop;
    uv_loop_init(&loop);
    Child *child = must_start(&loop, spec, heard);
    if (input != NULL)
        child_write(child, input, strlen(input));
    child_close_input(child);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(heard->gone);
    child_free(child);
    close_loop(&loop);
}

static void run_shell(const char *script, const char *input, Heard *heard) {
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    run_spec(&(ChildSpec){.argv = argv}, input, heard);
}

static void heard_free(Heard *heard) {
    text_free(&heard->output);
    text_free(&heard->errors);
}

START_TEST(lines_of_both_streams_arrive_whole) {
    Heard heard = {0};
    run_shell("read x; echo \"got $x\"; printf 'cr\\r\\n'; printf 'a\\000b\\n'; echo wrong >&2; "
              "printf last; exit 3",
              "word\n", &heard);
    ck_assert_str_eq(text_string(&heard.output), "got word\ncr\na?b\nlast\n");
    ck_assert_str_eq(text_string(&heard.errors), "wrong\n");
    ck_assert_int_eq(heard.end.exit_status, 3);
    ck_assert_int_eq(heard.end.signal, 0);
    ck_assert(!heard.end.killed);
    ck_assert_str_eq(heard.end.reason, "exited with status 3");
    heard_free(&heard);
}
END_TEST

static void on_unfinished_gone(Child *child, const ChildEnd *end, void *user) {
    size_t length;
    const char *begun = child_unfinished(child, &length);
    ck_assert_uint_eq(length, 4);
    ck_assert_mem_eq(begun, "last", 4);
    on_gone(child, end, user);
}

/* Standard error keeps its last line. */
START_TEST(a_last_line_without_end_can_be_left_out) {
    Heard heard = {0};
    Error err = {0};
    uv_loop_t loop;
    uv_loop_init(&loop);
    const char *argv[] = {"/bin/sh", "-c", "echo first; printf last; printf wrong >&2", NULL};
    Child *child = child_start(
        &loop, &(ChildSpec){.argv = argv},
        &(ChildEvents){.line = on_line, .gone = on_unfinished_gone, .whole_lines = true}, &heard,
        &err);
    ck_assert_msg(child != NULL, "%s", err.text);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(heard.gone);
    ck_assert_str_eq(text_string(&heard.output), "first\n");
    ck_assert_str_eq(text_string(&heard.errors), "wrong\n");
    child_free(child);
    close_loop(&loop);
    heard_free(&heard);
}
END_TEST

START_TEST(errors_can_be_merged_in_order) {
    Heard heard = {0};
    const char *argv[] = {"/bin/sh", "-c", "echo 1; echo 2 >/dev/stderr; echo 3; cat", NULL};
    run_spec(&(ChildSpec){.argv = argv, .merge_errors = true, .no_input = true}, NULL, &heard);
    ck_assert_str_eq(text_string(&heard.output), "1\n2\n3\n");
    heard_free(&heard);
}
END_TEST

START_TEST(a_line_without_end_is_cut_and_the_next_is_whole) {
    Heard heard = {0};
    run_shell("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo after", NULL, &heard);
    ck_assert_int_eq(heard.lines, 2);
    ck_assert_uint_eq(heard.longest, CHILD_LINE_MAX);
    ck_assert_str_eq(text_string(&heard.output) + CHILD_LINE_MAX, "\nafter\n");
    heard_free(&heard);
}
END_TEST

START_TEST(long_input_is_queued_and_arrives) {
    Heard heard = {0};
    enum { LENGTH = 300000 };
    char *input = malloc(LENGTH + 1);
    memset(input, 'y', LENGTH);
    input[LENGTH] = '\0';
    run_shell("sleep 0.1; wc -c", input, &heard);
    ck_assert_int_eq(atoi(text_string(&heard.output)), LENGTH);
    free(input);
    heard_free(&heard);
}
END_TEST

START_TEST(the_environment_is_scrubbed) {
    Heard heard = {0};
    setenv("OPENBENCH_PASSWORD", "secret", 1);
    setenv("http_proxy", "http://user:secret@proxy.invalid", 1);
    setenv("LANG", "C.UTF-8", 1);
    const char *argv[] = {"/usr/bin/env", NULL};
    const char *env[] = {"EXTRA=yes", NULL};
    run_spec(&(ChildSpec){.argv = argv, .env = env}, NULL, &heard);
    ck_assert_ptr_null(strstr(text_string(&heard.output), "secret"));
    ck_assert_ptr_nonnull(strstr(text_string(&heard.output), "PATH="));
    ck_assert_ptr_nonnull(strstr(text_string(&heard.output), "LANG=C.UTF-8\n"));
    ck_assert_ptr_nonnull(strstr(text_string(&heard.output), "EXTRA=yes\n"));
    heard_free(&heard);
}
END_TEST

START_TEST(limits_folder_niceness_and_cpus_are_set) {
    Heard heard = {0};
    const int cpus[] = {0};
    char asks[256];
    snprintf(asks, sizeof asks, "pwd; ulimit -c; nice; %sls /dev/fd/",
             affinity_exists() ? "grep Cpus_allowed_list /proc/self/status; " : "");
    const char *argv[] = {"sh", "-c", asks, NULL};
    ChildSpec spec = {.argv = argv,
                      .dir = "/usr",
                      .cpus = cpus,
                      .cpu_count = affinity_exists() ? 1 : 0,
                      .nice = 3};
    run_spec(&spec, NULL, &heard);
    char expected[128];
    int niceness = getpriority(PRIO_PROCESS, 0) + spec.nice; /* the tests may run under nice */
    snprintf(expected, sizeof expected, "/usr\n0\n%d\n%s0\n1\n2\n3\n",
             niceness < 19 ? niceness : 19, affinity_exists() ? "Cpus_allowed_list:\t0\n" : "");
    ck_assert_str_eq(text_string(&heard.output), expected);
    heard_free(&heard);
}
END_TEST

/* This program ignores these signals, and a child does not. */
START_TEST(signals_that_this_program_ignores_end_a_child) {
    static const char *const SENDS[] = {"kill -PIPE $$; echo on", "kill -XFSZ $$; echo on"};
    static const int NUMBERS[] = {SIGPIPE, SIGXFSZ};
    Heard heard = {0};
    const char *argv[] = {"sh", "-c", SENDS[_i], NULL};
    run_spec(&(ChildSpec){.argv = argv}, NULL, &heard);
    ck_assert_str_eq(text_string(&heard.output), "");
    ck_assert_int_eq(heard.end.signal, NUMBERS[_i]);
    raise(NUMBERS[_i]);
    heard_free(&heard);
}
END_TEST

/* The worker's own scheduling would leave a child at 0. */
START_TEST(a_negative_niceness_is_handed_down) {
    Heard heard = {0};
    const char *argv[] = {"nice", NULL};
    if (setpriority(PRIO_PROCESS, 0, -5) != 0) {
        leave_out("a negative niceness", "only root may take one");
        return;
    }
    cpus_set_prompt(true);
    run_spec(&(ChildSpec){.argv = argv, .nice = 3}, NULL, &heard);
    ck_assert_str_eq(text_string(&heard.output), "-2\n");
    heard_free(&heard);
}
END_TEST

START_TEST(programs_that_cannot_run_are_named) {
    static const struct {
        const char *program, *cause;
    } CASES[] = {
        {"/no/such/engine", "/no/such/engine: no such file"},
        {"/usr", "/usr: it is a folder"},
        {"/etc/passwd", "/etc/passwd: not executable"},
        {"no-such-program-anywhere", "no-such-program-anywhere: no such program on PATH"},
    };
    uv_loop_t loop;
    uv_loop_init(&loop);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error err = {0};
        const char *argv[] = {CASES[i].program, NULL};
        ck_assert_ptr_null(child_start(&loop, &(ChildSpec){.argv = argv}, &EVENTS, NULL, &err));
        ck_assert_str_eq(err.text, CASES[i].cause);
    }
    close_loop(&loop);
}
END_TEST

START_TEST(a_wrong_format_is_reported_by_its_end) {
    char path[TEMPORARY_SIZE];
    int fd = temporary_file(path, sizeof path, "child");
    ck_assert_int_eq(write(fd, "\1\2\3", 3), 3);
    ck_assert_int_eq(fchmod(fd, 0755), 0);
    close(fd);
    Heard heard = {0};
    const char *argv[] = {path, NULL};
    run_spec(&(ChildSpec){.argv = argv}, NULL, &heard);
    unlink(path);
    ck_assert(heard.end.failed_to_run);
    ck_assert_str_eq(heard.end.reason, "cannot be run: Exec format error");
    heard_free(&heard);
}
END_TEST

/* Does the process exist, other than as a zombie that its new parent has yet to bury? */
static bool still_runs(int pid) {
    char path[64];
    char state[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    bool read = fgets(state, sizeof state, f) != NULL;
    fclose(f);
    return read && strstr(state, ") Z") == NULL;
}

/* Waits for the child's first line, and reads the number of a process in it. */
static int await_pid(uv_loop_t *loop, const Heard *heard) {
    while (heard->lines == 0)
        uv_run(loop, UV_RUN_ONCE);
    int pid = atoi(text_string(&heard->output));
    ck_assert_int_gt(pid, 1);
    return pid;
}

START_TEST(a_kill_takes_the_descendants_along) {
    uv_loop_t loop;
    Heard heard = {0};
    uv_loop_init(&loop);
    const char *argv[] = {"/bin/sh", "-c", "sleep 1000 & echo $!; trap '' TERM; wait", NULL};
    Child *child = must_start(&loop, &(ChildSpec){.argv = argv}, &heard);
    int grandchild = await_pid(&loop, &heard);
    child_finish(child, "quit\n", 50);
    while (!heard.gone)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_int_eq(heard.end.signal, SIGKILL);
    ck_assert(heard.end.killed);
    child_free(child);
    close_loop(&loop);
    int tries = 0;
    while (still_runs(grandchild) && tries++ < 1000)
        usleep(10000);
    ck_assert_msg(tries < 1000, "process %d outlived the kill of its group", grandchild);
    heard_free(&heard);
}
END_TEST

START_TEST(a_grandchild_that_keeps_the_pipe_holds_nobody_up) {
    uv_loop_t loop;
    Heard heard = {0};
    uv_loop_init(&loop);
    /* A session of its own escapes the kill of the group, and sleeps longer than a test may take.
     * The shell ends when its input does. */
    const char *argv[] = {"/bin/sh", "-c",
                          "setsid sh -c 'echo $$; exec sleep 1000' </dev/null & read x", NULL};
    Child *child = must_start(&loop, &(ChildSpec){.argv = argv}, &heard);
    int grandchild = await_pid(&loop, &heard);
    child_close_input(child);
    while (!heard.gone)
        uv_run(&loop, UV_RUN_ONCE);
    bool runs = still_runs(grandchild);
    kill(grandchild, SIGKILL);
    ck_assert_msg(runs, "process %d has ended", grandchild);
    ck_assert_int_eq(heard.end.exit_status, 1); /* of `read` at the end of its input */
    child_free(child);
    close_loop(&loop);
    heard_free(&heard);
}
END_TEST

/* A callback that holds the loop up, until the other child has written its line and ended, and for
 * longer than output is waited for after an end. */
static void on_line_held_up(Child *child, ChildStream stream, char *text, size_t length,
                            uint64_t stamp, void *user) {
    (void)child, (void)stream, (void)text, (void)length, (void)stamp;
    Child *other = user;
    siginfo_t ended;
    child_close_input(other);
    ck_assert_int_eq(waitid(P_PID, (id_t)child_pid(other), &ended, WEXITED | WNOWAIT), 0);
    usleep(300000);
}

START_TEST(output_in_a_pipe_is_read_when_the_loop_was_held_up) {
    uv_loop_t loop;
    Heard heard = {0};
    Error err = {0};
    siginfo_t ended;
    uv_loop_init(&loop);
    /* The first child has ended before the loop runs: its line, its end and the other's end are
     * found by one poll, which began before the other's line was written. */
    const char *first_argv[] = {"/bin/echo", "first", NULL};
    const char *other_argv[] = {"/bin/sh", "-c", "read x; echo other", NULL};
    Child *other = must_start(&loop, &(ChildSpec){.argv = other_argv}, &heard);
    Child *first = child_start(&loop, &(ChildSpec){.argv = first_argv},
                               &(ChildEvents){.line = on_line_held_up}, other, &err);
    ck_assert_msg(first != NULL, "%s", err.text);
    ck_assert_int_eq(waitid(P_PID, (id_t)child_pid(first), &ended, WEXITED | WNOWAIT), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(heard.gone);
    ck_assert_str_eq(text_string(&heard.output), "other\n");
    child_free(first);
    child_free(other);
    close_loop(&loop);
    heard_free(&heard);
}
END_TEST

START_TEST(giving_back_a_living_child_kills_and_reaps_it) {
    uv_loop_t loop;
    Heard heard = {0};
    /* The library keeps a pipe of its own for signals from the first child on. */
    run_shell("true", NULL, &heard);
    heard = (Heard){0};
    int before = open_descriptors();
    uv_loop_init(&loop);
    const char *argv[] = {"/bin/cat", NULL};
    for (int i = 0; i < 20; i++) {
        Child *child = must_start(&loop, &(ChildSpec){.argv = argv}, &heard);
        child_write(child, "hello\n", 6);
        if (i % 2 == 0)
            uv_run(&loop, UV_RUN_NOWAIT);
        int pid = child_pid(child);
        child_free(child);
        uv_run(&loop, UV_RUN_DEFAULT);
        ck_assert_int_eq(kill(pid, 0), -1);
        ck_assert_int_eq(errno, ESRCH);
    }
    ck_assert(!heard.gone);
    close_loop(&loop);
    ck_assert_int_eq(open_descriptors(), before);
    heard_free(&heard);
}
END_TEST

START_TEST(writing_to_one_that_is_gone_does_no_harm) {
    uv_loop_t loop;
    Heard heard = {0};
    uv_loop_init(&loop);
    const char *argv[] = {"/bin/sh", "-c", "exec 0<&-; echo closed; sleep 0.1", NULL};
    Child *child = must_start(&loop, &(ChildSpec){.argv = argv}, &heard);
    while (heard.lines == 0)
        uv_run(&loop, UV_RUN_ONCE);
    for (int i = 0; i < 3; i++)
        child_write(child, "word\n", 5);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(heard.gone);
    child_write(child, "word\n", 5);
    child_finish(child, "quit\n", 10);
    child_free(child);
    close_loop(&loop);
    heard_free(&heard);
}
END_TEST

/* What a program without the trampoline would do as its own child: start another. */
static const char WITHOUT_TRAMPOLINE[] = "without-trampoline";

static int start_as_second_generation(void) {
    static const char *const ARGV[] = {"/bin/true", NULL};
    Error err = {0};
    uv_loop_t loop;
    uv_loop_init(&loop);
    ChildSpec spec = {.argv = ARGV};
    bool refused = child_start(&loop, &spec, &(ChildEvents){0}, NULL, &err) == NULL &&
                   strstr(err.text, "does not call child_trampoline") != NULL;
    uv_loop_close(&loop);
    return refused ? EXIT_SUCCESS : EXIT_FAILURE;
}

START_TEST(a_program_without_the_trampoline_does_not_start_itself_for_ever) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        const char *self = getenv("OBWORKER_SELF");
        char path[PATH_MAX] = "";
        size_t length = sizeof path;
        uv_exepath(path, &length);
        setenv(TRAMPOLINE_VARIABLE, "1", 1);
        execl(self != NULL ? self : path, "test", WITHOUT_TRAMPOLINE, (char *)NULL);
        _exit(EXIT_FAILURE);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_program_without_the_trampoline_does_not_start_itself_for_ever);
    tcase_add_test(tests, lines_of_both_streams_arrive_whole);
    tcase_add_test(tests, a_last_line_without_end_can_be_left_out);
    tcase_add_test(tests, errors_can_be_merged_in_order);
    tcase_add_test(tests, a_line_without_end_is_cut_and_the_next_is_whole);
    tcase_add_test(tests, long_input_is_queued_and_arrives);
    tcase_add_test(tests, the_environment_is_scrubbed);
    tcase_add_test(tests, limits_folder_niceness_and_cpus_are_set);
    tcase_add_loop_test(tests, signals_that_this_program_ignores_end_a_child, 0, 2);
    tcase_add_test(tests, a_negative_niceness_is_handed_down);
    tcase_add_test(tests, programs_that_cannot_run_are_named);
    tcase_add_test(tests, a_wrong_format_is_reported_by_its_end);
    tcase_add_test(tests, a_kill_takes_the_descendants_along);
    tcase_add_test(tests, a_grandchild_that_keeps_the_pipe_holds_nobody_up);
    tcase_add_test(tests, output_in_a_pipe_is_read_when_the_loop_was_held_up);
    tcase_add_test(tests, giving_back_a_living_child_kills_and_reaps_it);
    tcase_add_test(tests, writing_to_one_that_is_gone_does_no_harm);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (argc == 2 && strcmp(argv[1], WITHOUT_TRAMPOLINE) == 0)
        return start_as_second_generation();
    return run_tests("child", add_tests);
}
