/* SPDX-License-Identifier: MIT */
#include "tools/tricks.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS_MOST = 20000, PATH_SIZE = 512, BYTES_PER_MB = 1 << 20 };

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
    bool ok = connect(fd, address, (socklen_t)size) == 0 && send(fd, "x", 1, MSG_NOSIGNAL) == 1;
    int error = errno;
    close(fd);
    errno = error;
    return ok;
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
    while (children < FORKS_MOST && (child = fork()) > 0)
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
    return children == FORKS_MOST;
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

/* Not only reserves but fills so much, by itself or through a process of its own, and waits until
 * somebody ends it. */
static bool trick_occupy(const char *how, char *more) {
    enum { WAIT_S = 30 };
    (void)more;
    bool by_child = how[0] == 'c';
    pid_t child = by_child ? fork() : 0;
    if (child == 0) {
        size_t size = (size_t)atoi(how + by_child) * BYTES_PER_MB;
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        sleep(WAIT_S);
        if (memory != MAP_FAILED)
            munmap(memory, size);
        if (by_child)
            _exit(0);
        return true;
    }
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static bool at_home(const char *name, off_t size) {
    char path[PATH_SIZE];
    const char *home = getenv("HOME");
    snprintf(path, sizeof path, "%s/%s", home != NULL ? home : "", name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    signal(SIGXFSZ, SIG_IGN);
    bool ok = pwrite(fd, "x", 1, size) == 1;
    int error = errno;
    close(fd);
    errno = error;
    return ok;
}

static bool trick_bigfile(const char *megabytes, char *more) {
    (void)more;
    return at_home("big", (off_t)atoi(megabytes) * BYTES_PER_MB);
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
    return mount("none", "/tmp", "tmpfs", 0, NULL) == 0;
}

/* Whether it gets a session of its own or not, the process stays. */
static bool trick_daemon(const char *argument, char *more) {
    (void)argument;
    int ends[2];
    struct {
        pid_t pid;
        int error; /* Of setsid. */
    } told = {0, EIO};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    if (fork() == 0) {
        told.error = setsid() < 0 ? errno : 0;
        if (fork() == 0) {
            told.pid = getpid();
            for (int fd = 0; fd < ends[0]; fd++)
                close(fd);
            bool ok = write(ends[1], &told, sizeof told) == (ssize_t)sizeof told;
            close(ends[1]);
            while (ok)
                pause();
        }
        _exit(0);
    }
    close(ends[1]);
    bool ok = read(ends[0], &told, sizeof told) == (ssize_t)sizeof told;
    close(ends[0]);
    wait(NULL);
    snprintf(more, TRICK_ANSWER_MAX, "pid %d", (int)told.pid);
    errno = told.error;
    return ok && told.error == 0;
}

static const struct {
    const char *name;
    Trick *play;
} TRICKS[] = {
    {"read", trick_read},
    {"write", trick_write},
    {"truncate", trick_truncate},
    {"chmod", trick_chmod},
    {"list", trick_list},
    {"connect", trick_connect},
    {"udp", trick_udp},
    {"abstract", trick_abstract},
    {"local", trick_local},
    {"kill", trick_kill},
    {"environ", trick_environ},
    {"mem", trick_mem},
    {"limit", trick_limit},
    {"fork", trick_fork},
    {"memory", trick_memory},
    {"occupy", trick_occupy},
    {"bigfile", trick_bigfile},
    {"scratch", trick_scratch},
    {"namespace", trick_namespace},
    {"mount", trick_mount},
    {"daemon", trick_daemon},
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
