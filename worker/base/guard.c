/* SPDX-License-Identifier: MIT */
#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/kinship.h"

enum {
    STANDARD_FDS = 4, /* Input, output, errors, and the trampoline's status. */
    END_TRIES = 500,  /* How often a leftover guard is killed, with END_NAP_MS between. */
    END_NAP_MS = 10,
};

static void close_all_but(int first, int second) {
    int highest = first > second ? first : second;
    for (int fd = 0; fd < STANDARD_FDS || fd <= highest; fd++)
        if (fd != first && fd != second)
            close(fd);
}

/* ---- The first process of a namespace ---- */

/* Lives as long as the guard, because only the guard holds the other end of the lifeline. This
 * process ignores the ends of its children, so the kernel reaps the namespace's orphans. */
static _Noreturn void keep_namespace(const int lifeline[2]) {
    char byte;
    close(lifeline[1]);
    close_all_but(lifeline[0], -1);
    signal(SIGCHLD, SIG_IGN);
    while (read(lifeline[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    _exit(EXIT_SUCCESS);
}

/* ---- The guard ---- */

/* Ends this process as the program ended. */
static _Noreturn void end_as(int status) {
    if (WIFSIGNALED(status)) {
        sigset_t one;
        int number = WTERMSIG(status);
        signal(number, SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, number);
        raise(number);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

/* Kills the first process of a namespace and waits for its end, which comes when all other
 * processes of the namespace are gone. */
static void end_namespace(pid_t first) {
    kill(first, SIGKILL);
    while (waitpid(first, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void lock_file(int fd) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fd >= 0)
        fcntl(fd, F_SETLK, &whole);
}

/* The guard's life. All signals are blocked, so that a signal from the program to its group does
 * not reach the guard, except SIGKILL and SIGSTOP, which cannot be blocked. */
static _Noreturn void watch(pid_t worker, pid_t first, pid_t program) {
    int status = 0;
    kinship_watch();
    for (bool over = false;;) {
        int how;
        pid_t ended;
        while ((ended = waitpid(-1, &how, WNOHANG)) > 0) {
            over = over || ended == program;
            status = ended == program ? how : status;
            first = ended == first ? 0 : first;
        }
        if (over && first > 0)
            end_namespace(first);
        else if (over)
            kinship_end_children();
        if (getppid() != worker)
            kill(0, SIGKILL);
        if (over)
            end_as(status);
        kinship_wait();
    }
}

bool guard_split(pid_t worker, bool namespaces, int lock) {
    int lifeline[2];
    sigset_t all, before;
    pid_t first = 0;
    if (uv_pipe(lifeline, 0, 0) != 0)
        return false;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    if (namespaces) {
        first = fork();
        if (first == 0)
            keep_namespace(lifeline);
    } else {
        kinship_take_orphans();
    }
    pid_t guard = getpid();
    pid_t program = first < 0 ? -1 : fork();
    if (program == 0) {
        close(lifeline[0]);
        close(lifeline[1]);
        if (lock >= 0)
            close(lock);
        kinship_die_with_parent();
        if (!namespaces && getppid() != guard)
            _exit(EXIT_FAILURE);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return true;
    }
    if (program < 0)
        return false;
    close_all_but(lifeline[1], lock);
    lock_file(lock);
    watch(worker, first, program);
}

/* ---- Leftover guards ---- */

/* Is the file locked? *holder is the process that holds the lock; 0: this process cannot see that
 * one (another container with the same folder). */
static bool is_locked(int fd, pid_t *holder) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
        return false;
    *holder = whole.l_pid > 1 ? whole.l_pid : 0;
    return true;
}

bool guard_end_leftover(const char *path) {
    struct stat status;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return true;
    /* Any program may lock a file of another user, or one with a second name. */
    bool ours = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
                status.st_uid == geteuid();
    bool locked = ours;
    for (int i = 0; locked && i < END_TRIES; i++) {
        pid_t guard;
        locked = is_locked(fd, &guard);
        if (!locked || guard == 0)
            break;
        kill(-guard, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = END_NAP_MS * CLOCK_NS_PER_MS}, NULL);
    }
    close(fd);
    return !locked;
}
