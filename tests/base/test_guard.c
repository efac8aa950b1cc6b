/* SPDX-License-Identifier: MIT */
/* What children leave behind: processes that nobody waits for, workers that were killed. */
#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/child.h"
#include "base/guard.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "place.h"
#include "runner.h"

/* ---- What outlives its time ---- */

enum { LINE_MAX_BYTES = 16384 };

/* Returns when the process stands still: a signal to stop takes its time on a busy machine. */
static void stop(pid_t pid) {
    enum { NAP_US = 1000 };
    char path[PLACE_PATH], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    kill(pid, SIGSTOP);
    while (state != 'T' && kill(pid, 0) == 0) {
        FILE *file = fopen(path, "re");
        ck_assert_ptr_nonnull(file);
        ck_assert_int_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
        fclose(file);
        usleep(NAP_US);
    }
}

/* How many processes, guards among them, have the word in their command line. The leaders of their
 * groups, which are the guards, are stopped when that is wanted. */
static int find_marked(const char *mark, bool stop_guards) {
    int count = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    ck_assert_ptr_nonnull(proc);
    while ((entry = readdir(proc)) != NULL) {
        char path[PLACE_PATH];
        char line[LINE_MAX_BYTES];
        snprintf(path, sizeof path, "/proc/%.16s/cmdline", entry->d_name);
        int fd = isdigit((unsigned char)entry->d_name[0]) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t length = fd >= 0 ? read(fd, line, sizeof line) : 0;
        if (fd >= 0)
            close(fd);
        if (length <= 0 || memmem(line, (size_t)length, mark, strlen(mark)) == NULL)
            continue;
        pid_t pid = atoi(entry->d_name);
        count++;
        if (stop_guards && getpgid(pid) == pid)
            stop(pid);
    }
    closedir(proc);
    return count;
}

static int count_marked(const char *mark) {
    return find_marked(mark, false);
}

static void expect_none_marked(const char *mark, const char *what) {
    enum { TRIES = 3000, NAP_US = 10000 };
    int count = 1;
    for (int i = 0; i < TRIES && (count = count_marked(mark)) > 0; i++)
        usleep(NAP_US);
    ck_assert_msg(count == 0, "%s: %d processes are still there", what, count);
}

static void make_mark(char mark[PLACE_PATH]) {
    static int number;
    snprintf(mark, PLACE_PATH, "daemon:%d-%d", (int)getpid(), number++);
}

/* The layers that a case is tried with, as far as this system has them. */
static const struct {
    const char *name;
    bool filter, namespaces, sandbox;
} FAMILIES[] = {
    {"with all layers", true, true, true},
    {"without namespaces", true, false, true},
    {"without a filter", false, true, true},
    {"without a sandbox", false, false, false},
};

/* False, having said so, where this system has too few layers. */
static bool take_layers(Place *place, int family) {
    ConfineLayers *layers = &place->sandbox.layers;
    layers->filter = layers->filter && FAMILIES[family].filter;
    layers->namespaces = layers->namespaces && FAMILIES[family].namespaces;
    place->sandbox.on = FAMILIES[family].sandbox;
    bool can = layers->filter || layers->namespaces;
    if (!can && place->sandbox.on)
        printf("left out: processes left behind %s\n", FAMILIES[family].name);
    return can || !place->sandbox.on;
}

/* By the filter it is refused a session of its own and goes with its group; a namespace ends
 * whatever group it is in. */
START_TEST(no_process_is_left_behind) {
    Place place;
    char answer[PLACE_ANSWER], mark[PLACE_PATH];
    place_open(&place);
    make_mark(mark);
    if (FAMILIES[_i].sandbox && take_layers(&place, _i)) {
        place_play(&place, mark, answer);
        if (place.sandbox.layers.filter)
            ck_assert_msg(text_starts_with(answer, "refused"), "%s", answer);
        expect_none_marked(mark, FAMILIES[_i].name);
    }
    place_close(&place);
}
END_TEST

/* A worker of its own: starts an engine that leaves a process behind and stays itself. */
static pid_t start_worker(const Place *place, const char *mark, bool family) {
    int told[2];
    char byte;
    ck_assert_int_eq(pipe2(told, O_CLOEXEC), 0);
    pid_t worker = fork();
    if (worker == 0) {
        static const char INPUT[] = "uci\nposition fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR "
                                    "w KQkq - 0 1\ngo nodes 1\n";
        char word[PLACE_PATH + 64];
        snprintf(word, sizeof word, "trick=%s", mark);
        const char *argv[] = {place->engine, word, NULL};
        SandboxPolicy policy;
        PlaceHeard heard = {0};
        Error err = {0};
        uv_loop_t loop;
        uv_loop_init(&loop);
        sandbox_engine(&place->sandbox, argv, NULL, 16, 1, &policy);
        ChildSpec spec = {.argv = argv, .policy = &policy, .merge_errors = true};
        Child *child = child_start(&loop, &spec, &PLACE_EVENTS, &heard, &err);
        if (child == NULL)
            _exit(1);
        child_write(child, INPUT, family ? strlen(INPUT) : 4);
        const char *awaited = family ? "info string daemon" : "uciok";
        while (!heard.gone && strstr(text_string(&heard.output), awaited) == NULL)
            uv_run(&loop, UV_RUN_ONCE);
        if (heard.gone)
            fprintf(stderr, "%s: %s\n", heard.end.reason, text_string(&heard.output));
        if (!heard.gone && write(told[1], "x", 1) == 1)
            uv_run(&loop, UV_RUN_DEFAULT);
        _exit(0);
    }
    close(told[1]);
    ck_assert_int_gt(worker, 0);
    ck_assert_msg(read(told[0], &byte, 1) == 1, "the worker ended early");
    close(told[0]);
    return worker;
}

START_TEST(nothing_outlives_a_worker_that_is_killed) {
    Place place;
    char mark[PLACE_PATH];
    place_open(&place);
    make_mark(mark);
    bool promised = take_layers(&place, _i);
    /* Without a filter and namespaces a session of its own is the way out. */
    bool family = promised && FAMILIES[_i].sandbox;
    pid_t worker = start_worker(&place, mark, family);
    ck_assert_int_ge(count_marked(mark), family ? 3 : 2);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    expect_none_marked(mark, FAMILIES[_i].name);
    place_close(&place);
}
END_TEST

START_TEST(the_next_start_ends_what_was_left_behind) {
    Place place;
    Sandbox next;
    Text missing = {0};
    Error err = {0};
    char mark[PLACE_PATH], scratch[PLACE_PATH], name[64];
    place_open(&place);
    make_mark(mark);
    setenv("TMPDIR", place.folder, 1);
    free(place.sandbox.scratch);
    place.sandbox.scratch = strdup(place.folder);
    place.sandbox.layers.namespaces = place.sandbox.layers.namespaces && _i == 0;
    ck_assert_int_eq(chmod(place.folder, 0755), 0);
    pid_t worker = start_worker(&place, mark, false);
    find_marked(mark, true);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    ck_assert_int_ge(count_marked(mark), 1);
    ck_assert(sandbox_open(&next, "auto", &missing, &err));
    expect_none_marked(mark, "after the next start");
    snprintf(name, sizeof name, "obworker-%d-*", (int)worker);
    place_join(scratch, place.folder, name);
    glob_t found;
    ck_assert_int_eq(glob(scratch, 0, NULL, &found), GLOB_NOMATCH);
    sandbox_free(&next);
    text_free(&missing);
    place_close(&place);
}
END_TEST

/* What a process says of this lock that sees none of the processes here; -1: this user may make no
 * such process. */
static int look_from_elsewhere(const char *path) {
    int status = 0;
    pid_t first = fork();
    if (first == 0) {
#ifdef __linux__
        if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
            _exit(2);
#endif
        pid_t inner = fork();
        if (inner == 0)
            _exit(guard_end_leftover(path));
        waitpid(inner, &status, 0);
        _exit(WEXITSTATUS(status));
    }
    waitpid(first, &status, 0);
    return WEXITSTATUS(status) == 2 ? -1 : WEXITSTATUS(status);
}

/* Two containers with one folder for temporary files: neither removes what the other still uses. */
START_TEST(a_lock_of_another_container_is_left_alone) {
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    Place place;
    char path[PLACE_PATH];
    place_open(&place);
    place_join(path, place.folder, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    int unlocked = look_from_elsewhere(path);
    ck_assert_int_eq(fcntl(fd, F_SETLK, &whole), 0);
    int locked = look_from_elsewhere(path);
    if (unlocked < 0)
        puts("left out: this user can make no namespace of processes");
    else
        ck_assert_msg(unlocked == 1 && locked == 0, "not locked: %d, locked: %d", unlocked, locked);
    close(fd);
    place_close(&place);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, no_process_is_left_behind, 0, COUNT(FAMILIES));
    tcase_add_loop_test(tests, nothing_outlives_a_worker_that_is_killed, 0, COUNT(FAMILIES));
    tcase_add_loop_test(tests, the_next_start_ends_what_was_left_behind, 0, 2);
    tcase_add_test(tests, a_lock_of_another_container_is_left_alone);
}

int main(int argc, char **argv) {
    return place_main(argc, argv, "guard", add_tests);
}
