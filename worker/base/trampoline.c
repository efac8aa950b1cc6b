/* SPDX-License-Identifier: MIT */
#include "base/trampoline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/confine.h"
#include "base/guard.h"
#include "base/kinship.h"
#include "base/self.h"

enum {
    TRAMPOLINE_FAILED = 126, /* The exit status after a failure was reported. */
    SETTINGS_MAX = 8192,
    NAME_MAX_BYTES = 4096,
};

static const char TRAMPOLINE_ARGUMENT[] = "--child-exec";
/* Names this program under valgrind, where the system names valgrind's tool. */
static const char SELF_VARIABLE[] = "OBWORKER_SELF";

/* ---- The command line of a trampoline ---- */

/* The command line: the program, TRAMPOLINE_ARGUMENT, the settings, the words of the confinement,
 * the child's program, its arguments. The settings are "worker nice count cpu,cpu,…";
 * worker is the id of the worker's process, count the number of the words of the confinement. */
bool trampoline_words(const TrampolineSpec *spec, Words *argv, Error *err) {
    char settings[SETTINGS_MAX];
    int n = snprintf(settings, sizeof settings, "%ld %d %d ", (long)getpid(), spec->nice,
                     (int)spec->confinement->count);
    for (int i = 0; i < spec->cpu_count && n < SETTINGS_MAX; i++)
        n += snprintf(settings + n, (size_t)(SETTINGS_MAX - n), "%d,", spec->cpus[i]);
    if (n >= SETTINGS_MAX)
        return error_set(err, "too many CPUs to bind a child to");
    char path[NAME_MAX_BYTES];
    const char *self = getenv(SELF_VARIABLE);
    if (self == NULL && !self_program(path, sizeof path))
        return error_set(err, "the system does not tell the path of this program (on Linux: is "
                              "/proc mounted?)");
    words_add(argv, self != NULL ? self : path);
    words_add(argv, TRAMPOLINE_ARGUMENT);
    words_add(argv, settings);
    for (size_t i = 0; i < spec->confinement->count; i++)
        words_add(argv, spec->confinement->items[i]);
    words_add(argv, spec->path);
    for (size_t i = 0; spec->argv[i] != NULL; i++)
        words_add(argv, spec->argv[i]);
    return true;
}

typedef struct {
    long worker;
    int nice;
    int confinement;
    const char *cpus;
} Settings;

static bool read_settings(int argc, char **argv, Settings *s) {
    int used = 0;
    if (sscanf(argv[2], "%ld %d %d %n", &s->worker, &s->nice, &s->confinement, &used) != 3)
        return false;
    s->cpus = argv[2] + used;
    return s->confinement >= 0 && s->confinement <= argc - 5;
}

bool trampoline_check(const char *name, Error *err) {
    return getenv(TRAMPOLINE_VARIABLE) == NULL ||
           error_set(
               err,
               "%s: cannot be started: this program's main does not call child_trampoline first",
               name);
}

/* ---- The steps ---- */

static _Noreturn void fail(const char *what) {
    char message[TRAMPOLINE_REASON_MAX];
    int n = snprintf(message, sizeof message, "%s: %s", what, strerror(errno));
    size_t length = n < 0 ? 0 : (size_t)n < sizeof message ? (size_t)n : sizeof message - 1;
    ssize_t written = write(TRAMPOLINE_STATUS_FD, message, length);
    _exit(written < 0 ? TRAMPOLINE_FAILED + 1 : TRAMPOLINE_FAILED);
}

static void set_affinity(const char *cpus) {
    CpuList list = {0};
    for (const char *p = cpus; *p != '\0';) {
        char *end;
        long cpu = strtol(p, &end, 10);
        if (end == p)
            break;
        cpulist_add(&list, (int)cpu);
        p = *end == ',' ? end + 1 : end;
    }
    if (list.count > 0 && !affinity_bind(&list))
        fail("cannot bind to the CPUs asked for");
    cpulist_free(&list);
}

/* Asks for a signal at the worker's end. The worker may have ended before this call. */
static void die_with_worker(const Settings *s) {
    if (!kinship_die_with_parent())
        fail("cannot ask for a signal when the worker dies");
    if ((long)getppid() != s->worker)
        _exit(TRAMPOLINE_FAILED);
}

/* Makes the settings of every child, confined or not. */
static void prepare(const Settings *s) {
    set_affinity(s->cpus);
    /* A negative niceness may be refused: the worker may have lost the right to it. */
    if (setpriority(PRIO_PROCESS, 0, s->nice) != 0 && s->nice >= 0)
        fail("cannot lower the priority");
    self_end_first();
    if (setrlimit(RLIMIT_CORE, &(struct rlimit){0}) != 0)
        fail("cannot switch core files off");
}

/* Reports the id by which the worker knows this process. */
static void report_number(void) {
    char line[32];
    int number = self_number();
    int length = snprintf(line, sizeof line, "%d\n", number);
    if (number > 0 && write(TRAMPOLINE_STATUS_FD, line, (size_t)length) != length)
        errno = 0; /* The worker then uses the guard's id instead. */
}

void trampoline_run(int argc, char **argv) {
    if (argc < 5 || strcmp(argv[1], TRAMPOLINE_ARGUMENT) != 0) {
        self_note_program();
        return;
    }
    Settings s = {0};
    if (!read_settings(argc, argv, &s))
        _exit(TRAMPOLINE_FAILED);
    char **words = argv + 3;
    bool confined = s.confinement > 0;
    ConfineSettings confinement = {0};
    const char *what = "";

    unsetenv(TRAMPOLINE_VARIABLE);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    fcntl(TRAMPOLINE_STATUS_FD, F_SETFD, FD_CLOEXEC);
    die_with_worker(&s);
    self_close_from(confined ? TRAMPOLINE_LOCK_FD + 1 : TRAMPOLINE_STATUS_FD + 1);
    prepare(&s);
    if (confined && !confine_enter(words[0], words + 1, s.confinement - 1, &confinement, &what))
        fail(what);
    if (!guard_split((pid_t)s.worker, confinement.layers.namespaces,
                     confined ? TRAMPOLINE_LOCK_FD : -1))
        fail("cannot leave a guard behind");
    report_number();
    char **program = words + s.confinement;
    if (confined && !confine_apply(&confinement, program[0], words + 1, s.confinement - 1, &what))
        fail(what);
    /* The change to another user may have cleared the signal. */
    kinship_die_with_parent();
    execv(program[0], program + 1);
    fail("cannot be run");
}
