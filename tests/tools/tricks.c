/* SPDX-License-Identifier: MIT */
#include "tools/tricks.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS_MAX = 20000, PATH_SIZE = 512, BYTES_PER_MB = 1 << 20 };

/* Each returns whether it succeeded; errno says why not. `more` may be written. */
typedef bool Trick(const char *argument, char more[TRICK_ANSWER_MAX]);

static bool open_and(const char *path, int flags, bool use) {
    char byte = 'x';
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = !use || (flags & O_ACCMODE ? write(fd, &byte, 1) : read(fd, &byte, 1)) == 1;
    close(fd);
    return ok;
}

static bool trick_read(const char *path, char *more) {
    (void)more;
    return open_and(path, O_RDONLY, true);
}

static bool trick_write(const char *path, char *more) {
    (void)more;
    return open_and(path, O_WRONLY | O_CREAT, true);
}

/* Both ways: by path, and by opening for reading. */
static bool trick_truncate(const char *path, char *more) {
    (void)more;
    return truncate(path, 0) == 0 || open_and(path, O_RDONLY | O_TRUNC, false);
}

static bool trick_chmod(const char *path, char *more) {
    (void)more;
    return chmod(path, 0777) == 0;
}

/* Closes a descriptor, or -1, and keeps errno. Returns ok. */
static bool close_after(int fd, bool ok) {
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

static bool trick_lease(const char *path, char *more) {
    (void)more;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return close_after(fd, fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0);
}

/* Sets the file's attributes to those that the file has. */
static bool trick_attributes(const char *path, char *more) {
    (void)more;
    /* FS_IOC_GETFLAGS, FS_IOC_SETFLAGS: their header does not go with sys/mount.h everywhere. */
    const unsigned long get = _IOR('f', 1, long), set = _IOW('f', 2, long);
    int flags = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return close_after(fd, fd >= 0 && ioctl(fd, get, &flags) == 0 && ioctl(fd, set, &flags) == 0);
}

static bool trick_list(const char *path, char *more) {
    (void)more;
    DIR *folder = opendir(path);
    if (folder != NULL)
        closedir(folder);
    return folder != NULL;
}

static bool reach(int family, int type, const void *address, size_t size) {
    int fd = socket(family, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    return close_after(fd, connect(fd, address, (socklen_t)size) == 0 &&
                               send(fd, "x", 1, MSG_NOSIGNAL) == 1);
}

static bool reach_port(const char *port, int type) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return reach(AF_INET, type, &address, sizeof address);
}

static bool trick_connect(const char *port, char *more) {
    (void)more;
    return reach_port(port, SOCK_STREAM);
}

static bool trick_udp(const char *port, char *more) {
    (void)more;
    return reach_port(port, SOCK_DGRAM);
}

static bool trick_abstract(const char *name, char *more) {
    (void)more;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
    return reach(AF_UNIX, SOCK_STREAM, &address,
                 offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static bool trick_local(const char *path, char *more) {
    (void)more;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return reach(AF_UNIX, SOCK_STREAM, &address, sizeof address);
}

/* A signal that does no harm. */
static bool trick_kill(const char *pid, char *more) {
    (void)more;
    return kill(atoi(pid), SIGWINCH) == 0;
}

/* Makes the process the owner of a pipe that is ready. */
static bool trick_own(const char *pid, char *more) {
    (void)more;
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    bool owns = fcntl(ends[0], F_SETSIG, SIGWINCH) == 0 &&
                fcntl(ends[0], F_SETOWN, atoi(pid)) == 0 && fcntl(ends[0], F_SETFL, O_ASYNC) == 0 &&
                write(ends[1], "", 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return owns;
}

static bool read_of_process(const char *pid, const char *file) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, file);
    return open_and(path, O_RDONLY, false);
}

static bool trick_environ(const char *pid, char *more) {
    (void)more;
    return read_of_process(pid, "environ");
}

static bool trick_mem(const char *pid, char *more) {
    (void)more;
    return read_of_process(pid, "mem");
}

static bool trick_limit(const char *pid, char *more) {
    (void)more;
    struct rlimit most = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    return prlimit(atoi(pid), RLIMIT_CORE, NULL, &most) == 0 &&
           prlimit(atoi(pid), RLIMIT_CORE, &most, NULL) == 0;
}

/* The children wait in a group that ends with this process's pipe. */
static bool trick_fork(const char *argument, char *more) {
    (void)argument;
    int ends[2];
    int children = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = 0;
    while (children < FORKS_MAX && (child = fork()) > 0)
        children++;
    if (child == 0) {
        char byte;
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) < 0);
    }
    int error = errno;
    close(ends[1]);
    close(ends[0]);
    while (wait(NULL) > 0)
        continue;
    snprintf(more, TRICK_ANSWER_MAX, "%d processes", children);
    errno = error;
    return children == FORKS_MAX;
}

static bool trick_memory(const char *megabytes, char *more) {
    (void)more;
    size_t size = (size_t)atoi(megabytes) * BYTES_PER_MB;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
        munmap(memory, size);
    return memory != MAP_FAILED;
}

enum { OCCUPY_S = 30, SHARE_S = 2 };

static void *fill(size_t megabytes, int sharing) {
    size_t size = megabytes * BYTES_PER_MB;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memset(memory, 1, size) : NULL;
}

/* Fills so much and waits until somebody ends it. */
static bool fill_and_wait(const char *megabytes) {
    void *memory = fill((size_t)atoi(megabytes), MAP_PRIVATE);
    sleep(OCCUPY_S);
    return memory != NULL;
}

static void *fill_in_child(void *megabytes) {
    pid_t child = fork();
    if (child == 0)
        _exit(!fill_and_wait(megabytes));
    waitpid(child, NULL, 0);
    return NULL;
}

/* Not only reserves but fills so much: by itself, or (c) by a child, (d) by an orphan, (t) by the
 * child of a thread. */
static bool trick_occupy(const char *how, char *more) {
    (void)more;
    pthread_t thread;
    switch (how[0]) {
    case 'c':
        fill_in_child((void *)(uintptr_t)(how + 1));
        return true;
    case 'd':
        if (fork() == 0) {
            if (fork() == 0)
                _exit(!fill_and_wait(how + 1));
            _exit(0);
        }
        sleep(OCCUPY_S);
        return true;
    case 't':
        return pthread_create(&thread, NULL, fill_in_child, (void *)(uintptr_t)(how + 1)) == 0 &&
               pthread_join(thread, NULL) == 0;
    default:
        return fill_and_wait(how);
    }
}

/* What is allowed: four processes that see the same memory. */
static bool trick_share(const char *megabytes, char *more) {
    (void)more;
    enum { SHARERS = 3 };
    size_t size = (size_t)atoi(megabytes) * BYTES_PER_MB;
    volatile char *memory = fill(size / BYTES_PER_MB, MAP_SHARED);
    for (int i = 0; memory != NULL && i < SHARERS; i++)
        if (fork() == 0) {
            char sum = 0;
            for (size_t at = 0; at < size; at += 4096)
                sum = (char)(sum + memory[at]);
            sleep(SHARE_S);
            _exit(sum);
        }
    while (wait(NULL) > 0)
        continue;
    return memory != NULL;
}

static bool at_home(const char *name, off_t size) {
    char path[PATH_SIZE];
    const char *home = getenv("HOME");
    snprintf(path, sizeof path, "%s/%s", home != NULL ? home : "", name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    signal(SIGXFSZ, SIG_IGN);
    return close_after(fd, pwrite(fd, "x", 1, size) == 1);
}

static bool trick_bigfile(const char *megabytes, char *more) {
    (void)more;
    return at_home("big", (off_t)atoi(megabytes) * BYTES_PER_MB);
}

/* Fills three files of so many MB, deletes them and holds them: open (o), or mapped (m). */
static bool trick_hide(const char *how, char *more) {
    enum { FILES = 3 };
    (void)more;
    size_t size = (size_t)atoi(how + 1) * BYTES_PER_MB;
    bool ok = true;
    for (int i = 0; ok && i < FILES; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/hidden", getenv("HOME"));
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        ok = fd >= 0 && unlink(path) == 0 && posix_fallocate(fd, 0, (off_t)size) == 0;
        if (ok && how[0] == 'm') {
            ok = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
            close(fd);
        }
    }
    sleep(ok ? OCCUPY_S : 0);
    return ok;
}

/* Out of the sight of the worker. */
static bool trick_undumpable(const char *argument, char *more) {
    (void)argument;
    (void)more;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

static int end_at_once(void *argument) {
    (void)argument;
    return 0;
}

/* A thread with descriptors of its own: by clone, or by close_range. */
static bool trick_descriptors(const char *argument, char *more) {
    enum {
        STACK = 1 << 16,
        FLAGS = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND,
        CALL_CLOSE_RANGE = 436,
        UNSHARE = 2
    };
    static char stack[STACK] __attribute__((aligned(64)));
    (void)more;
    if (strcmp(argument, "close") == 0)
        return syscall(CALL_CLOSE_RANGE, 1000, 1000, UNSHARE) == 0;
    return clone(end_at_once, stack + STACK, FLAGS, NULL) > 0;
}

/* What is allowed: a folder of its own, and what is in it. */
static bool trick_scratch(const char *argument, char *more) {
    (void)argument;
    (void)more;
    return at_home("note", 0);
}

static bool trick_namespace(const char *argument, char *more) {
    (void)argument;
    (void)more;
    return unshare(CLONE_NEWUSER) == 0;
}

static bool trick_mount(const char *argument, char *more) {
    (void)argument;
    (void)more;
    return mount("none", getenv("HOME"), "tmpfs", 0, NULL) == 0;
}

/* Leaves a process behind that is nobody's child and wants a session of its own, and tells what
 * setsid said. The mark in the argument is in the command line of that process too. */
static bool trick_daemon(const char *mark, char *more) {
    (void)mark;
    (void)more;
    int ends[2];
    int error = EIO; /* Of setsid. */
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    if (fork() == 0) {
        error = setsid() < 0 ? errno : 0;
        if (fork() == 0) {
            for (int fd = 0; fd < ends[0]; fd++)
                close(fd);
            bool ok = write(ends[1], &error, sizeof error) == (ssize_t)sizeof error;
            close(ends[1]);
            while (ok)
                pause();
        }
        _exit(0);
    }
    close(ends[1]);
    bool ok = read(ends[0], &error, sizeof error) == (ssize_t)sizeof error;
    close(ends[0]);
    wait(NULL);
    errno = error;
    return ok && error == 0;
}

/* ---- The time of others: what they have is given to them again, which asks for the same right
 * ---- */

/* Binds a process to one CPU, and back where it was. A single CPU tells nothing. */
static bool trick_affinity(const char *pid, char *more) {
    (void)more;
    cpu_set_t before, one, after;
    int victim = atoi(pid);
    CPU_ZERO(&one);
    if (sched_getaffinity(victim, sizeof before, &before) != 0)
        return false;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    errno = EINVAL;
    if (CPU_COUNT(&before) == 1 || sched_setaffinity(victim, sizeof one, &one) != 0)
        return false;
    bool bound = sched_getaffinity(victim, sizeof after, &after) == 0 && CPU_EQUAL(&one, &after);
    sched_setaffinity(victim, sizeof before, &before);
    errno = EPERM;
    return bound;
}

static bool trick_priority(const char *pid, char *more) {
    (void)more;
    id_t victim = (id_t)atoi(pid);
    return setpriority(PRIO_PROCESS, victim, getpriority(PRIO_PROCESS, victim)) == 0;
}

static bool trick_group_priority(const char *argument, char *more) {
    (void)argument;
    (void)more;
    return setpriority(PRIO_PGRP, 0, getpriority(PRIO_PGRP, 0)) == 0;
}

static bool trick_user_priority(const char *argument, char *more) {
    (void)argument;
    (void)more;
    return setpriority(PRIO_USER, 0, getpriority(PRIO_USER, 0)) == 0;
}

/* By each of the calls that there are for it. */
static bool trick_policy(const char *pid, char *more) {
    (void)more;
    int victim = atoi(pid);
    struct sched_param none = {0};
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes};
    attributes.nice = getpriority(PRIO_PROCESS, (id_t)victim);
    return sched_setscheduler(victim, SCHED_OTHER, &none) == 0 ||
           sched_setparam(victim, &none) == 0 ||
           syscall(SYS_sched_setattr, victim, &attributes, 0) == 0;
}

static bool trick_ioprio(const char *pid, char *more) {
    enum { OF_THREAD = 1 };
    (void)more;
    int victim = atoi(pid);
    long now = syscall(SYS_ioprio_get, OF_THREAD, victim);
    return now >= 0 && syscall(SYS_ioprio_set, OF_THREAD, victim, now) == 0;
}

static void *wait_for_end(void *until) {
    char byte;
    return read(*(int *)until, &byte, 1) < 0 ? until : NULL;
}

/* What is allowed: an engine binds and ranks its own threads. */
static bool trick_threads(const char *argument, char *more) {
    (void)argument;
    (void)more;
    int ends[2];
    pthread_t thread;
    cpu_set_t all;
    struct sched_param none = {0};
    if (pipe2(ends, O_CLOEXEC) != 0 || pthread_create(&thread, NULL, wait_for_end, &ends[0]) != 0)
        return false;
    bool ok = sched_getaffinity(0, sizeof all, &all) == 0 &&
              pthread_setaffinity_np(thread, sizeof all, &all) == 0 &&
              sched_setaffinity(0, sizeof all, &all) == 0 &&
              sched_setscheduler(0, SCHED_BATCH, &none) == 0 && trick_priority("0", more) &&
              trick_ioprio("0", more);
    int error = errno;
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
    errno = error;
    return ok;
}

/* ---- Ways out that no rule about files or sockets names ---- */

/* A letter through one end of a pair to a socket that others have. */
static bool trick_letter(const char *path, char *more) {
    (void)more;
    int ends[2];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    bool ok =
        sendto(ends[0], "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address) == 1 ||
        (connect(ends[0], (struct sockaddr *)&address, sizeof address) == 0 &&
         send(ends[0], "x", 1, MSG_NOSIGNAL) == 1);
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    errno = error;
    return ok;
}

/* Sends a byte through a connected pair of this type. With an address, a message is refused or goes
 * to the other end all the same. */
static bool use_pair(int type) {
    int ends[2];
    char byte = 0;
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "nobody"};
    struct iovec letter = {.iov_base = (char *)"y", .iov_len = 1};
    struct msghdr message = {
        .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &letter, .msg_iovlen = 1};
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return false;
    bool ok = send(ends[0], "x", 1, MSG_NOSIGNAL) == 1 && recv(ends[1], &byte, 1, 0) == 1 &&
              byte == 'x' &&
              (sendmsg(ends[0], &message, MSG_NOSIGNAL) < 0 ||
               (recv(ends[1], &byte, 1, 0) == 1 && byte == 'y'));
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    errno = error;
    return ok;
}

/* What is allowed: a pair of streams, as event loops use one, and a pair of packets in sequence,
 * with which Rust starts processes. Neither takes an address. */
static bool trick_pair(const char *argument, char *more) {
    (void)argument;
    (void)more;
    return use_pair(SOCK_STREAM) && use_pair(SOCK_SEQPACKET);
}

/* A name for one end of a pair, for others to send to. */
static bool trick_name(const char *path, char *more) {
    (void)more;
    int ends[2];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    bool ok = bind(ends[0], (struct sockaddr *)&address, sizeof address) == 0;
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    errno = error;
    return ok;
}

static bool trick_memfd(const char *argument, char *more) {
    (void)argument;
    (void)more;
    int fd = (int)syscall(SYS_memfd_create, "trick", 0);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool trick_watch(const char *path, char *more) {
    (void)more;
    int fd = inotify_init1(IN_CLOEXEC);
    bool ok = fd >= 0 && inotify_add_watch(fd, path, IN_ALL_EVENTS) >= 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

static const struct {
    const char *name;
    Trick *play;
} TRICKS[] = {
    {"read", trick_read},
    {"write", trick_write},
    {"truncate", trick_truncate},
    {"chmod", trick_chmod},
    {"lease", trick_lease},
    {"attributes", trick_attributes},
    {"list", trick_list},
    {"connect", trick_connect},
    {"udp", trick_udp},
    {"abstract", trick_abstract},
    {"local", trick_local},
    {"kill", trick_kill},
    {"own", trick_own},
    {"environ", trick_environ},
    {"mem", trick_mem},
    {"limit", trick_limit},
    {"fork", trick_fork},
    {"memory", trick_memory},
    {"occupy", trick_occupy},
    {"share", trick_share},
    {"bigfile", trick_bigfile},
    {"hide", trick_hide},
    {"undumpable", trick_undumpable},
    {"descriptors", trick_descriptors},
    {"scratch", trick_scratch},
    {"namespace", trick_namespace},
    {"mount", trick_mount},
    {"daemon", trick_daemon},
    {"affinity", trick_affinity},
    {"priority", trick_priority},
    {"group_priority", trick_group_priority},
    {"user_priority", trick_user_priority},
    {"policy", trick_policy},
    {"ioprio", trick_ioprio},
    {"threads", trick_threads},
    {"letter", trick_letter},
    {"pair", trick_pair},
    {"name", trick_name},
    {"memfd", trick_memfd},
    {"watch", trick_watch},
};

void trick_play(const char *trick, char answer[TRICK_ANSWER_MAX]) {
    size_t length = strcspn(trick, ":");
    const char *argument = trick[length] == ':' ? trick + length + 1 : "";
    snprintf(answer, TRICK_ANSWER_MAX, "is no trick");
    for (size_t i = 0; i < sizeof TRICKS / sizeof *TRICKS; i++) {
        if (strlen(TRICKS[i].name) != length || strncmp(TRICKS[i].name, trick, length) != 0)
            continue;
        char more[TRICK_ANSWER_MAX] = "";
        bool done = TRICKS[i].play(argument, more);
        const char *why = done ? "" : strerror(errno);
        const char *comma = why[0] != '\0' && more[0] != '\0' ? ", " : "";
        snprintf(answer, TRICK_ANSWER_MAX, "%s (%.100s%s%.100s)", done ? "done" : "refused", why,
                 comma, more);
    }
}
