/* SPDX-License-Identifier: MIT */
#include "base/trampoline.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/guard.h"

enum {
    TRAMPOLINE_FAILED = 126, /* The exit status after a failure was reported. */
    SETTINGS_MAX = 8192,
    NAME_MAX_BYTES = 4096,
};

static const char TRAMPOLINE_ARGUMENT[] = "--child-exec";
/* This program, even when its file has been replaced. Under valgrind the link names valgrind's
 * tool, and the variable names the program. */
static const char SELF[] = "/proc/self/exe";
static const char SELF_VARIABLE[] = "OBWORKER_SELF";

/* ---- The command line of a trampoline ---- */

/* The command line: the program, TRAMPOLINE_ARGUMENT, the settings, the words of the confinement,
 * the child's program, its arguments. The settings are "worker nice memory file count cpu,cpu,…";
 * worker is the id of the worker's process, count the number of the words of the confinement. */
bool trampoline_words(const TrampolineSpec *spec, Words *argv, Error *err) {
    char settings[SETTINGS_MAX];
    int n = snprintf(settings, sizeof settings, "%ld %d %llu %llu %d ", (long)getpid(), spec->nice,
                     (unsigned long long)spec->memory_limit, (unsigned long long)spec->file_limit,
                     (int)spec->confinement->count);
    for (int i = 0; i < spec->cpu_count && n < SETTINGS_MAX; i++)
        n += snprintf(settings + n, (size_t)(SETTINGS_MAX - n), "%d,", spec->cpus[i]);
    if (n >= SETTINGS_MAX)
        return error_set(err, "too many CPUs to bind a child to");
    const char *self = getenv(SELF_VARIABLE);
    words_add(argv, self != NULL ? self : SELF);
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
    unsigned long long memory;
    unsigned long long file;
    int confinement;
    const char *cpus;
} Settings;

static bool read_settings(int argc, char **argv, Settings *s) {
    int used = 0;
    if (sscanf(argv[2], "%ld %d %llu %llu %d %n", &s->worker, &s->nice, &s->memory, &s->file,
               &s->confinement, &used) != 5)
        return false;
    s->cpus = argv[2] + used;
    return s->confinement >= 0 && s->confinement <= argc - 5;
}

bool trampoline_check(const char *name, Error *err) {
    char arguments[NAME_MAX_BYTES + sizeof TRAMPOLINE_ARGUMENT] = "";
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    ssize_t length = read(fd, arguments, sizeof arguments - 1);
    close(fd);
    size_t first = strlen(arguments) + 1;
    return (ssize_t)first >= length || strcmp(arguments + first, TRAMPOLINE_ARGUMENT) != 0 ||
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

static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < limit; fd++)
        close(fd);
}

static void set_limit(int resource, unsigned long long bytes, const char *what) {
    struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};
    if (setrlimit((__rlimit_resource_t)resource, &limit) != 0)
        fail(what);
}

static void set_affinity(const char *cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    bool any = false;
    for (const char *p = cpus; *p != '\0';) {
        char *end;
        unsigned long cpu = strtoul(p, &end, 10);
        if (end == p)
            break;
        if (cpu < CPU_SETSIZE) {
            CPU_SET(cpu, &set);
            any = true;
        }
        p = *end == ',' ? end + 1 : end;
    }
    if (any && sched_setaffinity(0, sizeof set, &set) != 0)
        fail("cannot bind to the CPUs asked for");
}

/* Asks for a signal at the worker's end. The worker may have ended before this call. */
static void die_with_worker(const Settings *s) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        fail("cannot ask for a signal when the worker dies");
    if ((long)getppid() != s->worker)
        _exit(TRAMPOLINE_FAILED);
}

/* When memory runs out, the kernel ends a child with this setting before this program and the
 * user's other programs. */
static void offer_to_kernel(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, "1000", 4) != 4)
        errno = 0; /* The setting is useful, not necessary. */
    close(fd);
}

/* Makes the settings of every child, confined or not. */
static void prepare(const Settings *s) {
    set_affinity(s->cpus);
    if (s->nice > 0 && setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + s->nice) != 0)
        fail("cannot lower the priority");
    set_limit(RLIMIT_CORE, 0, "cannot switch core files off");
    offer_to_kernel();
    if (s->file != 0)
        set_limit(RLIMIT_FSIZE, s->file, "cannot limit the size of files");
    if (s->memory != 0)
        set_limit(RLIMIT_AS, s->memory, "cannot limit the memory");
}

/* Reports the id by which the worker knows this process; in a namespace getpid returns another. */
static void report_number(void) {
    char line[32];
    ssize_t length = readlink("/proc/self", line, sizeof line - 1);
    if (length <= 0)
        return;
    line[length++] = '\n';
    if (write(TRAMPOLINE_STATUS_FD, line, (size_t)length) != length)
        errno = 0; /* The worker then uses the guard's id instead. */
}

void trampoline_run(int argc, char **argv) {
    if (argc < 5 || strcmp(argv[1], TRAMPOLINE_ARGUMENT) != 0)
        return;
    Settings s = {0};
    if (!read_settings(argc, argv, &s))
        _exit(TRAMPOLINE_FAILED);
    char **words = argv + 3;
    bool confined = s.confinement > 0;
    ConfineSettings confinement = {0};
    const char *what = "";

    signal(SIGPIPE, SIG_DFL);
    fcntl(TRAMPOLINE_STATUS_FD, F_SETFD, FD_CLOEXEC);
    die_with_worker(&s);
    close_from(confined ? TRAMPOLINE_LOCK_FD + 1 : TRAMPOLINE_STATUS_FD + 1);
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
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(program[0], program + 1);
    fail("cannot be run");
}
