/* SPDX-License-Identifier: MIT */
#include "base/confine.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/linux/filter.h"

/* ---- Interfaces of the kernel that are missing in the headers of older systems ---- */

enum {
    CALL_MOUNT_SETATTR = 442,
    CALL_LANDLOCK_CREATE_RULESET = 444,
    CALL_LANDLOCK_ADD_RULE,
    CALL_LANDLOCK_RESTRICT_SELF,
};

/* Source: the kernel's include/uapi/linux/landlock.h and Documentation/userspace-api/landlock.rst.
 */
struct landlock_ruleset {
    uint64_t fs;
    uint64_t net;    /* Since version 4. */
    uint64_t scoped; /* Since version 6. */
};
struct landlock_path {
    uint64_t allowed;
    int32_t parent_fd;
} __attribute__((packed));

#define BIT(n) (UINT64_C(1) << (n))
enum { LANDLOCK_QUERY_VERSION = 1, LANDLOCK_PATH = 1, LANDLOCK_FIRST_NET = 4, LANDLOCK_SCOPES = 6 };
static const uint64_t FS_EXECUTE = BIT(0);
static const uint64_t FS_WRITE_FILE = BIT(1);
static const uint64_t FS_READ_FILE = BIT(2);
static const uint64_t FS_READ_DIR = BIT(3);
static const uint64_t FS_TRUNCATE = BIT(14);
static const uint64_t FS_IOCTL_DEVICE = BIT(15);
static const uint64_t NET_TCP = BIT(0) | BIT(1);               /* Bind, connect. */
static const uint64_t SCOPE_SOCKETS_SIGNALS = BIT(0) | BIT(1); /* Abstract sockets, signals. */

/* All rights on files in a version of Landlock. */
static uint64_t all_fs_rights(int version) {
    static const int KNOWN[] = {0, 13, 14, 15, 15, 16};
    int bits = KNOWN[version < 5 ? version : 5];
    return BIT(bits) - 1;
}

struct mount_attributes {
    uint64_t set, clear, propagation, userns_fd;
};
static const uint64_t MOUNT_READ_ONLY = 1;

/* ---- Settings as a word ---- */

void confine_format(const ConfineSettings *s, char word[CONFINE_SETTINGS_MAX]) {
    snprintf(word, CONFINE_SETTINGS_MAX, "%d %d %d %d %d %d %llu %llu %d", s->layers.landlock,
             s->layers.filter, s->layers.own_user, s->layers.namespaces, s->network, s->metadata,
             (unsigned long long)s->memory, (unsigned long long)s->file_size, s->processes);
}

static bool parse_settings(const char *word, ConfineSettings *s) {
    int flags[5];
    unsigned long long bytes[2];
    if (sscanf(word, "%d %d %d %d %d %d %llu %llu %d", &s->layers.landlock, &flags[0], &flags[1],
               &flags[2], &flags[3], &flags[4], &bytes[0], &bytes[1], &s->processes) != 9)
        return false;
    s->layers.filter = flags[0];
    s->layers.own_user = flags[1];
    s->layers.namespaces = flags[2];
    s->network = flags[3];
    s->metadata = flags[4];
    s->memory = bytes[0];
    s->file_size = bytes[1];
    return true;
}

static bool is_writable(const char *rule) {
    return rule[0] == CONFINE_WRITE || rule[0] == CONFINE_BUILD;
}

/* ---- A user of its own (root) ---- */

/* User numbers that nobody is known to use. The process id is added, so that all children alive at
 * a time have different users. Where few numbers are mapped (a container): the numbers that systemd
 * lends to services for a while, of which two children may get the same one. */
enum { OWN_USERS = 0x70000000, FEW_OWN_USERS = 61184, FEW_OWN_USERS_COUNT = 4336 };

/* Does the number stand for a user in this process's namespace? */
static bool is_mapped(unsigned id) {
    FILE *map = fopen("/proc/self/uid_map", "re");
    unsigned first, outside, count;
    bool found = map == NULL;
    while (!found && fscanf(map, "%u %u %u", &first, &outside, &count) == 3)
        found = id >= first && id - first < count;
    if (map != NULL)
        fclose(map);
    return found;
}

static uid_t own_user(void) {
    unsigned pid = (unsigned)getpid();
    unsigned wanted = OWN_USERS + pid;
    return is_mapped(wanted) ? wanted : FEW_OWN_USERS + pid % FEW_OWN_USERS_COUNT;
}

static int give_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    uid_t user = own_user();
    return lchown(path, user, user);
}

/* Makes the child's own user the owner of the folders that the child may write. */
static bool give_folders(char *const *rules, int count) {
    enum { OPEN_FOLDERS = 16 };
    for (int i = 0; i < count; i++)
        if (is_writable(rules[i]) && nftw(rules[i] + 1, give_entry, OPEN_FOLDERS, FTW_PHYS) != 0)
            return false;
    return true;
}

/* Gives up every capability but those of the two sets of bits. */
static bool set_capabilities(uint32_t effective, uint32_t permitted) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {
        {.effective = effective, .permitted = permitted, .inheritable = permitted}};
    return syscall(SYS_capset, &header, sets) == 0;
}

/* Gives up all capabilities: the program needs neither root's nor those over its namespaces. */
static bool drop_capabilities(void) {
    return set_capabilities(0, 0);
}

/* Can this process use a path by the rights of its user alone: read a file, list and enter a
 * folder? A path that does not exist counts as usable. */
static bool reaches(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOENT;
    return faccessat(AT_FDCWD, path, S_ISDIR(status.st_mode) ? R_OK | X_OK : R_OK, AT_EACCESS) == 0;
}

static bool reaches_all(const char *program, char *const *rules, int count) {
    bool all = faccessat(AT_FDCWD, program, X_OK, AT_EACCESS) == 0;
    for (int i = 0; all && i < count; i++)
        all = rules[i][0] == CONFINE_OFFER || reaches(rules[i] + 1);
    return all;
}

/* Keeps CAP_DAC_READ_SEARCH, in the ambient set, which exec keeps, when the program or a rule needs
 * this capability; else keeps none. The program may lie in a folder that other users may not enter
 * (root's home). The capability also opens every file below the rules to the program, whatever the
 * file's mode says. */
static bool keep_what_is_needed(const char *program, char *const *rules, int count) {
    uint32_t bit = UINT32_C(1) << CAP_DAC_READ_SEARCH;
    if (!set_capabilities(0, bit))
        return false;
    if (reaches_all(program, rules, count))
        return drop_capabilities();
    return set_capabilities(bit, bit) &&
           prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0) == 0;
}

static bool become_own_user(uid_t user) {
    /* With this bit access() uses the capability, as open() does: make calls access() on compilers,
     * which may lie in root's home. Where the bit cannot be set, make does not find such
     * compilers. */
    prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0);
    return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
           setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
}

/* ---- Namespaces (not root) ---- */

static bool write_word(const char *path, const char *word) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = write(fd, word, strlen(word)) == (ssize_t)strlen(word);
    close(fd);
    return ok;
}

/* Root may mount. Another user keeps its number in a new user namespace, which gives this user the
 * right to mount. */
static bool enter_namespaces(void) {
    const int namespaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID;
    char users[64];
    char groups[64];
    if (geteuid() == 0)
        return unshare(namespaces) == 0;
    snprintf(users, sizeof users, "%u %u 1", (unsigned)getuid(), (unsigned)getuid());
    snprintf(groups, sizeof groups, "%u %u 1", (unsigned)getgid(), (unsigned)getgid());
    return unshare(CLONE_NEWUSER | namespaces) == 0 && write_word("/proc/self/setgroups", "deny") &&
           write_word("/proc/self/uid_map", users) && write_word("/proc/self/gid_map", groups);
}

static bool set_read_only(const char *path, bool read_only, unsigned flags) {
    struct mount_attributes attributes = {.set = read_only ? MOUNT_READ_ONLY : 0,
                                          .clear = read_only ? 0 : MOUNT_READ_ONLY};
    return syscall(CALL_MOUNT_SETATTR, AT_FDCWD, path, flags, &attributes, sizeof attributes) == 0;
}

/* Makes every mount read-only but the folders of writing rules. */
static bool mount_read_only(char *const *rules, int count) {
    enum { RECURSIVE = 0x8000 };
    char *here = getcwd(NULL, 0);
    bool ok = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    for (int i = 0; ok && i < count; i++)
        ok = !is_writable(rules[i]) ||
             mount(rules[i] + 1, rules[i] + 1, NULL, MS_BIND | MS_REC, NULL) == 0;
    ok = ok && set_read_only("/", true, RECURSIVE);
    for (int i = 0; ok && i < count; i++)
        ok = !is_writable(rules[i]) || set_read_only(rules[i] + 1, false, 0);
    /* The working folder may lie below a new mount. */
    ok = ok && (here == NULL || chdir(here) == 0);
    free(here);
    return ok;
}

/* Shows the child only its own processes. Some containers forbid this mount: their own /proc then
 * stays, which names other processes and gives no access to them. */
static void mount_own_processes(void) {
    mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* ---- Landlock ---- */

static int landlock_version(void) {
    long version = syscall(CALL_LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_QUERY_VERSION);
    if (version < 0)
        return 0;
    return version < CONFINE_LANDLOCK_MAX ? (int)version : CONFINE_LANDLOCK_MAX;
}

static uint64_t rights_of(char letter, int version) {
    uint64_t all = all_fs_rights(version);
    switch (letter) {
    case CONFINE_READ:
        return FS_READ_FILE | FS_READ_DIR;
    case CONFINE_EXECUTE:
    case CONFINE_OFFER:
        return FS_READ_FILE | FS_READ_DIR | FS_EXECUTE;
    case CONFINE_DEVICE:
        return (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE) & all;
    case CONFINE_WRITE:
        return all & ~FS_EXECUTE & ~FS_IOCTL_DEVICE;
    case CONFINE_BUILD:
        return all & ~FS_IOCTL_DEVICE;
    default:
        return 0;
    }
}

/* Adds a rule. When the path does not exist, a rule for writing fails, and any other is skipped. */
static bool add_rule(int ruleset, const char *rule, int version) {
    const uint64_t of_files = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE;
    struct stat status;
    struct landlock_path path = {.parent_fd = open(rule + 1, O_PATH | O_CLOEXEC)};
    if (path.parent_fd < 0)
        return !is_writable(rule);
    path.allowed = rights_of(rule[0], version);
    bool ok = fstat(path.parent_fd, &status) == 0;
    if (ok && !S_ISDIR(status.st_mode))
        path.allowed &= of_files;
    ok = ok && syscall(CALL_LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH, &path, 0) == 0;
    close(path.parent_fd);
    return ok;
}

static bool restrict_files(const ConfineSettings *s, char *const *rules, int count) {
    int version = s->layers.landlock;
    struct landlock_ruleset attributes = {
        .fs = all_fs_rights(version),
        .net = version >= LANDLOCK_FIRST_NET && !s->network ? NET_TCP : 0,
        .scoped = version >= LANDLOCK_SCOPES ? SCOPE_SOCKETS_SIGNALS : 0};
    size_t size = version >= LANDLOCK_SCOPES      ? sizeof attributes
                  : version >= LANDLOCK_FIRST_NET ? offsetof(struct landlock_ruleset, scoped)
                                                  : offsetof(struct landlock_ruleset, net);
    int ruleset = (int)syscall(CALL_LANDLOCK_CREATE_RULESET, &attributes, size, 0);
    if (ruleset < 0)
        return false;
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = add_rule(ruleset, rules[i], version);
    ok = ok && syscall(CALL_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return ok;
}

/* ---- The filter of system calls ---- */

/* Switches off the slow-downs against speculation that the kernel otherwise puts on filtered
 * processes. The filter does not protect one part of a process from another, so they are not
 * needed. */
enum { SPECULATION_ALLOWED = 1 << 2 };

static bool install_filter(unsigned refused) {
    struct sock_filter instructions[FILTER_INSTRUCTIONS_MAX];
    size_t count = filter_make(refused, (int)getpid(), instructions);
    struct sock_fprog program = {.len = (unsigned short)count, .filter = instructions};
    if (count == 0) {
        errno = ENOSYS;
        return false;
    }
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SPECULATION_ALLOWED, &program) == 0;
}

static unsigned refused_calls(const ConfineSettings *s) {
    enum { LANDLOCK_TRUNCATES = 3 };
    bool alone = s->layers.own_user && s->user >= OWN_USERS; /* No other child has this user. */
    unsigned refused = s->network ? FILTER_LOCAL_SOCKETS : FILTER_SOCKETS;
    if (!s->metadata)
        refused |= FILTER_METADATA;
    if (s->layers.landlock < LANDLOCK_TRUNCATES)
        refused |= FILTER_TRUNCATION;
    /* A user alone cannot send signals to other users' processes anyhow. */
    if (s->layers.landlock < LANDLOCK_SCOPES && !alone)
        refused |= FILTER_SIGNALS;
    /* A user alone cannot change other users' threads, and a process in a namespace does not find
     * other threads. */
    if (!alone && !s->layers.namespaces)
        refused |= FILTER_SCHEDULING;
    return refused;
}

/* ---- Both steps ---- */

/* The type of getrlimit's first argument. */
#ifdef __GLIBC__
typedef __rlimit_resource_t Resource;
#else
typedef int Resource;
#endif

static bool limit(Resource resource, uint64_t most) {
    struct rlimit now;
    if (most == 0)
        return true;
    if (getrlimit(resource, &now) != 0)
        return false;
    if (now.rlim_max < most)
        most = now.rlim_max;
    struct rlimit wanted = {.rlim_cur = most, .rlim_max = most};
    return setrlimit(resource, &wanted) == 0;
}

/* base/deleted.h looks for deleted files among the open descriptors: the limit keeps this search
 * short, and is more than programs need. */
enum { DESCRIPTORS_MAX = 4096 };

static bool fail(const char **what, const char *step) {
    *what = step;
    return false;
}

/* The order of both steps matters: steps that need rights come before the rights are given up, the
 * limit of processes counts in the namespace where it is set, and the limit of memory comes when no
 * more memory is needed. */
bool confine_enter(const char *settings, char *const *rules, int count, ConfineSettings *out,
                   const char **what) {
    if (!parse_settings(settings, out)) {
        errno = EINVAL;
        return fail(what, "the confinement's settings cannot be read");
    }
    out->user = own_user();
    if (out->layers.own_user && !give_folders(rules, count))
        return fail(what, "cannot give the child its folders");
    if (out->layers.namespaces && (!enter_namespaces() || !mount_read_only(rules, count)))
        return fail(what, "cannot make the system read-only for the child");
    return true;
}

bool confine_apply(const ConfineSettings *s, const char *program, char *const *rules, int count,
                   const char **what) {
    if (s->layers.namespaces)
        mount_own_processes();
    if (!limit(RLIMIT_NPROC, (uint64_t)s->processes) || !limit(RLIMIT_FSIZE, s->file_size) ||
        !limit(RLIMIT_NOFILE, DESCRIPTORS_MAX))
        return fail(what, "cannot limit the child's processes and files");
    if (s->layers.own_user && !become_own_user(s->user))
        return fail(what, "cannot make the child a user of its own");
    if (s->layers.own_user ? !keep_what_is_needed(program, rules, count) : !drop_capabilities())
        return fail(what, "cannot take the child's rights away");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(what, "cannot keep the child from getting rights");
    if (s->layers.landlock > 0 && !restrict_files(s, rules, count))
        return fail(what, "cannot restrict the child's files");
    if (!limit(RLIMIT_DATA, s->memory))
        return fail(what, "cannot limit the child's memory");
    if (s->layers.filter && !install_filter(refused_calls(s)))
        return fail(what, "cannot filter the child's system calls");
    return true;
}

/* ---- Finding the layers ---- */

bool confine_exists(void) {
    return true;
}

int confine_tasks(void) {
    enum { OWN_LINKS = 2 };
    int tasks = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        char path[sizeof entry->d_name + sizeof "/proc//task"];
        struct stat status;
        snprintf(path, sizeof path, "/proc/%s/task", entry->d_name);
        if (isdigit((unsigned char)entry->d_name[0]) && stat(path, &status) == 0 &&
            status.st_uid == getuid() && status.st_nlink > OWN_LINKS)
            tasks += (int)status.st_nlink - OWN_LINKS;
    }
    if (proc != NULL)
        closedir(proc);
    return tasks;
}

/* The exit status of a process that could not start another one. */
enum { NO_PROCESS = 125 };

/* The exit status of the child that fork returned, 1 for a child that was killed, NO_PROCESS where
 * fork failed. */
static int wait_for(pid_t child) {
    int status = 1;
    if (child < 0)
        return NO_PROCESS;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Finds out whether a process can put these layers on. The process also checks the loss of root's
 * rights. False: no process can be started, and *granted is false. */
static bool try_layers(const ConfineLayers *layers, bool *granted) {
    pid_t child = fork();
    if (child != 0) {
        int status = wait_for(child);
        *granted = status == 0;
        return status != NO_PROCESS;
    }
    static char root[] = "x/";
    char *rules[] = {root};
    char word[CONFINE_SETTINGS_MAX];
    const char *what;
    ConfineSettings settings = {.layers = *layers};
    confine_format(&settings, word);
    if (!confine_enter(word, rules, 1, &settings, &what))
        _exit(1);
    pid_t program = fork();
    if (program != 0)
        _exit(wait_for(program));
    if (!confine_apply(&settings, root + 1, rules, 1, &what))
        _exit(2);
    if (layers->own_user && (getuid() == 0 || setuid(0) == 0))
        _exit(3);
    _exit(0);
}

bool confine_passes(const char *folder) {
    pid_t child = fork();
    if (child == 0)
        _exit(!(become_own_user(own_user()) && drop_capabilities() &&
                faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS) == 0));
    return wait_for(child) == 0;
}

bool confine_probe(ConfineLayers *layers) {
    int version = landlock_version();
    bool landlock = false;
    *layers = (ConfineLayers){0};
    bool tried =
        (version == 0 || try_layers(&(ConfineLayers){.landlock = version}, &landlock)) &&
        try_layers(&(ConfineLayers){.filter = true}, &layers->filter) &&
        (geteuid() != 0 || try_layers(&(ConfineLayers){.own_user = true}, &layers->own_user)) &&
        try_layers(&(ConfineLayers){.namespaces = true}, &layers->namespaces);
    layers->landlock = landlock ? version : 0;
    return tried;
}
